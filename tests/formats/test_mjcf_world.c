/* What an MJCF says of the world around its robots: the length of a step, the floor, and home poses upon it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/model_scene.h"
#include "myriapod/myriapod.h"

#define BALL "<geom type=\"sphere\" size=\"0.1\"/>"

/* The setting dt leaves it to the file; a file without one means MuJoCo's 2 ms. */
static void timesteps_are_the_files(void **state) {
    (void)state;
    static const struct {
        const char *option, *dt;
        double step;
    } cases[] = {{"", NULL, 0.002}, {"<option timestep=\"0.004\"/>", NULL, 0.004}, {"<option timestep=\"0.004\"/>", "0.001", 0.001}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[400];
        snprintf(text, sizeof text, "<mujoco>%s<worldbody><body pos=\"0 0 1\"><freejoint/>" BALL "</body></worldbody></mujoco>",
                 cases[k].option);
        myr_model *model = scene_read(text);
        myr_settings settings = myr_settings_default();
        myr_batch *batch;
        myr_batch_info info;
        if (cases[k].dt) assert_int_equal(myr_settings_set(&settings, "dt", cases[k].dt), MYR_OK);
        assert_int_equal(myr_batch_create(model, 1, &settings, &batch), MYR_OK);
        myr_batch_get_info(batch, &info);
        assert_true(info.dt_s == cases[k].step);
        assert_int_equal(myr_batch_step(batch, 3), MYR_OK);
        double time;
        assert_int_equal(myr_batch_get(batch, MYR_TIME, NULL, 1, MYR_F64, &time), MYR_OK);
        assert_true(time == 3 * cases[k].step);
        myr_batch_free(batch);
        myr_model_free(model);
    }
    myr_model *slow = scene_read("<mujoco><option timestep=\"2\"/><worldbody><body><freejoint/>" BALL "</body></worldbody></mujoco>");
    myr_settings settings = myr_settings_default();
    myr_batch *batch;
    assert_int_equal(myr_batch_create(slow, 1, &settings, &batch), MYR_E_ARG);
    assert_non_null(strstr(myr_message(), "the timestep of the model is 2 s"));
    settings.dt_s = 1e-12;
    assert_int_equal(myr_batch_create(slow, 1, &settings, &batch), MYR_E_ARG);
    assert_non_null(strstr(myr_message(), "'dt' is 1e-12 s"));
    myr_model_free(slow);
}

/* Down to the floor of the file, whether a robot falls on it or hangs above it; and where the setting puts it. */
static void floors_are_where_the_file_has_them(void **state) {
    (void)state;
    static const char text[] =
        "<mujoco><worldbody><geom type=\"plane\" size=\"1 1 1\" pos=\"0 0 -0.75\"/><body pos=\"0 0 %s\"><freejoint/>" BALL
        "</body></worldbody></mujoco>";
    static const struct {
        const char *start, *ground;
        double begins, ends;
    } cases[] = {{"0", "auto", 0, -0.65}, {"-0.7", "auto", -0.65, -0.65}, {"0", "2", 2.75, 2.1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char file[400];
        snprintf(file, sizeof file, text, cases[k].start);
        myr_model *model = scene_read(file);
        myr_model_info info;
        myr_settings settings = myr_settings_default();
        myr_batch *batch;
        double q[7];
        myr_model_get_info(model, &info);
        assert_true(info.floor_m == -0.75 && !info.hangs_below && info.n_warnings == (k == 1));
        assert_int_equal(myr_settings_set(&settings, "ground", cases[k].ground), MYR_OK);
        assert_int_equal(myr_settings_set(&settings, "precision", "f64"), MYR_OK);
        assert_int_equal(myr_batch_create(model, 1, &settings, &batch), MYR_OK);
        assert_int_equal(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q), MYR_OK);
        assert_true(fabs(q[2] - cases[k].begins) < 1e-14);
        assert_int_equal(myr_batch_step(batch, 500), MYR_OK);
        assert_int_equal(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q), MYR_OK);
        assert_true(fabs(q[2] - cases[k].ends) < 0.009); /* an impact may sink by v dt */
        myr_batch_free(batch);
        myr_model_free(model);
    }
    myr_model *held =
        scene_read("<mujoco><worldbody><geom type=\"plane\" size=\"1 1 1\" pos=\"0 0 -0.75\"/><body pos=\"0 0 -0.2\"><joint/>" BALL
                   "</body></worldbody></mujoco>");
    myr_model_info info;
    myr_model_get_info(held, &info);
    assert_true(!info.hangs_below && info.lowest_m < 0);
    myr_model_free(held);
}

static double height_with(const char *keyframe, const double *home, const char *word) {
    static const char text[] = "<mujoco><worldbody><body name=\"b\" pos=\"0 0 0\"><freejoint/>" BALL "</body></worldbody>"
                               "<keyframe><key name=\"home\" qpos=\"0 0 .08 1 0 0 0\"/><key name=\"up\" qpos=\"0 0 2 1 0 0 0\"/>"
                               "</keyframe></mujoco>";
    myr_load_options options = myr_load_options_default();
    options.keyframe = keyframe, options.home = home, options.n_home = 7;
    myr_model *model = NULL;
    if (myr_model_open_text(text, strlen(text), "robot.xml", &options, &model)) fail_msg("%s", myr_message());
    myr_model_info info;
    double q[7];
    myr_model_get_info(model, &info);
    myr_model_home(model, q);
    assert_int_equal(info.n_warnings, *word ? 1 : 0);
    if (*word) assert_non_null(strstr(myr_model_warning(model, 0), word));
    myr_model_free(model);
    return q[2];
}

/* Keyframes are made where contacts give way: hard ones would leave the robot in the ground. */
static void homes_in_the_ground_are_raised(void **state) {
    (void)state;
    const double sunk[] = {0, 0, 0.05, 1, 0, 0, 0};
    assert_true(fabs(height_with(NULL, NULL, "body `b` would begin 0.02 m in the ground: its home pose is raised") - 0.1) < 1e-15);
    assert_true(fabs(height_with("home", NULL, "would begin 0.02 m in the ground") - 0.1) < 1e-15);
    assert_true(height_with("up", NULL, "") == 2);
    assert_true(height_with(NULL, sunk, "would begin 0.05 m in the ground: contacts leave it there") ==
                0.05); /* numbers are taken as they are */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(timesteps_are_the_files), cmocka_unit_test(floors_are_where_the_file_has_them),
                                       cmocka_unit_test(homes_in_the_ground_are_raised)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
