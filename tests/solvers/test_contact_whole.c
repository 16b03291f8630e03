/* ctest: lanes
 * The solvers that take all contacts at once: iterate by iterate as their references, the truth of the convex model, and stacks that no
 * method contact by contact can do. */
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
#include "reference/contact_whole.h"
#include "reference/rigid_body.h"

/* Key and value pairs, then NULL, over double precision. */
static myr_settings whole_settings(const char *first, ...) {
    myr_settings s = myr_settings_default();
    va_list more;
    va_start(more, first);
    assert_int_equal(myr_settings_set(&s, "precision", "f64"), MYR_OK);
    for (const char *key = first; key; key = va_arg(more, const char *))
        if (myr_settings_set(&s, key, va_arg(more, const char *)) != MYR_OK) fail_msg("%s", myr_message());
    va_end(more);
    return s;
}

static void solve(const myr_contact_problem *problem, const myr_settings *settings, myr_contact_result *result) {
    if (myr_solve_contacts(problem, 1, settings, result) != MYR_OK) fail_msg("%s", myr_message());
}

static void assert_close(const char *what, int n, const double *seen, const double *wanted, double allowed) {
    double size = 1e-3; /* of problems in which a common impulse is 0.1 to 1: where all are open the truth is zero */
    for (int k = 0; k < n; k++) size = fmax(size, fabs(wanted[k]));
    for (int k = 0; k < n; k++)
        if (!(fabs(seen[k] - wanted[k]) <= allowed * size))
            fail_msg("%s: component %d is %.17g, expected %.17g (apart by %.3g of the largest)", what, k, seen[k], wanted[k],
                     fabs(seen[k] - wanted[k]) / size);
}

/* In units of its own, as the lanes solve it: unit velocity and unit mobility. */
static void unit_scale(random_problem *p) {
    const int m = 3 * p->problem.contacts;
    double *G = (double *)p->problem.G, *c = (double *)p->problem.c, velocity = 0, mobility = 0;
    for (int i = 0; i < m; i++) velocity = fmax(velocity, fabs(c[i]));
    for (int i = 0; i < m; i += 3) mobility = fmax(mobility, (G[i * m + i] + G[(i + 1) * m + i + 1] + G[(i + 2) * m + i + 2]) / 3);
    for (int i = 0; i < m; i++) c[i] /= velocity;
    for (int i = 0; i < m * m; i++) G[i] /= mobility;
}

/* After so many iterations, the lanes have the reference's iterate, whether rho moves or not. */
static void admm_follows_its_reference(void **unused) {
    (void)unused;
    static const char *const iterations[] = {"1", "7", "16", "40", "100"};
    int changes = 0;
    random_source source = {51};
    for (int trial = 0; trial < 24; trial++) {
        random_problem p = random_problem_new(
            &source,
            &(random_contacts){
                .contacts = 1 + trial % 6, .coupling = trial % 2 ? 5 : 0.3, .singular = trial % 3 == 0, .mu_most = 1, .frictionless = 1});
        const int n = p.problem.contacts, m = 3 * n, full = trial / 2 % 2, over = trial / 4 % 2;
        double start[REFERENCE_MOST], z[REFERENCE_MOST];
        unit_scale(&p);
        for (int k = 0; k < m; k++) start[k] = trial % 5 ? 0 : random_uniform(&source, -0.5, 1);
        p.problem.start = start;
        for (int i = 0; isa_at(i / 5); i++) {
            const reference_admm_options o = {.full = full,
                                              .iterations = atoi(iterations[i % 5]),
                                              .eta = 1e-6,
                                              .relaxation = over ? 1.5 : 1,
                                              .rho0 = trial % 4 >= 2 ? 10 : 0, /* far off: it must move */
                                              .ratio = trial % 4 >= 2 ? 2 : 10,
                                              .power = 0.05};
            const myr_settings settings = whole_settings("isa", isa_at(i / 5), "solver", full ? "admm-ncp" : "admm-ccp", "tolerance", "0",
                                                         "max-sweeps", iterations[i % 5], "admm-relaxation", over ? "1.5" : "1", "admm-rho",
                                                         trial % 4 >= 2 ? "10" : "0", "admm-ratio", trial % 4 >= 2 ? "2" : "10", NULL);
            solve(&p.problem, &settings, &p.result);
            if (p.result.iterations < o.iterations) continue; /* nothing more to be done, to the bit */
            changes += reference_admm(n, p.problem.G, p.problem.c, p.problem.mu, start, &o, z);
            char what[256];
            snprintf(what, sizeof what, "%s, %s, problem %d, %d iterations", settings.solver, settings.isa, trial, o.iterations);
            assert_close(what, m, p.result.impulse, z, 1e-9);
        }
        random_problem_free(&p);
    }
    if (changes <= 100) fail_msg("rho moved only %d times", changes);
}

/* Newton in the lanes knows G alone; the reference has J and the generalized velocity. Same iterates: x = G^-1 (J v - c). */
static void newton_follows_its_reference(void **unused) {
    (void)unused;
    static const char *const iterations[] = {"1", "2", "3", "5", "60"};
    random_source source = {52};
    for (int trial = 0; trial < 30; trial++) {
        enum { MOST_M = 12, NV = 18 };
        const int n = 1 + trial % 4, m = 3 * n;
        double J[MOST_M * NV], G[MOST_M * MOST_M], c[MOST_M], mu[4], R[MOST_M], v_free[NV], v[NV], impulse[MOST_M], velocity[MOST_M];
        for (int k = 0; k < m * NV; k++) J[k] = random_uniform(&source, -1, 1);
        for (int k = 0; k < NV; k++) v_free[k] = random_uniform(&source, -1, 1);
        for (int i = 0; i < m; i++) {
            c[i] = 0;
            for (int k = 0; k < NV; k++) c[i] += J[i * NV + k] * v_free[k];
            for (int j = 0; j < m; j++) {
                G[i * m + j] = 0;
                for (int k = 0; k < NV; k++) G[i * m + j] += J[i * NV + k] * J[j * NV + k];
            }
            R[i] = i % 3 == 2 ? 0.07 : 0.2; /* more than either solver would choose */
            mu[i / 3] = trial % 5 == 4 ? 0 : 0.2 + 0.3 * (i / 3);
        }
        const myr_contact_problem problem = {.contacts = n, .G = G, .c = c, .mu = mu, .R = R};
        for (int i = 0; i < 2 * 5 * isa_count(); i++) {
            const int armijo = i / (5 * isa_count());
            double R_used[MOST_M];
            myr_contact_result result = {.impulse = impulse, .velocity = velocity, .R = R_used};
            const myr_settings settings = whole_settings(
                "isa", isa_at(i / 5 % isa_count()), "solver", trial % 2 ? "newton-diag" : "newton-compliant", "tolerance",
                i % 5 == 4 ? "1e-13" : "0", "max-sweeps", iterations[i % 5], "line-search", armijo ? "armijo" : "exact", NULL);
            solve(&problem, &settings, &result);
            assert_memory_equal(R_used, R, (size_t)m * sizeof *R);
            if (result.iterations < atoi(iterations[i % 5]) && i % 5 != 4) continue;
            reference_newton(n, NV, J, mu, R, atoi(iterations[i % 5]), armijo, v_free, v);
            double A[MOST_M * MOST_M], b[MOST_M], x[MOST_M], wanted[MOST_M];
            memcpy(A, G, sizeof A);
            for (int a = 0; a < m; a++) {
                b[a] = -c[a];
                for (int k = 0; k < NV; k++) b[a] += J[a * NV + k] * v[k];
            }
            assert_true(reference_cholesky_solve(A, m, b, x));
            for (int a = 0; a < m; a += 3) {
                const double *w = b + a; /* less c: what opens carries nothing */
                reference_cone_project(x + a, mu[a / 3], wanted + a);
                if (mu[a / 3] * hypot(w[0] + c[a], w[1] + c[a + 1]) <= w[2] + c[a + 2]) wanted[a] = wanted[a + 1] = wanted[a + 2] = 0;
            }
            char what[256];
            snprintf(what, sizeof what, "%s, %s, %s, problem %d, %s iterations", settings.solver, settings.isa, settings.line_search, trial,
                     iterations[i % 5]);
            assert_close(what, m, impulse, wanted, armijo || i % 5 == 4 ? 1e-8 : 1e-6); /* exact: to 1e-8 of the slope */
            if (i % 5 == 4 && result.status != MYR_CONVERGED) fail_msg("%s: residual %g", what, result.residual);
        }
    }
}

/* The solution on G + R is unique: Newton's is ADMM's, with the compliance that Newton says it chose; tangents may differ in theirs. */
static void newton_solves_what_admm_solves(void **unused) {
    (void)unused;
    static const char *const newtons[] = {"newton-diag", "newton-compliant"};
    random_source source = {53};
    for (int trial = 0; trial < 60; trial++) {
        random_problem p = random_problem_new(
            &source,
            &(random_contacts){
                .contacts = 1 + trial % 9, .coupling = trial % 4 ? 0.3 : 5, .singular = trial % 3 == 0, .mu_most = 1, .frictionless = 1});
        const int m = 3 * p.problem.contacts;
        double chosen[27], given[27], impulse[27];
        for (int k = 0; k < m; k++) given[k] = random_uniform(&source, 0, 0.3);
        if (trial % 2) p.problem.R = given;
        for (int s = 0; s < 4; s++) {
            const myr_settings newton =
                whole_settings("solver", newtons[s / 2], "line-search", s % 2 ? "armijo" : "exact", "tolerance", "1e-11", NULL);
            const myr_settings admm = whole_settings("solver", "admm-ccp", "tolerance", "1e-12", NULL);
            p.result.R = chosen;
            solve(&p.problem, &newton, &p.result);
            if (p.result.status != MYR_CONVERGED)
                fail_msg("%s, %s, problem %d: %s, residual %g", newton.solver, newton.line_search, trial,
                         myr_solve_status_text(p.result.status), p.result.residual);
            memcpy(impulse, p.result.impulse, sizeof *impulse * (size_t)m);
            for (int k = 0; k < m; k++) assert_true(chosen[k] > 0 && (!(trial % 2) || chosen[k] >= given[k]));
            myr_contact_problem soft = p.problem;
            soft.R = chosen;
            solve(&soft, &admm, &p.result);
            char what[256];
            snprintf(what, sizeof what, "%s, %s, problem %d", newton.solver, newton.line_search, trial);
            assert_close(what, m, impulse, p.result.impulse, 1e-8);
        }
        random_problem_free(&p);
    }
}

/* One contact of G = diag(T, T, N), c along x: at rest where the cone allows it, else
 * lambda = (-mu sign c_x, 0, 1) (mu |c_x| - c_z) / (mu^2 T + N), with R in T and N, and it leaves the ground at mu |w_T|. */
static void what_slips_leaves_the_ground(void **unused) {
    (void)unused;
    int modes[3] = {0, 0, 0};
    random_source source = {54};
    for (int trial = 0; trial < 200; trial++) {
        const double T = random_uniform(&source, 0.1, 3), N = random_uniform(&source, 0.1, 3),
                     mu = trial % 7 ? random_uniform(&source, 0, 2) : 0;
        const double G[9] = {T, 0, 0, 0, T, 0, 0, 0, N}, c[3] = {random_uniform(&source, -1, 1), 0, random_uniform(&source, -1, 0.3)};
        for (int s = 0; s < MYR_SOLVER_COUNT; s++) {
            if (myr_solvers[s].law != MYR_LAW_CCP) continue;
            double impulse[3], velocity[3], R[3], wanted[3] = {0};
            const myr_contact_problem problem = {.contacts = 1, .G = G, .c = c, .mu = &mu};
            myr_contact_result result = {.impulse = impulse, .velocity = velocity, .R = R};
            const myr_settings settings = whole_settings("solver", myr_solvers[s].name, "tolerance", "1e-13", NULL);
            solve(&problem, &settings, &result);
            const double tangent = T + R[0], normal = N + R[2], ray = (mu * fabs(c[0]) - c[2]) / (mu * mu * tangent + normal);
            const int sticks = c[2] <= 0 && fabs(c[0]) / tangent <= mu * -c[2] / normal;
            if (sticks) wanted[0] = -c[0] / tangent, wanted[2] = -c[2] / normal;
            if (!sticks && ray > 0) wanted[0] = -copysign(mu * ray, c[0]), wanted[2] = ray;
            modes[sticks ? 0 : ray > 0 ? 1 : 2]++;
            for (int k = 0; k < 3; k++)
                if (!(fabs(impulse[k] - wanted[k]) <= 1e-11 * (1 + fabs(wanted[k]))))
                    fail_msg("%s, trial %d: impulse %d is %.17g, expected %.17g", settings.solver, trial, k, impulse[k], wanted[k]);
            if (sticks || !(ray > 0)) continue;
            const double w[2] = {velocity[0] + R[0] * impulse[0], velocity[2] + R[2] * impulse[2]};
            assert_true(fabs(w[1] - mu * fabs(w[0])) <= 1e-11);
        }
    }
    for (int k = 0; k < 3; k++) assert_true(modes[k] > 20);
}

/* A cube on a cube on the ground, four contacts each way, at rest: masses from 1 : 1e-6 to 1 : 1e6. G of full rank 12 of 24. */
static void stacks_of_unequal_cubes(void **unused) {
    (void)unused;
    for (int power = -6; power <= 6; power += 2) {
        const double mass[2] = {1, pow(10, power)}, inertia[2] = {mass[0] / 6, mass[1] / 6};
        double J[24][12] = {{0}}, G[24 * 24], c[24] = {0}, mu[8], impulse[24], velocity[24];
        for (int contact = 0; contact < 8; contact++) {
            const double x = contact % 2 ? 0.5 : -0.5, y = contact / 2 % 2 ? 0.5 : -0.5;
            mu[contact] = 0.5;
            for (int body = 0; body < 2; body++) { /* contacts 0..3: lower cube on the ground; 4..7: upper on lower */
                const double side = contact < 4 ? (body == 0) : body == 1 ? 1 : -1, z = contact >= 4 && body == 0 ? 0.5 : -0.5;
                double(*rows)[12] = &J[3 * contact];
                for (int a = 0; a < 3; a++) rows[a][6 * body + a] = side;
                /* velocity of the point: omega x (x, y, z) */
                rows[0][6 * body + 4] = side * z, rows[0][6 * body + 5] = -side * y;
                rows[1][6 * body + 3] = -side * z, rows[1][6 * body + 5] = side * x;
                rows[2][6 * body + 3] = side * y, rows[2][6 * body + 4] = -side * x;
            }
        }
        for (int i = 0; i < 24; i++) {
            for (int k = 0; k < 24; k++) {
                G[24 * i + k] = 0;
                for (int v = 0; v < 12; v++) G[24 * i + k] += J[i][v] * J[k][v] / (v % 6 < 3 ? mass[v / 6] : inertia[v / 6]);
            }
            for (int body = 0; body < 2; body++) c[i] += -9.81e-3 * J[i][6 * body + 2] + 2e-3 * J[i][6 * body] * body;
        }
        const myr_contact_problem problem = {.contacts = 8, .G = G, .c = c, .mu = mu};
        for (int s = 0; s < MYR_SOLVER_COUNT; s++) {
            const char *name = myr_solvers[s].name;
            if (strncmp(name, "admm", 4) != 0 && strncmp(name, "newton", 6) != 0) continue;
            myr_contact_result result = {.impulse = impulse, .velocity = velocity};
            const myr_settings settings = whole_settings("solver", name, "tolerance", "1e-8", NULL);
            solve(&problem, &settings, &result);
            if (result.status != MYR_CONVERGED)
                fail_msg("%s, masses 1 and %g: %s, residual %g after %d iterations", name, mass[1], myr_solve_status_text(result.status),
                         result.residual, (int)result.iterations);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(admm_follows_its_reference),     cmocka_unit_test(newton_follows_its_reference),
        cmocka_unit_test(newton_solves_what_admm_solves), cmocka_unit_test(what_slips_leaves_the_ground),
        cmocka_unit_test(stacks_of_unequal_cubes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
