/* ctest: heavy law lanes
 * The lane kernels of the solvers that sweep against their scalar references: the same impulses after the same number of sweeps, on every
 * instruction set and in both precisions, at the edges of a tile, and of contacts without friction, without full rank, that nothing moves,
 * and of very different mass. */
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
#include "support/random_problem.h"
#include "reference/contact_solvers.h"

enum { MOST = 17 };

static const char *const precisions[] = {"f64", "f32"};

static const reference_sweeps printed = {
    .alpha = 1, .alpha_min = 0.7, .gamma = 0.99, .pgs_alpha = 0.6, .relaxation = 0.8, .r = 0.25, .zeta = 0.01};

static void set(myr_settings *s, const char *key, double value) {
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    assert_int_equal(myr_settings_set(s, key, text), MYR_OK);
}

/* Tolerance 0: a solve ends by its sweeps, or where nothing moves any more. */
static myr_settings settings_of(const char *isa, const char *precision, const char *solver, const reference_sweeps *how) {
    myr_settings s = myr_settings_default();
    assert_true(myr_settings_set(&s, "isa", isa) == MYR_OK && myr_settings_set(&s, "precision", precision) == MYR_OK);
    assert_int_equal(myr_settings_set(&s, "solver", solver), MYR_OK);
    set(&s, "tolerance", 0), set(&s, "max-sweeps", how->sweeps), set(&s, "alpha", how->alpha), set(&s, "alpha-min", how->alpha_min);
    set(&s, "gamma", how->gamma), set(&s, "pgs-alpha", how->pgs_alpha), set(&s, "relaxation", how->relaxation);
    set(&s, "prox-r", how->r), set(&s, "prox-zeta", how->zeta);
    return s;
}

static double mobility(const myr_contact_problem *p) {
    const size_t m = 3 * (size_t)p->contacts;
    double most = 0;
    for (size_t i = 0; i < m; i += 3) most = fmax(most, (p->G[i * m + i] + p->G[(i + 1) * m + i + 1] + p->G[(i + 2) * m + i + 2]) / 3);
    return most > 0 ? most : 1;
}

/* How much a block's inverse may magnify rounding: the largest eigenvalue over the least, at most. */
static double condition(const myr_contact_problem *p, int i) {
    const size_t m = 3 * (size_t)p->contacts;
    const double *g = p->G + 3 * (size_t)i * (m + 1), *h = g + m, *k = h + m;
    const double trace = g[0] + h[1] + k[2];
    const double det = g[0] * (h[1] * k[2] - h[2] * k[1]) - g[1] * (h[0] * k[2] - h[2] * k[0]) + g[2] * (h[0] * k[1] - h[1] * k[0]);
    return det > 0 ? trace * trace * trace / det : INFINITY;
}

/* What nothing moves may push with any impulse. */
static int moves(const myr_contact_problem *p, int i) {
    const size_t m = 3 * (size_t)p->contacts, d = 3 * (size_t)i;
    return p->G[d * m + d] + p->G[(d + 1) * m + d + 1] + p->G[(d + 2) * m + d + 2] > 0;
}

/* The first `n` problems side by side, against the reference one by one. `rounding` of the largest impulse, or of what would stop the
 * contact, is allowed, times the blocks' condition for solvers that invert them. */
static void compare(random_problem *problems, int n, const char *isa, const char *precision, const char *solver, reference_sweeps how,
                    double rounding, const char *what) {
    const int inverts = strcmp(solver, "golden") == 0 || strcmp(solver, "quartic") == 0;
    const myr_settings settings = settings_of(isa, precision, solver, &how);
    myr_contact_problem p[MOST] = {{0}};
    myr_contact_result r[MOST] = {{0}};
    for (int i = 0; i < n; i++) p[i] = problems[i].problem, r[i] = problems[i].result;
    assert_int_equal(myr_solve_contacts(p, n, &settings, r), MYR_OK);
    for (int i = 0; i < n; i++) {
        double exact[3 * 8] = {0}, size = 0, worst = 1;
        reference_sweeps own = how;
        own.r = how.r / mobility(&p[i]), own.zeta = how.zeta * mobility(&p[i]);
        assert_true(p[i].contacts <= 8 && reference_solve(solver, p[i].contacts, p[i].G, p[i].c, p[i].mu, &own, exact));
        for (int k = 0; k < 3 * p[i].contacts; k++) size = fmax(size, fmax(fabs(exact[k]), fabs(p[i].c[k]) / mobility(&p[i])));
        for (int k = 0; k < p[i].contacts && inverts; k++) worst = fmax(worst, condition(&p[i], k));
        for (int k = 0; k < 3 * p[i].contacts; k++)
            if (moves(&p[i], k / 3) && !(fabs(r[i].impulse[k] - exact[k]) <= rounding * worst * size))
                fail_msg("%s, %s, %s, %s, %d sweeps: impulse %d of problem %d of %d is %.17g, by the reference %.17g, of %g", what, solver,
                         isa, precision, how.sweeps, k, i, n, r[i].impulse[k], exact[k], size);
    }
}

static void everywhere(random_problem *problems, int n, const char *solver, const reference_sweeps *how, const char *what) {
    for (int p = 0; p < 2; p++)
        for (int i = 0; isa_at(i); i++) compare(problems, n, isa_at(i), precisions[p], solver, *how, p ? 1e-5 : 1e-13, what);
}

static const char *const solvers[] = {"golden", "quartic", "pgs", "pgs-lelidec", "pgs-lcp", "pgs-ccp", "prox"};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static void free_all(random_problem *problems, int n) {
    for (int i = 0; i < n; i++) random_problem_free(&problems[i]);
}

static void same_iterates(void **state) {
    (void)state;
    random_source source = {41};
    random_problem problems[MOST];
    for (int i = 0; i < MOST; i++)
        problems[i] =
            random_problem_new(&source, &(random_contacts){.contacts = 1 + i % 4, .coupling = 0.2, .mu_most = 1, .frictionless = 1});
    static const int sweeps[] = {1, 2, 5, 12};
    for (int s = 0; s < SOLVERS; s++)
        for (int k = 0; k < 4; k++) {
            reference_sweeps how = printed;
            how.sweeps = sweeps[k];
            everywhere(problems, MOST, solvers[s], &how, "random");
            for (int p = 0; p < 2 && k == 2; p++) { /* the edges of a tile */
                const int W = p ? 16 : 8, counts[] = {0, 1, W - 1, W, W + 1};
                for (int c = 0; c < 5; c++)
                    compare(problems, counts[c], "auto", precisions[p], solvers[s], how, p ? 1e-5 : 1e-13, "edges of a tile");
            }
        }
    free_all(problems, MOST);
}

/* Other settings than the defaults, over-relaxation among them. */
static void settings_reach_the_kernels(void **state) {
    (void)state;
    random_source source = {42};
    random_problem problems[4];
    for (int i = 0; i < 4; i++)
        problems[i] = random_problem_new(&source, &(random_contacts){.contacts = 3, .coupling = 0.1, .mu_most = 0.7});
    const reference_sweeps how = {
        .sweeps = 7, .alpha = 0.9, .alpha_min = 0.5, .gamma = 0.8, .pgs_alpha = 0.9, .relaxation = 1.3, .r = 0.4, .zeta = 0.2};
    for (int s = 0; s < SOLVERS; s++) everywhere(problems, 4, solvers[s], &how, "other settings");
    free_all(problems, 4);
}

/* No friction; no full rank; a contact that nothing moves; masses a million times apart, which the solvers that take contacts one by one
 * do not see. */
static void degenerate_contacts(void **state) {
    (void)state;
    random_source source = {43};
    reference_sweeps how = printed;
    how.sweeps = 4;
    for (int s = 0; s < SOLVERS; s++) {
        random_problem p[3];
        const int inverts = s < 2;
        for (int i = 0; i < 3; i++) {
            p[i] = random_problem_new(&source, &(random_contacts){.contacts = 3, .coupling = 0.1, .mu_most = 0.8});
            for (int k = 0; k < 3; k++) ((double *)p[i].problem.mu)[k] = 0;
        }
        everywhere(p, 3, solvers[s], &how, "no friction");
        free_all(p, 3);
        for (int i = 0; i < 3; i++)
            p[i] = random_problem_new(&source,
                                      &(random_contacts){.contacts = 2, .coupling = inverts ? 0.3 : 0, .singular = 1, .mu_most = 0.8});
        everywhere(p, 3, solvers[s], &how, "singular");
        free_all(p, 3);
        for (int i = 0; i < 3; i++) {
            p[i] = random_problem_new(&source, &(random_contacts){.contacts = 3, .coupling = 0.1, .mu_most = 0.8});
            double *G = (double *)p[i].problem.G;
            const double scale[3] = {1e3, 1, 1e-3};
            for (int r = 0; r < 9; r++)
                for (int k = 0; k < 9; k++)
                    G[9 * r + k] *= r / 3 == k / 3 || strcmp(solvers[s], "prox") != 0 ? scale[r / 3] * scale[k / 3] : 1;
        }
        everywhere(p, 3, solvers[s], &how, "masses");
        if (!inverts) {
            for (int i = 0; i < 3; i++) {
                double *G = (double *)p[i].problem.G;
                for (int k = 0; k < 9; k++)
                    for (int e = 3; e < 6; e++) G[9 * k + e] = G[9 * e + k] = 0;
                double *c = (double *)p[i].problem.c;
                c[5] = fabs(c[5]); /* what nothing can stop may not close */
            }
            everywhere(p, 3, solvers[s], &how, "zero block");
        }
        free_all(p, 3);
    }
}

/* The halves of staggered are solved by other means here and there, so only where both come to rest they must agree. */
static void staggered_comes_to_the_same_rest(void **state) {
    (void)state;
    random_source source = {44};
    random_problem problems[9];
    for (int i = 0; i < 9; i++)
        problems[i] =
            random_problem_new(&source, &(random_contacts){.contacts = 1 + i % 3, .coupling = 0.1, .mu_most = 0.3, .frictionless = 1});
    reference_sweeps how = printed;
    how.sweeps = 200;
    for (int p = 0; p < 2; p++)
        for (int i = 0; isa_at(i); i++) compare(problems, 9, isa_at(i), precisions[p], "staggered", how, p ? 1e-3 : 1e-9, "rest");
    free_all(problems, 9);
}

/* The factor r of prox shows in the first sweep from zero: lambda_N = -r c_N. */
static double factor(const random_problem *p, const char *precision, const char *rule, double zeta) {
    myr_settings s =
        settings_of("auto", precision, "prox",
                    &(reference_sweeps){.sweeps = 1, .alpha = 1, .alpha_min = 1, .pgs_alpha = 1, .relaxation = 1, .zeta = zeta});
    assert_int_equal(myr_settings_set(&s, "prox-rule", rule), MYR_OK);
    myr_contact_result r = p->result;
    assert_int_equal(myr_solve_contacts(&p->problem, 1, &s, &r), MYR_OK);
    return r.impulse[2] / -p->problem.c[2];
}

/* By inverse iteration's poor relation: largest eigenvalue of shift I - G for many steps. */
static double largest_eigenvalue(const double *G, int m, double shift) {
    double x[32], eta = 0;
    for (int k = 0; k < m; k++) x[k] = 1 + 0.3 * sin(k + 1.0);
    for (int step = 0; step < 20000; step++) {
        double y[32], size = 0;
        for (int r = 0; r < m; r++) {
            y[r] = shift * x[r];
            for (int k = 0; k < m; k++) y[r] += (shift > 0 ? -1 : 1) * G[r * m + k] * x[k];
            size = fmax(size, fabs(y[r]));
        }
        eta = size;
        for (int r = 0; r < m; r++) x[r] = y[r] / size;
    }
    return eta;
}

static void prox_takes_the_eigenvalues(void **state) {
    (void)state;
    random_source source = {45};
    for (int i = 0; i < 12; i++) {
        random_problem p = random_problem_new(&source, &(random_contacts){.contacts = 1 + i % 4, .coupling = 0.3, .mu_most = 0.8});
        const int n = p.problem.contacts, m = 3 * n;
        ((double *)p.problem.c)[2] = -1;
        const double most = largest_eigenvalue(p.problem.G, m, 0), least = most - largest_eigenvalue(p.problem.G, m, most);
        const double zeta = i % 2 ? 0.1 : 0, unit = mobility(&p.problem);
        for (int q = 0; q < 2; q++) {
            const double near = q ? 1e-3 : 1e-4; /* a power iteration ends where it hardly moves */
            const double delassus = fmin(2 / (most + least + 2 * zeta * unit), 1.98 / (most + zeta * unit));
            const double seen = factor(&p, precisions[q], "delassus", zeta);
            if (!(fabs(seen - delassus) <= near * delassus)) fail_msg("problem %d: r %.9g, by the Delassus matrix %.9g", i, seen, delassus);
            const double paper = factor(&p, precisions[q], "paper", zeta), eta = 2 / paper - zeta * unit;
            if (paper >= 1.979 / (most + zeta * unit)) continue; /* held back */
            /* the largest real zero of A's characteristic polynomial: its sign changes there and no more above */
            const double above = reference_prox_determinant(n, p.problem.G, p.problem.mu, eta * (1 + near));
            assert_true(reference_prox_determinant(n, p.problem.G, p.problem.mu, eta * (1 - near)) * above < 0);
            for (double x = eta * (1 + near); x < 20 * eta; x *= 1.003)
                assert_true(reference_prox_determinant(n, p.problem.G, p.problem.mu, x) * above > 0);
        }
        random_problem_free(&p);
    }
    /* Lu's particle: r* = 1 by its A, 2 / (2 + zeta) with relaxation */
    const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, c[3] = {1, 0, -0.5}, mu = 0.5;
    double impulse[3], velocity[3];
    const random_problem particle = {.problem = {.contacts = 1, .G = unit, .c = c, .mu = &mu},
                                     .result = {.impulse = impulse, .velocity = velocity}};
    assert_true(fabs(factor(&particle, "f64", "paper", 0) - 1) <= 1e-12);
    assert_true(fabs(factor(&particle, "f64", "delassus", 0) - 1) <= 1e-12);
    assert_true(fabs(factor(&particle, "f64", "paper", 1e-6) - 2 / (2 + 1e-6)) <= 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_iterates),
        cmocka_unit_test(settings_reach_the_kernels),
        cmocka_unit_test(degenerate_contacts),
        cmocka_unit_test(staggered_comes_to_the_same_rest),
        cmocka_unit_test(prox_takes_the_eigenvalues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
