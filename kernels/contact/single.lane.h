/* One contact, the others held: what the per-contact solvers share. */
#ifndef MYR_KERNELS_CONTACT_SINGLE_LANE_H
#define MYR_KERNELS_CONTACT_SINGLE_LANE_H

#include "law.lane.h"

/* Inverses of the diagonal blocks and the tilts.
 *
 * A singular block (a point that the robot cannot move in some direction) leaves the impulse open, and what rounding makes of its Gbar
 * of Hwangbo 2018 (16) would choose: on the open end of a hyperbola, where n(e) -> 0, an impulse without bound. So it is inverted as
 * G_ii + ridge, its Gbar gets the ridge too, and c' what the present impulse costs on it (single_free_velocity): of the impulses that
 * the law allows, the solves find that nearest to the present one. The ridge moves no fixed point. Points of a single degree of freedom
 * have a block of rank one, whose determinant is lost even with the ridge: the inverse is taken by way of Gbar, where it is not.
 *
 * `whole`: the blocks by whose size G_ii counts as singular; G itself, but for what is left of G where rows are held (held_rows.lane.h). */
static void single_prepare_as(problem *p, const vf *whole) {
    const vf zero = vf_zero(), one = vf_set(1), least = vf_set(MYR_DOUBLE ? (real)1e-290 : (real)1e-12);
    const vf eps = vf_set(MYR_DOUBLE ? (real)1e-12 : (real)1e-6), part = vf_set(MYR_DOUBLE ? (real)1e-10 : (real)1e-4);
    p->ridged = 0;
    for (int i = 0; i < p->n; i++) {
        const vf *g = problem_block(p, i, i);
        const vf *size = whole + (g - p->G), third = (size[0] + size[4] + size[8]) * vf_set((real)(1.0 / 3.0));
        const vf xx = g[0], yy = g[4], zz = g[8], xy = g[1], xz = g[2], yz = g[5];
        const vf a = vf_fms(yy, zz, yz * yz), b = vf_fms(xz, yz, xy * zz), c = vf_fms(xy, yz, xz * yy);
        const vf det = vf_fma(xx, a, vf_fma(xy, b, xz * c));
        const vm singular = vm_andnot(problem_has(p, i), vm_gt(det, eps * third * third * third));
        const vf s = one / det;
        vf *inverse = p->inverse + 6 * i;
        inverse[0] = s * a;
        inverse[1] = s * vf_fms(xx, zz, xz * xz);
        inverse[2] = s * vf_fms(xx, yy, xy * xy);
        inverse[3] = s * b;
        inverse[4] = s * c;
        inverse[5] = s * vf_fms(xy, xz, xx * yz);
        p->ridge[i] = zero;
        if (vm_any(singular)) {
            const vf ridge = vf_max(part * third, least);
            p->ridge[i] = vf_select(singular, ridge, zero);
            p->ridged = 1;
            const vf k = one / (zz + ridge), tx = k * xz, ty = k * yz;
            const vf bx = vf_fnma(tx, xz, xx) + ridge, bxy = vf_fnma(tx, yz, xy), by = vf_fnma(ty, yz, yy) + ridge;
            const vf d = one / vf_fms(bx, by, bxy * bxy), ix = d * by, iy = d * bx, ixy = -(d * bxy);
            const vf nx = -vf_fma(ix, tx, ixy * ty), ny = -vf_fma(ixy, tx, iy * ty);
            const vf instead[6] = {ix, iy, vf_fnma(nx, tx, vf_fnma(ny, ty, k)), ixy, nx, ny};
            for (int e = 0; e < 6; e++) inverse[e] = vf_select(singular, instead[e], inverse[e]);
        }
        const vf k = one / vf_select(vm_gt(zz, zero), zz, one);
        p->tilt[3 * i] = k * xz;
        p->tilt[3 * i + 1] = k * yz;
        p->tilt[3 * i + 2] = k;
        vf *bar = p->bar + 3 * i;
        bar[0] = vf_fnma(p->tilt[3 * i], xz, xx) + p->ridge[i];
        bar[1] = vf_fnma(p->tilt[3 * i], yz, xy);
        bar[2] = vf_fnma(p->tilt[3 * i + 1], yz, yy) + p->ridge[i];
    }
}
static void single_prepare(problem *p) { single_prepare_as(p, p->G); }

/* c' = c_i + what the other contacts' impulses add, from the running velocity; where G_ii has a ridge, as if (G_ii + ridge) lambda + c'
 * were the velocity. */
static inline v3 single_free_velocity(const problem *p, int i) {
    const v3 l = v3_load(p->lambda + 3 * i), c = v3_sub(v3_load(p->w + 3 * i), m3_mul(problem_block(p, i, i), l));
    if (!p->ridged) return c;
    const vf ridge = p->ridge[i];
    const vm has = vm_gt(ridge, vf_zero()); /* elsewhere c' keeps even the sign of a zero */
    return (v3){vf_select(has, vf_fnma(ridge, l.x, c.x), c.x), vf_select(has, vf_fnma(ridge, l.y, c.y), c.y), c.z};
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

/* The mode test of Hwangbo 2018 Algorithm 2: open if c'_z > 0, stick if the stopping impulse is in the cone, else slip. */
static inline void single_modes(vf mu, v3 c, v3 stop, vm *open, vm *slip) {
    const vf limit = mu * stop.z;
    *open = vm_gt(c.z, vf_zero());
    const vm inside = vm_and(vm_ge(stop.z, vf_zero()), vm_le(vf_fma(stop.x, stop.x, stop.y * stop.y), limit * limit));
    *slip = vm_not(vm_or(*open, inside));
}

#endif
