/* ctest: heavy
 * Contact problems that have an answer, out of a seed, and hard ones: one to three boxes on each other, touching at four to twelve points
 * where three would do (G has far more rows than rank), masses up to 1e6 apart, at rest or sliding at many times the speed at which they
 * close. All boxes can rise, so that the convex problem and its dual have solutions: `admm-ccp` must find one, whatever its rho does on
 * the way, and `admm-ncp` that of the full law where masses are equal. In float what rounding leaves of the answer is told apart. */
#include <float.h>
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

enum { BOXES = 3, MOST = 18, ROWS = 3 * MOST, SPEEDS = 6 * BOXES, PROBLEMS = 240, KEPT = 40 };

typedef struct stack {
    double G[ROWS * ROWS], c[ROWS], mu[MOST], impulse[ROWS], velocity[ROWS];
} stack;

/* Rows of the velocity of a point at r from the centre of body b, times `sign`. */
static void point_rows(double (*J)[SPEEDS], int b, double sign, const double r[3]) {
    for (int a = 0; a < 3; a++) J[a][6 * b + a] = sign;
    J[0][6 * b + 4] = sign * r[2], J[0][6 * b + 5] = -sign * r[1];
    J[1][6 * b + 3] = -sign * r[2], J[1][6 * b + 5] = sign * r[0];
    J[2][6 * b + 3] = sign * r[1], J[2][6 * b + 4] = -sign * r[0];
}

/* Masses are `ratio` apart at most; `slide` [m/s]: the size of the horizontal speeds. The vertical ones are 0.1 m/s. */
static myr_contact_problem stack_new(stack *s, random_source *source, double ratio, double slide) {
    const int boxes = 1 + random_below(source, BOXES);
    double J[ROWS][SPEEDS] = {{0}}, inverse[SPEEDS], speed[SPEEDS], half[BOXES][3];
    int n = 0;
    for (int b = 0; b < boxes; b++) {
        const double mass = exp(random_uniform(source, -0.5, 0.5) * log(ratio));
        double *h = half[b];
        for (int a = 0; a < 3; a++) h[a] = random_uniform(source, 0.1, 0.5);
        for (int a = 0; a < 3; a++) {
            const double u = h[(a + 1) % 3], v = h[(a + 2) % 3];
            inverse[6 * b + a] = 1 / mass, inverse[6 * b + 3 + a] = 3 / (mass * (u * u + v * v));
            speed[6 * b + a] = a < 2 ? random_uniform(source, -slide, slide) : random_uniform(source, -0.2, 0);
            speed[6 * b + 3 + a] = random_uniform(source, -0.1, 0.1);
        }
        const double *under = b > 0 ? half[b - 1] : h, x = fmin(h[0], under[0]), y = fmin(h[1], under[1]);
        const int points = 4 + random_below(source, boxes > 1 ? 3 : 9);
        for (int k = 0; k < points; k++, n++) {
            const double px = k < 4 ? (k & 1 ? x : -x) : random_uniform(source, -x, x);
            const double py = k < 4 ? (k & 2 ? y : -y) : random_uniform(source, -y, y);
            point_rows(J + 3 * n, b, 1, (double[3]){px, py, -h[2]});
            if (b > 0) point_rows(J + 3 * n, b - 1, -1, (double[3]){px, py, under[2]});
            s->mu[n] = random_uniform(source, 0.1, 1.2);
        }
    }
    const int m = 3 * n;
    for (int i = 0; i < m; i++) {
        s->c[i] = 0;
        for (int v = 0; v < 6 * boxes; v++) s->c[i] += J[i][v] * speed[v];
        for (int k = 0; k <= i; k++) {
            double sum = 0;
            for (int v = 0; v < 6 * boxes; v++) sum += J[i][v] * inverse[v] * J[k][v];
            s->G[i * m + k] = s->G[k * m + i] = sum;
        }
    }
    return (myr_contact_problem){.contacts = n, .G = s->G, .c = s->c, .mu = s->mu};
}

typedef struct stacks {
    stack *stack;
    myr_contact_problem problem[PROBLEMS];
    myr_contact_result result[PROBLEMS];
} stacks;

static void stacks_open(stacks *set, uint64_t seed, double ratio) {
    random_source source = {seed};
    set->stack = calloc(PROBLEMS, sizeof *set->stack);
    assert_non_null(set->stack);
    for (int i = 0; i < PROBLEMS; i++) {
        stack *s = &set->stack[i];
        set->problem[i] = stack_new(s, &source, i % 4 ? ratio : 1, i % 3 == 0 ? 0.1 : i % 3 == 1 ? 1 : 30);
        set->result[i] = (myr_contact_result){.impulse = s->impulse, .velocity = s->velocity};
    }
}

static myr_settings stacks_settings(const char *solver, const char *precision, const char *tolerance) {
    myr_settings s = myr_settings_default();
    assert_int_equal(myr_settings_set(&s, "solver", solver), MYR_OK);
    assert_int_equal(myr_settings_set(&s, "precision", precision), MYR_OK);
    assert_int_equal(myr_settings_set(&s, "tolerance", tolerance), MYR_OK);
    return s;
}

static void stacks_solve(stacks *set, int first, int count, const myr_settings *settings) {
    if (myr_solve_contacts(set->problem + first, count, settings, set->result + first) != MYR_OK) fail_msg("%s", myr_message());
}

/* Every one, on any number of lanes. */
static void all_solved(const char *solver, uint64_t seed, double ratio, const char *tolerance) {
    stacks set;
    stacks_open(&set, seed, ratio);
    const myr_settings settings = stacks_settings(solver, "f64", tolerance);
    int missed = 0;
    int64_t most = 0, sum = 0;
    stacks_solve(&set, 0, PROBLEMS, &settings);
    for (int i = 0; i < PROBLEMS; i++) {
        const myr_contact_result *r = &set.result[i];
        sum += r->iterations;
        if (r->iterations > most) most = r->iterations;
        if (r->status == MYR_CONVERGED) continue;
        missed++;
        print_error("%s, masses to 1:%g, problem %d, %d contacts: %s, residual %g after %d iterations\n", solver, ratio, i,
                    set.problem[i].contacts, myr_solve_status_text(r->status), r->residual, (int)r->iterations);
    }
    print_message("%s, masses to 1:%g, %s: %.0f iterations on the mean, %d at most\n", solver, ratio, tolerance, (double)sum / PROBLEMS,
                  (int)most);
    if (missed) fail_msg("%s: %d of %d problems not solved to %s", solver, missed, PROBLEMS, tolerance);
    free(set.stack);
}

static void the_convex_model_is_always_solved(void **unused) {
    (void)unused;
    all_solved("admm-ccp", 61, 1, "1e-8");
    all_solved("admm-ccp", 62, 1e3, "1e-8");
    all_solved("admm-ccp", 63, 1e6, "1e-5");
}

/* Slow progress is not a cycle, at which `admm-ncp` gives up: a residual that falls by one percent in a thousand iterations arrives. */
static void the_full_law_is_not_given_up(void **unused) {
    (void)unused;
    all_solved("admm-ncp", 64, 1, "1e-8");
    all_solved("admm-ncp", 65, 1e3, "1e-8");
}

/* One rounding of the largest sum of G impulse + c, of the largest |c|. */
static double one_rounding(const myr_contact_problem *p, const double *impulse) {
    const int m = 3 * p->contacts;
    double largest = 0, size = 0;
    for (int i = 0; i < m; i++) {
        double terms = fabs(p->c[i]);
        for (int k = 0; k < m; k++) terms += fabs(p->G[i * m + k] * impulse[k]);
        largest = fmax(largest, terms), size = fmax(size, fabs(p->c[i]));
    }
    return FLT_EPSILON * largest / size;
}

/* In float a solve converges, or it is `stalled` at what rounding leaves: never does it run into its cap. */
static void float_ends_where_rounding_does(void **unused) {
    (void)unused;
    static const double ratios[] = {1, 1e3, 1e6};
    for (int trial = 0; trial < 3; trial++) {
        stacks set;
        int stalled = 0;
        double worst = 0;
        stacks_open(&set, 66 + (uint64_t)trial, ratios[trial]);
        const myr_settings settings = stacks_settings("admm-ccp", "f32", "1e-5");
        stacks_solve(&set, 0, PROBLEMS, &settings);
        for (int i = 0; i < PROBLEMS; i++) {
            const myr_contact_result *r = &set.result[i];
            if (r->status == MYR_CONVERGED) continue;
            const double roundings = r->residual / one_rounding(&set.problem[i], r->impulse);
            stalled++, worst = fmax(worst, roundings);
            if (r->status != MYR_STALLED || !(roundings <= 50))
                fail_msg("float, masses to 1:%g, problem %d: %s, residual %g after %d iterations, %.0f roundings", ratios[trial], i,
                         myr_solve_status_text(r->status), r->residual, (int)r->iterations, roundings);
        }
        print_message("float, masses to 1:%g: %d of %d stalled, at %.0f roundings or less\n", ratios[trial], stalled, PROBLEMS, worst);
        assert_true(stalled <= (trial == 0 ? 0 : trial == 1 ? PROBLEMS / 10 : PROBLEMS / 3));
        free(set.stack);
    }
}

/* A tolerance of 0 asks for what the precision has: the solve says so and does not go on to its cap. */
static void tolerance_zero_ends_where_rounding_does(void **unused) {
    (void)unused;
    static const char *const precisions[] = {"f32", "f64"};
    for (int trial = 0; trial < 4; trial++) {
        stacks set;
        int64_t most = 0;
        stacks_open(&set, 70, trial / 2 ? 1e3 : 1);
        const myr_settings settings = stacks_settings("admm-ccp", precisions[trial % 2], "0");
        stacks_solve(&set, 0, KEPT, &settings);
        for (int i = 0; i < KEPT; i++) {
            const myr_contact_result *r = &set.result[i];
            const double roundings = r->residual / one_rounding(&set.problem[i], r->impulse) * (trial % 2 ? FLT_EPSILON / DBL_EPSILON : 1);
            if (r->iterations > most) most = r->iterations;
            if ((r->status != MYR_STALLED && r->status != MYR_CONVERGED) || !(roundings <= 200))
                fail_msg("%s, problem %d: %s, residual %g after %d iterations, %.0f roundings", settings.precision, i,
                         myr_solve_status_text(r->status), r->residual, (int)r->iterations, roundings);
        }
        print_message("%s, masses to 1:%d, tolerance 0: %d iterations at most\n", settings.precision, trial / 2 ? 1000 : 1, (int)most);
        free(set.stack);
    }
}

/* A problem's bits are its own: alone, in the first and last lane of a tile, beside easy and hard ones, on every instruction set. */
static void neighbours_change_nothing(void **unused) {
    (void)unused;
    static const char *const solvers[] = {"admm-ccp", "admm-ncp"};
    static const int parts[] = {1, 7, 8, 9, 15};
    stacks set;
    stacks_open(&set, 69, 1e3);
    for (int trial = 0; trial < 4; trial++) {
        static double kept[KEPT][ROWS];
        myr_settings settings = stacks_settings(solvers[trial / 2], trial % 2 ? "f64" : "f32", "1e-5");
        int known = 0;
        for (int i = 0; isa_at(i); i++) {
            assert_int_equal(myr_settings_set(&settings, "isa", isa_at(i)), MYR_OK);
            stacks_solve(&set, 0, KEPT, &settings);
            for (int k = 0; k < KEPT; k++) {
                const size_t bytes = sizeof(double) * 3 * (size_t)set.problem[k].contacts;
                if (known) assert_memory_equal(kept[k], set.stack[k].impulse, bytes);
                memcpy(kept[k], set.stack[k].impulse, bytes);
            }
            known = 1;
            for (int first = 0, part = 0; first < KEPT; first += parts[part % 5], part++) {
                const int count = parts[part % 5] < KEPT - first ? parts[part % 5] : KEPT - first;
                stacks_solve(&set, first, count, &settings);
                for (int k = first; k < first + count; k++)
                    assert_memory_equal(kept[k], set.stack[k].impulse, sizeof(double) * 3 * (size_t)set.problem[k].contacts);
            }
        }
        assert_true(known);
    }
    free(set.stack);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_convex_model_is_always_solved), cmocka_unit_test(the_full_law_is_not_given_up),
                                       cmocka_unit_test(float_ends_where_rounding_does),
                                       cmocka_unit_test(tolerance_zero_ends_where_rounding_does),
                                       cmocka_unit_test(neighbours_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
