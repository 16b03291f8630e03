/* The slots of pairs in the contact problem. With the contact's axes F (rows) and its point x, the Jacobian is F times the velocity of x on
 * the first body less that on the second. Dofs above both bodies carry x along with both: their columns of J are zero, those of
 * Y = L^-T J' are not. */
#ifndef MYR_DYNAMICS_PAIR_DELASSUS_LANE_H
#define MYR_DYNAMICS_PAIR_DELASSUS_LANE_H

#include "dynamics.lane.h"

static inline vf *slot_y(const part *p, int n, int axis) { return p->w->Y + (3 * n + axis) * p->r->max_path; }

/* Columns of the dofs of a body's path from entry `common` on; they lie `shift` entries further in y. x: base frame. */
static void pair_arm(const part *p, int n, const lane_slot *slot, int body, v3 x, int shift, vf sign) {
    const robot *r = p->r;
    const workspace *w = p->w;
    const vf *R0 = w->R0 + 9 * r->bodies[body].tree, *F = w->slot_frame + 9 * n;
    vf *y[3] = {slot_y(p, n, 0), slot_y(p, n, 1), slot_y(p, n, 2)}, axes[9];
    for (int a = 0; a < 9; a += 3) v3_store(axes + a, v3_scale(sign, m3_mul_t(R0, v3_load(F + a)))); /* in base axes */
    for (int i = body; i >= 0 && r->bodies[i].depth >= slot->common; i = r->bodies[i].parent) {
        const lane_body *b = &r->bodies[i];
        const int at = b->depth + shift;
        if (b->joint == MYR_JOINT_FREE) {
            for (int a = 0; a < 3; a++) {
                const v3 t = v3_load(axes + 3 * a);
                v3_store(y[a] + at, t);
                v3_store(y[a] + at + 3, v3_cross(x, t));
            }
            continue;
        }
        const v3 arm = v3_sub(x, v3_load(w->p + 3 * i));
        for (int k = 0; k < b->nv; k++) {
            const v3 axis = v3_load(w->axis + 3 * (b->v + k));
            const v3 along = m3_mul(axes, dof_is_linear(b, k) ? axis : v3_cross(axis, arm));
            y[0][at + k] = along.x;
            y[1][at + k] = along.y;
            y[2][at + k] = along.z;
        }
    }
}

static void pair_jacobian(const part *p, int n, const lane_slot *slot) {
    for (int a = 0; a < 3; a++)
        for (int j = 0; j < slot->common; j++) slot_y(p, n, a)[j] = vf_zero();
    pair_arm(p, n, slot, slot->body, v3_load(p->w->slot_x + 3 * n), 0, vf_set(1));
    if (slot->other_body >= 0)
        pair_arm(p, n, slot, slot->other_body, v3_load(p->w->slot_other_x + 3 * n), slot->first - slot->common, vf_set(-1));
}

/* Entry `to` of y less L times the entries from..end - 1 of it; `depth`: how deep in its tree the dof of `to` is. */
static inline void pair_eliminate(const part *p, int n, const int *path, int to, int depth, int from, int end) {
    const robot *r = p->r;
    for (int a = 0; a < 3; a++) {
        vf *y = slot_y(p, n, a), sum = y[to];
        for (int k = end - 1; k >= from; k--) sum = vf_fnma(p->w->M[r->m_row[path[k]] + depth], y[k], sum);
        y[to] = sum;
    }
}

/* y <- L^-T y: the tips of both bodies towards the root, then what is above both. */
static void pair_back_substitute(const part *p, int n, const lane_slot *slot) {
    const int end = slot->path_length, *path = slot->path;
    for (int e = end - 1; e >= slot->first; e--) pair_eliminate(p, n, path, e, e - slot->first + slot->common, e + 1, end);
    for (int e = slot->first - 1; e >= slot->common; e--) pair_eliminate(p, n, path, e, e, e + 1, slot->first);
    for (int e = slot->common - 1; e >= 0; e--) pair_eliminate(p, n, path, e, e, e + 1, end);
}

/* Block (n, k) of G; `scaled` holds D^-1 Y of slot n. */
static inline void pair_block(const part *p, int n, int k) {
    const robot *r = p->r;
    const workspace *w = p->w;
    const int stride = r->max_path;
    const lane_meet *meet = &r->meet[r->slots[w->slot[n]].group * r->n_groups + r->slots[w->slot[k]].group];
    vf g[9];
    for (int i = 0; i < 9; i++) g[i] = vf_zero();
    for (int run = 0; run < meet->n; run++) {
        const vf *a = w->scaled + meet->mine[run], *b = slot_y(p, k, 0) + meet->others[run];
        for (int j = 0; j < meet->length[run]; j++)
            for (int i = 0; i < 3; i++) {
                const vf left = a[i * stride + j];
                for (int e = 0; e < 3; e++) g[3 * i + e] = vf_fma(left, b[e * stride + j], g[3 * i + e]);
            }
    }
    memcpy(problem_block(&p->w->contact, n, k), g, sizeof g);
}

#endif
