/* Keyframes of a file, and another home pose than the model's own. */
#include <math.h>
#include <string.h>

#include "support/batch_scene.h"

static const char *const file =
    "<mujoco><worldbody><body name=\"box\" pos=\"0 0 1\"><freejoint/><geom type=\"box\" size=\".1 .1 .1\" mass=\"3\"/>"
    "<body name=\"arm\"><joint name=\"a\" axis=\"0 1 0\"/><geom type=\"capsule\" size=\".02 .2\" mass=\"1\"/></body></body></worldbody>"
    "<actuator><position joint=\"a\" kp=\"5\"/><motor name=\"extra\" joint=\"a\" gear=\"0\"/><motor name=\"push\" joint=\"a\" gear=\"2\"/>"
    "</actuator><keyframe><key name=\"first\" qpos=\"0 0 2 1 0 0 0 .5\"/><key qpos=\"1 2 3 0 0 0 2 -.25\" ctrl=\".1 9 3\"/>"
    "<key name=\"timed\" time=\"2\"/></keyframe></mujoco>";

static myr_status open_with(const char *keyframe, const double *home, int n, myr_model **model) {
    myr_load_options options = myr_load_options_default();
    options.keyframe = keyframe, options.home = home, options.n_home = n;
    return myr_model_open_text(file, strlen(file), "file", &options, model);
}

static void home_is(const myr_model *model, const double wanted[8]) {
    double q[8];
    myr_model_home(model, q);
    for (int k = 0; k < 8; k++) assert_true(fabs(q[k] - wanted[k]) < 1e-15);
}

static void files_name_them(void **state) {
    (void)state;
    myr_model *model;
    MUST(open_with(NULL, NULL, 0, &model));
    myr_model_info info;
    myr_model_get_info(model, &info);
    assert_int_equal(info.n_keyframes, 2); /* the third has no pose */
    assert_int_equal(info.nu, 2);          /* the second has no gear */
    myr_keyframe_info key;
    MUST(myr_model_get_keyframe(model, 0, &key));
    assert_string_equal(key.name, "first");
    assert_true(key.q[7] == 0.5 && key.control == NULL);
    MUST(myr_model_get_keyframe(model, 1, &key));
    assert_string_equal(key.name, "key_1");
    assert_true(key.q[6] == 1 && key.control && key.control[0] == 0.1 && key.control[1] == 3);
    MUST_FAIL(myr_model_get_keyframe(model, 2, &key), MYR_E_ARG, "2 keyframes");
    home_is(model, (const double[]){0, 0, 2, 1, 0, 0, 0, 0.5});
    myr_model_free(model);
}

/* A batch begins there, with its controls; and the model is another one. */
static void one_of_them_is_home(void **state) {
    (void)state;
    myr_model *model, *own;
    MUST(open_with(NULL, NULL, 0, &own));
    MUST(open_with("key_1", NULL, 0, &model));
    const double wanted[] = {1, 2, 3, 0, 0, 0, 1, -0.25};
    home_is(model, wanted);
    assert_true(myr_model_hash(model) != myr_model_hash(own));
    const myr_settings settings = scene_settings("task", "none", "precision", "f64", NULL);
    myr_batch *batch;
    MUST(myr_batch_create(model, 3, &settings, &batch));
    double q[3][8], target[3][2], torque[3][2];
    MUST(myr_batch_get(batch, MYR_Q, NULL, 3, MYR_F64, q));
    MUST(myr_batch_get(batch, MYR_TARGET, NULL, 3, MYR_F64, target));
    MUST(myr_batch_get(batch, MYR_TORQUE, NULL, 3, MYR_F64, torque));
    for (int env = 0; env < 3; env++) {
        for (int k = 0; k < 8; k++) assert_true(q[env][k] == wanted[k]);
        assert_true(target[env][0] == 0.1 && torque[env][0] == 0 && torque[env][1] == 6); /* through the gear */
    }
    myr_batch_free(batch);
    myr_model_free(model), myr_model_free(own);
}

static void any_pose_is_home(void **state) {
    (void)state;
    myr_model *model;
    const double pose[] = {0, 0, 5, 2, 0, 0, 0, 1.5};
    MUST(open_with("key_1", pose, 8, &model)); /* the pose goes first, and is what is held */
    home_is(model, (const double[]){0, 0, 5, 1, 0, 0, 0, 1.5});
    myr_actuator_info actuator;
    MUST(myr_model_get_actuator(model, 0, &actuator));
    assert_true(actuator.home_target == 1.5);
    myr_model_free(model);
    myr_load_options options = myr_load_options_default();
    const double bent[] = {0.3, -0.4};
    options.home = bent, options.n_home = 2;
    MUST(myr_model_open("double-pendulum", &options, &model));
    double q[2];
    myr_model_home(model, q);
    assert_true(q[0] == 0.3 && q[1] == -0.4);
    myr_model_free(model);
    double chain[11] = {0, 0, 9, 1, 0, 0, 0, 0.6, 0.8, 0, 0};
    options.home = chain, options.n_home = 11;
    MUST(myr_model_open("chain-2", &options, &model));
    myr_model_free(model);
    options.n_home = 7;
    MUST_FAIL(myr_model_open("chain-2", &options, &model), MYR_E_ARG, "nq = 11");
    assert_null(model);
}

/* Legs that trot do it about the home that was chosen. */
static void quadrupeds_stand_there(void **state) {
    (void)state;
    myr_model *model;
    double q[19], low[12];
    MUST(myr_model_open("anymal", NULL, &model));
    myr_model_home(model, q);
    myr_model_free(model);
    q[8] += 0.125;
    myr_load_options options = myr_load_options_default();
    options.home = q, options.n_home = 19;
    MUST(myr_model_open("anymal", &options, &model));
    const myr_settings settings = scene_settings("task", "trot", NULL);
    myr_batch *batch;
    MUST(myr_batch_create(model, 1, &settings, &batch));
    MUST(myr_batch_get(batch, MYR_TARGET, NULL, 1, MYR_F64, low));
    assert_true(fabs(low[1] - q[8]) < 1e-6);
    myr_batch_free(batch);
    myr_model_free(model);
}

/* Poses near a loop's closing are moved there; from far away there is none. */
static void loops_close_there(void **state) {
    (void)state;
    static const char *const four_bar =
        "<mujoco><worldbody><body><joint name=\"a\" axis=\"0 1 0\"/><geom type=\"capsule\" fromto=\"0 0 0 0 0 1\" size=\".02\"/>"
        "<body pos=\"0 0 1\"><joint name=\"b\" axis=\"0 1 0\"/><geom type=\"capsule\" fromto=\"0 0 0 1 0 0\" size=\".02\"/>"
        "<body name=\"c\" pos=\"1 0 0\"><joint name=\"c\" axis=\"0 1 0\"/><geom type=\"capsule\" fromto=\"0 0 0 0 0 -1\" size=\".02\"/>"
        "</body></body></body></worldbody><equality><connect body1=\"c\" anchor=\"0 0 -1\"/></equality></mujoco>";
    myr_model *model;
    myr_load_options options = myr_load_options_default();
    const double leaning[] = {0.3, -0.3, 0.3}, off[] = {0.3, -0.28, 0.31};
    double q[3];
    options.n_home = 3;
    for (int k = 0; k < 2; k++) {
        options.home = k ? off : leaning;
        MUST(myr_model_open_text(four_bar, strlen(four_bar), "four_bar", &options, &model));
        myr_model_home(model, q);
        /* a parallelogram */
        assert_true(fabs(q[0] - 0.3) < 0.02 && fabs(q[0] + q[1]) < 1e-9 && fabs(q[1] + q[2]) < 1e-9);
        myr_model_free(model);
    }
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    myr_model *model;
    double pose[] = {0, 0, 5, 1, 0, 0, 0, 0};
    MUST_FAIL(open_with("frist", NULL, 0, &model), MYR_E_ARG, "first");
    assert_null(model);
    MUST_FAIL(open_with(NULL, pose, 7, &model), MYR_E_ARG, "nq = 8");
    pose[3] = 0;
    MUST_FAIL(open_with(NULL, pose, 8, &model), MYR_E_ARG, "quaternion");
    pose[3] = 1, pose[7] = NAN;
    MUST_FAIL(open_with(NULL, pose, 8, &model), MYR_E_ARG, "joint `a`");
    myr_load_options options = myr_load_options_default();
    options.keyframe = "home";
    MUST_FAIL(myr_model_open("anymal", &options, &model), MYR_E_ARG, "has none");
    assert_null(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_name_them),        cmocka_unit_test(one_of_them_is_home), cmocka_unit_test(any_pose_is_home),
        cmocka_unit_test(quadrupeds_stand_there), cmocka_unit_test(loops_close_there),   cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
