/* assemble: occupied slots, L -> the contact problem: Y = L^-T J^T, G = Y^T D^-1 Y, c = Y^T z  (= J times the free velocity,
 * less the reference velocity of terms.lane.h). */
#ifndef MYR_CONSTRAINTS_ASSEMBLE_LANE_H
#define MYR_CONSTRAINTS_ASSEMBLE_LANE_H

#include "bundle_assemble.lane.h"
#include "joint_rows.lane.h"
#include "legs_assemble.lane.h"
#include "loops_solve.lane.h"
#include "mixed_assemble.lane.h"
#include "terms.lane.h"

static void assemble_tree(const part *p) {
    const workspace *w = p->w;
    bundles_open(p, 0);
    for (int i = 0; i < w->bundles; i++) {
        bundle_rows(p, &w->bundle[i]);
        for (int k = 0; k <= i; k++) bundle_blocks(p, &w->bundle[i], &w->bundle[k]);
    }
}

static void assemble(const part *p) {
    if (p->r->n_rows) joint_rows_near(p);
    pack_open(p);
    pack_patches(p);
    if (p->r->n_loops && !p->w->recheck) loops_open(p); /* once: z is closed from then on */
    p->r->variant->assemble(p);
    contact_terms(p);
    if (p->r->n_rows) joint_rows(p);
    if (p->r->n_loops) loops_reduce(p);
}

#endif
