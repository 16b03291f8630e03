/* The root of a URDF: which links float, which are fixed to the world, and what stands for it. */
#include <string.h>

#include "support/model_scene.h"

#define ARM LINK("base") LINK("arm")

static int free_joints(const myr_model *m) {
    int count = 0;
    for (int i = 0; i < m->n_bodies; i++) count += m->bodies[i].joint == MYR_JOINT_FREE;
    return count;
}

static void roots_float_or_not(void **state) {
    (void)state;
    static const char plain[] = ROBOT(ARM JOINT("hinge", "continuous", "base", "arm"));
    static const char world[] =
        ROBOT("<link name='world'/>" ARM JOINT("foot", "fixed", "world", "base") JOINT("hinge", "continuous", "base", "arm"));
    static const char swinging[] = ROBOT("<link name='world'/>" LINK("arm") JOINT("hinge", "continuous", "world", "arm"));
    static const char floating[] =
        ROBOT("<link name='map'/>" ARM JOINT("drift", "floating", "map", "base") JOINT("hinge", "continuous", "base", "arm"));
    const struct {
        const char *text;
        myr_root root;
        int bodies, nv, free;
    } cases[] = {
        {plain, MYR_ROOT_AUTO, 2, 7, 1},        {plain, MYR_ROOT_FLOATING, 2, 7, 1}, {plain, MYR_ROOT_FIXED, 1, 1, 0},
        {world, MYR_ROOT_AUTO, 1, 1, 0},        {world, MYR_ROOT_FLOATING, 2, 7, 1}, {world, MYR_ROOT_FIXED, 1, 1, 0},
        {swinging, MYR_ROOT_AUTO, 1, 1, 0},     {swinging, MYR_ROOT_FIXED, 1, 1, 0}, {floating, MYR_ROOT_AUTO, 2, 7, 1},
        {floating, MYR_ROOT_FLOATING, 2, 7, 1}, {floating, MYR_ROOT_FIXED, 2, 7, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        myr_model *m = scene_load(cases[i].text, cases[i].root);
        if (m->n_bodies != cases[i].bodies || m->nv != cases[i].nv || free_joints(m) != cases[i].free)
            fail_msg("case %zu: %d bodies, nv %d, %d free", i, m->n_bodies, m->nv, free_joints(m));
        for (int k = 0; k < m->n_bodies; k++)
            if (m->bodies[k].joint == MYR_JOINT_FREE) assert_string_equal(m->bodies[k].name, "base");
        scene_frame(m, cases[i].text == world || cases[i].text == swinging ? "world" : cases[i].text == floating ? "map" : "base");
        myr_model_free(m);
    }
    scene_refuse(swinging, MYR_ROOT_FLOATING, MYR_E_ARG, 3, WORDS("`floating`", "`world`"));
    scene_refuse(ROBOT("<link name='world'/>"), MYR_ROOT_FLOATING, MYR_E_ARG, 3, WORDS("`world`", "nothing hangs on it"));
    scene_refuse(ROBOT(LINK("base")), MYR_ROOT_FIXED, MYR_E_FORMAT, 0, WORDS("robot.urdf", "nothing can move"));
    scene_refuse(plain, (myr_root)3, MYR_E_ARG, 0, WORDS("root 3"));
    scene_refuse(plain, (myr_root)-1, MYR_E_ARG, 0, WORDS("root -1"));
    /* a joint of the file may be called as we call ours */
    myr_model *m = scene_load(ROBOT(ARM JOINT("root", "continuous", "base", "arm")), MYR_ROOT_AUTO);
    assert_string_equal(m->bodies[0].joint_name, "root_1");
    assert_string_equal(m->bodies[1].joint_name, "root");
    myr_model_free(m);
    /* links may come in any order, joints before links */
    m = scene_load(ROBOT(JOINT("two", "continuous", "b", "c") JOINT("one", "continuous", "a", "b") LINK("c") LINK("b") LINK("a")),
                   MYR_ROOT_AUTO);
    assert_string_equal(m->bodies[0].name, "a");
    assert_string_equal(m->bodies[2].name, "c");
    myr_model_free(m);
}

/* A root that weighs nothing and carries one joint stands for the world, whatever it is called, unless the caller says that it floats. */
static void stands_are_the_world(void **state) {
    (void)state;
    static const char stand[] = ROBOT("<link name='base'/><link name='plate'/>" LINK("arm") LINK("tip") JOINT(
        "bolt", "fixed", "base", "plate") JOINT("hinge", "continuous", "plate", "arm") JOINT("wrist", "continuous", "arm", "tip"));
    static const char two[] = ROBOT("<link name='base'/>" LINK("arm") LINK("other") JOINT("hinge", "continuous", "base", "arm")
                                        JOINT("second", "continuous", "base", "other"));
    static const char shaped[] = ROBOT("<link name='base'><collision><geometry><sphere radius='1'/></geometry></collision></link>" LINK(
        "arm") JOINT("hinge", "continuous", "base", "arm"));
    static const char heavy[] = ROBOT("<link name='base'/>" LINK("plate") LINK("arm") JOINT("bolt", "fixed", "base", "plate")
                                          JOINT("hinge", "continuous", "plate", "arm"));
    const struct {
        const char *text;
        myr_root root;
        int nv, says;
    } cases[] = {{stand, MYR_ROOT_AUTO, 2, 1}, {stand, MYR_ROOT_FLOATING, 8, 0}, {stand, MYR_ROOT_FIXED, 2, 0},
                 {two, MYR_ROOT_AUTO, 8, 0},   {shaped, MYR_ROOT_AUTO, 7, 0},    {heavy, MYR_ROOT_AUTO, 7, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        myr_model *m = scene_load(cases[i].text, cases[i].root);
        int says = 0;
        for (int k = 0; k < m->n_warnings; k++) says += strstr(m->warnings[k], "it is fixed to the world") != NULL;
        if (m->nv != cases[i].nv || says != cases[i].says) fail_msg("case %zu: nv %d, said %d times", i, m->nv, says);
        myr_model_free(m);
    }
}

static void two_floating_joints_are_two_trees(void **state) {
    (void)state;
    myr_model *m = scene_load(
        ROBOT("<link name='world'/>\n" LINK("a")
                  LINK("b") "<joint name='fa' type='floating'><parent link='world'/><child link='a'/></joint>\n"
                            "<joint name='fb' type='floating'><parent link='world'/><child link='b'/><origin xyz='0 0 1'/></joint>\n"),
        MYR_ROOT_AUTO);
    assert_int_equal(m->n_trees, 2);
    assert_int_equal(m->nv, 12);
    scene_warned(m, WORDS("robot.urdf:7:", "`fb`", "<origin>"));
    assert_int_equal(scene_other_warnings(m), 1);
    myr_model_free(m);
    scene_refuse(
        ROBOT("<link name='world'/>\n" LINK("a") LINK("b") JOINT("fa", "continuous", "world", "a") JOINT("fb", "floating", "a", "b")),
        MYR_ROOT_AUTO, MYR_E_FORMAT, 7, WORDS("`b`", "free", "`a`"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(roots_float_or_not), cmocka_unit_test(stands_are_the_world),
                                       cmocka_unit_test(two_floating_joints_are_two_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
