/* Histograms of what the solves reached: exact for small counts, logarithmic beyond, so that a worker adds to a
 * few kilobytes and percentiles of millions of steps cost nothing. */
#include <math.h>
#include <string.h>

#include "kernels/tally.h"

/* A residual's bin is its float's exponent and first three bits of mantissa: 8 bins per factor of two (9 % wide) from 2^-60
 * up; below, zero included: bin 0. NaN: the last. */
enum { OCTAVE = 8, LOWEST_EXPONENT = 127 - 60 };

int myr_tally_residual_bin(double residual) {
    if (!(residual == residual)) return MYR_RESIDUAL_BINS - 1;
    const float f = (float)residual;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    const int bin = (int)(bits >> 20) - OCTAVE * LOWEST_EXPONENT;
    return bin < 0 ? 0 : bin < MYR_RESIDUAL_BINS ? bin : MYR_RESIDUAL_BINS - 1;
}

double myr_tally_residual_value(int bin) {
    return bin == 0 ? 0.0 : ldexp(1.0 + (bin % OCTAVE + 0.5) / OCTAVE, bin / OCTAVE + LOWEST_EXPONENT - 127);
}

/* 0..127 exact, then 16 per factor of two */
int myr_tally_iteration_bin(uint64_t iterations) {
    if (iterations < 128) return (int)iterations;
    const int bin = 128 + (int)(16.0 * log2((double)iterations / 128.0));
    return bin < MYR_ITERATION_BINS ? bin : MYR_ITERATION_BINS - 1;
}

uint64_t myr_tally_iteration_value(int bin) {
    return bin < 128 ? (uint64_t)bin : (uint64_t)llround(128.0 * exp2((bin - 128 + 0.5) / 16.0));
}

void myr_tally_add(myr_tally *into, const myr_tally *from) {
    for (int i = 0; i < MYR_STAGE_COUNT; i++) into->stage_ticks[i] += from->stage_ticks[i];
    into->task_ticks += from->task_ticks;
    into->sampled_robot_steps += from->sampled_robot_steps;
    into->robot_steps += from->robot_steps;
    into->active_slots += from->active_slots;
    into->active_steps += from->active_steps;
    into->counted_steps += from->counted_steps;
    into->iterations += from->iterations;
    into->not_converged += from->not_converged;
    into->stalled += from->stalled;
    into->unsolvable += from->unsolvable;
    into->lanes_busy += from->lanes_busy;
    into->lanes_run += from->lanes_run;
    if (from->iterations_max > into->iterations_max) into->iterations_max = from->iterations_max;
    into->solves += from->solves;
    if (from->solves_max > into->solves_max) into->solves_max = from->solves_max;
    into->residual_max = fmax(into->residual_max, from->residual_max);
    into->residual_ncp_max = fmax(into->residual_ncp_max, from->residual_ncp_max);
    into->loop_error_max = fmax(into->loop_error_max, from->loop_error_max);
    into->limit_violation_max = fmax(into->limit_violation_max, from->limit_violation_max);
    for (int i = 0; i < MYR_ITERATION_BINS; i++) {
        into->iteration_bins[i] += from->iteration_bins[i];
        into->solve_bins[i] += from->solve_bins[i];
    }
    for (int i = 0; i < MYR_RESIDUAL_BINS; i++) {
        into->residual_bins[i] += from->residual_bins[i];
        into->residual_ncp_bins[i] += from->residual_ncp_bins[i];
    }
}
