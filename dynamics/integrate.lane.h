/* integrate: the new velocity -> v+, q+ on the manifold (semi-implicit Euler: the new velocity moves the
 * position; quaternions by the exponential of the body rate). A lane that turns non-finite or too fast keeps its last
 * good state; the bits of such lanes are returned. */
#ifndef MYR_DYNAMICS_INTEGRATE_LANE_H
#define MYR_DYNAMICS_INTEGRATE_LANE_H

#include "half_turn.lane.h"

/* 1 / sqrt(n) for the squared norm of a quaternion that was of unit length before the step: one Newton step from 1 where
 * that is exact to rounding. */
static inline vf unit_scale(vf n) {
    const vf one = vf_set(1), off = n - one;
    vf scale = vf_fnma(vf_set((real)0.5), off, one);
    const vm far = vm_not(vm_lt(vf_abs(off), vf_set(MYR_DOUBLE ? (real)1e-8 : (real)2e-4)));
    if (vm_any(far)) scale = vf_select(far, one / vf_sqrt(n), scale);
    return scale;
}

/* q <- q exp(omega dt / 2), renormalized */
static inline void quat_step(vf q[4], v3 omega, vf dt) {
    vf cosine, k;
    half_turn(v3_dot(omega, omega), dt, &cosine, &k);
    const vf ax = k * omega.x, ay = k * omega.y, az = k * omega.z;
    const vf w = vf_fms(q[0], cosine, vf_fma(q[1], ax, vf_fma(q[2], ay, q[3] * az)));
    const vf x = vf_fma(q[0], ax, vf_fma(q[1], cosine, vf_fms(q[2], az, q[3] * ay)));
    const vf y = vf_fma(q[0], ay, vf_fma(q[2], cosine, vf_fms(q[3], ax, q[1] * az)));
    const vf z = vf_fma(q[0], az, vf_fma(q[3], cosine, vf_fms(q[1], ay, q[2] * ax)));
    const vf scale = unit_scale(vf_fma(w, w, vf_fma(x, x, vf_fma(y, y, z * z))));
    q[0] = w * scale, q[1] = x * scale, q[2] = y * scale, q[3] = z * scale;
}

/* Of the lanes that went wrong, which have a number that is not finite and which are too fast. */
static unsigned integrate_blame(const part *p, unsigned bad) {
    vm finite = vm_all();
    for (int k = 0; k < p->r->nv; k++) finite = vm_and(finite, vm_finite(p->w->z[k]));
    for (int k = 0; k < p->r->nq; k++) finite = vm_and(finite, vm_finite(field(p, MYR_ROWS_q, k)));
    const unsigned fast = bad & vm_bits(finite);
    return (bad & ~fast) | fast << 16;
}

/* q+ of the good lanes. */
static inline __attribute__((always_inline)) void integrate_position(const part *p, vm good, const int all) {
    const robot *r = p->r;
    const vf dt = vf_set(p->dt), *z = p->w->lifted ? p->w->push : p->w->z;
    vf *q = field_rows(p, MYR_ROWS_q);
    for (const lane_joint *j = r->joints, *end = j + r->n_joints; j < end; j++) {
        vf *x = q + PARTS * j->q;
        keep_good(x, vf_fma(dt, z[j->v], *x), good, all);
    }
    int left = r->n_bodies - r->n_joints; /* free and ball joints */
    for (const lane_body *b = r->bodies; left > 0; b++) {
        vf *x = q + PARTS * b->q, turned[4];
        const vf *rate = z + b->v;
        if (b->nv == 1) continue;
        left--;
        if (b->joint == MYR_JOINT_FREE) {
            UNROLL for (int k = 0; k < 3; k++) keep_good(x + PARTS * k, vf_fma(dt, rate[k], x[PARTS * k]), good, all);
            x += 3 * PARTS, rate += 3;
        }
        UNROLL for (int k = 0; k < 4; k++) turned[k] = x[PARTS * k];
        quat_step(turned, v3_load(rate), dt);
        UNROLL for (int k = 0; k < 4; k++) keep_good(x + PARTS * k, turned[k], good, all);
    }
}

/* v+ and q+ into the tile. */
static inline __attribute__((always_inline)) void integrate_rows(const part *p, vm good, const int all) {
    const vf *z = p->w->z;
    vf *v = field_rows(p, MYR_ROWS_v);
    for (int k = 0; k < p->r->nv; k++) keep_good(v + PARTS * k, z[k], good, all);
    integrate_position(p, good, all);
}

/* The new state; w->bad gets the lanes that keep the old one. */
static void integrate(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const vf dt = vf_set(p->dt), limit = vf_set((real)p->options->speed_limit), *z = w->z, *q = field_rows(p, MYR_ROWS_q);
    const vm alive = vm_from_bits(p->alive);
    for (int t = 0; t < r->n_trees; t++) {
        if (!r->tree_floating[t]) continue;
        vf *linear = w->z + r->bodies[r->tree_root[t]].v;
        v3_store(linear, m3_mul(w->R0 + 9 * t, v3_load(linear)));
        linear = w->push + r->bodies[r->tree_root[t]].v;
        if (w->lifted) v3_store(linear, m3_mul(w->R0 + 9 * t, v3_load(linear)));
    }
    vm good = vm_andnot(
        alive, vm_from_bits(w->spun | w->crowded | w->strayed)); /* false for NaN; an impulse that is not finite shows in the velocity */
    for (int k = 0; k < r->nv; k++) good = vm_and(good, vm_le(vf_abs(z[k]), limit));
    for (int k = 0; k < r->nq; k++) good = vm_and(good, vm_finite(q[PARTS * k]));
    if (p->options->settings->sense_acceleration) {
        const vf *v = field_rows(p, MYR_ROWS_v);
        vf *out = field_rows(p, MYR_ROWS_acceleration);
        for (int k = 0; k < r->nv; k++) keep_good(out + PARTS * k, (z[k] - v[PARTS * k]) / dt, good, 0);
    }
    if (vm_bits(good) == vm_bits(vm_all()))
        integrate_rows(p, good, 1);
    else
        integrate_rows(p, good, 0);
    w->lifted = 0, w->posed = 0;
    const unsigned bad = vm_bits(vm_andnot(alive, good));
    w->bad = bad ? integrate_blame(p, bad) : 0;
}

#endif
