/* The slots of pairs in the contact problem. With the contact's axes F (rows) and its point x, the Jacobian is F times the velocity of x on
 * the first body less that on the second. Dofs above both bodies carry x along with both: their columns of J are zero, those of
 * Y = L^-T J' are not. */
#ifndef MYR_CONSTRAINTS_PAIR_ASSEMBLE_LANE_H
#define MYR_CONSTRAINTS_PAIR_ASSEMBLE_LANE_H

#include "dynamics/dynamics.lane.h"

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

/* Entry `to` of y less L times the entries from..end - 1 of it; `depth`: how deep in its tree the dof of `to` is. The three rows at once:
 * an entry of L is looked up once for all of them. */
static inline void pair_eliminate(const part *p, int n, const int *path, int to, int depth, int from, int end) {
    const int stride = p->r->max_path, *m_row = p->r->m_row;
    const vf *L = p->w->M + depth;
    vf *y = slot_y(p, n, 0), sum[3] = {y[to], y[stride + to], y[2 * stride + to]};
    for (int k = end - 1; k >= from; k--) {
        const vf l = L[m_row[path[k]]];
        UNROLL for (int a = 0; a < 3; a++) sum[a] = vf_fnma(l, y[a * stride + k], sum[a]);
    }
    UNROLL for (int a = 0; a < 3; a++) y[a * stride + to] = sum[a];
}

/* y <- L^-T y: the tips of both bodies towards the root, then what is above both. */
static void pair_back_substitute(const part *p, int n, const lane_slot *slot) {
    const int end = slot->path_length, *path = slot->path;
    for (int e = end - 1; e >= slot->first; e--) pair_eliminate(p, n, path, e, e - slot->first + slot->common, e + 1, end);
    for (int e = slot->first - 1; e >= slot->common; e--) pair_eliminate(p, n, path, e, e, e + 1, slot->first);
    for (int e = slot->common - 1; e >= 0; e--) pair_eliminate(p, n, path, e, e, e + 1, end);
}

/* A slot that only bodies move which float, each the root of its tree, as the boxes of a stack: no dof moves two of them. */
static inline int slot_floats(const robot *r, const lane_slot *slot) {
    return r->bodies[slot->body].joint == MYR_JOINT_FREE && (slot->other_body < 0 || r->bodies[slot->other_body].joint == MYR_JOINT_FREE);
}

/* The six dofs of such a body: their J, Y = L^-T J^T and D^-1 Y from entry `at` on, and what they add to c = Y^T z. With known counts the
 * entries stay in registers, and nothing is looked up. axes: of the contact, in base axes; x: its point. */
static inline __attribute__((always_inline)) void floating_arm(const part *p, int n, const lane_body *b, const vf axes[9], v3 x, int at,
                                                               vf c[3]) {
    const workspace *w = p->w;
    const int stride = p->r->max_path;
    const vf *L = w->M + p->r->m_row[b->v], *dinv = w->dinv + b->v, *z = w->z + b->v;
    vf y[3][ROOT], *out = slot_y(p, n, 0) + at, *scaled = w->scaled + at;
    UNROLL for (int a = 0; a < 3; a++) {
        const v3 t = v3_load(axes + 3 * a), m = v3_cross(x, t);
        y[a][0] = t.x, y[a][1] = t.y, y[a][2] = t.z, y[a][3] = m.x, y[a][4] = m.y, y[a][5] = m.z;
    }
    UNROLL for (int e = ROOT - 2; e >= 0; e--) UNROLL for (int k = ROOT - 1; k > e; k--) {
        const vf l = L[root_row(k) + e];
        UNROLL for (int a = 0; a < 3; a++) y[a][e] = vf_fnma(l, y[a][k], y[a][e]);
    }
    UNROLL for (int j = 0; j < ROOT; j++) {
        const vf d = dinv[j], free = z[j];
        UNROLL for (int a = 0; a < 3; a++) {
            out[a * stride + j] = y[a][j];
            scaled[a * stride + j] = d * y[a][j];
            c[a] = vf_fma(y[a][j], free, c[a]);
        }
    }
}

/* Y, D^-1 Y and c of such a slot. */
static void floating_slot(const part *p, int n, const lane_slot *slot) {
    const robot *r = p->r;
    const workspace *w = p->w;
    const lane_body *b = &r->bodies[slot->body];
    const vf *R0 = w->R0 + 9 * b->tree, *F = w->slot_frame + 9 * n;
    const v3 x = v3_load(w->slot_x + 3 * n);
    vf axes[9], c[3] = {vf_zero(), vf_zero(), vf_zero()};
    if (slot->pair < 0) {
        floating_arm(p, n, b, R0, x, 0, c);
    } else {
        UNROLL for (int a = 0; a < 9; a += 3) v3_store(axes + a, m3_mul_t(R0, v3_load(F + a)));
        floating_arm(p, n, b, axes, x, 0, c);
        if (slot->other_body >= 0) {
            b = &r->bodies[slot->other_body], R0 = w->R0 + 9 * b->tree;
            UNROLL for (int a = 0; a < 9; a += 3) v3_store(axes + a, v3_scale(vf_set(-1), m3_mul_t(R0, v3_load(F + a))));
            floating_arm(p, n, b, axes, v3_load(w->slot_other_x + 3 * n), ROOT, c);
        }
    }
    UNROLL for (int a = 0; a < 3; a++) w->contact.c[3 * n + a] = c[a];
}

/* g += over n common dofs, the outer products of the columns of a = D^-1 Y of one slot with those of b = Y of the other. */
static inline __attribute__((always_inline)) void block_add(const vf *a, const vf *b, int stride, vf g[9], const int n) {
    UNROLL for (int j = 0; j < n; j++) {
        const vf left[3] = {vf_hold(a[j]), vf_hold(a[stride + j]), vf_hold(a[2 * stride + j])},
                 right[3] = {vf_hold(b[j]), vf_hold(b[stride + j]), vf_hold(b[2 * stride + j])};
        UNROLL for (int i = 0; i < 9; i++) g[i] = vf_fma(left[i / 3], right[i % 3], g[i]);
    }
}

/* The same for as many as there are: runs of six, a free joint's, without a look at the count. */
static inline __attribute__((always_inline)) void block_add_run(const vf *a, const vf *b, int stride, int n, vf g[9]) {
    for (; n >= ROOT; n -= ROOT, a += ROOT, b += ROOT) block_add(a, b, stride, g, ROOT);
    for (; n > 0; n--, a++, b++) block_add(a, b, stride, g, 1);
}

/* A block of G over one run of common dofs. */
static inline void block_of_run(const vf *a, const vf *b, int stride, int n, vf *out) {
    vf g[9];
    UNROLL for (int i = 0; i < 9; i++) g[i] = vf_zero();
    block_add_run(a, b, stride, n, g);
    UNROLL for (int i = 0; i < 9; i++) out[i] = g[i];
}

/* The blocks (n, 0..n) of G; `scaled` holds D^-1 Y of slot n. Each in registers until it is whole. */
static inline void pair_blocks(const part *p, int n) {
    const robot *r = p->r;
    const workspace *w = p->w;
    const int stride = r->max_path;
    const lane_meet *meets = r->meet + r->slots[w->slot[n]].group * r->n_groups;
    const vf *scaled = w->scaled, *y = slot_y(p, 0, 0);
    vf *out = problem_block(&w->contact, n, 0);
    for (int k = 0; k <= n; k++, y += 3 * stride, out += 9) {
        const lane_meet *meet = &meets[r->slots[w->slot[k]].group];
        vf g[9];
        UNROLL for (int i = 0; i < 9; i++) g[i] = vf_zero();
        for (int run = 0; run < meet->n; run++)
            block_add_run(scaled + meet->mine[run], y + meet->others[run], stride, meet->length[run], g);
        UNROLL for (int i = 0; i < 9; i++) out[i] = g[i];
    }
}

#endif
