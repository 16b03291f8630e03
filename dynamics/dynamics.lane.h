/* dynamics: poses, v -> mass matrix M and bias force h of  M dv/dt + h = tau.
 *
 * h by recursive Newton-Euler, M by composite bodies, both in the bodies' own aligned frames: the moves between a
 * body and its parent are turns about one axis, and with inertias kept about the joint origin the column of a joint
 * about e_k is a column of the composite inertia. The base moves with zero linear velocity (Galilean invariance);
 * gravity enters as an acceleration of the base. Rows of M: ancestors root first (robot.lane.h). */
#ifndef MYR_DYNAMICS_DYNAMICS_LANE_H
#define MYR_DYNAMICS_DYNAMICS_LANE_H

#include "kinematics.lane.h"

/* mass, mass * com, inertia (xx yy zz xy xz yz) about the body origin */
typedef struct {
    vf m;
    v3 h;
    vf xx, yy, zz, xy, xz, yz;
} inertia;

static inline inertia inertia_load(const vf *a) { return (inertia){a[0], v3_load(a + 1), a[4], a[5], a[6], a[7], a[8], a[9]}; }
/* A body's own inertia: the model's, the same in every lane, unless somebody has set one. */
static inline inertia inertia_own(const part *p, const lane_body *b) {
    if (!(p->options->varied & MYR_VARIED_INERTIAL)) {
        const real *u = b->own;
        return (inertia){vf_set(u[0]), {vf_set(u[1]), vf_set(u[2]), vf_set(u[3])}, vf_set(u[4]), vf_set(u[5]), vf_set(u[6]), vf_set(u[7]), vf_set(u[8]), vf_set(u[9])};
    }
    const vf *a = row(p, b->inertial);
    enum { STEP = 64 / sizeof(vf) };
    return (inertia){a[0], {a[STEP], a[2 * STEP], a[3 * STEP]}, a[4 * STEP], a[5 * STEP], a[6 * STEP], a[7 * STEP], a[8 * STEP], a[9 * STEP]};
}
static inline void inertia_store(vf *a, const inertia *c) {
    a[0] = c->m;
    v3_store(a + 1, c->h);
    a[4] = c->xx, a[5] = c->yy, a[6] = c->zz, a[7] = c->xy, a[8] = c->xz, a[9] = c->yz;
}
static inline v3 inertia_mul(const inertia *c, v3 a) {
    return (v3){vf_fma(c->xx, a.x, vf_fma(c->xy, a.y, c->xz * a.z)), vf_fma(c->xy, a.x, vf_fma(c->yy, a.y, c->yz * a.z)),
                vf_fma(c->xz, a.x, vf_fma(c->yz, a.y, c->zz * a.z))};
}

/* E I E' of a symmetric matrix whose turn mixes axes 1 and 2 and leaves axis 0: the pair (01, 02) turns like a vector,
 * the block (11, 12, 22) by the square. */
static inline void turn_symmetric(vf c, vf s, vf *i01, vf *i02, vf *i11, vf *i12, vf *i22) {
    const vf a01 = *i01, a02 = *i02, a11 = *i11, a12 = *i12, a22 = *i22;
    *i01 = vf_fms(c, a01, s * a02);
    *i02 = vf_fma(s, a01, c * a02);
    const vf b11 = vf_fms(c, a11, s * a12), b12 = vf_fms(c, a12, s * a22); /* first row of E I */
    const vf b21 = vf_fma(s, a11, c * a12), b22 = vf_fma(s, a12, c * a22); /* second row */
    *i11 = vf_fms(c, b11, s * b12);
    *i12 = vf_fma(s, b11, c * b12);
    *i22 = vf_fma(s, b21, c * b22);
}

/* A composite seen from the parent: turned, then its reference moved from the joint origin by `offset`. */
static inline inertia inertia_up(const workspace *w, const lane_body *b, int i, inertia c, v3 offset) {
    const vf co = w->cs[2 * i], si = w->cs[2 * i + 1];
    switch (b->turn) {
    case TURN_X: turn_symmetric(co, si, &c.xy, &c.xz, &c.yy, &c.yz, &c.zz); break;
    case TURN_Y: turn_symmetric(co, si, &c.yz, &c.xy, &c.zz, &c.xz, &c.xx); break; /* axes (y, z, x) */
    case TURN_Z: turn_symmetric(co, si, &c.xz, &c.yz, &c.xx, &c.xy, &c.yy); break; /* axes (z, x, y) */
    case TURN_FULL: {
        const vf *E = w->turn_m + 9 * i;
        const v3 r0 = inertia_mul(&c, v3_load(E)), r1 = inertia_mul(&c, v3_load(E + 3)), r2 = inertia_mul(&c, v3_load(E + 6)); /* I E' columns */
        c.xx = v3_dot(v3_load(E), r0), c.xy = v3_dot(v3_load(E), r1), c.xz = v3_dot(v3_load(E), r2);
        c.yy = v3_dot(v3_load(E + 3), r1), c.yz = v3_dot(v3_load(E + 3), r2), c.zz = v3_dot(v3_load(E + 6), r2);
        break;
    }
    default: break;
    }
    const v3 h = turn_up(w, b, i, c.h);
    /* I + 2 (h.r) 1 - h r' - r h' + m (r.r 1 - r r'), with g = h + m r / 2:  I + 2 (g.r) 1 - g r' - r g' */
    const v3 o = offset, g = v3_fma(vf_set((real)0.5) * c.m, o, h);
    const vf gx = g.x * o.x, gy = g.y * o.y, gz = g.z * o.z, two = vf_set(2);
    c.xx = vf_fma(two, gy + gz, c.xx);
    c.yy = vf_fma(two, gx + gz, c.yy);
    c.zz = vf_fma(two, gx + gy, c.zz);
    c.xy = vf_fnma(g.x, o.y, vf_fnma(g.y, o.x, c.xy));
    c.xz = vf_fnma(g.x, o.z, vf_fnma(g.z, o.x, c.xz));
    c.yz = vf_fnma(g.y, o.z, vf_fnma(g.z, o.y, c.yz));
    c.h = v3_fma(c.m, o, h);
    return c;
}

/* The motion axis of dof k of a body, aligned frame. */
static inline v3 dof_axis(const lane_body *b, int k) {
    if (b->joint == MYR_JOINT_BALL) { /* column k of align */
        const real a[3] = {b->align[k], b->align[3 + k], b->align[6 + k]};
        return v3_uniform(a);
    }
    if (b->joint == MYR_JOINT_FREE) {
        const real a[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
        return v3_uniform(a);
    }
    return v3_uniform(b->axis);
}
static inline int dof_is_linear(const lane_body *b, int k) { return b->joint == MYR_JOINT_PRISMATIC || (b->joint == MYR_JOINT_FREE && k < 3); }

/* Component of a wrench (force, moment about the origin) along a dof; about x, y, z a mere pick with a sign. */
static inline vf wrench_along(const lane_body *b, int k, v3 force, v3 moment) {
    const v3 a = dof_is_linear(b, k) ? force : moment;
    if (b->nv == 1 && b->turn <= TURN_Z) {
        const vf s = vf_set(b->sign);
        return s * (b->turn == TURN_X ? a.x : b->turn == TURN_Y ? a.y : a.z);
    }
    if (b->joint == MYR_JOINT_FREE) return k % 3 == 0 ? a.x : k % 3 == 1 ? a.y : a.z;
    return v3_dot(a, dof_axis(b, k));
}

/* Force and moment that accelerate composite c by one unit along dof k. */
static inline void unit_wrench(const lane_body *b, int k, const inertia *c, v3 *force, v3 *moment) {
    const vf zero = vf_zero();
    const v3 h = c->h;
    if (b->nv == 1 && b->turn <= TURN_Z) {
        const vf s = vf_set(b->sign);
        if (b->turn == TURN_X) *force = (v3){zero, -(s * h.z), s * h.y}, *moment = (v3){s * c->xx, s * c->xy, s * c->xz};
        else if (b->turn == TURN_Y) *force = (v3){s * h.z, zero, -(s * h.x)}, *moment = (v3){s * c->xy, s * c->yy, s * c->yz};
        else *force = (v3){-(s * h.y), s * h.x, zero}, *moment = (v3){s * c->xz, s * c->yz, s * c->zz};
        return;
    }
    const v3 a = dof_axis(b, k);
    if (dof_is_linear(b, k)) *force = v3_scale(c->m, a), *moment = v3_cross(h, a);
    else *force = v3_cross(a, h), *moment = inertia_mul(c, a);
}

/* One body on the way out: velocities, accelerations, and the force and moment its own inertia asks for. */
static inline void newton_euler(const part *p, int i, v3 *alpha_of, v3 *acc_of) {
    const lane_body *b = &p->r->bodies[i];
    workspace *w = p->w;
    v3 omega, alpha, acc;
    const v3 gravity = {field(p, MYR_ROWS_gravity, 0), field(p, MYR_ROWS_gravity, 1), field(p, MYR_ROWS_gravity, 2)};
    if (b->joint == MYR_JOINT_FREE) {
        const v3 down = m3_mul_t(w->R0 + 9 * b->tree, gravity);
        omega = v3_load(w->u + b->v + 3), alpha = v3_zero(), acc = (v3){-down.x, -down.y, -down.z};
    } else {
        v3 omega_p = v3_zero(), alpha_p = v3_zero(), at_joint = {-gravity.x, -gravity.y, -gravity.z};
        const v3 offset = joint_offset(p, b);
        if (b->parent >= 0) {
            omega_p = v3_load(w->omega + 3 * b->parent), alpha_p = alpha_of[b->parent];
            at_joint = v3_add(acc_of[b->parent], v3_cross_add(omega_p, v3_cross(omega_p, offset), v3_cross(alpha_p, offset)));
        }
        omega = turn_down(w, b, i, omega_p), alpha = turn_down(w, b, i, alpha_p), acc = turn_down(w, b, i, at_joint);
        if (b->joint == MYR_JOINT_PRISMATIC) { /* 2 omega x (axis rate) */
            acc = v3_cross_add(v3_scale(vf_set(2) * w->u[b->v], omega), v3_uniform(b->axis), acc);
        } else if (b->joint == MYR_JOINT_BALL) {
            const v3 rate = uniform_mul(b->align, v3_load(w->u + b->v));
            alpha = v3_cross_add(omega, rate, alpha);
            omega = v3_add(omega, rate);
        } else if (b->turn <= TURN_Z) { /* alpha += omega x e_k rate, omega += e_k rate */
            const vf rate = vf_set(b->sign) * w->u[b->v];
            if (b->turn == TURN_X) alpha.y = vf_fma(omega.z, rate, alpha.y), alpha.z = vf_fnma(omega.y, rate, alpha.z), omega.x = omega.x + rate;
            else if (b->turn == TURN_Y) alpha.z = vf_fma(omega.x, rate, alpha.z), alpha.x = vf_fnma(omega.z, rate, alpha.x), omega.y = omega.y + rate;
            else alpha.x = vf_fma(omega.y, rate, alpha.x), alpha.y = vf_fnma(omega.x, rate, alpha.y), omega.z = omega.z + rate;
        } else {
            const v3 rate = v3_scale(w->u[b->v], v3_uniform(b->axis));
            alpha = v3_cross_add(omega, rate, alpha);
            omega = v3_add(omega, rate);
        }
    }
    v3_store(w->omega + 3 * i, omega);
    alpha_of[i] = alpha, acc_of[i] = acc;
    const inertia c = inertia_own(p, b);
    /* f = m a + alpha x h + omega x (omega x h);  n = I alpha + omega x I omega + h x a, about the origin */
    const v3 force = v3_fma(c.m, acc, v3_cross_add(omega, v3_cross(omega, c.h), v3_cross(alpha, c.h)));
    const v3 moment = v3_add(inertia_mul(&c, alpha), v3_cross_add(omega, inertia_mul(&c, omega), v3_cross(c.h, acc)));
    v3_store(w->force + 6 * i, force);
    v3_store(w->force + 6 * i + 3, moment);
    if (!b->leaf) inertia_store(w->comp + 10 * i, &c);
}

/* The caller's wrench on body i, world axes at the body origin, taken off the force that the joints must carry. A lane
 * without one is left untouched to the bit. */
static inline void external_wrench(const part *p, int i) {
    workspace *w = p->w;
    vf x[6];
    vm some = vm_none();
    for (int k = 0; k < 6; k++) {
        x[k] = field(p, MYR_ROWS_wrench, 6 * i + k);
        some = vm_or(some, vm_not(vm_eq(x[k], vf_zero())));
    }
    if (!vm_any(some)) return;
    const vf *R0 = w->R0 + 9 * p->r->bodies[i].tree, *R = w->R + 9 * i;
    for (int half = 0; half < 2; half++) {
        const v3 local = m3_mul_t(R, m3_mul_t(R0, v3_load(x + 3 * half))), old = v3_load(w->force + 6 * i + 3 * half);
        v3_store(w->force + 6 * i + 3 * half, v3_select(some, v3_sub(old, local), old));
    }
}

/* The column of one dof, carried from its body to the base; every ancestor's dof on the way gets its entry. */
static inline void mass_column(const part *p, int i, int k, const inertia *c) {
    const robot *r = p->r;
    workspace *w = p->w;
    const lane_body *b = &r->bodies[i];
    vf *out = w->M + r->m_row[b->v + k];
    v3 force, moment;
    unit_wrench(b, k, c, &force, &moment);
    for (int j = k; j >= 0; j--) out[b->depth + j] = wrench_along(b, j, force, moment);
    for (int at = i; b->parent >= 0; at = b->parent, b = &r->bodies[at]) {
        force = turn_up(w, b, at, force);
        moment = v3_cross_add(joint_offset(p, b), force, turn_up(w, b, at, moment));
        const lane_body *up = &r->bodies[b->parent];
        if (up->joint == MYR_JOINT_FREE) {
            v3_store(out + up->depth, force);
            v3_store(out + up->depth + 3, moment);
        } else {
            for (int j = 0; j < up->nv; j++) out[up->depth + j] = wrench_along(up, j, force, moment);
        }
    }
}

static void dynamics(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    v3 *alpha = (v3 *)(void *)w->Y, *acc = alpha + r->n_bodies; /* Y's room: it is not in use yet */
    for (int i = 0; i < r->n_bodies; i++) newton_euler(p, i, alpha, acc);
    if (p->options->varied & MYR_VARIED_WRENCH)
        for (int i = 0; i < r->n_bodies; i++) external_wrench(p, i);
    for (int i = r->n_bodies - 1; i >= 0; i--) {
        const lane_body *b = &r->bodies[i];
        const inertia c = b->leaf ? inertia_own(p, b) : inertia_load(w->comp + 10 * i);
        const v3 force = v3_load(w->force + 6 * i), moment = v3_load(w->force + 6 * i + 3);
        for (int k = 0; k < b->nv; k++) {
            w->h[b->v + k] = wrench_along(b, k, force, moment);
            mass_column(p, i, k, &c);
        }
        if (b->parent < 0) continue;
        const v3 offset = joint_offset(p, b), f = turn_up(w, b, i, force);
        const v3 n = v3_cross_add(offset, f, turn_up(w, b, i, moment));
        vf *up = w->force + 6 * b->parent;
        v3_store(up, v3_add(v3_load(up), f));
        v3_store(up + 3, v3_add(v3_load(up + 3), n));
        const inertia moved = inertia_up(w, b, i, c, offset);
        vf *sum = w->comp + 10 * b->parent;
        sum[0] = sum[0] + moved.m;
        v3_store(sum + 1, v3_add(v3_load(sum + 1), moved.h));
        sum[4] = sum[4] + moved.xx, sum[5] = sum[5] + moved.yy, sum[6] = sum[6] + moved.zz;
        sum[7] = sum[7] + moved.xy, sum[8] = sum[8] + moved.xz, sum[9] = sum[9] + moved.yz;
    }
}

#endif
