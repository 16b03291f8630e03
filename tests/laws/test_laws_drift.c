/* ctest: heavy law
 * How fast a contact that pushes sinks into the ground (Hwangbo 2018 Fig. 7, the hanging robot). Contacts are held at velocity level,
 * as the paper does (landing 0: no depth comes out),
 * so over a step the gap changes by the curvature of the point's path, O(dt^2), and by what the solver leaves: the rate must
 * be proportional to dt, and at tolerance 1e-6 the solver's part must be small beside it.
 *
 * Trajectories of hanging robots are chaotic, and how far they swing decides how far they sink; so solvers are compared on
 * the same motions: short windows that start in the same states. Only steps in which a foot pushes count: what is below the
 * ground may also rise freely, and is caught where it turns. check_fig7.py looks at whole curves. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/batch_scene.h"
#include "kernels/kernels.h"
#include "model/model.h"

enum { ROBOTS = 32, WINDOWS = 3, NQ = 19, NV = 18 };
static const double window_s = 0.1;

typedef struct motions { /* states from which windows start */
    myr_model *model;
    double q[WINDOWS][ROBOTS][NQ], v[WINDOWS][ROBOTS][NV];
    int foot_frame[4], foot_slot[4];
    double radius;
} motions;

static myr_batch *hang(const myr_model *model, const char *solver, double tolerance, double dt) {
    myr_settings settings = scene_settings("precision", "f64", "task", "hang", "threads", "1", "max-sweeps", "20000", "joint-limits", "off",
                                           "solver", solver, "spin-damping", "0", "landing", "0", NULL);
    settings.tolerance = tolerance;
    settings.dt_s = dt;
    myr_batch *batch = NULL;
    MUST(myr_batch_create(model, ROBOTS, &settings, &batch));
    return batch;
}

static int make_motions(void **state) {
    static motions m;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &m.model));
    assert_true(m.model->nq == NQ && m.model->nv == NV);
    for (int leg = 0; leg < 4; leg++) {
        const myr_geom *foot = &m.model->geoms[m.model->quadruped.foot_geom[leg]];
        m.foot_slot[leg] = foot->slot;
        m.radius = foot->size[0];
        m.foot_frame[leg] = -1;
        for (int f = 0; f < m.model->n_frames; f++) /* its frame: that of the fixed link at the ball's centre */
            if (strcmp(m.model->frames[f].name, foot->name) == 0) m.foot_frame[leg] = f;
        assert_true(m.foot_frame[leg] >= 0);
    }
    myr_batch *batch = hang(m.model, "bisection", 1e-10, 1e-3);
    MUST(myr_batch_step(batch, 6000)); /* fallen, and swinging on its feet */
    for (int w = 0; w < WINDOWS; w++) {
        MUST(myr_batch_step(batch, 2000));
        MUST(myr_batch_get(batch, MYR_Q, NULL, ROBOTS, MYR_F64, m.q[w]));
        MUST(myr_batch_get(batch, MYR_V, NULL, ROBOTS, MYR_F64, m.v[w]));
    }
    myr_batch_free(batch);
    *state = &m;
    return 0;
}

static int free_motions(void **state) {
    myr_model_free(((motions *)*state)->model);
    return 0;
}

static void read_gaps(const motions *m, const myr_batch *batch, double gap[ROBOTS][4]) {
    double q[ROBOTS][NQ];
    const size_t frames = (size_t)m->model->n_frames;
    double *position = malloc(ROBOTS * frames * 3 * sizeof *position);
    const myr_settings settings = scene_settings("precision", "f64", NULL);
    assert_non_null(position);
    MUST(myr_batch_get(batch, MYR_Q, NULL, ROBOTS, MYR_F64, q));
    const myr_evaluation evaluation = {.n = ROBOTS, .q = &q[0][0], .frame_position = position};
    MUST(myr_evaluate(m->model, &settings, &evaluation));
    for (size_t robot = 0; robot < ROBOTS; robot++)
        for (int leg = 0; leg < 4; leg++) gap[robot][leg] = position[(robot * frames + (size_t)m->foot_frame[leg]) * 3 + 2] - m->radius;
    free(position);
}

/* Mean speed at which pushing feet sink [m/s]. */
static double sinking(const motions *m, const char *solver, double tolerance, double dt) {
    myr_batch *batch = hang(m->model, solver, tolerance, dt);
    const int slots = m->model->n_slots;
    double sum = 0, gap[ROBOTS][4], next[ROBOTS][4], *impulse = malloc(sizeof *impulse * ROBOTS * 3 * (size_t)slots);
    long pushes = 0;
    assert_non_null(impulse);
    for (int w = 0; w < WINDOWS; w++) {
        MUST(myr_batch_reset(batch, NULL));
        MUST(myr_batch_set(batch, MYR_Q, NULL, ROBOTS, MYR_F64, m->q[w]));
        MUST(myr_batch_set(batch, MYR_V, NULL, ROBOTS, MYR_F64, m->v[w]));
        read_gaps(m, batch, gap);
        for (int step = 0; step < (int)(window_s / dt + 0.5); step++) {
            MUST(myr_batch_step(batch, 1));
            MUST(myr_batch_get(batch, MYR_IMPULSE, NULL, ROBOTS, MYR_F64, impulse));
            read_gaps(m, batch, next);
            for (int robot = 0; robot < ROBOTS; robot++)
                for (int leg = 0; leg < 4; leg++) {
                    if (!(impulse[3 * (robot * slots + m->foot_slot[leg]) + 2] > 0)) continue;
                    sum += gap[robot][leg] - next[robot][leg];
                    pushes++;
                }
            memcpy(gap, next, sizeof gap);
        }
    }
    const double rate = sum / ((double)pushes * dt);
    print_message("%s, tolerance %g, dt %g ms: pushing feet sink at %.7f mm/s (%ld foot-steps)\n", solver, tolerance, 1e3 * dt, 1e3 * rate,
                  pushes);
    assert_true(pushes > ROBOTS * WINDOWS * 4 * (long)(window_s / dt) / 2);
    free(impulse);
    myr_batch_free(batch);
    return rate;
}

/* The scheme's own rate (tolerance 1e-12) halves with dt; at 1e-6 a bisection adds less than a tenth to it. */
static void sinking_falls_with_dt(void **state) {
    const motions *m = *state;
    static const char *const solvers[] = {"bisection", "bisection-paper"};
    double last = 0;
    for (double dt = 4e-3; dt > 2e-4; dt /= 2) {
        const double own = sinking(m, "bisection", 1e-12, dt);
        assert_true(own > 0);
        if (last > 0 && !(fabs(last / own - 2) < 0.04)) fail_msg("from dt %g to %g the rate falls by %.3f, not 2", 2 * dt, dt, last / own);
        last = own;
        for (int s = 0; s < 2 && dt < 1.5e-3; s++) {
            const double coarse = sinking(m, solvers[s], 1e-6, dt);
            if (!(fabs(coarse / own - 1) < 0.1))
                fail_msg("dt %g: at 1e-6 %s sinks %.3f times as fast as the scheme itself", dt, solvers[s], coarse / own);
        }
    }
}

/* On the same motions no solver lets feet through faster than its tolerance beyond what the scheme itself does. The order of
 * Fig. 7 is therefore not one of residuals: it shows in whole trajectories (bench/papers/fig7.py). */
static void solvers_sink_alike(void **state) {
    const motions *m = *state;
    static const struct {
        const char *solver;
        double tolerance;
    } curves[] = {{"bisection", 1e-6}, {"bisection-paper", 1e-6}, {"pgs", 1e-8}, {"pgs", 1e-6}};
    const double own = sinking(m, "bisection", 1e-12, 1e-3);
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
        const double rate = sinking(m, curves[i].solver, curves[i].tolerance, 1e-3);
        if (!(fabs(rate - own) < 1e-6))
            fail_msg("%s at %g: sinks at %.9g m/s, the scheme itself at %.9g m/s", curves[i].solver, curves[i].tolerance, rate, own);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sinking_falls_with_dt), cmocka_unit_test(solvers_sink_alike)};
    return cmocka_run_group_tests(tests, make_motions, free_motions);
}
