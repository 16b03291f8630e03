/* Rigid-body quantities of one tile of states, in the user's coordinates (include/myriapod/evaluate.h). */
#ifndef MYR_DYNAMICS_EVALUATE_LANE_H
#define MYR_DYNAMICS_EVALUATE_LANE_H

#include "factor.lane.h"
#include "poses.lane.h"

static void eval_rows(const myr_model *m, myr_eval_rows *rows) {
    int n = 0;
    rows->tau = n, n += m->nv;
    rows->M = n, n += m->nv * m->nv;
    rows->bias = n, n += m->nv;
    rows->acceleration = n, n += m->nv;
    rows->kinetic = n++;
    rows->potential = n++;
    rows->com = n, n += 3;
    rows->pose = n, n += 7 * m->n_bodies;
    rows->velocity = n, n += 6 * m->n_bodies;
    rows->total = n;
}

/* The part's lanes of output row i. */
static inline vf *eval_row(char *out, int i) { return (vf *)(void *)(out + 64 * (size_t)i); }

/* Base coordinates <-> user coordinates: the linear part of each free joint. */
static inline void to_user(const part *p, vf *x) {
    for (int t = 0; t < p->r->n_trees; t++)
        if (p->r->tree_floating[t]) {
            vf *linear = x + p->r->bodies[p->r->tree_root[t]].v;
            v3_store(linear, m3_mul(p->w->R0 + 9 * t, v3_load(linear)));
        }
}

/* Rotors turn with their joints. */
static void eval_armature(const part *p) {
    const robot *r = p->r;
    for (int k = 0; k < r->nv; k++) {
        vf *own = p->w->M + r->m_row[k] + r->dof_depth[k];
        *own = *own + vf_set(r->bodies[r->dof_body[k]].armature);
    }
}

static void eval_mass(const part *p, char *out, int first) {
    const robot *r = p->r;
    const workspace *w = p->w;
    for (int i = 0; i < r->nv * r->nv; i++) *eval_row(out, first + i) = vf_zero();
    for (int k = 0; k < r->nv; k++) {
        const int *path = r->dof_path[k];
        const vf *mine = w->M + r->m_row[k];
        const int tree = r->bodies[r->dof_body[k]].tree;
        for (int e = 0; e <= r->dof_depth[k]; e++) {
            vf value = mine[e];
            if (r->tree_floating[tree] && e < 3 && r->dof_depth[k] >= 3) {
                const v3 world = m3_mul(w->R0 + 9 * tree, v3_load(mine));
                value = e == 0 ? world.x : e == 1 ? world.y : world.z;
            }
            *eval_row(out, first + k * r->nv + path[e]) = value;
            *eval_row(out, first + path[e] * r->nv + k) = value;
        }
    }
}

static void eval_energy(const part *p, const myr_eval_rows *rows, char *out) {
    const robot *r = p->r;
    const workspace *w = p->w;
    const vf half = vf_set((real)0.5);
    vf kinetic = vf_zero(), mass = vf_zero();
    for (int k = 0; k < r->nv; k++) {
        const vf *mine = w->M + r->m_row[k];
        vf momentum = half * mine[r->dof_depth[k]] * w->u[k];
        for (int e = 0; e < r->dof_depth[k]; e++) momentum = vf_fma(mine[e], w->u[r->dof_path[k][e]], momentum);
        kinetic = vf_fma(momentum, w->u[k], kinetic);
    }
    v3 first = v3_zero(); /* sum of mass times position, world */
    for (int i = 0; i < r->n_bodies; i++) {
        const lane_body *b = &r->bodies[i];
        const inertia c = inertia_own(p, b);
        const v3 base = v3_fma(c.m, v3_load(w->p + 3 * i), m3_mul(w->R + 9 * i, c.h));
        first = v3_add(first, v3_fma(c.m, tree_position(p, b->tree), m3_mul(w->R0 + 9 * b->tree, base)));
        mass = mass + c.m;
    }
    const v3 gravity = {field(p, MYR_ROWS_gravity, 0), field(p, MYR_ROWS_gravity, 1), field(p, MYR_ROWS_gravity, 2)};
    *eval_row(out, rows->kinetic) = kinetic;
    *eval_row(out, rows->potential) = -v3_dot(gravity, first);
    *eval_row(out, rows->com) = first.x / mass;
    *eval_row(out, rows->com + 1) = first.y / mass;
    *eval_row(out, rows->com + 2) = first.z / mass;
}

/* One part of the tile; out: the output rows, moved to the part's lanes. */
static void eval_part(const part *p, const myr_eval_rows *rows, char *out) {
    const robot *r = p->r;
    workspace *w = p->w;
    kinematics(p);
    dynamics(p);
    eval_armature(p);
    eval_mass(p, out, rows->M);
    eval_energy(p, rows, out);
    vf *velocity = w->Y; /* free again: dynamics is done with it */
    body_velocities(p, velocity);
    for (int i = 0; i < r->n_bodies; i++) {
        vf pose[7];
        body_pose(p, i, pose);
        for (int k = 0; k < 7; k++) *eval_row(out, rows->pose + 7 * i + k) = pose[k];
        for (int k = 0; k < 6; k += 3) {
            const v3 world = m3_mul(w->R0 + 9 * r->bodies[i].tree, v3_load(velocity + 6 * i + k));
            *eval_row(out, rows->velocity + 6 * i + k) = world.x;
            *eval_row(out, rows->velocity + 6 * i + k + 1) = world.y;
            *eval_row(out, rows->velocity + 6 * i + k + 2) = world.z;
        }
    }
    for (int k = 0; k < r->nv; k++) {
        w->tau[k] = *eval_row(out, rows->tau + k);
        w->extra[k] = vf_zero();
        w->u[k] = vf_zero(); /* so that `free` leaves D^-1 L^-T (tau - h) alone in z */
    }
    for (int t = 0; t < r->n_trees; t++)
        if (r->tree_floating[t]) {
            vf *linear = w->tau + r->bodies[r->tree_root[t]].v;
            v3_store(linear, m3_mul_t(w->R0 + 9 * t, v3_load(linear)));
        }
    for (int k = 0; k < r->nv; k++) *eval_row(out, rows->bias + k) = w->h[k];
    for (int t = 0; t < r->n_trees; t++)
        if (r->tree_floating[t]) {
            const int first = r->bodies[r->tree_root[t]].v;
            const v3 world = m3_mul(w->R0 + 9 * t, v3_load(w->h + first));
            *eval_row(out, rows->bias + first) = world.x;
            *eval_row(out, rows->bias + first + 1) = world.y;
            *eval_row(out, rows->bias + first + 2) = world.z;
        }
    free_velocity(p);
    solve_l(r, w, NULL, w->z);
    to_user(p, w->z);
    for (int k = 0; k < r->nv; k++) *eval_row(out, rows->acceleration + k) = w->z[k];
}

#endif
