/* Joint rows for a floating root with legs: a row has 6 + m entries, m the joints of its leg down to its own, and the compiler knows m. It
 * meets other legs in the root's six entries only. Where contacts are packed, the root's entries of Y are theirs, and the leg's the slots';
 * the sums over root and leg are taken apart in either case, so that the bits are the same. */
#ifndef MYR_CONSTRAINTS_LEGS_ROWS_LANE_H
#define MYR_CONSTRAINTS_LEGS_ROWS_LANE_H

#include "joint_rows.lane.h"

/* D^-1 Y of a row at work. */
typedef struct leg_scaled {
    vf root[ROOT], leg[MAX_LEG];
} leg_scaled;

/* What it shares with three rows of Y over the root's entries, `stride` apart. */
static inline __attribute__((always_inline)) v3 leg_row_root(const leg_scaled *a, const vf *y, int stride) {
    v3 g = v3_zero();
    UNROLL for (int j = 0; j < ROOT; j++) g = v3_fma(a->root[j], (v3){y[j], y[stride + j], y[2 * stride + j]}, g);
    return g;
}

/* G of row n and the contacts. m: joints of the row's leg; first: the leg's first dof. */
static inline __attribute__((always_inline)) void leg_row_contacts(const part *p, const leg_scaled *a, int first, vf *G, const int m) {
    const robot *r = p->r;
    const workspace *w = p->w;
    const int stride = r->max_path, packed = w->packed, contacts = w->contact.n;
    for (int t = 0; packed && t < contacts; t++) v3_store(G + 3 * t, leg_row_root(a, w->packed_y + 3 * ROOT * t, ROOT));
    for (int s = 0; s < w->occupied; s++) {
        const lane_slot *slot = &r->slots[w->slot[s]];
        const vf *y = w->Y + 3 * s * stride;
        if (!packed) v3_store(G + 3 * s, leg_row_root(a, y, stride));
        if (slot->path_length == ROOT || slot->path[ROOT] != first) continue; /* another leg's */
        const int joints = slot->path_length - ROOT;
        v3 leg = v3_zero();
        y += ROOT;
        UNROLL for (int j = 0; j < m; j++) if (j < joints) leg = v3_fma(a->leg[j], (v3){y[j], y[stride + j], y[2 * stride + j]}, leg);
        for (int t = packed ? 0 : s; t <= s && t < contacts; t++) {
            const v3 root = v3_load(G + 3 * t), both = v3_add(root, leg);
            v3_store(G + 3 * t, packed ? v3_select(pack_lanes(w, s, t), both, root) : both);
        }
    }
}

static inline __attribute__((always_inline)) int row_of_leg(const part *p, int k, int n, const int m) {
    const robot *r = p->r;
    workspace *w = p->w;
    const lane_row *mine = &r->rows[k];
    const int first = mine->path[ROOT], stride = r->max_path;
    const vf *L = w->M, *rows = L + r->m_row[first], *own = rows + leg_row(m - 1);
    vf y[ROOT + MAX_LEG], *out = w->row_y + n * stride, *G = problem_row_G(&w->contact, n);
    y[ROOT + m - 1] = vf_set(mine->length);
    vf free = y[ROOT + m - 1] * w->z[first + m - 1];
    UNROLL for (int e = ROOT + m - 2; e >= 0; e--) {
        vf sum = -(own[e] * y[ROOT + m - 1]);
        UNROLL for (int i = ROOT + m - 2; i > e; i--) sum =
            vf_fnma(i >= ROOT ? rows[leg_row(i - ROOT) + e] : L[root_row(i) + e], y[i], sum);
        y[e] = sum;
        free = vf_fma(sum, w->z[e < ROOT ? e : first + e - ROOT], free);
    }
    UNROLL for (int e = 0; e < ROOT + m; e++) out[e] = y[e];
    if (!vm_any(joint_row_open(p, k, n, free))) return 0;
    leg_scaled a;
    UNROLL for (int j = 0; j < ROOT; j++) a.root[j] = w->dinv[j] * out[j];
    UNROLL for (int j = 0; j < m; j++) a.leg[j] = w->dinv[first + j] * out[ROOT + j];
    leg_row_contacts(p, &a, first, G, m);
    G += 3 * w->contact.n;
    for (int i = 0; i <= n; i++) {
        const lane_row *other = i == n ? mine : &r->rows[w->row[i]];
        const vf *other_y = w->row_y + i * stride;
        const int joints = other->path[ROOT] == first ? other->path_length - ROOT : 0;
        vf sum = vf_zero();
        UNROLL for (int j = 0; j < ROOT; j++) sum = vf_fma(a.root[j], other_y[j], sum);
        UNROLL for (int j = 0; j < m; j++) if (j < joints) sum = vf_fma(a.leg[j], other_y[ROOT + j], sum);
        G[i] = sum;
    }
    return 1;
}

static int joint_row_legs(const part *p, int k, int n) {
    switch (p->r->rows[k].path_length - ROOT) {
    case 1: return row_of_leg(p, k, n, 1);
    case 2: return row_of_leg(p, k, n, 2);
    case 3: return row_of_leg(p, k, n, 3);
    default: return row_of_leg(p, k, n, 4);
    }
}

#endif
