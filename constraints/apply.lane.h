/* apply: impulses -> the new velocity, and the next step's warm start. t = Y lambda is the second half of G: with t, u+ = L^-1 (z + D^-1
 * t). */
#ifndef MYR_CONSTRAINTS_APPLY_LANE_H
#define MYR_CONSTRAINTS_APPLY_LANE_H

#include "bundle.lane.h"
#include "dynamics/factor.lane.h"
#include "joint_rows.lane.h"
#include "kernels/contact/pause.lane.h"
#include "loops_solve.lane.h"
#include "pack.lane.h"
#include "robot/touch.lane.h"

/* t += Y lambda over the root's entries. */
static inline void push_root(const vf *y, int stride, v3 l, vf t[ROOT]) {
    UNROLL for (int j = 0; j < ROOT; j++) t[j] = vf_fma(y[j], l.x, vf_fma(y[stride + j], l.y, vf_fma(y[2 * stride + j], l.z, t[j])));
}

/* The same over the n joints of the leg above the slot; y from the leg's first entry. */
static inline __attribute__((always_inline)) void push_leg(const vf *y, int stride, v3 l, vf *t, const int n) {
    UNROLL for (int j = 0; j < n; j++) t[j] = vf_fma(y[j], l.x, vf_fma(y[stride + j], l.y, vf_fma(y[2 * stride + j], l.z, t[j])));
}

static void push_legs(const part *p, vf *t) {
    const robot *r = p->r;
    const workspace *w = p->w;
    const int stride = r->max_path;
    vf root[ROOT];
    UNROLL for (int j = 0; j < ROOT; j++) root[j] = vf_zero();
    for (int k = ROOT; k < r->nv; k++) t[k] = vf_zero();
    const int packed = w->packed ? w->contact.n : 0;
    for (int i = 0; i < packed; i++) push_root(w->packed_y + 3 * ROOT * i, ROOT, v3_load(w->packed_lambda + 3 * i), root);
    for (int n = 0; n < w->occupied; n++) {
        const lane_slot *slot = &r->slots[w->slot[n]];
        const vf *y = w->Y + 3 * n * stride;
        const v3 l = v3_load(w->slot_lambda + 3 * n);
        if (!w->packed) push_root(y, stride, l, root);
        if (slot->path_length == ROOT) continue;
        const vf *y_leg = y + ROOT;
        vf *leg = t + slot->path[ROOT];
        LEG_SWITCH(slot->path_length - ROOT, push_leg, y_leg, stride, l, leg)
    }
    UNROLL for (int j = 0; j < ROOT; j++) t[j] = root[j];
}

static void push_tree(const part *p, vf *t) {
    const workspace *w = p->w;
    for (int k = 0; k < p->r->nv; k++) t[k] = vf_zero();
    for (int i = 0; i < w->bundles; i++) bundle_push(p, &w->bundle[i], t);
}

/* u+ = L^-1 (z + D^-1 Y lambda), in z's place. */
static void apply(const part *p) {
    workspace *w = p->w;
    vf *t = w->occupied || w->contact.rows.n || p->r->n_loops ? w->h : NULL; /* by dof; h is done with */
    pack_return(p);
    if (t) {
        p->r->variant->push(p, t);
        joint_rows_push(p, t);
    }
    if (p->r->n_loops) loops_close(p, t);
    solve_l(p->r, w, t, w->z);
}

/* Only what changes is written: what touches now, and what had an impulse before and does not. Both lists are in the order of slots. A
 * humanoid has ninety slots and touches with eight of them: all of them took 4 % of its step. */
INLINE void keep_impulses_of(const part *p, vm good, const int all) {
    const robot *r = p->r;
    workspace *w = p->w;
    const slot_touch *touch = w->touch, *next = touch, *last = touch + w->touched;
    int *had = w->had_slot;
    for (int k = 0, n = w->had < 0 ? r->n_slots : w->had; k < n; k++) {
        const int s = w->had < 0 ? k : w->had_slot[k];
        vf *impulse = row(p, r->slots[s].row);
        while (next < last && next->slot < s) next++;
        if (next == last || next->slot != s) UNROLL for (int e = 0; e < 3; e++) keep_impulse(impulse + PARTS * e, vf_zero(), good, all);
    }
    w->shown = w->had, w->had_slot = w->shown_slot, w->shown_slot = had;
    for (int k = 0; k < w->touched; k++) {
        vf *impulse = row(p, r->slots[touch[k].slot].row), shared[3];
        const vf *lambda = touch[k].alone ? w->slot_lambda + 3 * touch[k].first : shared;
        if (!touch[k].alone) v3_store(shared, touch_impulse(w, k));
        UNROLL for (int e = 0; e < 3; e++) keep_impulse(impulse + PARTS * e, lambda[e], good, all);
        w->had_slot[k] = touch[k].slot;
    }
    w->had = w->touched;
    if (r->n_rows) joint_rows_keep(p, good, all);
    if (r->n_loops) loops_keep(p, good);
}

/* The step's impulses into the tile, where they are the next step's warm start. Lanes of w->bad keep what they had. */
static void keep_impulses(const part *p) {
    const vm good = vm_from_bits(p->alive & ~stopped_lanes(p->w->bad));
    pause_step(&p->w->contact, good);
    if (vm_bits(good) == vm_bits(vm_all()))
        keep_impulses_of(p, good, 1);
    else
        keep_impulses_of(p, good, 0);
}

#endif
