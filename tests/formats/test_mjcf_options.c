/* MJCF: <option> and <flag>. What acts in MuJoCo and not here is named, as every other loss is; what a keyframe's controls mean. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/model_scene.h"

#define ROBOT_OF(option)                                                                                                                   \
    "<mujoco>" option "<worldbody><geom type=\"plane\" size=\"1 1 1\"/><body pos=\"0 0 .1\"><freejoint/><geom size=\".1\"/></body>"        \
    "</worldbody></mujoco>"

static myr_status open_text(const char *text, int strict, myr_model **model) {
    myr_load_options options = myr_load_options_default();
    options.strict = strict;
    return myr_model_open_text(text, strlen(text), "robot.xml", &options, model);
}

static void robot_with(const char *option, char *text, size_t bytes) {
    assert_true((size_t)snprintf(text, bytes, ROBOT_OF("%s"), option) < bytes);
}

/* Strict or not, it loads, and says so. */
static void how_a_step_is_computed(void **state) {
    (void)state;
    static const char *const words[][2] = {{"integrator", "RK4"},   {"integrator", "implicit"}, {"integrator", "implicitfast"},
                                           {"cone", "pyramidal"},   {"jacobian", "sparse"},     {"solver", "PGS"},
                                           {"iterations", "3"},     {"tolerance", "1e-10"},     {"ls_iterations", "8"},
                                           {"ls_tolerance", "0.1"}, {"noslip_iterations", "2"}, {"noslip_tolerance", "0"},
                                           {"ccd_iterations", "9"}, {"ccd_tolerance", "1e-3"},  {"sdf_iterations", "9"},
                                           {"sdf_initpoints", "9"}, {"sleep_tolerance", "0.1"}, {"impratio", "10"},
                                           {"o_solref", "0.02 1"},  {"o_solimp", "0.9 0.9 0.1"}};
    static const char *const flags[][2] = {
        {"eulerdamp", "disable"}, {"refsafe", "disable"},  {"warmstart", "disable"}, {"sensor", "disable"},    {"midphase", "disable"},
        {"nativeccd", "disable"}, {"multiccd", "disable"}, {"island", "disable"},    {"autoreset", "disable"}, {"energy", "enable"},
        {"fwdinv", "enable"},     {"sleep", "enable"},     {"invdiscrete", "enable"}};
    const size_t n_words = sizeof words / sizeof *words, n_flags = sizeof flags / sizeof *flags;
    for (size_t k = 0; k < n_words + n_flags; k++) {
        const char *const *word = k < n_words ? words[k] : flags[k - n_words];
        char option[160], said[160], text[600];
        snprintf(option, sizeof option, k < n_words ? "<option %s=\"%s\"/>" : "<option><flag %s=\"%s\"/></option>", word[0], word[1]);
        snprintf(said, sizeof said, "do not act: %s=\"%s\"", word[0], word[1]);
        robot_with(option, text, sizeof text);
        for (int strict = 0; strict < 2; strict++) {
            myr_model *model;
            MUST(open_text(text, strict, &model));
            scene_warned(model, WORDS("robot.xml:1: how a step is computed", said, "dynamics, solver, tolerance"));
            myr_model_free(model);
        }
    }
}

/* All of them in one warning; ls_tolerance does not hide tolerance. */
static void many_are_one_warning(void **state) {
    (void)state;
    myr_model *model;
    myr_model_info info;
    MUST(open_text(ROBOT_OF("<option ls_tolerance=\"1e-3\" tolerance=\"1e-3\" integrator=\"RK4\"/><option integrator=\"RK4\"/>"), 0,
                   &model));
    myr_model_get_info(model, &info);
    assert_int_equal(info.n_warnings, 1);
    assert_non_null(strstr(myr_model_warning(model, 0), ": ls_tolerance=\"1e-3\", tolerance=\"1e-3\", integrator=\"RK4\""));
    assert_string_equal(strstr(myr_model_warning(model, 0), "integrator"), "integrator=\"RK4\"");
    myr_model_free(model);
}

/* These change what moves, so that strict refuses them. */
static void what_a_model_is(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"<option o_margin=\"0.1\"/>", "o_margin of <option>"},
        {"<option o_friction=\"1 1\"/>", "o_friction of <option>"},
        {"<option actuatorgroupdisable=\"1\"/>", "actuatorgroupdisable of <option>"},
        {"<option><flag override=\"enable\"/></option>", "override of <flag>"},
        {"<option><flag limit=\"disable\"/></option>", "limit of <flag>"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        myr_model *model;
        char text[600];
        robot_with(cases[k][0], text, sizeof text);
        MUST(open_text(text, 0, &model));
        scene_warned(model, WORDS("do not act", cases[k][1]));
        myr_model_free(model);
        MUST_FAIL(open_text(text, 1, &model), MYR_E_FORMAT, cases[k][1]);
    }
}

static void what_acts_is_not_named(void **state) {
    (void)state;
    myr_model *model;
    myr_model_info info;
    MUST(open_text(
        ROBOT_OF("<option timestep=\"0.004\" gravity=\"0 0 -1\" integrator=\"Euler\" cone=\"elliptic\" density=\"0\"><flag "
                 "gravity=\"enable\" filterparent=\"disable\" contact=\"enable\" energy=\"disable\" warmstart=\"enable\"/></option>"),
        1, &model));
    myr_model_get_info(model, &info);
    assert_int_equal(info.n_warnings, 0);
    myr_model_free(model);
}

/* What MuJoCo 4.0.0 has as qfrc_actuator after mj_resetDataKeyframe and mj_forward on this file: by hand, gear (gain ctrl + b0 + b1 gear
 * q), bounded by forcerange. */
static void a_keys_controls_are_of_their_actuators_kind(void **state) {
    (void)state;
    static const char *const file =
        "<mujoco><compiler angle=\"radian\"/><worldbody><body><joint name=\"a\"/><geom size=\".1\" pos=\".1 0 0\"/><body>"
        "<joint name=\"b\"/><geom size=\".1\" pos=\".2 0 0\"/><body><joint name=\"c\"/><geom size=\".1\" pos=\".3 0 0\"/><body>"
        "<joint name=\"d\"/><geom size=\".1\" pos=\".4 0 0\"/><body><joint name=\"e\"/><geom size=\".1\" pos=\".5 0 0\"/></body></body>"
        "</body></body></body></worldbody><actuator>"
        "<position joint=\"a\" kp=\"50\" kv=\"2\" gear=\"2\"/><motor joint=\"b\" gear=\"3\" ctrllimited=\"true\" ctrlrange=\"-1 1\"/>"
        "<velocity joint=\"c\" kv=\"4\" gear=\"2\"/>"
        "<general joint=\"d\" gainprm=\"20\" biastype=\"affine\" biasprm=\"1 -10 -1\" forcelimited=\"true\" forcerange=\"-3 3\"/>"
        "<general joint=\"e\" gainprm=\"6\" biastype=\"affine\" biasprm=\"1 0 0\"/></actuator>"
        "<keyframe><key name=\"home\" qpos=\".1 .2 .3 .4 .5\" ctrl=\".5 7 .25 .2 .5\"/></keyframe></mujoco>";
    /* 2 50 (.5 - 2 .1); 3 1, clipped; 2 4 .25; 20 .2 + 1 - 10 .4 = 1; 6 .5 + 1 */
    const double wanted[5] = {30, 3, 2, 1, 4}, pose[5] = {0.1, 0.2, 0.3, 0.4, 0.5};
    const myr_settings settings = scene_settings("task", "none", "precision", "f64", NULL);
    myr_model *model;
    myr_batch *batch;
    double q[5], kp[5], target[5], torque[5];
    MUST(open_text(file, 0, &model));
    MUST(myr_batch_create(model, 1, &settings, &batch));
    MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
    MUST(myr_batch_get(batch, MYR_KP, NULL, 1, MYR_F64, kp));
    MUST(myr_batch_get(batch, MYR_TARGET, NULL, 1, MYR_F64, target));
    MUST(myr_batch_get(batch, MYR_TORQUE, NULL, 1, MYR_F64, torque));
    scene_near(q, pose, 5, 0, "pose");
    for (int u = 0; u < 5; u++) {
        const double force = kp[u] * (target[u] - q[u]) + torque[u];
        if (!(fabs(force - wanted[u]) < 1e-12)) fail_msg("actuator %d gives %.17g, MuJoCo %g", u, force, wanted[u]);
    }
    myr_batch_free(batch);
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(how_a_step_is_computed),
        cmocka_unit_test(many_are_one_warning),
        cmocka_unit_test(what_a_model_is),
        cmocka_unit_test(what_acts_is_not_named),
        cmocka_unit_test(a_keys_controls_are_of_their_actuators_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
