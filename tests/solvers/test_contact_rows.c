/* ctest: heavy law
 * Scalar and bilateral rows of bare problems: closed forms of one row in every region, rows beside contacts against the definitions,
 * the promises (own fate, same bits), redundant closures, refusals. */
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
#include "reference/rows.h"

static const char *const precisions[] = {"f64", "f32"};

/* ---- one row ------------------------------------------------------------------------------------ */

enum { REGIONS = 8, SPEEDS = 17, FORCES = 3, ONES = REGIONS * SPEEDS * FORCES };

typedef struct one_row {
    double g, c, stairs[3], impulse, velocity, expected_l, expected_w;
} one_row;

static void fill_ones(one_row *ones, double g) {
    const double none = (double)INFINITY, frictions[FORCES] = {0, 0.4, 3};
    const double ranges[REGIONS][2] = {{-none, none}, {-1, 1}, {0, none}, {-none, 0}, {0.2, 1}, {0, 0}, {-2, -0.5}, {-0.5, none}};
    int n = 0;
    for (int r = 0; r < REGIONS; r++)
        for (int s = 0; s < SPEEDS; s++)
            for (int f = 0; f < FORCES; f++) {
                one_row *o = &ones[n++];
                *o = (one_row){.g = g, .c = 0.5 * (s - SPEEDS / 2), .stairs = {frictions[f] / g, ranges[r][0], ranges[r][1]}};
                reference_row_alone(o->g, o->c, o->stairs, &o->expected_l, &o->expected_w);
            }
}

/* Newton works with a compliance, and so has other answers. */
static int is_rigid(int solver) { return solver != MYR_SOLVER_NEWTON_DIAG && solver != MYR_SOLVER_NEWTON_COMPLIANT; }

static void one_row_is_solved_exactly(void **state) {
    (void)state;
    static one_row ones[ONES];
    static myr_contact_problem problems[ONES];
    static myr_contact_result results[ONES];
    static const int counts[] = {ONES, 1, 7, 8, 9, 15, 16, 17};
    for (int s = 0; s < MYR_SOLVER_COUNT; s++)
        for (int i = 0; isa_at(i); i++)
            for (size_t p = 0; p < 2 && is_rigid(s); p++)
                for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
                    const double near = p ? 1e-5 : 1e-12, g = k % 3 == 0 ? 0.8 : k % 3 == 1 ? 1e3 : 1e-3;
                    const myr_settings settings = random_problem_settings(isa_at(i), precisions[p], myr_solvers[s].name, p ? 1e-6 : 1e-13);
                    fill_ones(ones, g);
                    for (int n = 0; n < counts[k]; n++) {
                        problems[n] = (myr_contact_problem){.G = &ones[n].g, .c = &ones[n].c, .rows = 1, .stairs = ones[n].stairs};
                        results[n] = (myr_contact_result){.impulse = &ones[n].impulse, .velocity = &ones[n].velocity};
                    }
                    if (myr_solve_contacts(problems, counts[k], &settings, results) != MYR_OK) fail_msg("%s", myr_message());
                    for (int n = 0; n < counts[k]; n++) {
                        const one_row *o = &ones[n];
                        const double scale = fmax(fabs(o->c), fmax(1, fabs(o->expected_w)));
                        if (fabs(o->velocity - o->expected_w) <= near * scale && fabs(o->impulse - o->expected_l) * g <= near * scale)
                            continue;
                        fail_msg("%s, %s, %s, g %g, c %g, f %g, [%g, %g]: impulse %.9g, velocity %.9g, not %.9g, %.9g (%s)",
                                 settings.solver, isa_at(i), precisions[p], o->g, o->c, o->stairs[0], o->stairs[1], o->stairs[2],
                                 o->impulse, o->velocity, o->expected_l, o->expected_w, myr_solve_status_text(results[n].status));
                    }
                }
}

/* ---- rows beside contacts ------------------------------------------------------------------------ */

enum { PROBLEMS = 120, MOST = 24 };

typedef struct mixed {
    double G[MOST * MOST], c[MOST], mu[4], stairs[3 * 8], impulse[MOST], velocity[MOST];
    myr_contact_problem problem;
} mixed;

/* G = J J' of bodies that contacts and rows share. `twice`: the last bilateral row is the first once more. */
static void fill_mixed(random_source *source, mixed *x, int contacts, int rows, int bilateral, int twice) {
    const int m = 3 * contacts + rows + bilateral, dofs = m + 3;
    double J[MOST * (MOST + 3)];
    for (int i = 0; i < m * dofs; i++) J[i] = random_uniform(source, -1, 1) * (random_below(source, 3) ? 1 : 0.1);
    if (twice && bilateral > 1) memcpy(J + (m - 1) * dofs, J + (m - bilateral) * dofs, (size_t)dofs * sizeof *J);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) {
            double sum = 0;
            for (int d = 0; d < dofs; d++) sum += J[i * dofs + d] * J[k * dofs + d];
            x->G[i * m + k] = sum;
        }
    for (int i = 0; i < m; i++) x->c[i] = random_uniform(source, -2, 2);
    if (twice && bilateral > 1) x->c[m - 1] = x->c[m - bilateral];
    for (int i = 0; i < contacts; i++) x->mu[i] = random_uniform(source, 0, 1);
    for (int k = 0; k < rows; k++) {
        double *s = x->stairs + 3 * k;
        const int limited = random_below(source, 4);
        s[0] = random_below(source, 2) ? random_uniform(source, 0, 1) : 0;
        s[1] = limited & 1 ? random_uniform(source, -1, 0.1) : (double)-INFINITY;
        s[2] = limited & 2 ? fmax(s[1], 0) + random_uniform(source, 0, 1) : (double)INFINITY;
    }
    x->problem = (myr_contact_problem){
        .contacts = contacts, .G = x->G, .c = x->c, .mu = x->mu, .rows = rows, .stairs = x->stairs, .bilateral = bilateral};
}

static void fill_all(mixed *all) {
    random_source source = {77};
    for (int i = 0; i < PROBLEMS; i++) fill_mixed(&source, &all[i], i % 4, (i / 2) % 6, i % 3, i % 5 == 0);
}

/* The distance of an answer from the full law, scale-free, by the definitions. */
static double violation(const mixed *x) {
    const myr_contact_problem *p = &x->problem;
    const int first = 3 * p->contacts, m = first + p->rows + p->bilateral;
    double w[MOST], vs = 0, ls = 0, mobility = 0, worst = 0;
    reference_velocity((size_t)m, x->G, x->c, x->impulse, w);
    for (int i = 0; i < m; i++) vs = fmax(vs, fabs(x->c[i])), ls = fmax(ls, fabs(x->impulse[i]));
    for (int i = 0; i < first; i += 3)
        mobility = fmax(mobility, (x->G[i * m + i] + x->G[(i + 1) * m + i + 1] + x->G[(i + 2) * m + i + 2]) / 3);
    for (int i = first; i < m; i++) mobility = fmax(mobility, x->G[i * m + i]);
    if (m == 0) return 0;
    ls = fmax(ls, vs / mobility);
    for (int i = 0; i < p->contacts; i++) {
        double l[3], v[3];
        for (int k = 0; k < 3; k++) l[k] = x->impulse[3 * i + k] / ls, v[k] = w[3 * i + k] / vs;
        const reference_ncp r = reference_law_ncp(l, v, x->mu[i], 1);
        worst = fmax(worst, fmax(r.primal, fmax(r.dual, r.product)));
    }
    for (int k = 0; k < p->rows; k++) {
        const double s[3] = {x->stairs[3 * k] / ls, x->stairs[3 * k + 1] / vs, x->stairs[3 * k + 2] / vs};
        worst = fmax(worst, reference_row_distance(x->impulse[first + k] / ls, w[first + k] / vs, s));
    }
    for (int i = m - p->bilateral; i < m; i++) worst = fmax(worst, fabs(w[i]) / vs);
    return worst;
}

static void solve_all(mixed *all, int n, const myr_settings *settings, myr_contact_result *results) {
    static myr_contact_problem problems[PROBLEMS];
    for (int i = 0; i < n; i++) {
        problems[i] = all[i].problem;
        results[i] = (myr_contact_result){.impulse = all[i].impulse, .velocity = all[i].velocity};
    }
    if (myr_solve_contacts(problems, n, settings, results) != MYR_OK) fail_msg("%s: %s", settings->solver, myr_message());
}

static void rows_and_contacts_obey_together(void **state) {
    (void)state;
    static mixed all[PROBLEMS];
    static myr_contact_result results[PROBLEMS];
    fill_all(all);
    for (int s = 0; s < MYR_SOLVER_COUNT; s++)
        for (size_t p = 0; p < 2; p++) {
            const double tolerance = p ? 1e-5 : 1e-9;
            const int full = myr_solvers[s].law == MYR_LAW_NCP;
            myr_settings settings = random_problem_settings("auto", precisions[p], myr_solvers[s].name, tolerance);
            assert_int_equal(myr_settings_set(&settings, "max-sweeps", "50000"), MYR_OK);
            int solved = 0;
            solve_all(all, PROBLEMS, &settings, results);
            for (int i = 0; i < PROBLEMS; i++) {
                const double seen = violation(&all[i]);
                solved += results[i].status == MYR_CONVERGED;
                if (!(seen <= results[i].residual_ncp * (1 + 1e-6) + 1e-13))
                    fail_msg("%s, %s, problem %d: violated by %.3g, and residual_ncp is %.3g", settings.solver, precisions[p], i, seen,
                             results[i].residual_ncp);
                if (full && results[i].status == MYR_CONVERGED && !(seen <= tolerance * 1.000001))
                    fail_msg("%s, %s, problem %d: converged, and violated by %.3g", settings.solver, precisions[p], i, seen);
            }
            print_message("%-17s %s: %d of %d solved\n", settings.solver, precisions[p], solved, PROBLEMS);
            const int sure = s == MYR_SOLVER_ADMM_NCP || s == MYR_SOLVER_ADMM_CCP || s == MYR_SOLVER_NSGS || s == MYR_SOLVER_PGS;
            assert_true(solved >= (sure ? PROBLEMS : PROBLEMS * 3 / 4));
        }
}

/* A limb of three joints whose contact and limits move nearly the same thing: the body that carries it gives way by `body` of what its own
 * joints do. Of ANYmal's legs that is some 0.1; 0 is a limb whose base is fixed, which its limits may lock altogether. */
static void fill_limb(random_source *source, mixed *x, int contacts, int rows, double body) {
    const int m = 3 * contacts + rows, dofs = 3 * contacts + 6;
    double J[MOST * MOST] = {0}, v[MOST];
    for (int d = 0; d < dofs; d++) v[d] = random_uniform(source, -2, 2);
    for (int i = 0; i < 3 * contacts; i++)
        for (int d = 0; d < 6 + 3; d++) {
            const int dof = d < 6 ? d : 6 + i / 3 * 3 + d - 6;
            J[i * dofs + dof] = random_uniform(source, -1, 1) * (d < 6 ? body : 1);
        }
    for (int k = 0; k < rows; k++) {
        J[(3 * contacts + k) * dofs + 6 + k] = 1;
        for (int d = 0; d < 6; d++) J[(3 * contacts + k) * dofs + d] = random_uniform(source, -0.3, 0.3) * body;
    }
    for (int i = 0; i < m; i++) {
        x->c[i] = 0;
        for (int d = 0; d < dofs; d++) x->c[i] += J[i * dofs + d] * v[d];
        for (int k = 0; k < m; k++) {
            double sum = 0;
            for (int d = 0; d < dofs; d++) sum += J[i * dofs + d] * J[k * dofs + d];
            x->G[i * m + k] = sum;
        }
    }
    for (int i = 0; i < contacts; i++) x->mu[i] = 0.8;
    for (int k = 0; k < rows; k++) {
        double *s = x->stairs + 3 * k;
        s[0] = random_below(source, 3) ? 0 : 0.1;
        s[1] = random_below(source, 2) ? random_uniform(source, -0.1, 0.1) : -1e4;
        s[2] = s[1] > -1 ? 1e4 : random_uniform(source, -0.1, 0.1);
    }
    x->problem = (myr_contact_problem){.contacts = contacts, .G = x->G, .c = x->c, .mu = x->mu, .rows = rows, .stairs = x->stairs};
}

/* Gauss-Seidel over contacts and rows would shed a hundredth of the error in a sweep; a row that is held costs no sweep. */
static void limbs_at_their_limits_take_few_sweeps(void **state) {
    (void)state;
    static mixed all[PROBLEMS];
    static myr_contact_result results[PROBLEMS];
    random_source source = {31};
    for (int i = 0; i < PROBLEMS; i++) fill_limb(&source, &all[i], 1 + i % 3, 1 + i % 2, 0.1);
    for (size_t p = 0; p < 2; p++) {
        const double tolerance = p ? 1e-5 : 1e-9;
        myr_settings settings = random_problem_settings("auto", precisions[p], "nsgs", tolerance);
        int solved = 0;
        int64_t sweeps = 0;
        assert_int_equal(myr_settings_set(&settings, "max-sweeps", "50"), MYR_OK);
        solve_all(all, PROBLEMS, &settings, results);
        for (int i = 0; i < PROBLEMS; i++) {
            const double seen = violation(&all[i]);
            if (!(seen <= results[i].residual_ncp * (1 + 1e-6) + 1e-13))
                fail_msg("%s, limb %d: violated by %.3g, and residual_ncp is %.3g", precisions[p], i, seen, results[i].residual_ncp);
            solved += results[i].status == MYR_CONVERGED && seen <= tolerance * 1.000001;
            sweeps += results[i].iterations;
        }
        print_message("limbs %s: %d of %d solved, %.1f sweeps on the mean\n", precisions[p], solved, PROBLEMS, (double)sweeps / PROBLEMS);
        assert_true(solved >= PROBLEMS - 2 && sweeps <= 12 * PROBLEMS);
    }
}

/* Where the limits leave the contact nothing to move by, what is left of G is rounding, and must not be divided by. */
static void limits_may_lock_a_limb(void **state) {
    (void)state;
    static mixed all[PROBLEMS];
    static myr_contact_result results[PROBLEMS];
    for (size_t p = 0; p < 2; p++) {
        random_source source = {32};
        const myr_settings settings = random_problem_settings("auto", precisions[p], "nsgs", p ? 1e-4 : 1e-8);
        int solved = 0;
        for (int i = 0; i < PROBLEMS; i++) {
            double *s = all[i].stairs;
            fill_limb(&source, &all[i], 1, 3, i % 4 ? 0 : 1e-4);
            for (int k = 0; k < 9; k += 3) s[k + (s[k + 1] > -1 ? 1 : 2)] = 0; /* at rest all is allowed: there is an answer */
        }
        solve_all(all, PROBLEMS, &settings, results);
        for (int i = 0; i < PROBLEMS; i++) {
            const double seen = violation(&all[i]);
            if (!(seen <= results[i].residual_ncp * (1 + 1e-6) + 1e-13) || !(seen < 0.01))
                fail_msg("%s, locked limb %d: violated by %.3g, and residual_ncp is %.3g", precisions[p], i, seen, results[i].residual_ncp);
            solved += results[i].status == MYR_CONVERGED;
        }
        assert_true(solved >= PROBLEMS * 9 / 10);
        print_message("locked limbs %s: %d of %d solved\n", precisions[p], solved, PROBLEMS);
    }
}

static void bits_are_a_problems_own(void **state) {
    (void)state;
    static mixed all[PROBLEMS];
    static myr_contact_result results[PROBLEMS];
    static double kept[PROBLEMS][MOST];
    for (int s = 0; s < MYR_SOLVER_COUNT; s++)
        for (size_t p = 0; p < 2; p++) {
            int have = 0;
            for (int i = 0; isa_at(i); i++)
                for (int alone = 0; alone < 2; alone++) {
                    const myr_settings settings = random_problem_settings(isa_at(i), precisions[p], myr_solvers[s].name, p ? 1e-4 : 1e-7);
                    random_source limbs = {33};
                    fill_all(all);
                    for (int k = 2; k < PROBLEMS; k += 3) fill_limb(&limbs, &all[k], 1 + k % 2, 1 + k % 3, 0.1);
                    for (int k = 0; k < PROBLEMS; k += alone ? 7 : PROBLEMS) {
                        solve_all(all + k, alone ? 1 : PROBLEMS, &settings, results + k);
                        for (int j = k; j < (alone ? k + 1 : PROBLEMS); j++) {
                            if (!have) memcpy(kept[j], all[j].impulse, sizeof kept[j]);
                            if (memcmp(kept[j], all[j].impulse, sizeof kept[j]) != 0)
                                fail_msg("%s, %s, %s: problem %d %s has other bits", settings.solver, isa_at(i), precisions[p], j,
                                         alone ? "alone" : "among others");
                        }
                    }
                    have = 1;
                }
        }
}

/* A closure that is there twice changes no velocity, and shares its impulse. */
static void redundant_closures_are_normal(void **state) {
    (void)state;
    random_source source = {5};
    const myr_settings settings = random_problem_settings("auto", "f64", "admm-ncp", 1e-11);
    for (int i = 0; i < 20; i++) {
        static mixed two, one;
        myr_contact_result results[2];
        fill_mixed(&source, &two, 1 + i % 2, 2, 3, 1);
        const int m = 3 * two.problem.contacts + 5;
        one = two;
        for (int a = 0; a < m - 1; a++)
            for (int b = 0; b < m - 1; b++) one.G[a * (m - 1) + b] = two.G[a * m + b];
        one.problem = (myr_contact_problem){
            .contacts = two.problem.contacts, .G = one.G, .c = one.c, .mu = one.mu, .rows = 2, .stairs = one.stairs, .bilateral = 2};
        solve_all(&two, 1, &settings, results);
        solve_all(&one, 1, &settings, results + 1);
        assert_true(results[0].status == MYR_CONVERGED && results[1].status == MYR_CONVERGED);
        for (int k = 0; k < m - 1; k++) assert_true(fabs(two.velocity[k] - one.velocity[k]) < 1e-8);
        const double shared = two.impulse[m - 3] + two.impulse[m - 1];
        assert_true(fabs(two.impulse[m - 1] - two.impulse[m - 3]) < 1e-8 && fabs(shared - one.impulse[m - 3]) < 1e-7);
    }
}

/* ---- refusals ----------------------------------------------------------------------------------- */

static void refuse(const myr_contact_problem *p, const char *words) {
    static double impulse[MOST], velocity[MOST];
    const myr_settings settings = random_problem_settings("auto", "f64", "nsgs", 1e-8);
    myr_contact_result r = {.impulse = impulse, .velocity = velocity};
    if (myr_solve_contacts(p, 1, &settings, &r) != MYR_E_ARG || !strstr(myr_message(), words))
        fail_msg("not refused with `%s`: %s", words, myr_message());
}

static void impossible_rows_are_refused(void **state) {
    (void)state;
    const double G[4] = {1, 0, 0, 0}, c[2] = {-1, -1};
    double stairs[6] = {0, -1, 1, 0, -2, 1};
    myr_contact_problem p = {.G = G, .c = c, .rows = 2, .stairs = stairs};
    const double wrong[][2] = {{0, -0.5}, {0, NAN}, {0, INFINITY}, {1, NAN}, {1, 2}, {1, INFINITY}, {2, -INFINITY}, {2, -3}};
    static const char *const words[] = {"f of row 0 is -0.5",         "f of row 0 is nan",  "f of row 0 is inf",   "lo of row 0 is nan",
                                        "lo of row 0 is 2, above hi", "lo of row 0 is inf", "hi of row 0 is -inf", "above hi, -3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const double was = stairs[(int)wrong[i][0]];
        stairs[(int)wrong[i][0]] = wrong[i][1];
        refuse(&p, words[i]);
        stairs[(int)wrong[i][0]] = was;
    }
    stairs[4] = 0; /* nothing can move row 1, and its velocity -1 is below its limit */
    refuse(&p, "no impulse can bring row 1 into [0, 1]");
    p.stairs = NULL;
    refuse(&p, "stairs is NULL");
    p.rows = -1;
    refuse(&p, "rows is -1");
    p.rows = 0, p.bilateral = -2;
    refuse(&p, "bilateral is -2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_row_is_solved_exactly),   cmocka_unit_test(rows_and_contacts_obey_together),
        cmocka_unit_test(bits_are_a_problems_own),     cmocka_unit_test(redundant_closures_are_normal),
        cmocka_unit_test(impossible_rows_are_refused), cmocka_unit_test(limbs_at_their_limits_take_few_sweeps),
        cmocka_unit_test(limits_may_lock_a_limb),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
