/* MJCF: rules of MuJoCo's that random files found (bench/mjcf_random.py). The numbers are MuJoCo 4.0.0's where no formula stands beside
 * them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_scene.h"
#include "myriapod/myriapod.h"

#define WORLD                                                                                                                              \
    "<worldbody><body name=\"b\"><joint name=\"j\" range=\"-1 2\" limited=\"false\"/>"                                                     \
    "<geom size=\"0.1\" pos=\"0.3 0 0\" mass=\"1\"/></body></worldbody>"

static myr_model *load(const char *text) {
    myr_model *model = NULL;
    if (myr_model_open_text(text, strlen(text), "robot.xml", NULL, &model)) fail_msg("%s for\n%s", myr_message(), text);
    return model;
}

/* ---- bodies and copies ------------------------------------------------------------------------ */

static myr_body_info only_body(const char *compiler, const char *inside) {
    char text[1000];
    snprintf(text, sizeof text, "<mujoco><compiler %s/><worldbody><body pos=\"1 2 3\"><joint/>%s</body></worldbody></mujoco>", compiler,
             inside);
    myr_model *model = load(text);
    myr_body_info info;
    assert_int_equal(myr_model_get_body(model, 0, &info), MYR_OK);
    info.name = NULL;
    myr_model_free(model);
    return info;
}

/* The sums of the principal moments, and of their squares. */
static void has_moments(const myr_body_info *b, double x, double y, double z) {
    const double *I = b->inertia_kgm2;
    const double squares = I[0] * I[0] + I[1] * I[1] + I[2] * I[2] + 2 * (I[3] * I[3] + I[4] * I[4] + I[5] * I[5]);
    assert_true(fabs(I[0] + I[1] + I[2] - (x + y + z)) < 1e-12);
    assert_true(fabs(squares - (x * x + y * y + z * z)) < 1e-12);
}

static void bounds_are_of_principal_moments(void **state) {
    (void)state;
    myr_body_info b =
        only_body("boundinertia=\"0.05\"", "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"0.1 0.02 0.11\" quat=\"1 2 3 4\"/>");
    has_moments(&b, 0.1, 0.05, 0.11);
    b = only_body("balanceinertia=\"true\"", "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"0.1 0.1 0.5\" quat=\"1 2 3 4\"/>");
    has_moments(&b, 0.7 / 3, 0.7 / 3, 0.7 / 3);
    b = only_body("balanceinertia=\"true\"", "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"0.1 0.2 0.3\" quat=\"1 2 3 4\"/>");
    has_moments(&b, 0.1, 0.2, 0.3);
    b = only_body("boundmass=\"2\" boundinertia=\"0.1\"", ""); /* of nothing: where the body is, in its own frame */
    assert_true(b.mass_kg == 2 && b.com_m[0] == 1 && b.com_m[1] == 2 && b.com_m[2] == 3);
    b = only_body("", "<frame pos=\"1 2 3\" euler=\"90 0 0\"><inertial pos=\"1 0 1\" mass=\"1\" diaginertia=\"0.1 0.2 0.3\"/></frame>");
    assert_true(fabs(b.com_m[0] - 2) < 1e-12 && fabs(b.com_m[1] - 1) < 1e-12 && fabs(b.com_m[2] - 3) < 1e-12);
    assert_true(fabs(b.inertia_kgm2[1] - 0.3) < 1e-12 && fabs(b.inertia_kgm2[2] - 0.2) < 1e-12);
}

#define BALL "<geom size=\"0.1\"/>"
#define COPIES(attributes, inside) "<mujoco><worldbody><replicate " attributes ">" inside "</replicate></worldbody></mujoco>"

/* Angles of copies are multiplied, not turns; the inner copy's number comes first, and as many digits as the count has. */
static void copies_are_numbered_and_turned(void **state) {
    (void)state;
    myr_model *model = load(COPIES("count=\"3\" offset=\"1 0 0\" euler=\"30 20 10\"", "<body name=\"b\"><joint/>" BALL "</body>"));
    const double third[] = {1.92541658, 0.31879578, -0.20487413}, turn[] = {0.77173868, 0.51414256, 0.21011026, 0.30972653};
    myr_joint_info joint;
    assert_int_equal(myr_model_get_joint(model, 2, &joint), MYR_OK);
    scene_near(joint.position_m, third, 3, 1e-8, "position");
    scene_near(joint.quaternion, turn, 4, 1e-8, "quaternion");
    myr_model_free(model);
    int id;
    model = load(COPIES("count=\"10\" offset=\"1 0 0\"", "<body name=\"b\"><joint/>" BALL "</body>"));
    assert_int_equal(myr_model_find_body(model, "b03", &id), MYR_OK);
    myr_model_free(model);
    model = load(
        COPIES("count=\"2\" sep=\"-\"", "<replicate count=\"3\"><body name=\"b\" childclass=\"main\"><joint/>" BALL "</body></replicate>"));
    assert_int_equal(myr_model_find_body(model, "b2-1", &id), MYR_OK);
    assert_int_equal(id, 5);
    myr_model_free(model);
    scene_refuse("<mujoco><worldbody><body><replicate count=\"2\">\n<joint/></replicate>" BALL "</body></worldbody></mujoco>",
                 MYR_ROOT_AUTO, MYR_E_FORMAT, 2, WORDS("<joint>", "not copied"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_of_principal_moments),
        cmocka_unit_test(copies_are_numbered_and_turned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
