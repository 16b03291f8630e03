/* admm-ncp: the full law by the ADMM of the convex model, whose velocity is shifted by s = (0, 0, mu |gamma_T|) of the iteration before:
 * at a fixed point gamma = -(w + Gamma). Not convex, so no theorem says that it converges; on the whole it does. */
#if defined(MYR_SOLVER)
MYR_SOLVER(ADMM_NCP, "admm-ncp", solve_admm_ncp, NCP, 50000, 21 * b + 9 * b * (b + 1) / 2 + 3 * n * m + m * (m + 1) / 2 + 9 * m)
#elif !defined(MYR_KERNELS_CONTACT_ADMM_NCP_LANE_H)
#define MYR_KERNELS_CONTACT_ADMM_NCP_LANE_H

#include "admm.lane.h"

static void solve_admm_ncp(problem *p, const myr_solve_options *o) { admm_solve(p, o, MYR_LAW_NCP); }

#endif
