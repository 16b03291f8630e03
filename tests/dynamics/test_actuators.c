/* Actuators as objects: what the builder refuses, which joints they find, and the law of a step against one written down here, in doubles
 * and by joints, for every kind of transmission on every instruction set.
 * ctest: lanes */
#include <math.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/isas.h"
#include "kernels/kernels.h"

enum { JOINTS = 6, MOST_ENVS = 33 };
static const double masses[JOINTS] = {2.0, 0.5, 3.0, 1.5, 4.0, 1e-3}, damping[JOINTS] = {0.0, 0.3, 0.0, 1.0, 0.7, 0.01},
                    armature[JOINTS] = {0.1, 0.0, 0.4, 0.0, 0.0, 0.0}, limits[JOINTS] = {9.0, INFINITY, INFINITY, 30.0, INFINITY, 2.0};

/* Two on joint 0, one of them backwards; one across joints 1 and 2, which nothing else ties; joint 3's is stronger one way, and it and
 * joint 5's know their joints' limits; joint 4 has none. */
enum { ACTUATORS = 5 };
static const myr_actuator_def defs[ACTUATORS] = {
    {.name = "one", .n = 1, .joints = {0}, .moments = {1}, .kp = 40, .kd = 2, .lower = -6, .upper = 6, .control_scale = 1},
    {.name = "other", .n = 1, .joints = {0}, .moments = {-2}, .kp = 15, .kd = 1, .lower = -8, .upper = 8, .control_scale = 1},
    {.name = "tendon", .n = 2, .joints = {1, 2}, .moments = {0.5, -2}, .kp = 90, .kd = 4, .lower = -50, .upper = 50, .control_scale = 3},
    {.name = "uneven", .n = 1, .joints = {3}, .moments = {1.5}, .kp = 200, .kd = 9, .lower = -100, .upper = 5, .control_scale = 1},
    {.name = "light",
     .n = 1,
     .joints = {5},
     .moments = {1},
     .kp = -1,
     .kd = -1,
     .lower = -INFINITY,
     .upper = INFINITY,
     .control_scale = 0.5},
};

static myr_builder *sliders(void) {
    myr_builder *builder;
    MUST(myr_builder_create("sliders", &builder));
    for (int i = 0; i < JOINTS; i++) {
        static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
        myr_body_def body = myr_body_def_default();
        body.name = names[i], body.joint = MYR_JOINT_PRISMATIC;
        body.mass_kg = masses[i], body.damping = damping[i], body.armature = armature[i], body.effort_limit = limits[i];
        body.inertia_kgm2[0] = body.inertia_kgm2[1] = body.inertia_kgm2[2] = 0.01;
        MUST(myr_builder_body(builder, &body, NULL));
    }
    return builder;
}

static myr_actuator_def def_of(int u) {
    myr_actuator_def def = defs[u];
    def.control_lower = u == 2 ? -0.1 : -INFINITY, def.control_upper = u == 2 ? 0.2 : INFINITY;
    def.controls = u == 4 ? MYR_CONTROLS_TORQUE : MYR_CONTROLS_TARGET;
    def.control_bias = u == 4 ? 0.25 : 0;
    return def;
}

static myr_model *driven(void) {
    myr_builder *builder = sliders();
    myr_model *model;
    for (int u = 0; u < ACTUATORS; u++) {
        const myr_actuator_def def = def_of(u);
        MUST(myr_builder_actuator(builder, &def));
    }
    MUST(myr_builder_compile(builder, &model));
    myr_builder_free(builder);
    return model;
}

/* ---- the law ------------------------------------------------------------------------------------ */

typedef struct course {
    double q[JOINTS], v[JOINTS], target[ACTUATORS], torque[ACTUATORS];
} course;

/* Between -1 and 1, another number for each place. */
static double some(int k) { return 2 * fmod(0.6180339887498949 * (k + 1), 1.0) - 1; }

static course course_of(int env) {
    course c;
    const double size = env % 4 == 3 ? 40 : 1; /* every fourth is at its limits */
    for (int i = 0; i < JOINTS; i++) c.q[i] = 0.3 * some(31 * env + i), c.v[i] = size * some(17 * env + 5 * i + 2);
    for (int u = 0; u < ACTUATORS; u++) c.target[u] = size * some(7 * env + u), c.torque[u] = some(11 * env + 3 * u);
    return c;
}

static void step_by_hand(course *c, double dt) {
    double tau[JOINTS] = {0}, extra[JOINTS] = {0};
    for (int u = 0; u < ACTUATORS; u++) {
        const myr_actuator_def *a = &defs[u];
        double length = 0, rate = 0, whole = 0, lower = a->lower, upper = a->upper;
        for (int i = 0; i < a->n; i++) {
            length += a->moments[i] * c->q[a->joints[i]], rate += a->moments[i] * c->v[a->joints[i]];
            whole += fabs(a->moments[i]);
        }
        if (u >= 3) lower = fmax(lower, -limits[a->joints[0]] / a->moments[0]), upper = fmin(upper, limits[a->joints[0]] / a->moments[0]);
        const double kp = fmax(a->kp, 0), kd = fmax(a->kd, 0), spring = kp * (c->target[u] - length) + c->torque[u],
                     wish = spring - kd * rate;
        const int clamped = wish >= upper || wish <= lower;
        const double implicit = clamped ? 0 : kd + dt * kp;
        const double force = wish >= upper ? upper : wish <= lower ? lower : spring - implicit * rate;
        for (int i = 0; i < a->n; i++)
            tau[a->joints[i]] += a->moments[i] * force, extra[a->joints[i]] += fabs(a->moments[i]) * whole * implicit;
    }
    for (int i = 0; i < JOINTS; i++) {
        if (fabs(tau[i]) > limits[i]) tau[i] = copysign(limits[i], tau[i]), extra[i] = 0;
        const double mass = masses[i] + armature[i] + dt * (damping[i] + extra[i]);
        c->v[i] += dt * (tau[i] - damping[i] * c->v[i]) / mass;
        c->q[i] += dt * c->v[i];
    }
}

static void set_all(myr_batch *batch, myr_field field, int n, int width, size_t at) {
    double all[MOST_ENVS * JOINTS];
    for (int env = 0; env < n; env++) {
        const course c = course_of(env);
        memcpy(all + env * width, (const char *)&c + at, (size_t)width * sizeof *all);
    }
    MUST(myr_batch_set(batch, field, NULL, n, MYR_F64, all));
}

static void compare(const myr_model *model, const char *isa, const char *precision, const char *scheme, int n, uint64_t *hash) {
    enum { STEPS = 5 };
    const double dt = 0.004;
    const myr_settings settings =
        scene_settings("task", "none", "dt", "0.004", "isa", isa, "precision", precision, "dynamics", scheme, "spin-damping", "0", NULL);
    myr_batch *batch;
    MUST(myr_batch_create(model, n, &settings, &batch));
    double gravity[3 * MOST_ENVS] = {0}, q[MOST_ENVS * JOINTS], v[MOST_ENVS * JOINTS];
    MUST(myr_batch_set(batch, MYR_GRAVITY, NULL, n, MYR_F64, gravity));
    set_all(batch, MYR_Q, n, JOINTS, offsetof(course, q)), set_all(batch, MYR_V, n, JOINTS, offsetof(course, v));
    set_all(batch, MYR_TARGET, n, ACTUATORS, offsetof(course, target)), set_all(batch, MYR_TORQUE, n, ACTUATORS, offsetof(course, torque));
    MUST(myr_batch_step(batch, STEPS));
    MUST(myr_batch_get(batch, MYR_Q, NULL, n, MYR_F64, q));
    MUST(myr_batch_get(batch, MYR_V, NULL, n, MYR_F64, v));
    *hash = myr_batch_hash(batch);
    const double tolerance = strcmp(precision, "f64") ? 2e-5 : 1e-12;
    for (int env = 0; env < n; env++) {
        course c = course_of(env);
        for (int s = 0; s < STEPS; s++) step_by_hand(&c, dt);
        for (int i = 0; i < JOINTS; i++) {
            const double dv = fabs(v[env * JOINTS + i] - c.v[i]) / (1 + fabs(c.v[i])), dq = fabs(q[env * JOINTS + i] - c.q[i]);
            if (!(dv < tolerance && dq < tolerance))
                fail_msg("%s, %s, %s, robot %d of %d, joint %d: v %.12g, by hand %.12g; q %.12g, %.12g", isa, precision, scheme, env, n, i,
                         v[env * JOINTS + i], c.v[i], q[env * JOINTS + i], c.q[i]);
        }
    }
    myr_batch_free(batch);
}

static void lanes_follow_the_law(void **state) {
    (void)state;
    static const char *const precisions[] = {"f64", "f32"}, *const schemes[] = {"generalized", "maximal"};
    static const int counts[] = {1, 7, 8, 9, 15, 16, 17, 33};
    myr_model *model = driven();
    for (int p = 0; p < 2; p++)
        for (int s = 0; s < 2; s++)
            for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
                uint64_t first = 0, hash;
                for (int i = 0; isa_at(i); i++) {
                    compare(model, isa_at(i), precisions[p], schemes[s], counts[n], &hash);
                    if (first && hash != first) fail_msg("%s, %s, %d robots: other bits", isa_at(i), precisions[p], counts[n]);
                    first = hash;
                }
            }
    myr_model_free(model);
}

/* Springs of a tendon that are stiff beyond the step come to rest all the same: what the diagonal has is at least what they are. */
static void stiff_tendons_stay(void **state) {
    (void)state;
    myr_builder *builder = sliders();
    myr_actuator_def def = myr_actuator_def_default();
    def.n = 3;
    for (int i = 0; i < 3; i++) def.joints[i] = i, def.moments[i] = i == 1 ? -3 : 1;
    def.name = "stiff", def.kp = 1e7, def.kd = 1e3;
    MUST(myr_builder_actuator(builder, &def));
    myr_model *model;
    MUST(myr_builder_compile(builder, &model));
    myr_builder_free(builder);
    const myr_settings settings = scene_settings("task", "none", "dt", "0.01", "precision", "f64", NULL);
    myr_batch *batch;
    MUST(myr_batch_create(model, 1, &settings, &batch));
    const double weightless[3] = {0}, away[JOINTS] = {0.2, -0.1, 0.3};
    double q[JOINTS], target = 0.05;
    MUST(myr_batch_set(batch, MYR_GRAVITY, NULL, 1, MYR_F64, weightless));
    MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, away));
    MUST(myr_batch_set(batch, MYR_TARGET, NULL, 1, MYR_F64, &target));
    MUST(myr_batch_step(batch, 20000));
    MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
    assert_true(fabs(q[0] - 3 * q[1] + q[2] - target) < 1e-3);
    for (int i = 0; i < 3; i++) assert_true(fabs(q[i]) < 10);
    myr_batch_free(batch);
    myr_model_free(model);
}

/* ---- what is asked ------------------------------------------------------------------------------ */

static void models_tell_of_them(void **state) {
    (void)state;
    myr_model *model = driven();
    myr_model_info size;
    myr_model_get_info(model, &size);
    assert_int_equal(size.nu, ACTUATORS);
    static const int acts[JOINTS] = {0, 2, 2, 3, -1, 4};
    static const double efforts[JOINTS] = {9, 25, 100, 30, 0, 2}; /* own, or what can be given: 0 where nothing acts */
    for (int i = 0; i < JOINTS; i++) {
        myr_joint_info joint;
        MUST(myr_model_get_joint(model, i, &joint));
        assert_int_equal(joint.u, acts[i]);
        assert_true(joint.effort_limit == efforts[i]);
    }
    for (int u = 0; u < ACTUATORS; u++) {
        myr_actuator_info info;
        MUST(myr_model_get_actuator(model, u, &info));
        assert_string_equal(info.name, defs[u].name);
        assert_int_equal(info.n, defs[u].n);
        assert_true(info.moments[0] == defs[u].moments[0] && info.kp == defs[u].kp && info.joints[0] == defs[u].joints[0]);
        assert_true(info.home_torque == (u == 4 ? 0.25 : 0) && info.home_target == 0);
    }
    myr_actuator_info info;
    MUST(myr_model_get_actuator(model, 3, &info));
    assert_true(info.lower == -20 && info.upper == 5); /* 30 N of the joint over 1.5 */
    MUST_FAIL(myr_model_get_actuator(model, ACTUATORS, &info), MYR_E_ARG, "5 actuators");
    MUST_FAIL(myr_model_get_actuator(model, -1, &info), MYR_E_ARG, "5 actuators");
    myr_model_free(model);
}

/* Without a word of actuators each joint has its own; with one, or none after `passive`, only those. */
static void joints_have_their_own_until_somebody_speaks(void **state) {
    (void)state;
    for (int spoken = 0; spoken < 3; spoken++) {
        myr_builder *builder = sliders();
        const myr_actuator_def def = def_of(4);
        if (spoken == 1) MUST(myr_builder_passive(builder));
        if (spoken == 2) MUST(myr_builder_actuator(builder, &def));
        myr_model *model;
        MUST(myr_builder_compile(builder, &model));
        myr_model_info size;
        myr_model_get_info(model, &size);
        assert_int_equal(size.nu, spoken == 0 ? JOINTS : spoken == 1 ? 0 : 1);
        const myr_settings settings = scene_settings("task", "none", NULL);
        myr_batch *batch;
        MUST(myr_batch_create(model, 3, &settings, &batch));
        MUST(myr_batch_step(batch, 3));
        myr_batch_free(batch);
        myr_model_free(model);
        myr_builder_free(builder);
    }
}

/* What a file calls control is kept in its range, scaled, shifted; by the call and in a rollout the same, and read back. */
static void controls_become_targets_and_torques(void **state) {
    (void)state;
    myr_model *model = driven();
    const double control[2][ACTUATORS] = {{0.1, -0.2, 5, 0.3, 2}, {-3, 2, -9, 0.25, -1}},
                 target[2][ACTUATORS] = {{0.1, -0.2, 0.6, 0.3, 0}, {-3, 2, -0.3, 0.25, 0}}, light[2] = {1.25, -0.25};
    for (int p = 0; p < 2; p++) {
        const myr_settings settings = scene_settings("task", "none", "precision", p ? "f32" : "f64", NULL);
        myr_batch *set, *rolled;
        MUST(myr_batch_create(model, 2, &settings, &set));
        MUST(myr_batch_create(model, 2, &settings, &rolled));
        MUST(myr_batch_set(set, MYR_CONTROL, NULL, 2, MYR_F64, control));
        const double exact = p ? 1e-6 : 1e-15;
        double got[2][ACTUATORS], torque[2][ACTUATORS], back[2][ACTUATORS];
        MUST(myr_batch_get(set, MYR_TARGET, NULL, 2, MYR_F64, got));
        MUST(myr_batch_get(set, MYR_TORQUE, NULL, 2, MYR_F64, torque));
        MUST(myr_batch_get(set, MYR_CONTROL, NULL, 2, MYR_F64, back));
        for (int env = 0; env < 2; env++) {
            for (int u = 0; u < ACTUATORS; u++) {
                assert_true(fabs(got[env][u] - target[env][u]) < exact);
                assert_true(fabs(torque[env][u] - (u == 4 ? light[env] : 0)) < exact);
                assert_true(fabs(back[env][u] - (u == 2 ? (env ? -0.1 : 0.2) : control[env][u])) < 2 * exact);
            }
        }
        const myr_rollout rollout = {.steps = 1, .control_field = MYR_CONTROL, .type = MYR_F64, .control = control};
        uint64_t one, other;
        MUST(myr_batch_step(set, 1));
        MUST(myr_batch_rollout(rolled, &rollout));
        one = myr_batch_hash(set);
        other = myr_batch_hash(rolled);
        assert_true(one == other);
        myr_batch_free(set), myr_batch_free(rolled);
    }
    myr_model_free(model);
}

static void settings_go_before_own_gains(void **state) {
    (void)state;
    myr_model *model = driven();
    double kp[ACTUATORS];
    for (int k = 0; k < 2; k++) {
        const myr_settings settings = scene_settings("task", "none", k ? "kp" : NULL, "7", NULL);
        myr_batch *batch;
        MUST(myr_batch_create(model, 1, &settings, &batch));
        MUST(myr_batch_get(batch, MYR_KP, NULL, 1, MYR_F64, kp));
        for (int u = 0; u < ACTUATORS; u++) assert_true(kp[u] == (k ? 7 : fmax(defs[u].kp, 0)));
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

/* ---- refusals ------------------------------------------------------------------------------------ */

/* MuJoCo keeps one actuator for each class: the words of a class count for whatever word its element has, and motors begin anew. Numbers as
 * MuJoCo 4.0.0 has them. */
static void classes_have_one_actuator(void **state) {
    (void)state;
    static const char file[] =
        "<mujoco><default><position kp=\"5\" kv=\"0.5\"/><default class=\"g\"><general biasprm=\"3 -4\"/></default>"
        "<default class=\"v\"><velocity kv=\"7\"/></default></default><worldbody><body pos=\"0 0 1\"><joint name=\"a\"/>"
        "<geom size=\".1\"/></body></worldbody><actuator><general name=\"0\" joint=\"a\"/><motor name=\"1\" joint=\"a\"/>"
        "<position name=\"2\" joint=\"a\" kp=\"6\"/><general name=\"3\" joint=\"a\" class=\"g\"/><velocity name=\"4\" joint=\"a\"/>"
        "<position name=\"5\" joint=\"a\" class=\"v\"/></actuator></mujoco>";
    static const double wanted[][4] = {{5, 0.5, 1, 0}, {0, 0, 1, 0}, {6, 0.5, 1, 0}, {4, 0.5, 1.25, 0.75}, {0, 1, 1, 0}, {5, 0.5, 1, 0}};
    myr_model *model;
    MUST(myr_model_open_text(file, strlen(file), "file", NULL, &model));
    for (int u = 0; u < 6; u++) {
        myr_actuator_info a;
        MUST(myr_model_get_actuator(model, u, &a));
        const double is[] = {a.kp, a.kd, a.control_scale, a.control_bias};
        for (int k = 0; k < 4; k++)
            if (is[k] != wanted[u][k]) fail_msg("actuator %d, number %d: %g, not %g", u, k, is[k], wanted[u][k]);
    }
    myr_model_free(model);
}

/* A joint's limit is as much both ways: one that is not is its actuator's. Of several it is named. */
static void ranges_of_joints_go_to_their_actuator(void **state) {
    (void)state;
    static const char file[] =
        "<mujoco><worldbody><body pos=\"0 0 1\"><joint name=\"a\" actuatorfrcrange=\"-2 5\"/><geom size=\".1\"/><body>"
        "<joint name=\"b\" actuatorfrcrange=\"-3 4\"/><geom size=\".1\"/></body></body></worldbody><actuator>"
        "<motor joint=\"a\" gear=\"-2\" forcerange=\"-1 9\"/><motor joint=\"b\"/><motor joint=\"b\"/></actuator></mujoco>";
    myr_model *model;
    myr_model_info info;
    myr_actuator_info a;
    MUST(myr_model_open_text(file, strlen(file), "file", NULL, &model));
    MUST(myr_model_get_actuator(model, 0, &a));
    assert_true(a.lower == -2 && a.upper == 2); /* the gear turns -1 .. 9 into -18 .. 2 */
    myr_model_get_info(model, &info);
    assert_int_equal(info.n_warnings, 1);
    assert_non_null(
        strstr(myr_model_warning(model, 0), "an actuatorfrcrange that is not the same both ways counts by its smaller side: b"));
    myr_model_free(model);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    myr_builder *builder = sliders();
    myr_body_def free_body = myr_body_def_default();
    free_body.name = "free", free_body.joint = MYR_JOINT_FREE, free_body.mass_kg = 1;
    MUST(myr_builder_body(builder, &free_body, NULL));
    const struct {
        const char *word;
        myr_actuator_def def;
    } bad[] = {
        {"n is 0", {.n = 0}},
        {"n is 9", {.n = 9}},
        {"a joint is -1", {.n = 1, .joints = {-1}}},
        {"a joint is 99", {.n = 1, .joints = {99}}},
        {"one degree of freedom", {.n = 1, .joints = {JOINTS}}},
        {"comes twice", {.n = 2, .joints = {1, 1}}},
        {"moments[0]", {.n = 1, .moments = {NAN}}},
        {"moments[0]", {.n = 1, .moments = {INFINITY}}},
        {"kp is", {.n = 1, .kp = NAN}},
        {"kd is", {.n = 1, .kd = 1e300}},
        {"0 must lie between", {.n = 1, .lower = 1, .upper = 2}},
        {"0 must lie between", {.n = 1, .lower = NAN}},
        {"control_lower", {.n = 1, .control_lower = 2, .control_upper = 1}},
        {"control_scale", {.n = 1, .control_scale = INFINITY}},
        {"controls is 7", {.n = 1, .controls = (myr_controls)7}},
        {"needs a name", {.n = 1, .name = ""}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) MUST_FAIL(myr_builder_actuator(builder, &bad[i].def), MYR_E_ARG, bad[i].word);
    const myr_actuator_def good = def_of(0);
    MUST(myr_builder_actuator(builder, &good));
    MUST_FAIL(myr_builder_actuator(builder, &good), MYR_E_ARG, "another one");
    MUST_FAIL(myr_builder_actuator(NULL, &good), MYR_E_ARG, "builder");
    MUST_FAIL(myr_builder_actuator(builder, NULL), MYR_E_ARG, "def");
    MUST_FAIL(myr_builder_passive(NULL), MYR_E_ARG, "builder");
    myr_builder_free(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_follow_the_law),
        cmocka_unit_test(stiff_tendons_stay),
        cmocka_unit_test(models_tell_of_them),
        cmocka_unit_test(joints_have_their_own_until_somebody_speaks),
        cmocka_unit_test(controls_become_targets_and_torques),
        cmocka_unit_test(settings_go_before_own_gains),
        cmocka_unit_test(classes_have_one_actuator),
        cmocka_unit_test(ranges_of_joints_go_to_their_actuator),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
