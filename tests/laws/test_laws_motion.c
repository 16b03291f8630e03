/* What mechanics says of whole motions, in double precision: in free flight energy and momentum are kept up to an error that
 * falls with dt at the order of semi-implicit Euler, the first; a robot that stands is carried with its weight.
 *
 * The linear momentum of an articulated robot has such an error, too: the step conserves it for J_com at the old q, and it is read at the
 * new one. Only a body whose origin is its centre of mass keeps it to rounding. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/random_model.h"
#include "reference/rigid_body.h"

enum { ENVS = 8, MOST = 80 };

/* ---- free flight ---------------------------------------------------------------------------------------------------- */

typedef struct drift { /* largest over environments, relative to what there is */
    double energy, linear, angular;
} drift;

static double distance3(const double *a, const double *b) { return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]); }

static void start_flight(myr_batch *batch, const myr_model *model, double g) {
    random_source source = {77};
    const double gravity[3] = {0, 0, -g};
    for (int64_t env = 0; env < ENVS; env++) {
        double q[2 * MOST], v[MOST], tau[MOST];
        random_state(&source, model, 2, 0, q, v, tau);
        q[2] = 1000; /* the ground is far */
        MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
        MUST(myr_batch_set(batch, MYR_GRAVITY, &env, 1, MYR_F64, gravity));
    }
}

/* Of an environment; what gravity gives to the momentum is taken off. */
typedef struct books {
    double energy, kinetic, momentum[6], mass;
} books;

static books measure(const myr_batch *batch, int64_t env, reference_state *state, double g, double time) {
    double q[2 * MOST], v[MOST];
    const double zero[MOST] = {0}, gravity[3] = {0, 0, -g};
    books b;
    MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
    MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, v));
    reference_compute(state, q, v, zero, gravity);
    b.energy = state->kinetic + state->potential;
    b.kinetic = state->kinetic;
    b.mass = state->mass;
    memcpy(b.momentum, state->momentum, sizeof b.momentum);
    b.momentum[2] += state->mass * g * time;
    return b;
}

static drift fly(const myr_model *model, double dt, double g) {
    const double seconds = 0.512;
    myr_settings settings = scene_settings("precision", "f64", "task", "none", "threads", "1", NULL);
    settings.dt_s = dt;
    myr_batch *batch = NULL;
    reference_state state;
    books at_first[ENVS];
    drift d = {0, 0, 0};
    assert_true(reference_init(&state, model));
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    start_flight(batch, model, g);
    for (int64_t env = 0; env < ENVS; env++) at_first[env] = measure(batch, env, &state, g, 0);
    MUST(myr_batch_step(batch, (int64_t)(seconds / dt + 0.5)));
    for (int64_t env = 0; env < ENVS; env++) {
        const books then = at_first[env], now = measure(batch, env, &state, g, seconds);
        const double scale = sqrt(2 * then.mass * then.kinetic);
        d.energy = fmax(d.energy, fabs(now.energy - then.energy) / then.kinetic);
        d.linear = fmax(d.linear, distance3(now.momentum, then.momentum) / scale);
        d.angular = fmax(d.angular, distance3(now.momentum + 3, then.momentum + 3) / scale);
    }
    reference_free(&state);
    myr_batch_free(batch);
    return d;
}

/* From the drifts at dt, dt/2, dt/4, ...: slope of log drift over log dt by least squares. */
enum { HALVINGS = 5 };
static double order(const double *drifts) {
    double xy = 0, xx = 0;
    for (int i = 0; i < HALVINGS; i++) {
        const double x = (HALVINGS - 1) / 2.0 - i;
        xy += x * log2(drifts[i]);
        xx += x * x;
    }
    return xy / xx;
}

static void expect_first_order(const char *name, const char *what, double g, const double *drifts) {
    const double slope = order(drifts);
    print_message("%s, gravity %.2f: %s drifts by %.2e at 4 ms, %.2e at 0.25 ms: order %.3f\n", name, g, what, drifts[0],
                  drifts[HALVINGS - 1], slope);
    if (!(slope > 0.9 && slope < 1.1)) fail_msg("%s: %s drift goes as dt to the power %.3f", name, what, slope);
    if (!(drifts[HALVINGS - 1] < 0.02)) fail_msg("%s: at 0.25 ms %s still drifts by %.3g", name, what, drifts[HALVINGS - 1]);
}

static void drift_shrinks(const char *name, const myr_model *model) {
    assert_true(model->nq <= 2 * MOST && model->nv <= MOST);
    for (int i = 0; i < model->n_bodies; i++) assert_true(model->bodies[i].damping == 0 && model->bodies[i].armature == 0);
    for (int heavy = 0; heavy < 2; heavy++) {
        const double g = heavy ? 9.81 : 0;
        double energy[HALVINGS], linear[HALVINGS], angular[HALVINGS];
        for (int i = 0; i < HALVINGS; i++) {
            const drift d = fly(model, 4e-3 / (1 << i), g);
            energy[i] = d.energy, linear[i] = d.linear, angular[i] = d.angular;
        }
        expect_first_order(name, "energy", g, energy);
        expect_first_order(name, "linear momentum", g, linear);
        expect_first_order(name, "angular momentum", g, angular);
    }
}

static void free_flight_of_trees(void **state) {
    (void)state;
    static const char *const names[] = {"chain-2", "chain-5", "anymal", "hopper"};
    for (int i = 0; i < 4; i++) {
        myr_model *model = NULL;
        MUST(myr_model_load(names[i], MYR_ROOT_AUTO, &model));
        drift_shrinks(names[i], model);
        myr_model_free(model);
    }
}

/* A cube turns about any axis as about a principal one: nothing is left for the scheme to get wrong. */
static void free_flight_of_one_body(void **state) {
    (void)state;
    myr_model *model = NULL;
    MUST(myr_model_load("cube", MYR_ROOT_AUTO, &model));
    const drift d = fly(model, 1e-3, 0);
    assert_true(d.energy < 1e-12 && d.linear < 1e-12 && d.angular < 1e-12);
    const drift heavy = fly(model, 1e-3, 9.81);
    assert_true(heavy.linear < 1e-12 && heavy.angular < 1e-12);
    myr_model_free(model);
}

/* ---- standing ------------------------------------------------------------------------------------------------------- */

/* Of a robot that has stood for 5 s: the mean over 100 steps of what its contacts push up. */
static void standing_carries_the_weight(void **state) {
    (void)state;
    enum { AFTER = 5000, OVER = 100 };
    static const char *const names[] = {"anymal", "solo12"};
    for (int i = 0; i < 2; i++) {
        const myr_settings settings = scene_settings("precision", "f64", "task", "stand", "threads", "1", "dt", "1e-3", "tolerance", "1e-8",
                                                     "max-sweeps", "1000", NULL);
        myr_model *model = NULL;
        myr_batch *batch = NULL;
        double sum[ENVS] = {0}, impulse[MOST];
        MUST(myr_model_load(names[i], MYR_ROOT_AUTO, &model));
        MUST(myr_batch_create(model, ENVS, &settings, &batch));
        assert_true(3 * model->n_slots <= MOST);
        MUST(myr_batch_step(batch, AFTER));
        for (int step = 0; step < OVER; step++) {
            MUST(myr_batch_step(batch, 1));
            for (int64_t env = 0; env < ENVS; env++) {
                MUST(myr_batch_get(batch, MYR_IMPULSE, &env, 1, MYR_F64, impulse));
                for (int s = 0; s < model->n_slots; s++) sum[env] += impulse[3 * s + 2];
            }
        }
        for (int env = 0; env < ENVS; env++) {
            const double mean = sum[env] / OVER, carried = model->mass * 9.81 * 1e-3;
            print_message("%s, environment %d: %.9f N s per step, m g dt is %.9f\n", names[i], env, mean, carried);
            if (!(fabs(mean - carried) <= 1e-5)) fail_msg("%s: the impulses are off by %.3g N s", names[i], mean - carried);
        }
        myr_batch_free(batch);
        myr_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_flight_of_trees),
        cmocka_unit_test(free_flight_of_one_body),
        cmocka_unit_test(standing_carries_the_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
