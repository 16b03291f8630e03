/* free: M, h, torque -> the factors of M and the free velocity.
 *
 * M = L^T D L with L unit lower triangular and as sparse as the tree (an entry exists only between a dof and its
 * ancestors; Featherstone's branch-induced sparsity): eliminating from the tips to the root fills nothing in. A row of
 * M holds a dof's ancestors root first, so that a row is updated by a prefix of another row.
 * With y = L u the velocity update is u+ = L^-1 (z + D^-1 Y lambda), z = L u- + D^-1 L^-T dt (tau - h): the free
 * velocity L^-1 z itself is never needed. */
#ifndef MYR_DYNAMICS_FACTOR_LANE_H
#define MYR_DYNAMICS_FACTOR_LANE_H

#include "joint_friction.lane.h"
#include "legs_factor.lane.h"
#include "spin_damping.lane.h"

static void factor_tree(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    vf *M = w->M;
    const int *m_row = r->m_row;
    for (int k = r->nv - 1; k >= 0; k--) {
        const int depth = r->dof_depth[k];
        const int *path = r->dof_path[k];
        vf *mine = M + m_row[k];
        const vf inverse = vf_set(1) / mine[depth];
        w->dinv[k] = inverse;
        for (int e = depth - 1; e >= 0; e--) {
            vf *up = M + m_row[path[e]];
            const vf l = mine[e] * inverse;
            int f = 0;
            for (; f + ROOT <= e + 1; f += ROOT) UNROLL for (int g = 0; g < ROOT; g++) up[f + g] = vf_fnma(l, mine[f + g], up[f + g]);
            for (; f <= e; f++) up[f] = vf_fnma(l, mine[f], up[f]);
            mine[e] = l;
        }
    }
}

/* s <- L^-T s and z = L u + D^-1 s. */
static void substitute_tree(const part *p, vf *s) {
    const robot *r = p->r;
    workspace *w = p->w;
    for (int k = r->nv - 1; k >= 0; k--) {
        const vf *l = w->M + r->m_row[k];
        const int *path = r->dof_path[k];
        const vf mine = s[k];
        vf lu = w->u[k];
        for (int e = 0; e < r->dof_depth[k]; e++) {
            s[path[e]] = vf_fnma(l[e], mine, s[path[e]]);
            lu = vf_fma(l[e], w->u[path[e]], lu);
        }
        w->z[k] = vf_fma(w->dinv[k], mine, lu);
    }
}

static void free_velocity_legs(const part *p) {
    factor_legs(p);
    substitute_legs(p);
}

static void free_velocity_tree(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const vf dt = vf_set(p->dt);
    const vf *damping_rows = p->options->varied & MYR_VARIED_JOINT ? field_rows(p, MYR_ROWS_damping) : NULL;
    vf *s = w->h; /* dt (tau - h), in h's place */
    for (int i = 0; i < r->n_bodies; i++) {
        const lane_body *b = &r->bodies[i];
        const vf same = vf_set(b->damping);
        for (int k = b->v; k < b->v + b->nv; k++) {
            const vf damping = damping_rows ? damping_rows[PARTS * k] : same;
            vf *diagonal = w->M + r->m_row[k] + r->dof_depth[k];
            *diagonal = *diagonal + w->extra[k];
            s[k] = dt * (w->tau[k] - vf_fma(damping, w->u[k], w->h[k]));
        }
    }
    factor_tree(p);
    substitute_tree(p, s);
}

static void free_velocity(const part *p) {
    spin_damping(p);
    joint_friction(p);
    p->r->variant->free_velocity(p);
}

static void solve_l_tree(const robot *r, const workspace *w, const vf *t, vf *x) {
    for (int k = 0; k < r->nv; k++) {
        const vf *l = w->M + r->m_row[k];
        const int *path = r->dof_path[k];
        vf sum = t ? vf_fma(w->dinv[k], t[k], x[k]) : x[k];
        for (int e = 0; e < r->dof_depth[k]; e++) sum = vf_fnma(l[e], x[path[e]], sum);
        x[k] = sum;
    }
}

/* x <- L^-1 (x + D^-1 t), root to tips; t nullable. */
static void solve_l(const robot *r, const workspace *w, const vf *t, vf *x) { r->variant->solve_l(r, w, t, x); }

#endif
