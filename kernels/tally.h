/* What steps cost and reached, and how that is counted (tally.c). */
#ifndef MYR_KERNELS_TALLY_H
#define MYR_KERNELS_TALLY_H

#include <stdint.h>

#include "myriapod/batch.h"

enum { MYR_ITERATION_BINS = 256, MYR_RESIDUAL_BINS = 640 };

/* What the steps cost and reached; one per worker, merged by adding (kernels/tally.c). */
typedef struct myr_tally {
    uint64_t stage_ticks[MYR_STAGE_COUNT], sampled_robot_steps; /* ticks of the time stamp counter */
    uint64_t task_ticks;                                        /* of myr_batch_act outside the stages; all of them */
    uint64_t robot_steps, active_slots, active_steps, iterations, not_converged, stalled, unsolvable;
    uint64_t counted_steps; /* of the active steps those in the bins below: the sampled ones */
    uint64_t lanes_busy, lanes_run;
    uint64_t iterations_max;
    uint64_t solves, solves_max;             /* dynamics=maximal: contact solves that the steps took */
    uint64_t solve_bins[MYR_ITERATION_BINS]; /* the same, of the counted steps */
    double residual_max, residual_ncp_max;
    double limit_violation_max, loop_error_max;                                      /* joints beyond their limits, loops open [rad, m] */
    uint64_t iteration_bins[MYR_ITERATION_BINS];                                     /* myr_tally_iteration_bin */
    uint64_t residual_bins[MYR_RESIDUAL_BINS], residual_ncp_bins[MYR_RESIDUAL_BINS]; /* myr_tally_residual_bin */
} myr_tally;
int myr_tally_residual_bin(double residual);
double myr_tally_residual_value(int bin);
int myr_tally_iteration_bin(uint64_t iterations);
uint64_t myr_tally_iteration_value(int bin);
void myr_tally_add(myr_tally *into, const myr_tally *from);

#endif
