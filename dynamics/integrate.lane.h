/* integrate: free velocity and impulses -> v+, q+ on the manifold (semi-implicit Euler: the new velocity moves the
 * position; quaternions by the exponential of the body rate). A lane that turns non-finite or too fast keeps its last
 * good state; the bits of such lanes are returned. */
#ifndef MYR_DYNAMICS_INTEGRATE_LANE_H
#define MYR_DYNAMICS_INTEGRATE_LANE_H

#include "delassus.lane.h"
#include "factor.lane.h"
#include "kernels/math.lane.h"

/* q <- q exp(omega dt / 2), renormalized */
static inline void quat_step(vf q[4], v3 omega, vf dt) {
    const vf half = vf_set((real)0.5) * dt;
    const vf rate2 = v3_dot(omega, omega), rate = vf_sqrt(rate2);
    vf sine, cosine;
    vf_sincos(half * rate, &sine, &cosine);
    const vm turning = vm_gt(rate, vf_zero());
    const vf k = vf_select(turning, sine / vf_select(turning, rate, vf_set(1)), half);
    const vf ax = k * omega.x, ay = k * omega.y, az = k * omega.z;
    const vf w = vf_fms(q[0], cosine, vf_fma(q[1], ax, vf_fma(q[2], ay, q[3] * az)));
    const vf x = vf_fma(q[0], ax, vf_fma(q[1], cosine, vf_fms(q[2], az, q[3] * ay)));
    const vf y = vf_fma(q[0], ay, vf_fma(q[2], cosine, vf_fms(q[3], ax, q[1] * az)));
    const vf z = vf_fma(q[0], az, vf_fma(q[3], cosine, vf_fms(q[1], ay, q[2] * ax)));
    const vf scale = vf_set(1) / vf_sqrt(vf_fma(w, w, vf_fma(x, x, vf_fma(y, y, z * z))));
    q[0] = w * scale, q[1] = x * scale, q[2] = y * scale, q[3] = z * scale;
}

/* u+ = L^-1 (z + D^-1 Y lambda), in z's place. */
static inline void velocity_update(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    if (w->occupied) {
        vf *t = w->h; /* h is done with */
        delassus_push(p, t);
        for (int k = 0; k < r->nv; k++) w->z[k] = vf_fma(w->dinv[k], t[k], w->z[k]);
    }
    solve_l(r, w->M, w->z);
}

/* Returns the lanes to be quarantined: bits 0..VN-1 not finite, bits 16..16+VN-1 too fast. */
static unsigned integrate(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const vf dt = vf_set(p->dt), limit = vf_set((real)p->options->speed_limit);
    const vm alive = vm_from_bits(p->alive);
    velocity_update(p);
    for (int t = 0; t < r->n_trees; t++) {
        if (!r->tree_floating[t]) continue;
        vf *linear = w->z + r->bodies[r->tree_root[t]].v;
        v3_store(linear, m3_mul(w->R0 + 9 * t, v3_load(linear)));
    }
    vf fastest = vf_zero(), any = vf_zero();
    for (int k = 0; k < r->nv; k++) {
        fastest = vf_max(fastest, vf_abs(w->z[k])); /* a NaN is lost here, so it is counted by `any` */
        any = any + vf_zero() * w->z[k];
    }
    for (int k = 0; k < r->nq; k++) any = any + vf_zero() * field(p, MYR_ROWS_q, k);
    for (int k = 0; k < 3 * w->occupied; k++) any = any + vf_zero() * w->contact.lambda[k];
    const vm finite = vm_eq(any, vf_zero()), slow = vm_le(fastest, limit), good = vm_and(alive, vm_and(finite, slow));
    const int v0 = r->layout.first[MYR_ROWS_v], q0 = r->layout.first[MYR_ROWS_q];
    if (p->options->sense & MYR_SENSE_ACCELERATION)
        for (int k = 0; k < r->nv; k++) {
            vf *out = row(p, r->layout.first[MYR_ROWS_acceleration] + k);
            *out = vf_select(good, (w->z[k] - *row(p, v0 + k)) / dt, *out);
        }
    for (int k = 0; k < r->nv; k++) {
        vf *v = row(p, v0 + k);
        *v = vf_select(good, w->z[k], *v);
    }
    for (int i = 0; i < r->n_bodies; i++) {
        const lane_body *b = &r->bodies[i];
        int q = q0 + b->q, v = b->v;
        if (b->joint == MYR_JOINT_FREE || b->joint == MYR_JOINT_PRISMATIC || b->joint == MYR_JOINT_REVOLUTE)
            for (int k = 0; k < (b->joint == MYR_JOINT_FREE ? 3 : 1); k++, q++, v++) {
                vf *x = row(p, q);
                *x = vf_select(good, vf_fma(dt, w->z[v], *x), *x);
            }
        if (b->joint == MYR_JOINT_FREE || b->joint == MYR_JOINT_BALL) {
            vf old[4], x[4];
            for (int k = 0; k < 4; k++) x[k] = old[k] = *row(p, q + k);
            quat_step(x, v3_load(w->z + v), dt);
            for (int k = 0; k < 4; k++) *row(p, q + k) = vf_select(good, x[k], old[k]);
        }
    }
    for (int n = 0; n < w->occupied; n++)
        for (int k = 0; k < 3; k++) {
            vf *impulse = row(p, r->slots[w->slot[n]].row + k);
            *impulse = vf_select(good, w->contact.lambda[3 * n + k], *impulse);
        }
    const unsigned not_finite = vm_bits(vm_andnot(alive, finite)), too_fast = vm_bits(vm_andnot(vm_and(alive, finite), slow));
    return not_finite | too_fast << 16;
}

#endif
