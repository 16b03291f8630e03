/* nsgs: Gauss-Seidel over contacts, each solved exactly under the full law of Signorini and Coulomb (Jourdan, Alart and Jean 1998; the
 * local solve in one unknown as in Bonnefon and Daviet 2011). The sweeps are those of `bisection`; what a slipping contact obeys is not
 * Hwangbo's maximum dissipation but friction against the slip velocity, w_T = -a lambda_T with a >= 0.
 *
 * With w_N = 0 eliminated, Gbar and cbar of Hwangbo 2018 (16), lambda_T = -(Gbar + a)^-1 cbar = -N / D,
 *     N = adj(Gbar + a) cbar = N0 + a cbar,    D = det(Gbar + a) = a^2 + tr a + det,
 * and mu lambda_N = m + k.N / D with m = -mu c_N / G_zz, k = mu (G_zx, G_zy) / G_zz. So a is where
 *     t(a) = m D + k.N   meets   s(a) = |N|.
 * At a = 0 the contact would stick and t < s; at q = (1 + |k|) |cbar| / m, t >= s: there is a root between, found by Newton's method on
 * t / s - 1, which is nearly straight (without coupling it is m / |lambda_T| - 1, the secular equation of trust regions), and kept in the
 * bracket. The present impulse and velocity say where to begin. */
#if defined(MYR_SOLVER)
MYR_SOLVER(NSGS, "nsgs", solve_nsgs, NCP, 50, m ? 9 * n *(n + 1) / 2 + 6 * n *m + m *(m + 1) + 12 * m + 3 * n : 0)
#elif !defined(MYR_KERNELS_CONTACT_NSGS_LANE_H)
#define MYR_KERNELS_CONTACT_NSGS_LANE_H

#include "checked_sweeps.lane.h"

/* One contact in these terms. */
typedef struct {
    vf m, kx, ky, cx, cy, nx, ny, xx, xy, yy, trace, det, kc; /* cx, cy: cbar; nx, ny: N0; xx, xy, yy: Gbar; kc: k.cbar */
} coulomb_slip;

static inline __attribute__((always_inline)) coulomb_slip coulomb_open(const problem *p, int i, v3 c) {
    const vf *tilt = p->tilt + 3 * i, *bar = p->bar + 3 * i, mu = p->mu[i], tx = tilt[0], ty = tilt[1];
    coulomb_slip q = {.m = -(mu * (c.z * tilt[2])), .kx = mu * tx, .ky = mu * ty, .cx = vf_fnma(tx, c.z, c.x), .cy = vf_fnma(ty, c.z, c.y)};
    q.xx = bar[0], q.xy = bar[1], q.yy = bar[2];
    q.trace = q.xx + q.yy, q.det = vf_fms(q.xx, q.yy, q.xy * q.xy);
    q.nx = vf_fms(q.yy, q.cx, q.xy * q.cy), q.ny = vf_fms(q.xx, q.cy, q.xy * q.cx);
    q.kc = vf_fma(q.kx, q.cx, q.ky * q.cy);
    return q;
}

/* One Newton step from a; `right`: the root lies left of a. */
static inline __attribute__((always_inline)) vf coulomb_newton(const coulomb_slip *q, vf a, vm *right) {
    const vf nx = vf_fma(a, q->cx, q->nx), ny = vf_fma(a, q->cy, q->ny), D = vf_fma(a, a + q->trace, q->det);
    const vf s2 = vf_fma(nx, nx, ny * ny), s = vf_sqrt(s2), t = vf_fma(q->m, D, vf_fma(q->kx, nx, q->ky * ny));
    /* (t - s) / (t' - t s' / s), times s^2 above and below */
    const vf slope = vf_fms(vf_fma(q->m, vf_fma(vf_set(2), a, q->trace), q->kc), s2, t * vf_fma(nx, q->cx, ny * q->cy));
    *right = vm_gt(t, s);
    return vf_fnma(t - s, s2 / slope, a);
}

/* The impulse of a, as a correction of the present one: lambda_T - (Gbar + a)^-1 (w_T - w_N (G_zx, G_zy) / G_zz + a lambda_T), and lambda_N
 * that stops what is left. Where Gbar is nearly singular, rounding makes the correction wrong by a part of itself, not of the impulse. */
static inline __attribute__((always_inline)) v3 coulomb_impulse(const problem *p, int i, const coulomb_slip *q, v3 l, v3 w, vf a) {
    const vf *g = problem_block(p, i, i), *tilt = p->tilt + 3 * i, zero = vf_zero(), one = vf_set(1);
    const vf D = vf_fma(a, a + q->trace, q->det), rx = vf_fma(a, l.x, vf_fnma(tilt[0], w.z, w.x)),
             ry = vf_fma(a, l.y, vf_fnma(tilt[1], w.z, w.y));
    const vm held = vm_gt(q->m, zero); /* else there is no friction */
    const vf scale = -one / vf_select(vm_gt(D, zero), D, one);
    const vf x = vf_select(held, scale * vf_fms(q->yy + a, rx, q->xy * ry), -l.x),
             y = vf_select(held, scale * vf_fms(q->xx + a, ry, q->xy * rx), -l.y);
    return (v3){l.x + x, l.y + y, vf_max(vf_fnma(vf_fma(g[2], x, vf_fma(g[5], y, w.z)), tilt[2], l.z), zero)};
}

/* From far: Newton in the bracket, from `start` in the lanes `known`, else from where the root would be if Gbar were round. At the low end
 * the contact sticks but for rounding; where the root seems to be even lower, that is the place. */
static v3 slip_coulomb_far(const problem *p, int i, v3 c, v3 old, vm known, vf start, int steps) {
    const vf one = vf_set(1), half = vf_set((real)0.5);
    const coulomb_slip q = coulomb_open(p, i, c);
    const vm held = vm_gt(q.m, vf_zero());
    const vf length = vf_sqrt(vf_fma(q.cx, q.cx, q.cy * q.cy)), pull = one + vf_sqrt(vf_fma(q.kx, q.kx, q.ky * q.ky));
    const vf inverse_m = one / vf_select(held, q.m, one), least = vf_set((real)(4 * MYR_EPSILON)) * q.trace;
    vf low = least, high = vf_max(least, vf_min(pull * length * inverse_m, vf_set(MYR_DOUBLE ? (real)1e150 : (real)1e18)));
    vf a = vf_min(high, vf_max(low, vf_select(known, start, vf_fms(length, inverse_m, half * q.trace))));
    for (int step = 0; step < steps; step++) {
        vm right;
        const vf next = coulomb_newton(&q, a, &right);
        high = vf_select(right, a, high);
        low = vf_select(right, low, a);
        const vm inside = vm_and(vm_ge(next, low), vm_le(next, high)); /* false for NaN */
        const vm below = vm_and(vm_lt(next, low), vm_eq(low, least));
        a = vf_select(inside, next, vf_select(below, least, half * (low + high)));
    }
    return coulomb_impulse(p, i, &q, old, v3_load(p->w + 3 * i), a);
}

/* Mostly the contact slips already: one step from the a of the present impulse and velocity, if it is a short one. What it leaves, the
 * next sweep corrects. */
static inline v3 slip_coulomb(const problem *p, int i, v3 c, v3 stop, v3 old, vm slip, int steps) {
    const vf zero = vf_zero(), one = vf_set(1);
    const v3 w = v3_load(p->w + 3 * i);
    const vf size2 = vf_fma(old.x, old.x, old.y * old.y), along = -vf_fma(old.x, w.x, old.y * w.y);
    const vm known = vm_and(vm_gt(size2, zero), vm_gt(along, zero));
    const vf a = vf_select(known, along / vf_select(known, size2, one), zero);
    const coulomb_slip q = coulomb_open(p, i, c);
    vm right;
    const vf next = coulomb_newton(&q, a, &right);
    const vm near = vm_and(known, vm_and(vm_gt(next, vf_set((real)0.2) * a), vm_lt(next, vf_set(5) * a))); /* false for NaN */
    const v3 l = coulomb_impulse(p, i, &q, old, w, vf_select(near, next, zero));
    const vm far = vm_andnot(slip, near);
    (void)stop;
    return vm_any(far) ? v3_select(far, slip_coulomb_far(p, i, c, old, known, a, steps), l) : l;
}

/* The part of the bound that the check of a contact may use. */
static inline vf nsgs_share(void) { return vf_set((real)0.45); }

static void solve_nsgs(problem *p, const myr_solve_options *o) {
    checked_sweeps(p, o, slip_coulomb, coulomb_obeyed, nsgs_share(), MYR_LAW_NCP, 1);
}

#endif
