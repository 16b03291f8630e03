/* ctest: heavy law
 * Contacts on bodies that can only turn about a hinge or slide along a rail, whose G_ii is of rank one: any impulse with the right
 * component is lawful, most of them without bound. The per-contact solvers find one, and not one much larger than it must be. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/bodies_scene.h"
#include "kernels/kernels.h"
#include "myriapod/contact.h"
#include "support/random_model.h"

static const char *const solvers[] = {"nsgs", "bisection", "bisection-paper", "golden", "quartic"};
enum { SOLVERS = sizeof solvers / sizeof *solvers, PROBLEMS = 300 };

typedef struct rail {
    double G[9], c[3], mu, impulse[3], velocity[3];
    double least, smooth; /* the least impulse that stops it, and the one without friction */
} rail;

/* A point that moves along (x, y, z) only, mobility 1e-3 to 1e3; sometimes the tangent is all but everything, sometimes it is nothing. */
static myr_contact_problem on_a_rail(random_source *source, rail *p) {
    const double mobility = pow(10, random_uniform(source, -3, 3)), turn = random_uniform(source, -3.14, 3.14);
    const double lean = random_below(source, 8) ? random_uniform(source, 0, 1.55) : 0, speed = random_uniform(source, 0.01, 3);
    const double along[3] = {sin(lean) * cos(turn), sin(lean) * sin(turn), cos(lean)};
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++) p->G[3 * r + s] = mobility * along[r] * along[s];
    for (int r = 0; r < 3; r++) p->c[r] = -speed * along[r];
    p->mu = random_below(source, 6) ? random_uniform(source, 0, 1.5) : 0;
    /* |along . l| = speed / mobility: nearest on the line itself where that is in the cone, else on the cone's edge towards it */
    const double edge = (p->mu * sin(lean) + cos(lean)) / hypot(1, p->mu);
    p->least = speed / mobility / (sin(lean) <= p->mu * cos(lean) ? 1 : edge);
    p->smooth = speed / mobility / cos(lean);
    return (myr_contact_problem){.contacts = 1, .G = p->G, .c = p->c, .mu = &p->mu};
}

static void rails_take_no_more_than_they_need(void **state) {
    (void)state;
    static rail rails[PROBLEMS];
    static myr_contact_problem problems[PROBLEMS];
    static myr_contact_result results[PROBLEMS];
    static const char *const precisions[] = {"f64", "f32"};
    for (int s = 0; s < SOLVERS; s++)
        for (int p = 0; p < 2; p++) {
            random_source source = {11};
            myr_settings settings = myr_settings_default();
            MUST(myr_settings_set(&settings, "solver", solvers[s]));
            MUST(myr_settings_set(&settings, "precision", precisions[p]));
            for (int i = 0; i < PROBLEMS; i++) {
                problems[i] = on_a_rail(&source, &rails[i]);
                results[i] = (myr_contact_result){.impulse = rails[i].impulse, .velocity = rails[i].velocity};
            }
            MUST(myr_solve_contacts(problems, PROBLEMS, &settings, results));
            double most = 0;
            for (int i = 0; i < PROBLEMS; i++) {
                const double *l = rails[i].impulse, size = sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]);
                /* nsgs has friction against a slip velocity, and here there is none; the others take the least energy: least impulse */
                const double enough = s == 0 ? rails[i].smooth : rails[i].least;
                if (results[i].status != MYR_CONVERGED)
                    fail_msg("%s, %s, rail %d: %s, residual %g", solvers[s], precisions[p], i, myr_solve_status_text(results[i].status),
                             results[i].residual);
                most = fmax(most, size / enough);
                if (!(size <= 1.05 * enough))
                    fail_msg("%s, %s, rail %d: impulse of %g N s where %g will do", solvers[s], precisions[p], i, size, enough);
            }
            print_message("%s, %s: impulses up to %.6f of what will do\n", solvers[s], precisions[p], most);
        }
}

/* A box on a hinge of the world among them: some are so deep in each other that a few hundred N s go round, but not 1e12. Nor does depth
 * that comes out move a hinge to where it has no lever (LIFT_LEVER of constraints/lift.lane.h): 4000 N s there. */
static void tangles_do_not_burst(void **state) {
    (void)state;
    enum { ENVS = 32, STEPS = 20 };
    static const char *const precisions[] = {"f64", "f32"};
    myr_model *model = bodies_tangle();
    for (int s = 0; s < SOLVERS; s++)
        for (int p = 0; p < 2; p++) {
            myr_settings settings =
                scene_settings("precision", precisions[p], "task", "none", "threads", "1", "solver", solvers[s], "max-sweeps", "50", NULL);
            myr_batch *batch = NULL;
            settings.sense_contacts = 1;
            MUST(myr_batch_create(model, ENVS, &settings, &batch));
            bodies_disturb_tangle(batch, model, 5);
            const size_t n = (size_t)myr_batch_components(batch, MYR_IMPULSE);
            double *impulse = malloc(ENVS * n * sizeof *impulse), reasons[ENVS], most = 0;
            assert_non_null(impulse);
            for (int step = 0; step < STEPS; step++) {
                MUST(myr_batch_step(batch, 1));
                MUST(myr_batch_get(batch, MYR_IMPULSE, NULL, ENVS, MYR_F64, impulse));
                MUST(myr_batch_get(batch, MYR_QUARANTINED, NULL, ENVS, MYR_F64, reasons));
                for (int env = 0; env < ENVS; env++) {
                    if ((int)reasons[env] != MYR_HEALTHY)
                        fail_msg("%s, %s: environment %d in quarantine after step %d", solvers[s], precisions[p], env, step);
                    for (size_t k = 0; k < n; k++) most = fmax(most, fabs(impulse[(size_t)env * n + k]));
                }
            }
            print_message("%s, %s: impulses up to %.3g N s\n", solvers[s], precisions[p], most);
            assert_true(most < 1000);
            free(impulse);
            myr_batch_free(batch);
        }
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rails_take_no_more_than_they_need), cmocka_unit_test(tangles_do_not_burst)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
