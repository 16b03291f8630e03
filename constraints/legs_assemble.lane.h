/* assemble for a floating root with legs: the rows of a slot have 6 + n entries, n the joints of the leg above it, and the
 * compiler knows n. Two slots of different legs meet in the root's six entries only. */
#ifndef MYR_CONSTRAINTS_LEGS_ASSEMBLE_LANE_H
#define MYR_CONSTRAINTS_LEGS_ASSEMBLE_LANE_H

#include "bundle.lane.h"
#include "robot/contact_frame.lane.h"
#include "pack.lane.h"
#include "terms.lane.h"

/* G_ik over the root's entries, for slots of different legs. a: D^-1 Y of slot i, in registers; b: Y of slot k. */
static inline __attribute__((always_inline)) void block_of_root(vf a[3][ROOT], const vf *b, int stride, vf *out) {
    vf g[9];
    UNROLL for (int j = 0; j < ROOT; j++) {
        const vf right[3] = {vf_hold(b[j]), vf_hold(b[stride + j]), vf_hold(b[2 * stride + j])};
        UNROLL for (int i = 0; i < 9; i++) g[i] = j == 0 ? a[i / 3][j] * right[i % 3] : vf_fma(a[i / 3][j], right[i % 3], g[i]);
    }
    UNROLL for (int i = 0; i < 9; i++) out[i] = g[i];
}

/* What n common dofs of one leg add to it. d: D^-1 of the leg; a, b: Y of both slots from the leg's first entry. */
static inline void block_of_leg(const vf *d, const vf *a, const vf *b, int stride, int n, vf *out) {
    for (int j = 0; j < n; j++)
        UNROLL for (int i = 0; i < 9; i++) out[i] = vf_fma(d[j] * a[(i / 3) * stride + j], b[(i % 3) * stride + j], out[i]);
}

/* J, Y = L^-T J^T, c = Y^T z with the gap's share, and the slot's own block of G; to the contacts, or the slot's row of G. n: joints of its
 * leg above it. */
static inline __attribute__((always_inline)) void slot_of_leg(const part *p, int slot, const lane_slot *s, const int level, const int n) {
    enum { LONGEST = ROOT + MAX_LEG };
    workspace *w = p->w;
    const vf *R0 = w->R0, *rows = 0, *zn = 0, *dn = 0;
    vf axes[9];
    if (!level) {
        UNROLL for (int a = 0; a < 9; a += 3) v3_store(axes + a, m3_mul_t(w->R0, v3_load(contact_frame(p, slot) + a)));
        R0 = axes;
    }
    const v3 x = v3_load(w->slot_x + 3 * slot);
    vf y[3][LONGEST];
    UNROLL for (int a = 0; a < 3; a++) {
        const v3 t = v3_load(R0 + 3 * a), m = v3_cross(x, t);
        y[a][0] = t.x, y[a][1] = t.y, y[a][2] = t.z, y[a][3] = m.x, y[a][4] = m.y, y[a][5] = m.z;
    }
    if (n > 0) {
        const int body = s->body - (n - 1), dof = p->r->bodies[body].v;
        rows = w->M + p->r->m_row[dof];
        zn = w->z + dof, dn = w->dinv + dof;
        UNROLL for (int j = 0; j < n; j++) {
            const v3 arm = v3_sub(x, v3_load(w->p + 3 * (body + j)));
            const v3 v = m3_mul(R0, v3_cross(v3_load(w->axis + 3 * (dof + j)), arm));
            y[0][ROOT + j] = v.x, y[1][ROOT + j] = v.y, y[2][ROOT + j] = v.z;
        }
    }
    UNROLL for (int e = ROOT + n - 2; e >= 0; e--) UNROLL for (int k = ROOT + n - 1; k > e; k--) {
        const vf l = k >= ROOT ? rows[leg_row(k - ROOT) + e] : w->M[root_row(k) + e];
        UNROLL for (int a = 0; a < 3; a++) y[a][e] = vf_fnma(l, y[a][k], y[a][e]);
    }
    const int stride = p->r->max_path;
    vf *out = w->Y + 3 * slot * stride, c[3], g[6];
    c[0] = c[1] = vf_zero(), c[2] = slot_opens(p, slot);
    UNROLL for (int a = 0; a < 6; a++) g[a] = vf_zero();
    UNROLL for (int j = 0; j < ROOT + n; j++) {
        const vf z = j < ROOT ? w->z[j] : zn[j - ROOT], d = j < ROOT ? w->dinv[j] : dn[j - ROOT];
        vf scaled[3];
        UNROLL for (int a = 0; a < 3; a++) {
            c[a] = vf_fma(y[a][j], z, c[a]);
            scaled[a] = d * y[a][j];
            if (j >= ROOT || !w->packed) out[a * stride + j] = y[a][j];
        }
        g[0] = vf_fma(scaled[0], y[0][j], g[0]), g[1] = vf_fma(scaled[0], y[1][j], g[1]), g[2] = vf_fma(scaled[0], y[2][j], g[2]);
        g[3] = vf_fma(scaled[1], y[1][j], g[3]), g[4] = vf_fma(scaled[1], y[2][j], g[4]), g[5] = vf_fma(scaled[2], y[2][j], g[5]);
    }
    if (w->packed) {
        pack_slot(p, slot, y, c, g);
        return;
    }
    UNROLL for (int a = 0; a < 3; a++) w->contact.c[3 * slot + a] = c[a];
    vf *G = problem_block(&w->contact, slot, slot);
    G[0] = g[0], G[1] = g[1], G[2] = g[2];
    G[3] = g[1], G[4] = g[3], G[5] = g[4];
    G[6] = g[2], G[7] = g[4], G[8] = g[5];
    vf root[3][ROOT]; /* D^-1 Y once more: kept from above, it would cost the packed, who are most, registers */
    UNROLL for (int a = 0; a < 3; a++) UNROLL for (int j = 0; j < ROOT; j++) root[a][j] = w->dinv[j] * y[a][j];
    for (int k = 0; k < slot; k++) {
        const vf *other = w->Y + 3 * k * stride;
        vf *block = problem_block(&w->contact, slot, k);
        const int common = p->r->common[w->slot[slot] * p->r->n_slots + w->slot[k]];
        block_of_root(root, other, stride, block);
        if (common > ROOT && p->r->packable) { /* twins: rounded as where they are packed, which is up to the neighbours */
            vf leg[9];
            UNROLL for (int e = 0; e < 9; e++) leg[e] = vf_zero();
            block_of_leg(dn, out + ROOT, other + ROOT, stride, common - ROOT, leg);
            UNROLL for (int e = 0; e < 9; e++) block[e] = block[e] + leg[e];
        } else if (common > ROOT)
            block_of_leg(dn, out + ROOT, other + ROOT, stride, common - ROOT, block);
    }
}

/* A ball's second contact shares its leg with the first one, the slot before it. What their leg adds to the block between them waits until
 * the root's part is there. */
static void twin_of_leg(const part *p, int slot, const lane_slot *s) {
    workspace *w = p->w;
    const int stride = p->r->max_path, n = s->path_length - ROOT;
    const vf *y = w->Y + 3 * slot * stride + ROOT;
    if (n == 0) return;
    vf block[9];
    UNROLL for (int i = 0; i < 9; i++) block[i] = vf_zero();
    block_of_leg(w->dinv + s->path[ROOT], y, y - 3 * stride, stride, n, block);
    const vm both = vm_gt(w->slot_active[slot] * w->slot_active[slot - 1], vf_zero());
    if (!w->twins)
        for (int i = 0; i < 9 * w->contact.n; i++) w->twin_G[i] = vf_zero();
    w->twins = 1;
    for (int t = 1; t < w->contact.n; t++) {
        const vm mine = vm_and(both, pack_lanes(w, slot, t));
        UNROLL for (int i = 0; i < 9; i++) w->twin_G[9 * t + i] = vf_select(mine, block[i], w->twin_G[9 * t + i]);
    }
}

#define LEG_OF(joints, level)                                                                                                              \
    switch (joints) {                                                                                                                      \
    case 0:                                                                                                                                \
        slot_of_leg(p, i, s, level, 0);                                                                                                    \
        break;                                                                                                                             \
        COUNT_CASES_3(slot_of_leg, p, i, s, level)                                                                                         \
    default: slot_of_leg(p, i, s, level, 4); break;                                                                                        \
    }

static void assemble_legs(const part *p) {
    p->w->twins = 0;
    if (p->r->n_loops) bundles_open(p, 1); /* no other stage reads it */
    for (int i = 0; i < p->w->occupied; i++) {
        const lane_slot *s = &p->r->slots[p->w->slot[i]];
        if (p->r->level)
            LEG_OF(s->path_length - ROOT, 1)
        else
            LEG_OF(s->path_length - ROOT, 0)
        if (s->twin && p->w->packed && i > 0 && p->w->slot[i - 1] == p->w->slot[i] - 1) twin_of_leg(p, i, s);
    }
    const workspace *w = p->w;
    if (!w->packed) return;
    for (int i = 1; i < w->contact.n; i++) {
        vf root[3][ROOT];
        UNROLL for (int a = 0; a < 3; a++) UNROLL for (int j = 0; j < ROOT; j++) root[a][j] =
            w->dinv[j] * w->packed_y[3 * ROOT * i + a * ROOT + j];
        for (int k = 0; k < i; k++) block_of_root(root, w->packed_y + 3 * ROOT * k, ROOT, problem_block(&w->contact, i, k));
        if (!w->twins) continue;
        vf *block = problem_block(&w->contact, i, i - 1);
        UNROLL for (int e = 0; e < 9; e++) block[e] = block[e] + w->twin_G[9 * i + e];
    }
}

#endif
