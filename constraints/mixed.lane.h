/* Mixed contacts: place t of the list is each lane's own t-th contact, whatever bodies it is of (pack.lane.h). So a row of Y = L^-T J^T is
 * by dof, all of them, with zeros where the lane's bodies do not hang; and a set says which runs of dofs are not zero in every lane. Sums
 * go over the runs that two sets have in common: a neighbour's runs add zeros to them, which change no bit. */
#ifndef MYR_CONSTRAINTS_MIXED_LANE_H
#define MYR_CONSTRAINTS_MIXED_LANE_H

#include "robot/workspace.lane.h"

/* Row `axis` of contact t's Y, by dof. */
static inline vf *mixed_y(const part *p, int t, int axis) { return p->w->Y + (3 * t + axis) * p->r->nv; }

/* Dofs from..end - 1. */
typedef struct dof_range {
    int from, end;
} dof_range;

/* The dofs of the lowest runs of a set that lie side by side; they leave the set. */
static inline dof_range range_next(const robot *r, uint64_t *runs) {
    const int first = __builtin_ctzll(*runs);
    const uint64_t rest = *runs >> first, gap = ~rest;
    const int n = gap ? __builtin_ctzll(gap) : RUN_BITS;
    const int end = first + n;
    *runs = end >= RUN_BITS ? 0 : *runs >> end << end;
    return (dof_range){r->run_dof[first], r->run_dof[end]};
}

/* For each dof of a set of runs. */
#define MIXED_DOFS(p, set, dof)                                                                                                            \
    for (uint64_t left_ = (set); left_;)                                                                                                   \
        for (dof_range range_ = range_next((p)->r, &left_); range_.from < range_.end; range_.from = range_.end)                            \
            for (int dof = range_.from; dof < range_.end; dof++)

/* t += Y lambda, by dof. */
static void push_mixed(const part *p, vf *t) {
    const workspace *w = p->w;
    const int nv = p->r->nv;
    for (int k = 0; k < nv; k++) t[k] = vf_zero();
    for (int i = 0; i < w->contact.n; i++) {
        const vf *y = mixed_y(p, i, 0);
        const v3 l = v3_load(w->contact.lambda + 3 * i);
        MIXED_DOFS(p, w->mix[i].runs, d) t[d] = vf_fma(y[d], l.x, vf_fma(y[nv + d], l.y, vf_fma(y[2 * nv + d], l.z, t[d])));
    }
}

#endif
