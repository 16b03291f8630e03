/* dynamics: poses, v -> mass matrix M and bias force h of  M dv/dt + h = tau.
 *
 * h by recursive Newton-Euler, M by composite bodies, both in the bodies' own aligned frames: the moves between a
 * body and its parent are turns about one axis, and with inertias kept about the joint origin the column of a joint
 * about e_k is a column of the composite inertia. The base moves with zero linear velocity (Galilean invariance);
 * gravity enters as an acceleration of the base. Rows of M: ancestors root first (robot.lane.h). */
#ifndef MYR_DYNAMICS_DYNAMICS_LANE_H
#define MYR_DYNAMICS_DYNAMICS_LANE_H

#include "legs_dynamics.lane.h"

static inline int dof_is_linear(const lane_body *b, int k) {
    return b->joint == MYR_JOINT_PRISMATIC || (b->joint == MYR_JOINT_FREE && k < 3);
}

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
        if (b->turn == TURN_X)
            *force = (v3){zero, -(s * h.z), s * h.y}, *moment = (v3){s * c->xx, s * c->xy, s * c->xz};
        else if (b->turn == TURN_Y)
            *force = (v3){s * h.z, zero, -(s * h.x)}, *moment = (v3){s * c->xy, s * c->yy, s * c->yz};
        else
            *force = (v3){-(s * h.y), s * h.x, zero}, *moment = (v3){s * c->xz, s * c->yz, s * c->zz};
        return;
    }
    const v3 a = dof_axis(b, k);
    if (dof_is_linear(b, k))
        *force = v3_scale(c->m, a), *moment = v3_cross(h, a);
    else
        *force = v3_cross(a, h), *moment = inertia_mul(c, a);
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
            if (b->turn == TURN_X)
                alpha.y = vf_fma(omega.z, rate, alpha.y), alpha.z = vf_fnma(omega.y, rate, alpha.z), omega.x = omega.x + rate;
            else if (b->turn == TURN_Y)
                alpha.z = vf_fma(omega.x, rate, alpha.z), alpha.x = vf_fnma(omega.z, rate, alpha.x), omega.y = omega.y + rate;
            else
                alpha.x = vf_fma(omega.y, rate, alpha.x), alpha.y = vf_fnma(omega.x, rate, alpha.y), omega.z = omega.z + rate;
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
    v3 force = v3_fma(c.m, acc, v3_cross_add(omega, v3_cross(omega, c.h), v3_cross(alpha, c.h)));
    v3 moment = v3_add(inertia_mul(&c, alpha), v3_cross_add(omega, inertia_mul(&c, omega), v3_cross(c.h, acc)));
    if (p->options->varied & MYR_VARIED_WRENCH) external_wrench(p, i, &force, &moment);
    v3_store(w->force + 6 * i, force);
    v3_store(w->force + 6 * i + 3, moment);
    if (!b->leaf) inertia_store(w->comp + 10 * i, &c);
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

static void dynamics_tree(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    v3 *alpha = (v3 *)(void *)w->Y, *acc = alpha + r->n_bodies; /* Y's room: it is not in use yet */
    for (int i = 0; i < r->n_bodies; i++) newton_euler(p, i, alpha, acc);
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
        inertia sum = inertia_load(w->comp + 10 * b->parent);
        inertia_add(&sum, &moved);
        inertia_store(w->comp + 10 * b->parent, &sum);
    }
}

static void dynamics(const part *p) { p->r->variant->dynamics(p); }

#endif
