/* newton-compliant: Newton on the primal of the convex model with R from a physical compliance, as Drake has it. R is what the problem
 * brings (in a step, R_N = compliance / (dt (dt + dissipation-time)), R_T from compliance-tangent). Where that is too little to be told
 * from rigid, it is the near-rigid R_N = beta^2 / (4 pi^2) tr G_ii / 3 and R_T = sigma tr G_ii / 3 of SAP (Castro et al. 2022), with
 * beta = 0.1 and sigma = 1e-3. */
#if defined(MYR_SOLVER)
MYR_SOLVER(NEWTON_COMPLIANT, "newton-compliant", solve_newton_compliant, CCP, 200,
           28 * b + 9 * b * (b + 1) / 2 + 3 * n * m + m * (m + 1) / 2 + 9 * m)
#elif !defined(MYR_KERNELS_CONTACT_NEWTON_COMPLIANT_LANE_H)
#define MYR_KERNELS_CONTACT_NEWTON_COMPLIANT_LANE_H

#include "newton.lane.h"

static void newton_compliant_compliance(const problem *p, const myr_solve_options *o, vf weight, int i, vf want[3]) {
    (void)p, (void)o, (void)i;
    want[0] = want[1] = vf_set((real)MYR_NEAR_RIGID_T) * weight;
    want[2] = vf_set((real)MYR_NEAR_RIGID_N) * weight;
}

static vf newton_compliant_row(const myr_solve_options *o, vf weight) {
    (void)o;
    return vf_set((real)MYR_NEAR_RIGID_N) * weight;
}

static void solve_newton_compliant(problem *p, const myr_solve_options *o) {
    static const newton_wish wish = {newton_compliant_compliance, newton_compliant_row};
    newton_solve(p, o, &wish);
}

#endif
