/* assemble for robots whose own links touch, or that lie on many bodies: entries -> mixed contacts (mixed.lane.h), their Y, c = Y^T z, and
 * the blocks of G.
 *
 * An entry's Jacobian goes to the contacts that it is, in the lanes where it is. From there on contacts are all there is: L^-T, c and G are
 * made once for each, however many entries it took its lanes from. Of a G1 that flails sixteen lanes have ninety entries between them and
 * none has more than thirty contacts: a block for each two entries would be nine times the work. */
#ifndef MYR_CONSTRAINTS_MIXED_ASSEMBLE_LANE_H
#define MYR_CONSTRAINTS_MIXED_ASSEMBLE_LANE_H

#include "bundle_assemble.lane.h"
#include "joint_rows.lane.h"
#include "mixed.lane.h"
#include "pack.lane.h"

/* J of entry n by its path, from where its bodies part; what is above both is zero. */
static void entry_jacobian(const part *p, int n, vf *y) {
    const robot *r = p->r;
    const workspace *w = p->w;
    const lane_slot *slot = &r->slots[w->slot[n]];
    const vf *R0 = w->R0 + 9 * r->bodies[slot->body].tree, *F = contact_frame(p, n);
    bundle_side s; /* no initializer: gcc would clear its axes first */
    s.body = slot->body, s.from = slot->common, s.shift = 0, s.x = v3_load(w->slot_x + 3 * n);
    UNROLL for (int a = 0; a < 9; a += 3) v3_store(s.axes + a, m3_mul_t(R0, v3_load(F + a)));
    bundle_jacobian(p, &s, y, 0);
    if (slot->other_body < 0) return;
    R0 = w->R0 + 9 * r->bodies[slot->other_body].tree;
    s.body = slot->other_body, s.shift = slot->first - slot->common, s.x = v3_load(w->slot_other_x + 3 * n);
    UNROLL for (int a = 0; a < 9; a += 3) v3_store(s.axes + a, v3_scale(vf_set(-1), m3_mul_t(R0, v3_load(F + a))));
    bundle_jacobian(p, &s, y, 0);
}

/* Entry n to the contacts that it is. Lanes that lack a contact have there what the first comer brought, without an impulse: the numbers of
 * a contact that could be. */
static void mixed_place(const part *p, int n) {
    const robot *r = p->r;
    workspace *w = p->w;
    const lane_slot *slot = &r->slots[w->slot[n]];
    const int nv = r->nv, stride = r->max_path;
    const vf *lambda = w->slot_lambda + 3 * n, *y = w->jacobian;
    entry_jacobian(p, n, w->jacobian);
    for (int t = w->entry[n].low; t < w->entry[n].high; t++) {
        const vm mine = pack_lanes(w, n, t);
        const int first = w->mix[t].first == n;
        const vm lanes = first ? vm_or(mine, vm_eq(w->packed_active[t], vf_zero())) : mine;
        vf *to = mixed_y(p, t, 0), *l = w->packed_lambda + 3 * t;
        if (!vm_any(mine)) continue;
        for (int j = slot->common; j < slot->path_length; j++) {
            vf *at = to + slot->path[j];
            UNROLL for (int a = 0; a < 3; a++) at[a * nv] = vf_select(lanes, y[a * stride + j], at[a * nv]);
        }
        w->packed_mu[t] = first ? w->slot_mu[n] : vf_select(mine, w->slot_mu[n], w->packed_mu[t]);
        UNROLL for (int a = 0; a < 3; a++) l[a] = vf_select(mine, lambda[a], first ? vf_zero() : l[a]);
    }
}

/* y <- L^-T y over one run: its own dofs, then what they leave of those above. */
static inline __attribute__((always_inline)) void mixed_run(const part *p, const robot_run *run, vf *y, const int n) {
    const int nv = p->r->nv, depth = run->depth;
    const vf *rows[MAX_RUN];
    vf own[3][MAX_RUN];
    UNROLL for (int k = 0; k < n; k++) {
        rows[k] = run_row(run, p->w->M, k);
        UNROLL for (int a = 0; a < 3; a++) own[a][k] = y[a * nv + run->dof + k];
    }
    UNROLL for (int k = n - 1; k > 0; k--) UNROLL for (int e = 0; e < k; e++) {
        const vf l = rows[k][depth + e];
        UNROLL for (int a = 0; a < 3; a++) own[a][e] = vf_fnma(l, own[a][k], own[a][e]);
    }
    UNROLL for (int k = 0; k < n; k++) UNROLL for (int a = 0; a < 3; a++) y[a * nv + run->dof + k] = own[a][k];
    for (int f = 0; f < depth; f++) {
        vf *above = y + run->path[f], sum[3];
        UNROLL for (int a = 0; a < 3; a++) sum[a] = above[a * nv];
        UNROLL for (int k = n - 1; k >= 0; k--) {
            const vf l = rows[k][f];
            UNROLL for (int a = 0; a < 3; a++) sum[a] = vf_fnma(l, own[a][k], sum[a]);
        }
        UNROLL for (int a = 0; a < 3; a++) above[a * nv] = sum[a];
    }
}

/* Y of contact t, D^-1 Y into w->scaled, and c. */
static void mixed_rows(const part *p, int t) {
    const robot *r = p->r;
    workspace *w = p->w;
    const int nv = r->nv;
    vf *y = mixed_y(p, t, 0), *scaled = w->scaled;
    v3 c = v3_zero();
    for (int i = r->n_runs - 1; i >= 0; i--)
        if (w->mix[t].runs >> run_bit(i) & 1) RUN_SWITCH(r->runs[i].n, mixed_run, p, &r->runs[i], y)
    MIXED_DOFS(p, w->mix[t].runs, d) {
        const vf inverse = w->dinv[d];
        const v3 mine = {y[d], y[nv + d], y[2 * nv + d]};
        scaled[d] = inverse * mine.x, scaled[nv + d] = inverse * mine.y, scaled[2 * nv + d] = inverse * mine.z;
        c = v3_fma(w->z[d], mine, c);
    }
    v3_store(w->contact.c + 3 * t, c);
}

/* The block of G between contacts t, whose D^-1 Y is at hand, and k < t. */
static void mixed_block(const part *p, int t, int k) {
    const workspace *w = p->w;
    const int nv = p->r->nv;
    const vf *a = w->scaled, *b = mixed_y(p, k, 0);
    vf g[9], *out = problem_block(&w->contact, t, k);
    UNROLL for (int i = 0; i < 9; i++) g[i] = vf_zero();
    MIXED_DOFS(p, w->mix[t].runs & w->mix[k].runs, d)
    UNROLL for (int i = 0; i < 9; i++) g[i] = vf_fma(a[(i / 3) * nv + d], b[(i % 3) * nv + d], g[i]);
    UNROLL for (int i = 0; i < 9; i++) out[i] = g[i];
}

/* Its own: symmetric to the bit. */
static void mixed_own(const part *p, int t) {
    const workspace *w = p->w;
    const int nv = p->r->nv;
    const vf *a = w->scaled, *b = mixed_y(p, t, 0);
    static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2}, at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    vf g[6], *out = problem_block(&w->contact, t, t);
    UNROLL for (int i = 0; i < 6; i++) g[i] = vf_zero();
    MIXED_DOFS(p, w->mix[t].runs, d)
    UNROLL for (int i = 0; i < 6; i++) g[i] = vf_fma(a[row[i] * nv + d], b[column[i] * nv + d], g[i]);
    UNROLL for (int i = 0; i < 9; i++) out[i] = g[at[i]];
}

/* c += the gap's share. */
static void mixed_opens(const part *p) {
    workspace *w = p->w;
    for (int n = 0; n < w->occupied; n++) {
        const vf opens = slot_opens(p, n);
        for (int t = pack_from(p, n); t < pack_end(p, n); t++) {
            vf *normal = w->contact.c + 3 * t + 2;
            *normal = vf_select(pack_lanes(w, n, t), *normal + opens, *normal);
        }
    }
}

/* Zeros where entries come, and where joint rows or loops look: these go along paths of their own. */
static void mixed_clear(const part *p) {
    const workspace *w = p->w;
    const int nv = p->r->nv;
    for (int t = 0; t < w->contact.n; t++) {
        vf *y = mixed_y(p, t, 0);
        if (w->near || p->r->n_loops) {
            for (int i = 0; i < 3 * nv; i++) y[i] = vf_zero();
            continue;
        }
        MIXED_DOFS(p, w->mix[t].runs, d) y[d] = y[nv + d] = y[2 * nv + d] = vf_zero();
    }
}

static void assemble_mixed(const part *p) {
    const workspace *w = p->w;
    mixed_clear(p);
    for (int n = 0; n < w->occupied; n++) mixed_place(p, n);
    for (int t = 0; t < w->contact.n; t++) {
        mixed_rows(p, t);
        for (int k = 0; k < t; k++) mixed_block(p, t, k);
        mixed_own(p, t);
    }
    mixed_opens(p);
}

/* A joint row beside mixed contacts. 0 where no lane has it. */
static int joint_row_mixed(const part *p, int k, int n) {
    const lane_row *mine = &p->r->rows[k];
    const workspace *w = p->w;
    const int nv = p->r->nv;
    vf *G = problem_row_G(&w->contact, n);
    if (!joint_row_begin(p, k, n)) return 0;
    for (int t = 0; t < w->contact.n; t++, G += 3) {
        const vf *y = mixed_y(p, t, 0);
        v3 sum = v3_zero();
        for (int j = 0; j < mine->path_length; j++) {
            const int d = mine->path[j];
            sum = v3_fma(w->row_scaled[d], (v3){y[d], y[nv + d], y[2 * nv + d]}, sum);
        }
        v3_store(G, sum);
    }
    joint_row_blocks(p, k, n);
    return 1;
}

#endif
