/* The solver that takes a lane out of its tile where sweeps do not end (kernels/contact/whole): it finishes what they leave, with the same
 * bits in any company and on every instruction set, is `nsgs` where it may not do more than sweep, and keeps its word on problems that are
 * odd. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/isas.h"
#include "kernels/kernels.h"
#include "support/random_problem.h"
#include "reference/contact_law.h"

static const char *const precisions[] = {"f64", "f32"};

enum { PROBLEMS = 60, MOST_CONTACTS = 12 };

typedef struct crowd {
    random_problem of[PROBLEMS];
    myr_contact_problem problem[PROBLEMS];
    myr_contact_result result[PROBLEMS];
} crowd;

/* Contacts of one body, more than it has directions, on legs of little weight: what sweeps take long for. Every third problem is easy. */
static void crowd_open(crowd *c, uint64_t seed) {
    random_source source = {seed};
    for (int i = 0; i < PROBLEMS; i++) {
        const random_contacts how = {
            .contacts = 2 + i % (MOST_CONTACTS - 1), .coupling = i % 3 ? 30 : 0.1, .singular = i % 2, .mu_most = 1.2, .frictionless = 1};
        c->of[i] = random_problem_new(&source, &how);
        c->problem[i] = c->of[i].problem, c->result[i] = c->of[i].result;
    }
}

static void crowd_close(crowd *c) {
    for (int i = 0; i < PROBLEMS; i++) random_problem_free(&c->of[i]);
}

static void solve(crowd *c, int first, int count, const char *isa, const char *precision, const char *solver, const char *sweeps) {
    myr_settings settings = random_problem_settings(isa, precision, solver, strcmp(precision, "f64") ? 1e-5 : 1e-8);
    MUST(myr_settings_set(&settings, "max-sweeps", sweeps));
    MUST(myr_solve_contacts(c->problem + first, count, &settings, c->result + first));
}

static double violation(const crowd *c, int i) {
    const myr_contact_problem *p = &c->problem[i];
    double w[3 * MOST_CONTACTS];
    return reference_law_problem(p->contacts, p->G, p->c, p->mu, c->result[i].impulse, w, 1).own[MYR_LAW_NCP];
}

static void what_sweeps_leave_is_finished(void **state) {
    (void)state;
    static crowd c;
    crowd_open(&c, 5);
    for (int p = 0; p < 2; p++) {
        const double tolerance = p ? 1e-5 : 1e-8;
        int left = 0, solved = 0;
        solve(&c, 0, PROBLEMS, "auto", precisions[p], "nsgs", "10");
        for (int i = 0; i < PROBLEMS; i++) left += c.result[i].status != MYR_CONVERGED;
        solve(&c, 0, PROBLEMS, "auto", precisions[p], "hybrid", "2000");
        for (int i = 0; i < PROBLEMS; i++) {
            const double seen = violation(&c, i);
            if (!(seen <= c.result[i].residual_ncp * (1 + 1e-6) + 1e-13))
                fail_msg("%s, problem %d: violated by %.3g, and residual_ncp is %.3g", precisions[p], i, seen, c.result[i].residual_ncp);
            solved += c.result[i].status == MYR_CONVERGED;
            if (c.result[i].status != MYR_CONVERGED &&
                (!p || c.result[i].status != MYR_STALLED || seen > 2 * tolerance)) /* all but rounding */
                fail_msg("%s, problem %d: %s at %.3g", precisions[p], i, myr_solve_status_text(c.result[i].status), seen);
        }
        print_message("%s: ten sweeps leave %d of %d, hybrid %d\n", precisions[p], left, PROBLEMS, PROBLEMS - solved);
        assert_true(left > PROBLEMS / 3);
        assert_true(solved >= (p ? PROBLEMS - 2 : PROBLEMS));
    }
    crowd_close(&c);
}

/* Alone, and among others in any order and number, on every instruction set. */
static void a_lane_does_not_notice_strangers(void **state) {
    (void)state;
    static crowd c, other;
    crowd_open(&c, 6);
    crowd_open(&other, 6);
    static const int counts[] = {PROBLEMS, 1, 7, 8, 9, 15, 16, 17};
    for (int p = 0; p < 2; p++) {
        for (int i = 0; i < PROBLEMS; i++) solve(&c, i, 1, "auto", precisions[p], "hybrid", "2000");
        for (int isa = 0; isa_at(isa); isa++)
            for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
                for (int i = 0; i < PROBLEMS; i++) { /* those of `c` in another order */
                    const int from = (7 * i + (int)k) % PROBLEMS;
                    other.problem[i] = c.problem[from], other.result[i] = other.of[from].result;
                }
                solve(&other, 0, counts[k], isa_at(isa), precisions[p], "hybrid", "2000");
                for (int i = 0; i < counts[k]; i++) {
                    const int from = (7 * i + (int)k) % PROBLEMS;
                    const size_t size = 3 * (size_t)c.problem[from].contacts * sizeof(double);
                    if (memcmp(c.result[from].impulse, other.result[i].impulse, size) != 0 ||
                        c.result[from].iterations != other.result[i].iterations)
                        fail_msg("%s %s: problem %d has other bits among %d", isa_at(isa), precisions[p], from, counts[k]);
                }
            }
    }
    crowd_close(&c);
    crowd_close(&other);
}

static void ten_sweeps_are_those_of_nsgs(void **state) {
    (void)state;
    static crowd a, b;
    static const char *const caps[] = {"1", "4", "10"};
    crowd_open(&a, 7);
    crowd_open(&b, 7);
    for (int p = 0; p < 2; p++)
        for (size_t k = 0; k < 3; k++) {
            solve(&a, 0, PROBLEMS, "auto", precisions[p], "nsgs", caps[k]);
            solve(&b, 0, PROBLEMS, "auto", precisions[p], "hybrid", caps[k]);
            for (int i = 0; i < PROBLEMS; i++) {
                assert_memory_equal(a.result[i].impulse, b.result[i].impulse, 3 * (size_t)a.problem[i].contacts * sizeof(double));
                assert_int_equal(a.result[i].status, b.result[i].status);
            }
        }
    crowd_close(&a);
    crowd_close(&b);
}

/* Masses from a microgram's share to a mountain's; contacts that nothing moves, at rest; no friction at all. The residual is true, whatever
 * it is. */
static void odd_problems_end_in_honour(void **state) {
    (void)state;
    static crowd c;
    crowd_open(&c, 8);
    for (int i = 0; i < PROBLEMS; i++) {
        double *G = c.of[i].memory;
        const int m = 3 * c.problem[i].contacts;
        double *free_velocity = G + (size_t)m * (size_t)m, *mu = free_velocity + m;
        const double scale = i % 4 == 0 ? 1e-6 : i % 4 == 1 ? 1e6 : 1;
        for (int r = 0; r < m; r++)
            for (int k = 0; k < m; k++) {
                const int still = i % 4 == 2 && (r < 3 || k < 3);
                const double unequal = i % 4 == 3 ? (r < 3 ? 1e-3 : 1) * (k < 3 ? 1e-3 : 1) : 1;
                G[r * m + k] *= still ? 0 : scale * unequal;
            }
        if (i % 4 == 2) free_velocity[2] = 0.1;
        for (int k = 0; k < m / 3 && i % 5 == 0; k++) mu[k] = 0;
    }
    for (int p = 0; p < 2; p++) {
        int solved = 0;
        solve(&c, 0, PROBLEMS, "auto", precisions[p], "hybrid", "2000");
        for (int i = 0; i < PROBLEMS; i++) {
            const double seen = violation(&c, i);
            if (!(seen <= c.result[i].residual_ncp * (1 + 1e-6) + 1e-11)) /* sums of terms 1e6 apart: what either rounds */
                fail_msg("%s, odd problem %d: violated by %.3g, and residual_ncp is %.3g", precisions[p], i, seen,
                         c.result[i].residual_ncp);
            assert_true(c.result[i].status != MYR_NOT_FINITE && c.result[i].iterations <= 2000);
            solved += c.result[i].status == MYR_CONVERGED;
        }
        print_message("%s: %d of %d odd problems converge\n", precisions[p], solved, PROBLEMS);
        assert_true(solved >= PROBLEMS * 9 / 10);
    }
    crowd_close(&c);
}

/* A slider over the floor whose limit wants it `down` [m/s]: below zero that is through the floor, and there is proof that nothing can be
 * done. */
static void what_cannot_be_solved_is_told_apart(void **state) {
    (void)state;
    enum { CASES = 24 };
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < CASES; i++) {
            const double g = pow(10, i % 5 - 2), wanted = (i % 2 ? -0.1 : 0.1) * (1 + i), c_N = -0.05 * (i % 3);
            double G[16] = {0}, c[4] = {0.02, 0, c_N, c_N}, mu = 0.5, stairs[3] = {0, -INFINITY, wanted}, impulse[4], velocity[4];
            G[0] = G[5] = G[10] = G[11] = G[14] = G[15] = g;
            const myr_contact_problem problem = {.contacts = 1, .G = G, .c = c, .mu = &mu, .rows = 1, .stairs = stairs};
            myr_contact_result result = {.impulse = impulse, .velocity = velocity};
            const myr_settings settings = random_problem_settings("auto", precisions[p], "hybrid", p ? 1e-5 : 1e-8);
            MUST(myr_solve_contacts(&problem, 1, &settings, &result));
            if (result.status != (wanted < 0 ? MYR_NO_SOLUTION : MYR_CONVERGED))
                fail_msg("%s, case %d: %s, residual %.3g", precisions[p], i, myr_solve_status_text(result.status), result.residual);
            assert_true(result.iterations < 1000);
        }
}

/* ---- in a simulation ---------------------------------------------------------------------------- */

/* Bipeds that collapse, each in its own way. */
static myr_batch *bipeds(const myr_model *model, const char *precision, const char *isa, const char *threads, int64_t first, int64_t envs) {
    myr_settings settings = scene_settings("task", "none", "precision", precision, "isa", isa, "threads", threads, NULL);
    myr_batch *batch = NULL;
    settings.first_env = first;
    MUST(myr_batch_create(model, envs, &settings, &batch));
    for (int64_t env = 0; env < envs; env++) {
        double v[19] = {0};
        const double id = (double)(first + env);
        for (int k = 0; k < 19; k++) v[k] = (k < 6 ? 0.3 : 1) * sin(1 + 1.7 * id + k);
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    }
    return batch;
}

static void robots_that_lie_keep_their_own_bits(void **state) {
    (void)state;
    enum { STEPS = 250 };
    static const int counts[] = {17, 1, 15, 16};
    myr_model *model = NULL;
    MUST(myr_model_load("biped", MYR_ROOT_AUTO, &model));
    for (int p = 0; p < 2; p++) {
        uint64_t alone[17];
        int64_t most = 0;
        for (int env = 0; env < 17; env++) {
            myr_batch *batch = bipeds(model, precisions[p], "auto", "1", env, 1);
            myr_stats stats;
            MUST(myr_batch_step(batch, STEPS));
            myr_batch_stats(batch, &stats);
            most = stats.iterations_max > most ? stats.iterations_max : most;
            alone[env] = myr_batch_hash(batch);
            myr_batch_free(batch);
        }
        assert_true(most > 10); /* some lane was taken out */
        for (int isa = 0; isa_at(isa); isa++)
            for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
                myr_batch *batch = bipeds(model, precisions[p], isa_at(isa), k % 2 ? "2" : "1", 0, counts[k]);
                uint64_t wanted = 0;
                MUST(myr_batch_step(batch, STEPS));
                for (int env = 0; env < counts[k]; env++) wanted += alone[env];
                if (myr_batch_hash(batch) != wanted) fail_msg("%s, %s, %d bipeds: other bits", isa_at(isa), precisions[p], counts[k]);
                myr_batch_free(batch);
            }
    }
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_sweeps_leave_is_finished),       cmocka_unit_test(a_lane_does_not_notice_strangers),
        cmocka_unit_test(ten_sweeps_are_those_of_nsgs),        cmocka_unit_test(odd_problems_end_in_honour),
        cmocka_unit_test(what_cannot_be_solved_is_told_apart), cmocka_unit_test(robots_that_lie_keep_their_own_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
