/* assemble: occupied slots, L -> the contact problem: Y = L^-T J^T, G = Y^T D^-1 Y, c = Y^T z  (= J times the free velocity,
 * less the reference velocity of terms.lane.h).
 * A slot's Jacobian has entries only for the dofs between it and the root; two slots meet in G only through the dofs
 * that move both, a common beginning of their paths. */
#ifndef MYR_CONSTRAINTS_ASSEMBLE_LANE_H
#define MYR_CONSTRAINTS_ASSEMBLE_LANE_H

#include "dynamics/dynamics.lane.h"
#include "joint_rows.lane.h"
#include "legs_assemble.lane.h"
#include "loops_solve.lane.h"
#include "pair_assemble.lane.h"
#include "terms.lane.h"

/* The three rows of J of an occupied slot: velocity of the point x along the world's axes per unit of each dof. */
static inline void slot_jacobian(const part *p, int n, const lane_slot *slot) {
    const robot *r = p->r;
    const workspace *w = p->w;
    vf *y[3] = {slot_y(p, n, 0), slot_y(p, n, 1), slot_y(p, n, 2)};
    const v3 x = v3_load(w->slot_x + 3 * n);
    const vf *R0 = w->R0 + 9 * r->bodies[slot->body].tree;
    for (int i = slot->body; i >= 0; i = r->bodies[i].parent) {
        const lane_body *b = &r->bodies[i];
        if (b->joint == MYR_JOINT_FREE) {
            for (int a = 0; a < 3; a++) {
                const v3 t = v3_load(R0 + 3 * a);
                v3_store(y[a] + b->depth, t);
                v3_store(y[a] + b->depth + 3, v3_cross(x, t));
            }
            continue;
        }
        const v3 arm = v3_sub(x, v3_load(w->p + 3 * i));
        for (int k = 0; k < b->nv; k++) {
            const v3 axis = v3_load(w->axis + 3 * (b->v + k));
            const v3 world = m3_mul(R0, dof_is_linear(b, k) ? axis : v3_cross(axis, arm));
            y[0][b->depth + k] = world.x;
            y[1][b->depth + k] = world.y;
            y[2][b->depth + k] = world.z;
        }
    }
}

/* y <- L^-T y along the path, tip to root, three rows at once. */
static inline void slot_back_substitute(const part *p, int n, const lane_slot *slot) {
    const int *path = slot->path, *m_row = p->r->m_row;
    const vf *M = p->w->M;
    vf *y0 = slot_y(p, n, 0), *y1 = slot_y(p, n, 1), *y2 = slot_y(p, n, 2);
    for (int e = slot->path_length - 2; e >= 0; e--) {
        vf a = y0[e], b = y1[e], c = y2[e];
        for (int k = slot->path_length - 1; k > e; k--) {
            const vf l = M[m_row[path[k]] + e];
            a = vf_fnma(l, y0[k], a);
            b = vf_fnma(l, y1[k], b);
            c = vf_fnma(l, y2[k], c);
        }
        y0[e] = a, y1[e] = b, y2[e] = c;
    }
}

/* D^-1 Y of slot n, and its c = Y^T z. */
static inline void slot_scaled(const part *p, int n, const lane_slot *slot) {
    workspace *w = p->w;
    const int stride = p->r->max_path;
    const vf *y = slot_y(p, n, 0), *dinv = w->dinv, *z = w->z;
    vf *scaled = w->scaled, c[3] = {vf_zero(), vf_zero(), vf_zero()};
    for (int j = 0; j < slot->path_length; j++) {
        const vf d = dinv[slot->path[j]], free = z[slot->path[j]];
        UNROLL for (int a = 0; a < 3; a++) {
            const vf mine = y[a * stride + j];
            scaled[a * stride + j] = d * mine;
            c[a] = vf_fma(mine, free, c[a]);
        }
    }
    UNROLL for (int a = 0; a < 3; a++) w->contact.c[3 * n + a] = c[a];
}

static void assemble_tree(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    for (int n = 0; n < w->occupied; n++) {
        const lane_slot *slot = &r->slots[w->slot[n]];
        if (slot_floats(r, slot)) {
            floating_slot(p, n, slot);
        } else if (slot->pair < 0) {
            slot_jacobian(p, n, slot);
            slot_back_substitute(p, n, slot);
            slot_scaled(p, n, slot);
        } else {
            pair_jacobian(p, n, slot);
            pair_back_substitute(p, n, slot);
            slot_scaled(p, n, slot);
        }
        if (r->meet) {
            pair_blocks(p, n);
            continue;
        }
        for (int k = 0; k <= n; k++)
            block_of_run(w->scaled, slot_y(p, k, 0), r->max_path, r->common[w->slot[n] * r->n_slots + w->slot[k]],
                         problem_block(&w->contact, n, k));
    }
}

static void assemble(const part *p) {
    if (p->r->n_rows) joint_rows_near(p);
    pack_open(p);
    if (p->r->n_loops && !p->w->recheck) loops_open(p); /* once: z is closed from then on */
    p->r->variant->assemble(p);
    p->w->contact.compliant = 0; /* of this step: a solver may have chosen a compliance in the last */
    if (p->options->terms.on) contact_terms(p);
    if (p->r->n_rows) joint_rows(p);
    if (p->r->n_loops) loops_reduce(p);
}

#endif
