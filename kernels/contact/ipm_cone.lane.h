/* ipm-cone: an interior point for the full law, with the second-order cone as it is (ipm_cone_law.lane.h). */
#if defined(MYR_SOLVER)
MYR_SOLVER(IPM_CONE, "ipm-cone", solve_ipm_cone, NCP, 300,
           9 * b * (b + 1) / 2 + 9 * b * b + 38 * b + 32 * n + 29 * m + 3 * n * m + m * (m + 1) / 2)
#elif !defined(MYR_KERNELS_CONTACT_IPM_CONE_LANE_H)
#define MYR_KERNELS_CONTACT_IPM_CONE_LANE_H

#include "ipm_cone_law.lane.h"
#include "ipm_solve.lane.h"

static void solve_ipm_cone(problem *p, const myr_solve_options *o) {
    static const ipm_cone cone = {MYR_LAW_NCP,    ipm_cone_start, ipm_cone_begin, ipm_cone_open,  ipm_cone_pairs,
                                  ipm_cone_right, ipm_cone_back,  ipm_cone_move,  ipm_cone_active};
    ipm_solve(p, o, &cone);
}

#endif
