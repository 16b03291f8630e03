/* Masses and inertias that no robot has, or that leave the mass matrix singular, are said in words (model/check.c). */
#include "support/model_scene.h"
#include "myriapod/batch.h"

#include <stdio.h>
#include <string.h>

static void oddities_are_warnings(void **state) {
    (void)state;
    const struct {
        double mass, inertia[6];
        myr_joint_type joint;
        const char *words[3];
    } cases[] = {
        {1, {1, 1, 3, 0, 0, 0}, MYR_JOINT_FREE, {"`odd`", "3 > 1 + 1"}},
        {1, {1, 1, 1, 2, 0, 0}, MYR_JOINT_FREE, {"`odd`", "not positive definite", "-1, 1, 3"}},
        {1, {-1, 1, 1, 0, 0, 0}, MYR_JOINT_FREE, {"`odd`", "not positive definite"}},
        {0, {1, 1, 1, 0, 0, 0}, MYR_JOINT_FREE, {"`odd`", "without mass"}},
        {1, {0, 0, 0, 0, 0, 0}, MYR_JOINT_FREE, {"`odd`", "without rotational inertia"}},
        {0, {0, 0, 0, 0, 0, 0}, MYR_JOINT_FREE, {"`odd`", "singular", "quarantined"}},
        {1, {0, 0, 0, 0, 0, 0}, MYR_JOINT_FREE, {"`odd`", "singular"}},
        {0, {0, 0, 0, 0, 0, 0}, MYR_JOINT_REVOLUTE, {"`odd`", "singular"}},
        {0, {0, 0, 0, 0, 0, 0}, MYR_JOINT_PRISMATIC, {"`odd`", "singular"}},
        {0, {0, 0, 0, 0, 0, 0}, MYR_JOINT_BALL, {"`odd`", "singular"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        myr_builder *builder = scene_builder();
        myr_body_def def = myr_body_def_default();
        def.name = "odd";
        def.joint = cases[i].joint;
        def.mass_kg = cases[i].mass;
        memcpy(def.inertia_kgm2, cases[i].inertia, sizeof def.inertia_kgm2);
        assert_int_equal(myr_builder_body(builder, &def, NULL), MYR_OK);
        myr_model *m = scene_compile(builder);
        scene_warned(m, (const char *const[]){cases[i].words[0], cases[i].words[1], cases[i].words[2], NULL});
        assert_null(myr_model_warning(m, m->n_warnings));
        myr_model_free(m);
        myr_builder_free(builder);
    }
}

/* A link without mass; returns its id. */
static int massless(myr_builder *builder, const char *name, int parent, myr_joint_type joint, double armature) {
    myr_body_def def = myr_body_def_default();
    int id = -1;
    def.name = name;
    def.parent = parent;
    def.joint = joint;
    def.armature = armature;
    assert_int_equal(myr_builder_body(builder, &def, &id), MYR_OK);
    return id;
}

/* A massless tip on a damped hinge steps on, and the warning does not say otherwise. */
static void damping_holds_what_has_no_mass(void **state) {
    (void)state;
    myr_builder *builder = scene_builder();
    myr_body_def tip = myr_body_def_default();
    scene_body(builder, "base", -1, MYR_JOINT_FREE, 0, 0, 1);
    tip.name = "tip", tip.parent = 0, tip.joint = MYR_JOINT_REVOLUTE, tip.damping = 0.01;
    assert_int_equal(myr_builder_body(builder, &tip, NULL), MYR_OK);
    myr_model *m = scene_compile(builder);
    scene_warned(m, (const char *const[]){"`tip`", "no mass", "its damping alone holds it", NULL});
    for (int i = 0; myr_model_warning(m, i); i++) assert_null(strstr(myr_model_warning(m, i), "will be quarantined"));
    myr_settings settings = myr_settings_default();
    myr_batch *batch = NULL;
    myr_stats stats;
    assert_int_equal(myr_batch_create(m, 3, &settings, &batch), MYR_OK);
    assert_int_equal(myr_batch_step(batch, 20), MYR_OK);
    myr_batch_stats(batch, &stats);
    assert_int_equal(stats.quarantined, 0);
    myr_batch_free(batch);
    myr_model_free(m);
    myr_builder_free(builder);
}

/* A hundred of them are one warning. */
static void joints_that_move_nothing_are_named_together(void **state) {
    (void)state;
    myr_builder *builder = scene_builder();
    scene_body(builder, "base", -1, MYR_JOINT_FREE, 0, 0, 1);
    for (int i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "hair%d", i);
        massless(builder, name, 0, MYR_JOINT_REVOLUTE, 0);
    }
    myr_model *m = scene_compile(builder);
    scene_warned(m, (const char *const[]){"joint `hair0` moves no mass", "quarantined", "So do hair1, hair2", " more", NULL});
    assert_int_equal(scene_other_warnings(m), 1);
    myr_model_free(m);
    myr_builder_free(builder);
}

/* It goes its only joint's way. */
static void a_massless_base_that_floats_is_named(void **state) {
    (void)state;
    myr_builder *swing = scene_builder();
    massless(swing, "base", -1, MYR_JOINT_FREE, 0);
    scene_body(swing, "rod", 0, MYR_JOINT_REVOLUTE, 0, 0, -1);
    myr_model *floating = scene_compile(swing);
    scene_warned(floating, (const char *const[]){"`base`", "weighs nothing", "--root fixed", NULL});
    assert_int_equal(scene_other_warnings(floating), 1);
    myr_model_free(floating);
    scene_body(swing, "second", 0, MYR_JOINT_REVOLUTE, 0, 1, -1);
    floating = scene_compile(swing);
    assert_int_equal(scene_other_warnings(floating), 0);
    myr_model_free(floating);
    myr_builder_free(swing);
}

static void armature_or_a_mass_behind_moves_a_massless_link(void **state) {
    (void)state;
    myr_builder *builder = scene_builder();
    massless(builder, "cross", -1, MYR_JOINT_REVOLUTE, 0);
    scene_body(builder, "arm", 0, MYR_JOINT_REVOLUTE, 0, 0, -1);
    massless(builder, "wheel", 1, MYR_JOINT_REVOLUTE, 0.1);
    myr_model *m = scene_compile(builder);
    for (int i = 0; i < m->n_warnings; i++) fail_msg("unexpected: %s", m->warnings[i]);
    myr_model_free(m);
    myr_builder_free(builder);
}

/* A robot of meshes alone falls through the ground with perfect figures: it is said, once. What cannot fall, or touches, says nothing. */
static void what_floats_and_cannot_touch_is_named(void **state) {
    (void)state;
#define HEAVY "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
#define SHAPE(what) "<robot name='r'>\n<link name='base'>" HEAVY "<collision><geometry>" what "</geometry></collision></link>\n</robot>"
    static const struct {
        const char *text;
        myr_root root;
        int warns;
    } cases[] = {
        {SHAPE("<mesh filename='x.dae'/>"), MYR_ROOT_AUTO, 1},
        {SHAPE("<box size='1 1 1'/>"), MYR_ROOT_AUTO, 0},
        {SHAPE("<cylinder radius='1' length='1'/>"), MYR_ROOT_AUTO, 0},
        {"<robot name='r'>\n" LINK("base") "</robot>", MYR_ROOT_AUTO, 1},
        {"<robot name='r'>\n" LINK("base") LINK("arm") JOINT("j", "continuous", "base", "arm") "</robot>", MYR_ROOT_FIXED, 0},
        {"<robot name='r'>\n" LINK("world") LINK("arm") JOINT("j", "continuous", "world", "arm") "</robot>", MYR_ROOT_AUTO, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        myr_model *m = scene_load(cases[i].text, cases[i].root);
        const int said = m->n_warnings - scene_other_warnings(m);
        if (said != cases[i].warns) fail_msg("case %zu: %d warnings of what falls, not %d", i, said, cases[i].warns);
        if (said) scene_warned(m, WORDS("robot.urdf:2:", "`base`", "fall through the ground", "--root fixed"));
        myr_model_free(m);
    }
    static const char *const ships[] = {"anymal", "hopper", "double-pendulum", "chain-3", "stack-3", "hand-ball", "sphere", "cube"};
    for (size_t i = 0; i < sizeof ships / sizeof *ships; i++) {
        myr_model *m = NULL;
        assert_int_equal(myr_model_load(ships[i], MYR_ROOT_AUTO, &m), MYR_OK);
        assert_int_equal(m->n_warnings, 0);
        myr_model_free(m);
    }
    /* one warning for all trees, by the first */
    myr_model *m = scene_load("<robot name='r'>\n<link name='world'/>\n" LINK("a") LINK("b") JOINT("fa", "floating", "world", "a")
                                  JOINT("fb", "floating", "world", "b") "</robot>",
                              MYR_ROOT_AUTO);
    assert_int_equal(m->n_warnings, 1);
    scene_warned(m, WORDS("`a`", "and 1 more", "fall through the ground"));
    myr_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oddities_are_warnings),
        cmocka_unit_test(damping_holds_what_has_no_mass),
        cmocka_unit_test(joints_that_move_nothing_are_named_together),
        cmocka_unit_test(a_massless_base_that_floats_is_named),
        cmocka_unit_test(what_floats_and_cannot_touch_is_named),
        cmocka_unit_test(armature_or_a_mass_behind_moves_a_massless_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
