/* The second-order cone in an interior point (ipm.lane.h), as Dojo has it (Howell et al. 2022) in place of the pyramid of
 * Brüdigam 2021. Per contact, beside gamma = lambda_N >= 0 _|_ w_N >= 0,
 *     b = (mu gamma, lambda_T) and t = (t0, w_T) in the cone b0 >= |b_T|,   b o t = (b.t, b0 t_T + t0 b_T) = 0,
 * which is maximum dissipation: t0 comes out as |w_T|. The relaxed product is sigma (1, 0, 0). Linearised, with dt0 eliminated,
 *     (t0 - b_T t_T' / b0) db_T + (b0 - b_T b_T' / b0) dt_T + (t_T - b_T t0 / b0) mu dgamma = r_T - b_T r_0 / b0,
 * and along b_T and across it the second factor is diagonal, (b0 - |b_T|) (b0 + |b_T|) / b0 and b0: P is found without cancellation but
 * for the gap b0 - |b_T|. */
#ifndef MYR_KERNELS_CONTACT_IPM_CONE_LAW_LANE_H
#define MYR_KERNELS_CONTACT_IPM_CONE_LAW_LANE_H

#include "ipm.lane.h"

enum { CONE_T0 = IPM_MORE, CONE_TX, CONE_TY, CONE_B0, CONE_BL, CONE_GAP, CONE_TU, CONE_TP, CONE_DT0, CONE_DTU, CONE_DTP, CONE_R0 };

static inline void ipm_cone_start(ipm *a, int i, vm todo, vf delta) {
    const vf one = vf_set(1), zero = vf_zero(), mu = a->p->mu[i];
    const v3 l = v3_load(a->p->lambda + 3 * i);
    const vf z = vf_max(l.z, zero) + delta * a->speed / a->mobility[3 * i], limit = vf_set((real)0.9) * mu * z;
    const vf t = vf_sqrt(vf_fma(l.x, l.x, l.y * l.y)), shrink = vf_select(vm_gt(t, limit), limit / vf_max(t, limit), one);
    const vf inside = vf_select(ipm_rough(a, i), vf_select(vm_gt(t, zero), shrink, one), zero);
    const v3 x = {inside * l.x, inside * l.y, z};
    v3_store(a->x + 3 * i, v3_select(todo, v3_select(problem_has(a->p, i), x, v3_zero()), v3_load(a->x + 3 * i)));
}

static inline void ipm_cone_begin(ipm *a, int i, vm todo, vf delta) {
    vf *q = ipm_state(a, i);
    const vf x = a->w[3 * i], y = a->w[3 * i + 1];
    ipm_normal_begin(a, i, todo, delta);
    ipm_put(&q[CONE_TX], todo, x);
    ipm_put(&q[CONE_TY], todo, y);
    ipm_put(&q[CONE_T0], todo, vf_fma(delta, a->speed, vf_sqrt(vf_fma(x, x, y * y))));
}

static inline void ipm_cone_open(ipm *a, int i) {
    const vm has = problem_has(a->p, i), rough = vm_and(has, ipm_rough(a, i));
    const vf one = vf_set(1), zero = vf_zero(), mu = a->p->mu[i], *x = a->x + 3 * i;
    vf *q = ipm_state(a, i), *P = ipm_local(a, i);
    ipm_normal_open(a, i, has);
    ipm_turn(a, i, vf_select(rough, x[0], zero), vf_select(rough, x[1], zero));
    const v3 t = ipm_turned(a, i, (v3){q[CONE_TX], q[CONE_TY], zero});
    const vf b0 = vf_select(rough, mu * x[2], one), bl = vf_select(rough, vf_sqrt(vf_fma(x[0], x[0], x[1] * x[1])), zero);
    const vf gap = vf_max(b0 - bl, vf_set((real)MYR_EPSILON) * b0), t0 = q[CONE_T0], share = bl / b0;
    const vf along = b0 / (gap * (b0 + bl)), across = one / b0;
    q[CONE_B0] = b0, q[CONE_BL] = bl, q[CONE_TU] = t.x, q[CONE_TP] = t.y, q[CONE_GAP] = gap;
    P[0] = vf_select(rough, along * vf_fnma(share, t.x, t0), zero);
    P[1] = vf_select(rough, -(along * share * t.y), zero);
    P[2] = vf_select(rough, along * mu * vf_fnma(share, t0, t.x), zero);
    P[4] = vf_select(rough, across * t0, zero);
    P[5] = vf_select(rough, across * mu * t.y, zero);
    ipm_smooth(a, i, vm_andnot(has, rough));
}

static inline void ipm_cone_pairs(ipm *a, int i, vf step, ipm_pairs *sum) {
    const vm has = problem_has(a->p, i), rough = vm_and(has, ipm_rough(a, i));
    const vf *q = ipm_state(a, i), *u = a->u + 3 * i, mu = a->p->mu[i], zero = vf_zero();
    const vf b0 = vf_fma(step, mu * u[2], q[CONE_B0]), bu = vf_fma(step, u[0], q[CONE_BL]), bp = step * u[1];
    const vf t0 = vf_fma(step, q[CONE_DT0], q[CONE_T0]), tu = vf_fma(step, q[CONE_DTU], q[CONE_TU]),
             tp = vf_fma(step, q[CONE_DTP], q[CONE_TP]);
    const vf inverse = vf_set(1) / (ipm_scale(a, i) * vf_select(rough, mu, vf_set(1)));
    const vf off_u = vf_select(rough, inverse * vf_fma(b0, tu, t0 * bu), zero),
             off_p = vf_select(rough, inverse * vf_fma(b0, tp, t0 * bp), zero);
    ipm_normal_pairs(a, i, has, step, sum);
    ipm_pair(sum, rough, vf_fma(b0, t0, vf_fma(bu, tu, bp * tp)), inverse, a->sigma);
    sum->off2 = vf_fma(off_u, off_u, vf_fma(off_p, off_p, sum->off2));
}

static inline void ipm_cone_right(ipm *a, int i) {
    const vm has = problem_has(a->p, i), rough = vm_and(has, ipm_rough(a, i));
    vf *q = ipm_state(a, i), *u = a->u + 3 * i;
    const vf zero = vf_zero(), mu = a->p->mu[i], b0 = q[CONE_B0], bl = q[CONE_BL], t0 = q[CONE_T0], tu = q[CONE_TU], tp = q[CONE_TP];
    const vf d0 = mu * u[2], du = u[0], dp = u[1], e0 = q[CONE_DT0], eu = q[CONE_DTU], ep = q[CONE_DTP];
    const vf bend0 = vf_select(a->second, vf_fma(d0, e0, vf_fma(du, eu, dp * ep)), zero);
    const vf bendu = vf_select(a->second, vf_fma(d0, eu, e0 * du), zero), bendp = vf_select(a->second, vf_fma(d0, ep, e0 * dp), zero);
    const v3 gap = ipm_turned(a, i, (v3){q[CONE_TX] - a->w[3 * i], q[CONE_TY] - a->w[3 * i + 1], zero}); /* rounding alone */
    const vf r0 = vf_fms(a->sigma * mu, ipm_scale(a, i), vf_fma(b0, t0, bl * tu)) - bend0;
    const vf ru = -vf_fma(b0, tu, t0 * bl) - bendu, rp = -(b0 * tp) - bendp;
    q[CONE_R0] = r0;
    ipm_normal_right(a, i, has);
    u[0] = vf_select(rough, vf_fma(vf_fnma(bl / b0, r0, ru), b0 / (q[CONE_GAP] * (b0 + bl)), gap.x), zero);
    u[1] = vf_select(rough, rp / b0 + gap.y, zero);
}

/* 1 / (step along d that leads from x, whose gap to the cone's edge is x_0 - x_u - .., to the edge): the larger root z of C z^2 + 2 B z +
 * A, where A, B, C are the cone's form of d, of both, and of x. */
static inline vf ipm_cone_reach(vf C, vf B, v3 d) {
    const vf zero = vf_zero(), A = vf_fms(d.x, d.x, vf_fma(d.y, d.y, d.z * d.z)); /* d = (0, u, p) */
    const vf inside = vf_fms(B, B, A * C), root = vf_sqrt(vf_max(inside, zero));
    const vf z = vf_select(vm_gt(B, zero), -A / (B + root), (root - B) / C);
    return vf_select(vm_lt(inside, zero), zero, z);
}

static inline vf ipm_cone_back(ipm *a, int i, vf reach) {
    const vm has = problem_has(a->p, i), rough = vm_and(has, ipm_rough(a, i));
    vf *q = ipm_state(a, i);
    const vf zero = vf_zero(), one = vf_set(1), mu = a->p->mu[i], b0 = q[CONE_B0], bl = q[CONE_BL], t0 = q[CONE_T0], tu = q[CONE_TU],
             tp = q[CONE_TP];
    const v3 d = {mu * a->u[3 * i + 2], a->u[3 * i], a->u[3 * i + 1]}; /* of b */
    const v3 dw = ipm_turned(a, i, v3_load(a->dw + 3 * i));
    const v3 gap = ipm_turned(a, i, (v3){q[CONE_TX] - a->w[3 * i], q[CONE_TY] - a->w[3 * i + 1], zero});
    const vf eu = dw.x - gap.x, ep = dw.y - gap.y;
    const vf e0 = (q[CONE_R0] - vf_fma(t0, d.x, vf_fma(bl, eu, vf_fma(tu, d.y, tp * d.z)))) / b0;
    q[CONE_DT0] = vf_select(rough, e0, zero), q[CONE_DTU] = vf_select(has, eu, zero), q[CONE_DTP] = vf_select(has, ep, zero);
    reach = ipm_normal_back(a, i, has, reach);
    const vf b_form = vf_select(rough, q[CONE_GAP] * (b0 + bl), one), b_both = vf_fma(q[CONE_GAP], d.x, bl * (d.x - d.y));
    const vf size = vf_sqrt(vf_fma(tu, tu, tp * tp)), near = vf_max(t0 - size, vf_set((real)MYR_EPSILON) * t0);
    const vf t_form = vf_select(rough, near * (t0 + size), one), t_both = vf_fms(t0, e0, vf_fma(tu, eu, tp * ep));
    const vf first = ipm_cone_reach(b_form, b_both, d), other = ipm_cone_reach(t_form, t_both, (v3){e0, eu, ep});
    return vf_max(reach, vf_select(rough, vf_max(first, other), zero));
}

static inline void ipm_cone_move(ipm *a, int i, vm todo, vf step) {
    vf *q = ipm_state(a, i), *x = a->x + 3 * i;
    const v3 d = ipm_turned_back(a, i, (v3){q[CONE_DTU], q[CONE_DTP], vf_zero()});
    for (int e = 0; e < 3; e++) ipm_put(&x[e], todo, vf_fma(step, a->dx[3 * i + e], x[e]));
    ipm_put(&q[IPM_S], todo, vf_fma(step, q[IPM_DS], q[IPM_S]));
    ipm_put(&q[CONE_T0], todo, vf_fma(step, q[CONE_DT0], q[CONE_T0]));
    ipm_put(&q[CONE_TX], todo, vf_fma(step, d.x, q[CONE_TX]));
    ipm_put(&q[CONE_TY], todo, vf_fma(step, d.y, q[CONE_TY]));
}

/* Open where lambda_N - w_N / D <= 0; stick where the tangent, too, stays in the disc of what is left; else
 * lambda_T = mu lambda_N e, e along y = lambda_T - w_T / D, which turns across e by the part of dy, and w_N = 0. */
static inline void ipm_cone_active(ipm *a, int i) {
    const vm has = problem_has(a->p, i);
    const vf one = vf_set(1), zero = vf_zero(), mu = a->p->mu[i], D = a->mobility[3 * i], rho = one / D;
    const v3 l = v3_load(a->p->lambda + 3 * i), w = v3_load(a->p->w + 3 * i), y = v3_fma(-rho, w, l);
    const vf size = vf_sqrt(vf_fma(y.x, y.x, y.y * y.y)), limit = mu * y.z;
    const vm open = vm_andnot(has, vm_gt(y.z, zero)), closed = vm_andnot(has, open), slide = vm_and(closed, vm_gt(size, limit));
    const vm bends = vm_and(slide, vm_gt(limit, zero));
    vf *P = ipm_local(a, i), *u = a->u + 3 * i, *keep = a->keep + 3 * i;
    ipm_turn(a, i, vf_select(slide, y.x, zero), vf_select(slide, y.y, zero));
    const v3 tl = ipm_turned(a, i, l), tw = ipm_turned(a, i, w);
    const vf turns = (size - limit) / vf_select(bends, limit * rho, one);
    ipm_clear(P, 9);
    keep[0] = vf_select(vm_or(open, slide), zero, one);
    keep[1] = vf_select(vm_or(open, vm_andnot(slide, bends)), zero, one);
    keep[2] = vf_select(open, zero, one);
    P[0] = vf_select(vm_or(open, slide), D, zero);
    P[2] = vf_select(slide, -(mu * D), zero);
    P[4] = vf_select(open, D, vf_select(bends, turns, vf_select(slide, D, zero)));
    P[8] = vf_select(open, D, zero);
    u[0] = vf_select(open, -(D * tl.x), vf_select(slide, D * vf_fms(mu, tl.z, tl.x), -tw.x));
    u[1] = vf_select(open, -(D * tl.y), vf_select(bends, -vf_fma(turns, tl.y, tw.y), vf_select(slide, -(D * tl.y), -tw.y)));
    u[2] = vf_select(open, -(D * tl.z), -tw.z);
    for (int e = 0; e < 3; e++) u[e] = vf_select(has, u[e], zero);
}

#endif
