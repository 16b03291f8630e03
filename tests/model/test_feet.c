/* The load option `feet`: of what moves the shapes that are named touch, no others; what is fixed to the world stays; a name that is not
 * there is an error that says which was meant; nothing but contact changes. */
#include <math.h>
#include <string.h>

#include "support/batch_scene.h"

static const char robot[] = "<mujoco model='walker'><worldbody>"
                            "<geom name='floor' type='plane' size='0 0 1'/>"
                            "<body name='step' pos='1 0 0'><geom name='step' type='box' size='.2 .2 .1'/></body>"
                            "<body name='trunk' pos='0 0 .6'><freejoint/><geom name='trunk' type='box' size='.2 .1 .1' mass='5'/>"
                            "<body name='left' pos='0 .1 -.1'><joint name='l' axis='0 1 0'/>"
                            "<geom name='left_shin' type='capsule' fromto='0 0 0 0 0 -.3' size='.03' mass='1'/>"
                            "<geom name='left_foot' type='sphere' pos='0 0 -.4' size='.05' mass='1'/></body>"
                            "<body name='right' pos='0 -.1 -.1'><joint name='r' axis='0 1 0'/>"
                            "<geom name='right_shin' type='capsule' fromto='0 0 0 0 0 -.3' size='.03' mass='1'/>"
                            "<geom name='right_foot' type='sphere' pos='0 0 -.4' size='.05' mass='1'/></body>"
                            "</body></worldbody><contact><pair geom1='trunk' geom2='left_foot'/></contact></mujoco>";

static myr_status with_feet(const char *feet, myr_model **model) {
    myr_load_options options = myr_load_options_default();
    options.feet = feet;
    return myr_model_open_text(robot, strlen(robot), "walker.xml", &options, model);
}

/* Slots against the ground and pairs of the geom of this name. */
static void count(const myr_model *model, const char *name, int *slots, int *pairs) {
    int geom;
    myr_geom_info info;
    myr_pair_info pair;
    MUST(myr_model_find_geom(model, name, &geom));
    MUST(myr_model_get_geom(model, geom, &info));
    *slots = info.n_slots, *pairs = 0;
    for (int k = 0; myr_model_get_pair(model, k, &pair) == MYR_OK; k++) *pairs += pair.geom == geom || pair.other == geom;
}

static void those_named_touch(void **state) {
    (void)state;
    static const struct {
        const char *feet;
        int foot, shin, trunk; /* do they touch */
    } cases[] = {{NULL, 1, 1, 1}, {"left_foot,right_foot", 1, 0, 0}, {"*_foot", 1, 0, 0}, {"*_foot,left_s?in,right_shin", 1, 1, 0}};
    double mass = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        myr_model *model = NULL;
        myr_model_info info;
        int slots, pairs, with_step;
        MUST(with_feet(cases[i].feet, &model));
        myr_model_get_info(model, &info);
        if (!i) mass = info.mass_kg;
        assert_true(fabs(info.mass_kg - mass) < 1e-12 && info.nv == 8 && info.n_geoms == 6);
        count(model, "left_foot", &slots, &pairs);
        assert_true(slots == cases[i].foot && pairs > 0);
        count(model, "right_shin", &slots, &pairs);
        assert_true((slots > 0) == cases[i].shin && (pairs > 0) == cases[i].shin);
        count(model, "trunk", &slots, &pairs);
        assert_true((slots > 0) == cases[i].trunk && (pairs > 0) == cases[i].trunk); /* the pair that the file asks for, too */
        count(model, "step", &slots, &with_step);
        assert_int_equal(with_step, 2 * cases[i].foot + 2 * cases[i].shin + cases[i].trunk);
        myr_model_free(model);
    }
}

static void others_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *feet, *says;
    } cases[] = {{"left_foo", "`left_foo`; did you mean 'left_foot'?"}, {"*_foot,hand*", "`hand*`"}, {"", "``"}, {"step", "`step`"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        myr_model *model = NULL;
        assert_int_equal(with_feet(cases[i].feet, &model), MYR_E_ARG);
        assert_null(model);
        if (!strstr(myr_message(), cases[i].says) || !strstr(myr_message(), "walker.xml")) fail_msg("%s", myr_message());
    }
    myr_load_options options = myr_load_options_default();
    myr_model *model = NULL;
    options.feet = "link";
    assert_int_equal(myr_model_open("chain-3", &options, &model), MYR_E_ARG);
}

/* The shins of a robot that falls on its side go through the ground, its feet do not. */
static void it_falls_on_its_feet_alone(void **state) {
    (void)state;
    myr_model *model = NULL;
    myr_batch *batch = NULL;
    static double impulse[64][3];
    MUST(with_feet("*_foot", &model));
    const myr_settings settings = scene_settings("task", "none", "threads", "1", NULL);
    MUST(myr_batch_create(model, 1, &settings, &batch));
    MUST(myr_batch_step(batch, 1000));
    double weight = 0;
    MUST(myr_batch_get(batch, MYR_IMPULSE, NULL, 1, MYR_F64, impulse));
    for (int s = 0; s < myr_batch_components(batch, MYR_IMPULSE) / 3; s++) weight += impulse[s][2];
    assert_true(weight > 0);
    myr_batch_free(batch);
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(those_named_touch), cmocka_unit_test(others_are_refused),
                                       cmocka_unit_test(it_falls_on_its_feet_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
