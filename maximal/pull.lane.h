/* Velocities that a change of the robot's motion gives to contacts: c += Y' x, x by dof, three numbers of each contact. The other way of
 * `push`, and like that one for legs, for any tree and for mixed contacts. */
#ifndef MYR_MAXIMAL_PULL_LANE_H
#define MYR_MAXIMAL_PULL_LANE_H

#include "workspace.lane.h"
#include "constraints/apply.lane.h"
#include "constraints/mixed.lane.h"

/* c + Y' x of three rows of Y, `stride` apart, over the root's entries. */
static inline v3 pull_root(const vf *y, int stride, const vf *x, v3 c) {
    UNROLL for (int j = 0; j < ROOT; j++) c = v3_fma(x[j], (v3){y[j], y[stride + j], y[2 * stride + j]}, c);
    return c;
}

/* The root's part first, then the leg's, packed or not: the two must not round differently. */
static void pull_legs(const part *p, const vf *x, vf *c) {
    const robot *r = p->r;
    const workspace *w = p->w;
    const int stride = r->max_path;
    for (int t = 0; t < w->contact.n; t++) {
        const vf *y = w->packed ? w->packed_y + 3 * ROOT * t : slot_y(p, t, 0);
        v3_store(c + 3 * t, pull_root(y, w->packed ? ROOT : stride, x, v3_load(c + 3 * t)));
    }
    for (int n = 0; n < w->occupied; n++) {
        const lane_slot *slot = &r->slots[w->slot[n]];
        const vf *y = slot_y(p, n, 0);
        v3 sum = v3_zero();
        for (int j = ROOT; j < slot->path_length; j++) sum = v3_fma(x[slot->path[j]], (v3){y[j], y[stride + j], y[2 * stride + j]}, sum);
        pack_add(p, n, vm_all(), sum, c);
    }
}

static void pull_tree(const part *p, const vf *x, vf *c) {
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    for (int i = 0; i < w->bundles; i++) bundle_velocities(p, &w->bundle[i], x, mw->pulled + 3 * w->bundle[i].first);
    for (int i = 0; i < 3 * w->occupied; i++) c[i] = c[i] + mw->pulled[i];
}

/* Y' x of contact t; x by dof. */
static inline v3 mixed_velocity(const part *p, int t, const vf *x) {
    const int nv = p->r->nv;
    const vf *y = mixed_y(p, t, 0);
    v3 sum = v3_zero();
    MIXED_DOFS(p, p->w->mix[t].runs, d) sum = v3_fma(x[d], (v3){y[d], y[nv + d], y[2 * nv + d]}, sum);
    return sum;
}

static void pull_mixed(const part *p, const vf *x, vf *c) {
    for (int t = 0; t < p->w->contact.n; t++) v3_store(c + 3 * t, v3_add(v3_load(c + 3 * t), mixed_velocity(p, t, x)));
}

#endif
