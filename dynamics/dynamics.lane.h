/* dynamics: poses, v -> mass matrix M and bias force h of  M dv/dt + h = tau.
 *
 * h by recursive Newton-Euler, M by composite bodies. The base moves with zero linear velocity (Galilean invariance);
 * gravity enters as an acceleration of the base. Rows of M: ancestors root first (robot.lane.h).
 *
 * Any tree is computed in the axes of its base, with each body's own origin as the point of reference. Turning a body's inertia into these
 * axes costs fifty operations. What it buys: nothing is ever turned again, so the force of a joint's column is carried inwards unchanged,
 * an entry of M is three products, and a joint about any axis takes the same code as one about x. The origins stay the bodies' own, because
 * a moment about a far point loses what float knows of a light hand. */
#ifndef MYR_DYNAMICS_DYNAMICS_LANE_H
#define MYR_DYNAMICS_DYNAMICS_LANE_H

#include "legs_dynamics.lane.h"

/* The motion of a body whose parent moves by m: across its joint. */
INLINE void move_out(const workspace *w, const lane_body *b, int i, motion *m) {
    m->acc = m3_mul_add(m->k, v3_load(w->arm + 3 * i), m->acc);
    v3 rate = v3_scale(w->u[b->v], v3_load(w->axis + 3 * b->v));
    if (b->joint == MYR_JOINT_PRISMATIC) { /* 2 omega x (axis rate); nothing turns */
        m->acc = v3_cross_add(v3_scale(vf_set(2), m->omega), rate, m->acc);
        return;
    }
    for (int k = b->v + 1; k < b->v + b->nv; k++) rate = v3_fma(w->u[k], v3_load(w->axis + 3 * k), rate);
    m->alpha = v3_cross_add(m->omega, rate, m->alpha);
    m->omega = v3_add(m->omega, rate);
    motion_matrix(m->omega, m->alpha, m->k);
}

/* Outwards: motion, and the force and moment that each body's own inertia asks for. */
static inline void newton_euler(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const v3 gravity = {field(p, MYR_ROWS_gravity, 0), field(p, MYR_ROWS_gravity, 1), field(p, MYR_ROWS_gravity, 2)};
    const int wrench = (p->options->varied & MYR_VARIED_WRENCH) != 0;
    vf *forks = w->Y; /* its room: it is not in use yet. Motion of bodies which others hang on that do not follow them */
    const motion still = {.acc = {-gravity.x, -gravity.y, -gravity.z}}; /* of the world, where gravity is an acceleration */
    motion m = still;
    for (int i = 0; i < r->n_bodies; i++) {
        const lane_body *b = &r->bodies[i];
        if (b->joint == MYR_JOINT_FREE) {
            const v3 down = m3_mul_t(w->R0 + 9 * b->tree, gravity);
            m = (motion){.omega = v3_load(w->u + b->v + 3), .alpha = v3_zero(), .acc = {-down.x, -down.y, -down.z}};
            motion_matrix(m.omega, m.alpha, m.k);
        } else {
            if (b->parent < 0) {
                m = still;
            } else if (!b->follows) {
                const vf *at = forks + 9 * b->parent;
                m.omega = v3_load(at), m.alpha = v3_load(at + 3), m.acc = v3_load(at + 6);
                motion_matrix(m.omega, m.alpha, m.k);
            }
            move_out(w, b, i, &m);
        }
        if (b->forks) {
            v3_store(forks + 9 * i, m.omega);
            v3_store(forks + 9 * i + 3, m.alpha);
            v3_store(forks + 9 * i + 6, m.acc);
        }
        const inertia c = inertia_load(w->comp + 10 * i);
        v3 force, moment;
        own_wrench(&c, &m, &force, &moment);
        if (wrench) external_wrench(p, i, NULL, &force, &moment);
        v3_store(w->force + 6 * i, force);
        v3_store(w->force + 6 * i + 3, moment);
    }
}

/* The column of a hinge of body i, carried to the base: all dofs on the way get their entry, its own first. `out` is behind that. Nothing
 * but hinges is above it, and maybe a floating root. */
static inline void hinge_column(const part *p, int i, v3 force, v3 moment, vf *out) {
    const workspace *w = p->w;
    for (const lane_body *b = &p->r->bodies[i]; b->hinges; b = &p->r->bodies[i]) {
        const vf *arm = w->arm + 3 * i, *axis = w->axis + 3 * b->v;
        for (int n = b->hinges; n > 0; n--, arm -= 3, axis -= 3) {
            *--out = v3_dot(moment, v3_load(axis));
            moment = v3_cross_add(v3_load(arm), force, moment);
        }
        i = b->above;
        if (i < 0) return;
    }
    v3_store(out - 6, force);
    v3_store(out - 3, moment);
}

/* The same of dof k of a body, whatever is above it. */
static __attribute__((noinline)) void any_column(const part *p, int i, int k, v3 force, v3 moment, vf *out) {
    const workspace *w = p->w;
    for (const lane_body *b = &p->r->bodies[i]; !b->only_hinges && b->joint != MYR_JOINT_FREE; k = b->nv - 1) {
        for (; k >= 0; k--) *--out = v3_dot(b->joint == MYR_JOINT_PRISMATIC ? force : moment, v3_load(w->axis + 3 * (b->v + k)));
        moment = v3_cross_add(v3_load(w->arm + 3 * i), force, moment);
        i = b->parent, b = &p->r->bodies[i];
        if (i < 0) return;
    }
    hinge_column(p, i, force, moment, out);
}

/* Rows of M of a joint that carries c, and its bias. */
static inline void joint_rows_of_mass(const part *p, int i, const inertia *c, v3 force, v3 moment) {
    workspace *w = p->w;
    const lane_body *b = &p->r->bodies[i];
    if (b->only_hinges) {
        const v3 axis = v3_load(w->axis + 3 * b->v);
        w->h[b->v] = v3_dot(moment, axis);
        hinge_column(p, i, v3_cross(axis, c->h), inertia_mul(c, axis), w->M + b->row_end);
        return;
    }
    const int linear = b->joint == MYR_JOINT_PRISMATIC;
    for (int k = 0; k < b->nv; k++) {
        const v3 axis = v3_load(w->axis + 3 * (b->v + k)); /* force and moment that accelerate c along it by one unit */
        const v3 f = linear ? v3_scale(c->m, axis) : v3_cross(axis, c->h), n = linear ? v3_cross(c->h, axis) : inertia_mul(c, axis);
        w->h[b->v + k] = v3_dot(linear ? force : moment, axis);
        any_column(p, i, k, f, n, w->M + p->r->m_row[b->v + k] + b->depth + k + 1);
    }
}

/* Inwards: what a body carries goes on in registers to the one that it follows, and is added in memory to any other parent. */
static inline void composite_bodies(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    inertia c = {0};
    v3 force = v3_zero(), moment = v3_zero();
    for (int i = r->n_bodies - 1, carries = 0; i >= 0; i--) {
        const lane_body *b = &r->bodies[i];
        vf *wrench = w->force + 6 * i, *comp = w->comp + 10 * i;
        if (!carries) c = (inertia){0}, force = moment = v3_zero();
        const inertia own = inertia_load(comp);
        inertia_add(&c, &own);
        force = v3_add(force, v3_load(wrench)), moment = v3_add(moment, v3_load(wrench + 3));
        if (b->joint == MYR_JOINT_FREE) {
            root_rows_of_mass(&c, force, moment, w->M + r->m_row[b->v], w->h + b->v);
            carries = 0;
            continue;
        }
        joint_rows_of_mass(p, i, &c, force, moment);
        carries = b->follows;
        if (b->parent < 0) continue;
        const v3 arm = v3_load(w->arm + 3 * i);
        moment = v3_cross_add(arm, force, moment);
        inertia_shift(&c, c.h, arm);
        if (carries) continue;
        vf *up = w->force + 6 * b->parent;
        v3_store(up, v3_add(v3_load(up), force));
        v3_store(up + 3, v3_add(v3_load(up + 3), moment));
        vf *whole = w->comp + 10 * b->parent;
        inertia sum = inertia_load(whole);
        inertia_add(&sum, &c);
        inertia_store(whole, &sum);
    }
}

static void dynamics_tree(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    for (int i = 0; i < r->n_bodies; i++) {
        const inertia own = inertia_own(p, &r->bodies[i]), c = inertia_rotated(&own, w->R + 9 * i);
        inertia_store(w->comp + 10 * i, &c);
    }
    newton_euler(p);
    composite_bodies(p);
}

static void dynamics(const part *p) { p->r->variant->dynamics(p); }

#endif
