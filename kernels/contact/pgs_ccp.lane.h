/* pgs-ccp: projected Gauss-Seidel for the convex model (Le Lidec 2024 Algorithm 2): per contact
 *     lambda <- proj_K (lambda - 3 / tr(G_ii) w)
 * then relaxed by Le Lidec 2024 (25). It is a block descent of 1/2 lambda' G lambda + c' lambda on the cones, and each step descends if
 * relaxation times the largest eigenvalue of G_ii is below 2/3 of its trace: always where relaxation < 2/3; with 0.8 not where one
 * direction has more than 5/6 of the trace. */
#if defined(MYR_SOLVER)
MYR_SOLVER(PGS_CCP, "pgs-ccp", solve_pgs_ccp, CCP, 10000, 2 * n)
#elif !defined(MYR_KERNELS_CONTACT_PGS_CCP_LANE_H)
#define MYR_KERNELS_CONTACT_PGS_CCP_LANE_H

#include "projected_sweeps.lane.h"

static inline void pgs_ccp_steps(const vf *g, vf *normal, vf *tangent) {
    *normal = *tangent = sweep_divisor((g[0] + g[4] + g[8]) * vf_set((real)(1.0 / 3.0)));
}

static void solve_pgs_ccp(problem *p, const myr_solve_options *o) {
    projected_sweeps(p, o, pgs_ccp_steps, project_cone_step, 1, (real)o->relaxation, MYR_LAW_CCP);
}

#endif
