/* pgs: projected Gauss-Seidel as Hwangbo 2018 writes it, (17)-(18): per contact a step along -v, the normal
 * clamped at zero, then the tangent projected on the disc of the new normal,
 *     lambda_z <- max(0, lambda_z - r_z v_z),        r_z = alpha / G_zz
 *     lambda_T <- disc_mu lambda_z (lambda_T - r_T v_T),   r_T = alpha / max(G_xx, G_yy)
 * Its fixed points obey the full law, which is what its residual measures. Hwangbo 2018 stops on the sum of impulse changes and
 * penetration velocities; here those only say when it is worth measuring. */
#if defined(MYR_SOLVER)
MYR_SOLVER(PGS, "pgs", solve_pgs, NCP, 20000, 2 * n)
#elif !defined(MYR_KERNELS_CONTACT_PGS_LANE_H)
#define MYR_KERNELS_CONTACT_PGS_LANE_H

#include "projected_sweeps.lane.h"

static inline void pgs_steps(const vf *g, vf *normal, vf *tangent) {
    *normal = sweep_divisor(g[8]);
    *tangent = sweep_divisor(vf_max(g[0], g[4]));
}

static void solve_pgs(problem *p, const myr_solve_options *o) {
    projected_sweeps(p, o, pgs_steps, project_disc_step, (real)o->pgs_alpha, 1, MYR_LAW_NCP);
}

#endif
