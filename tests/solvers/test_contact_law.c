/* ctest: heavy law
 * Bare contact problems: every solver, instruction set and precision against the law, the brute-force single contact and the
 * promises: own fate, same bits, honest status. */
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
#include "reference/contact_law.h"
#include "reference/contact_single.h"

enum { MOST = 17, COMPONENTS = 18 };

static const char *const precisions[] = {"f64", "f32"};

/* What the solvers of the last call worked with: some choose a compliance of their own. */
static double compliance[MOST][COMPONENTS];

static void solve(random_problem *set, int64_t n, const myr_settings *settings) {
    myr_contact_problem problems[MOST] = {{0}};
    myr_contact_result results[MOST] = {{0}};
    for (int64_t i = 0; i < n; i++) {
        problems[i] = set[i].problem, results[i] = set[i].result;
        results[i].R = compliance[i];
        assert_true(3 * problems[i].contacts <= COMPONENTS);
    }
    if (myr_solve_contacts(problems, n, settings, results) != MYR_OK)
        fail_msg("%s, %s, %s: %s", settings->solver, settings->isa, settings->precision, myr_message());
    for (int64_t i = 0; i < n; i++) set[i].result = results[i];
}

static void assert_near(const myr_settings *s, const char *what, double a, double b, double allowed) {
    if (!(fabs(a - b) <= allowed))
        fail_msg("%s, %s, %s: %s: %.17g and %.17g are apart by %.3g, allowed %.3g", s->solver, s->isa, s->precision, what, a, b,
                 fabs(a - b), allowed);
}

/* The program says of its answer what the definitions say, and dissipates. */
static void check_honest(const random_problem *p, const myr_settings *settings, myr_law law) {
    const int m = 3 * p->problem.contacts;
    const myr_contact_result *r = &p->result;
    if (r->status == MYR_NOT_FINITE) { /* no answer, and no figure of one */
        assert_true(isinf(r->residual) && isinf(r->residual_ncp));
        for (int i = 0; i < m; i++) assert_true(r->impulse[i] == 0 && r->velocity[i] == p->problem.c[i]);
        return;
    }
    double *w = calloc((size_t)m + 1, sizeof *w);
    assert_non_null(w);
    const reference_residuals truth =
        reference_law_problem(p->problem.contacts, p->problem.G, p->problem.c, p->problem.mu, r->impulse, w, 1);
    const double *R = r->R;
    int soft = 0;
    for (int i = 0; i < m; i++) soft = soft || R[i] > 0;
    double c_most = 0, impulses = 0, energy = 0, size = 0;
    for (int i = 0; i < m; i++) {
        double row = 0;
        for (int k = 0; k < m; k++) row += fabs(p->problem.G[i * m + k] * r->impulse[k]);
        c_most = fmax(c_most, fabs(p->problem.c[i]));
        size = fmax(size, row + fabs(p->problem.c[i]));
        impulses += fabs(r->impulse[i]);
        energy += r->impulse[i] * 0.5 * (w[i] + p->problem.c[i]); /* of u+ less that of u*: l' (G l / 2 + c) */
    }
    const double rounding = c_most > 0 ? 1e-14 * size / c_most : 0;
    for (int i = 0; i < m; i++) assert_near(settings, "velocity", r->velocity[i], w[i], 1e-14 * size);
    assert_near(settings, "residual_ncp", r->residual_ncp, truth.own[MYR_LAW_NCP], 1e-9 * truth.own[MYR_LAW_NCP] + 20 * rounding);
    const reference_residuals own = reference_law_compliant(p->problem.contacts, p->problem.G, R, p->problem.c, p->problem.mu, r->impulse,
                                                            w, 1); /* w: compliant, too */
    assert_near(settings, "residual", r->residual, own.own[law], 1e-9 * r->residual + 20 * rounding);
    assert_int_equal(r->status == MYR_CONVERGED, r->residual <= settings->tolerance);
    if (r->status == MYR_CONVERGED) assert_true(energy <= 4 * settings->tolerance * c_most * impulses + 1e-14 * size * impulses);
    for (int i = 0; i < p->problem.contacts; i++) {
        assert_non_null(strchr("osd", r->modes[i]));
        if (r->status != MYR_CONVERGED || settings->tolerance > 1e-8 || soft) continue; /* what sticks creeps */
        const double *l = r->impulse + 3 * i, t = hypot(l[0], l[1]);
        /* on the edge of the cone; a box's, a side at a time */
        const double limited = law == MYR_LAW_BOX ? fmax(fabs(l[0]), fabs(l[1])) : law == MYR_LAW_DIAMOND ? fabs(l[0]) + fabs(l[1]) : t;
        if (r->modes[i] == 'd') assert_near(settings, "impulse at the limit", limited, p->problem.mu[i] * l[2], 1e-6 * impulses);
        if (r->modes[i] == 's') assert_true(hypot(hypot(w[3 * i], w[3 * i + 1]), w[3 * i + 2]) <= 1e-6 * c_most);
    }
    free(w);
}

static void clear(random_problem *set, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        memset(set[i].result.impulse, 0, set[i].result_doubles * sizeof(double));
        set[i].result.residual = set[i].result.residual_ncp = NAN;
    }
}

static int same_result(const random_problem *p, const myr_contact_result *other, const double *impulse_and_velocity) {
    return memcmp(p->result.impulse, impulse_and_velocity, p->result_doubles * sizeof(double)) == 0 &&
           p->result.iterations == other->iterations && p->result.status == other->status &&
           memcmp(&p->result.residual, &other->residual, sizeof(double)) == 0;
}

/* Random problems of 0 to 6 contacts: figures are honest, and a problem's bits depend on nothing but the problem. */
static void laws_at_the_edges_of_a_tile(void **unused) {
    (void)unused;
    random_source source = {11};
    random_problem set[MOST];
    double *kept[MOST];
    myr_contact_result first[MOST];
    for (int i = 0; i < MOST; i++) {
        set[i] = random_problem_new(
            &source, &(random_contacts){.contacts = i == 3 ? 0 : 1 + i % 6, .coupling = 0.3, .mu_most = 1.2, .frictionless = 1});
        kept[i] = calloc(set[i].result_doubles + 1, sizeof(double));
        assert_non_null(kept[i]);
    }
    for (int s = 0; s < MYR_SOLVER_COUNT; s++) {
        for (size_t p = 0; p < 2; p++) {
            const int64_t W = p == 0 ? 8 : 16, counts[] = {W + 1, 0, 1, W - 1, W};
            const double tolerance = p == 0 ? 1e-10 : 1e-5;
            int have = 0;
            for (int i = 0; isa_at(i); i++) {
                const myr_settings settings = random_problem_settings(isa_at(i), precisions[p], myr_solvers[s].name, tolerance);
                for (size_t c = 0; c < 5; c++) {
                    clear(set, MOST);
                    solve(set, counts[c], &settings);
                    for (int64_t k = 0; k < counts[c]; k++) {
                        check_honest(&set[k], &settings, myr_solvers[s].law);
                        if (!have) {
                            memcpy(kept[k], set[k].result.impulse, set[k].result_doubles * sizeof(double));
                            first[k] = set[k].result;
                        } else if (!same_result(&set[k], &first[k], kept[k])) {
                            fail_msg("%s, %s, %s: problem %lld of %lld has other bits than in the first run", settings.solver, settings.isa,
                                     settings.precision, (long long)k, (long long)counts[c]);
                        }
                    }
                    have = 1;
                }
            }
        }
    }
    for (int i = 0; i < MOST; i++) {
        random_problem_free(&set[i]);
        free(kept[i]);
    }
}

/* Largest eigenvalue of B' diag(step) B with B B' = the block of contact i: what the contact's own velocity is multiplied with in a step
 * that is not projected, less one. */
static double stiffness(const random_problem *p, int i, const double step[3]) {
    const size_t m = 3 * (size_t)p->problem.contacts;
    double x[3] = {1, 0.7, 0.4}, largest = 0;
    for (int k = 0; k < 1000; k++) {
        double y[3], size2 = 0;
        for (size_t r = 0; r < 3; r++) {
            y[r] = 0;
            for (size_t q = 0; q < 3; q++) y[r] += step[r] * p->problem.G[(3 * (size_t)i + r) * m + 3 * (size_t)i + q] * x[q];
            size2 += y[r] * y[r];
        }
        largest = sqrt(size2);
        for (int r = 0; r < 3 && largest > 0; r++) x[r] = y[r] / largest;
    }
    return largest;
}

/* Do the printed steps of Le Lidec's sweeps let single contacts come to rest? Relaxed, the velocity of one that sticks is multiplied by
 * 1 - relaxation times stiffness; where that is below -1, sweeps drive it away (docs/contact.md). The other solvers have no such limit. */
static int steps_are_stable(const random_problem *p, int solver, double relaxation) {
    const size_t m = 3 * (size_t)p->problem.contacts;
    if (solver != MYR_SOLVER_PGS_LELIDEC && solver != MYR_SOLVER_PGS_LCP && solver != MYR_SOLVER_PGS_CCP) return 1;
    for (int i = 0; i < p->problem.contacts; i++) {
        const double *g = p->problem.G + 3 * (size_t)i * (m + 1), x = g[0], y = g[m + 1], z = g[2 * m + 2];
        const double tangent = solver == MYR_SOLVER_PGS_CCP ? 3 / (x + y + z) : 1 / fmin(x, y);
        const double normal = solver == MYR_SOLVER_PGS_CCP ? tangent : 1 / z;
        if (relaxation * stiffness(p, i, (const double[]){tangent, tangent, normal}) > 1.9) return 0;
    }
    return 1;
}

/* Loosely coupled contacts are what Gauss-Seidel methods are made for: none may fail to converge, unless its steps are too long. */
static void loose_coupling(int s, const char *relaxation, int at_least) {
    random_source source = {12};
    myr_settings settings = random_problem_settings("auto", "f64", myr_solvers[s].name, 1e-9);
    assert_int_equal(myr_settings_set(&settings, "relaxation", relaxation), MYR_OK);
    int stable = 0;
    for (int i = 0; i < 100; i++) {
        random_problem p = random_problem_new(&source, &(random_contacts){.contacts = 4, .coupling = 0.02, .mu_most = 0.3});
        if (steps_are_stable(&p, s, settings.relaxation)) {
            stable++;
            solve(&p, 1, &settings);
            if (p.result.status != MYR_CONVERGED)
                fail_msg("%s: problem %d: %s, residual %g", settings.solver, i, myr_solve_status_text(p.result.status), p.result.residual);
        }
        random_problem_free(&p);
    }
    if (stable < at_least) fail_msg("%s at relaxation %s: %d of 100 problems have stable steps", settings.solver, relaxation, stable);
}

static void loose_coupling_converges(void **unused) {
    (void)unused;
    for (int s = 0; s < MYR_SOLVER_COUNT; s++)
        loose_coupling(s, "0.8", s == MYR_SOLVER_PGS_LELIDEC || s == MYR_SOLVER_PGS_LCP || s == MYR_SOLVER_PGS_CCP ? 1 : 100);
    loose_coupling(MYR_SOLVER_PGS_CCP, "0.63", 100); /* below 2/3 every step descends, whatever the block */
}

/* One contact: the exact minimum of Hwangbo's model, found by brute force. */
static void single_contact_is_exact(void **unused) {
    (void)unused;
    for (int s = 0; s < MYR_SOLVER_COUNT; s++) {
        if (myr_solvers[s].law != MYR_LAW_DISSIPATION) continue;
        random_source source = {13};
        const myr_settings settings = random_problem_settings("auto", "f64", myr_solvers[s].name, 1e-13);
        int modes[3] = {0, 0, 0};
        for (int i = 0; i < 300; i++) {
            random_problem p = random_problem_new(
                &source, &(random_contacts){.contacts = 1, .coupling = 0.2, .mu_most = i % 3 ? 0.8 : 2.5, .frictionless = 1});
            double exact[3], most = 0, error = 0;
            const char mode = reference_single(p.problem.G, p.problem.c, p.problem.mu[0], exact);
            assert_int_not_equal(mode, '?');
            solve(&p, 1, &settings);
            for (int k = 0; k < 3; k++) {
                most = fmax(most, fabs(exact[k]));
                error = fmax(error, fabs(exact[k] - p.result.impulse[k]));
            }
            if (!(error <= 1e-9 * most))
                fail_msg("%s: problem %d (mu %g, %c): off by %g of %g", settings.solver, i, p.problem.mu[0], mode, error, most);
            assert_int_equal(p.result.modes[0], mode);
            modes[mode == 'o' ? 0 : mode == 's' ? 1 : 2]++;
            random_problem_free(&p);
        }
        for (int k = 0; k < 3; k++) assert_true(modes[k] > 20);
    }
}

/* One contact under the full law: nsgs solves every one of them, exactly, however G couples normal and tangent. */
static void single_contact_under_coulomb(void **unused) {
    (void)unused;
    random_source source = {13};
    const myr_settings settings = random_problem_settings("auto", "f64", "nsgs", 1e-13);
    int modes[3] = {0, 0, 0}, several = 0;
    for (int i = 0; i < 1000; i++) {
        random_problem p = random_problem_new(
            &source, &(random_contacts){.contacts = 1, .coupling = 0.2, .mu_most = i % 3 ? 0.8 : 2.5, .frictionless = 1});
        solve(&p, 1, &settings);
        check_honest(&p, &settings, MYR_LAW_NCP);
        if (p.result.status != MYR_CONVERGED)
            fail_msg("problem %d (mu %g): %s, residual %g", i, p.problem.mu[0], myr_solve_status_text(p.result.status), p.result.residual);
        double exact[3], most = 0, error = 0;
        int roots;
        const char mode = reference_single_coulomb(p.problem.G, p.problem.c, p.problem.mu[0], exact, &roots);
        for (int k = 0; k < 3; k++) {
            most = fmax(most, fabs(exact[k]));
            error = fmax(error, fabs(exact[k] - p.result.impulse[k]));
        }
        several += roots != 1;
        if (roots == 1 && !(error <= 1e-9 * most && p.result.modes[0] == mode))
            fail_msg("problem %d (mu %g, %c): off by %g of %g, mode %c", i, p.problem.mu[0], mode, error, most, p.result.modes[0]);
        modes[mode == 'o' ? 0 : mode == 's' ? 1 : 2]++;
        random_problem_free(&p);
    }
    print_message("%d open, %d stick, %d slip, %d of them in several ways or none that brute force sees\n", modes[0], modes[1], modes[2],
                  several);
    for (int k = 0; k < 3; k++) assert_true(modes[k] > 60);
    assert_true(several < 50);
}

/* Powers of two in G and c only move exponents: the same solution in other units, to the bit. */
static void units_do_not_matter(void **unused) {
    (void)unused;
    for (int s = 0; s < MYR_SOLVER_COUNT; s++) {
        for (size_t q = 0; q < 2; q++) {
            random_source source = {14};
            const myr_settings settings = random_problem_settings("auto", precisions[q], myr_solvers[s].name, 1e-5);
            for (int i = 0; i < 20; i++) {
                random_problem p = random_problem_new(&source, &(random_contacts){.contacts = 3, .coupling = 0.2, .mu_most = 1});
                double before[9], *G = (double *)p.problem.G, *c = (double *)p.problem.c;
                solve(&p, 1, &settings);
                memcpy(before, p.result.impulse, sizeof before);
                const int g = i % 2 ? 300 : -300, v = i % 3 ? -200 : 200;
                for (int k = 0; k < 81; k++) G[k] = ldexp(G[k], g);
                for (int k = 0; k < 9; k++) c[k] = ldexp(c[k], v);
                solve(&p, 1, &settings);
                for (int k = 0; k < 9; k++) assert_true(p.result.impulse[k] == ldexp(before[k], v - g));
                random_problem_free(&p);
            }
        }
    }
}

static void solve_everywhere(random_problem *p, double tolerance,
                             void (*check)(const random_problem *, const myr_settings *, myr_law law)) {
    for (int s = 0; s < MYR_SOLVER_COUNT; s++)
        for (size_t q = 0; q < 2; q++)
            for (int i = 0; isa_at(i); i++) {
                myr_settings settings =
                    random_problem_settings(isa_at(i), precisions[q], myr_solvers[s].name, q == 0 ? tolerance : fmax(tolerance, 1e-5));
                /* Lu's factor may let a slipping contact swing between two impulses; a third of the mobility is below 1 / eta_max */
                assert_int_equal(myr_settings_set(&settings, "prox-r", "0.33"), MYR_OK);
                clear(p, 1);
                solve(p, 1, &settings);
                check(p, &settings, myr_solvers[s].law);
            }
}

static void check_zero(const random_problem *p, const myr_settings *settings, myr_law law) {
    (void)settings, (void)law;
    for (int i = 0; i < 3 * p->problem.contacts; i++) {
        assert_true(p->result.impulse[i] == 0);
        assert_true(p->result.velocity[i] == p->problem.c[i]);
    }
    assert_int_equal(p->result.status, MYR_CONVERGED);
    assert_true(p->result.residual == 0 && p->result.residual_ncp == 0);
    for (int i = 0; i < p->problem.contacts; i++) assert_int_equal(p->result.modes[i], 'o');
}

static void nothing_moves(void **unused) {
    (void)unused;
    random_source source = {15};
    double start[9];
    random_problem p = random_problem_new(&source, &(random_contacts){.contacts = 3, .coupling = 0.2, .mu_most = 1});
    memset((double *)p.problem.c, 0, 9 * sizeof(double));
    solve_everywhere(&p, 1e-10, check_zero);
    for (int k = 0; k < 9; k++) start[k] = 1;
    p.problem.start = start;
    solve_everywhere(&p, 1e-10, check_zero);
    random_problem_free(&p);
}

/* Whatever a degenerate problem is, the answer is finite and its figure is true. */
static void check_finite(const random_problem *p, const myr_settings *settings, myr_law law) {
    for (int i = 0; i < 3 * p->problem.contacts; i++) assert_true(isfinite(p->result.impulse[i]) && isfinite(p->result.velocity[i]));
    check_honest(p, settings, law);
}

static void check_finite_and_converged(const random_problem *p, const myr_settings *settings, myr_law law) {
    check_finite(p, settings, law);
    int solver = 0;
    while (strcmp(myr_solvers[solver].name, settings->solver) != 0) solver++;
    if (steps_are_stable(p, solver, settings->relaxation) && p->result.status != MYR_CONVERGED)
        fail_msg("%s, %s, %s: %s, residual %g", settings->solver, settings->isa, settings->precision,
                 myr_solve_status_text(p->result.status), p->result.residual);
}

static void degenerate_matrices(void **unused) {
    (void)unused;
    random_source source = {16};
    random_problem p = random_problem_new(&source, &(random_contacts){.contacts = 3, .coupling = 0.2, .mu_most = 1});
    double *G = (double *)p.problem.G, *c = (double *)p.problem.c;
    for (int k = 0; k < 3; k++) c[3 * k + 2] = 0.5;
    memset(G, 0, 81 * sizeof(double)); /* nothing can be moved, and nothing closes */
    solve_everywhere(&p, 1e-8, check_finite);
    for (int k = 0; k < 9; k++) G[10 * k] = k % 3 == 2 ? 0 : 1; /* along the tangents only */
    solve_everywhere(&p, 1e-8, check_finite);
    for (int k = 0; k < 3; k++) c[3 * k + 2] = -0.5;
    for (int k = 0; k < 9; k++) G[10 * k] = k % 3 == 2 ? 1 : 0; /* moved along the normals only, as on a rail */
    solve_everywhere(&p, 1e-8, check_finite);
    random_problem_free(&p);

    for (int i = 0; i < 20; i++) { /* no full rank, but solvable: Hwangbo's G_ii of a contact on a locked link */
        p = random_problem_new(&source, &(random_contacts){.contacts = 1, .coupling = 0, .singular = 1, .mu_most = 0.8});
        G = (double *)p.problem.G, c = (double *)p.problem.c;
        const double push[3] = {random_uniform(&source, -1, 1), random_uniform(&source, -1, 1), -1}; /* c in the range of G */
        for (int r = 0; r < 3; r++) c[r] = G[3 * r] * push[0] + G[3 * r + 1] * push[1] + G[3 * r + 2] * push[2];
        solve_everywhere(&p, 1e-8, check_finite_and_converged);
        random_problem_free(&p);
    }
}

static void huge_and_tiny_masses(void **unused) {
    (void)unused;
    random_source source = {17};
    for (int i = 0; i < 20; i++) { /* mass ratios up to 1e8 between contacts that hardly know of each other */
        random_problem p = random_problem_new(&source, &(random_contacts){.contacts = 4, .coupling = 0.001, .mu_most = 0.5});
        double *G = (double *)p.problem.G;
        for (int r = 0; r < 12; r++)
            for (int k = 0; k < 12; k++) G[12 * r + k] *= pow(10, (r / 3 < 2 ? 2 : -2) + (k / 3 < 2 ? 2 : -2));
        solve_everywhere(&p, 1e-8, check_finite);
        random_problem_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_at_the_edges_of_a_tile), cmocka_unit_test(loose_coupling_converges),
        cmocka_unit_test(single_contact_is_exact),     cmocka_unit_test(single_contact_under_coulomb),
        cmocka_unit_test(units_do_not_matter),         cmocka_unit_test(nothing_moves),
        cmocka_unit_test(degenerate_matrices),         cmocka_unit_test(huge_and_tiny_masses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
