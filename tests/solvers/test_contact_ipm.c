/* ctest: heavy law lanes
 * The interior points in lanes against the same equations without elimination (reference/contact_ipm.c): the same impulses, on every
 * instruction set and in both precisions, at the edges of a tile; and what is hard for an interior point: contacts that just touch or just
 * stick, no friction, redundant contacts, masses far apart, rows, compliance. */
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
#include "reference/contact_ipm.h"
#include "reference/contact_law.h"
#include "reference/rows.h"

enum { SET = 17, MOST = 40 };

static const char *const precisions[] = {"f64", "f32"};
static const char *const solvers[] = {"ipm-diamond", "ipm-cone"};

/* A problem of this test: with room for rows. */
typedef struct task {
    double G[MOST * MOST], c[MOST], mu[MOST], stairs[3 * MOST], R[MOST], impulse[MOST], velocity[MOST], exact[2][MOST];
    myr_contact_problem problem;
} task;

static int numbers(const task *t) { return 3 * t->problem.contacts + t->problem.rows; }

/* Of what number k belongs to. */
static double mobility(const task *t, int k) {
    const int first = 3 * t->problem.contacts, m = numbers(t), d = k < first ? k - k % 3 : k;
    double sum = 0;
    for (int e = d; e < (k < first ? d + 3 : d + 1); e++) sum += t->G[e * m + e];
    return k < first ? sum / 3 : sum;
}

static void task_open(task *t, int contacts, int rows) {
    t->problem = (myr_contact_problem){.contacts = contacts, .G = t->G, .c = t->c, .mu = t->mu, .rows = rows, .stairs = t->stairs};
}

/* Contacts of a body on legs, and rows that move it and them; G has full rank. */
static void task_random(random_source *source, task *t, int contacts, int rows, double coupling) {
    const int m = 3 * contacts + rows, dofs = m + 6;
    double J[MOST * (MOST + 6)];
    task_open(t, contacts, rows);
    for (int r = 0; r < m; r++)
        for (int d = 0; d < dofs; d++) {
            const int own = r < 3 * contacts ? d >= 6 + r / 3 * 3 && d < 9 + r / 3 * 3 : d == 6 + r;
            J[r * dofs + d] = d < 6 ? coupling * random_uniform(source, -1, 1) : own ? random_uniform(source, -0.4, 0.4) + (d == 6 + r) : 0;
        }
    for (int r = 0; r < m; r++) {
        t->c[r] = random_uniform(source, -1, r < 3 * contacts && r % 3 == 2 ? 0.3 : 1);
        for (int k = 0; k < m; k++) {
            t->G[r * m + k] = 0;
            for (int d = 0; d < dofs; d++) t->G[r * m + k] += J[r * dofs + d] * J[k * dofs + d];
        }
    }
    for (int i = 0; i < contacts; i++) t->mu[i] = random_uniform(source, 0.1, 0.9);
    for (int k = 0; k < rows; k++) {
        const int limited = random_below(source, 4);
        t->stairs[3 * k] = random_below(source, 2) ? random_uniform(source, 0.05, 0.5) : 0;
        t->stairs[3 * k + 1] = limited & 1 ? random_uniform(source, -1, 0.1) : (double)-INFINITY;
        t->stairs[3 * k + 2] = limited & 2 ? random_uniform(source, 0.2, 1) : (double)INFINITY;
    }
}

static void solve_exactly(task *t) {
    const reference_ipm_problem p = {t->problem.contacts, t->problem.rows, t->G, t->c, t->mu, t->stairs};
    for (int s = 0; s < 2; s++)
        if (numbers(t) > 0 && !reference_ipm(&p, s == 0, 1e-16, t->exact[s])) fail_msg("%s: the reference does not get on", solvers[s]);
}

static void solve(task *t, int n, const char *isa, const char *precision, const char *solver, double tolerance, myr_contact_result *r) {
    myr_contact_problem p[SET] = {{0}};
    const myr_settings settings = random_problem_settings(isa, precision, solver, tolerance);
    for (int i = 0; i < n; i++) {
        p[i] = t[i].problem;
        memset(t[i].impulse, 0, sizeof t[i].impulse);
        r[i] = (myr_contact_result){.impulse = t[i].impulse, .velocity = t[i].velocity};
    }
    if (myr_solve_contacts(p, n, &settings, r) != MYR_OK) fail_msg("%s: %s", solver, myr_message());
}

/* The first n side by side: converged, finite, and at the reference's impulses to `near` of the largest impulse. */
static void compare(task *t, int n, const char *isa, int single, int s, double tolerance, double near, const char *what) {
    myr_contact_result r[SET];
    solve(t, n, isa, precisions[single], solvers[s], tolerance, r);
    for (int i = 0; i < n; i++) {
        const int m = numbers(&t[i]);
        double size = 0;
        for (int k = 0; k < m; k++) size = fmax(size, fmax(fabs(t[i].exact[s][k]), fabs(t[i].c[k]) / mobility(&t[i], k)));
        if (r[i].status != MYR_CONVERGED || !(r[i].residual <= tolerance))
            fail_msg("%s, %s, %s, %s: problem %d of %d ends with residual %.3g", what, solvers[s], isa, precisions[single], i, n,
                     r[i].residual);
        for (int k = 0; k < m; k++) {
            const double seen = t[i].impulse[k], exact = t[i].exact[s][k];
            if (!(fabs(seen - exact) <= near * size))
                fail_msg("%s, %s, %s, %s: number %d of problem %d of %d is %.17g, by the reference %.17g, of %g", what, solvers[s], isa,
                         precisions[single], k, i, n, seen, exact, size);
        }
    }
}

static void everywhere(task *t, int n, const char *what) {
    for (int s = 0; s < 2; s++)
        for (int p = 0; p < 2; p++)
            for (int i = 0; isa_at(i); i++) compare(t, n, isa_at(i), p, s, p ? 1e-5 : 1e-11, p ? 2e-3 : 1e-8, what);
}

/* Before anything is measured by it: the reference obeys the laws, which know nothing of interior points. */
static void the_reference_obeys_the_laws(void **state) {
    (void)state;
    random_source source = {61};
    static task t;
    for (int i = 0; i < 40; i++) {
        task_random(&source, &t, 1 + i % 4, i % 3, 0.3);
        solve_exactly(&t);
        for (int s = 0; s < 2; s++) {
            double w[MOST], worst = 0;
            const int m = numbers(&t), first = 3 * t.problem.contacts;
            reference_velocity((size_t)m, t.G, t.c, t.exact[s], w);
            for (int k = 0; k < first; k += 3) {
                const double *l = t.exact[s] + k;
                const reference_ncp law = reference_law_ncp(l, w + k, t.mu[k / 3], 1);
                worst = fmax(worst, s ? fmax(law.primal, fmax(law.dual, law.product)) : reference_law_diamond(l, w + k, t.mu[k / 3]));
            }
            for (int k = first; k < m; k++) worst = fmax(worst, reference_row_distance(t.exact[s][k], w[k], t.stairs + 3 * (k - first)));
            if (!(worst < 1e-10)) fail_msg("%s, problem %d: violated by %.3g", solvers[s], i, worst);
        }
    }
}

static void same_answers(void **state) {
    (void)state;
    random_source source = {62};
    static task t[SET];
    for (int i = 0; i < SET; i++) {
        task_random(&source, &t[i], 1 + i % 4, 0, 0.3);
        solve_exactly(&t[i]);
    }
    everywhere(t, SET, "random");
    for (int s = 0; s < 2; s++)
        for (int p = 0; p < 2; p++) {
            const int W = p ? 16 : 8, counts[] = {0, 1, W - 1, W, W + 1};
            for (int c = 0; c < 5; c++) compare(t, counts[c], "auto", p, s, p ? 1e-5 : 1e-11, p ? 2e-3 : 1e-8, "edges of a tile");
        }
}

static void rows_beside_contacts(void **state) {
    (void)state;
    random_source source = {63};
    static task t[SET];
    for (int i = 0; i < SET; i++) {
        task_random(&source, &t[i], i % 4, 1 + i % 5, 0.3);
        solve_exactly(&t[i]);
    }
    everywhere(t, SET, "rows");
}

/* Locked joints: their limits leave one velocity. */
static void locked_rows(void **state) {
    (void)state;
    random_source source = {64};
    static task t[SET];
    myr_contact_result r[SET];
    for (int i = 0; i < SET; i++) {
        task_random(&source, &t[i], 1 + i % 3, 2, 0.3);
        t[i].stairs[1] = t[i].stairs[2] = 0.1;
    }
    for (int s = 0; s < 2; s++)
        for (int p = 0; p < 2; p++) {
            solve(t, SET, "auto", precisions[p], solvers[s], p ? 1e-5 : 1e-10, r);
            for (int i = 0; i < SET; i++) {
                assert_int_equal(r[i].status, MYR_CONVERGED);
                assert_true(fabs(t[i].velocity[3 * t[i].problem.contacts] - 0.1) <= (p ? 2e-5 : 1e-9));
            }
        }
}

/* Velocities by 1e-6 and 1e6, masses likewise; and contacts whose masses are 1e4 apart. */
static void any_scale(void **state) {
    (void)state;
    static const double scales[][2] = {{1e-6, 1}, {1e6, 1}, {1, 1e-6}, {1, 1e6}};
    for (int k = 0; k < 5; k++) {
        random_source source = {65};
        static task t[SET];
        for (int i = 0; i < SET; i++) {
            task_random(&source, &t[i], 1 + i % 3, 0, 0.3);
            const int m = numbers(&t[i]);
            for (int r = 0; r < m; r++) {
                t[i].c[r] *= k < 4 ? scales[k][0] : 1;
                for (int e = 0; e < m; e++) t[i].G[r * m + e] *= k < 4 ? scales[k][1] : (r < 3 ? 100 : 1) * (e < 3 ? 100 : 1);
            }
            solve_exactly(&t[i]);
        }
        everywhere(t, SET, k < 4 ? "scales" : "masses");
    }
}

/* One contact, or two whose matrices are uncoupled, at the borders between modes. What just sticks may creep by d under a
 * tangential impulse that is d too small: the law's residual, a product, is d^2 there. */
static void borders_between_modes(void **state) {
    (void)state;
    static const double touch[3] = {0.3, -0.2, 0}, hold[3] = {-0.3, -0.4, -1}, still[3] = {0, 0, -1}, corner[3] = {-0.5, 0, -1};
    const double *const speeds[] = {touch, hold, still, corner};
    static const double exact[][3] = {{0, 0, 0}, {0.3, 0.4, 1}, {0, 0, 1}, {0.5, 0, 1}};
    for (int s = 0; s < 2; s++)
        for (int p = 0; p < 2; p++)
            for (int k = 0; k < 16; k++) {
                static task t;
                myr_contact_result r;
                task_open(&t, 2, 0);
                memset(t.G, 0, sizeof t.G);
                for (int e = 0; e < 6; e++) t.G[7 * e] = 1, t.c[e] = speeds[e < 3 ? k / 4 : k % 4][e % 3];
                for (int i = 0; i < 2; i++) { /* the cone's edge, or the diamond's */
                    const int at = i ? k % 4 : k / 4;
                    t.mu[i] = at == 1 ? (s ? 0.5 : 0.7) : 0.5;
                }
                const double tolerance = p ? 1e-5 : 1e-9;
                solve(&t, 1, "auto", precisions[p], solvers[s], tolerance, &r);
                if (r.status != MYR_CONVERGED) fail_msg("%s, %s, borders %d: residual %.3g", solvers[s], precisions[p], k, r.residual);
                for (int e = 0; e < 6; e++) {
                    const double wanted = exact[e < 3 ? k / 4 : k % 4][e % 3];
                    if (!(fabs(t.impulse[e] - wanted) <= sqrt(tolerance)))
                        fail_msg("%s, %s, borders %d: impulse %d is %.12g, and not %g", solvers[s], precisions[p], k, e, t.impulse[e],
                                 wanted);
                }
            }
}

/* Without friction there is no impulse along the tangents, not even a small one; a contact's own coefficient is its own. */
static void no_friction(void **state) {
    (void)state;
    random_source source = {66};
    static task t[SET];
    myr_contact_result r[SET];
    for (int i = 0; i < SET; i++) {
        task_random(&source, &t[i], 1 + i % 4, i % 2, 0.3);
        for (int k = 0; k < t[i].problem.contacts; k++)
            if ((i + k) % 2 == 0) t[i].mu[k] = 0;
    }
    for (int s = 0; s < 2; s++)
        for (int p = 0; p < 2; p++) {
            solve(t, SET, "auto", precisions[p], solvers[s], p ? 1e-5 : 1e-10, r);
            for (int i = 0; i < SET; i++) {
                assert_int_equal(r[i].status, MYR_CONVERGED);
                for (int k = 0; k < t[i].problem.contacts; k++)
                    if (t[i].mu[k] == 0) assert_true(t[i].impulse[3 * k] == 0 && t[i].impulse[3 * k + 1] == 0);
            }
        }
}

/* Every contact three times over: velocities are those of one. A residual lets them be off by its square root, where products are what is
 * left of it. */
static void redundant_contacts(void **state) {
    (void)state;
    random_source source = {67};
    static task one[SET], three[SET];
    myr_contact_result r[SET];
    for (int i = 0; i < SET; i++) {
        task_random(&source, &one[i], 1 + i % 3, i % 2, 0.3);
        solve_exactly(&one[i]);
        const int n = one[i].problem.contacts, rows = one[i].problem.rows, m = 9 * n + rows, from = numbers(&one[i]);
        task_open(&three[i], 3 * n, rows);
        memcpy(three[i].stairs, one[i].stairs, sizeof three[i].stairs);
        for (int a = 0; a < m; a++) {
            const int x = a < 9 * n ? a % (3 * n) : a - 6 * n;
            three[i].c[a] = one[i].c[x];
            for (int b = 0; b < m; b++) three[i].G[a * m + b] = one[i].G[x * from + (b < 9 * n ? b % (3 * n) : b - 6 * n)];
        }
        for (int k = 0; k < 3 * n; k++) three[i].mu[k] = one[i].mu[k % n];
    }
    for (int s = 0; s < 2; s++)
        for (int p = 0; p < 2; p++) {
            solve(three, SET, "auto", precisions[p], solvers[s], p ? 1e-5 : 1e-9, r);
            for (int i = 0; i < SET; i++) {
                const int m = numbers(&one[i]);
                double w[MOST];
                reference_velocity((size_t)m, one[i].G, one[i].c, one[i].exact[s], w);
                if (r[i].status != MYR_CONVERGED)
                    fail_msg("%s, %s, problem %d: residual %.3g", solvers[s], precisions[p], i, r[i].residual);
                for (int k = 0; k < 3 * one[i].problem.contacts; k++)
                    if (!(fabs(three[i].velocity[k] - w[k]) <= 3 * sqrt(p ? 1e-5 : 1e-9)))
                        fail_msg("%s, %s, problem %d: velocity %d is %.9g, of one contact %.9g", solvers[s], precisions[p], i, k,
                                 three[i].velocity[k], w[k]);
            }
        }
}

/* What a compliance adds is part of G, for the reference. */
static void compliance(void **state) {
    (void)state;
    random_source source = {68};
    static task t[SET], soft[SET];
    for (int i = 0; i < SET; i++) {
        task_random(&source, &t[i], 1 + i % 3, i % 2, 0.3);
        const int m = numbers(&t[i]);
        soft[i] = t[i];
        task_open(&soft[i], t[i].problem.contacts, t[i].problem.rows);
        for (int k = 0; k < m; k++) t[i].R[k] = random_uniform(&source, 0, 0.5), soft[i].G[k * m + k] += t[i].R[k];
        t[i].problem.R = t[i].R;
        solve_exactly(&soft[i]);
        memcpy(t[i].exact, soft[i].exact, sizeof t[i].exact);
    }
    everywhere(t, SET, "compliance");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_obeys_the_laws),
        cmocka_unit_test(same_answers),
        cmocka_unit_test(rows_beside_contacts),
        cmocka_unit_test(locked_rows),
        cmocka_unit_test(any_scale),
        cmocka_unit_test(borders_between_modes),
        cmocka_unit_test(no_friction),
        cmocka_unit_test(redundant_contacts),
        cmocka_unit_test(compliance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
