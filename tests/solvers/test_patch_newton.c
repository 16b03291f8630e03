/* ctest: lanes
 * Newton's step for the contacts of a patch, all at once in lanes: as a scalar double reference makes it, in every unit, for feet of one to
 * six corners, in any order, with holes among a lane's contacts, from huge to tiny masses; and a lane's step is its own to the bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"
#include "patch_lanes/patch_lanes.h"
#include "support/random_model.h"

enum { N = PATCH_TEST_CONTACTS, D = PATCH_TEST_NUMBERS, MOST = 6, FEW = 6 };

/* Two feet on one body: contacts up to `second`, and one in four of those behind, are corners of the first. G = J M^-1 J', where a foot
 * turns and moves by itself too. */
static patch_case feet(random_source *source, int second, double mass) {
    patch_case a = {0};
    double J[D][18], inertia[18];
    for (int k = 0; k < 18; k++) inertia[k] = (k % 6 < 3 ? 1 : 50) * random_uniform(source, 0.2, 1) / mass;
    for (int i = 0; i < N; i++) {
        const int foot = i >= second && random_below(source, 4);
        const double at[3] = {random_uniform(source, -0.1, 0.1), random_uniform(source, -0.04, 0.04), -0.05};
        const double from_body[3] = {at[0], at[1] + (foot ? 0.1 : -0.1), -0.8};
        memset(J[3 * i], 0, 3 * sizeof *J);
        for (int r = 0; r < 3; r++) {
            double *row = J[3 * i + r], *own = row + 6 + 6 * foot;
            row[r] = own[r] = 1;
            /* v + omega x at */
            row[3 + (r + 1) % 3] = from_body[(r + 2) % 3], row[3 + (r + 2) % 3] = -from_body[(r + 1) % 3];
            own[3 + (r + 1) % 3] = at[(r + 2) % 3], own[3 + (r + 2) % 3] = -at[(r + 1) % 3];
        }
        a.mu[i] = i % 7 == 6 ? 0 : random_uniform(source, 0.3, 1);
        for (int r = 0; r < 3; r++) {
            a.c[3 * i + r] = random_uniform(source, -0.5, 0.5) - (r == 2 ? 0.3 : 0);
            a.lambda[3 * i + r] = mass * random_uniform(source, r == 2 ? 0 : -0.3, 0.3);
        }
        a.of_patch[i] = 7 + foot;
        a.has[i] = 1;
    }
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++)
            for (int k = 0; k < 18; k++) a.G[i * D + j] += J[i][k] * inertia[k] * J[j][k];
    return a;
}

/* Contacts that the lane lacks: no impulse. */
static void leave_out(random_source *source, patch_case *a, int one_in) {
    for (int i = 0; i < N; i++) {
        if (random_below(source, one_in)) continue;
        a->has[i] = 0;
        for (int r = 0; r < 3; r++) a->lambda[3 * i + r] = 0;
    }
}

/* x = A^-1 b, rows exchanged by the largest pivot. */
static void eliminate(int n, double A[][D + 1], double *x) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++) best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        for (int j = 0; j <= n; j++) {
            const double other = A[best][j];
            A[best][j] = A[k][j], A[k][j] = other;
        }
        for (int i = k + 1; i < n; i++) {
            const double share = A[i][k] / A[k][k];
            for (int j = k; j <= n; j++) A[i][j] -= share * A[k][j];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        x[k] = A[k][n];
        for (int j = k + 1; j < n; j++) x[k] -= A[k][j] * x[j];
        x[k] /= A[k][k];
    }
}

/* One step for the contacts `at`, in units in which each contact's own mobility is 1: y = D^1/2 lambda, u = D^-1/2 w. A contact with
 * y_N <= u_N opens, y = 0. Else u_N = 0, and with z = (y - u)_T it sticks, u_T = 0, where |z| <= mu (y - u)_N, and slides else:
 * y_T = mu y_N e, e = z / |z|, whose derivative is (I - e e') / |z|. What sticks or closes has the ridge. */
static void reference_step(patch_case *a, const int *at, int n, int step, double bound) {
    double root[N], w[D], A[D][D + 1], x[D], load = 0, mass = 0;
    for (int i = 0; i < D; i++) {
        w[i] = a->c[i];
        for (int j = 0; j < D; j++) w[i] += a->G[i * D + j] * a->lambda[j];
    }
    for (int e = 0; e < n; e++) {
        const int i = 3 * at[e];
        const double third = (a->G[i * D + i] + a->G[(i + 1) * D + i + 1] + a->G[(i + 2) * D + i + 2]) / 3;
        root[e] = sqrt(third);
        load = fmax(load, fmax(a->lambda[i + 2], -w[i + 2] / third)), mass = fmax(mass, 1 / third);
    }
    const double ridge = fmin(0.1, fmax(step > 2 && step % 2 ? 1e-3 : 1e-4, 10 * bound * mass / (load > 0 ? load : 1)));
    for (int e = 0; e < n; e++) {
        const int i = 3 * at[e];
        double y[3], u[3], G[3][D];
        for (int r = 0; r < 3; r++) {
            y[r] = a->lambda[i + r] * root[e], u[r] = w[i + r] / root[e];
            for (int f = 0; f < n; f++)
                for (int k = 0; k < 3; k++) G[r][3 * f + k] = a->G[(i + r) * D + 3 * at[f] + k] / (root[e] * root[f]);
        }
        const double z[2] = {y[0] - u[0], y[1] - u[1]}, zn = y[2] - u[2], length = hypot(z[0], z[1]), mu = a->mu[at[e]];
        for (int r = 0; r < 3; r++) {
            double *row = A[3 * e + r];
            memset(row, 0, sizeof A[0]);
            if (zn <= 0) {
                row[3 * e + r] = 1, row[3 * n] = -y[r];
            } else if (r == 2 || length <= mu * zn) {
                memcpy(row, G[r], 3 * (size_t)n * sizeof *row);
                row[3 * e + r] += ridge, row[3 * n] = -u[r];
            } else {
                const double part = mu * zn / length, across[2] = {-z[1] / length, z[0] / length}, along = z[r] / length;
                for (int j = 0; j < 3 * n; j++) row[j] = part * across[r] * (across[0] * G[0][j] + across[1] * G[1][j]);
                for (int k = 0; k < 2; k++) row[3 * e + k] += (k == r) - part * across[r] * across[k];
                row[3 * e + 2] -= mu * along, row[3 * n] = mu * y[2] * along - y[r];
            }
        }
    }
    eliminate(3 * n, A, x);
    for (int e = 0; e < n; e++)
        for (int r = 0; r < 3; r++) a->lambda[3 * at[e] + r] += x[3 * e + r] / root[e];
}

/* Blocks in the lane's order: a patch of more than MOST contacts is cut; a lane of more than FEW blocks, or of fewer than 1.5 contacts a
 * block, has none of more than one. */
static void reference(patch_case *a, int step, double bound) {
    int block[N], blocks = 0, contacts = 0, of_patch[N], at[N][N], count[N] = {0};
    for (int i = 0; i < N; i++) {
        block[i] = -1;
        if (!a->has[i]) continue;
        contacts++;
        for (int b = 0; b < blocks; b++)
            if (of_patch[b] == a->of_patch[i] && count[b] < MOST) block[i] = b;
        if (block[i] < 0) of_patch[blocks] = a->of_patch[i], block[i] = blocks++;
        at[block[i]][count[block[i]]++] = i;
    }
    const int sparse = blocks > FEW || 2 * contacts < 3 * blocks;
    for (int i = 0; i < N; i++)
        if (a->has[i]) a->together[i] = sparse ? i : at[block[i]][0];
    for (int b = 0; b < blocks && !sparse; b++)
        if (count[b] > 1) reference_step(a, at[b], count[b], step, bound);
}

/* A case whose numbers are off by a rounding: a step of a nearly singular block may be far off by it. */
static void shake_up(random_source *source, patch_case *a, double rounding) {
    for (int i = 0; i < D; i++) a->c[i] *= 1 + random_uniform(source, -rounding, rounding);
    for (int i = 0; i < D * D; i++) a->G[i] *= 1 + random_uniform(source, -rounding, rounding);
}

static void every_unit_makes_the_step(void **state) {
    (void)state;
    int blocks = 0, cut = 0, alone_too = 0;
    double worst[2] = {0, 0};
    for (int u = 0; patch_unit_at(u); u++) {
        const patch_unit *unit = patch_unit_at(u);
        if (!myr_isa_present(unit->isa)) continue;
        random_source source = {77};
        for (int trial = 0; trial < 300; trial++) {
            patch_case cases[PATCH_TEST_LANES], wanted, alone, shaken;
            const int step = trial % 5;
            const double mass = pow(10, trial % 3 * 4 - 4), bound = trial % 4 ? 1e-5 : 1e-2;
            for (int lane = 0; lane < PATCH_TEST_LANES; lane++) { /* as many whatever the unit has: the same problems in all */
                cases[lane] = feet(&source, 1 + random_below(&source, N - 1), mass);
                leave_out(&source, &cases[lane], 1 + random_below(&source, 5));
            }
            patch_case before[PATCH_TEST_LANES];
            memcpy(before, cases, sizeof cases);
            unit->run(cases, unit->lanes, N, step, bound);
            for (int lane = 0; lane < unit->lanes; lane++) {
                wanted = alone = shaken = before[lane];
                reference(&wanted, step, bound);
                shake_up(&source, &shaken, unit->is_double ? 1e-15 : 1e-7);
                reference(&shaken, step, bound);
                double size = 0, apart = 0, shake = 0;
                for (int i = 0; i < D; i++) {
                    size = fmax(size, fmax(fabs(wanted.lambda[i]), fabs(before[lane].lambda[i])));
                    apart = fmax(apart, fabs(wanted.lambda[i] - cases[lane].lambda[i]));
                    shake = fmax(shake, fabs(wanted.lambda[i] - shaken.lambda[i]));
                }
                if (size > 0) worst[unit->is_double] = fmax(worst[unit->is_double], apart / size);
                if (!(apart <= (unit->is_double ? 1e-8 : 0.02) * size + 100 * shake))
                    fail_msg("%s, f%d, trial %d, lane %d: %g of %g", unit->isa, unit->is_double ? 64 : 32, trial, lane, apart, size);
                for (int i = 0; i < N; i++) {
                    if (!cases[lane].has[i]) continue;
                    assert_int_equal(cases[lane].together[i], wanted.together[i]);
                    blocks += cases[lane].together[i] == i;
                    int earlier = 0;
                    for (int k = 0; k < i; k++) earlier |= cases[lane].has[k] && cases[lane].of_patch[k] == cases[lane].of_patch[i];
                    cut += cases[lane].together[i] == i && earlier;
                }
                unit->run(&alone, 1, N, step, bound);
                assert_memory_equal(alone.lambda, cases[lane].lambda, sizeof alone.lambda);
                alone_too++;
            }
        }
    }
    print_message("%d lanes, %d blocks, %d of them cut off; apart by %.2g (f32) and %.2g (f64) of the largest impulse\n", alone_too, blocks,
                  cut, worst[0], worst[1]);
    assert_true(cut > 100);
}

/* A neighbour that is not a number, or of which a pivot is lost, has no part in it. */
static void strangers_have_no_part(void **state) {
    (void)state;
    for (int u = 0; patch_unit_at(u); u++) {
        const patch_unit *unit = patch_unit_at(u);
        if (!myr_isa_present(unit->isa) || unit->lanes < 2) continue;
        random_source source = {78};
        for (int trial = 0; trial < 20; trial++) {
            patch_case cases[2] = {feet(&source, 4, 1), feet(&source, 5, 1)}, alone = cases[1];
            for (int i = 0; i < D * D; i++) cases[0].G[i] = trial % 2 ? NAN : 0;
            if (trial % 4 > 1) cases[0].c[2] = INFINITY;
            const patch_case before = cases[0];
            unit->run(cases, 2, N, 0, 1e-5);
            unit->run(&alone, 1, N, 0, 1e-5);
            assert_memory_equal(alone.lambda, cases[1].lambda, sizeof alone.lambda);
            for (int i = 0; i < D && trial % 2; i++) /* it moves nothing itself */
                assert_true(cases[0].lambda[i] == (unit->is_double ? before.lambda[i] : (double)(float)before.lambda[i]));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_unit_makes_the_step), cmocka_unit_test(strangers_have_no_part)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
