/* The laws, and how far a solution is from them. Definitions: docs/contact.md.
 *
 * residual      violation of the solver's own model, over contacts the largest. For Hwangbo's model (8)-(16) a contact is
 *               as wrong as the nearest of its three modes:
 *                 open   max(|lambda|, -w_N)
 *                 stick  max(|w|, |lambda_T| - mu lambda_N)
 *                 slide  max(| |lambda_T| - mu lambda_N |, |w_N|, distance of w_T from the ray -s u, s >= 0)
 *               with u = lambda_T + mu^2 lambda_N / G_zz (G_zx, G_zy): where the energy is least on the conic, its
 *               gradient w is a combination of the gradients of the two constraints, and with w_N = 0 what is left of it
 *               along the tangent plane is -b u, b >= 0 (b < 0: out of sight). Without normal-tangential coupling u is
 *               lambda_T and this is Coulomb's law.
 *               CCP: as residual_ncp without Gamma. Box pyramid: what is left of lambda when w has been taken off it and the
 *               rest has been clamped, lambda - clamp(lambda - w), along the normal and each tangent. Diamond: likewise, with the
 *               nearest point of |lambda_x| + |lambda_y| <= mu lambda_N for the clamped tangent.
 *               With compliance, of w = (G + R) lambda + c.
 *               Scalar rows have one law, that of rows.lane.h, and their distance from it counts in both residuals.
 * residual_ncp  Signorini, the cone and maximum dissipation in full: max of dist_K(lambda), dist_K*(w + Gamma),
 *               |<lambda, w + Gamma>| / max(|lambda|, |w + Gamma|), Gamma = (0, 0, mu |w_T|), w = G lambda + c. */
#ifndef MYR_KERNELS_CONTACT_LAW_LANE_H
#define MYR_KERNELS_CONTACT_LAW_LANE_H

#include "rows.lane.h"

static inline vf vf_square(vf a) { return a * a; }

/* lambda_T and the pull of the coupling: minus the direction in which a sliding contact must move. */
static inline void slide_direction(const problem *p, int i, v3 l, vf *ux, vf *uy) {
    const vf pull = p->mu[i] * p->mu[i] * l.z;
    *ux = vf_fma(p->tilt[3 * i], pull, l.x);
    *uy = vf_fma(p->tilt[3 * i + 1], pull, l.y);
}

/* Squared residual of contact i under Hwangbo's model. */
static inline vf law_own(const problem *p, int i, v3 l, v3 w, vf over_cone) {
    const vf zero = vf_zero();
    const vf wt2 = vf_fma(w.x, w.x, w.y * w.y), lt2 = vf_fma(l.x, l.x, l.y * l.y);
    const vf open = vf_max(vf_fma(l.z, l.z, lt2), vf_square(vf_min(w.z, zero)));
    const vf stick = vf_max(vf_fma(w.z, w.z, wt2), vf_square(vf_max(over_cone, zero)));
    vf ux, uy;
    slide_direction(p, i, l, &ux, &uy);
    const vf along = vf_fma(ux, w.x, uy * w.y), across = vf_fms(ux, w.y, uy * w.x), u2 = vf_fma(ux, ux, uy * uy);
    const vm behind = vm_and(vm_lt(along, zero), vm_gt(u2, zero));
    const vf aside = vf_select(vm_gt(p->mu[i], zero), wt2, zero); /* without friction every sliding velocity is lawful */
    const vf off_ray = vf_select(behind, across * across / vf_select(behind, u2, vf_set(1)), aside);
    const vf slide = vf_max(vf_max(vf_square(over_cone), vf_square(w.z)), off_ray);
    return vf_min(open, vf_min(stick, slide));
}

/* Squared distances of a point of length |x_T| = t, x_N = z from the cone t <= mu z; over = t - mu z. */
static inline vf cone_distance2(vf mu, vf t, vf z, vf over, vf flank) {
    const vf side2 = vf_square(vf_max(over, vf_zero())) * flank;
    return vf_select(vm_le(vf_fma(mu, t, z), vf_zero()), vf_fma(z, z, t * t), side2); /* in the polar cone: to the apex */
}

/* Squared product of complementarity, divided by the larger of its factors. */
static inline vf product_part2(vf product, vf larger2) {
    const vm some = vm_gt(larger2, vf_zero());
    return vf_select(some, product * product / vf_select(some, larger2, vf_set(1)), vf_zero());
}

/* Squared residual of the convex model: K contains lambda _|_ w in K*. */
static inline vf law_ccp(vf mu, v3 l, v3 w, vf lt, vf over_cone, vf flank) {
    const vf wt2 = vf_fma(w.x, w.x, w.y * w.y), wt = vf_sqrt(wt2);
    const vf to_cone2 = cone_distance2(mu, lt, l.z, over_cone, flank);
    /* K* = { mu |w_T| <= w_N }: its polar cone is -K */
    const vf under2 = vf_square(vf_max(vf_fms(mu, wt, w.z), vf_zero())) * flank;
    const vf w2 = vf_fma(w.z, w.z, wt2), l2 = vf_fma(l.z, l.z, lt * lt);
    const vf to_dual2 = vf_select(vm_lt(vf_fma(mu, w.z, wt), vf_zero()), w2, under2);
    return vf_max(vf_max(to_cone2, to_dual2), product_part2(v3_dot(l, w), vf_max(l2, w2)));
}

/* Squared residual of the box pyramid |lambda_x|, |lambda_y| <= mu lambda_N. */
static inline vf law_box(vf mu, v3 l, v3 w) {
    const vf zero = vf_zero(), limit = vf_max(mu * l.z, zero);
    const vf z = l.z - vf_max(l.z - w.z, zero);
    const vf x = l.x - vf_max(-limit, vf_min(limit, l.x - w.x)), y = l.y - vf_max(-limit, vf_min(limit, l.y - w.y));
    return vf_max(z * z, vf_max(x * x, y * y));
}

/* The nearest point to x of |x| + |y| <= limit, of the one component `a` of (x, y) whose sizes sum up to `sum`. */
static inline vf diamond_part(vf limit, vf sum, vf a) {
    const vf zero = vf_zero(), shrink = vf_max(vf_set((real)0.5) * (sum - limit), zero);
    const vf size = vf_max(vf_abs(a) - shrink, zero), part = vf_select(vm_gt(shrink, zero), vf_min(size, limit), size);
    return vf_select(vm_lt(a, zero), -part, part);
}

/* Squared residual of the diamond |lambda_x| + |lambda_y| <= mu lambda_N. */
static inline vf law_diamond(vf mu, v3 l, v3 w) {
    const vf zero = vf_zero(), limit = vf_max(mu * l.z, zero);
    const vf z = l.z - vf_max(l.z - w.z, zero), ax = l.x - w.x, ay = l.y - w.y, sum = vf_abs(ax) + vf_abs(ay);
    const vf x = l.x - diamond_part(limit, sum, ax), y = l.y - diamond_part(limit, sum, ay);
    return vf_max(z * z, vf_max(x * x, y * y));
}

/* Squared residual_ncp of one contact. lt = |lambda_T|, over_cone = lt - mu lambda_N, flank = 1 / (1 + mu^2), the squared
 * cosine of the cone's half opening. */
static inline vf law_ncp(vf mu, v3 l, v3 w, vf lt, vf over_cone, vf flank) {
    const vf zero = vf_zero();
    const vf l2 = vf_fma(l.z, l.z, lt * lt), to_cone2 = cone_distance2(mu, lt, l.z, over_cone, flank);
    const vf wt2 = vf_fma(w.x, w.x, w.y * w.y), wt = vf_sqrt(wt2);
    const vf x = vf_fma(mu, wt, w.z); /* normal part of w + Gamma */
    const vf dual2 = vf_fma(x, x, wt2);
    const vf under2 = vf_square(vf_max(-w.z, zero)) * flank;
    const vf to_dual2 = vf_select(vm_lt(vf_fma(mu, x, wt), zero), dual2, under2);
    const vf product = vf_fma(l.x, w.x, vf_fma(l.y, w.y, l.z * x));
    return vf_max(vf_max(to_cone2, to_dual2), product_part2(product, vf_max(l2, dual2))); /* a NaN in the last comes out */
}

/* The part of scalar rows in what follows. By itself: most problems have none, and in line it would cost the contacts their registers. */
typedef struct rows_measure {
    vf ncp2, own2, bad; /* largest squares; bad: 1 where some figure is NaN */
} rows_measure;

static __attribute__((noinline)) rows_measure law_measure_rows(const problem *p) {
    const vf zero = vf_zero(), one = vf_set(1);
    rows_measure m = {zero, zero, zero};
    for (int k = 0; k < p->rows.n; k++) {
        const vm has = problem_has_row(p, k);
        const stairs s = row_stairs(p, k);
        const vf own = row_distance(s, p->rows.lambda[k], p->rows.w[k]);
        const vf ncp = p->compliant ? row_distance(s, p->rows.lambda[k], problem_hard_row_velocity(p, k)) : own;
        m.bad = vf_select(vm_andnot(has, vm_and(vm_eq(ncp, ncp), vm_eq(own, own))), one, m.bad);
        m.ncp2 = vf_select(has, vf_max(m.ncp2, ncp * ncp), m.ncp2);
        m.own2 = vf_select(has, vf_max(m.own2, own * own), m.own2);
    }
    return m;
}

/* The largest |c| of rows and three times their largest G_kk. */
typedef struct rows_scale {
    vf velocity, trace;
} rows_scale;

static __attribute__((noinline)) rows_scale law_scale_rows(const problem *p) {
    const vf zero = vf_zero();
    rows_scale s = {zero, zero};
    for (int k = 0; k < p->rows.n; k++) {
        const vm has = problem_has_row(p, k);
        s.velocity = vf_max(s.velocity, vf_select(has, vf_abs(p->rows.c[k]), zero));
        s.trace = vf_max(s.trace, vf_select(has, vf_set(3) * problem_row_G(p, k)[3 * p->n + k], zero));
    }
    return s;
}

/* Both residuals from lambda and w, infinite where they are not numbers. Squares until the end: roots and divisions are most of what
 * this costs. */
static void law_measure(problem *p, myr_law law) {
    const vf one = vf_set(1);
    vf ncp2 = vf_zero(), own2 = vf_zero(), last_mu = vf_zero(), flank = one;
    vm known = vm_all(); /* false where some contact's figure is NaN, which a maximum would lose */
    for (int i = 0; i < p->n; i++) {
        const vm has = problem_has(p, i);
        const vf mu = p->mu[i];
        const v3 zero = v3_zero(), l = v3_load(p->lambda + 3 * i), w = v3_select(has, v3_load(p->w + 3 * i), zero);
        const vf lt = vf_sqrt(vf_fma(l.x, l.x, l.y * l.y)), over_cone = vf_fnma(mu, l.z, lt);
        if (vm_any(vm_not(vm_eq(mu, last_mu)))) flank = one / vf_fma(mu, mu, one), last_mu = mu; /* mostly all contacts' the same */
        vf ncp = law_ncp(mu, l, w, lt, over_cone, flank);
        const vf own = law == MYR_LAW_NCP       ? ncp
                       : law == MYR_LAW_CCP     ? law_ccp(mu, l, w, lt, over_cone, flank)
                       : law == MYR_LAW_BOX     ? law_box(mu, l, w)
                       : law == MYR_LAW_DIAMOND ? law_diamond(mu, l, w)
                                                : law_own(p, i, l, w, over_cone);
        if (p->compliant) ncp = law_ncp(mu, l, v3_select(has, problem_hard_velocity(p, i), zero), lt, over_cone, flank);
        known = vm_and(known, vm_not(vm_andnot(has, vm_and(vm_eq(ncp, ncp), vm_eq(own, own)))));
        ncp2 = vf_select(has, vf_max(ncp2, ncp), ncp2);
        own2 = vf_select(has, vf_max(own2, own), own2);
    }
    if (p->rows.n > 0) {
        const rows_measure rows = law_measure_rows(p);
        known = vm_and(known, vm_eq(rows.bad, vf_zero()));
        ncp2 = vf_max(ncp2, rows.ncp2);
        own2 = vf_max(own2, rows.own2);
    }
    const vf unknown = vf_set((real)__builtin_inf());
    p->residual_ncp = vf_select(known, vf_sqrt(ncp2), unknown);
    p->residual = vf_select(known, vf_sqrt(own2), unknown);
}

/* What the residual of a lane may be: the tolerance, plus (in float) a part of the problem's own scale, which is the
 * larger of |c| and the impulse that would stop it. */
static inline __attribute__((always_inline)) vf law_bound(const problem *p, const myr_solve_options *o) {
    vf velocity = vf_zero(), trace = vf_zero();
    for (int i = 0; i < p->n; i++) {
        const vm has = problem_has(p, i);
        const vf *g = problem_block(p, i, i);
        const v3 c = v3_load(p->c + 3 * i);
        /* a contact that opens however fast does not allow larger errors of the others: with `gap` some are far away */
        const vf size = vf_max(vf_max(vf_abs(c.x), vf_abs(c.y)), -c.z);
        velocity = vf_max(velocity, vf_select(has, size, vf_zero()));
        trace = vf_max(trace, vf_select(has, g[0] + g[4] + g[8], vf_zero()));
    }
    if (p->rows.n > 0) {
        const rows_scale rows = law_scale_rows(p);
        velocity = vf_max(velocity, rows.velocity);
        trace = vf_max(trace, rows.trace);
    }
    const vm some = vm_gt(trace, vf_zero());
    const vf impulse = vf_select(some, vf_set(3) * velocity / vf_select(some, trace, vf_set(1)), vf_zero());
    return vf_fma(vf_set((real)o->relative), vf_max(velocity, impulse), vf_set((real)o->tolerance));
}

/* End of a sweep of projected steps; returns the lanes that go on. A lane in which nothing moved is stalled; one that looks settled is
 * measured, and done where the law says so. */
static inline __attribute__((always_inline)) vm sweep_close(problem *p, vm running, vm moved, vm unsettled, vf bound, myr_law law,
                                                            vf *iterations, vm *stalled) {
    p->lanes_run += VN;
    p->lanes_busy += (uint64_t)__builtin_popcount(vm_bits(running));
    *iterations = vf_select(running, *iterations + vf_set(1), *iterations);
    const vm still = vm_andnot(running, moved);
    *stalled = vm_or(*stalled, still);
    running = vm_andnot(running, still);
    const vm settled = vm_andnot(running, unsettled);
    if (!vm_any(settled)) return running;
    law_measure(p, law);
    return vm_andnot(running, vm_and(settled, vm_le(p->residual, bound)));
}

/* End of every solver: residuals, iterations and status per lane. `stalled`: nothing moved any more; lanes neither
 * converged nor stalled ran into the cap. */
static void law_finish(problem *p, vf bound, vm stalled, vf iterations, myr_law law) {
    law_measure(p, law);
    const vm converged = vm_le(p->residual, bound);
    vf status = vf_select(stalled, vf_set(MYR_STALLED), vf_set(MYR_ITERATION_LIMIT));
    status = vf_select(converged, vf_set(MYR_CONVERGED), status);
    vf all = p->residual + p->residual_ncp; /* a maximum may lose a NaN, a sum does not */
    for (int i = 0; i < p->n; i++) {
        const v3 l = v3_load(p->lambda + 3 * i), w = v3_load(p->w + 3 * i);
        all = all + vf_select(problem_has(p, i), (l.x + l.y + l.z) + (w.x + w.y + w.z), vf_zero());
    }
    for (int k = 0; k < p->rows.n; k++) all = all + vf_select(problem_has_row(p, k), p->rows.lambda[k] + p->rows.w[k], vf_zero());
    const vm finite = vm_finite(all);
    status = vf_select(finite, status, vf_set(MYR_NOT_FINITE));
    p->residual = vf_select(finite, p->residual, vf_set((real)__builtin_inf()));
    p->residual_ncp = vf_select(finite, p->residual_ncp, vf_set((real)__builtin_inf()));
    p->status = status;
    p->iterations = iterations;
    p->bound = bound;
}

#endif
