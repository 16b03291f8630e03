/* pgs-lelidec: projected Gauss-Seidel for the full law as Le Lidec 2024 writes it (Algorithm 6): per contact
 *     lambda_z <- max(0, lambda_z - w_z / G_zz)
 *     lambda_T <- disc_mu lambda_z (lambda_T - w_T / min(G_xx, G_yy))
 * with w before the contact's step, then relaxed by Le Lidec 2024 (25). Where relaxation times the largest eigenvalue of a contact's
 * tangential block exceeds twice its smaller diagonal entry, a sticking contact does not come to rest: see sweep_steps_lelidec. */
#if defined(MYR_SOLVER)
MYR_SOLVER(PGS_LELIDEC, "pgs-lelidec", solve_pgs_lelidec, NCP, 10000, 2 * n)
#elif !defined(MYR_KERNELS_CONTACT_PGS_LELIDEC_LANE_H)
#define MYR_KERNELS_CONTACT_PGS_LELIDEC_LANE_H

#include "projected_sweeps.lane.h"

static void solve_pgs_lelidec(problem *p, const myr_solve_options *o) {
    projected_sweeps(p, o, sweep_steps_lelidec, project_disc_step, 1, (real)o->relaxation, MYR_LAW_NCP);
}

#endif
