/* What Hwangbo 2018 III-A and V-B say of the ways to compare two directions of a slip contact's impulse: the energy (12) or the sign of its
 * slope, and the slope in three forms. Each as one evaluation at an angle, from a conic whose constants are there; the slope also as the
 * whole of Algorithm 1, constants and all.
 *
 *     nothing     the loop around the others
 *     point       sine, cosine and r by (14), which all the others need
 *     value       E, as (Gbar lambda_T / 2 + cbar).lambda_T: what a golden section needs, in the fewest products that we know
 *     value-polar the same as r (r a / 2 + b) with a = e.Gbar e, b = cbar.e
 *     plain       dE/dlambda.eta, lambda and eta whole, eta by (10)
 *     direct      the same, eta not normalized
 *     polar       dE/dtheta of `value-polar`, by the rules of differentiation, over r
 *     hybrid      (15) and (16), eta not normalized
 *
 * `plain` is what the paper calls naive; of which of the two it means its 30 % it does not say. */
#ifndef MYR_BENCH_SLIP_FORMS_LANE_H
#define MYR_BENCH_SLIP_FORMS_LANE_H

#include "cost.h"
#include "kernels/contact/bisection_paper.lane.h"
#include "kernels/math.lane.h"

#define FORM_INLINE static inline __attribute__((always_inline))

typedef enum { AS_NOTHING, AS_POINT, AS_VALUE, AS_VALUE_POLAR, AS_PLAIN, AS_DIRECT, AS_POLAR, AS_HYBRID } form;

/* Constants of one contact; a form that does not read one does not pay for it. */
typedef struct form_conic {
    slip_conic s;
    const vf *G; /* the block */
    v3 c;
    vf half[3];             /* Gbar / 2: xx, xy, yy */
    vf ratio, per_mu;       /* G_zz / mu, 1 / mu: no contact here is without friction */
    vf skew, apart, per_cz; /* of a and its slope: xy + yx, yy - xx; 1 / c_z */
} form_conic;

FORM_INLINE form_conic form_open(const problem *p, v3 c, v3 stop) {
    form_conic f = {.s = slip_conic_of(p, 0, c, stop), .G = problem_block(p, 0, 0), .c = c};
    const vf half = vf_set((real)0.5);
    f.half[0] = half * f.s.xx, f.half[1] = half * f.s.xy, f.half[2] = half * f.s.yy;
    f.per_mu = vf_set(1) / f.s.mu, f.ratio = f.per_mu * f.s.gzz;
    f.skew = f.s.xy + f.s.yx, f.apart = f.s.yy - f.s.xx, f.per_cz = vf_set(1) / c.z;
    return f;
}

/* (G lambda + c).eta at lambda = (x, y, z). */
FORM_INLINE vf form_plain(const form_conic *f, vf x, vf y, vf z, int normalized) {
    const slip_conic *s = &f->s;
    const vf *g = f->G, pull = s->mu2 * z;
    const v3 eta = {-vf_fma(s->gy, pull, s->gzz * y), vf_fma(s->gx, pull, s->gzz * x), vf_fms(s->gx, y, s->gy * x)};
    const v3 w = {vf_fma(g[0], x, vf_fma(g[1], y, vf_fma(g[2], z, f->c.x))), vf_fma(g[3], x, vf_fma(g[4], y, vf_fma(g[5], z, f->c.y))),
                  vf_fma(g[6], x, vf_fma(g[7], y, vf_fma(g[8], z, f->c.z)))};
    if (!normalized) return v3_dot(w, eta);
    const vf inverse = vf_set(1) / vf_sqrt(v3_dot(eta, eta));
    return v3_dot(w, (v3){inverse * eta.x, inverse * eta.y, inverse * eta.z});
}

/* dE/dtheta / r, with r' = r^2 n' / c_z for n = -c_z / r. */
FORM_INLINE vf form_polar(const form_conic *f, vf sine, vf cosine, vf r) {
    const slip_conic *s = &f->s;
    const vf a = vf_fma(s->xx * cosine, cosine, vf_fma(f->skew * cosine, sine, s->yy * sine * sine)),
             b = vf_fma(s->bx, cosine, s->by * sine);
    const vf half_slope = vf_fma(f->apart * sine, cosine, vf_set((real)0.5) * f->skew * vf_fms(cosine, cosine, sine * sine));
    const vf turn = vf_fms(s->by, cosine, s->bx * sine), n = vf_fms(s->gy, cosine, s->gx * sine);
    return vf_fma(r * n * f->per_cz, vf_fma(r, a, b), vf_fma(r, half_slope, turn));
}

FORM_INLINE vf form_value_polar(const form_conic *f, vf sine, vf cosine, vf r) {
    const slip_conic *s = &f->s;
    const vf a = vf_fma(s->xx * cosine, cosine, vf_fma(f->skew * cosine, sine, s->yy * sine * sine)),
             b = vf_fma(s->bx, cosine, s->by * sine);
    return r * vf_fma(vf_set((real)0.5) * r, a, b);
}

FORM_INLINE vf form_value(const form_conic *f, vf x, vf y) {
    const vf wx = vf_fma(f->half[0], x, vf_fma(f->half[1], y, f->s.bx)), wy = vf_fma(f->half[1], x, vf_fma(f->half[2], y, f->s.by));
    return vf_fma(wx, x, wy * y);
}

FORM_INLINE vf form_hybrid(const slip_conic *s, vf x, vf y, vf r) {
    const vf pull = s->mu * r; /* mu^2 lambda_z */
    const vf ex = -vf_fma(s->gy, pull, s->gzz * y), ey = vf_fma(s->gx, pull, s->gzz * x);
    const vf wx = vf_fma(s->xx, x, vf_fma(s->xy, y, s->bx)), wy = vf_fma(s->yx, x, vf_fma(s->yy, y, s->by));
    return vf_fma(wx, ex, wy * ey);
}

/* At an angle, whose impulse goes into *l. */
FORM_INLINE vf form_at(const form_conic *f, form how, vf theta, v3 *l) {
    const slip_conic *s = &f->s;
    vf sine, cosine;
    if (how == AS_NOTHING) return theta;
    vf_sincos(theta, &sine, &cosine);
    const vf r = -(s->cz / (f->ratio + vf_fma(s->gx, cosine, s->gy * sine)));
    *l = (v3){r * cosine, r * sine, f->per_mu * r};
    if (how == AS_POINT) return r;
    if (how == AS_VALUE) return form_value(f, l->x, l->y);
    if (how == AS_VALUE_POLAR) return form_value_polar(f, sine, cosine, r);
    if (how == AS_POLAR) return form_polar(f, sine, cosine, r);
    if (how == AS_HYBRID) return form_hybrid(s, l->x, l->y, r);
    return form_plain(f, l->x, l->y, l->z, how == AS_PLAIN);
}

/* Each angle from what was found at the one before, as a search goes; or all from the start. */
FORM_INLINE v3 form_evaluate(const problem *p, form how, int chained, v3 c, v3 stop) {
    const form_conic f = form_open(p, c, stop);
    const vf step = vf_set((real)0.1), half = vf_set((real)0.5), start = stop.x; /* an angle as good as any */
    vf theta = start, turn = step, sum = vf_zero();
    for (int k = 0; k < SLIP_EVALUATIONS; k++) {
        v3 l;
        const vf here = form_at(&f, how, theta, &l);
        sum = sum + here;
        turn = half * turn;
        theta = chained ? theta + vf_select(vm_gt(here, vf_zero()), -turn, turn) : theta + step;
    }
    return (v3){sum, theta, turn};
}

/* Algorithm 1, all lanes of which slip. */
FORM_INLINE v3 form_search(const problem *p, form how, v3 c, v3 stop, const myr_solve_options *o) {
    enum { MOST_STEPS = 200, MOST_HALVINGS = 100 };
    const form_conic f = form_open(p, c, stop);
    const vf zero = vf_zero(), half = vf_set((real)0.5), width = vf_set((real)o->slip_tolerance);
    vf theta = vf_atan2(stop.y, stop.x), before = theta;
    v3 here, past, there;
    const vf first = form_at(&f, how, theta, &here), from = vf_set((real)o->beta1);
    vf step = vf_select(vm_gt(first, zero), -from, from);
    vm stepping = vm_not(vm_eq(first, zero)), halving = vm_all();
    past = here;
    for (int k = 0; k < MOST_STEPS && vm_any(stepping); k++) {
        const vf next = theta + step, slope = form_at(&f, how, next, &there);
        const v3 d = v3_sub(there, stop);
        const vf sight = vf_fma(there.x, d.x, vf_fnma(f.s.mu2 * there.z, d.z, there.y * d.y));
        const vm seen = vm_and(vm_le(sight, zero), vm_ge(there.z, zero)), forward = vm_and(stepping, seen);
        before = vf_select(forward, theta, before), past = v3_select(forward, here, past);
        theta = vf_select(forward, next, theta), here = v3_select(forward, there, here);
        step = vf_select(seen, vf_set((real)o->beta3) * step, vf_set((real)o->beta2) * step);
        const vf size = vf_abs(step);
        stepping = vm_andnot(stepping, vm_and(seen, vm_le(slope * first, zero)));
        stepping = vm_and(stepping, vm_and(vm_gt(size, vf_set((real)MYR_EPSILON)), vm_lt(size, vf_set((real)3.2))));
    }
    for (int k = 0; k < MOST_HALVINGS; k++) {
        const v3 gap = v3_sub(past, here);
        const vf size = vf_abs(here.x) + vf_abs(here.y) + vf_abs(here.z);
        halving = vm_and(halving, vm_gt(vf_sqrt(v3_dot(gap, gap)), vf_fma(vf_set((real)(4 * MYR_EPSILON)), size, width)));
        if (!vm_any(halving)) break;
        const vf middle = half * (theta + before), slope = form_at(&f, how, middle, &there);
        const vm same = vm_gt(slope * first, zero), low = vm_and(halving, same), high = vm_andnot(halving, same);
        before = vf_select(low, middle, before), past = v3_select(low, there, past);
        theta = vf_select(high, middle, theta), here = v3_select(high, there, here);
    }
    return here;
}

#endif
