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
 * before) for one and the same P. */
#ifndef MYR_DYNAMICS_MOMENTUM_LANE_H
#define MYR_DYNAMICS_MOMENTUM_LANE_H

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

/* w->central of all bodies. */
static void central_inertias(const part *p) {
    for (int i = 0; i < p->r->n_bodies; i++) {
        const inertia own = inertia_own(p, &p->r->bodies[i]), c = inertia_rotated(&own, p->w->R + 9 * i);
        const vm heavy = vm_gt(c.m, vf_zero());
        const v3 r = v3_scale(vf_select(heavy, vf_set(1) / vf_select(heavy, c.m, vf_set(1)), vf_zero()), c.h), h = c.h;
        const vf xx = h.x * r.x, yy = h.y * r.y, zz = h.z * r.z;
        vf *out = p->w->central + CENTRAL * i;
        out[0] = c.m;
        v3_store(out + 1, r);
        out[4] = c.xx - (yy + zz), out[5] = c.yy - (xx + zz), out[6] = c.zz - (xx + yy);
        out[7] = vf_fma(h.x, r.y, c.xy), out[8] = vf_fma(h.x, r.z, c.xz), out[9] = vf_fma(h.y, r.z, c.yz);
    }
}

/* The impulse and its moment about the body's origin that its momentum asks for in the step of the present increments; `rates`: of the
 * joints over `dt`, for wheels. A wheel is carried by its parent, and spins in it: what it has by spinning is carried along. */
static inline void momentum(const part *p, int i, const vf *u, int back, v3 *impulse, v3 *moment) {
    const lane_body *b = &p->r->bodies[i];
    const workspace *w = p->w;
    const central c = central_load(w->central + CENTRAL * i);
    const quat t = quat_load(w->turned + 4 * i);
    const vf per_dt = vf_set((real)(1 / p->options->dt_s)), twice = vf_set((real)(2 / p->options->dt_s));
    v3 spin = v3_scale(twice, inertia_mul(&c.J, t.eta));
    if (b->wheel) {
        const v3 axis = v3_load(w->axis + 3 * b->v);
        spin = v3_fma(back ? -u[b->v] : u[b->v], inertia_mul(&c.J, axis), spin);
    }
    *impulse = v3_scale(c.m * per_dt, v3_add(v3_load(w->shift + 3 * i), quat_moves(t, c.com)));
    *moment = v3_cross_add(c.com, *impulse, v3_cross_add(t.eta, spin, v3_scale(t.s, spin)));
}

/* What does not change while the step is sought: w->before of each body, the momentum that it came with and what gravity and the caller's
 * wrench give it, and w->rest of each dof, what its torque gives. After `free`, which may have changed tau and extra. */
static void momentum_before(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const vf dt = vf_set(p->dt);
    const v3 gravity = {field(p, MYR_ROWS_gravity, 0), field(p, MYR_ROWS_gravity, 1), field(p, MYR_ROWS_gravity, 2)};
    const int wrench = (p->options->varied & MYR_VARIED_WRENCH) != 0;
    const vf *damping = p->options->varied & MYR_VARIED_JOINT ? field_rows(p, MYR_ROWS_damping) : NULL;
    central_inertias(p);
    increments(p, w->u, -dt);
    for (int i = 0; i < r->n_bodies; i++) {
        const lane_body *b = &r->bodies[i];
        const v3 down = r->tree_floating[b->tree] ? m3_mul_t(w->R0 + 9 * b->tree, gravity) : gravity;
        v3 impulse, moment, force = v3_zero(), torque = v3_zero();
        momentum(p, i, w->u, 1, &impulse, &moment);
        const v3 fall = v3_scale(dt * w->central[CENTRAL * i], down);
        if (wrench) external_wrench(p, i, NULL, &force, &torque);
        impulse = v3_fma(dt, force, v3_sub(impulse, fall));
        moment = v3_fma(dt, torque, v3_sub(moment, v3_cross(v3_load(w->central + CENTRAL * i + 1), fall)));
        v3_store(w->before + 6 * i, impulse);
        v3_store(w->before + 6 * i + 3, moment);
    }
    for (int k = 0; k < r->nv; k++) {
        const vf d = damping ? damping[PARTS * k] : vf_set(r->dof_damping[k]);
        w->rest[k] = dt * vf_fms(d, w->u[k], w->tau[k]);
    }
}

/* w->force: what the bodies' own equations leave at the new velocities u, about their origins; the increments become theirs. */
static void momentum_bodies(const part *p, const vf *u) {
    workspace *w = p->w;
    vf most = vf_zero();
    increments(p, u, vf_set(p->dt));
    for (int i = 0; i < p->r->n_bodies; i++) {
        v3 impulse, moment;
        momentum(p, i, u, 0, &impulse, &moment);
        most = vf_max(most, vf_max(vf_max(vf_abs(impulse.x), vf_abs(impulse.y)), vf_abs(impulse.z)));
        v3_store(w->force + 6 * i, v3_add(impulse, v3_load(w->before + 6 * i)));
        v3_store(w->force + 6 * i + 3, v3_add(moment, v3_load(w->before + 6 * i + 3)));
    }
    w->momentum = most;
}

/* out = the same along each dof, with what joints have of their own. */
static void momentum_along(const part *p, const vf *u, vf *out) {
    const robot *r = p->r;
    workspace *w = p->w;
    for (int i = r->n_bodies - 1; i >= 0; i--) {
        const lane_body *b = &r->bodies[i];
        const v3 impulse = v3_load(w->force + 6 * i);
        v3 moment = v3_load(w->force + 6 * i + 3);
        for (int k = b->v; k < b->v + b->nv; k++) out[k] = vf_fma(w->extra[k], u[k] - w->u[k], w->rest[k]);
        if (b->joint == MYR_JOINT_FREE) {
            v3_store(out + b->v, v3_add(v3_load(out + b->v), impulse));
            v3_store(out + b->v + 3, v3_add(v3_load(out + b->v + 3), moment));
            continue;
        }
        const v3 along = b->joint == MYR_JOINT_PRISMATIC ? impulse : moment;
        for (int k = b->v; k < b->v + b->nv; k++) out[k] = out[k] + v3_dot(v3_load(w->axis + 3 * k), along);
        if (b->parent < 0) continue;
        vf *up = w->force + 6 * b->parent;
        moment = v3_cross_add(v3_load(w->arm + 3 * i), impulse, moment);
        v3_store(up, v3_add(v3_load(up), impulse));
        v3_store(up + 3, v3_add(v3_load(up + 3), moment));
    }
}

/* out = what is left of the equation along each dof at the new velocities u, contacts aside [N s, N m s]; the increments become theirs. */
static void momentum_residual(const part *p, const vf *u, vf *out) {
    momentum_bodies(p, u);
    momentum_along(p, u, out);
}

#endif
