/* The contact solve as the step calls it: lane code of its own units, so that a solver more or less changes nothing in the
 * code of the step. */
#ifndef MYR_KERNELS_CONTACT_SOLVE_H
#define MYR_KERNELS_CONTACT_SOLVE_H

#include "kernels/problem_tile.h"
#include "problem.lane.h"

/* Solve the lanes of p with o->solver. p->scratch has myr_solver_room rows. Where p->compliant is set, R is added to G. */
void MYR_UNIT(myr_solve)(problem *p, const myr_solve_options *o);

/* Of impulses and velocities as they are: the residuals. Returns what the first may be for a lane to have converged. */
vf MYR_UNIT(myr_solve_measure)(problem *p, const myr_solve_options *o);

size_t MYR_UNIT(myr_problem_workspace_bytes)(int contacts, int rows, myr_solver solver);
void MYR_UNIT(myr_solve_tile)(const myr_problem_tile *tile, void *workspace, const myr_solve_options *options);

#endif
