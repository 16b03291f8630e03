/* assemble for any tree: bundles of contacts (bundle.lane.h) -> Y = L^-T J^T, c = Y^T z, and the blocks of G.
 *
 * With the contact's axes F (rows) and a point x, the Jacobian is F times the velocity of x on the first body less that on the second. Dofs
 * above both bodies carry x along with both: their columns of J are zero, those of Y = L^-T J' are not. A bundle's rows have entries only
 * for the dofs between its bodies and their roots; two bundles meet in G only through the dofs that move both. */
#ifndef MYR_CONSTRAINTS_BUNDLE_ASSEMBLE_LANE_H
#define MYR_CONSTRAINTS_BUNDLE_ASSEMBLE_LANE_H

#include "bundle.lane.h"
#include "dynamics/dynamics.lane.h"
#include "terms.lane.h"

/* One body of a bundle at work. */
typedef struct bundle_side {
    int body, from, shift; /* dofs of its path from entry `from` on; they lie `shift` entries further in y */
    vf axes[9];            /* of the contact, in base axes; of a second body, against them */
    v3 x;                  /* the reference, base frame */
} bundle_side;

/* Columns of J. y: the bundle's first row. */
static void bundle_jacobian(const part *p, const bundle_side *s, vf *y, int turns) {
    const robot *r = p->r;
    const workspace *w = p->w;
    const int stride = r->max_path;
    for (int i = s->body; i >= 0 && r->bodies[i].depth >= s->from; i = r->bodies[i].parent) {
        const lane_body *b = &r->bodies[i];
        vf *out = y + b->depth + s->shift;
        if (b->joint == MYR_JOINT_FREE) {
            for (int a = 0; a < 3; a++, out += stride) {
                const v3 t = v3_load(s->axes + 3 * a);
                v3_store(out, t);
                v3_store(out + 3, v3_cross(s->x, t));
                if (!turns) continue;
                v3_store(out + 3 * stride, v3_zero());
                v3_store(out + 3 * stride + 3, t);
            }
            continue;
        }
        const v3 arm = v3_sub(s->x, v3_load(w->p + 3 * i));
        for (int k = 0; k < b->nv; k++, out++) {
            const v3 axis = v3_load(w->axis + 3 * (b->v + k));
            const int linear = dof_is_linear(b, k);
            const v3 along = m3_mul(s->axes, linear ? axis : v3_cross(axis, arm));
            out[0] = along.x, out[stride] = along.y, out[2 * stride] = along.z;
            if (!turns) continue;
            const v3 about = linear ? v3_zero() : m3_mul(s->axes, axis);
            out[3 * stride] = about.x, out[4 * stride] = about.y, out[5 * stride] = about.z;
        }
    }
}

/* Entry `to` of y less L times the entries from..end - 1 of it; `depth`: how deep in its tree the dof of `to` is. All rows at once: an
 * entry of L is looked up once for all of them. */
static inline __attribute__((always_inline)) void bundle_eliminate(const part *p, vf *y, const int *path, int to, int depth, int from,
                                                                   int end, const int rows) {
    const int stride = p->r->max_path, *m_row = p->r->m_row;
    const vf *L = p->w->M + depth;
    vf sum[6];
    UNROLL for (int a = 0; a < rows; a++) sum[a] = y[a * stride + to];
    for (int k = end - 1; k >= from; k--) {
        const vf l = L[m_row[path[k]]];
        UNROLL for (int a = 0; a < rows; a++) sum[a] = vf_fnma(l, y[a * stride + k], sum[a]);
    }
    UNROLL for (int a = 0; a < rows; a++) y[a * stride + to] = sum[a];
}

/* y <- L^-T y: the tips of both bodies towards the root, then what is above both. */
static inline __attribute__((always_inline)) void bundle_substitute(const part *p, const lane_slot *slot, vf *y, const int rows) {
    const int end = slot->path_length, *path = slot->path;
    for (int e = end - 1; e >= slot->first; e--) bundle_eliminate(p, y, path, e, e - slot->first + slot->common, e + 1, end, rows);
    for (int e = slot->first - 1; e >= slot->common; e--) bundle_eliminate(p, y, path, e, e, e + 1, slot->first, rows);
    for (int e = slot->common - 1; e >= 0; e--) bundle_eliminate(p, y, path, e, e, e + 1, end, rows);
}

/* A bundle whose bodies float, each the root of its tree, as the boxes of a stack: no dof moves two of them. */
static inline int slot_floats(const robot *r, const lane_slot *slot) {
    return r->bodies[slot->body].joint == MYR_JOINT_FREE && (slot->other_body < 0 || r->bodies[slot->other_body].joint == MYR_JOINT_FREE);
}

/* Three rows of such a body's six dofs: J in y, to L^-T J^T. With known counts the entries stay in registers, and nothing is looked up. */
static inline __attribute__((always_inline)) void floating_rows(const vf *L, vf y[3][ROOT], vf *out, int stride) {
    UNROLL for (int e = ROOT - 2; e >= 0; e--) UNROLL for (int k = ROOT - 1; k > e; k--) {
        const vf l = L[root_row(k) + e];
        UNROLL for (int a = 0; a < 3; a++) y[a][e] = vf_fnma(l, y[a][k], y[a][e]);
    }
    UNROLL for (int a = 0; a < 3; a++) UNROLL for (int j = 0; j < ROOT; j++) out[a * stride + j] = y[a][j];
}

static void floating_side(const part *p, const bundle_side *s, vf *out, int turns) {
    const lane_body *b = &p->r->bodies[s->body];
    const vf *L = p->w->M + p->r->m_row[b->v];
    const int stride = p->r->max_path;
    vf y[3][ROOT];
    out += s->shift;
    UNROLL for (int a = 0; a < 3; a++) {
        const v3 t = v3_load(s->axes + 3 * a), m = v3_cross(s->x, t);
        y[a][0] = t.x, y[a][1] = t.y, y[a][2] = t.z, y[a][3] = m.x, y[a][4] = m.y, y[a][5] = m.z;
    }
    floating_rows(L, y, out, stride);
    if (!turns) return;
    UNROLL for (int a = 0; a < 3; a++) {
        const vf *t = s->axes + 3 * a;
        y[a][0] = y[a][1] = y[a][2] = vf_zero(), y[a][3] = t[0], y[a][4] = t[1], y[a][5] = t[2];
    }
    floating_rows(L, y, out + 3 * stride, stride);
}

/* D^-1 Y into `scaled`, and c of all contacts: Y^T z with the gap's share. */
static inline __attribute__((always_inline)) void bundle_scaled(const part *p, const bundle *b, const lane_slot *slot, const int rows) {
    const workspace *w = p->w;
    const int stride = p->r->max_path, *path = slot->path;
    const vf *y = slot_y(p, b->first, 0);
    vf *scaled = w->scaled, *out = w->contact.c + 3 * b->first, c[6];
    UNROLL for (int a = 0; a < rows; a++) c[a] = vf_zero();
    for (int j = 0; j < slot->path_length; j++, y++, scaled++) {
        const vf d = w->dinv[path[j]], free = w->z[path[j]];
        UNROLL for (int a = 0; a < rows; a++) {
            const vf mine = y[a * stride];
            scaled[a * stride] = d * mine;
            c[a] = vf_fma(mine, free, c[a]);
        }
    }
    v3_store(out, v3_load(c));
    if (rows == 6)
        for (int k = 1; k < b->n; k++) v3_store(out + 3 * k, bundle_at(w, b->first + k, v3_load(c), v3_load(c + 3)));
    for (int k = 0; k < b->n; k++) out[3 * k + 2] = out[3 * k + 2] + slot_opens(p, b->first + k);
}

/* Y, D^-1 Y and c of a bundle, and the arms of its contacts. */
static void bundle_rows(const part *p, const bundle *b) {
    const robot *r = p->r;
    workspace *w = p->w;
    const int n = b->first, turns = b->n > 1, stride = r->max_path;
    const lane_slot *slot = &r->slots[w->slot[n]];
    const int floats = slot_floats(r, slot);
    const vf *R0 = w->R0 + 9 * r->bodies[slot->body].tree, *F = contact_frame(p, n);
    vf *y = slot_y(p, n, 0);
    bundle_side s = {.body = slot->body, .from = slot->common, .shift = 0, .x = v3_load(w->slot_x + 3 * n)};
    UNROLL for (int a = 0; a < 9; a += 3) v3_store(s.axes + a, m3_mul_t(R0, v3_load(F + a)));
    for (int k = n + 1; k < n + b->n; k++) v3_store(w->slot_arm + 3 * k, m3_mul(s.axes, v3_sub(v3_load(w->slot_x + 3 * k), s.x)));
    if (turns && r->ground.map)
        bundle_turns(p, b);
    else if (r->ground.map)
        w->turned[n] = 0;
    for (int a = 0; a < (turns ? 6 : 3); a++)
        for (int j = 0; j < slot->common; j++) y[a * stride + j] = vf_zero();
    if (floats)
        floating_side(p, &s, y, turns);
    else
        bundle_jacobian(p, &s, y, turns);
    if (slot->other_body >= 0) {
        R0 = w->R0 + 9 * r->bodies[slot->other_body].tree;
        s.body = slot->other_body, s.shift = slot->first - slot->common, s.x = v3_load(w->slot_other_x + 3 * n);
        UNROLL for (int a = 0; a < 9; a += 3) v3_store(s.axes + a, v3_scale(vf_set(-1), m3_mul_t(R0, v3_load(F + a))));
        if (floats)
            floating_side(p, &s, y, turns);
        else
            bundle_jacobian(p, &s, y, turns);
    }
    if (!floats && turns)
        bundle_substitute(p, slot, y, 6);
    else if (!floats)
        bundle_substitute(p, slot, y, 3);
    if (turns)
        bundle_scaled(p, b, slot, 6);
    else
        bundle_scaled(p, b, slot, 3);
}

/* A row of W: that of `scaled` against rows from..to - 1 of y, over the runs of dofs that the two bundles have in common. Few sums at a
 * time stay in registers on every machine, and the rows of y come from memory as operands. */
static inline __attribute__((always_inline)) void mobility_row(const lane_meet *meet, const vf *scaled, const vf *y, int stride, vf *out,
                                                               const int from, const int to) {
    vf g[6];
    UNROLL for (int k = from; k < to; k++) g[k] = vf_zero();
    for (int run = 0; run < meet->n; run++) {
        const vf *a = scaled + meet->mine[run], *b = y + meet->others[run];
        int n = meet->length[run];
        for (; n >= ROOT; n -= ROOT, a += ROOT, b += ROOT)
            UNROLL for (int j = 0; j < ROOT; j++) UNROLL for (int k = from; k < to; k++) g[k] = vf_fma(a[j], b[k * stride + j], g[k]);
        for (; n > 0; n--, a++, b++) UNROLL for (int k = from; k < to; k++) g[k] = vf_fma(*a, b[k * stride], g[k]);
    }
    UNROLL for (int k = from; k < to; k++) out[k] = g[k];
}

/* What two bundles of one share: all nine sums at once. */
static void block_of_lone(const lane_meet *meet, const vf *scaled, const vf *y, int stride, vf *out) {
    vf g[9];
    UNROLL for (int i = 0; i < 9; i++) g[i] = vf_zero();
    for (int run = 0; run < meet->n; run++) {
        const vf *a = scaled + meet->mine[run], *b = y + meet->others[run];
        for (int n = meet->length[run]; n > 0; n--, a++, b++) {
            const vf left[3] = {vf_hold(a[0]), vf_hold(a[stride]), vf_hold(a[2 * stride])},
                     right[3] = {vf_hold(b[0]), vf_hold(b[stride]), vf_hold(b[2 * stride])};
            UNROLL for (int i = 0; i < 9; i++) g[i] = vf_fma(left[i / 3], right[i % 3], g[i]);
        }
    }
    UNROLL for (int i = 0; i < 9; i++) out[i] = g[i];
}

/* W of bundle a, in `scaled`, with itself: one half of it is the other's mirror. */
static void mobility_own(const part *p, const bundle *a, const lane_meet *meet, vf mobility[36]) {
    const int stride = p->r->max_path;
    const vf *scaled = p->w->scaled, *y = slot_y(p, a->first, 0);
    if (a->n == 1) {
        UNROLL for (int i = 0; i < 3; i++) mobility_row(meet, scaled + i * stride, y, stride, mobility + 6 * i, i, 3);
    } else {
        UNROLL for (int i = 0; i < 6; i++) mobility_row(meet, scaled + i * stride, y, stride, mobility + 6 * i, i, 6);
    }
    const int rows = a->n > 1 ? 6 : 3;
    for (int i = 1; i < rows; i++)
        for (int k = 0; k < i; k++) mobility[6 * i + k] = mobility[6 * k + i];
}

/* The same with another bundle b. */
static void mobility_across(const part *p, const bundle *a, const bundle *b, const lane_meet *meet, vf mobility[36]) {
    const int stride = p->r->max_path, rows = a->n > 1 ? 6 : 3;
    const vf *scaled = p->w->scaled, *y = slot_y(p, b->first, 0);
    for (int i = 0; i < rows; i++)
        if (b->n > 1)
            mobility_row(meet, scaled + i * stride, y, stride, mobility + 6 * i, 0, 6);
        else
            mobility_row(meet, scaled + i * stride, y, stride, mobility + 6 * i, 0, 3);
}

/* The dofs that two slots have in common. */
static inline lane_meet slots_meet(const robot *r, int slot, int other) {
    if (r->meet) return r->meet[r->slots[slot].group * r->n_groups + r->slots[other].group];
    const uint16_t common = r->common[slot * r->n_slots + other];
    return (lane_meet){.n = common > 0, .length = {common}};
}

/* The first `columns` of [1, -xi^] W for a contact with this arm. */
static inline __attribute__((always_inline)) void mobility_at(const vf mobility[36], v3 arm, vf out[18], const int columns) {
    UNROLL for (int k = 0; k < columns; k++) {
        const v3 x = v3_cross_add((v3){mobility[18 + k], mobility[24 + k], mobility[30 + k]}, arm,
                                  (v3){mobility[k], mobility[6 + k], mobility[12 + k]});
        out[k] = x.x, out[6 + k] = x.y, out[12 + k] = x.z;
    }
}

/* The blocks of G between a contact and the first n of bundle b. P: the contact's three rows against the bundle. */
static inline void bundle_block_row(const workspace *w, const vf *P, const bundle *b, int n, vf *out) {
    UNROLL for (int a = 0; a < 3; a++) v3_store(out + 3 * a, v3_load(P + 6 * a));
    for (int k = 1; k < n; k++) {
        const v3 arm = slot_arm(w, b->first + k);
        out += 9;
        UNROLL for (int a = 0; a < 3; a++) v3_store(out + 3 * a, v3_cross_add(v3_load(P + 6 * a + 3), arm, v3_load(P + 6 * a)));
    }
}

/* The blocks of G between the contacts of bundles a and b <= a; `scaled` holds D^-1 Y of a. */
static void bundle_blocks(const part *p, const bundle *a, const bundle *b) {
    const workspace *w = p->w;
    const int own = a == b;
    const lane_meet meet = slots_meet(p->r, w->slot[a->first], w->slot[b->first]);
    vf mobility[36], P[18];
    if (!meet.n) {
        const vf zero = vf_hold(vf_zero()); /* held: no call of memset for a few rows */
        for (int i = 0; i < a->n; i++) {
            vf *out = problem_block(&w->contact, a->first + i, b->first);
            for (int k = 0; k < b->n; k++, out += 9) UNROLL for (int e = 0; e < 9; e++) out[e] = zero;
        }
        return;
    }
    if (!own && a->n == 1 && b->n == 1) {
        block_of_lone(&meet, w->scaled, slot_y(p, b->first, 0), p->r->max_path, problem_block(&w->contact, a->first, b->first));
        return;
    }
    if (own)
        mobility_own(p, a, &meet, mobility);
    else
        mobility_across(p, a, b, &meet, mobility);
    for (int i = 0; i < a->n; i++) {
        const int end = own ? i + 1 : b->n;
        const vf *row_of = i > 0 ? P : mobility;
        if (i > 0 && end > 1)
            mobility_at(mobility, slot_arm(w, a->first + i), P, 6);
        else if (i > 0)
            mobility_at(mobility, slot_arm(w, a->first + i), P, 3);
        bundle_block_row(w, row_of, b, end, problem_block(&w->contact, a->first + i, b->first));
    }
    for (int i = a->first; w->turns && i < a->first + a->n; i++)
        for (int k = b->first; k < b->first + b->n && k <= i; k++) block_turn(w, i, k, problem_block(&w->contact, i, k));
}

#endif
