/* Nearly straight legs that slide: mu |G_zT| is as large as G_zz, where Coulomb friction with a rigid body has no solution or several
 * (Painleve). Every solver ends such problems by its cap on sweeps, with a status that says so, with numbers, and with impulses that no
 * passive contact exceeds: 1/2 l' G l <= -l' c would make |l| <= 2 |c| / (least eigenvalue of G); twice that is allowed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/isas.h"
#include "kernels/kernels.h"
#include "myriapod/contact.h"
#include "support/random_model.h"

enum { PROBLEMS = 400, MOST = 6 };
static const double along = 0.05, across = 7.0; /* mobilities of a straight leg [1/kg] */

typedef struct leaning {
    double G[MOST * MOST], c[MOST], mu[2], impulse[MOST], velocity[MOST], largest;
} leaning;

/* One or two legs on a common body of mobility `along` / 2. The first leans so that mu |G_zT| / G_zz is `ratio`. */
static myr_contact_problem lean(random_source *source, leaning *p, int contacts, double ratio) {
    const int m = 3 * contacts;
    memset(p, 0, sizeof *p);
    for (int i = 0; i < contacts; i++) {
        const double tilt = random_uniform(source, 0.02, 0.6), turn = random_uniform(source, -3.14, 3.14);
        const double d[3] = {sin(tilt) * cos(turn), sin(tilt) * sin(turn), cos(tilt)};
        double *block = p->G + 3 * i * m + 3 * i;
        for (int r = 0; r < 3; r++)
            for (int s = 0; s < 3; s++) block[r * m + s] = (along - across) * d[r] * d[s] + (r == s ? across : 0);
        for (int k = 0; k < contacts; k++)
            for (int r = 0; r < 3; r++) p->G[(3 * i + r) * m + 3 * k + r] += along / 2;
        p->mu[i] = 0.8;
        for (int r = 0; r < 3; r++) p->c[3 * i + r] = random_uniform(source, -3, 3);
        p->c[3 * i + 2] = -fabs(p->c[3 * i + 2]);
        if (i == 0) p->mu[0] = ratio * block[2 * m + 2] / hypot(block[2 * m], block[2 * m + 1]);
    }
    double c2 = 0;
    for (int k = 0; k < m; k++) c2 += p->c[k] * p->c[k];
    p->largest = 2 * 2 * sqrt(c2) / along;
    return (myr_contact_problem){.contacts = contacts, .G = p->G, .c = p->c, .mu = p->mu};
}

static void end_with_a_status(const char *isa, const char *precision, const myr_solver_info *solver, int sweeps) {
    static const double ratios[] = {0.99, 1 - 1e-6, 1, 1 + 1e-6, 1.01, 1.3, 3};
    static leaning legs[PROBLEMS];
    static myr_contact_problem problems[PROBLEMS];
    static myr_contact_result results[PROBLEMS];
    random_source source = {3};
    myr_settings s = myr_settings_default();
    char cap[16];
    snprintf(cap, sizeof cap, "%d", sweeps);
    assert_true(myr_settings_set(&s, "isa", isa) == MYR_OK && myr_settings_set(&s, "precision", precision) == MYR_OK);
    assert_true(myr_settings_set(&s, "solver", solver->name) == MYR_OK && myr_settings_set(&s, "max-sweeps", cap) == MYR_OK);
    for (int i = 0; i < PROBLEMS; i++) {
        problems[i] = lean(&source, &legs[i], 1 + i % 2, ratios[i % 7]);
        results[i] = (myr_contact_result){.impulse = legs[i].impulse, .velocity = legs[i].velocity};
    }
    assert_int_equal(myr_solve_contacts(problems, PROBLEMS, &s, results), MYR_OK);
    int ended[4] = {0};
    double closest = 0;
    for (int i = 0; i < PROBLEMS; i++) {
        double size2 = 0;
        for (int k = 0; k < 3 * problems[i].contacts; k++) {
            size2 += legs[i].impulse[k] * legs[i].impulse[k];
            assert_true(isfinite(legs[i].impulse[k]) && isfinite(legs[i].velocity[k]));
        }
        assert_in_range(results[i].status, MYR_CONVERGED, MYR_ITERATION_LIMIT);
        assert_true(results[i].iterations <= sweeps && isfinite(results[i].residual) && isfinite(results[i].residual_ncp));
        ended[results[i].status]++;
        closest = fmax(closest, sqrt(size2) / legs[i].largest);
        if (!(sqrt(size2) <= legs[i].largest))
            fail_msg("%s, %s, problem %d: impulse of %g N s, at most %g is passive", solver->name, precision, i, sqrt(size2),
                     legs[i].largest);
    }
    print_message("%s, %s, %s, %d sweeps: %d converged, %d stalled, %d at the cap; impulses up to %.2g of what is allowed\n", solver->name,
                  isa, precision, sweeps, ended[0], ended[1], ended[2], closest);
    if (sweeps == 2 || strcmp(solver->name, "pgs") == 0) assert_true(ended[MYR_ITERATION_LIMIT] > PROBLEMS / 10);
    /* both have an answer to every single contact; a projected step does not find it */
    if (sweeps > 2 && (solver->law == MYR_LAW_DISSIPATION || strcmp(solver->name, "nsgs") == 0))
        assert_true(ended[MYR_CONVERGED] > PROBLEMS * 98 / 100);
}

static void every_solver_ends(void **state) {
    (void)state;
    const char *const precisions[] = {"f64", "f32"};
    for (int solver = 0; solver < MYR_SOLVER_COUNT; solver++)
        for (int p = 0; p < 2; p++)
            for (int i = 0; isa_at(i); i++)
                for (int sweeps = 2; sweeps <= 50; sweeps += 48) end_with_a_status(isa_at(i), precisions[p], &myr_solvers[solver], sweeps);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_solver_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
