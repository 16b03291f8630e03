/* newton-diag: Newton on the primal of the convex model with R = alpha diag G, as MuJoCo has it (Le Lidec 2024 III-B): a regularisation,
 * not a property of matter. A direction in which the contact hardly moves gets a thousandth of the share of the mean one. */
#if defined(MYR_SOLVER)
MYR_SOLVER(NEWTON_DIAG, "newton-diag", solve_newton_diag, CCP, 200, 28 * b + 9 * b * (b + 1) / 2 + 3 * n * m + m * (m + 1) / 2 + 9 * m)
#elif !defined(MYR_KERNELS_CONTACT_NEWTON_DIAG_LANE_H)
#define MYR_KERNELS_CONTACT_NEWTON_DIAG_LANE_H

#include "newton.lane.h"

static void newton_diag_compliance(const problem *p, const myr_solve_options *o, vf weight, int i, vf want[3]) {
    const vf *g = problem_block(p, i, i), *R = p->R + 3 * i, least = vf_set((real)1e-3) * weight;
    for (int a = 0; a < 3; a++) want[a] = vf_set((real)o->newton_alpha) * vf_max(g[4 * a] - R[a], least);
}

static vf newton_diag_row(const myr_solve_options *o, vf weight) { return vf_set((real)o->newton_alpha) * weight; }

static void solve_newton_diag(problem *p, const myr_solve_options *o) {
    static const newton_wish wish = {newton_diag_compliance, newton_diag_row};
    newton_solve(p, o, &wish);
}

#endif
