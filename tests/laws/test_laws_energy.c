/* ctest: heavy
 * Contact impulses never add energy: 1/2 v' Mh v after the solve is not above 1/2 u*' Mh u* before it, beyond the tolerance
 * times the impulses, in every step with contact of the four tasks of Hwangbo 2018 (and of standing). Mh, u* and J come from the scalar
 * reference, which at the same time says whether the whole step is what it claims to be: v+ = u* + Mh^-1 J' lambda.
 *
 * Every iterate of the per-contact minimizations dissipates, and of pgs; of the others the answers do, and what ends at the cap of its
 * sweeps may not. Le Lidec's sweeps run with a relaxation at which the feet's contacts let them converge (docs/contact.md). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "support/step_witness.h"

enum { ENVS = 8 };

typedef struct found {
    long contact_steps, contacts, given_up;
    double most_gain, most_error; /* (gain / impulses), error of v relative to the largest velocity */
} found;

static void check_step(const step_witness *w, const char *task, const char *solver, int step, int env, double tolerance, int strict,
                       int solved, found *f) {
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
    f->given_up += !solved;
    if (!solved) return;
    /* the gain is lambda . w - 1/2 lambda' G lambda, and each contact's lambda . w at most the residual times |lambda| or (1 + mu) |w|,
     * whichever is larger; a relaxed impulse fades away where others are zero at once */
    double speeds = 0;
    for (int k = 0; k < WITNESS_SLOTS && !strict; k++)
        speeds += hypot(hypot(w->velocity[3 * k], w->velocity[3 * k + 1]), w->velocity[3 * k + 2]);
    const double gain = w->energy_after - w->energy_before, allowed = tolerance * (w->impulse_sum + 2 * speeds);
    f->most_gain = fmax(f->most_gain, gain * tolerance / allowed);
    if (!(gain <= allowed))
        fail_msg("%s, %s, step %d, environment %d: %d contacts add %.3g J, allowed %.3g (impulses of %.3g N s)", task, solver, step, env,
                 w->contacts, gain, allowed, w->impulse_sum);
}

static int dissipates_on_the_way(int solver) { return myr_solvers[solver].law == MYR_LAW_DISSIPATION || solver == MYR_SOLVER_PGS; }

static void watch(const myr_model *model, const char *task, int sv, int skip, int steps) {
    const double tolerance = 1e-6;
    const char *solver = myr_solvers[sv].name, *relaxation = sv == MYR_SOLVER_PGS_CCP ? "0.63" : "0.4",
               *cap = dissipates_on_the_way(sv) ? "10000" : "500";
    const myr_settings settings = scene_settings("joint-limits", "off", "precision", "f64", "task", task, "solver", solver, "tolerance",
                                                 "1e-6", "max-sweeps", cap, "relaxation", relaxation, "threads", "1", NULL);
    myr_batch *batch = NULL;
    step_witness w[ENVS];
    found f = {.most_gain = -INFINITY};
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    for (int env = 0; env < ENVS; env++) witness_open(&w[env], model);
    MUST(myr_batch_step(batch, skip));
    for (int step = 0; step < steps; step++) {
        for (int env = 0; env < ENVS; env++) witness_before(&w[env], batch, env);
        MUST(myr_batch_step(batch, 1));
        for (int env = 0; env < ENVS; env++)
            if (witness_after(&w[env], batch, env)) {
                const int64_t id = env;
                double status;
                MUST(myr_batch_get(batch, MYR_SOLVE_STATUS, &id, 1, MYR_F64, &status));
                const int solved = dissipates_on_the_way(sv) || (int)status == MYR_CONVERGED;
                check_step(&w[env], task, solver, skip + step, env, tolerance, dissipates_on_the_way(sv), solved, &f);
            }
    }
    myr_stats stats;
    myr_batch_stats(batch, &stats);
    print_message("%s, %s: %ld contact steps, %.2f contacts each, gain at most %.2g J/(N s), v+ within %.2g, %lld of %lld not converged\n",
                  task, solver, f.contact_steps, (double)f.contacts / (double)f.contact_steps, f.most_gain, f.most_error,
                  (long long)stats.not_converged, (long long)stats.active_steps);
    assert_true(f.contact_steps > steps / (myr_solvers[sv].law == MYR_LAW_CCP ? 2 : 1)); /* what slips there leaves the ground */
    if (!(f.given_up * 2 <= f.contact_steps))
        fail_msg("%s, %s: %ld of %ld steps have no answer", task, solver, f.given_up, f.contact_steps);
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
        for (int t = 0; t < 5; t++) watch(model, tasks[t].task, s, tasks[t].skip, steps);
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(impulses_only_dissipate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
