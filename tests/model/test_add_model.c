/* Whole models put into a builder: what comes in is what was there, moves as it did, and is found by its names. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_memory.h"
#include "model/description.h"
#include "support/model_scene.h"
#include "myriapod/myriapod.h"

static const char *const robots[] = {"anymal",  "solo12",  "hopper", "cube",        "double-pendulum",
                                     "chain-5", "stack-3", "sphere", "stack-2-100", "hand-ball"};

/* Loops, couplings, springs, limits, friction, keyframes, exclusions, pairs, actuators of several joints. */
static const char everything[] =
    "<mujoco model=\"all\"><option timestep=\"0.004\" gravity=\"0 1 -9\"/><worldbody>"
    "<geom name=\"floor\" type=\"plane\" size=\"1 1 1\" pos=\"0 0 -0.5\"/><geom name=\"table\" type=\"box\" size=\".2 .2 .1\" pos=\"2 0 "
    "0\"/>"
    "<site name=\"corner\" pos=\"1 2 3\"/>"
    "<body name=\"base\" pos=\"0.1 0 1\" quat=\"1 0.2 0 0\"><freejoint name=\"root\"/><geom name=\"hull\" type=\"ellipsoid\" size=\".1 .2 "
    ".3\"/>"
    "<body name=\"arm\" pos=\"0 0 .3\" gravcomp=\"0.5\"><joint name=\"lift\" axis=\"0 1 0\" range=\"-60 80\" stiffness=\"3\" "
    "damping=\"0.2\" "
    "frictionloss=\"0.1\" armature=\"0.01\"/><geom name=\"arm\" size=\".1\" pos=\"0 0 .2\" condim=\"1\" priority=\"2\"/>"
    "<body name=\"hand\" pos=\"0 0 .3\"><joint name=\"turn\" axis=\"1 0 0\"/><joint name=\"slide\" type=\"slide\" pos=\"0 0 .1\"/>"
    "<geom name=\"hand\" type=\"capsule\" size=\".05 .1\"/></body></body></body>"
    "<body name=\"post\" pos=\"1 0 0\"><joint name=\"spin\" type=\"ball\"/><geom name=\"post\" size=\".1\"/></body>"
    "<body name=\"ball\" pos=\"0 1 1\"><freejoint/><geom name=\"ball\" size=\".1\" contype=\"2\" conaffinity=\"2\"/></body></worldbody>"
    "<contact><exclude body1=\"ball\" body2=\"arm\"/><pair geom1=\"ball\" geom2=\"post\" friction=\".3 .3\"/><pair geom1=\"hand\" "
    "geom2=\"floor\" condim=\"1\"/></contact>"
    "<equality><joint name=\"follow\" joint1=\"turn\" joint2=\"lift\" polycoef=\"0.1 0.5 0 0 0\"/><connect name=\"strap\" body1=\"post\" "
    "anchor=\"0 0 .1\"/></equality>"
    "<tendon><fixed name=\"t\" limited=\"true\" range=\"-2 2\"><joint joint=\"lift\" coef=\"1\"/><joint joint=\"slide\" "
    "coef=\"-2\"/></fixed></tendon>"
    "<actuator><position name=\"servo\" joint=\"lift\" kp=\"20\" ctrlrange=\"-1 1\"/><motor name=\"pull\" tendon=\"t\" "
    "gear=\"2\"/></actuator>"
    "<keyframe><key name=\"home\" qpos=\"0 0 2 1 0 0 0 .2 .2 0 1 0 0 0 1 1 1 1 0 0 0\" ctrl=\".4 3\"/><key name=\"up\" qpos=\"0 0 3 0 0 1 "
    "0 "
    ".1 .15 .01 0 1 0 0 2 2 2 1 0 0 0\" ctrl=\".5 6\"/></keyframe></mujoco>";

static myr_model *shipped(const char *name) {
    myr_model *model = NULL;
    if (myr_model_load(name, MYR_ROOT_AUTO, &model)) fail_msg("%s", myr_message());
    return model;
}

static void put(myr_builder *builder, const myr_model *model, const char *prefix, double x, double y, double z) {
    myr_placement placement = myr_placement_default();
    placement.prefix = prefix, placement.position_m[0] = x, placement.position_m[1] = y, placement.position_m[2] = z;
    if (myr_builder_add_model(builder, model, &placement)) fail_msg("%s", myr_message());
}

static void same_text(const char *a, const char *b) {
    if (strcmp(a, b) != 0) fail_msg("`%s` and `%s`", a, b);
}

/* Everything that moves it, and every name. */
static void assert_same_model(const myr_model *a, const myr_model *b) {
    myr_model_info one, other;
    myr_model_get_info(a, &one), myr_model_get_info(b, &other);
    assert_true(myr_model_hash(a) == myr_model_hash(b));
    assert_true(one.mass_kg == other.mass_kg && one.timestep_s == other.timestep_s && one.floor_m == other.floor_m);
    assert_true(one.n_frames == other.n_frames && one.n_warnings == other.n_warnings && one.n_keyframes == other.n_keyframes);
    assert_memory_equal(one.gravity, other.gravity, sizeof one.gravity);
    for (int f = 0; f < one.n_frames; f++) same_text(myr_model_frame_name(a, f), myr_model_frame_name(b, f));
    for (int w = 0; w < one.n_warnings; w++) same_text(myr_model_warning(a, w), myr_model_warning(b, w));
    for (int k = 0; k < one.n_keyframes; k++) {
        myr_keyframe_info first, second;
        assert_int_equal(myr_model_get_keyframe(a, k, &first), MYR_OK);
        assert_int_equal(myr_model_get_keyframe(b, k, &second), MYR_OK);
        same_text(first.name, second.name);
        for (int i = 0; i < one.nq; i++) assert_true(first.q[i] == second.q[i]);
        for (int u = 0; u < one.nu && first.control; u++) assert_true(first.control[u] == second.control[u]);
        assert_true(!first.control == !second.control);
    }
}

static void alone_it_is_what_it_was(void **state) {
    (void)state;
    for (size_t i = 0; i <= sizeof robots / sizeof *robots; i++) {
        myr_model *model = i < sizeof robots / sizeof *robots ? shipped(robots[i]) : scene_read(everything), *again;
        for (int times = 0; times < 2; times++) { /* the second time from the result of the first */
            myr_builder *builder = scene_builder();
            assert_int_equal(myr_builder_add_model(builder, model, NULL), MYR_OK);
            again = scene_compile(builder);
            assert_same_model(model, again);
            myr_builder_free(builder);
            myr_model_free(model);
            model = again;
        }
        myr_model_free(model);
    }
}

/* ---- motion ----------------------------------------------------------------------------------- */

enum { STEPS = 400 };

static void run(const myr_model *model, double *q) {
    myr_settings settings = myr_settings_default();
    myr_batch *batch;
    assert_int_equal(myr_settings_set(&settings, "precision", "f64"), MYR_OK);
    assert_int_equal(myr_settings_set(&settings, "tolerance", "1e-12"), MYR_OK);
    assert_int_equal(myr_settings_set(&settings, "kp", "40"), MYR_OK);
    assert_int_equal(myr_settings_set(&settings, "kd", "1"), MYR_OK);
    assert_int_equal(myr_settings_set(&settings, "dt", "0.001"), MYR_OK);
    assert_int_equal(myr_batch_create(model, 1, &settings, &batch), MYR_OK);
    myr_model_home(model, q); /* quadrupeds begin with a heading of their own */
    assert_int_equal(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, q), MYR_OK);
    assert_int_equal(myr_batch_step(batch, STEPS), MYR_OK);
    assert_int_equal(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q), MYR_OK);
    myr_batch_free(batch);
}

/* Two at two places move as one does at the origin, for 0.4 s in which they land. */
static void two_move_as_one_does(void **state) {
    (void)state;
    static const char *const names[] = {"anymal", "solo12", "hopper", "double-pendulum", "stack-2", "all"};
    static const double at[2][3] = {{-4, 1, 0.25}, {3, -5, 0.25}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        myr_model *one = strcmp(names[i], "all") ? shipped(names[i]) : scene_read(everything);
        myr_builder *raised = scene_builder(), *builder = scene_builder();
        myr_model_info info, both_info;
        put(raised, one, "", 0, 0, 0.25);
        put(builder, one, "left/", at[0][0], at[0][1], at[0][2]);
        put(builder, one, "right/", at[1][0], at[1][1], at[1][2]);
        myr_model *alone = scene_compile(raised), *both = scene_compile(builder);
        myr_model_get_info(alone, &info), myr_model_get_info(both, &both_info);
        assert_true(both_info.nq == 2 * info.nq && both_info.nu == 2 * info.nu && both_info.n_loops == 2 * info.n_loops);
        assert_true(both_info.n_rows == 2 * info.n_rows && fabs(both_info.mass_kg - 2 * info.mass_kg) < 1e-12 * info.mass_kg);
        double *q = calloc((size_t)(3 * info.nq), sizeof *q);
        assert_non_null(q);
        run(alone, q), run(both, q + info.nq);
        double worst = 0;
        for (int k = 0; k < 2; k++)
            for (int j = 0; j < info.n_joints; j++) {
                myr_joint_info joint;
                assert_int_equal(myr_model_get_joint(alone, j, &joint), MYR_OK);
                for (int n = 0; n < joint.nq; n++) {
                    const double moved = joint.type == MYR_JOINT_FREE && n < 2 ? at[k][n] : 0;
                    worst = fmax(worst, fabs(q[(1 + k) * info.nq + joint.q + n] - moved - q[joint.q + n]));
                }
            }
        if (!(worst < 1e-8)) fail_msg("%s: off by %g", names[i], worst);
        free(q);
        myr_model_free(one), myr_model_free(alone), myr_model_free(both);
        myr_builder_free(raised), myr_builder_free(builder);
    }
}

/* Turned about the vertical it moves as it did, turned. */
static void a_turned_one_moves_turned(void **state) {
    (void)state;
    myr_model *one = shipped("solo12");
    const double angle = 2.1;
    myr_placement placement = myr_placement_default();
    placement.quaternion[0] = 3 * cos(angle / 2), placement.quaternion[3] = 3 * sin(angle / 2), placement.position_m[1] = 2;
    myr_builder *builder = scene_builder();
    assert_int_equal(myr_builder_add_model(builder, one, &placement), MYR_OK);
    myr_model *turned = scene_compile(builder);
    double q[2][19];
    run(one, q[0]), run(turned, q[1]);
    const double x = cos(angle) * q[0][0] - sin(angle) * q[0][1], y = sin(angle) * q[0][0] + cos(angle) * q[0][1] + 2;
    assert_true(fabs(q[1][0] - x) < 1e-7 && fabs(q[1][1] - y) < 1e-7 && fabs(q[1][2] - q[0][2]) < 1e-8);
    for (int k = 7; k < 19; k++) assert_true(fabs(q[1][k] - q[0][k]) < 1e-6);
    myr_model_free(one), myr_model_free(turned);
    myr_builder_free(builder);
}

/* ---- names, homes, actuators ------------------------------------------------------------------- */

static double home_of(const myr_model *model, const char *joint, int k) {
    int id;
    myr_joint_info info;
    myr_model_info m;
    myr_model_get_info(model, &m);
    double *q = calloc((size_t)m.nq, sizeof *q);
    assert_non_null(q);
    myr_model_home(model, q);
    if (myr_model_find_joint(model, joint, &id)) fail_msg("%s", myr_message());
    assert_int_equal(myr_model_get_joint(model, id, &info), MYR_OK);
    const double value = q[info.q + k];
    free(q);
    return value;
}

static void a_robot_and_a_cube(void **state) {
    (void)state;
    myr_model *robot = scene_read(everything), *cube = shipped("cube"), *walker = shipped("anymal");
    myr_model_info r, c, w, all;
    myr_builder *builder = scene_builder();
    put(builder, robot, "", 0, 0, 0);
    put(builder, cube, "box/", 0.5, -1, 2);
    put(builder, walker, "dog/", 8, 0, 0);
    int body, geom, geom2;
    assert_int_equal(myr_builder_find_geom(builder, "hand", &geom), MYR_OK);
    assert_int_equal(myr_builder_find_geom(builder, "box/cube", &geom2), MYR_OK);
    assert_int_equal(myr_builder_find_body(builder, "box/cube", &body), MYR_OK);
    assert_int_equal(myr_builder_pair_friction(builder, geom, geom2, 0.123), MYR_OK);
    assert_int_equal(myr_builder_find_body(builder, "missing", &body), MYR_E_ARG);
    assert_int_equal(body, -1);
    myr_model *model = scene_compile(builder);
    myr_model_get_info(robot, &r), myr_model_get_info(cube, &c), myr_model_get_info(walker, &w), myr_model_get_info(model, &all);
    assert_true(fabs(all.mass_kg - r.mass_kg - c.mass_kg - w.mass_kg) < 1e-12 * all.mass_kg);
    assert_int_equal(all.nu, 2 + 12);
    assert_true(all.timestep_s == 0.004 && all.floor_m == -0.5 && all.gravity[1] == 1);
    assert_true(home_of(model, "lift", 0) == home_of(robot, "lift", 0) && home_of(model, "root", 2) == home_of(robot, "root", 2));
    assert_true(home_of(model, "box/root", 0) == 0.5 && home_of(model, "box/root", 2) == 2 + home_of(cube, "root", 2));
    assert_true(home_of(model, "dog/LF_HFE", 0) == home_of(walker, "LF_HFE", 0) && home_of(walker, "LF_HFE", 0) != 0);
    myr_actuator_info own, came;
    int u;
    assert_int_equal(myr_model_find_actuator(model, "pull", &u), MYR_OK);
    assert_int_equal(myr_model_get_actuator(model, u, &came), MYR_OK);
    assert_int_equal(myr_model_get_actuator(robot, 1, &own), MYR_OK);
    assert_true(came.n == 2 && came.moments[1] == own.moments[1] && came.home_torque == own.home_torque && own.home_torque != 0);
    assert_int_equal(myr_model_find_actuator(model, "dog/LF_KFE", &u), MYR_OK);
    assert_int_equal(myr_model_get_actuator(model, u, &came), MYR_OK);
    assert_true(came.kp < 0 && came.home_target == home_of(walker, "LF_KFE", 0));
    myr_keyframe_info key, alone;
    assert_int_equal(all.n_keyframes, 2);
    assert_int_equal(myr_model_get_keyframe(model, 1, &key), MYR_OK);
    assert_int_equal(myr_model_get_keyframe(robot, 1, &alone), MYR_OK);
    for (int k = 0; k < r.nq; k++) assert_true(key.q[k] == alone.q[k]);
    assert_true(key.q[r.nq] == 0.5 && key.control[0] == 0.5 && key.control[1] == 6 && key.control[2] == home_of(walker, "LF_HAA", 0));
    myr_model_free(robot), myr_model_free(cube), myr_model_free(walker), myr_model_free(model);
    myr_builder_free(builder);
}

/* What comes later does not move the ground. */
static void the_world_is_of_what_came_first(void **state) {
    (void)state;
    myr_model *robot = scene_read(everything), *cube = shipped("cube");
    myr_builder *builder = scene_builder();
    put(builder, cube, "", 0, 0, 0);
    put(builder, robot, "it/", 0, 0, 1);
    myr_model *model = scene_compile(builder);
    myr_model_info info;
    myr_model_get_info(model, &info);
    assert_true(info.floor_m == 0 && info.gravity[2] == -9.81 && info.gravity[1] == 0 && info.timestep_s == 0);
    scene_warned(model, WORDS("`all`", "gravity 0 1 -9;", "the ground at -0.5 m", "came first"));
    myr_model_free(robot), myr_model_free(cube), myr_model_free(model);
    myr_builder_free(builder);
}

/* ---- roots ------------------------------------------------------------------------------------ */

static const char gripper[] = "<mujoco model=\"gripper\"><worldbody><body name=\"palm\" pos=\"0 0 .1\"><geom name=\"palm\" size=\".1\"/>"
                              "<site name=\"grip\" pos=\"0 0 .2\"/><body name=\"finger\"><joint name=\"bend\" axis=\"1 0 0\"/><geom "
                              "name=\"finger\" size=\".02\" pos=\"0 0 .1\"/></body></body></worldbody><keyframe><key name=\"shut\" "
                              "qpos=\"1\"/></keyframe></mujoco>";

static void roots_are_as_asked(void **state) {
    (void)state;
    myr_model *hand = scene_read(gripper), *arm = scene_read(everything);
    myr_builder *builder = scene_builder();
    myr_placement placement = myr_placement_default();
    myr_model_info info;
    myr_keyframe_info key;
    placement.position_m[2] = 3, placement.root = MYR_ROOT_FLOATING;
    assert_int_equal(myr_builder_add_model(builder, hand, &placement), MYR_OK);
    myr_model *model = scene_compile(builder);
    myr_model_get_info(model, &info);
    assert_int_equal(info.nq, 8);
    assert_true(info.n_free == 1 && fabs(home_of(model, "palm", 2) - 3.1) < 1e-15);
    assert_int_equal(myr_model_get_keyframe(model, 0, &key), MYR_OK);
    assert_true(key.q[7] == 1 && fabs(key.q[2] - 3.1) < 1e-15 && key.q[3] == 1);
    myr_model_free(model);

    placement.prefix = "held/", placement.root = MYR_ROOT_FIXED;
    assert_int_equal(myr_builder_add_model(builder, arm, &placement), MYR_OK);
    model = scene_compile(builder);
    myr_model_get_info(model, &info);
    assert_int_equal(info.nq, 8 + 3 + 4); /* without its two free joints */
    assert_int_equal(info.n_keyframes, 3);
    assert_int_equal(myr_model_get_keyframe(model, 2, &key), MYR_OK);
    assert_true(key.q[8] == 0.1 && key.q[9] == 0.15 && key.q[10] == 0.01 && key.q[12] == 1 && key.control[1] == 6);
    int frame;
    myr_frame_info at;
    assert_int_equal(myr_model_find_frame(model, "held/base", &frame), MYR_OK);
    assert_int_equal(myr_model_get_frame(model, frame, &at), MYR_OK);
    assert_true(at.body == -1 && at.position_m[2] == home_of(arm, "root", 2) + 3);
    assert_int_equal(myr_model_find_frame(model, "held/corner", &frame), MYR_OK);
    assert_int_equal(myr_model_get_frame(model, frame, &at), MYR_OK);
    assert_true(at.body == -1 && at.position_m[2] == 6);
    myr_model_free(model);

    assert_int_equal(myr_builder_find_body(builder, "held/hand", &placement.body), MYR_E_ARG); /* it is a frame: its joint is elsewhere */
    assert_int_equal(myr_builder_find_body(builder, "held/arm", &placement.body), MYR_OK);
    placement.prefix = "on/", placement.root = MYR_ROOT_AUTO, placement.position_m[2] = 0.5;
    assert_int_equal(myr_builder_add_model(builder, hand, &placement), MYR_OK);
    model = scene_compile(builder);
    assert_int_equal(myr_model_find_frame(model, "on/grip", &frame), MYR_OK);
    assert_int_equal(myr_model_get_frame(model, frame, &at), MYR_OK);
    int carrier;
    assert_int_equal(myr_model_find_body(model, "held/arm", &carrier), MYR_OK);
    assert_int_equal(at.body, carrier);
    assert_true(fabs(at.position_m[2] - 0.8) < 1e-15);
    myr_model_free(model), myr_model_free(hand), myr_model_free(arm);
    myr_builder_free(builder);
}

/* ---- what is refused --------------------------------------------------------------------------- */

static void same_geom(const myr_builder *to, int geom, const myr_builder *from, int was) {
    assert_int_equal(geom < 0, was < 0);
    if (was < 0) return;
    assert_true(!strncmp(to->geoms[geom].name, "a/", 2));
    same_text(to->geoms[geom].name + 2, from->geoms[was].name);
}

/* What speaks of others by number speaks of the same ones when something stands before them. */
static void numbers_go_with_their_objects(void **state) {
    (void)state;
    myr_model *all = scene_read(everything), *cube = shipped("cube");
    myr_builder *to = scene_builder();
    put(to, cube, "", 0, 0, 0);
    const int pairs = to->n_pairs, frictions = to->n_frictions, tendons = to->n_tendons;
    put(to, all, "a/", 4, 0, 0.5);
    const myr_builder *from = all->description;
    assert_true(from->n_pairs > 0 && from->n_frictions > 0 && from->n_tendons > 0);
    int worlds = 0;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < from->n_pairs; i++) same_geom(to, to->pairs[pairs + i].geom[k], from, from->pairs[i].geom[k]);
        for (int i = 0; i < from->n_frictions; i++) {
            same_geom(to, to->frictions[frictions + i].geom[k], from, from->frictions[i].geom[k]);
            worlds += from->frictions[i].geom[k] < 0;
        }
    }
    assert_true(worlds > 0); /* a friction against the ground */
    for (int i = 0; i < from->n_tendons; i++)
        for (int k = 0; k < from->tendons[i].def.n; k++)
            same_text(to->bodies[to->tendons[tendons + i].def.joints[k]].joint_name + 2,
                      from->bodies[from->tendons[i].def.joints[k]].joint_name);
    myr_model_free(all), myr_model_free(cube);
    myr_builder_free(to);
}

/* A model with one object of every kind whose name is its own; `prefix` before all names but that of kind `same`. */
static myr_model *named(char prefix, int same) {
    char text[1200], at[6][2];
    for (int k = 0; k < 6; k++) at[k][0] = k == same ? '=' : prefix, at[k][1] = '\0';
    snprintf(text, sizeof text,
             "<mujoco><worldbody><body name=\"%sbody\"><joint name=\"%sjoint\"/><geom size=\".1\"/>"
             "<body name=\"%cmore\"><joint name=\"%cturn\"/><geom size=\".1\"/></body></body></worldbody>"
             "<equality><joint name=\"%sloop\" joint1=\"%sjoint\" joint2=\"%cturn\"/></equality>"
             "<tendon><fixed name=\"%stendon\" limited=\"true\" range=\"-1 1\"><joint joint=\"%cturn\" coef=\"1\"/></fixed></tendon>"
             "<actuator><motor name=\"%sactuator\" joint=\"%cturn\"/></actuator>"
             "<keyframe><key name=\"%skeyframe\" qpos=\"0 0\"/></keyframe></mujoco>",
             at[0], at[1], prefix, prefix, at[2], at[1], prefix, at[3], prefix, at[4], prefix, at[5]);
    return scene_read(text);
}

static void a_name_is_taken_among_its_own_kind(void **state) {
    (void)state;
    static const char *const kinds[] = {"body or frame", "joint", "loop", "tendon", "actuator", "keyframe"};
    for (int k = 0; k <= 6; k++) { /* the last has no name twice */
        myr_builder *builder = scene_builder();
        myr_model *one = named('a', k), *other = named('b', k);
        char words[100];
        put(builder, one, "", 0, 0, 0);
        assert_int_equal(myr_builder_add_model(builder, other, NULL), k < 6 ? MYR_E_ARG : MYR_OK);
        if (k < 6) {
            snprintf(words, sizeof words, "there is a %s `=%s` already", kinds[k], k ? kinds[k] : "body");
            if (!strstr(myr_message(), words)) fail_msg("`%s` does not say `%s`", myr_message(), words);
        }
        myr_model_free(one), myr_model_free(other);
        myr_builder_free(builder);
    }
}

/* As many as a builder takes one by one. */
static void actuators_are_limited(void **state) {
    (void)state;
    myr_builder *half = scene_builder(), *builder = scene_builder();
    myr_body_def body = myr_body_def_default();
    body.name = "wheel", body.joint = MYR_JOINT_REVOLUTE, body.mass_kg = 1;
    for (int k = 0; k < 3; k++) body.inertia_kgm2[k] = 1;
    assert_int_equal(myr_builder_body(half, &body, NULL), MYR_OK);
    myr_actuator_def actuator = myr_actuator_def_default();
    actuator.joints[0] = 0;
    for (int k = 0; k < MYR_MAX_ACTUATORS / 2 + 1; k++) {
        char name[20];
        snprintf(name, sizeof name, "u%d", k);
        actuator.name = name;
        assert_int_equal(myr_builder_actuator(half, &actuator), MYR_OK);
    }
    myr_model *model = scene_compile(half);
    put(builder, model, "a/", 0, 0, 0);
    myr_placement p = myr_placement_default();
    p.prefix = "b/";
    assert_int_equal(myr_builder_add_model(builder, model, &p), MYR_E_LIMIT);
    assert_non_null(strstr(myr_message(), "there would be 4098 actuators; a model holds at most 4096"));
    myr_model_free(model);
    myr_builder_free(half), myr_builder_free(builder);
}

static void wrong_ones_are_refused_and_leave_all_as_it_was(void **state) {
    (void)state;
    myr_model *hand = scene_read(gripper), *all = scene_read(everything), *cube = shipped("cube");
    myr_builder *builder = scene_builder();
    put(builder, cube, "", 0, 0, 0);
    put(builder, all, "a/", 4, 0, 0.5);
    myr_model *before = scene_compile(builder);
    myr_placement p = myr_placement_default();
#define REFUSE(model, change, word)                                                                                                        \
    do {                                                                                                                                   \
        myr_placement wrong = p;                                                                                                           \
        change;                                                                                                                            \
        assert_int_equal(myr_builder_add_model(builder, model, &wrong), MYR_E_ARG);                                                        \
        if (!strstr(myr_message(), word)) fail_msg("`%s` does not say `%s`", myr_message(), word);                                         \
        myr_model *after = scene_compile(builder);                                                                                         \
        assert_same_model(before, after);                                                                                                  \
        myr_model_free(after);                                                                                                             \
    } while (0)
    REFUSE(cube, wrong.prefix = "", "body or frame `cube`");
    REFUSE(all, wrong.prefix = "a/", "body or frame `a/base`");
    REFUSE(hand, wrong.body = 99, "body is 99");
    REFUSE(hand, wrong.body = -2, "body is -2");
    REFUSE(hand, wrong.position_m[0] = NAN, "position_m");
    REFUSE(hand, wrong.quaternion[0] = 0, "quaternion");
    REFUSE(hand, wrong.root = (myr_root)7, "root 7");
    REFUSE(all, (wrong.body = 0, wrong.prefix = "b/"), "it floats");
    REFUSE(hand, (wrong.body = 0, wrong.root = MYR_ROOT_FLOATING), "it floats");
    myr_model *two =
        scene_read("<mujoco model=\"two\"><worldbody><body name=\"x\"><joint/><geom size=\".1\"/></body></worldbody></mujoco>");
    REFUSE(two, wrong.root = MYR_ROOT_FLOATING, "cannot be let go");
#undef REFUSE
    assert_int_equal(myr_builder_add_model(NULL, cube, NULL), MYR_E_ARG);
    assert_int_equal(myr_builder_add_model(builder, NULL, NULL), MYR_E_ARG);
    for (int k = 0; k < 11; k++) { /* 4 rows of loops each, besides those there: 64 at most */
        char prefix[20];
        snprintf(prefix, sizeof prefix, "c%d/", k);
        put(builder, all, prefix, 10 + 3 * k, 0, 0.5);
    }
    for (int k = 0; k < 5; k++) {
        char prefix[20];
        snprintf(prefix, sizeof prefix, "d%d/", k);
        p.prefix = prefix, p.position_m[1] = 5 + 3 * k;
        const myr_status status = myr_builder_add_model(builder, all, &p);
        assert_int_equal(status, k < 4 ? MYR_OK : MYR_E_LIMIT);
        if (status) assert_non_null(strstr(myr_message(), "rows of loops"));
    }
    myr_model_free(hand), myr_model_free(all), myr_model_free(cube), myr_model_free(before), myr_model_free(two);
    myr_builder_free(builder);
}

static void memory_may_run_out(void **state) {
    (void)state;
    ledger l = {0};
    const myr_allocator counting = {count_allocation, count_release, &l};
    myr_set_allocator(&counting);
    myr_model *all = scene_read(everything), *cube = shipped("cube");
    myr_builder *builder = scene_builder();
    put(builder, cube, "", 0, 0, 0);
    myr_model *before = scene_compile(builder), *after = NULL;
    int failures = 0;
    myr_status status = MYR_E_MEMORY;
    for (int at = 1; status; at++) {
        myr_placement p = myr_placement_default();
        p.root = MYR_ROOT_FIXED, p.prefix = "a/";
        l.calls = 0, l.fails_at = at;
        status = myr_builder_add_model(builder, all, &p);
        l.fails_at = 0;
        if (!status) break;
        if (status != MYR_E_MEMORY) fail_msg("%s", myr_message());
        after = scene_compile(builder);
        assert_same_model(before, after);
        myr_model_free(after);
        failures++;
    }
    if (failures <= 30) fail_msg("%d failures", failures);
    myr_model_free(all), myr_model_free(cube), myr_model_free(before);
    myr_builder_free(builder);
    myr_set_allocator(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_it_is_what_it_was),
        cmocka_unit_test(two_move_as_one_does),
        cmocka_unit_test(a_turned_one_moves_turned),
        cmocka_unit_test(a_robot_and_a_cube),
        cmocka_unit_test(the_world_is_of_what_came_first),
        cmocka_unit_test(roots_are_as_asked),
        cmocka_unit_test(numbers_go_with_their_objects),
        cmocka_unit_test(a_name_is_taken_among_its_own_kind),
        cmocka_unit_test(actuators_are_limited),
        cmocka_unit_test(wrong_ones_are_refused_and_leave_all_as_it_was),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
