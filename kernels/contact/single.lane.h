/* One contact, the others held: what the per-contact solvers share. */
#ifndef MYR_KERNELS_CONTACT_SINGLE_LANE_H
#define MYR_KERNELS_CONTACT_SINGLE_LANE_H

#include "law.lane.h"

/* Inverses of the diagonal blocks and the tilts. A singular block (a point that the robot cannot move in some
 * direction) is inverted as G_ii + eps tr / 3. */
static void single_prepare(problem *p) {
    const vf zero = vf_zero(), one = vf_set(1);
    const vf eps = vf_set(MYR_DOUBLE ? (real)1e-12 : (real)1e-6);
    for (int i = 0; i < p->n; i++) {
        const vf *g = problem_block(p, i, i);
        const vf third = (g[0] + g[4] + g[8]) * vf_set((real)(1.0 / 3.0));
        vf xx = g[0], yy = g[4], zz = g[8];
        const vf xy = g[1], xz = g[2], yz = g[5];
        vf a = vf_fms(yy, zz, yz * yz), b = vf_fms(xz, yz, xy * zz), c = vf_fms(xy, yz, xz * yy);
        vf det = vf_fma(xx, a, vf_fma(xy, b, xz * c));
        const vm singular = vm_not(vm_gt(det, eps * third * third * third));
        if (vm_any(singular)) {
            const vf more = vf_select(singular, vf_max(eps * third, vf_set(MYR_DOUBLE ? (real)1e-290 : (real)1e-12)), zero);
            xx = xx + more, yy = yy + more, zz = zz + more;
            a = vf_select(singular, vf_fms(yy, zz, yz * yz), a);
            b = vf_select(singular, vf_fms(xz, yz, xy * zz), b);
            c = vf_select(singular, vf_fms(xy, yz, xz * yy), c);
            det = vf_select(singular, vf_fma(xx, a, vf_fma(xy, b, xz * c)), det);
        }
        const vf s = one / det;
        vf *inverse = p->inverse + 6 * i;
        inverse[0] = s * a;
        inverse[1] = s * vf_fms(xx, zz, xz * xz);
        inverse[2] = s * vf_fms(xx, yy, xy * xy);
        inverse[3] = s * b;
        inverse[4] = s * c;
        inverse[5] = s * vf_fms(xy, xz, xx * yz);
        const vf k = one / vf_select(vm_gt(g[8], zero), g[8], one);
        p->tilt[3 * i] = k * xz;
        p->tilt[3 * i + 1] = k * yz;
        p->tilt[3 * i + 2] = k;
    }
}

/* c' = c_i + sum of the other contacts' pushes, from the running velocity. */
static inline v3 single_free_velocity(const problem *p, int i) {
    return v3_sub(v3_load(p->w + 3 * i), m3_mul(problem_block(p, i, i), v3_load(p->lambda + 3 * i)));
}

/* lambda_v0 = -G_ii^-1 c': the impulse that stops the contact, as a correction of the present one, lambda - G_ii^-1 w. What
 * rounding and the regularisation of a singular block get wrong, the next sweep puts right. */
static inline v3 single_stop(const problem *p, int i) {
    const vf *a = p->inverse + 6 * i;
    const v3 l = v3_load(p->lambda + 3 * i), w = v3_load(p->w + 3 * i);
    return (v3){vf_fnma(a[0], w.x, vf_fnma(a[3], w.y, vf_fnma(a[4], w.z, l.x))),
                vf_fnma(a[3], w.x, vf_fnma(a[1], w.y, vf_fnma(a[5], w.z, l.y))),
                vf_fnma(a[4], w.x, vf_fnma(a[5], w.y, vf_fnma(a[2], w.z, l.z)))};
}

/* The mode test of 000 Algorithm 2: open if c'_z > 0, stick if the stopping impulse is in the cone, else slip. */
static inline void single_modes(vf mu, v3 c, v3 stop, vm *open, vm *slip) {
    const vf limit = mu * stop.z;
    *open = vm_gt(c.z, vf_zero());
    const vm inside = vm_and(vm_ge(stop.z, vf_zero()), vm_le(vf_fma(stop.x, stop.x, stop.y * stop.y), limit * limit));
    *slip = vm_not(vm_or(*open, inside));
}

#endif
