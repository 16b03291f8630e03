/* ctest: lanes
 * The solvers on a bare tile, below the public call: the residuals that a step reports, in the absolute form, and lanes that
 * are not finite. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/isas.h"
#include "kernels/kernels.h"
#include "support/random_problem.h"
#include "reference/contact_law.h"

enum { CONTACTS = 3, COMPONENTS = 3 * CONTACTS, ENTRIES = COMPONENTS * COMPONENTS };
/* Rows of the tile, one part after the other. */
enum {
    G_ROW = 0,
    C_ROW = G_ROW + ENTRIES,
    MU_ROW = C_ROW + COMPONENTS,
    ACTIVE_ROW = MU_ROW + CONTACTS,
    IMPULSE_ROW = ACTIVE_ROW + CONTACTS,
    COMPLIANCE_ROW = IMPULSE_ROW + COMPONENTS,
    VELOCITY_ROW = COMPLIANCE_ROW + COMPONENTS,
    RESIDUAL_ROW = VELOCITY_ROW + COMPONENTS,
    NCP_ROW,
    ITERATIONS_ROW,
    STATUS_ROW,
    ROWS
};

typedef struct bench { /* one instruction set and precision, with room for a tile */
    const myr_kernels *kernels;
    int W;
    void *workspace;
    unsigned char *rows;
} bench;

/* Of the solver that wants most. */
static size_t most_workspace(const myr_kernels *kernels) {
    size_t most = 0;
    for (int s = 0; s < MYR_SOLVER_COUNT; s++) {
        const size_t bytes = kernels->problem_workspace_bytes(CONTACTS, 0, (myr_solver)s);
        most = bytes > most ? bytes : most;
    }
    return most;
}

static void bench_open(bench *b, const char *isa, int precision) {
    assert_int_equal(myr_kernels_get(isa, precision, &b->kernels), MYR_OK);
    b->W = 64 / precision;
    b->workspace = myr_allocate(most_workspace(b->kernels) + 64, 64);
    b->rows = myr_allocate(ROWS * 64, 64);
    assert_true(b->workspace && b->rows);
}

static void bench_close(bench *b) {
    myr_release(b->workspace);
    myr_release(b->rows);
}

static double *as_double(const bench *b) { return (double *)(void *)b->rows; }
static float *as_float(const bench *b) { return (float *)(void *)b->rows; }

static double get(const bench *b, int row, int lane) {
    const int at = row * b->W + lane;
    return b->kernels->precision == 4 ? (double)as_float(b)[at] : as_double(b)[at];
}

static void put(const bench *b, int row, int lane, double value) {
    const int at = row * b->W + lane;
    if (b->kernels->precision == 4)
        as_float(b)[at] = (float)value;
    else
        as_double(b)[at] = value;
}

/* Newton's method wants a compliance and takes one that is not given: here it is given, so that the truth is known. */
static const double compliance = 0.1;
static int soft(int solver) { return strncmp(myr_solvers[solver].name, "newton", 6) == 0; }

/* A different problem in every lane; the last contact of every other lane is absent. */
static void fill(const bench *b, uint64_t seed) {
    random_source source = {seed};
    memset(b->rows, 0, ROWS * 64);
    for (int lane = 0; lane < b->W; lane++) {
        random_problem p =
            random_problem_new(&source, &(random_contacts){.contacts = CONTACTS, .coupling = 0.2, .mu_most = 1, .frictionless = 1});
        for (int k = 0; k < ENTRIES; k++) put(b, G_ROW + k, lane, p.problem.G[k]);
        for (int k = 0; k < COMPONENTS; k++) put(b, C_ROW + k, lane, p.problem.c[k]), put(b, COMPLIANCE_ROW + k, lane, compliance);
        for (int k = 0; k < CONTACTS; k++) put(b, MU_ROW + k, lane, p.problem.mu[k]);
        for (int k = 0; k < CONTACTS; k++) put(b, ACTIVE_ROW + k, lane, k < CONTACTS - lane % 2);
        random_problem_free(&p);
    }
}

static void run(const bench *b, int solver, double tolerance, int sweeps) {
    unsigned char *r = b->rows;
    const myr_problem_tile tile = {.contacts = CONTACTS,
                                   .G = r + 64 * G_ROW,
                                   .c = r + 64 * C_ROW,
                                   .mu = r + 64 * MU_ROW,
                                   .active = r + 64 * ACTIVE_ROW,
                                   .impulse = r + 64 * IMPULSE_ROW,
                                   .R = soft(solver) ? r + 64 * COMPLIANCE_ROW : NULL,
                                   .velocity = r + 64 * VELOCITY_ROW,
                                   .residual = r + 64 * RESIDUAL_ROW,
                                   .residual_ncp = r + 64 * NCP_ROW,
                                   .iterations = r + 64 * ITERATIONS_ROW,
                                   .status = r + 64 * STATUS_ROW};
    const myr_solve_options options = {.solver = (myr_solver)solver,
                                       .tolerance = tolerance,
                                       .max_sweeps = sweeps,
                                       .slip_steps = 3,
                                       .warm_start = 1,
                                       .alpha = 1,
                                       .alpha_min = 0.7,
                                       .gamma = 0.99,
                                       .pgs_alpha = 0.6,
                                       .beta1 = 0.1,
                                       .beta2 = 0.5,
                                       .beta3 = 2,
                                       .slip_tolerance = 0.01 * tolerance,
                                       .relaxation = 0.8,
                                       .admm_eta = 1e-6,
                                       .admm_relaxation = 1,
                                       .admm_ratio = 10,
                                       .admm_power = 0.05,
                                       .newton_alpha = 1e-3,
                                       .exact_search = 1};
    b->kernels->solve_tile(&tile, b->workspace, &options);
}

/* What the law says of the answer of one lane, in the lane's own numbers. */
static reference_residuals law_of(const bench *b, int solver, int lane, double w[COMPONENTS], double *size) {
    double G[ENTRIES], R[COMPONENTS], c[COMPONENTS], mu[CONTACTS], impulse[COMPONENTS];
    const int n = CONTACTS - lane % 2, m = 3 * n;
    *size = 1;
    for (int r = 0; r < m; r++) {
        for (int k = 0; k < m; k++) G[r * m + k] = get(b, G_ROW + r * COMPONENTS + k, lane);
        c[r] = get(b, C_ROW + r, lane);
        R[r] = soft(solver) ? get(b, COMPLIANCE_ROW + r, lane) : 0;
        impulse[r] = get(b, IMPULSE_ROW + r, lane);
        *size = fmax(*size, fabs(impulse[r]));
    }
    for (int k = 0; k < n; k++) mu[k] = get(b, MU_ROW + k, lane);
    reference_residuals truth = reference_law_compliant(n, G, R, c, mu, impulse, w, 0);
    const double own = truth.own[myr_solvers[solver].law], full = reference_law_problem(n, G, c, mu, impulse, w, 0).own[MYR_LAW_NCP];
    truth.own[MYR_LAW_NCP] = full; /* the full law knows no compliance; of the rest, the solver's is looked at */
    truth.own[myr_solvers[solver].law] = own;
    return truth;
}

/* After few sweeps and after many: the figures are the definitions', in the lane's rounding, whatever was reached. */
static void residuals_are_what_the_law_says(void **unused) {
    (void)unused;
    for (int s = 0; s < MYR_SOLVER_COUNT; s++) {
        for (int q = 0; q < 2; q++) {
            for (int i = 0; isa_at(i); i++) {
                bench b;
                const double rounding = q == 0 ? 1e-13 : 1e-4, tolerance = q == 0 ? 1e-9 : 1e-4;
                bench_open(&b, isa_at(i), q == 0 ? 8 : 4);
                for (int sweeps = 1; sweeps <= 1000; sweeps *= 10) {
                    for (uint64_t seed = 21; seed < 31; seed++) {
                        fill(&b, seed);
                        run(&b, s, tolerance, sweeps);
                        for (int lane = 0; lane < b.W; lane++) {
                            double w[COMPONENTS], size;
                            const reference_residuals truth = law_of(&b, s, lane, w, &size);
                            const double own = truth.own[myr_solvers[s].law];
                            const double said = get(&b, RESIDUAL_ROW, lane), said_ncp = get(&b, NCP_ROW, lane);
                            for (int k = 0; k < 3 * (CONTACTS - lane % 2); k++)
                                if (!(fabs(w[k] - get(&b, VELOCITY_ROW + k, lane)) <= rounding * size))
                                    fail_msg("%s, %s: velocity %d of lane %d", myr_solvers[s].name, isa_at(i), k, lane);
                            if (!(fabs(said - own) <= rounding * (size + own)))
                                fail_msg("%s, %s, %d sweeps: residual of lane %d is %g, by the law %g", myr_solvers[s].name, isa_at(i),
                                         sweeps, lane, said, own);
                            if (!(fabs(said_ncp - truth.own[MYR_LAW_NCP]) <= rounding * (size + truth.own[MYR_LAW_NCP])))
                                fail_msg("%s, %s, %d sweeps: residual_ncp of lane %d is %g, by the law %g", myr_solvers[s].name, isa_at(i),
                                         sweeps, lane, said_ncp, truth.own[MYR_LAW_NCP]);
                            assert_int_equal((int)get(&b, STATUS_ROW, lane) == MYR_CONVERGED,
                                             said <= (q == 0 ? tolerance : (double)(float)tolerance));
                        }
                    }
                }
                bench_close(&b);
            }
        }
    }
}

/* What the public call would refuse poisons one lane and no other; numbers that are not finite are called by that name. */
static void one_bad_lane_harms_nobody(void **unused) {
    (void)unused;
    const double poison[] = {NAN, -INFINITY, -1e300};
    int broken = 0;
    const int places[] = {C_ROW + 2, G_ROW + 6 * COMPONENTS + 0, G_ROW + 0};
    for (int s = 0; s < MYR_SOLVER_COUNT; s++) {
        for (int q = 0; q < 2; q++) {
            for (int i = 0; isa_at(i); i++) {
                bench healthy, poisoned;
                bench_open(&healthy, isa_at(i), q == 0 ? 8 : 4);
                bench_open(&poisoned, isa_at(i), q == 0 ? 8 : 4);
                fill(&healthy, 18);
                run(&healthy, s, 1e-6, 200);
                for (int kind = 0; kind < 9; kind++) {
                    const int bad = 2 * (kind % (healthy.W / 2)); /* even: all contacts are there */
                    fill(&poisoned, 18);
                    put(&poisoned, places[kind / 3], bad, poison[kind % 3]);
                    run(&poisoned, s, 1e-6, 200);
                    for (int row = IMPULSE_ROW; row < ROWS; row++) {
                        for (int lane = 0; lane < healthy.W; lane++) {
                            const size_t bytes = (size_t)healthy.kernels->precision, at = (size_t)row * 64 + (size_t)lane * bytes;
                            if (lane != bad && memcmp(healthy.rows + at, poisoned.rows + at, bytes) != 0)
                                fail_msg("%s, %s, f%d: %g in row %d of lane %d changes row %d of lane %d", myr_solvers[s].name, isa_at(i),
                                         64 - 32 * q, poison[kind % 3], places[kind / 3], bad, row, lane);
                        }
                    }
                    int finite = 1;
                    for (int row = IMPULSE_ROW; row < STATUS_ROW; row++) finite = finite && isfinite(get(&poisoned, row, bad));
                    broken += !finite;
                    if (!finite && (int)get(&poisoned, STATUS_ROW, bad) != MYR_NOT_FINITE)
                        fail_msg("%s, %s, f%d: %g in row %d gives numbers that are not finite, and status %g", myr_solvers[s].name,
                                 isa_at(i), 64 - 32 * q, poison[kind % 3], places[kind / 3], get(&poisoned, STATUS_ROW, bad));
                }
                bench_close(&healthy);
                bench_close(&poisoned);
            }
        }
    }
    assert_true(broken > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residuals_are_what_the_law_says),
        cmocka_unit_test(one_bad_lane_harms_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
