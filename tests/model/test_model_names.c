/* Names to numbers and back, and what a compiled model tells of its bodies, frames, joints, pairs and loops. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/model_scene.h"

static void refused(myr_status status, const int *found, const char *const *words) {
    assert_int_equal(status, MYR_E_ARG);
    if (found) assert_int_equal(*found, -1);
    for (; *words; words++)
        if (!strstr(myr_message(), *words)) fail_msg("\"%s\" does not say `%s`", myr_message(), *words);
}

/* Every name of a shipped robot finds its own number, and the numbers their places in q and v. */
static void names_find_their_numbers(void **state) {
    (void)state;
    myr_model *model = NULL;
    myr_model_info info;
    assert_int_equal(myr_model_load("anymal", MYR_ROOT_AUTO, &model), MYR_OK);
    myr_model_get_info(model, &info);
    int q = 0, v = 0, found;
    for (int i = 0; i < info.n_joints; i++) {
        myr_joint_info joint;
        myr_body_info body;
        assert_int_equal(myr_model_get_joint(model, i, &joint), MYR_OK);
        assert_int_equal(myr_model_find_joint(model, joint.name, &found), MYR_OK);
        assert_int_equal(found, i);
        assert_int_equal(myr_model_find_body(model, joint.body, &found), MYR_OK);
        assert_int_equal(found, i);
        assert_int_equal(myr_model_get_body(model, i, &body), MYR_OK);
        assert_string_equal(body.name, joint.body);
        assert_int_equal(body.parent, joint.parent);
        assert_true(joint.q == q && joint.v == v);
        q += joint.nq, v += joint.nv;
    }
    assert_true(q == info.nq && v == info.nv);
    for (int i = 0; i < info.n_frames; i++) {
        myr_frame_info frame;
        assert_int_equal(myr_model_get_frame(model, i, &frame), MYR_OK);
        assert_string_equal(frame.name, myr_model_frame_name(model, i));
        assert_int_equal(myr_model_find_frame(model, frame.name, &found), MYR_OK);
        assert_int_equal(found, i);
    }
    myr_geom_info geom;
    assert_int_equal(myr_model_get_geom(model, info.n_geoms - 1, &geom), MYR_OK);
    assert_int_equal(myr_model_find_geom(model, geom.name, &found), MYR_OK);
    assert_int_equal(found, info.n_geoms - 1);
    myr_model_free(model);
}

static void near_names_are_named(void **state) {
    (void)state;
    myr_model *model = NULL;
    assert_int_equal(myr_model_load("anymal", MYR_ROOT_AUTO, &model), MYR_OK);
    int found = 7;
    refused(myr_model_find_joint(model, "lf_haa", &found), &found, WORDS("anymal", "joint `lf_haa`", "did you mean 'LF_HAA'?"));
    found = 7;
    refused(myr_model_find_joint(model, "somewhere", &found), &found, WORDS("`somewhere`", "there are: ", "LF_HAA, LF_HFE", " more"));
    refused(myr_model_find_body(model, "RH_SHANKS", &found), &found, WORDS("body `RH_SHANKS`", "'RH_SHANK'"));
    refused(myr_model_find_actuator(model, "LF_HAE", &found), &found, WORDS("no actuator `LF_HAE`", "'LF_HAA'"));
    assert_int_equal(myr_model_find_actuator(model, "LF_HFE", &found), MYR_OK);
    assert_int_equal(found, 1);
    refused(myr_model_find_geom(model, "", &found), &found, WORDS("no geom ``", "there are: "));
    refused(myr_model_find_frame(model, "bse", &found), &found, WORDS("frame `bse`", "'base'"));
    refused(myr_model_find_frame(NULL, "base", &found), &found, WORDS("myr_model_find_frame", "model"));
    refused(myr_model_find_geom(model, NULL, &found), &found, WORDS("myr_model_find_geom", "name"));
    refused(myr_model_find_body(model, "base", NULL), NULL, WORDS("myr_model_find_body"));
    char long_name[4000];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    refused(myr_model_find_joint(model, long_name, &found), &found, WORDS("has no joint `xxx"));
    myr_model_free(model);
}

/* More names than one message looks at in one go. */
static void the_nearest_of_thousands(void **state) {
    (void)state;
    myr_builder *builder = scene_builder();
    const int ball = scene_body(builder, "ball", -1, MYR_JOINT_FREE, 0, 0, 0);
    const double at[3] = {0, 0, 0}, upright[4] = {1, 0, 0, 0};
    char name[32];
    for (int i = 0; i < 1500; i++) {
        snprintf(name, sizeof name, "marker number %d", 100000 + 7919 * i % 100000);
        if (i == 777) snprintf(name, sizeof name, "left little finger");
        assert_int_equal(myr_builder_frame(builder, name, ball, at, upright), MYR_OK);
    }
    myr_model *model = scene_compile(builder);
    int found;
    refused(myr_model_find_frame(model, "left litle_finger", &found), &found, WORDS("did you mean 'left little finger'?"));
    refused(myr_model_find_frame(model, "zzz", &found), &found, WORDS("there are: ball, marker number", "and 1489 more"));
    assert_int_equal(myr_model_find_frame(model, "left little finger", &found), MYR_OK);
    assert_int_equal(found, 778); /* bodies come first */
    myr_model_free(model);
    myr_builder_free(builder);
}

/* What is fixed to another body is told apart, and names that several bear are refused. */
static void what_is_no_body_and_what_is_many(void **state) {
    (void)state;
    myr_builder *builder = scene_builder();
    const int arm = scene_body(builder, "arm", -1, MYR_JOINT_REVOLUTE, 0, 0, 1);
    const int hand = scene_body(builder, "hand", arm, MYR_JOINT_FIXED, 0, 0, 0.5);
    scene_body(builder, "floor", -1, MYR_JOINT_FIXED, 0, 0, 0);
    myr_geom_def pad = myr_geom_def_default();
    pad.name = "pad", pad.size_m[0] = 0.1;
    for (int k = 0; k < 3; k++) {
        pad.body = k == 1 ? arm : hand;
        assert_int_equal(myr_builder_geom(builder, &pad, NULL), MYR_OK);
    }
    myr_model *model = scene_compile(builder);
    myr_frame_info frame;
    int found;
    refused(myr_model_find_body(model, "hand", &found), &found, WORDS("`hand`", "frame 1", "body `arm`"));
    refused(myr_model_find_body(model, "floor", &found), &found, WORDS("`floor`", "frame 2", "the world"));
    refused(myr_model_find_geom(model, "pad", &found), &found, WORDS("3 geoms `pad`", "0, 1, 2"));
    assert_int_equal(myr_model_find_frame(model, "hand", &found), MYR_OK);
    assert_int_equal(myr_model_get_frame(model, found, &frame), MYR_OK);
    const double at[3] = {0, 0, 0.5};
    assert_int_equal(frame.body, 0);
    scene_near(frame.position_m, at, 3, 1e-15, "where the hand is on the arm");
    assert_int_equal(myr_model_get_frame(model, 2, &frame), MYR_OK);
    assert_int_equal(frame.body, -1);
    myr_model_free(model);
    myr_builder_free(builder);
}

/* What was said of a joint and its body comes back. */
static void joints_and_bodies_as_described(void **state) {
    (void)state;
    const double s = sqrt(0.5);
    myr_builder *builder = scene_builder();
    myr_body_def def = myr_body_def_default();
    def.name = "base", def.joint = MYR_JOINT_FREE, def.mass_kg = 2;
    for (int k = 0; k < 3; k++) def.inertia_kgm2[k] = 0.1;
    assert_int_equal(myr_builder_body(builder, &def, NULL), MYR_OK);
    def.name = "slide", def.joint_name = "rail", def.parent = 0, def.joint = MYR_JOINT_PRISMATIC, def.mass_kg = 3;
    def.position_m[1] = 0.2, def.quaternion[0] = s, def.quaternion[3] = s, def.axis[0] = 3, def.axis[1] = 4, def.axis[2] = 0;
    def.com_m[2] = 0.05, def.inertia_kgm2[3] = 0.01;
    def.dry_friction = 0.7, def.stiffness = 11, def.spring_rest = 0.03, def.damping = 0.9, def.armature = 0.02;
    assert_int_equal(myr_builder_body(builder, &def, NULL), MYR_OK);
    myr_model *model = scene_compile(builder);
    myr_joint_info joint;
    myr_body_info body;
    const double at[3] = {0, 0.2, 0}, turned[4] = {s, 0, 0, s}, axis[3] = {0.6, 0.8, 0}, inertia[6] = {0.1, 0.1, 0.1, 0.01, 0, 0};
    const double none[3] = {0}, upright[4] = {1, 0, 0, 0};
    assert_int_equal(myr_model_get_joint(model, 1, &joint), MYR_OK);
    assert_string_equal(joint.name, "rail");
    scene_near(joint.position_m, at, 3, 1e-15, "joint position");
    scene_near(joint.quaternion, turned, 4, 1e-15, "joint quaternion");
    scene_near(joint.axis, axis, 3, 1e-15, "joint axis");
    assert_true(joint.dry_friction == 0.7 && joint.stiffness == 11 && joint.spring_rest == 0.03);
    assert_int_equal(myr_model_get_body(model, 1, &body), MYR_OK);
    assert_true(body.mass_kg == 3 && body.com_m[2] == 0.05 && body.parent == 0 && body.tree == 0);
    scene_near(body.inertia_kgm2, inertia, 6, 1e-15, "inertia");
    assert_int_equal(myr_model_get_joint(model, 0, &joint), MYR_OK);
    scene_near(joint.position_m, none, 3, 0, "a free joint is nowhere");
    scene_near(joint.quaternion, upright, 4, 0, "a free joint is not turned");
    scene_near(joint.axis, none, 3, 0, "a free joint has no axis");
    myr_model_info info;
    myr_model_get_info(model, &info);
    assert_true(info.gravity[0] == 0 && info.gravity[1] == 0 && info.gravity[2] == -9.81);
    assert_int_equal(myr_model_get_body(model, 2, &body), MYR_E_ARG);
    assert_non_null(strstr(myr_message(), "bodies 0..1"));
    assert_int_equal(myr_model_get_body(model, 0, NULL), MYR_E_ARG);
    myr_frame_info frame;
    assert_int_equal(myr_model_get_frame(model, 2, &frame), MYR_E_ARG);
    assert_int_equal(myr_model_get_frame(NULL, 0, &frame), MYR_E_ARG);
    myr_model_free(model);
    myr_builder_free(builder);
}

/* A loop's frame comes back in the frames of its bodies, whatever these are turned by; a coupling's numbers do. */
static void loops_couplings_and_pairs(void **state) {
    (void)state;
    const double s = sqrt(0.5);
    myr_builder *builder = scene_builder();
    myr_body_def def = myr_body_def_default();
    for (int i = 0; i < 2; i++) {
        def.name = i ? "right" : "left", def.joint = MYR_JOINT_REVOLUTE, def.mass_kg = 1, def.parent = -1;
        def.position_m[0] = i, def.position_m[2] = 2, def.quaternion[0] = s, def.quaternion[1] = i ? -s : s;
        for (int k = 0; k < 3; k++) def.inertia_kgm2[k] = 0.1;
        assert_int_equal(myr_builder_body(builder, &def, NULL), MYR_OK);
    }
    def.name = "ball", def.joint = MYR_JOINT_FREE;
    assert_int_equal(myr_builder_body(builder, &def, NULL), MYR_OK);
    myr_loop_def loop = myr_loop_def_default();
    loop.name = "pin", loop.type = MYR_LOOP_REVOLUTE, loop.body = 0, loop.other = -1;
    loop.position_m[1] = 0.3, loop.axis[0] = 1, loop.axis[1] = 0, loop.axis[2] = 0;
    /* the same place and axes seen from the world: the left body is turned a quarter about x */
    loop.other_position_m[2] = 2.3, loop.other_quaternion[0] = s, loop.other_quaternion[1] = s;
    assert_int_equal(myr_builder_loop(builder, &loop), MYR_OK);
    myr_coupling_def coupling = myr_coupling_def_default();
    coupling.name = "gear", coupling.n = 1, coupling.joints[0] = 1, coupling.coefficients[0] = 2, coupling.driver = 0;
    coupling.polynomial[1] = -3;
    assert_int_equal(myr_builder_coupling(builder, &coupling), MYR_OK);
    myr_geom_def shape = myr_geom_def_default();
    shape.size_m[0] = 0.1;
    for (shape.body = 0; shape.body < 3; shape.body += 2) assert_int_equal(myr_builder_geom(builder, &shape, NULL), MYR_OK);
    myr_model *model = scene_compile(builder);
    myr_loop_info info;
    assert_int_equal(myr_model_get_loop(model, 0, &info), MYR_OK);
    scene_near(info.position_m, loop.position_m, 3, 1e-12, "loop on the body");
    scene_near(info.other_position_m, loop.other_position_m, 3, 1e-12, "loop in the world");
    /* its z is the axis, x of the body */
    const double *p = info.quaternion;
    const double z[3] = {2 * (p[1] * p[3] + p[0] * p[2]), 2 * (p[2] * p[3] - p[0] * p[1]), 1 - 2 * (p[1] * p[1] + p[2] * p[2])};
    scene_near(z, loop.axis, 3, 1e-12, "axis of the loop");
    assert_int_equal(info.n_joints, 0);
    assert_int_equal(myr_model_get_loop(model, 1, &info), MYR_OK);
    assert_true(info.n_joints == 1 && info.joints[0] == 1 && info.other == 0 && info.coefficients[0] == 2 && info.polynomial[1] == -3);
    myr_pair_info pair;
    assert_int_equal(myr_model_get_pair(model, 0, &pair), MYR_OK);
    assert_true(pair.geom != pair.other && pair.slot == 2 && pair.n_slots == 1);
    assert_int_equal(myr_model_get_pair(model, 1, &pair), MYR_E_ARG);
    assert_int_equal(myr_model_get_pair(model, -1, &pair), MYR_E_ARG);
    assert_non_null(strstr(myr_message(), "pair -1"));
    myr_model_free(model);
    myr_builder_free(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_find_their_numbers),       cmocka_unit_test(near_names_are_named),
        cmocka_unit_test(the_nearest_of_thousands),       cmocka_unit_test(what_is_no_body_and_what_is_many),
        cmocka_unit_test(joints_and_bodies_as_described), cmocka_unit_test(loops_couplings_and_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
