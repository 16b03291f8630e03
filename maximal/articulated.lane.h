/* The exact derivative of the equation of momentum.lane.h, solved in time linear in bodies.
 *
 * What a body's equation changes by when the end of the step changes is D T: D a 6 x 6 block, T the twist that its end pose gets per
 * velocity. Impulses are wrenches where the step begins, twists are at its end, both about the origin of the tree and in base axes, so
 * nothing is ever carried from body to body. A joint adds s3 du to its parent's twist, s3 its axis at the end, and takes s2' of the wrench,
 * s2 its axis at the beginning. So from the tips inwards, as for articulated bodies (Featherstone 1983) but not symmetric,
 *
 *     U = D s3,   V = D' s2,   pivot = s2' U + k,   D_parent += D - U V' / pivot
 *
 * where k is what the equation has on the joint's diagonal. M is D at a step of no length: the chord iteration takes it for all steps, and
 * needs many passes, or comes to no end, where bodies turn by half a radian in one. Balls and free joints take half of the turn for s3,
 * which is its derivative to second order. */
#ifndef MYR_MAXIMAL_ARTICULATED_LANE_H
#define MYR_MAXIMAL_ARTICULATED_LANE_H

#include "momentum.lane.h"

static inline vf screw_dot(screw a, screw b) { return v3_dot(a.linear, b.linear) + v3_dot(a.angular, b.angular); }
static inline screw screw_fma(vf s, screw a, screw b) { return (screw){v3_fma(s, a.linear, b.linear), v3_fma(s, a.angular, b.angular)}; }

static inline screw screw_select(vm m, screw a, screw b) {
    return (screw){v3_select(m, a.linear, b.linear), v3_select(m, a.angular, b.angular)};
}

/* Rows of a 6 x 6 block times a, and its columns. */
static inline screw block_times(const vf *D, screw a) {
    vf out[6];
    for (int i = 0; i < 6; i++) out[i] = v3_dot(v3_load(D + 6 * i), a.linear) + v3_dot(v3_load(D + 6 * i + 3), a.angular);
    return screw_load(out);
}
static inline screw block_times_t(const vf *D, screw a) {
    const vf b[6] = {a.linear.x, a.linear.y, a.linear.z, a.angular.x, a.angular.y, a.angular.z};
    screw sum = {v3_zero(), v3_zero()};
    for (int i = 0; i < 6; i++) sum = screw_fma(b[i], screw_load(D + 6 * i), sum);
    return sum;
}

/* Change of a body's angular momentum about its centre of mass by a turn of its end pose at rate `omega`. spin: as in momentum. */
static inline v3 spin_change(const central *c, quat t, v3 spin, vf half_dt, v3 omega) {
    const v3 g = v3_cross_add(omega, t.eta, v3_scale(t.s, omega)), Jg = inertia_mul(&c->J, g);
    const v3 own = v3_cross_add(t.eta, Jg, v3_scale(t.s, Jg));
    return v3_fma(half_dt, v3_cross_add(g, spin, v3_scale(-v3_dot(omega, t.eta), spin)), own);
}

/* D of body i alone. */
static void body_block(const part *p, int i, const vf *u, vf *D) {
    const workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const lane_body *b = &p->r->bodies[i];
    const central c = central_load(mw->central + CENTRAL * i);
    const quat t = quat_load(mw->turned + 4 * i);
    const vf m = c.m, zero = vf_zero(), one = vf_set(1), half_dt = vf_set((real)0.5 * p->dt);
    const v3 x2 = v3_add(v3_load(w->p + 3 * i), c.com), goes = v3_add(v3_load(mw->shift + 3 * i), quat_moves(t, c.com));
    const v3 x3 = v3_add(x2, goes), mx2 = v3_scale(m, x2), mx3 = v3_scale(m, x3);
    v3 spin = v3_scale(vf_set(2 * p->per_dt), inertia_mul(&c.J, t.eta));
    if (b->wheel) spin = v3_fma(u[b->v], inertia_mul(&c.J, v3_load(w->axis + 3 * b->v)), spin);
    const vf force[18] = {m, zero, zero, zero, mx3.z, -mx3.y, zero, m, zero, -mx3.z, zero, mx3.x, zero, zero, m, mx3.y, -mx3.x, zero};
    const vf cross[9] = {zero, -mx2.z, mx2.y, mx2.z, zero, -mx2.x, -mx2.y, mx2.x, zero};
    const vf along = v3_dot(mx2, x3);
    const v3 unit[3] = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
    const vf at2[3] = {mx2.x, mx2.y, mx2.z};
    memcpy(D, force, sizeof force);
    for (int k = 0; k < 3; k++) { /* x2 x (omega x x3) = omega (x2 . x3) - x3 (x2 . omega) */
        const v3 own = spin_change(&c, t, spin, half_dt, unit[k]);
        const v3 column = v3_fma(along, unit[k], v3_sub(own, v3_scale(at2[k], x3)));
        D[21 + k] = column.x, D[27 + k] = column.y, D[33 + k] = column.z;
        for (int a = 0; a < 3; a++) D[18 + 6 * a + k] = cross[3 * a + k];
    }
}

/* The axes of dof k of body i: where the step begins and where it ends; of a wheel, which spins without moving, none at the end. */
static inline void joint_screws(const part *p, int i, int k, const vf *u, screw *begin, screw *end) {
    const lane_body *b = &p->r->bodies[i];
    const workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const real unit[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
    const int linear = dof_is_linear(b, k), free = b->joint == MYR_JOINT_FREE;
    const v3 axis = free ? v3_uniform(unit) : v3_load(w->axis + 3 * (b->v + k)), at = v3_load(w->p + 3 * i);
    const v3 at_end = v3_add(at, v3_load(mw->shift + 3 * i));
    *begin = linear ? (screw){axis, v3_zero()} : (screw){free ? v3_zero() : v3_cross(at, axis), axis};
    v3 turned = axis;
    if (b->nv == 1) {
        turned = v3_add(axis, quat_moves(quat_load(mw->turned + 4 * i), axis));
    } else if (!linear) {
        const int first = free ? b->v + 3 : b->v;
        v3 rate = free ? v3_load(u + first) : v3_zero();
        for (int e = 0; e < 3 && !free; e++) rate = v3_fma(u[first + e], v3_load(w->axis + 3 * (first + e)), rate);
        turned = v3_add(axis, quat_moves(quat_of(rate, vf_set((real)0.5 * p->dt)), axis));
        if (b->parent >= 0) turned = v3_add(turned, quat_moves(quat_load(mw->turned + 4 * b->parent), turned));
    }
    *end = linear ? (screw){turned, v3_zero()} : (screw){v3_cross(at_end, turned), turned};
    if (b->wheel) *end = (screw){v3_zero(), v3_zero()};
}

/* What the spin of a wheel gives its own wrench. */
static inline screw wheel_column(const part *p, int i) {
    const workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const central c = central_load(mw->central + CENTRAL * i);
    const quat t = quat_load(mw->turned + 4 * i);
    const v3 J = inertia_mul(&c.J, v3_load(w->axis + 3 * p->r->bodies[i].v));
    return (screw){v3_zero(), v3_cross_add(t.eta, J, v3_scale(t.s, J))};
}

/* mw->block and w->force: blocks of the bodies, and what pushes them beside x. Who pushes adds to these before the solve. mw->diagonal: k.
 */
static void articulated_open(const part *p, const vf *u) {
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    for (int i = 0; i < p->r->n_bodies; i++) {
        body_block(p, i, u, mw->block + 36 * i);
        screw_store(w->force + 6 * i, (screw){v3_zero(), v3_zero()});
    }
    for (int k = 0; k < p->r->nv; k++) mw->diagonal[k] = w->extra[k];
}

/* Eliminates the joints of A, the derivative of momentum_residual at the velocities u, whose increments are the present ones, with what has
 * been added to the blocks since articulated_open. */
static void articulated_factor(const part *p, const vf *u) {
    const robot *r = p->r;
    const maximal_workspace *mw = maximal_of(p);
    const vf one = vf_set(1);
    for (int i = r->n_bodies - 1; i >= 0; i--) {
        const lane_body *b = &r->bodies[i];
        vf *D = mw->block + 36 * i;
        for (int k = b->nv - 1; k >= 0; k--) {
            const int dof = b->v + k;
            screw begin, end;
            joint_screws(p, i, k, u, &begin, &end);
            const screw U = b->wheel ? wheel_column(p, i) : block_times(D, end), V = block_times_t(D, begin);
            const vf inverse = one / (screw_dot(begin, U) + mw->diagonal[dof]);
            const vf rows[6] = {U.linear.x, U.linear.y, U.linear.z, U.angular.x, U.angular.y, U.angular.z};
            mw->pivot_inverse[dof] = inverse;
            screw_store(mw->screw_begin + 6 * dof, begin);
            screw_store(mw->screw_column + 6 * dof, U);
            screw_store(mw->screw_end + 6 * dof, end);
            screw_store(mw->screw_row + 6 * dof, (screw){v3_scale(inverse, V.linear), v3_scale(inverse, V.angular)});
            for (int e = 0; e < 6; e++) {
                const screw row = screw_load(D + 6 * e);
                screw_store(D + 6 * e, screw_fma(-(inverse * rows[e]), V, row));
            }
        }
        if (b->parent < 0) continue;
        vf *to = mw->block + 36 * b->parent;
        for (int e = 0; e < 36; e++) to[e] = to[e] + D[e];
    }
}

/* x <- A^-1 x with these factors. w->force: what pushes each body beside x; then the twist that x gives it. */
static void articulated_substitute(const part *p, vf *x) {
    const robot *r = p->r;
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const vf one = vf_set(1);
    for (int i = r->n_bodies - 1; i >= 0; i--) {
        const lane_body *b = &r->bodies[i];
        screw bias = screw_load(w->force + 6 * i);
        for (int dof = b->v + b->nv - 1; dof >= b->v; dof--) {
            x[dof] = mw->pivot_inverse[dof] * (x[dof] - screw_dot(screw_load(mw->screw_begin + 6 * dof), bias));
            bias = screw_fma(x[dof], screw_load(mw->screw_column + 6 * dof), bias);
        }
        if (b->parent >= 0) screw_store(w->force + 6 * b->parent, screw_fma(one, bias, screw_load(w->force + 6 * b->parent)));
    }
    for (int i = 0; i < r->n_bodies; i++) {
        const lane_body *b = &r->bodies[i];
        screw twist = b->parent < 0 ? (screw){v3_zero(), v3_zero()} : screw_load(w->force + 6 * b->parent);
        for (int dof = b->v; dof < b->v + b->nv; dof++) {
            x[dof] = x[dof] - screw_dot(screw_load(mw->screw_row + 6 * dof), twist);
            twist = screw_fma(x[dof], screw_load(mw->screw_end + 6 * dof), twist);
        }
        screw_store(w->force + 6 * i, twist);
    }
}

/* Both. */
static void articulated_solve(const part *p, const vf *u, vf *x) {
    articulated_factor(p, u);
    articulated_substitute(p, x);
}

#endif
