/* Newton on the primal problem of the convex model, the core of newton-diag and newton-compliant (Le Lidec 2024 (22), Algorithm 4).
 *
 * The unknowns are the impulses x, with the velocity w = G x + c. G here is the matrix without its regularisation
 * R = diag(R_T, R_T, R_N) per contact. Minimise
 *     1/2 x' G x + 1/2 |P(w)|_R^2,    P(w) the point of the cone nearest to -R^-1 w in the metric of R.
 * The paper's unknown is the generalized velocity, v - v_f = M^-1 J' x. The values are the same ones, and neither M, J nor a factor of
 * a possibly singular G is needed. At the minimum x = P(w), the solution on G + R. Per contact, with t the direction of -w_T:
 *     open    mu |w_T| <= w_N:                  P = 0
 *     stick   R_N |w_T| <= -mu R_T w_N:         P = -R^-1 w
 *     slide   else, s = 1 / (R_N + mu^2 R_T):   P = s (mu |w_T| - w_N) (mu t, 1)
 * and -dP/dw = C C': stick C = R^-1/2; slide columns sqrt(s) (mu t, 1) and sqrt(mu P_N / |w_T|) t_perp. The Newton step solves
 *     (I + C' G C) u = -C' G r,    dx = -r - C u,    r = x - P(w),
 * a matrix that is symmetric with eigenvalues >= 1. Along dx the energy is convex. The exact search looks for the zero of its slope
 * dw.(x + h dx - P(w + h dw)), dw = G dx; Armijo's takes h = 0.8^k as SAP does (Castro et al. 2022).
 *
 * A scalar row has P(w) on its staircase at penalty R, with C = R^-1/2 where P moves with w and 0 where friction is at its end, and
 * R P^2 + 2 f |w + R P| for |P|_R^2.
 *
 * The answer is x projected on the cone, not P(w): rounding of w comes into P divided by R. A contact that opens carries nothing. */
#ifndef MYR_KERNELS_CONTACT_NEWTON_LANE_H
#define MYR_KERNELS_CONTACT_NEWTON_LANE_H

#include "cholesky.lane.h"
#include "cone.lane.h"
#include "packed_rows.lane.h"

/* Scratch for b blocks: 28 b, and a matrix, 9 b (b + 1) / 2. */
enum {
    NEWTON_SEARCH = 40,    /* steps of a line search */
    NEWTON_PATIENCE = 100, /* iterations without a better residual that end as `stalled` */
};

typedef struct newton {
    vf *x, *w, *dx, *dw, *u; /* 3 for each block */
    vf *C;                   /* 9 for each block, row-major */
    vf *soft;                /* 2 n: R_T, R_N, what P knows of the problem's R; then one for each row */
    vf *H;                   /* matrix */
} newton;

/* What the regularisation leaves of a contact: P, and what its derivative is made of. */
typedef struct newton_contact {
    v3 P;
    vf tx, ty;         /* t */
    vf p1, q1, p2, q3; /* columns of C: (p1 t, q1), (p2 t_perp, 0), (0, 0, q3) */
} newton_contact;

static inline newton_contact newton_project(vf mu, vf RT, vf RN, v3 w) {
    const vf zero = vf_zero(), one = vf_set(1);
    const vf size = vf_sqrt(vf_fma(w.x, w.x, w.y * w.y));
    const vm moves = vm_gt(size, zero), rough = vm_gt(mu, zero);
    const vf inverse = one / vf_select(moves, size, one);
    newton_contact k;
    k.tx = vf_select(moves, -(w.x * inverse), one), k.ty = vf_select(moves, -(w.y * inverse), zero);
    const vm open = vm_le(mu * size, w.z);
    const vm stick = vm_andnot(vm_and(rough, vm_le(RN * size, -(mu * RT * w.z))), open);
    const vf s = one / vf_fma(mu * mu, RT, RN), along = s * vf_fms(mu, size, w.z), side = mu * along;
    const vf softT = one / RT, softN = one / RN, root = vf_sqrt(s), rootT = vf_sqrt(softT);
    k.P = (v3){vf_select(stick, -(softT * w.x), side * k.tx), vf_select(stick, -(softT * w.y), side * k.ty),
               vf_select(stick, -(softN * w.z), along)};
    k.p1 = vf_select(stick, rootT, mu * root);
    k.q1 = vf_select(stick, zero, root);
    k.p2 = vf_select(stick, rootT, vf_sqrt(vf_max(side * inverse, zero)));
    k.q3 = vf_select(stick, vf_sqrt(softN), zero);
    k.P = v3_select(open, v3_zero(), k.P);
    k.p1 = vf_select(open, zero, k.p1), k.q1 = vf_select(open, zero, k.q1);
    k.p2 = vf_select(vm_or(open, vm_not(rough)), zero, k.p2), k.q3 = vf_select(open, zero, k.q3);
    return k;
}

/* G is the problem's matrix, which has all of R on its diagonal by now, without the part that P knows. What a contact's tangents have of
 * R beyond the smaller of the two stays in G. */
static inline v3 newton_part(const newton *q, int i, v3 x) {
    return (v3){q->soft[2 * i] * x.x, q->soft[2 * i] * x.y, q->soft[2 * i + 1] * x.z};
}

/* P of a scalar row, and the diagonal of C. */
static inline vf newton_row(const problem *p, const newton *q, int k, vf w, vf *C) {
    const stairs s = row_stairs(p, k);
    const vf R = q->soft[2 * p->n + k], inverse = vf_set(1) / R, y = -(inverse * w), P = row_project(s, y, R, inverse);
    const vm held = vm_or(vm_eq(P, s.f), vm_eq(P, -s.f)), moves = vm_or(vm_lt(vf_abs(y), s.f), vm_not(vm_or(held, vm_eq(P, vf_zero()))));
    *C = vf_select(moves, vf_sqrt(inverse), vf_zero());
    return P;
}

/* y = G x without that part */
static void newton_multiply(const problem *p, const newton *q, const vf *x, vf *y) {
    const int at = 3 * p->n;
    blocks_multiply(p->G, p->n, x, y);
    for (int k = 0; k < p->rows.n; k++) y[at + k] = vf_zero();
    problem_multiply_rows(p, x, y);
    for (int k = 0; k < p->rows.n; k++)
        y[at + k] = vf_select(problem_has_row(p, k), vf_fnma(q->soft[2 * p->n + k], x[at + k], y[at + k]), vf_zero());
    for (int i = 0; i < p->n; i++)
        v3_store(y + 3 * i, v3_select(problem_has(p, i), v3_sub(v3_load(y + 3 * i), newton_part(q, i, v3_load(x + 3 * i))), v3_zero()));
}

/* R that a solver wants: of contact i, and of a row. `weight`: mobility without R. */
typedef struct newton_wish {
    void (*contact)(const problem *p, const myr_solve_options *o, vf weight, int i, vf R[3]);
    vf (*row)(const myr_solve_options *o, vf weight);
} newton_wish;

/* R of a lane is raised to what the solver wants of it, and G with it. */
static void newton_soften(problem *p, const newton *q, const newton_wish *wish, const myr_solve_options *o) {
    const vf zero = vf_zero(), one = vf_set(1), third = vf_set((real)(1.0 / 3.0));
    vf most = zero;
    if (!p->compliant) {
        for (int k = 0; k < 3 * p->n; k++) p->R[k] = zero;
        for (int k = 0; k < p->rows.n; k++) p->rows.R[k] = zero;
    }
    p->compliant = 1;
    for (int i = 0; i < p->n; i++) {
        const vf *g = problem_block(p, i, i), *R = p->R + 3 * i;
        most = vf_max(most, vf_select(problem_has(p, i), ((g[0] - R[0]) + (g[4] - R[1]) + (g[8] - R[2])) * third, zero));
    }
    for (int k = 0; k < p->rows.n; k++)
        most = vf_max(most, vf_select(problem_has_row(p, k), problem_row_G(p, k)[3 * p->n + k] - p->rows.R[k], zero));
    const vf least = vf_select(vm_gt(most, zero), vf_set((real)1e-6) * most, one);
    for (int i = 0; i < p->n; i++) {
        vf *g = problem_block(p, i, i), *R = p->R + 3 * i, want[3];
        const vm has = problem_has(p, i);
        wish->contact(p, o, vf_max(((g[0] - R[0]) + (g[4] - R[1]) + (g[8] - R[2])) * third, least), i, want);
        for (int a = 0; a < 3; a++) {
            const vf more = vf_select(has, vf_max(want[a] - R[a], zero), zero);
            g[4 * a] = g[4 * a] + more;
            R[a] = vf_select(vm_gt(more, zero), R[a] + more, R[a]);
        }
        q->soft[2 * i] = vf_select(has, vf_min(R[0], R[1]), one);
        q->soft[2 * i + 1] = vf_select(has, R[2], one);
    }
    for (int k = 0; k < p->rows.n; k++) {
        vf *own = problem_row_G(p, k) + 3 * p->n + k, *R = &p->rows.R[k];
        const vm has = problem_has_row(p, k);
        const vf more = vf_select(has, vf_max(wish->row(o, vf_max(*own - *R, least)) - *R, zero), zero);
        *own = *own + more;
        *R = *R + more;
        q->soft[2 * p->n + k] = vf_select(has, *R, one);
    }
}

/* Entry (i, j) of C' G C + I where i is a component of the scalar rows. */
static inline vf newton_row_entry(const problem *p, const newton *q, int i, int j) {
    const int first = 3 * p->n, k = i - first;
    if (k >= p->rows.n || j >= first + p->rows.n) return vf_set(i == j);
    const vf *g = problem_row_G(p, k);
    const vf own = q->C[9 * (i / 3) + 4 * (i % 3)], zero = vf_zero();
    if (j >= first) {
        const vf whole = i == j ? g[j] - q->soft[2 * p->n + k] : i > j ? g[j] : problem_row_G(p, j - first)[i];
        return vf_fma(own * whole, q->C[9 * (j / 3) + 4 * (j % 3)], vf_set(i == j));
    }
    const vf *B = q->C + 9 * (j / 3) + j % 3, *at = g + j - j % 3;
    const vf along = vf_fma(at[0], B[0], vf_fma(at[1], B[3], at[2] * B[6]));
    return vf_select(problem_has(p, j / 3), own * along, zero);
}

/* What newton_assemble does for the scalar rows, first and last. */
static void newton_rows_open(const problem *p, const newton *q) {
    const vf zero = vf_zero();
    const int first = 3 * p->n;
    for (int e = 9 * p->n; e < 9 * blocks_count(p); e++) q->C[e] = zero;
    for (int i = first; i < 3 * blocks_count(p); i++) q->dx[i] = q->u[i] = zero;
    for (int k = 0; k < p->rows.n; k++) {
        const int i = first + k;
        const vm has = problem_has_row(p, k);
        vf C;
        const vf P = newton_row(p, q, k, q->w[i], &C);
        q->dx[i] = vf_select(has, q->x[i] - P, zero);
        q->C[9 * (i / 3) + 4 * (i % 3)] = vf_select(has, C, zero);
    }
}
static void newton_rows_close(const problem *p, const newton *q, vf *H) {
    for (int i = p->n; i < blocks_count(p); i++)
        for (int k = 0; k <= i; k++, H += 9)
            for (int e = 0; e < 9; e++) H[e] = newton_row_entry(p, q, 3 * i + e / 3, 3 * k + e % 3);
    for (int k = 0; k < p->rows.n; k++) {
        const int i = 3 * p->n + k;
        q->u[i] = -(q->C[9 * (i / 3) + 4 * (i % 3)] * q->dw[i]);
    }
}

/* r = x - P(w) into dx, C; the step's matrix and its right side. */
static void newton_assemble(const problem *p, const newton *q) {
    const vf zero = vf_zero(), one = vf_set(1);
    const int n = p->n;
    for (int i = 0; i < n; i++) {
        const vm has = problem_has(p, i);
        const newton_contact k = newton_project(p->mu[i], q->soft[2 * i], q->soft[2 * i + 1], v3_load(q->w + 3 * i));
        v3_store(q->dx + 3 * i, v3_select(has, v3_sub(v3_load(q->x + 3 * i), k.P), v3_zero()));
        const vf C[9] = {k.p1 * k.tx, -(k.p2 * k.ty), zero, k.p1 * k.ty, k.p2 * k.tx, zero, k.q1, zero, k.q3};
        UNROLL for (int e = 0; e < 9; e++) q->C[9 * i + e] = vf_select(has, C[e], zero);
    }
    newton_rows_open(p, q);
    newton_multiply(p, q, q->dx, q->dw);
    vf *H = q->H;
    for (int i = 0; i < n; i++) {
        const vf *A = q->C + 9 * i;
        for (int k = 0; k <= i; k++, H += 9) {
            const vf *B = q->C + 9 * k, *g = problem_block(p, i, k);
            vf G[9], GB[9];
            UNROLL for (int e = 0; e < 9; e++) G[e] = vf_select(vm_and(problem_has(p, i), problem_has(p, k)), g[e], zero);
            if (k == i) G[0] = G[0] - q->soft[2 * i], G[4] = G[4] - q->soft[2 * i], G[8] = G[8] - q->soft[2 * i + 1];
            UNROLL for (int r = 0; r < 3; r++) {
                UNROLL for (int e = 0; e < 3; e++) {
                    GB[3 * r + e] = vf_fma(G[3 * r], B[e], vf_fma(G[3 * r + 1], B[3 + e], G[3 * r + 2] * B[6 + e]));
                }
            }
            UNROLL for (int r = 0; r < 3; r++) {
                UNROLL for (int e = 0; e < 3; e++) H[3 * r + e] = vf_fma(A[r], GB[e], vf_fma(A[3 + r], GB[3 + e], A[6 + r] * GB[6 + e]));
            }
        }
        UNROLL for (int e = 0; e < 9; e += 4)(H - 9)[e] = (H - 9)[e] + one;
        const v3 y = m3_mul_t(A, v3_load(q->dw + 3 * i));
        v3_store(q->u + 3 * i, (v3){-y.x, -y.y, -y.z});
    }
    newton_rows_close(p, q, H);
}

/* Slope of the energy at step h, its derivative, and the regularisation's part of the energy. */
typedef struct newton_slope {
    vf slope, bend, energy;
} newton_slope;

static newton_slope newton_along(const problem *p, const newton *q, vf h) {
    newton_slope s = {vf_zero(), vf_zero(), vf_zero()};
    for (int i = 0; i < p->n; i++) {
        const v3 dw = v3_load(q->dw + 3 * i), dx = v3_load(q->dx + 3 * i), w = v3_fma(h, dw, v3_load(q->w + 3 * i));
        const newton_contact k = newton_project(p->mu[i], q->soft[2 * i], q->soft[2 * i + 1], w);
        const vm has = problem_has(p, i);
        const vf along = vf_fma(k.tx, dw.x, k.ty * dw.y), across = vf_fms(k.tx, dw.y, k.ty * dw.x);
        const vf first = vf_fma(k.p1, along, k.q1 * dw.z), second = k.p2 * across, third = k.q3 * dw.z;
        const vf bend = vf_fma(first, first, vf_fma(second, second, vf_fma(third, third, v3_dot(dw, dx))));
        const v3 r = v3_sub(v3_fma(h, dx, v3_load(q->x + 3 * i)), k.P);
        s.slope = s.slope + vf_select(has, v3_dot(dw, r), vf_zero());
        s.bend = s.bend + vf_select(has, bend, vf_zero());
        s.energy = s.energy + vf_select(has, v3_dot(k.P, newton_part(q, i, k.P)), vf_zero());
    }
    for (int k = 0; k < p->rows.n; k++) {
        const int i = 3 * p->n + k;
        const vm has = problem_has_row(p, k);
        const vf dw = q->dw[i], dx = q->dx[i], w = vf_fma(h, dw, q->w[i]), R = q->soft[2 * p->n + k];
        vf C;
        const vf P = newton_row(p, q, k, w, &C), first = C * dw, rub = vf_set(2) * p->rows.f[k] * vf_abs(vf_fma(R, P, w));
        s.slope = s.slope + vf_select(has, dw * (vf_fma(h, dx, q->x[i]) - P), vf_zero());
        s.bend = s.bend + vf_select(has, vf_fma(first, first, dw * dx), vf_zero());
        s.energy = s.energy + vf_select(has, vf_fma(R * P, P, rub), vf_zero());
    }
    return s;
}

/* Where the slope vanishes: Newton on it from h = 1, kept between what is known to lie on either side. */
static vf newton_search_exact(const problem *p, const newton *q, vm todo) {
    const vf zero = vf_zero(), one = vf_set(1), half = vf_set((real)0.5), two = vf_set(2);
    const vf begin = vf_abs(newton_along(p, q, zero).slope), enough = vf_set((real)(MYR_DOUBLE ? 1e-8 : 1e-3)) * begin;
    vf low = zero, high = vf_set((real)__builtin_inf()), h = one;
    todo = vm_and(todo, vm_gt(begin, zero));
    for (int step = 0; step < NEWTON_SEARCH && vm_any(todo); step++) {
        const newton_slope s = newton_along(p, q, h);
        todo = vm_and(todo, vm_gt(vf_abs(s.slope), enough)); /* false for NaN */
        const vm right = vm_gt(s.slope, zero);
        high = vf_select(right, h, high);
        low = vf_select(right, low, h);
        const vf next = h - s.slope / s.bend, open = vf_min(next, two * h + two);
        const vm bounded = vm_finite(high), inside = vm_and(vm_gt(next, low), vm_lt(next, high));
        const vf better = vf_select(bounded, vf_select(inside, next, half * (low + high)), vf_select(inside, open, two * h));
        todo = vm_andnot(todo, vm_eq(better, h));
        h = vf_select(todo, better, h);
    }
    return h;
}

/* Armijo's condition with 1e-4. Where the two energies differ by less than their rounding, the slope says whether the step goes down. */
static vf newton_search_armijo(const problem *p, const newton *q, vm todo) {
    const vf zero = vf_zero(), half = vf_set((real)0.5), share = vf_set((real)1e-4);
    const newton_slope begin = newton_along(p, q, zero);
    vf h = vf_set(1), quadratic = zero, linear = zero;
    for (int i = 0; i < 3 * p->n; i++) {
        const vm has = problem_has(p, i / 3);
        linear = linear + vf_select(has, q->dw[i] * q->x[i], zero);
        quadratic = quadratic + vf_select(has, q->dw[i] * q->dx[i], zero);
    }
    for (int k = 0; k < p->rows.n; k++) { /* zero where the lane has no such row */
        const int i = 3 * p->n + k;
        linear = vf_fma(q->dw[i], q->x[i], linear);
        quadratic = vf_fma(q->dw[i], q->dx[i], quadratic);
    }
    for (int step = 0; step < NEWTON_SEARCH && vm_any(todo); step++) {
        const newton_slope s = newton_along(p, q, h);
        const vf change = vf_fma(half, s.energy - begin.energy, h * vf_fma(half * h, quadratic, linear));
        const vf size = half * (s.energy + begin.energy) + vf_abs(h * linear) + h * h * vf_abs(quadratic);
        const vm blurred = vm_le(vf_abs(change), vf_set((real)(16 * MYR_EPSILON)) * size);
        const vm lower = vm_le(change, share * h * begin.slope), turned = vm_le(s.slope, -(begin.slope - share * begin.slope));
        todo = vm_andnot(todo, vm_or(lower, vm_and(blurred, turned)));
        h = vf_select(todo, vf_set((real)0.8) * h, h);
    }
    return h;
}

static void newton_solve(problem *p, const myr_solve_options *o, const newton_wish *wish) {
    packed_rows packed = {0};
    vf *memory = p->rows.n > 1 ? rows_pack(p, &packed, p->scratch, 1) : p->scratch;
    const int n = p->n, m = p->rows.n, blocks = blocks_count(p), first = 3 * n;
    const newton q = {memory,
                      memory + 3 * blocks,
                      memory + 6 * blocks,
                      memory + 9 * blocks,
                      memory + 12 * blocks,
                      memory + 15 * blocks,
                      memory + 24 * blocks,
                      memory + 24 * blocks + 2 * n + m};
    newton_soften(p, &q, wish, o);
    const vf bound = law_bound(p, o), zero = vf_zero(), one = vf_set(1);
    vf iterations = zero, best = vf_set((real)__builtin_inf()), since = zero;
    vm running = problem_lanes(p), stalled = vm_none(), met_before = vm_none();
    for (int i = 0; i < n; i++) v3_store(q.x + 3 * i, v3_select(problem_has(p, i), v3_load(p->lambda + 3 * i), v3_zero()));
    for (int k = 0; k < m; k++) q.x[first + k] = vf_select(problem_has_row(p, k), p->rows.lambda[k], zero);
    vm moving = running;
    for (int sweep = 0;; sweep++) {
        for (int i = 0; i < n; i++) {
            const vm mine = vm_and(moving, problem_has(p, i));
            const v3 w = v3_load(q.w + 3 * i), near = cone_project(p->mu[i], v3_load(q.x + 3 * i));
            const vm opens = vm_le(p->mu[i] * vf_sqrt(vf_fma(w.x, w.x, w.y * w.y)), w.z);
            const v3 answer = sweep > 0 ? v3_select(opens, v3_zero(), near) : near;
            v3_store(p->lambda + 3 * i, v3_select(mine, answer, v3_load(p->lambda + 3 * i)));
        }
        for (int k = 0; k < m; k++) {
            const vm mine = vm_and(moving, problem_has_row(p, k));
            p->rows.lambda[k] = vf_select(mine, row_reach(row_stairs(p, k), q.x[first + k]), p->rows.lambda[k]);
        }
        problem_velocity(p);
        law_measure(p, MYR_LAW_CCP);
        /* the step after the first that meets the bound mostly leaves nothing: it is worth taking */
        const vm met = vm_le(p->residual, bound), well = vm_le(p->residual, vf_set((real)0.01) * bound);
        running = vm_andnot(running, vm_or(well, vm_and(met, met_before)));
        met_before = met;
        const vm better = vm_lt(p->residual, vf_set((real)0.9) * best);
        best = vf_select(better, p->residual, best);
        since = vf_select(better, zero, since + one);
        if (sweep >= o->max_sweeps || !vm_any(running)) break;
        newton_multiply(p, &q, q.x, q.w);
        for (int k = 0; k < 3 * n; k++) q.w[k] = vf_select(problem_has(p, k / 3), q.w[k] + p->c[k], zero);
        for (int k = 0; k < m; k++) q.w[first + k] = vf_select(problem_has_row(p, k), q.w[first + k] + p->rows.c[k], zero);
        newton_assemble(p, &q);
        cholesky_factor(q.H, blocks);
        cholesky_solve(q.H, blocks, q.u);
        vf check = zero, step = zero, size = zero;
        for (int i = 0; i < n; i++) {
            const v3 Cu = m3_mul(q.C + 9 * i, v3_load(q.u + 3 * i)), r = v3_load(q.dx + 3 * i);
            const v3 dx = {-(r.x + Cu.x), -(r.y + Cu.y), -(r.z + Cu.z)};
            v3_store(q.dx + 3 * i, dx);
            check = check + (dx.x + dx.y + dx.z);
            step = vf_max(step, v3_size(dx));
            size = vf_max(size, v3_size(v3_load(q.x + 3 * i)));
        }
        for (int i = first; i < first + m; i++) {
            const vf dx = -vf_fma(q.C[9 * (i / 3) + 4 * (i % 3)], q.u[i], q.dx[i]);
            q.dx[i] = dx;
            check = check + dx;
            step = vf_max(step, vf_abs(dx));
            size = vf_max(size, vf_abs(q.x[i]));
        }
        newton_multiply(p, &q, q.dx, q.dw);
        const vf h = o->exact_search ? newton_search_exact(p, &q, running) : newton_search_armijo(p, &q, running);
        p->lanes_run += VN;
        p->lanes_busy += (uint64_t)__builtin_popcount(vm_bits(running));
        iterations = vf_select(running, iterations + one, iterations);
        for (int i = 0; i < n; i++) {
            const vm mine = vm_and(running, problem_has(p, i));
            v3_store(q.x + 3 * i, v3_select(mine, v3_fma(h, v3_load(q.dx + 3 * i), v3_load(q.x + 3 * i)), v3_load(q.x + 3 * i)));
            v3_store(q.w + 3 * i, v3_select(mine, v3_fma(h, v3_load(q.dw + 3 * i), v3_load(q.w + 3 * i)), v3_load(q.w + 3 * i)));
        }
        for (int k = 0, i = first; k < m; k++, i++) {
            const vm mine = vm_and(running, problem_has_row(p, k));
            q.x[i] = vf_select(mine, vf_fma(h, q.dx[i], q.x[i]), q.x[i]);
            q.w[i] = vf_select(mine, vf_fma(h, q.dw[i], q.w[i]), q.w[i]);
        }
        const vm still = vm_or(vm_le(step, vf_set((real)MYR_EPSILON) * size), vm_gt(since, vf_set(NEWTON_PATIENCE)));
        const vm ended = vm_and(running, vm_or(still, vm_not(vm_finite(check))));
        stalled = vm_or(stalled, ended);
        moving = running;
        running = vm_andnot(running, ended);
    }
    law_finish(p, bound, stalled, iterations, MYR_LAW_CCP);
    rows_unpack(p, &packed);
}

#endif
