/* ctest: threads
 * Problems in blocks: the same answers as the dense solvers give, piles whose answer is known, the same bits alone, among others and on any
 * number of threads; and what is refused, by its index, array and place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/large_scene.h"
#include "support/random_problem.h"
#include "reference/contact_law.h"

static const char *solvers[] = {"nsgs", "admm-ncp"};
static int n_solvers = 2; /* 1: without sparse factors */

static double apart(const double *a, const double *b, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* A dense problem in blocks, some of which are zero and left out. */
static void as_dense_solvers(void **unused) {
    (void)unused;
    static const int counts[] = {1, 2, 7, 30, 64};
    random_source source = {38};
    for (int s = 0; s < n_solvers; s++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            for (int singular = 0; singular < 2; singular++) {
                random_problem p = random_problem_new(
                    &source,
                    &(random_contacts){.contacts = counts[i], .coupling = 0.1, .singular = singular, .mu_most = 0.8, .frictionless = 1});
                const size_t m = 3 * (size_t)counts[i];
                large_scene blocks = large_scene_of(&p.problem);
                const myr_settings settings = random_problem_settings("auto", "f64", solvers[s], 1e-10);
                assert_int_equal(myr_solve_contacts(&p.problem, 1, &settings, &p.result), MYR_OK);
                assert_int_equal(myr_solve_large(&blocks.problem, 1, &settings, &blocks.result), MYR_OK);
                assert_int_equal(p.result.status, MYR_CONVERGED);
                assert_int_equal(blocks.result.status, MYR_CONVERGED);
                const reference_residuals law = reference_law_problem(counts[i], p.problem.G, p.problem.c, p.problem.mu,
                                                                      blocks.result.impulse, p.result.velocity + 0, 1);
                if (!(law.own[MYR_LAW_NCP] <= 1.01e-10) || !(fabs(law.own[MYR_LAW_NCP] - blocks.result.residual_ncp) <= 1e-13))
                    fail_msg("%s, %d contacts: %g from the law, said to be %g", solvers[s], counts[i], law.own[MYR_LAW_NCP],
                             blocks.result.residual_ncp);
                assert_true(apart(p.result.velocity, blocks.result.velocity, m) < 1e-12); /* G impulse + c, by the reference */
                assert_int_equal(myr_solve_contacts(&p.problem, 1, &settings, &p.result), MYR_OK);
                if (!(apart(p.result.velocity, blocks.result.velocity, m) < 1e-7))
                    fail_msg("%s, %d contacts: velocities are %g apart", solvers[s], counts[i],
                             apart(p.result.velocity, blocks.result.velocity, m));
                assert_memory_equal(p.result.modes, blocks.result.modes, (size_t)counts[i]);
                large_scene_free(&blocks);
                random_problem_free(&p);
            }
}

/* Columns of blocks on a slope: what each contact carries is the weight above it. */
static void piles_carry_their_weight(void **unused) {
    (void)unused;
    for (int s = 0; s < n_solvers; s++) {
        const large_pile how = {.columns = 60, .height = 10, .slope = 0.3, .mu = 0.5, .mu_floor = 0.5};
        large_scene pile = large_scene_pile(&how);
        const myr_settings settings = random_problem_settings("auto", "f64", solvers[s], 1e-10);
        assert_int_equal(myr_solve_large(&pile.problem, 1, &settings, &pile.result), MYR_OK);
        assert_int_equal(pile.result.status, MYR_CONVERGED);
        for (int i = 0; i < pile.problem.contacts; i++) {
            const double *l = pile.result.impulse + 3 * i, *w = pile.result.velocity + 3 * i, weight = large_pile_above(&how, i);
            assert_true(pile.result.modes[i] == 's');
            assert_true(fabs(l[2] - weight * cos(how.slope)) < 1e-7 && fabs(l[0] + weight * sin(how.slope)) < 1e-7 && fabs(l[1]) < 1e-7);
            assert_true(fabs(w[0]) + fabs(w[1]) + fabs(w[2]) < 1e-7);
        }
        large_scene_free(&pile);
    }
}

/* On a smooth floor each column slides as one: its contacts hold together, and the lowest slides at g (sin - mu cos) dt. */
static void piles_slide_on_a_smooth_floor(void **unused) {
    (void)unused;
    for (int s = 0; s < n_solvers; s++) {
        const large_pile how = {.columns = 40, .height = 5, .slope = 0.3, .mu = 0.5, .mu_floor = 0.1};
        large_scene pile = large_scene_pile(&how);
        const myr_settings settings = random_problem_settings("auto", "f64", solvers[s], 1e-10);
        assert_int_equal(myr_solve_large(&pile.problem, 1, &settings, &pile.result), MYR_OK);
        assert_int_equal(pile.result.status, MYR_CONVERGED);
        for (int i = 0; i < pile.problem.contacts; i++) {
            const double *l = pile.result.impulse + 3 * i, *w = pile.result.velocity + 3 * i, weight = large_pile_above(&how, i);
            const int lowest = i % how.height == 0;
            assert_true(pile.result.modes[i] == (lowest ? 'd' : 's'));
            assert_true(fabs(l[2] - weight * cos(how.slope)) < 1e-7 && fabs(l[0] + weight * how.mu_floor * cos(how.slope)) < 1e-7);
            assert_true(fabs(w[0] - (lowest ? LARGE_GRAVITY_DT * (sin(how.slope) - how.mu_floor * cos(how.slope)) : 0)) < 1e-7);
        }
        large_scene_free(&pile);
    }
}

/* Neighbours and threads change no bit, and a start at the answer is one. */
static void bits_are_a_problems_own(void **unused) {
    (void)unused;
    enum { N = 7 };
    for (int s = 0; s < n_solvers; s++) {
        large_scene set[N], alone[N];
        myr_large_problem problems[N];
        myr_contact_result results[N];
        myr_settings settings = random_problem_settings("auto", "f64", solvers[s], 1e-8);
        for (int i = 0; i < N; i++) {
            const large_pile how = {.columns = 4 + i, .height = 2 + i % 2, .slope = 0.05 * i, .mu = 0.4, .mu_floor = 0.3, .tied = 1};
            set[i] = large_scene_pile(&how), alone[i] = large_scene_pile(&how);
            problems[i] = set[i].problem, results[i] = set[i].result;
        }
        for (int threads = 1; threads <= 3; threads++) {
            char text[16];
            snprintf(text, sizeof text, "%d", threads);
            assert_int_equal(myr_settings_set(&settings, "threads", text), MYR_OK);
            assert_int_equal(myr_solve_large(problems, N, &settings, results), MYR_OK);
            for (int i = 0; i < N; i++) {
                const size_t m = 3 * (size_t)problems[i].contacts * sizeof(double);
                if (threads == 1) assert_int_equal(myr_solve_large(&alone[i].problem, 1, &settings, &alone[i].result), MYR_OK);
                assert_int_equal(results[i].status, MYR_CONVERGED);
                assert_memory_equal(results[i].impulse, alone[i].result.impulse, m);
                assert_memory_equal(results[i].velocity, alone[i].result.velocity, m);
                assert_true(results[i].iterations == alone[i].result.iterations);
            }
        }
        for (int i = 0; i < N; i++) {
            alone[i].problem.start = results[i].impulse;
            assert_int_equal(myr_solve_large(&alone[i].problem, 1, &settings, &alone[i].result), MYR_OK);
            assert_true(alone[i].result.iterations == 0 && alone[i].result.status == MYR_CONVERGED);
            large_scene_free(&set[i]), large_scene_free(&alone[i]);
        }
    }
}

static void expect_refused(const large_scene *scene, const myr_settings *settings, const char *first, const char *second) {
    myr_large_problem two[2] = {scene->problem, scene->problem};
    myr_contact_result results[2] = {scene->result, scene->result};
    if (myr_solve_large(two, 2, settings, results) == MYR_OK || !strstr(myr_message(), first) || !strstr(myr_message(), second))
        fail_msg("'%s' does not name '%s' and '%s'", myr_message(), first, second);
}

static void bad_problems_are_refused(void **unused) {
    (void)unused;
    const large_pile how = {.columns = 2, .height = 3, .slope = 0.2, .mu = 0.5, .mu_floor = 0.5};
    large_scene pile = large_scene_pile(&how);
    myr_settings settings = random_problem_settings("auto", "f64", "nsgs", 1e-8);
    double keep;
#define REFUSED(place, value, first, second)                                                                                               \
    keep = (double)(place), (place) = (value), expect_refused(&pile, &settings, first, second), (place) = (__typeof__(place))keep
    REFUSED(pile.block[0], NAN, "problem 0", "blocks[0]");
    REFUSED(pile.block[1], 1, "problem 0", "not symmetric");
    REFUSED(pile.block[8], -1, "G[2][2]", "negative");
    REFUSED(pile.block[4], 0, "G[1][1] is 0", "no Delassus");
    REFUSED(pile.c[5], INFINITY, "problem 0", "c[5]");
    REFUSED(pile.mu[1], -0.5, "problem 0", "mu[1]");
    REFUSED(pile.first[1], 100, "problem 0", "first[2]");
    REFUSED(pile.column[1], 0, "column[1]", "ascend");
    REFUSED(pile.column[1], 2, "block (0, 2)", "is not");
    REFUSED(pile.problem.contacts, -1, "contacts", "-1");
    REFUSED(pile.first[0], 1, "first[0]", "not 0");
#undef REFUSED
    const double *mu = pile.problem.mu;
    pile.problem.mu = NULL, expect_refused(&pile, &settings, "problem 0", "mu is NULL"), pile.problem.mu = mu;
    assert_int_equal(myr_settings_set(&settings, "precision", "f32"), MYR_OK);
    expect_refused(&pile, &settings, "precision", "f32");
    assert_int_equal(myr_settings_set(&settings, "precision", "f64"), MYR_OK);
    assert_int_equal(myr_settings_set(&settings, "solver", "hybrid"), MYR_OK);
    expect_refused(&pile, &settings, "hybrid", "dense");
    assert_null(myr_solver_large_refusal("nsgs"));
    assert_non_null(myr_solver_large_refusal("ipm-cone"));
    assert_non_null(myr_solver_large_refusal("none such"));
    large_scene_free(&pile);
}

int main(void) {
    if (myr_solver_large_refusal("admm-ncp")) n_solvers = 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_dense_solvers),
        cmocka_unit_test(piles_carry_their_weight),
        cmocka_unit_test(piles_slide_on_a_smooth_floor),
        cmocka_unit_test(bits_are_a_problems_own),
        cmocka_unit_test(bad_problems_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
