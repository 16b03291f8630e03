/* One bad robot harms no other, and every robot has its own fate.
 *
 * Environments that are given impossible numbers, or speeds beyond the limit, are quarantined: the reason is reported, they stay
 * at their last good state, and no bit of any other environment changes. An environment goes through the same bits alone in a
 * batch as among others, down to the sign of a zero. Every instruction set and both precisions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/isas.h"
#include "kernels/kernels.h"
#include "support/random_model.h"

enum { ENVS = 37, BEFORE = 60, AFTER = 40 }; /* tiles of 16 and 8, the last one ragged */

static const char *const precisions[] = {"f32", "f64"};
/* Everything that can be read of an environment, in doubles, field after field; free() it. */
static double *all_of(const myr_batch *batch, int64_t env, size_t *count) {
    size_t total = 0, at = 0;
    for (int f = 0; f < MYR_FIELD_COUNT; f++) total += (size_t)myr_batch_components(batch, (myr_field)f);
    double *all = malloc(total * sizeof *all);
    assert_non_null(all);
    for (int f = 0; f < MYR_FIELD_COUNT; f++) {
        const int c = myr_batch_components(batch, (myr_field)f);
        if (c > 0) MUST(myr_batch_get(batch, (myr_field)f, &env, 1, MYR_F64, all + at));
        at += (size_t)c;
    }
    *count = total;
    return all;
}

static const char *field_at(const myr_batch *batch, size_t i) {
    static const char *const names[] = {"q",
                                        "v",
                                        "impulse",
                                        "target",
                                        "torque",
                                        "kp",
                                        "kd",
                                        "damping",
                                        "armature",
                                        "friction",
                                        "gravity",
                                        "mass",
                                        "com",
                                        "inertia",
                                        "wrench",
                                        "acceleration",
                                        "body_pose",
                                        "body_velocity",
                                        "contact_point",
                                        "contact_normal",
                                        "contact_depth",
                                        "iterations",
                                        "residual",
                                        "residual_ncp",
                                        "solve_status",
                                        "clock",
                                        "command",
                                        "action",
                                        "delay",
                                        "time",
                                        "episode",
                                        "quarantined",
                                        "row_impulse",
                                        "lower",
                                        "upper",
                                        "dry_friction",
                                        "loop_impulse",
                                        "control",
                                        "ground_at",
                                        "patch",
                                        "world_at",
                                        "strength",
                                        "encoder_bias",
                                        "activation",
                                        "sensors",
                                        "group_friction",
                                        "memory",
                                        "history"};
    _Static_assert(sizeof names / sizeof *names == MYR_FIELD_COUNT, "a name per field");
    for (int f = 0; f < MYR_FIELD_COUNT; f++) {
        const size_t c = (size_t)myr_batch_components(batch, (myr_field)f);
        if (i < c) return names[f];
        i -= c;
    }
    return "?";
}

/* Bit for bit, so that -0 is not 0. */
static void assert_same(const char *what, const myr_batch *a, int64_t i, const myr_batch *b, int64_t j) {
    size_t count, other;
    double *x = all_of(a, i, &count), *y = all_of(b, j, &other);
    assert_int_equal(count, other);
    for (size_t k = 0; k < count; k++)
        if (memcmp(x + k, y + k, sizeof *x) != 0)
            fail_msg("%s: environment %lld differs in %s: %.17g, not %.17g", what, (long long)i, field_at(a, k), x[k], y[k]);
    free(x);
    free(y);
}

static myr_batch *open_batch(const myr_model *model, const char *isa, const char *precision, const char *task, const char *solver,
                             int64_t envs, int64_t first) {
    myr_settings settings = scene_settings("isa", isa, "precision", precision, "task", task, "solver", solver, "threads", "1",
                                           /* of sweeps that do not converge the first few hundred tell */
                                           "max-sweeps", strcmp(solver, "bisection") == 0 ? "0" : "500", NULL);
    settings.first_env = first;
    myr_batch *batch = NULL;
    settings.sense_acceleration = settings.sense_bodies = settings.sense_contacts = 1;
    MUST(myr_batch_create(model, envs, &settings, &batch));
    return batch;
}

/* ---- one bad robot -------------------------------------------------------------------------------------------------- */

/* What is fed to an environment, and which reason it must give (0: any). */
typedef struct poison {
    const char *what;
    myr_field field;
    int component;
    double value;
    myr_quarantine reason;
} poison;

/* The reasons are those of double precision; in floats what overflows is not finite either. */
static const poison poisons[] = {
    {"NaN torque", MYR_TORQUE, 4, NAN, MYR_QUARANTINE_NOT_FINITE},
    {"speed of 1e30", MYR_V, 2, 1e30, 0},
    {"turning at 1e30", MYR_V, 7, 1e30, 0},
    {"speed of 2e6", MYR_V, 0, 2e6, MYR_QUARANTINE_SPEED},
    {"infinite position", MYR_Q, 0, INFINITY, MYR_QUARANTINE_NOT_FINITE},
    {"NaN angle", MYR_Q, 9, NAN, MYR_QUARANTINE_NOT_FINITE},
    {"NaN target", MYR_TARGET, 0, NAN, MYR_QUARANTINE_NOT_FINITE},
    {"infinite force", MYR_WRENCH, 2, -INFINITY, MYR_QUARANTINE_NOT_FINITE},
    {"NaN gravity", MYR_GRAVITY, 1, NAN, MYR_QUARANTINE_PARAMETER},
    {"NaN mass", MYR_MASS, 3, NAN, MYR_QUARANTINE_PARAMETER},
    {"NaN impulse of a foot", MYR_IMPULSE, 3 * 8 + 2, NAN, MYR_QUARANTINE_NOT_FINITE}, /* slot 8 is a foot that stands */
    {"NaN friction", MYR_FRICTION, 0, NAN, MYR_QUARANTINE_PARAMETER},
};
enum { POISONS = sizeof poisons / sizeof *poisons };

/* All the places of a tile of 16 lanes: first, last, within each part, and in the ragged end. */
static int64_t bad_env(int p) { return (int64_t)(p * 3 % ENVS); }

static void feed(myr_batch *batch, const poison *p, int64_t env) {
    double values[200];
    assert_in_range(myr_batch_components(batch, p->field), p->component + 1, 200);
    MUST(myr_batch_get(batch, p->field, &env, 1, MYR_F64, values));
    values[p->component] = p->value;
    MUST(myr_batch_set(batch, p->field, &env, 1, MYR_F64, values));
}

/* q and v as they are, in the bits of the batch. */
static void read_motion(const myr_batch *batch, int64_t env, double motion[37]) {
    MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, motion));
    MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, motion + 19));
}

static void poison_and_compare(const myr_model *model, const char *isa, const char *precision) {
    myr_batch *healthy = open_batch(model, isa, precision, "stand", "bisection", ENVS, 0),
              *poisoned = open_batch(model, isa, precision, "stand", "bisection", ENVS, 0);
    MUST(myr_batch_step(healthy, BEFORE));
    MUST(myr_batch_step(poisoned, BEFORE));
    double last_good[POISONS][37], time[POISONS];
    for (int p = 0; p < POISONS; p++) {
        const int64_t env = bad_env(p);
        feed(poisoned, &poisons[p], env);
        read_motion(poisoned, env, last_good[p]);
        MUST(myr_batch_get(poisoned, MYR_TIME, &env, 1, MYR_F64, &time[p]));
    }
    /* The healthy batch sets nothing, so it has no wrenches, and its parameters are the model's: that must give the same bits. */
    for (int step = 0; step < AFTER; step += AFTER / 2) {
        MUST(myr_batch_step(healthy, AFTER / 2));
        MUST(myr_batch_step(poisoned, AFTER / 2));
    }
    for (int64_t env = 0; env < ENVS; env++) {
        int bad = -1;
        for (int p = 0; p < POISONS; p++)
            if (bad_env(p) == env) bad = p;
        double reason, motion[37], now;
        MUST(myr_batch_get(poisoned, MYR_QUARANTINED, &env, 1, MYR_F64, &reason));
        if (bad < 0) {
            assert_true(reason == MYR_HEALTHY);
            assert_same(precision, poisoned, env, healthy, env);
            continue;
        }
        const poison *p = &poisons[bad];
        if (reason == MYR_HEALTHY) fail_msg("%s, %s: %s goes on", isa, precision, p->what);
        if (p->reason && (int)reason != (int)p->reason) fail_msg("%s, %s: %s gives reason %g", isa, precision, p->what, reason);
        read_motion(poisoned, env, motion);
        if (memcmp(motion, last_good[bad], sizeof motion) != 0) fail_msg("%s, %s: after %s the state has moved", isa, precision, p->what);
        MUST(myr_batch_get(poisoned, MYR_TIME, &env, 1, MYR_F64, &now));
        if (now != time[bad]) fail_msg("%s, %s: %s: time went on from %g to %g", isa, precision, p->what, time[bad], now);
    }
    myr_stats stats;
    myr_batch_stats(poisoned, &stats);
    assert_int_equal(stats.quarantined, POISONS);
    /* a reset brings them back: state and inputs are the task's, parameters are the caller's to mend */
    uint8_t mask[ENVS] = {0};
    mask[bad_env(0)] = mask[bad_env(1)] = 1;
    MUST(myr_batch_reset(poisoned, mask));
    MUST(myr_batch_step(poisoned, AFTER));
    myr_batch_stats(poisoned, &stats);
    assert_int_equal(stats.quarantined, POISONS - 2);
    for (int p = 0; p < 2; p++) {
        double motion[37];
        read_motion(poisoned, bad_env(p), motion);
        for (int k = 0; k < 37; k++) assert_true(isfinite(motion[k]));
    }
    myr_batch_free(healthy);
    myr_batch_free(poisoned);
}

static void one_bad_robot_harms_nobody(void **state) {
    (void)state;
    myr_model *model = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    for (int p = 0; p < 2; p++)
        for (int i = 0; isa_at(i); i++) poison_and_compare(model, isa_at(i), precisions[p]);
    myr_model_free(model);
}

/* A bad robot ends the same way alone as among others, in one call as in many, and shows nothing but numbers of its own time. */
static void bad_fate(const myr_model *model, const char *isa, const char *precision, const char *task, const poison *p) {
    enum { MANY = 12 };
    myr_batch *many = open_batch(model, isa, precision, task, "bisection", MANY, 100),
              *alone = open_batch(model, isa, precision, task, "bisection", 1, 100),
              *pieces = open_batch(model, isa, precision, task, "bisection", 1, 100);
    myr_batch *const all[] = {many, alone, pieces};
    for (int b = 0; b < 3; b++) {
        MUST(myr_batch_step(all[b], BEFORE));
        feed(all[b], p, 0);
    }
    MUST(myr_batch_step(many, AFTER));
    MUST(myr_batch_step(alone, AFTER));
    for (int step = 0; step < AFTER; step++) MUST(myr_batch_step(pieces, 1));
    assert_same(p->what, many, 0, alone, 0);
    assert_same(p->what, pieces, 0, alone, 0);
    double reason, residual, point[3 * 16], status;
    const int64_t first = 0;
    MUST(myr_batch_get(alone, MYR_QUARANTINED, &first, 1, MYR_F64, &reason));
    MUST(myr_batch_get(alone, MYR_RESIDUAL, &first, 1, MYR_F64, &residual));
    MUST(myr_batch_get(alone, MYR_SOLVE_STATUS, &first, 1, MYR_F64, &status));
    assert_true(reason != MYR_HEALTHY || p->field == MYR_IMPULSE); /* the impulse of a foot in the air is not read */
    if (status == MYR_NOT_FINITE && !isinf(residual)) fail_msg("%s: status `not finite` with a residual of %g", p->what, residual);
    assert_in_range(myr_batch_components(alone, MYR_CONTACT_POINT), 1, 3 * 16);
    MUST(myr_batch_get(alone, MYR_CONTACT_POINT, &first, 1, MYR_F64, point));
    for (int k = 0; k < myr_batch_components(alone, MYR_CONTACT_POINT); k++) assert_true(isfinite(point[k]));
    for (int b = 0; b < 3; b++) myr_batch_free(all[b]);
}

static void bad_robots_have_their_own_fate(void **state) {
    (void)state;
    myr_model *model = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    for (int p = 0; p < 2; p++)
        for (int i = 0; isa_at(i); i++)
            for (int k = 0; k < POISONS; k++) {
                bad_fate(model, isa_at(i), precisions[p], "stand", &poisons[k]);
                if (poisons[k].field != MYR_TARGET)
                    bad_fate(model, isa_at(i), precisions[p], "trot", &poisons[k]); /* the gait sets targets */
            }
    myr_model_free(model);
}

/* ---- own fate ------------------------------------------------------------------------------------------------------- */

/* Every second robot falls or stands exactly straight, so that much of what it computes is a zero with a sign; the others
 * tumble, and touch the ground at other places and times. */
static void set_fates(myr_batch *batch, const myr_model *model, int64_t first) {
    myr_model_info size;
    myr_batch_info info;
    myr_model_get_info(model, &size);
    myr_batch_get_info(batch, &info);
    for (int64_t i = 0; i < info.envs; i++) {
        double q[64], v[64] = {0}, spun[64], spin[64], tau[64];
        const int64_t id = first + i;
        random_source source = {(uint64_t)(900 + id)};
        assert_true(size.nq <= 64 && size.nv <= 64);
        random_state(&source, model, 3, 0, spun, spin, tau);
        myr_model_home(model, q);
        q[2] += 0.003 * (double)(id % 7);
        if (id % 2) {
            memcpy(v, spin, sizeof v);
            memcpy(q + 3, spun + 3, sizeof q - 3 * sizeof *q);
        }
        MUST(myr_batch_set(batch, MYR_Q, &i, 1, MYR_F64, q));
        MUST(myr_batch_set(batch, MYR_V, &i, 1, MYR_F64, v));
    }
}

static void alone_as_among_others(const char *name, const char *task, const char *solver, int steps) {
    enum { MANY = 19 };
    myr_model *model = NULL;
    MUST(myr_model_load(name, MYR_ROOT_AUTO, &model));
    for (int p = 0; p < 2; p++)
        for (int i = 0; isa_at(i); i++) {
            myr_batch *many = open_batch(model, isa_at(i), precisions[p], task, solver, MANY, 100);
            const int passive = strcmp(task, "none") == 0;
            if (passive) set_fates(many, model, 100);
            MUST(myr_batch_step(many, steps));
            myr_stats stats;
            myr_batch_stats(many, &stats);
            assert_true(stats.active_steps > MANY * steps / 4 && stats.quarantined == 0);
            for (int64_t env = 0; env < MANY; env++) {
                myr_batch *alone = open_batch(model, isa_at(i), precisions[p], task, solver, 1, 100 + env);
                if (passive) set_fates(alone, model, 100 + env);
                MUST(myr_batch_step(alone, steps));
                assert_same(name, many, env, alone, 0);
                myr_batch_free(alone);
            }
            myr_batch_free(many);
        }
    myr_model_free(model);
}

static void own_fate(void **state) {
    (void)state;
    alone_as_among_others("sphere", "none", "bisection", 120);
    alone_as_among_others("hopper", "none", "bisection", 120);
    alone_as_among_others("chain-3", "none", "bisection", 120);
    alone_as_among_others("anymal", "trot", "bisection", 100);
    for (int s = 0; s < MYR_SOLVER_COUNT; s += SCENE_SOLVER_STRIDE) {
        alone_as_among_others("cube", "none", myr_solvers[s].name, 120);
        alone_as_among_others("anymal", "random", myr_solvers[s].name, 300);
    }
}

/* Where every robot is quarantined a call ends at once, and no count overflows (the sanitizers would see it). */
static void the_dead_take_any_number_of_steps(void **state) {
    (void)state;
    const double nowhere[6] = {NAN};
    double time[2];
    const myr_settings settings = scene_settings("task", "none", "decimation", "10000", "threads", "1", NULL);
    myr_model *model = NULL;
    myr_batch *batch = NULL;
    MUST(myr_model_load("sphere", MYR_ROOT_AUTO, &model));
    MUST(myr_batch_create(model, 1, &settings, &batch));
    MUST(myr_batch_set(batch, MYR_V, NULL, 1, MYR_F64, nowhere));
    MUST(myr_batch_step(batch, 1));
    MUST(myr_batch_get(batch, MYR_TIME, NULL, 1, MYR_F64, &time[0]));
    MUST(myr_batch_step(batch, INT64_MAX));
    MUST(myr_batch_get(batch, MYR_TIME, NULL, 1, MYR_F64, &time[1]));
    assert_true(time[0] == time[1]);
    myr_batch_free(batch);
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_bad_robot_harms_nobody), cmocka_unit_test(bad_robots_have_their_own_fate),
                                       cmocka_unit_test(own_fate), cmocka_unit_test(the_dead_take_any_number_of_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
