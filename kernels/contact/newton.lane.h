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
 * The answer is x projected on the cone, not P(w): rounding of w comes into P divided by R. A contact that opens carries nothing. */
#ifndef MYR_KERNELS_CONTACT_NEWTON_LANE_H
#define MYR_KERNELS_CONTACT_NEWTON_LANE_H

#include "cholesky.lane.h"
#include "cone.lane.h"

/* Scratch: 26 n rows and a matrix, 9 n (n + 1) / 2. */
enum {
    NEWTON_SEARCH = 40,    /* steps of a line search */
    NEWTON_PATIENCE = 100, /* iterations without a better residual that end as `stalled` */
};

typedef struct newton {
    vf *x, *w, *dx, *dw, *u; /* 3 n each */
    vf *C;                   /* 9 n, row-major */
    vf *soft;                /* 2 n: R_T, R_N, what P knows of the problem's R */
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

/* y = G x without that part */
static void newton_multiply(const problem *p, const newton *q, const vf *x, vf *y) {
    blocks_multiply(p->G, p->n, x, y);
    for (int i = 0; i < p->n; i++)
        v3_store(y + 3 * i, v3_select(problem_has(p, i), v3_sub(v3_load(y + 3 * i), newton_part(q, i, v3_load(x + 3 * i))), v3_zero()));
}

/* R of a lane is raised to what the solver wants of it, and G with it. */
static void newton_soften(problem *p, const newton *q,
                          void (*wanted)(const problem *p, const myr_solve_options *o, vf weight, int i, vf R[3]),
                          const myr_solve_options *o) {
    const vf zero = vf_zero(), one = vf_set(1), third = vf_set((real)(1.0 / 3.0));
    vf most = zero;
    if (!p->compliant)
        for (int k = 0; k < 3 * p->n; k++) p->R[k] = zero;
    p->compliant = 1;
    for (int i = 0; i < p->n; i++) {
        const vf *g = problem_block(p, i, i), *R = p->R + 3 * i;
        most = vf_max(most, vf_select(problem_has(p, i), ((g[0] - R[0]) + (g[4] - R[1]) + (g[8] - R[2])) * third, zero));
    }
    const vf least = vf_select(vm_gt(most, zero), vf_set((real)1e-6) * most, one);
    for (int i = 0; i < p->n; i++) {
        vf *g = problem_block(p, i, i), *R = p->R + 3 * i, want[3];
        const vm has = problem_has(p, i);
        wanted(p, o, vf_max(((g[0] - R[0]) + (g[4] - R[1]) + (g[8] - R[2])) * third, least), i, want);
        for (int a = 0; a < 3; a++) {
            const vf more = vf_select(has, vf_max(want[a] - R[a], zero), zero);
            g[4 * a] = g[4 * a] + more;
            R[a] = vf_select(vm_gt(more, zero), R[a] + more, R[a]);
        }
        q->soft[2 * i] = vf_select(has, vf_min(R[0], R[1]), one);
        q->soft[2 * i + 1] = vf_select(has, R[2], one);
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

static void newton_solve(problem *p, const myr_solve_options *o,
                         void (*wanted)(const problem *p, const myr_solve_options *o, vf weight, int i, vf R[3])) {
    const int n = p->n;
    vf *memory = p->scratch;
    const newton q = {memory,          memory + 3 * n,  memory + 6 * n,  memory + 9 * n,
                      memory + 12 * n, memory + 15 * n, memory + 24 * n, memory + 26 * n};
    newton_soften(p, &q, wanted, o);
    const vf bound = law_bound(p, o), zero = vf_zero(), one = vf_set(1);
    vf iterations = zero, best = vf_set((real)__builtin_inf()), since = zero;
    vm running = vm_none(), stalled = vm_none(), met_before = vm_none();
    for (int i = 0; i < n; i++) {
        const vm has = problem_has(p, i);
        running = vm_or(running, has);
        v3_store(q.x + 3 * i, v3_select(has, v3_load(p->lambda + 3 * i), v3_zero()));
    }
    vm moving = running;
    for (int sweep = 0;; sweep++) {
        for (int i = 0; i < n; i++) {
            const vm mine = vm_and(moving, problem_has(p, i));
            const v3 w = v3_load(q.w + 3 * i), near = cone_project(p->mu[i], v3_load(q.x + 3 * i));
            const vm opens = vm_le(p->mu[i] * vf_sqrt(vf_fma(w.x, w.x, w.y * w.y)), w.z);
            const v3 answer = sweep > 0 ? v3_select(opens, v3_zero(), near) : near;
            v3_store(p->lambda + 3 * i, v3_select(mine, answer, v3_load(p->lambda + 3 * i)));
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
        newton_assemble(p, &q);
        cholesky_factor(q.H, n);
        cholesky_solve(q.H, n, q.u);
        vf check = zero, step = zero, size = zero;
        for (int i = 0; i < n; i++) {
            const v3 Cu = m3_mul(q.C + 9 * i, v3_load(q.u + 3 * i)), r = v3_load(q.dx + 3 * i);
            const v3 dx = {-(r.x + Cu.x), -(r.y + Cu.y), -(r.z + Cu.z)};
            v3_store(q.dx + 3 * i, dx);
            check = check + (dx.x + dx.y + dx.z);
            step = vf_max(step, v3_size(dx));
            size = vf_max(size, v3_size(v3_load(q.x + 3 * i)));
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
        const vm still = vm_or(vm_le(step, vf_set((real)MYR_EPSILON) * size), vm_gt(since, vf_set(NEWTON_PATIENCE)));
        const vm ended = vm_and(running, vm_or(still, vm_not(vm_finite(check))));
        stalled = vm_or(stalled, ended);
        moving = running;
        running = vm_andnot(running, ended);
    }
    law_finish(p, bound, stalled, iterations, MYR_LAW_CCP);
}

#endif
