/* Compliance and internal forces of bare problems, every solver. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"
#include "support/random_problem.h"

static myr_settings soft_settings(const char *solver, const char *tolerance) {
    myr_settings s = myr_settings_default();
    assert_int_equal(myr_settings_set(&s, "precision", "f64"), MYR_OK);
    assert_int_equal(myr_settings_set(&s, "solver", solver), MYR_OK);
    assert_int_equal(myr_settings_set(&s, "tolerance", tolerance), MYR_OK);
    assert_int_equal(myr_settings_set(&s, "max-sweeps", "20000"), MYR_OK);
    /* the steps that Le Lidec 2024 prints are too long for some blocks at 0.8 */
    assert_int_equal(myr_settings_set(&s, "relaxation", "0.4"), MYR_OK);
    return s;
}

static void solve(const myr_contact_problem *problem, const myr_settings *settings, myr_contact_result *result) {
    if (myr_solve_contacts(problem, 1, settings, result) != MYR_OK) fail_msg("%s: %s", settings->solver, myr_message());
    if (result->status != MYR_CONVERGED)
        fail_msg("%s: %s, residual %g", settings->solver, myr_solve_status_text(result->status), result->residual);
}

/* The solvers that choose a compliance where the problem has too little cannot be given G + R without any. */
static const char *rigid_twin(const char *solver) { return strncmp(solver, "newton", 6) == 0 ? "admm-ccp" : solver; }

/* The answer on (G, R) is that on G + R, and its velocity is what the ground sees: less by R lambda. */
static void compliance_is_a_part_of_the_matrix(void **unused) {
    (void)unused;
    enum { N = 3, M = 3 * N };
    for (int s = 0; s < MYR_SOLVER_COUNT; s++) {
        random_source source = {61};
        for (int trial = 0; trial < 20; trial++) {
            random_problem p = random_problem_new(&source, &(random_contacts){.contacts = N, .coupling = 0.05, .mu_most = 0.4});
            double R[M], used[M], stiff[M * M], impulse[M], velocity[M], c_most = 0, l_most = 0;
            memcpy(stiff, p.problem.G, sizeof stiff);
            for (int k = 0; k < M; k++) {
                R[k] = random_uniform(&source, 0.05, 0.3);
                stiff[k * M + k] += R[k];
                c_most = fmax(c_most, fabs(p.problem.c[k]));
            }
            const myr_settings settings = soft_settings(myr_solvers[s].name, "1e-11"),
                               twin = soft_settings(rigid_twin(settings.solver), "1e-11");
            myr_contact_problem soft = p.problem, hard = p.problem;
            myr_contact_result seen = {.impulse = impulse, .velocity = velocity, .R = used};
            soft.R = R;
            hard.G = stiff;
            solve(&soft, &settings, &seen);
            solve(&hard, &twin, &p.result);
            assert_memory_equal(used, R, sizeof R);
            for (int k = 0; k < M; k++) l_most = fmax(l_most, fabs(p.result.impulse[k]));
            for (int k = 0; k < M; k++) {
                if (!(fabs(impulse[k] - p.result.impulse[k]) <= 1e-8 * l_most))
                    fail_msg("%s, trial %d: impulse %d is %.17g on (G, R), %.17g on G + R", settings.solver, trial, k, impulse[k],
                             p.result.impulse[k]);
                if (!(fabs(velocity[k] + R[k] * impulse[k] - p.result.velocity[k]) <= 1e-8 * c_most))
                    fail_msg("%s, trial %d: velocity %d is %.17g, on G + R %.17g, R lambda is %.17g", settings.solver, trial, k,
                             velocity[k], p.result.velocity[k], R[k] * impulse[k]);
            }
            random_problem_free(&p);
        }
    }
}

/* One body pressed from both sides: mobility 1 along z, contact 0 below, contact 1 above. Of the impulses (a, b) only a - b moves it, so
 * the least of all that give the same velocity are (a - b, b - a) / 2 and the rest squeezes: |a + b| / 2 each. */
static void forces_against_each_other_are_internal(void **unused) {
    (void)unused;
    for (int s = 0; s < MYR_SOLVER_COUNT; s++) {
        double G[36] = {0}, impulse[6], velocity[6], minimum[6];
        const double c[6] = {0, 0, -0.5, 0, 0, 0.5}, mu[2] = {0, 0}, start[6] = {0, 0, 2, 0, 0, 1.5};
        for (int k = 0; k < 6; k++) G[7 * k] = 1;
        G[2 * 6 + 5] = G[5 * 6 + 2] = -1;
        const myr_contact_problem problem = {.contacts = 2, .G = G, .c = c, .mu = mu, .start = start};
        myr_contact_result r = {.impulse = impulse, .velocity = velocity, .minimum = minimum};
        const myr_settings settings = soft_settings(myr_solvers[s].name, "1e-10");
        solve(&problem, &settings, &r);
        const double a = impulse[2], b = impulse[5], length = hypot(a, b);
        if (!(fabs(minimum[2] - (a - b) / 2) <= 1e-12 && fabs(minimum[5] - (b - a) / 2) <= 1e-12))
            fail_msg("%s: of %g and %g the least are %g and %g", settings.solver, a, b, minimum[2], minimum[5]);
        if (!(fabs(r.internal - fabs(a + b) / sqrt(2) / length) <= 1e-12))
            fail_msg("%s: internal forces of %g and %g: %g", settings.solver, a, b, r.internal);
        if (strncmp(settings.solver, "newton", 6) != 0 && !(fabs(a - 2) <= 1e-12 && fabs(b - 1.5) <= 1e-12))
            fail_msg("%s: %.17g and %.17g", settings.solver, a, b); /* lawful from the start: rigid solvers leave it */
    }
}

/* The same contact twice, one body: half each is the least, and what differs between them is internal. */
static void redundant_contacts_share(void **unused) {
    (void)unused;
    for (int s = 0; s < MYR_SOLVER_COUNT; s++) {
        double G[36] = {0}, impulse[6], velocity[6], minimum[6], beside = 0, whole = 0;
        const double c[6] = {0.2, 0.1, -1, 0.2, 0.1, -1}, mu[2] = {0.8, 0.8};
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) G[6 * (3 * i + k) + 3 * j + k] = 1 + k;
        const myr_contact_problem problem = {.contacts = 2, .G = G, .c = c, .mu = mu};
        myr_contact_result r = {.impulse = impulse, .velocity = velocity, .minimum = minimum};
        const myr_settings settings = soft_settings(myr_solvers[s].name, "1e-10");
        solve(&problem, &settings, &r);
        for (int k = 0; k < 6; k++) {
            const double half = 0.5 * (impulse[k % 3] + impulse[k % 3 + 3]);
            if (!(fabs(minimum[k] - half) <= 1e-12))
                fail_msg("%s: the least of component %d is %g, expected %g", settings.solver, k, minimum[k], half);
            beside += (impulse[k] - half) * (impulse[k] - half);
            whole += impulse[k] * impulse[k];
        }
        if (!(fabs(r.internal - sqrt(beside / whole)) <= 1e-12)) fail_msg("%s: internal forces %g", settings.solver, r.internal);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compliance_is_a_part_of_the_matrix),
        cmocka_unit_test(forces_against_each_other_are_internal),
        cmocka_unit_test(redundant_contacts_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
