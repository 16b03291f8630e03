/* Inverse dynamics of one tile of states, and the Jacobian of a frame (include/myriapod/evaluate.h).
 *
 * Newton and Euler's recursion with the accelerations in: outwards motion, inwards force, in time linear in bodies, and without M. Poses,
 * axes and levers are those of `kinematics`; the axes are the base's. For checks and control, not for the step: no case of its own for legs
 * or hinges. */
#ifndef MYR_DYNAMICS_INVERSE_LANE_H
#define MYR_DYNAMICS_INVERSE_LANE_H

#include "evaluate.lane.h"

/* The motion of body i, its parent's being m; `rates`: dv/dt in user coordinates, by rows. */
static inline void inverse_move(const part *p, int i, const char *rates, motion *m) {
    const lane_body *b = &p->r->bodies[i];
    const workspace *w = p->w;
    char *rows = (char *)(uintptr_t)rates; /* read alone */
    move_out(w, b, i, m);
    for (int k = b->v; k < b->v + b->nv; k++) {
        const v3 axis = v3_load(w->axis + 3 * k);
        if (b->joint == MYR_JOINT_PRISMATIC)
            m->acc = v3_fma(*eval_row(rows, k), axis, m->acc);
        else
            m->alpha = v3_fma(*eval_row(rows, k), axis, m->alpha);
    }
    motion_matrix(m->omega, m->alpha, m->k);
}

/* The motion of a floating root: its linear acceleration is in world axes, and gravity one more. */
static inline motion inverse_root(const part *p, const lane_body *b, char *rates, v3 gravity) {
    const v3 linear = {*eval_row(rates, b->v), *eval_row(rates, b->v + 1), *eval_row(rates, b->v + 2)};
    motion m = {.omega = v3_load(p->w->u + b->v + 3), .acc = m3_mul_t(p->w->R0 + 9 * b->tree, v3_sub(linear, gravity))};
    m.alpha = (v3){*eval_row(rates, b->v + 3), *eval_row(rates, b->v + 4), *eval_row(rates, b->v + 5)};
    motion_matrix(m.omega, m.alpha, m.k);
    return m;
}

/* One part of the tile. rates: nv rows in; tau: nv rows out; both moved to the part's lanes. */
static void inverse_part(const part *p, char *rates, char *tau) {
    const robot *r = p->r;
    workspace *w = p->w;
    const v3 gravity = {field(p, MYR_ROWS_gravity, 0), field(p, MYR_ROWS_gravity, 1), field(p, MYR_ROWS_gravity, 2)};
    vf *motions = w->Y; /* 9 numbers of each body */
    kinematics(p);
    for (int i = 0; i < r->n_bodies; i++) {
        const lane_body *b = &r->bodies[i];
        motion m = {.acc = {-gravity.x, -gravity.y, -gravity.z}}; /* the world's, where gravity is an acceleration */
        if (b->joint == MYR_JOINT_FREE) {
            m = inverse_root(p, b, rates, gravity);
        } else {
            if (b->parent >= 0) {
                const vf *up = motions + 9 * b->parent;
                m.omega = v3_load(up), m.alpha = v3_load(up + 3), m.acc = v3_load(up + 6);
                motion_matrix(m.omega, m.alpha, m.k);
            }
            inverse_move(p, i, rates, &m);
        }
        v3_store(motions + 9 * i, m.omega);
        v3_store(motions + 9 * i + 3, m.alpha);
        v3_store(motions + 9 * i + 6, m.acc);
        const inertia own = inertia_own(p, b), c = inertia_rotated(&own, w->R + 9 * i);
        v3 force, moment;
        own_wrench(&c, &m, &force, &moment);
        v3_store(w->force + 6 * i, force);
        v3_store(w->force + 6 * i + 3, moment);
    }
    for (int i = r->n_bodies - 1; i >= 0; i--) {
        const lane_body *b = &r->bodies[i];
        const v3 force = v3_load(w->force + 6 * i), moment = v3_load(w->force + 6 * i + 3);
        if (b->joint == MYR_JOINT_FREE) {
            const v3 world = m3_mul(w->R0 + 9 * b->tree, force);
            const vf all[6] = {world.x, world.y, world.z, moment.x, moment.y, moment.z};
            for (int k = 0; k < 6; k++) *eval_row(tau, b->v + k) = vf_fma(vf_set(b->armature), *eval_row(rates, b->v + k), all[k]);
            continue;
        }
        for (int k = b->v; k < b->v + b->nv; k++) {
            const vf along = v3_dot(b->joint == MYR_JOINT_PRISMATIC ? force : moment, v3_load(w->axis + 3 * k));
            *eval_row(tau, k) = vf_fma(vf_set(b->armature), *eval_row(rates, k), along); /* rotors turn with their joints */
        }
        if (b->parent < 0) continue;
        vf *up = w->force + 6 * b->parent;
        v3_store(up, v3_add(v3_load(up), force));
        v3_store(up + 3, v3_add(v3_load(up + 3), v3_cross_add(v3_load(w->arm + 3 * i), force, moment)));
    }
}

/* A column of the Jacobian, world axes. */
static inline void jacobian_column(const part *p, char *out, int dof, const vf *R0, v3 linear, v3 angular) {
    const int nv = p->r->nv;
    const v3 x = m3_mul(R0, linear), w = m3_mul(R0, angular);
    const vf all[6] = {x.x, x.y, x.z, w.x, w.y, w.z};
    for (int k = 0; k < 6; k++) *eval_row(out, k * nv + dof) = all[k];
}

/* One part of the tile: 6 x nv rows of the point of a body (-1: the world) that is `at` its origin, in its aligned axes. The lever grows
 * from the point inwards: a difference of two far points would have lost bits. */
static void jacobian_part(const part *p, int body, const real at[3], char *out) {
    const robot *r = p->r;
    const workspace *w = p->w;
    for (int i = 0; i < 6 * r->nv; i++) *eval_row(out, i) = vf_zero();
    if (body < 0) return;
    kinematics(p);
    v3 lever = m3_mul(w->R + 9 * body, v3_uniform(at));
    for (int i = body; i >= 0; i = r->bodies[i].parent) {
        const lane_body *b = &r->bodies[i];
        const vf *R0 = w->R0 + 9 * b->tree;
        if (b->joint == MYR_JOINT_FREE) {
            for (int k = 0; k < 3; k++) {
                const real e[3] = {k == 0, k == 1, k == 2};
                *eval_row(out, k * r->nv + b->v + k) = vf_set(1); /* v is in world axes there */
                jacobian_column(p, out, b->v + 3 + k, R0, v3_cross(v3_uniform(e), lever), v3_uniform(e));
            }
            return;
        }
        for (int k = b->v; k < b->v + b->nv; k++) {
            const v3 axis = v3_load(w->axis + 3 * k);
            const int slides = b->joint == MYR_JOINT_PRISMATIC;
            jacobian_column(p, out, k, R0, slides ? axis : v3_cross(axis, lever), slides ? v3_zero() : axis);
        }
        lever = v3_add(lever, v3_load(w->arm + 3 * i));
    }
}

#endif
