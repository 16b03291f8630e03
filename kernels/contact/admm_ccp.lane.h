/* admm-ccp: the convex model, K contains lambda _|_ w in K*, by ADMM: Le Lidec 2024 Algorithm 3 with the adaption of Le Lidec 2024 III-E.
 * It wants nothing of G but that it be positive semidefinite: rank-deficient stances and mass ratios of 1e6 are solved as others are.
 * What it is long about ends by an interior point (whole/convex.h), which is not the paper's. */
#if defined(MYR_SOLVER)
MYR_SOLVER(ADMM_CCP, "admm-ccp", solve_admm_ccp, CCP, 300000,
           myr_convex_room(n, m, 21 * b + 9 * b * (b + 1) / 2 + 3 * n * m + m * (m + 1) / 2 + 9 * m, v))
#elif !defined(MYR_KERNELS_CONTACT_ADMM_CCP_LANE_H)
#define MYR_KERNELS_CONTACT_ADMM_CCP_LANE_H

#include "admm.lane.h"

static void solve_admm_ccp(problem *p, const myr_solve_options *o) { admm_solve(p, o, MYR_LAW_CCP); }

#endif
