/* MJCF: rules of MuJoCo's that random files found (bench/agree/mjcf_random.py). The numbers are MuJoCo 4.0.0's where no formula stands
 * beside them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/model_scene.h"
#include "myriapod/myriapod.h"

#define WORLD                                                                                                                              \
    "<worldbody><body name=\"b\"><joint name=\"j\" range=\"-1 2\" limited=\"false\"/>"                                                     \
    "<geom size=\"0.1\" pos=\"0.3 0 0\" mass=\"1\"/></body></worldbody>"

/* ---- actuators -------------------------------------------------------------------------------- */

static myr_actuator_info actuator_of(const char *main_class, const char *inner_class, const char *element) {
    char text[2000];
    snprintf(text, sizeof text,
             "<mujoco><compiler angle=\"radian\"/><default>%s<default class=\"k\">%s</default></default>" WORLD
             "<actuator>%s</actuator></mujoco>",
             main_class, inner_class, element);
    myr_model *model = scene_read(text);
    myr_actuator_info info;
    assert_int_equal(myr_model_get_actuator(model, 0, &info), MYR_OK);
    info.name = NULL; /* the model's */
    myr_model_free(model);
    return info;
}

/* Every word for an actuator writes the same law; what a class says by one word counts for another. */
static void words_for_actuators_share_their_classes(void **state) {
    (void)state;
    static const char affine[] = "<general gainprm=\"5\" biastype=\"affine\" biasprm=\"1 -5 -2\"/>",
                      servo[] = "<position kp=\"5\" kv=\"3\"/>";
    static const struct {
        const char *outer, *inner, *element;
        double kp, kd, scale;
    } cases[] = {
        {servo, "", "<general joint=\"j\" class=\"k\"/>", 5, 3, 1},
        {servo, "<position kp=\"6\"/>", "<position joint=\"j\" class=\"k\"/>", 6, 3, 1},
        {servo, "", "<motor joint=\"j\" class=\"k\"/>", 0, 0, 1},
        {servo, "", "<velocity joint=\"j\" class=\"k\"/>", 0, 1, 1},
        {"<position kp=\"5\" kv=\"3\"/><velocity kv=\"4\"/>", "", "<position joint=\"j\" class=\"k\"/>", 1, 0, 1},
        {"<velocity kv=\"4\"/>", "", "<position joint=\"j\" class=\"k\" kp=\"7\"/>", 7, 0, 1},
        {"<velocity kv=\"4\"/>", "", "<general joint=\"j\" class=\"k\"/>", 0, 4, 4},
        {"<velocity kv=\"4\"/>", "<position kp=\"9\"/><velocity/>", "<velocity joint=\"j\" class=\"k\"/>", 0, 4, 4},
        {affine, "", "<position joint=\"j\" class=\"k\"/>", 5, 2, 1},
        {affine, "", "<position joint=\"j\" class=\"k\" kp=\"3\" kv=\"1\"/>", 3, 1, 1},
        {affine, "<motor/>", "<general joint=\"j\" class=\"k\"/>", 0, 0, 1},
        {affine, "<motor/>", "<position joint=\"j\" class=\"k\"/>", 5, 2, 1},
        {servo, "<velocity kv=\"2\"/>", "<position joint=\"j\" class=\"k\"/>", 5, 3, 1},
        {servo, "<general gainprm=\"9\"/><velocity kv=\"7\"/>", "<position joint=\"j\" class=\"k\"/>", 5, 3, 1},
        {servo, "<general gainprm=\"9\"/>", "<position joint=\"j\" class=\"k\"/>", 9, 3, 1},
        {"<general gainprm=\"5\" biastype=\"affine\" biasprm=\"0 -5 -2\"/><motor/>", "", "<position joint=\"j\" class=\"k\"/>", 1, 0, 1},
        {"<general gainprm=\"9\"/>", "<position kp=\"5\" kv=\"3\"/>", "<velocity joint=\"j\" class=\"k\"/>", 0, 9, 9},
        {"<muscle/>", "<position/>", "<general joint=\"j\" class=\"k\"/>", 1, 0, 1},
        {"<general dyntype=\"filter\"/>", "", "<motor joint=\"j\" class=\"k\"/>", 0, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const myr_actuator_info a = actuator_of(cases[i].outer, cases[i].inner, cases[i].element);
        if (a.kp != cases[i].kp || a.kd != cases[i].kd || a.control_scale != cases[i].scale)
            fail_msg("case %d: kp %g, kd %g, scale %g", (int)i, a.kp, a.kd, a.control_scale);
        assert_true(a.control_bias == 0);
    }
}

/* Of ranges the nearer one counts. What is inherited needs not limit the joint. */
static void controls_inherit_ranges(void **state) {
    (void)state;
    static const char inherits[] = "<position inheritrange=\"1\"/>", ranged[] = "<position ctrlrange=\"-3 4\"/>";
    myr_actuator_info a = actuator_of(inherits, "", "<position joint=\"j\" class=\"k\"/>");
    assert_true(a.control_lower == -1 && a.control_upper == 2);
    a = actuator_of(inherits, "", "<position joint=\"j\" class=\"k\" ctrlrange=\"-5 6\"/>");
    assert_true(a.control_lower == -5 && a.control_upper == 6);
    a = actuator_of(ranged, "", "<position joint=\"j\" class=\"k\" inheritrange=\"1\"/>");
    assert_true(a.control_lower == -1 && a.control_upper == 2);
    a = actuator_of(ranged, inherits, "<motor joint=\"j\" class=\"k\"/>");
    assert_true(a.control_lower == -INFINITY && a.control_upper == INFINITY);
    myr_model *model = scene_read("<mujoco><compiler angle=\"radian\"/>" WORLD
                                  "<tendon><fixed name=\"t\" range=\"-2 6\"><joint joint=\"j\" coef=\"1\"/></fixed></tendon>"
                                  "<actuator><position tendon=\"t\" inheritrange=\"0.5\"/></actuator></mujoco>");
    assert_int_equal(myr_model_get_actuator(model, 0, &a), MYR_OK);
    assert_true(a.control_lower == 0 && a.control_upper == 4);
    myr_model_free(model);
    scene_refuse("<mujoco>" WORLD "<actuator>\n<position joint=\"j\" inheritrange=\"1\" ctrlrange=\"-1 1\"/></actuator></mujoco>",
                 MYR_ROOT_AUTO, MYR_E_FORMAT, 2, WORDS("inheritrange"));
    scene_refuse("<mujoco>" WORLD "<actuator>\n<motor joint=\"j\" ctrlrange=\"1 -1\"/></actuator></mujoco>", MYR_ROOT_AUTO, MYR_E_FORMAT, 2,
                 WORDS("`ctrlrange`", "not below its upper end"));
}

/* kv = 2 ratio sqrt(kp mass), with the rotor that the file gives with what drives it. */
static void damping_ratios_know_the_rotor(void **state) {
    (void)state;
    const double mass = 0.4 * 0.01 + 0.09, rotor = 0.5 * 4;
    const myr_actuator_info bare = actuator_of("", "", "<position joint=\"j\" kp=\"10\" dampratio=\"0.7\" gear=\"2\"/>"),
                            geared = actuator_of("", "", "<position joint=\"j\" kp=\"10\" dampratio=\"0.7\" gear=\"2\" armature=\"0.5\"/>"),
                            general = actuator_of(
                                "", "", "<general joint=\"j\" gainprm=\"10\" biastype=\"affine\" biasprm=\"0 -10 0.7\" gear=\"2\"/>");
    assert_true(fabs(bare.kd - 4 * 1.4 * sqrt(10 * mass / 4)) < 1e-12);
    assert_true(fabs(geared.kd - 4 * 1.4 * sqrt(10 * (mass + rotor) / 4)) < 1e-12);
    assert_true(general.kd == bare.kd);
}

/* A lag stays through a <general>. */
static void lags_stay(void **state) {
    (void)state;
    static const char text[] =
        "<mujoco><default><position timeconst=\"0.1\"/><default class=\"k\"><general gainprm=\"5\"/></default></default>" WORLD
        "<actuator><position name=\"slow\" joint=\"j\" class=\"k\"/></actuator></mujoco>";
    myr_model *model = scene_read(text);
    myr_actuator_info slow;
    assert_int_equal(myr_model_get_actuator(model, 0, &slow), MYR_OK);
    assert_true(slow.motor.lag == MYR_LAG_EXACT && slow.motor.lag_s == 0.1 && slow.motor.lag_behind);
    myr_model_free(model);
    const myr_actuator_info early = actuator_of(
        "", "",
        "<general joint=\"j\" dyntype=\"filter\" dynprm=\"0.2\" actearly=\"true\" gainprm=\"-4\" actlimited=\"true\" actrange=\"-1 2\"/>");
    assert_true(early.motor.lag == MYR_LAG_EULER && early.motor.lag_s == 0.2 && !early.motor.lag_behind);
    assert_true(early.motor.lag_lower == -8 && early.motor.lag_upper == 4);
    const myr_actuator_info none = actuator_of("", "", "<general joint=\"j\" dyntype=\"filter\" dynprm=\"0\"/>"),
                            rate = actuator_of("", "", "<general joint=\"j\" dyntype=\"integrator\" ctrlrange=\"-1 1\"/>");
    assert_true(none.motor.lag == MYR_LAG_NONE && rate.motor.lag == MYR_LAG_INTEGRATOR);
    assert_true(rate.upper == INFINITY); /* its control is a rate, and its range not that of its force */
}

/* A motor whose control cannot be 0 acts all the same. An empty name finds no joint. */
static void motors_need_not_rest(void **state) {
    (void)state;
    const myr_actuator_info a = actuator_of("", "", "<motor joint=\"j\" gear=\"2\" ctrlrange=\"1 3\"/>");
    assert_true(a.control_lower == 1 && a.control_upper == 3 && a.control_scale == 2 && a.lower == 0 && a.upper == 6);
    const myr_actuator_info half = actuator_of("", "", "<motor joint=\"j\" ctrlrange=\"-inf 7\"/>");
    assert_true(half.control_lower == -INFINITY && half.control_upper == 7 && half.upper == 7);
    scene_refuse(
        "<mujoco><worldbody><body><joint/><geom size=\"0.1\"/></body></worldbody><actuator>\n<motor joint=\"\"/></actuator></mujoco>",
        MYR_ROOT_AUTO, MYR_E_FORMAT, 2, WORDS("<motor>", "no joint ``"));
}

/* ---- bodies and copies ------------------------------------------------------------------------ */

static myr_body_info only_body(const char *compiler, const char *inside) {
    char text[1000];
    snprintf(text, sizeof text, "<mujoco><compiler %s/><worldbody><body pos=\"1 2 3\"><joint/>%s</body></worldbody></mujoco>", compiler,
             inside);
    myr_model *model = scene_read(text);
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
    myr_model *model = scene_read(COPIES("count=\"3\" offset=\"1 0 0\" euler=\"30 20 10\"", "<body name=\"b\"><joint/>" BALL "</body>"));
    const double third[] = {1.92541658, 0.31879578, -0.20487413}, turn[] = {0.77173868, 0.51414256, 0.21011026, 0.30972653};
    myr_joint_info joint;
    assert_int_equal(myr_model_get_joint(model, 2, &joint), MYR_OK);
    scene_near(joint.position_m, third, 3, 1e-8, "position");
    scene_near(joint.quaternion, turn, 4, 1e-8, "quaternion");
    myr_model_free(model);
    int id;
    model = scene_read(COPIES("count=\"10\" offset=\"1 0 0\"", "<body name=\"b\"><joint/>" BALL "</body>"));
    assert_int_equal(myr_model_find_body(model, "b03", &id), MYR_OK);
    myr_model_free(model);
    model = scene_read(
        COPIES("count=\"2\" sep=\"-\"", "<replicate count=\"3\"><body name=\"b\" childclass=\"main\"><joint/>" BALL "</body></replicate>"));
    assert_int_equal(myr_model_find_body(model, "b2-1", &id), MYR_OK);
    assert_int_equal(id, 5);
    myr_model_free(model);
    scene_refuse("<mujoco><worldbody><body><replicate count=\"2\">\n<joint/></replicate>" BALL "</body></worldbody></mujoco>",
                 MYR_ROOT_AUTO, MYR_E_FORMAT, 2, WORDS("<joint>", "not copied"));
}

/* ---- contacts --------------------------------------------------------------------------------- */

static int slots_of(const char *first, const char *second, const char *rest) {
    char text[1000];
    snprintf(text, sizeof text,
             "<mujoco><worldbody><body name=\"a\" pos=\"0 0 1\"><freejoint/><geom name=\"ga\" size=\"0.1\" %s/></body>"
             "<body name=\"b\" pos=\"0 0 2\"><freejoint/><geom size=\"0.1\" %s/></body></worldbody>%s</mujoco>",
             first, second, rest);
    myr_model *model = scene_read(text);
    myr_model_info info;
    myr_model_get_info(model, &info);
    myr_model_free(model);
    return info.n_slots;
}

/* Two balls: one slot each against the ground, and one between them unless a mask or an <exclude> says no. */
static void masks_and_excludes_filter_pairs_of_trees(void **state) {
    (void)state;
    assert_int_equal(slots_of("", "", ""), 3);
    assert_int_equal(slots_of("conaffinity=\"2\"", "conaffinity=\"4\"", ""), 2);
    assert_int_equal(slots_of("conaffinity=\"2\"", "contype=\"3\" conaffinity=\"4\"", ""), 3);
    assert_int_equal(slots_of("", "", "<contact><exclude body1=\"b\" body2=\"a\"/></contact>"), 2);
    assert_int_equal(slots_of("contype=\"0\" conaffinity=\"0\"", "", ""), 1);
    myr_model *model = scene_read("<mujoco><worldbody><body name=\"a\" pos=\"0 0 1\"><freejoint/><geom size=\"0.1\"/><body><joint/><geom "
                                  "size=\"0.1\"/></body></body></worldbody>"
                                  "<contact><exclude body1=\"world\" body2=\"a\"/></contact></mujoco>");
    myr_model_info info;
    myr_model_get_info(model, &info);
    assert_int_equal(info.n_slots, 1);
    myr_model_free(model);
    scene_refuse("<mujoco><worldbody><body name=\"a\"><joint/><geom size=\"0.1\"/></body></worldbody><contact>\n<exclude body1=\"a\" "
                 "body2=\"c\"/></contact></mujoco>",
                 MYR_ROOT_AUTO, MYR_E_FORMAT, 2, WORDS("no body `c`"));
}

static void friction_without_a_plane_is_the_geoms(void **state) {
    (void)state;
    static const char *const priorities[] = {"-1", "0", "1"};
    for (int k = 0; k < 3; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "<mujoco><worldbody><body><freejoint/><geom size=\"0.1\" friction=\"0.6\" priority=\"%s\"/></body></worldbody></mujoco>",
                 priorities[k]);
        myr_model *model = scene_read(text);
        myr_geom_info geom;
        assert_int_equal(myr_model_get_geom(model, 0, &geom), MYR_OK);
        assert_true(geom.friction == 0.6);
        myr_model_free(model);
    }
}

/* A weld of what is fixed to each other anyway, or of a fixed body to the world, does nothing. */
static void loops_of_one_thing_hold_nothing(void **state) {
    (void)state;
    myr_model *model =
        scene_read("<mujoco><worldbody><body name=\"a\"><joint/><geom size=\"0.1\"/><body name=\"b\"/></body><body name=\"c\"/></worldbody>"
                   "<equality><weld body1=\"a\" body2=\"b\"/><connect body1=\"c\" anchor=\"0 0 1\"/></equality></mujoco>");
    myr_model_info info;
    myr_model_get_info(model, &info);
    assert_int_equal(info.n_loops, 0);
    assert_int_equal(scene_other_warnings(model), 0);
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_for_actuators_share_their_classes),
        cmocka_unit_test(controls_inherit_ranges),
        cmocka_unit_test(damping_ratios_know_the_rotor),
        cmocka_unit_test(lags_stay),
        cmocka_unit_test(motors_need_not_rest),
        cmocka_unit_test(bounds_are_of_principal_moments),
        cmocka_unit_test(copies_are_numbered_and_turned),
        cmocka_unit_test(masks_and_excludes_filter_pairs_of_trees),
        cmocka_unit_test(friction_without_a_plane_is_the_geoms),
        cmocka_unit_test(loops_of_one_thing_hold_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
