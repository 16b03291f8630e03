/* ipm-diamond: the interior point of Brüdigam 2021, whose friction cone is the diamond |lambda_x| + |lambda_y| <= mu
 * lambda_N. Per contact, with beta >= 0 the parts of lambda_T along the rows b of B, +x, +y, -x, -y, and psi the slip speed that they
 * share, B w_T + 1 psi - eta = 0,   0 <= mu gamma - 1'beta _|_ psi >= 0,   0 <= beta _|_ eta >= 0,   0 <= w_N _|_ gamma >= 0. With D_k =
 * beta_k / eta_k, the slack s of mu gamma - 1'beta, and per axis k_x = 1 / (D_0 + D_2), v_x = (D_0 - D_2) k_x, likewise y, what is left
 * when the slacks are eliminated is dpsi = (v'dlambda_T - mu dgamma + g) / e,    e = s / psi + 4 D_0 D_2 k_x + 4 D_1 D_3 k_y, dw_T +
 * diag(k) dlambda_T + v dpsi = k t,     t = -(r_0 / eta_0 - r_2 / eta_2), likewise y, so that P_TT = diag(k) + v v' / e and P_TN = -mu v /
 * e: no difference of large numbers in it. The tangents turn to v. */
#if defined(MYR_SOLVER)
MYR_SOLVER(IPM_DIAMOND, "ipm-diamond", solve_ipm_diamond, DIAMOND, 300,
           9 * b * (b + 1) / 2 + 9 * b * b + 38 * b + 32 * n + 29 * m + 3 * n * m + m * (m + 1) / 2)
#elif !defined(MYR_KERNELS_CONTACT_IPM_DIAMOND_LANE_H)
#define MYR_KERNELS_CONTACT_IPM_DIAMOND_LANE_H

#include "ipm_solve.lane.h"

enum {
    DIAMOND_BETA = IPM_MORE,
    DIAMOND_ETA = DIAMOND_BETA + 4,
    DIAMOND_PSI = DIAMOND_ETA + 4,
    DIAMOND_S,
    DIAMOND_STEPS = 10,                        /* of these ten lie behind them */
    DIAMOND_M = DIAMOND_S + DIAMOND_STEPS + 1, /* of dbeta_k = m_k - D_k (b_k w_T + dpsi) */
    DIAMOND_G = DIAMOND_M + 4,
    DIAMOND_V, /* |v| */
    DIAMOND_E,
    DIAMOND_T /* of ds = t - s dpsi / psi */
};

static inline vf diamond_along(int k, vf x, vf y) { return k == 0 ? x : k == 1 ? y : k == 2 ? -x : -y; }
static inline vf diamond_scale(const ipm *a, int i) { return a->p->mu[i] * ipm_scale(a, i); }

static void ipm_diamond_start(ipm *a, int i, vm todo, vf delta) {
    const vf one = vf_set(1), zero = vf_zero();
    const v3 l = v3_load(a->p->lambda + 3 * i);
    const vf z = vf_max(l.z, zero) + delta * a->speed / a->mobility[3 * i], limit = vf_set((real)0.5) * a->p->mu[i] * z;
    const vf sum = vf_abs(l.x) + vf_abs(l.y), shrink = vf_select(vm_gt(sum, limit), limit / vf_select(vm_gt(sum, limit), sum, one), one);
    const vf inside = vf_select(ipm_rough(a, i), shrink, zero);
    const v3 x = {inside * l.x, inside * l.y, z};
    v3_store(a->x + 3 * i, v3_select(todo, v3_select(problem_has(a->p, i), x, v3_zero()), v3_load(a->x + 3 * i)));
}

static void ipm_diamond_begin(ipm *a, int i, vm todo, vf delta) {
    const vm rough = vm_and(problem_has(a->p, i), ipm_rough(a, i));
    const vf one = vf_set(1), zero = vf_zero(), x = a->x[3 * i], y = a->x[3 * i + 1], wx = a->w[3 * i], wy = a->w[3 * i + 1];
    const vf left = vf_fms(a->p->mu[i], a->x[3 * i + 2], vf_abs(x) + vf_abs(y));
    const vf psi = vf_fma(delta, a->speed, vf_max(vf_abs(wx), vf_abs(wy)));
    vf *q = ipm_state(a, i);
    ipm_normal_begin(a, i, todo, delta);
    for (int k = 0; k < 4; k++) {
        const vf beta = vf_fma(vf_set((real)0.125), left, vf_max(diamond_along(k, x, y), zero));
        ipm_put(&q[DIAMOND_BETA + k], todo, vf_select(rough, beta, one));
        ipm_put(&q[DIAMOND_ETA + k], todo, vf_select(rough, diamond_along(k, wx, wy) + psi, one));
    }
    ipm_put(&q[DIAMOND_PSI], todo, vf_select(rough, psi, one));
    ipm_put(&q[DIAMOND_S], todo, vf_select(rough, vf_set((real)0.5) * left, one));
}

/* Of one axis: k, v, and 4 D_+ D_- k = 4 / (1 / D_+ + 1 / D_-). */
typedef struct diamond_axis {
    vf k, v, both;
} diamond_axis;

static inline diamond_axis diamond_axis_of(const vf *q, int e) {
    const vf one = vf_set(1), *beta = q + DIAMOND_BETA + e, *eta = q + DIAMOND_ETA + e;
    const vf plus = beta[0] / eta[0], minus = beta[2] / eta[2], k = one / (plus + minus);
    return (diamond_axis){k, (plus - minus) * k, vf_set(4) / (eta[0] / beta[0] + eta[2] / beta[2])};
}

static void ipm_diamond_open(ipm *a, int i) {
    const vm has = problem_has(a->p, i), rough = vm_and(has, ipm_rough(a, i));
    const vf zero = vf_zero(), mu = a->p->mu[i];
    vf *q = ipm_state(a, i), *P = ipm_local(a, i);
    const diamond_axis x = diamond_axis_of(q, 0), y = diamond_axis_of(q, 1);
    ipm_normal_open(a, i, has);
    ipm_turn(a, i, vf_select(rough, x.v, zero), vf_select(rough, y.v, zero));
    const vf c = a->turn[2 * i], s = a->turn[2 * i + 1], v = vf_sqrt(vf_fma(x.v, x.v, y.v * y.v));
    const vf e = q[DIAMOND_S] / q[DIAMOND_PSI] + x.both + y.both, push = v / e;
    q[DIAMOND_V] = v, q[DIAMOND_E] = e;
    P[0] = vf_select(rough, vf_fma(c * c, x.k, vf_fma(s * s, y.k, v * push)), zero);
    P[1] = P[3] = vf_select(rough, c * s * (y.k - x.k), zero);
    P[2] = vf_select(rough, -(mu * push), zero);
    P[4] = vf_select(rough, vf_fma(s * s, x.k, c * c * y.k), zero);
    ipm_smooth(a, i, vm_andnot(has, rough));
}

static void ipm_diamond_pairs(ipm *a, int i, vf step, ipm_pairs *sum) {
    const vm has = problem_has(a->p, i), rough = vm_and(has, ipm_rough(a, i));
    const vf *q = ipm_state(a, i), one = vf_set(1), inverse = one / vf_select(rough, diamond_scale(a, i), one);
    vf now[DIAMOND_STEPS];
    for (int e = 0; e < DIAMOND_STEPS; e++) now[e] = vf_fma(step, q[DIAMOND_BETA + DIAMOND_STEPS + e], q[DIAMOND_BETA + e]);
    ipm_normal_pairs(a, i, has, step, sum);
    for (int k = 0; k < 4; k++) ipm_pair(sum, rough, now[k] * now[4 + k], inverse, a->sigma);
    ipm_pair(sum, rough, now[8] * now[9], inverse, a->sigma);
}

static void ipm_diamond_right(ipm *a, int i) {
    const vm has = problem_has(a->p, i), rough = vm_and(has, ipm_rough(a, i));
    vf *q = ipm_state(a, i), *u = a->u + 3 * i;
    const vf zero = vf_zero(), one = vf_set(1), two = vf_set(2), target = a->sigma * diamond_scale(a, i), psi = q[DIAMOND_PSI];
    const vf *d = q + DIAMOND_STEPS, *beta = q + DIAMOND_BETA, *eta = q + DIAMOND_ETA, *m = q + DIAMOND_M;
    const diamond_axis x = diamond_axis_of(q, 0), y = diamond_axis_of(q, 1);
    vf sum = zero;
    for (int k = 0; k < 4; k++) {
        const vf bend = vf_select(a->second, d[DIAMOND_BETA + k] * d[DIAMOND_ETA + k], zero);
        const vf gap = eta[k] - diamond_along(k, a->w[3 * i], a->w[3 * i + 1]) - psi; /* rounding alone */
        q[DIAMOND_M + k] = (target - bend - beta[k] * (eta[k] - gap)) / eta[k];
        sum = sum + beta[k];
    }
    /* What the betas are off lambda, by rounding: lambda goes with w, and sticking betas are worth 1e9 times their velocities. */
    const vf off_x = a->x[3 * i] - (beta[0] - beta[2]), off_y = a->x[3 * i + 1] - (beta[1] - beta[3]);
    /* what the betas together take, less what goes with the steps of lambda and of psi */
    const vf all = two * (x.k * (vf_fma(beta[2] / eta[2], m[0], beta[0] / eta[0] * m[2])) +
                          y.k * (vf_fma(beta[3] / eta[3], m[1], beta[1] / eta[1] * m[3])));
    const vf bend = vf_select(a->second, d[DIAMOND_PSI] * d[DIAMOND_S], zero);
    const vf gap = q[DIAMOND_S] - vf_fms(a->p->mu[i], a->x[3 * i + 2], sum);
    const vf g = vf_fma(x.v, off_x, vf_fma(y.v, off_y, all)) + gap + (target - bend) / psi - q[DIAMOND_S];
    const vf hx = x.k * (m[0] - m[2] - off_x), hy = y.k * (m[1] - m[3] - off_y), c = a->turn[2 * i], s = a->turn[2 * i + 1];
    q[DIAMOND_G] = g, q[DIAMOND_T] = (target - bend) / psi - q[DIAMOND_S];
    ipm_normal_right(a, i, has);
    u[0] = vf_select(rough, vf_fma(c, hx, s * hy) - q[DIAMOND_V] * g / vf_select(rough, q[DIAMOND_E], one), zero);
    u[1] = vf_select(rough, vf_fms(c, hy, s * hx), zero);
}

/* Of an axis, the beta that gives way more has its step from that of lambda, and eta from their product: by the other equation, rounding of
 * a velocity would come into it times beta / eta. */
static inline void diamond_steps(vf *q, int e, vf dw, vf psi, vf w, vf dlambda, vm rough) {
    const vf zero = vf_zero(), *beta = q + DIAMOND_BETA, *eta = q + DIAMOND_ETA, *m = q + DIAMOND_M;
    vf *d = q + DIAMOND_STEPS, dbeta[2], deta[2];
    const vm first = vm_gt(beta[e] * eta[e + 2], beta[e + 2] * eta[e]); /* the one along +: does it give way more? */
    for (int k = 0; k < 2; k++) {
        const int at = e + 2 * k;
        deta[k] = (k ? -dw : dw) + psi - (eta[at] - (k ? -w : w) - q[DIAMOND_PSI]);
        dbeta[k] = vf_fnma(beta[at] / eta[at], (k ? -dw : dw) + psi, m[at]);
    }
    for (int k = 0; k < 2; k++) {
        const int at = e + 2 * k;
        const vm most = k ? vm_not(first) : first;
        const vf rest = dbeta[!k] + (k ? -dlambda : dlambda), gap = eta[at] - (k ? -w : w) - q[DIAMOND_PSI];
        const vf other = eta[at] / beta[at] * (m[at] - rest) - gap;
        d[DIAMOND_BETA + at] = vf_select(rough, vf_select(most, rest, dbeta[k]), zero);
        d[DIAMOND_ETA + at] = vf_select(rough, vf_select(most, other, deta[k]), zero);
    }
}

static vf ipm_diamond_back(ipm *a, int i, vf reach) {
    const vm has = problem_has(a->p, i), rough = vm_and(has, ipm_rough(a, i));
    const vf zero = vf_zero(), one = vf_set(1), *u = a->u + 3 * i, *dw = a->dw + 3 * i, *w = a->w + 3 * i, *x = a->x + 3 * i;
    vf *q = ipm_state(a, i), *d = q + DIAMOND_STEPS, *beta = q + DIAMOND_BETA;
    const vf psi = (vf_fma(q[DIAMOND_V], u[0], q[DIAMOND_G]) - a->p->mu[i] * u[2]) / vf_select(rough, q[DIAMOND_E], one);
    diamond_steps(q, 0, dw[0], psi, w[0], a->dx[3 * i] + (x[0] - (beta[0] - beta[2])), rough);
    diamond_steps(q, 1, dw[1], psi, w[1], a->dx[3 * i + 1] + (x[1] - (beta[1] - beta[3])), rough);
    d[DIAMOND_PSI] = vf_select(rough, psi, zero);
    d[DIAMOND_S] = vf_select(rough, vf_fnma(q[DIAMOND_S] / q[DIAMOND_PSI], psi, q[DIAMOND_T]), zero);
    reach = ipm_normal_back(a, i, has, reach);
    for (int e = DIAMOND_BETA; e <= DIAMOND_S; e++) reach = ipm_reach(reach, vf_select(rough, q[e], one), d[e]);
    return reach;
}

static void ipm_diamond_move(ipm *a, int i, vm todo, vf step) {
    vf *q = ipm_state(a, i), *x = a->x + 3 * i;
    for (int e = DIAMOND_BETA; e <= DIAMOND_S; e++) ipm_put(&q[e], todo, vf_fma(step, q[DIAMOND_STEPS + e], q[e]));
    ipm_put(&q[IPM_S], todo, vf_fma(step, q[IPM_DS], q[IPM_S]));
    for (int e = 0; e < 3; e++) ipm_put(&x[e], todo, vf_fma(step, a->dx[3 * i + e], x[e]));
}

/* Open where lambda_N - w_N / D <= 0; else the tangent is where y = lambda_T - w_T / D is projected: inside the diamond it sticks; on a
 * side its part along the side does, and the sum of both is mu lambda_N; at a corner one is mu lambda_N and the other 0. */
static void ipm_diamond_active(ipm *a, int i) {
    const vm has = problem_has(a->p, i);
    const vf one = vf_set(1), zero = vf_zero(), mu = a->p->mu[i], D = a->mobility[3 * i], rho = one / D;
    const v3 l = v3_load(a->p->lambda + 3 * i), w = v3_load(a->p->w + 3 * i), y = v3_fma(-rho, w, l);
    const vf limit = vf_max(mu * y.z, zero), sx = vf_select(vm_lt(y.x, zero), -one, one), sy = vf_select(vm_lt(y.y, zero), -one, one);
    const vf ax = vf_abs(y.x), ay = vf_abs(y.y);
    const vm open = vm_andnot(has, vm_gt(y.z, zero)), slide = vm_and(vm_andnot(has, open), vm_gt(ax + ay, limit));
    const vm along_x = vm_ge(ax - ay, limit), along_y = vm_ge(ay - ax, limit), corner = vm_and(slide, vm_or(along_x, along_y));
    vf *P = ipm_local(a, i), *u = a->u + 3 * i, *keep = a->keep + 3 * i;
    ipm_turn(a, i, vf_select(slide, vf_select(vm_andnot(along_y, along_x), zero, sx), zero),
             vf_select(slide, vf_select(along_x, zero, sy), zero));
    const v3 tl = ipm_turned(a, i, l), tw = ipm_turned(a, i, w);
    /* the distance of the side, or of the corner, for lambda_N = 1 */
    const vf far = mu * vf_select(corner, one, vf_set((real)0.70710678118654752));
    ipm_clear(P, 9);
    keep[0] = vf_select(vm_or(open, slide), zero, one);
    keep[1] = vf_select(vm_or(open, corner), zero, one);
    keep[2] = vf_select(open, zero, one);
    P[0] = vf_select(vm_or(open, slide), D, zero);
    P[2] = vf_select(slide, -(far * D), zero);
    P[4] = vf_select(vm_or(open, corner), D, zero);
    P[8] = vf_select(open, D, zero);
    u[0] = vf_select(open, -(D * tl.x), vf_select(slide, D * vf_fms(far, tl.z, tl.x), -tw.x));
    u[1] = vf_select(vm_or(open, corner), -(D * tl.y), -tw.y);
    u[2] = vf_select(open, -(D * tl.z), -tw.z);
    for (int e = 0; e < 3; e++) u[e] = vf_select(has, u[e], zero);
}

static void solve_ipm_diamond(problem *p, const myr_solve_options *o) {
    static const ipm_cone diamond = {MYR_LAW_DIAMOND,   ipm_diamond_start, ipm_diamond_begin, ipm_diamond_open,  ipm_diamond_pairs,
                                     ipm_diamond_right, ipm_diamond_back,  ipm_diamond_move,  ipm_diamond_active};
    ipm_solve(p, o, &diamond);
}

#endif
