/* Bare contact problems that are refused, by their index, array and place, with nothing changed; and those that are taken and have no
 * answer, which have no figure either. */
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

static const char *const precisions[] = {"f64", "f32"};

static void expect_refused(const myr_contact_problem *problems, int64_t n, const myr_settings *settings, myr_contact_result *results,
                           const char *first, const char *second) {
    assert_int_equal(myr_solve_contacts(problems, n, settings, results), MYR_E_ARG);
    if (!strstr(myr_message(), first) || !strstr(myr_message(), second))
        fail_msg("'%s' does not name '%s' and '%s'", myr_message(), first, second);
}

static void arguments_are_refused(void **unused) {
    (void)unused;
    random_source source = {20};
    const myr_settings settings = myr_settings_default();
    random_problem set[2];
    for (int i = 0; i < 2; i++) set[i] = random_problem_new(&source, &(random_contacts){.contacts = 2, .coupling = 0.2, .mu_most = 1});
    myr_contact_problem p[2] = {set[0].problem, set[1].problem};
    myr_contact_result r[2] = {set[0].result, set[1].result};
    double *G = (double *)p[1].G, *c = (double *)p[1].c, *mu = (double *)p[1].mu, start[6] = {0};
    const double impulse = r[0].impulse[0] = 123;

    expect_refused(p, -1, &settings, r, "n is", "-1");
    expect_refused(NULL, 2, &settings, r, "problems", "NULL");
    expect_refused(p, 2, &settings, NULL, "results", "NULL");
    expect_refused(p, 2, NULL, r, "settings", "");
    p[1].contacts = -3, expect_refused(p, 2, &settings, r, "problem 1", "-3"), p[1].contacts = 2;
    p[1].G = NULL, expect_refused(p, 2, &settings, r, "problem 1", "G"), p[1].G = G;
    p[1].c = NULL, expect_refused(p, 2, &settings, r, "problem 1", "c"), p[1].c = c;
    p[1].mu = NULL, expect_refused(p, 2, &settings, r, "problem 1", "mu"), p[1].mu = mu;
    r[1].impulse = NULL, expect_refused(p, 2, &settings, r, "problem 1", "impulse"), r[1].impulse = set[1].result.impulse;

    double keep = G[3];
    G[3] = NAN, expect_refused(p, 2, &settings, r, "problem 1", "G"), G[3] = keep;
    G[3] += 1, expect_refused(p, 2, &settings, r, "problem 1", "symmetric"), G[3] = keep;
    keep = c[4];
    c[4] = INFINITY, expect_refused(p, 2, &settings, r, "problem 1", "c[4]"), c[4] = keep;
    keep = mu[1];
    mu[1] = -0.1, expect_refused(p, 2, &settings, r, "problem 1", "mu[1]"), mu[1] = keep;
    p[1].start = start;
    start[2] = NAN, expect_refused(p, 2, &settings, r, "problem 1", "start[2]"), start[2] = 0;

    assert_true(r[0].impulse[0] == impulse); /* nothing was changed by all this */
    G[3] *= 1 + 1e-5;                        /* as a file's digits may leave it: symmetrised */
    assert_int_equal(myr_solve_contacts(p, 2, &settings, r), MYR_OK);
    for (int i = 0; i < 2; i++) random_problem_free(&set[i]);
}

/* Steps that are too long multiply the impulses until they overflow: the solve says `not finite`, its impulse is zero, its velocity c, and
 * neither residual is a number that could be taken for an answer's. */
static void no_answer_has_no_residual(void **unused) {
    (void)unused;
    static const double G[9] = {100, 0, 0, 0, 1, 0, 0, 0, 1}, c[3] = {1, 0.5, -1}, mu = 10;
    int met = 0;
    for (int i = 0; isa_at(i); i++)
        for (size_t q = 0; q < 2; q++)
            for (int s = 0; s < MYR_SOLVER_COUNT; s++) {
                double impulse[3], velocity[3];
                myr_settings settings = random_problem_settings(isa_at(i), precisions[q], myr_solvers[s].name, 1e-8);
                const myr_contact_problem p = {.contacts = 1, .G = G, .c = c, .mu = &mu};
                myr_contact_result r = {.impulse = impulse, .velocity = velocity};
                assert_int_equal(myr_settings_set(&settings, "relaxation", "1.9"), MYR_OK);
                assert_int_equal(myr_settings_set(&settings, "pgs-alpha", "2"), MYR_OK);
                assert_int_equal(myr_settings_set(&settings, "prox-r", "1e3"), MYR_OK);
                assert_int_equal(myr_solve_contacts(&p, 1, &settings, &r), MYR_OK);
                if ((r.status == MYR_NOT_FINITE) != !isfinite(r.residual) || (r.status == MYR_NOT_FINITE) != !isfinite(r.residual_ncp))
                    fail_msg("%s, %s, %s: `%s` with residuals %g and %g", settings.solver, settings.isa, settings.precision,
                             myr_solve_status_text(r.status), r.residual, r.residual_ncp);
                if (r.status != MYR_NOT_FINITE) continue;
                met++;
                for (int k = 0; k < 3; k++) assert_true(impulse[k] == 0 && velocity[k] == c[k]);
            }
    assert_true(met > 0);
}

/* Numbers so large that a velocity overflows, though every impulse is finite: beside a contact that is solved it passed for converged. */
static void an_infinite_velocity_is_no_answer(void **unused) {
    (void)unused;
    enum { M = 6 };
    static const double c[M] = {0, 0, 1e305, 0, 0, -1e305}, mu[2] = {0, 0.5};
    double G[M * M] = {0};
    int met = 0;
    for (int i = 0; i < M; i++) G[i * M + i] = i < 2 ? 1e8 : 1;
    G[5] = G[5 * M] = 9e3; /* the second contact's impulse, 1e305, drives the first one sidewards */
    for (int s = 0; s < MYR_SOLVER_COUNT; s++) {
        double impulse[M], velocity[M];
        const myr_settings settings = random_problem_settings("auto", "f64", myr_solvers[s].name, 1e-8);
        const myr_contact_problem p = {.contacts = 2, .G = G, .c = c, .mu = mu};
        myr_contact_result r = {.impulse = impulse, .velocity = velocity};
        assert_int_equal(myr_solve_contacts(&p, 1, &settings, &r), MYR_OK);
        for (int k = 0; k < M; k++) {
            if (!isfinite(velocity[k]))
                fail_msg("%s: `%s` with a velocity of %g", settings.solver, myr_solve_status_text(r.status), velocity[k]);
            if (r.status == MYR_NOT_FINITE) assert_true(impulse[k] == 0 && velocity[k] == c[k]);
        }
        assert_true((r.status == MYR_NOT_FINITE) == !isfinite(r.residual));
        met += r.status == MYR_NOT_FINITE;
    }
    assert_true(met > 0);
}

/* What no bodies give has no answer: it is refused by the problem's index and the place, and nothing is changed. */
static void impossible_diagonals_are_refused(void **unused) {
    (void)unused;
    enum { M = 6 };
    static const double good[M * M] = {2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
                                       0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1};
    static const double c[M] = {0.1, 0, -1, 0, 0.2, -1}, mu[2] = {0.5, 0.5}, soft[M] = {0, 0, 0, 0, 0, 1e-3};
    double G[M * M], impulse[2 * M] = {[0] = 123}, velocity[2 * M];
    const myr_contact_problem fine = {.contacts = 2, .G = good, .c = c, .mu = mu};
    myr_contact_problem p[2] = {fine, {.contacts = 2, .G = G, .c = c, .mu = mu}};
    myr_contact_result r[2] = {{.impulse = impulse, .velocity = velocity}, {.impulse = impulse + M, .velocity = velocity + M}};
    for (int s = 0; s < MYR_SOLVER_COUNT; s++) {
        const myr_settings settings = random_problem_settings("auto", "f64", myr_solvers[s].name, 1e-8);
        for (int i = 0; i < M; i++) { /* negative */
            char place[16];
            snprintf(place, sizeof place, "G[%d][%d]", i, i);
            memcpy(G, good, sizeof G);
            G[i * M + i] = -1e-9;
            expect_refused(p, 2, &settings, r, "problem 1", place);
        }
        memcpy(G, good, sizeof G);
        G[3 * M + 3] = 0, G[3 * M + 1] = G[M + 3] = 0.1; /* zero, but not its row */
        expect_refused(p, 2, &settings, r, "problem 1", "G[3][3] is 0 and G[3][1] is not");
        memcpy(G, good, sizeof G);
        G[5 * M + 5] = 0; /* a normal that nothing can move, and closes */
        expect_refused(p, 2, &settings, r, "problem 1", "G[5][5] is 0 and c[5] is -1");
        assert_true(impulse[0] == 123);
        p[1].R = soft; /* compliant: there is an answer */
        assert_int_equal(myr_solve_contacts(p, 2, &settings, r), MYR_OK);
        p[1].R = NULL;
        impulse[0] = 123;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_refused),
        cmocka_unit_test(impossible_diagonals_are_refused),
        cmocka_unit_test(no_answer_has_no_residual),
        cmocka_unit_test(an_infinite_velocity_is_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
