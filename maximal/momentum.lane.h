/* The variational integrator of Brüdigam 2021 in the tree's own coordinates.
 *
 * Their equation for a body, dt the step, w its angular velocity in the interval:
 *
 *     m (v - v1) - dt (m g + f)        = joints' and contacts' impulses
 *     pi+(w) - pi-(w1) - dt tau        = theirs about the centre of mass
 *     pi+-(w) = s J w +- eta x J w,    eta = dt w / 2,  s = sqrt(1 - eta^2)
 *
 * pi+ is the momentum of an interval as it begins, pi- as it ends; both are one vector in space, so no turning of a body alone changes it.
 * The impulses of joints do no work in any motion that the joints allow. So the sum over bodies of what stands on the left, along each
 * dof, is the equation that is left, and joints cannot open: the poses are those of q.
 *
 * With the increments of the step before (from -dt u), whose eta has the other sign, pi-(w1) is -pi+: the left side is P(step) + P(step
 * before) for one and the same P. Both are summed along the dofs, so the second is n_v numbers that a step computes once.
 *
 * Bodies are numbered depth first: after a body comes its first child, or all that it carries is known. So one pass goes out along a limb
 * and comes back in while what it needs is near. */
#ifndef MYR_MAXIMAL_MOMENTUM_LANE_H
#define MYR_MAXIMAL_MOMENTUM_LANE_H

#include "increments.lane.h"

/* mass, centre of mass from the origin, inertia about it (xx yy zz xy xz yz); base axes */
typedef struct central {
    vf m;
    v3 com;
    inertia J;
} central;

enum { CENTRAL = 10 };

static inline central central_load(const vf *a) {
    return (central){a[0], v3_load(a + 1), {.xx = a[4], .yy = a[5], .zz = a[6], .xy = a[7], .xz = a[8], .yz = a[9]}};
}

/* mw->central of body i. */
static inline void central_inertia(const part *p, int i) {
    const inertia own = inertia_own(p, &p->r->bodies[i]), c = inertia_rotated(&own, p->w->R + 9 * i);
    const vm heavy = vm_gt(c.m, vf_zero());
    const v3 r = v3_scale(vf_select(heavy, vf_set(1) / vf_select(heavy, c.m, vf_set(1)), vf_zero()), c.h), h = c.h;
    const vf xx = h.x * r.x, yy = h.y * r.y, zz = h.z * r.z;
    vf *out = maximal_of(p)->central + CENTRAL * i;
    out[0] = c.m;
    v3_store(out + 1, r);
    out[4] = c.xx - (yy + zz), out[5] = c.yy - (xx + zz), out[6] = c.zz - (xx + yy);
    out[7] = vf_fma(h.x, r.y, c.xy), out[8] = vf_fma(h.x, r.z, c.xz), out[9] = vf_fma(h.y, r.z, c.yz);
}

/* Force and moment, impulse and moment, or velocity of the origin and angular velocity. */
typedef struct screw {
    v3 linear, angular;
} screw;

static inline screw screw_load(const vf *a) { return (screw){v3_load(a), v3_load(a + 3)}; }
static inline void screw_store(vf *a, screw s) {
    v3_store(a, s.linear);
    v3_store(a + 3, s.angular);
}

/* What the momentum of a body asks for in a step that it goes this way. A wheel is carried by its parent, and spins in it: `spins` is what
 * it has by spinning, carried along; of others NULL. */
INLINE screw momentum(const part *p, const central *c, increment way, const v3 *spins) {
    const quat t = way.turned;
    v3 spin = v3_scale(vf_set(2 * p->per_dt), inertia_mul(&c->J, t.eta));
    if (spins) spin = v3_add(*spins, spin);
    const v3 impulse = v3_scale(c->m * vf_set(p->per_dt), v3_add(way.shift, quat_moves(t, c->com)));
    return (screw){impulse, v3_cross_add(c->com, impulse, v3_cross_add(t.eta, spin, v3_scale(t.s, spin)))};
}

/* out += what body i and all that it carries ask for along its dofs. */
static inline void momentum_put(const part *p, const lane_body *b, screw a, vf *out) {
    const vf *axis = p->w->axis + 3 * b->v;
    out += b->v;
    if (b->hinges) {
        out[0] = out[0] + v3_dot(v3_load(axis), a.angular);
    } else if (b->joint == MYR_JOINT_FREE) {
        v3_store(out, v3_add(v3_load(out), a.linear));
        v3_store(out + 3, v3_add(v3_load(out + 3), a.angular));
    } else {
        const v3 along = b->joint == MYR_JOINT_PRISMATIC ? a.linear : a.angular;
        for (int k = 0; k < b->nv; k++) out[k] = out[k] + v3_dot(v3_load(axis + 3 * k), along);
    }
}

/* From body i inwards to `next`, which carries the next body, -1: none. All that is behind is whole. w->force of those on the way has what
 * they ask for themselves, and what has come in to them. */
static inline void momentum_inwards(const part *p, int i, int next, vf *out) {
    const workspace *w = p->w;
    screw a = screw_load(w->force + 6 * i);
    if (i == next) return;
    do {
        const lane_body *b = &p->r->bodies[i];
        momentum_put(p, b, a, out);
        if (b->parent < 0) return;
        const screw own = screw_load(w->force + 6 * b->parent);
        a.angular = v3_add(own.angular, v3_cross_add(v3_load(w->arm + 3 * i), a.linear, a.angular));
        a.linear = v3_add(own.linear, a.linear);
        i = b->parent;
    } while (i != next);
    screw_store(w->force + 6 * i, a);
}

/* w->force of bodies i .. end - 1 less what the caller's wrench gives them. */
static void momentum_wrenches(const part *p, int i, int end) {
    const vf dt = vf_set(p->dt);
    for (; i < end; i++) {
        v3 force = v3_zero(), torque = v3_zero();
        external_wrench(p, i, NULL, &force, &torque);
        screw a = screw_load(p->w->force + 6 * i);
        a.linear = v3_fma(dt, force, a.linear), a.angular = v3_fma(dt, torque, a.angular);
        screw_store(p->w->force + 6 * i, a);
    }
}

/* Of all bodies: largest impulse, least s of a turn, largest square of a rate of turning at a joint. */
typedef struct extremes {
    vf largest, least, most;
} extremes;

static inline void extremes_see(extremes *e, screw a, quat turned, vf rate2) {
    e->least = vf_min(e->least, turned.s), e->most = vf_max(e->most, rate2);
    e->largest = vf_max(e->largest, vf_max(vf_max(vf_abs(a.linear.x), vf_abs(a.linear.y)), vf_abs(a.linear.z)));
}

/* w->force, mw->shift and mw->turned of the hinges i .. end - 1, each of which carries the next. `falls`: by how much less all are shifted.
 */
INLINE void momentum_chain(const part *p, int i, int end, const vf *u, vf dt, v3 falls, extremes *e) {
    const workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const lane_body *b = &p->r->bodies[i];
    const vf *arm = w->arm + 3 * i, *axis = w->axis + 3 * b->v, *c = mw->central + CENTRAL * i;
    vf *shift = mw->shift + 3 * i, *turned = mw->turned + 4 * i, *force = w->force + 6 * i;
    increment way = increment_load(mw, b->parent);
    for (u += b->v; i < end; i++, u++) {
        const central own = central_load(c);
        way = increment_hinge(way, v3_load(arm), v3_load(axis), *u, dt);
        v3_store(shift, way.shift);
        quat_store(turned, way.turned);
        const screw a = momentum(p, &own, (increment){v3_sub(way.shift, falls), way.turned}, NULL);
        extremes_see(e, a, way.turned, *u * *u);
        screw_store(force, a);
        arm += 3, axis += 3, c += CENTRAL, shift += 3, turned += 4, force += 6;
    }
}

/* The same of any one body. */
static __attribute__((noinline)) void momentum_any(const part *p, int i, const vf *u, vf dt, v3 falls, extremes *e) {
    const lane_body *b = &p->r->bodies[i];
    const workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const central c = central_load(mw->central + CENTRAL * i);
    vf rate2;
    increment way = increment_any(p, i, u, dt, &rate2);
    v3_store(mw->shift + 3 * i, way.shift);
    quat_store(mw->turned + 4 * i, way.turned);
    const vf forwards = b->wheel ? u[b->v] : vf_zero(), rate = vf_select(vm_lt(dt, vf_zero()), -forwards, forwards);
    const v3 spins = v3_scale(rate, inertia_mul(&c.J, v3_load(w->axis + 3 * b->v)));
    way.shift = v3_sub(way.shift, falls);
    const screw a = momentum(p, &c, way, b->wheel ? &spins : NULL);
    extremes_see(e, a, way.turned, rate2);
    screw_store(w->force + 6 * i, a);
}

static inline int momentum_is_chain(const lane_body *b) { return b->hinges && !b->wheel && b->parent >= 0; }

/* out += P of the step u or, with `before`, of the step that came here with u, less what is given in this one, along each dof. The
 * increments become that step's; mw->momentum, mw->least_turn and mw->most_rate are of it. */
INLINE void momentum_along(const part *p, const vf *u, vf *out, const int before) {
    const robot *r = p->r;
    workspace *w = p->w;
    maximal_workspace *mw = maximal_of(p);
    const int wrench = before && (p->options->varied & MYR_VARIED_WRENCH);
    const vf dt = vf_set(before ? -p->dt : p->dt), dt2 = dt * dt;
    extremes e = {vf_zero(), vf_set(1), vf_zero()};
    v3 falls = v3_zero();
    for (int i = 0, end; i < r->n_bodies; i = end) {
        const lane_body *b = &r->bodies[i];
        if (before && (i == 0 || b->tree != b[-1].tree)) { /* an impulse of dt m g is a shift of dt^2 g */
            const v3 g = {field(p, MYR_ROWS_gravity, 0), field(p, MYR_ROWS_gravity, 1), field(p, MYR_ROWS_gravity, 2)};
            falls = v3_scale(dt2, r->tree_floating[b->tree] ? m3_mul_t(w->R0 + 9 * b->tree, g) : g);
        }
        end = i + 1;
        if (momentum_is_chain(b)) {
            while (end < r->n_bodies && r->bodies[end].follows && momentum_is_chain(&r->bodies[end])) end++;
            momentum_chain(p, i, end, u, dt, falls, &e);
        } else {
            momentum_any(p, i, u, dt, falls, &e);
        }
        if (wrench) momentum_wrenches(p, i, end);
        momentum_inwards(p, end - 1, end < r->n_bodies ? r->bodies[end].parent : -1, out);
    }
    mw->momentum = e.largest, mw->least_turn = e.least, mw->most_rate = e.most;
}

/* out += w->force of all bodies along each dof. */
static void momentum_more(const part *p, vf *out) {
    const workspace *w = p->w;
    for (int i = p->r->n_bodies - 1; i >= 0; i--) {
        const lane_body *b = &p->r->bodies[i];
        const screw a = screw_load(w->force + 6 * i);
        momentum_put(p, b, a, out);
        if (b->parent < 0) continue;
        const screw up = screw_load(w->force + 6 * b->parent);
        const v3 moment = v3_cross_add(v3_load(w->arm + 3 * i), a.linear, a.angular);
        screw_store(w->force + 6 * b->parent, (screw){v3_add(up.linear, a.linear), v3_add(up.angular, moment)});
    }
}

/* mw->rest: what does not change while the step is sought, along each dof: the momentum that bodies come with, and what gravity, torques
 * and the caller's wrench give them. After `free`, which may have changed tau and extra. */
static void momentum_before(const part *p) {
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const vf dt = vf_set(p->dt);
    const vf *damping = p->options->varied & MYR_VARIED_JOINT ? field_rows(p, MYR_ROWS_damping) : NULL;
    for (int k = 0; k < p->r->nv; k++) {
        const vf d = damping ? damping[PARTS * k] : vf_set(p->r->dof_damping[k]);
        mw->rest[k] = dt * vf_fms(d, w->u[k], w->tau[k]);
    }
    for (int i = 0; i < p->r->n_bodies; i++) central_inertia(p, i);
    momentum_along(p, w->u, mw->rest, 1);
}

/* out = what is left of the equation along each dof at the new velocities u, contacts aside [N s, N m s]; the increments become theirs. */
static void momentum_residual(const part *p, const vf *u, vf *out) {
    const workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    for (int k = 0; k < p->r->nv; k++) out[k] = vf_fma(w->extra[k], u[k] - w->u[k], mw->rest[k]);
    momentum_along(p, u, out, 0);
}

#endif
