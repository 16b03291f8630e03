/* ctest: heavy
 * Contact impulses never add energy: 1/2 v' Mh v after the solve is not above 1/2 u*' Mh u* before it, beyond the tolerance
 * times the impulses, in every step with contact of the four tasks of 000 (and of standing). Mh, u* and J come from the scalar
 * reference, which at the same time says whether the whole step is what it claims to be: v+ = u* + Mh^-1 J' lambda. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "step_witness.h"

enum { ENVS = 8 };

typedef struct found {
    long contact_steps, contacts, not_converged;
    double most_gain, most_error; /* (gain / impulses), error of v relative to the largest velocity */
} found;

static void check_step(const step_witness *w, const char *task, const char *solver, int step, int env, double tolerance, found *f) {
    double scale = 1, error = 0;
    for (int k = 0; k < w->model->nv; k++) {
        scale = fmax(scale, fmax(fabs(w->after[k]), fabs(w->free_velocity[k])));
        error = fmax(error, fabs(w->after[k] - w->predicted[k]));
    }
    f->most_error = fmax(f->most_error, error / scale);
    if (!(error <= 1e-10 * scale))
        fail_msg("%s, %s, step %d, environment %d: v+ is off by %.3g from u* + Mh^-1 J' lambda, with velocities up to %.3g", task, solver,
                 step, env, error, scale);
    if (w->contacts == 0) return;
    f->contact_steps++;
    f->contacts += w->contacts;
    const double gain = w->energy_after - w->energy_before;
    f->most_gain = fmax(f->most_gain, gain / w->impulse_sum);
    if (!(gain <= tolerance * w->impulse_sum))
        fail_msg("%s, %s, step %d, environment %d: %d contacts add %.3g J, allowed %.3g (impulses of %.3g N s)", task, solver, step, env,
                 w->contacts, gain, tolerance * w->impulse_sum, w->impulse_sum);
}

static void watch(const myr_model *model, const char *task, const char *solver, int skip, int steps) {
    const double tolerance = 1e-6;
    const myr_settings settings = scene_settings("precision", "f64", "task", task, "solver", solver, "tolerance", "1e-6", "max-sweeps",
                                                 "10000", "threads", "1", NULL);
    myr_batch *batch = NULL;
    step_witness w[ENVS];
    found f = {.most_gain = -INFINITY};
    MUST(myr_batch_create(model, ENVS, &settings, 0, &batch));
    for (int env = 0; env < ENVS; env++) witness_open(&w[env], model);
    MUST(myr_batch_step(batch, skip));
    for (int step = 0; step < steps; step++) {
        for (int env = 0; env < ENVS; env++) witness_before(&w[env], batch, env);
        MUST(myr_batch_step(batch, 1));
        for (int env = 0; env < ENVS; env++)
            if (witness_after(&w[env], batch, env)) check_step(&w[env], task, solver, skip + step, env, tolerance, &f);
    }
    myr_stats stats;
    myr_batch_stats(batch, &stats);
    print_message("%s, %s: %ld contact steps, %.2f contacts each, gain at most %.2g J/(N s), v+ within %.2g, %lld of %lld not converged\n",
                  task, solver, f.contact_steps, (double)f.contacts / (double)f.contact_steps, f.most_gain, f.most_error,
                  (long long)stats.not_converged, (long long)stats.active_steps);
    assert_true(f.contact_steps > steps);
    for (int env = 0; env < ENVS; env++) witness_close(&w[env]);
    myr_batch_free(batch);
}

static void impulses_only_dissipate(void **state) {
    (void)state;
    /* hang and drop fall for 0.45 s; MYRIAPOD_FULL=1 looks at ten times as many steps */
    const int steps = getenv("MYRIAPOD_FULL") ? 8000 : 800;
    static const struct {
        const char *task;
        int skip;
    } tasks[] = {{"stand", 0}, {"trot", 200}, {"hang", 420}, {"drop", 420}, {"random", 100}};
    myr_model *model = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    for (int s = 0; s < MYR_SOLVER_COUNT; s++)
        for (int t = 0; t < 5; t++) watch(model, tasks[t].task, myr_solvers[s].name, tasks[t].skip, steps);
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(impulses_only_dissipate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
