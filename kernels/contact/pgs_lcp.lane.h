/* pgs-lcp: projected Gauss-Seidel for the pyramid |lambda_x|, |lambda_y| <= mu lambda_z (Le Lidec 2024 Algorithm 1), a linear
 * complementarity problem: as pgs-lelidec, with each tangent clamped by itself. Friction so differs with the direction: up to sqrt 2 times
 * the cone's between the axes of the contact frame. */
#if defined(MYR_SOLVER)
MYR_SOLVER(PGS_LCP, "pgs-lcp", solve_pgs_lcp, BOX, 10000, 2 * n)
#elif !defined(MYR_KERNELS_CONTACT_PGS_LCP_LANE_H)
#define MYR_KERNELS_CONTACT_PGS_LCP_LANE_H

#include "projected_sweeps.lane.h"

static void solve_pgs_lcp(problem *p, const myr_solve_options *o) {
    projected_sweeps(p, o, sweep_steps_lelidec, project_box_step, 1, (real)o->relaxation, MYR_LAW_BOX);
}

#endif
