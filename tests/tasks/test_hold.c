/* ctest: threads
 * The task hold: its terms, ends and observation as docs/tasks.md has them, in scalar; the same bits for any number of environments,
 * threads and any instruction set, for robots that are fixed to the world and that float, with loops and without. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/act_scene.h"
#include "support/isas.h"
#include "model/model.h"
#include "support/model_scene.h"
#include "reference/setting.h"

enum { STEPS = 80, MOST = 64 };

static const char *const precisions[] = {"f32", "f64"};
static const struct {
    const char *file;
    myr_root root;
    int n_obs;
} robots[] = {{"double-pendulum", MYR_ROOT_FIXED, 6},
              {"biped", MYR_ROOT_FLOATING, 48},
              {"tests/models/gripper.urdf", MYR_ROOT_FIXED, 12},
              {"tests/models/linkage.urdf", MYR_ROOT_FLOATING, 30},
              {"tests/models/crane.xml", MYR_ROOT_AUTO, 18}};
/* PLAIN: whose joints have an actuator each; the page in scalar is theirs */
enum { ROBOTS = sizeof robots / sizeof *robots, PLAIN = ROBOTS - 1 };

static myr_model *load(int which) {
    char path[512];
    myr_model *model = NULL;
    const char *file = robots[which].file;
    snprintf(path, sizeof path, "%s/%s", getenv("MYRIAPOD_SOURCE"), file);
    MUST(myr_model_load(strchr(file, '/') ? path : file, robots[which].root, &model));
    return model;
}

/* Short episodes in which all happens. What would have no effect is refused: friction where nothing may touch, the centre of mass of a base
 * that slides. */
static myr_settings lively(const myr_model *model, const char *isa, const char *precision) {
    myr_model_info info;
    myr_joint_info base;
    myr_model_get_info(model, &info);
    MUST(myr_model_get_joint(model, 0, &base));
    const char *com = base.type == MYR_JOINT_PRISMATIC ? "0" : "0.01", *friction = info.n_slots > 0 && !info.hangs_below ? "0.7" : "1";
    return act_settings("task", "hold", "isa", isa, "precision", precision, "episode", "0.7", "push-interval", "0.2", "vary-mass", "0.1",
                        "vary-com", com, "vary-gains", "0.1", "vary-delay", "0.01", "vary-friction-low", friction, "hold-termination", "-1",
                        "hold-reach", "0.6", "start-angle", "0.3", "first-env", "700", NULL);
}

static act_arrays run(const myr_model *model, const myr_settings *settings, int64_t envs, int64_t chunk, uint64_t *hash) {
    myr_batch *batch = act_batch(model, envs, settings);
    act_arrays out = act_open(batch, envs, STEPS);
    act_actions(&out, settings->first_env, 2);
    act_run(batch, &out, 0, 0, STEPS, chunk, MYR_AUTORESET_SAME_STEP);
    *hash = myr_batch_hash(batch);
    myr_batch_free(batch);
    return out;
}

static void threads_and_instruction_sets_change_no_bits(void **state) {
    (void)state;
    static const char *const threads[] = {"1", "2", "3"};
    for (int r = 0; r < ROBOTS; r++) {
        myr_model *model = load(r);
        for (int p = 0; p < 2; p++) {
            myr_settings settings = lively(model, isa_at(0), precisions[p]);
            uint64_t wanted, hash;
            act_arrays base = run(model, &settings, 37, STEPS, &wanted);
            int failed = 0, times = 0;
            for (int64_t row = 0; row < 37 * STEPS; row++) failed += base.terminated[row], times += base.truncated[row];
            if (!(failed > 0 || times > 5)) fail_msg("%s: %d failed, %d times", robots[r].file, failed, times);
            for (int i = 0; isa_at(i); i++)
                for (int t = 0; t < 3; t++) {
                    snprintf(settings.isa, sizeof settings.isa, "%s", isa_at(i));
                    MUST(myr_settings_set(&settings, "threads", threads[t]));
                    act_arrays other = run(model, &settings, 37, t ? 7 : STEPS, &hash);
                    act_assert_same(robots[r].file, &other, &base);
                    assert_true(hash == wanted);
                    act_close(&other);
                }
            act_close(&base);
        }
        myr_model_free(model);
    }
}

/* Tiles that are full and that are not: an environment does not know how many there are. */
static void neighbours_change_no_bits(void **state) {
    (void)state;
    for (int r = 0; r < ROBOTS; r++) {
        myr_model *model = load(r);
        for (int i = 0; isa_at(i); i++)
            for (int p = 0; p < 2; p++) {
                const int W = p ? 8 : 16, edges[] = {1, W - 1, W, W + 1};
                const myr_settings settings = lively(model, isa_at(i), precisions[p]);
                uint64_t hash;
                act_arrays all = run(model, &settings, W + 1, STEPS, &hash);
                myr_batch *none = NULL;
                MUST_FAIL(myr_batch_create(model, 0, &settings, &none), MYR_E_ARG, "envs is 0");
                for (int e = 0; e < 3; e++) {
                    act_arrays some = run(model, &settings, edges[e], STEPS, &hash), part = all;
                    part.envs = edges[e]; /* the first of all */
                    act_assert_same(robots[r].file, &some, &part);
                    act_close(&some);
                }
                act_close(&all);
            }
        myr_model_free(model);
    }
}

/* ---- the page in scalar ---------------------------------------------------------------------------------------------- */

typedef struct seen {
    double q[MOST], v[MOST], target[MOST], action[MOST], kp[MOST], kd[MOST];
} seen;

static void look(const myr_batch *batch, int64_t env, seen *s) {
    const struct {
        myr_field field;
        double *to;
    } fields[] = {{MYR_Q, s->q}, {MYR_V, s->v}, {MYR_TARGET, s->target}, {MYR_ACTION, s->action}, {MYR_KP, s->kp}, {MYR_KD, s->kd}};
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        assert_true(myr_batch_components(batch, fields[f].field) <= MOST);
        MUST(myr_batch_get(batch, fields[f].field, &env, 1, MYR_F64, fields[f].to));
    }
}

/* World to base. */
static void into_base(const double q[4], const double a[3], double out[3]) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double R[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                            {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                            {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    for (int k = 0; k < 3; k++) out[k] = R[0][k] * a[0] + R[1][k] * a[1] + R[2][k] * a[2];
}

static void near(const char *what, double got, double wanted) {
    if (!(fabs(got - wanted) <= 1e-12 * (1 + fabs(wanted)))) fail_msg("%s is %.17g, not %.17g", what, got, wanted);
}

static void judge_step(const myr_model *m, const myr_settings *s, const act_arrays *out, int64_t row, const seen *now, const seen *before,
                       int *tilted, int *far) {
    static const double down[3] = {0, 0, -1};
    const int floats = m->bodies[0].joint == MYR_JOINT_FREE, base = floats ? 9 : 0;
    const double *o = out->observation + row * out->n_obs, *t = out->terms + row * out->n_terms, control = 0.02;
    double error = 0, speed = 0, effort = 0, change = 0, reach = 0, upright = 1, height = 0;
    for (int u = 0; u < m->nu; u++) {
        const myr_body *body = &m->bodies[m->actuators[u].joint[0]];
        const double off = now->q[body->q] - m->home[body->q], v = now->v[body->v];
        const double torque = now->kp[u] * (now->target[u] - now->q[body->q]) - now->kd[u] * v;
        error += off * off, speed += v * v, reach = fmax(reach, fabs(off));
        if (isfinite(body->effort_limit)) effort += pow(fmin(fmax(torque / body->effort_limit, -1), 1), 2);
        change += pow(now->action[u] - before->action[u], 2);
        near("an angle", o[base + u], s->scale_angle * off);
        near("a speed", o[base + m->nu + u], s->scale_speed * v);
        near("an action", o[base + 2 * m->nu + u], now->action[u]);
    }
    if (floats) {
        double linear[3], sight[3], home[3];
        into_base(now->q + 3, now->v, linear);
        into_base(now->q + 3, down, sight);
        into_base(m->home + 3, down, home);
        for (int k = 0; k < 3; k++) {
            near("a velocity", o[k], s->scale_linear * linear[k]);
            near("a rate", o[3 + k], s->scale_angular * now->v[3 + k]);
            near("down", o[6 + k], sight[k]);
        }
        upright = sight[0] * home[0] + sight[1] * home[1] + sight[2] * home[2];
        height = pow(now->q[2] - m->home[2], 2);
    }
    *tilted = upright<cos(s->fall_tilt), *far = reach> reference_setting(s, "hold-reach");
    const int fails = *tilted || *far;
    const double n = m->nu, width = reference_setting(s, "hold-width");
    const double wanted[] = {reference_setting(s, "hold-pose") * exp(-error / n / width),
                             reference_setting(s, "hold-tilt") * (1 - upright),
                             reference_setting(s, "hold-height") * height,
                             reference_setting(s, "hold-speed") * speed / n,
                             reference_setting(s, "hold-effort") * effort / n,
                             reference_setting(s, "hold-action-rate") * change / n,
                             reference_setting(s, "hold-termination") * fails};
    assert_int_equal(out->n_terms, sizeof wanted / sizeof *wanted);
    double sum = 0;
    for (int k = 0; k < out->n_terms; k++) {
        near(myr_task_reward_name("hold", k), t[k], control * wanted[k]);
        if (k < out->n_terms - 1) sum += control * wanted[k];
    }
    near("the reward", out->reward[row], fmax(sum, 0) + control * wanted[out->n_terms - 1]);
    assert_int_equal(out->terminated[row], fails);
}

static void terms_and_ends_are_those_of_the_page(void **state) {
    (void)state;
    int tilts = 0, reaches = 0, times = 0;
    for (int r = 0; r < PLAIN; r++) {
        myr_model *model = load(r);
        const myr_settings settings =
            act_settings("task", "hold", "precision", "f64", "noise-linear", "0", "noise-angular", "0", "noise-gravity", "0", "noise-angle",
                         "0", "noise-speed", "0", "push-speed", "0", "vary-gains", "0.2", "episode", "0.6", "hold-reach", "0.5",
                         "hold-tilt", "-0.7", "hold-height", "-3", "hold-termination", "-2", NULL);
        enum { ENVS = 5 };
        myr_batch *batch = act_batch(model, ENVS, &settings);
        act_arrays out = act_open(batch, ENVS, STEPS);
        assert_int_equal(out.n_obs, robots[r].n_obs);
        act_actions(&out, 3, 2);
        int over[ENVS] = {0};
        for (int64_t step = 0; step < 40; step++) {
            seen before[ENVS], now;
            for (int64_t env = 0; env < ENVS; env++) look(batch, env, &before[env]);
            act_run(batch, &out, 0, step, step + 1, 1, MYR_AUTORESET_DISABLED);
            for (int64_t env = 0; env < ENVS; env++) {
                const int64_t row = act_at(&out, env, step);
                int tilted, far;
                if (over[env]) continue;
                look(batch, env, &now);
                judge_step(model, &settings, &out, row, &now, &before[env], &tilted, &far);
                assert_int_equal(out.truncated[row], step == 29 && !out.terminated[row]);
                tilts += tilted, reaches += far, times += out.truncated[row];
                over[env] = out.terminated[row] || out.truncated[row];
            }
        }
        act_close(&out);
        myr_batch_free(batch);
        myr_model_free(model);
    }
    assert_true(tilts > 0 && reaches > 0 && times > 0);
}

/* ---- at all ----------------------------------------------------------------------------------------------------------- */

static void a_fixed_robot_keeps_its_pose(void **state) {
    (void)state;
    for (int r = 0; r < ROBOTS; r++) {
        if (robots[r].root != MYR_ROOT_FIXED) continue;
        myr_model *model = load(r);
        const myr_settings settings = act_settings("task", "hold", NULL);
        myr_batch *batch = act_batch(model, 16, &settings);
        const myr_act act = {.steps = 150, .type = MYR_F64};
        MUST(myr_batch_act(batch, &act));
        for (int64_t env = 0; env < 16; env++) {
            seen s;
            look(batch, env, &s);
            for (int u = 0; u < model->nu; u++) { /* what its weight makes of it; what is not actuated may hang as it likes */
                const int k = model->bodies[model->actuators[u].joint[0]].q;
                if (!(fabs(s.q[k] - model->home[k]) < 0.2)) fail_msg("%s: q[%d] is %g", robots[r].file, k, s.q[k]);
            }
        }
        myr_batch_free(batch);
        myr_model_free(model);
    }
}

static void what_cannot_hold_is_told_so(void **state) {
    (void)state;
    myr_model *cube = NULL, *pendulum = load(0);
    myr_batch *batch = NULL;
    MUST(myr_model_load("cube", MYR_ROOT_AUTO, &cube));
    myr_settings settings = act_settings("task", "hold", NULL);
    MUST_FAIL(myr_batch_create(cube, 1, &settings, &batch), MYR_E_ARG, "actuators");
    MUST(myr_settings_set(&settings, "vary-delay", "0.5"));
    MUST_FAIL(myr_batch_create(pendulum, 1, &settings, &batch), MYR_E_ARG, "vary-delay");
    MUST(myr_settings_set(&settings, "task", "none"));
    MUST(myr_settings_set(&settings, "vary-delay", "0"));
    batch = act_batch(pendulum, 1, &settings);
    const myr_act act = {.steps = 1, .type = MYR_F64};
    MUST_FAIL(myr_batch_act(batch, &act), MYR_E_STATE, "'hold'");
    myr_batch_free(batch);
    myr_model_free(cube);
    myr_model_free(pendulum);
}

/* The list of tasks is that of the setting, and terms have names where there are control steps. */
static void tasks_have_names(void **state) {
    (void)state;
    int holds = 0;
    for (int i = 0; myr_task_name(i); i++) {
        const char *name = myr_task_name(i);
        const int terms = myr_task_reward_count(name);
        myr_settings settings = myr_settings_default();
        MUST(myr_settings_set(&settings, "task", name));
        holds += strcmp(name, "hold") == 0;
        for (int k = 0; k < terms; k++) assert_true(*myr_task_reward_name(name, k) && *myr_task_reward_doc(name, k));
        assert_null(myr_task_reward_name(name, terms));
        assert_null(myr_task_reward_doc(name, -1));
        myr_task_info task;
        MUST(myr_task_get(name, &task));
        assert_string_equal(task.name, name);
        assert_int_equal(task.n_rewards, terms);
        assert_int_equal(task.needs_actuators, strcmp(name, "hold") == 0);
        assert_int_equal(task.needs_quadruped, strcmp(name, "hold") != 0 && strcmp(name, "none") != 0);
        assert_int_equal(task.sets_targets, strcmp(name, "trot") == 0 || strcmp(name, "random") == 0);
        if (terms) assert_string_equal(myr_task_reward_name(name, terms - 1), "termination");
    }
    assert_int_equal(holds, 1);
    assert_null(myr_task_name(-1));
    myr_task_info none;
    assert_int_equal(myr_task_get("somersault", &none), MYR_E_ARG);
    assert_int_equal(myr_task_get(NULL, &none), MYR_E_ARG);
    assert_int_equal(myr_task_get("auto", &none), MYR_E_ARG);
    assert_int_equal(myr_task_get("hold", NULL), MYR_E_ARG);
    assert_int_equal(myr_task_reward_count("somersault"), 0);
    assert_int_equal(myr_task_reward_count(NULL), 0);
    assert_int_equal(myr_task_reward_count("locomotion"), myr_reward_count());
}

/* An arm of one link, 2 kg and half a metre, in this gravity along this axis; its gains of the task. */
static void gains_in(double x, double z, double *kp, double *kd) {
    char text[512];
    myr_batch *batch = NULL;
    snprintf(text, sizeof text,
             "<mujoco><option gravity='%g 0 %g'/><worldbody><body><joint name='a' axis='0 1 0'/><geom size='.1' mass='1'/>"
             "<body pos='0 0 -.5'><joint name='b' axis='0 1 0'/><geom size='.1' mass='1'/></body></body></worldbody>"
             "<actuator><motor joint='a'/><motor joint='b'/></actuator></mujoco>",
             x, z);
    myr_model *model = scene_read(text);
    const myr_settings settings = scene_settings("task", "hold", NULL);
    const int64_t env = 0;
    double both[2];
    MUST(myr_batch_create(model, 1, &settings, &batch));
    MUST(myr_batch_get(batch, MYR_KP, &env, 1, MYR_F64, both));
    *kp = both[0];
    MUST(myr_batch_get(batch, MYR_KD, &env, 1, MYR_F64, both));
    *kd = both[0];
    myr_batch_free(batch);
    myr_model_free(model);
}

/* 3 m g l and 0.1 sqrt(l / g) of it, in the gravity that the model has; where it has next to none, in Earth's. */
static void gains_go_by_the_models_gravity(void **state) {
    (void)state;
    static const struct {
        double x, z, g;
    } cases[] = {{0, -9.81, 9.81}, {0, -1.62, 1.62}, {0, -24.8, 24.8}, {3, -4, 5}, {0, 3.7, 3.7}, {0, 0, 9.81}, {0, -1e-3, 9.81}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double kp, kd;
        gains_in(cases[k].x, cases[k].z, &kp, &kd);
        const double wanted = 3 * 2 * cases[k].g * 0.5;
        assert_true(fabs(kp - wanted) < 1e-6 * wanted);
        assert_true(fabs(kd - 0.1 * sqrt(0.5 / cases[k].g) * wanted) < 1e-6 * wanted);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_instruction_sets_change_no_bits),
        cmocka_unit_test(neighbours_change_no_bits),
        cmocka_unit_test(terms_and_ends_are_those_of_the_page),
        cmocka_unit_test(a_fixed_robot_keeps_its_pose),
        cmocka_unit_test(what_cannot_hold_is_told_so),
        cmocka_unit_test(tasks_have_names),
        cmocka_unit_test(gains_go_by_the_models_gravity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
