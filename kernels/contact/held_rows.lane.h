/* Scalar rows held at an end of their range, for sweeps that solve each contact exactly.
 *
 * The row of a joint at its limit and the contact of the same leg move nearly the same thing: of ANYmal's pairs the contact alone takes
 * away 85 to 99 % of what the row could move by. Sweeps that solve the one and then the other shed a hundredth of the error in a turn, and
 * where the contact slips some never end. So a row that comes to w = lo or w = hi is held there: its velocity is known, and its impulse is
 * whatever that takes. What is left of G is its Schur complement without the row, and a contact is solved with the limit in mind, in one
 * visit.
 *
 * With S = G at first, to hold or let go row k is an exchange, the sweep operator of statistics:
 *
 *     S_ij <- S_ij - S_ik S_jk / S_kk,   S_ik <- +- S_ik / S_kk (+ to hold, - to let go),   S_kk <- -1 / S_kk.
 *
 * With -lambda_k in the place of w_k of a held row, an impulse on a contact, or on a row that is not held, adds its column of S to
 * everything, as its column of G does else. A held row is looked at like any other: where its impulse is on the wrong side of its value
 * just inside, it is let go, solved alone, and held again if that brings it to an end. Each lane has an S of its own.
 *
 * The law of a contact must not depend on G. Coulomb's does not; Hwangbo's does. */
#ifndef MYR_KERNELS_CONTACT_HELD_ROWS_LANE_H
#define MYR_KERNELS_CONTACT_HELD_ROWS_LANE_H

#include "single.lane.h"

/* In the scratch: of each row whether it is held and at which velocity; S; all velocities once more. */
typedef struct held_rows {
    vf *G, *rows_G; /* the problem's own */
    vf *held;       /* 1 where the row is held, else 0 */
    vf *at;         /* the velocity that it is held at */
    vf *memory;     /* behind these */
    vm touched;     /* lanes in which a row was ever held */
} held_rows;

/* What a visit may do: hold rows that come to an end; that, and of all rows only those whose warm start is an end's; or neither. */
typedef enum { ROWS_HOLD, ROWS_START, ROWS_STAY } rows_visit;

static inline vm row_held(const held_rows *h, int k) { return vm_gt(h->held[k], vf_zero()); }

/* Entry (j, k) of S among the rows. */
static inline vf *row_pair(const problem *p, int j, int k) {
    return j >= k ? problem_row_G(p, j) + 3 * p->n + k : problem_row_G(p, k) + 3 * p->n + j;
}

/* S becomes a copy of G, before the first exchange. */
static void held_rows_copy(problem *p, held_rows *h) {
    const int n = p->n, m = p->rows.n, blocks = 9 * n * (n + 1) / 2, rows = 3 * n * m + m * (m + 1) / 2;
    p->G = h->memory;
    p->rows.G = p->G + blocks;
    h->memory = p->rows.G + rows;
    for (int e = 0; e < blocks; e++) p->G[e] = h->G[e];
    for (int e = 0; e < rows; e++) p->rows.G[e] = h->rows_G[e];
}

/* The exchange at row k in `lanes`; sign: 1 to hold, -1 to let go. */
static void held_rows_exchange(problem *p, int k, vm lanes, real sign) {
    const int n = p->n, m = p->rows.n;
    const vf one = vf_set(1);
    vf *u = problem_row_G(p, k), *own = u + 3 * n + k;
    const vf inverse = one / vf_select(lanes, *own, one), scale = vf_select(lanes, vf_set(sign) * inverse, one);
    for (int i = 0; i < n; i++) {
        const vf s[3] = {inverse * u[3 * i], inverse * u[3 * i + 1], inverse * u[3 * i + 2]};
        for (int j = 0; j <= i; j++) {
            vf *g = problem_block(p, i, j);
            UNROLL for (int e = 0; e < 9; e++) g[e] = vf_select(lanes, vf_fnma(s[e / 3], u[3 * j + e % 3], g[e]), g[e]);
        }
    }
    for (int j = 0; j < m; j++) {
        if (j == k) continue;
        vf *g = problem_row_G(p, j);
        const vf s = inverse * *row_pair(p, j, k);
        for (int i = 0; i < 3 * n; i++) g[i] = vf_select(lanes, vf_fnma(s, u[i], g[i]), g[i]);
        for (int l = 0; l <= j; l++)
            if (l != k) g[3 * n + l] = vf_select(lanes, vf_fnma(s, *row_pair(p, l, k), g[3 * n + l]), g[3 * n + l]);
    }
    for (int i = 0; i < 3 * n; i++) u[i] = scale * u[i];
    for (int j = 0; j < m; j++)
        if (j != k) *row_pair(p, j, k) = scale * *row_pair(p, j, k);
    *own = vf_select(lanes, -inverse, *own);
}

/* Lanes in which holding row k, now not held, leaves itself and each contact more to move by than rounding. A limb whose joints are all at
 * their limits leaves its contact nothing: the last of its rows is visited in turn. */
static vm held_rows_may(const problem *p, const held_rows *h, int k, vm lanes) {
    const vf least = vf_set((real)1e-3);
    const int n = p->n;
    const vf *u = problem_row_G(p, k), g = u[3 * n + k], whole = h->rows_G[3 * n * k + k * (k + 1) / 2 + 3 * n + k];
    vm may = vm_and(lanes, vm_gt(g, least * whole));
    for (int i = 0; i < n; i++) {
        const vf *a = p->inverse + 6 * i, x = u[3 * i], y = u[3 * i + 1], z = u[3 * i + 2];
        const vf ax = vf_fma(a[0], x, vf_fma(a[3], y, a[4] * z)), ay = vf_fma(a[3], x, vf_fma(a[1], y, a[5] * z)),
                 az = vf_fma(a[4], x, vf_fma(a[5], y, a[2] * z));
        const vf taken = vf_fma(x, ax, vf_fma(y, ay, z * az)); /* of g by the contact: det G_ii shrinks by 1 - taken / g */
        may = vm_and(may, vm_or(vm_not(problem_has(p, i)), vm_lt(taken, (vf_set(1) - least) * g)));
    }
    return may;
}

/* One visit of every row, as rows_sweep. */
static void held_rows_sweep(problem *p, held_rows *h, vm running, vf alpha, vf inner, rows_visit visit, vm *wrong, vm *moved) {
    const vf zero = vf_zero(), one = vf_set(1);
    vm stale = vm_none(); /* lanes whose inverses are of an S before the last exchange */
    for (int k = 0; k < p->rows.n; k++) {
        const stairs s = row_stairs(p, k);
        const vm held = row_held(h, k), mine = vm_and(running, problem_has_row(p, k));
        const vf there = p->rows.w[k], old = vf_select(held, -there, p->rows.lambda[k]), w = vf_select(held, h->at[k], there);
        const vm todo =
            visit == ROWS_START ? vm_and(mine, vm_gt(vf_abs(old), s.f)) : vm_andnot(mine, vm_le(row_distance(s, old, w), inner));
        if (!vm_any(todo)) continue;
        const vm back = vm_and(todo, held);
        if (vm_any(back)) {
            held_rows_exchange(p, k, back, -1);
            h->held[k] = vf_select(back, zero, h->held[k]);
            p->rows.w[k] = vf_select(back, w, there);
            stale = vm_or(stale, back);
        }
        const vf g = problem_row_G(p, k)[3 * p->n + k], best = row_alone(s, old, w, g);
        const vm low = vm_gt(best, s.f), ends = vm_and(todo, vm_or(low, vm_lt(best, -s.f)));
        if (vm_any(vm_and(ends, stale))) single_prepare_as(p, h->G), stale = vm_none();
        const vm hold = visit != ROWS_STAY && vm_any(ends) ? held_rows_may(p, h, k, ends) : vm_none();
        const vf now = vf_fma(vf_select(hold, one, alpha), best - old, old), change = vf_select(todo, now - old, zero);
        p->rows.lambda[k] = vf_select(todo, now, p->rows.lambda[k]);
        problem_add_row_impulse(p, k, change);
        if (vm_any(hold)) {
            if (p->G == h->G) held_rows_copy(p, h);
            held_rows_exchange(p, k, hold, 1);
            h->held[k] = vf_select(hold, one, h->held[k]);
            h->at[k] = vf_select(hold, vf_select(low, s.lo, s.hi), h->at[k]);
            p->rows.w[k] = vf_select(hold, -now, p->rows.w[k]);
            stale = vm_or(stale, hold);
            h->touched = vm_or(h->touched, hold);
        }
        *wrong = vm_or(*wrong, todo);
        *moved = vm_or(*moved, vm_and(todo, vm_gt(vf_abs(change), vf_set((real)(2 * MYR_EPSILON)) * vf_abs(now))));
    }
    if (vm_any(stale)) single_prepare_as(p, h->G);
}

/* Before the sweeps: rows whose warm start is an end's are solved and held. */
static void held_rows_open(problem *p, held_rows *h, vf *memory, vm running, vf inner) {
    const int m = p->rows.n;
    vm wrong = vm_none(), moved = vm_none();
    h->G = p->G, h->rows_G = p->rows.G;
    h->held = memory;
    h->at = h->held + m;
    h->memory = h->at + m;
    h->touched = vm_none();
    for (int k = 0; k < m; k++) h->held[k] = vf_zero(), h->at[k] = vf_zero();
    held_rows_sweep(p, h, running, vf_set(1), inner, ROWS_START, &wrong, &moved);
}

/* After them: G, the rows' impulses, and of the lanes that had another S the velocities that go with these. */
static void held_rows_close(problem *p, held_rows *h) {
    p->G = h->G, p->rows.G = h->rows_G;
    if (!vm_any(h->touched)) return;
    for (int k = 0; k < p->rows.n; k++) p->rows.lambda[k] = vf_select(row_held(h, k), -p->rows.w[k], p->rows.lambda[k]);
    problem_velocity_in(p, h->touched, h->memory);
}

#endif
