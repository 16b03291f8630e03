/* What the solves of a part reached: sums and maxima in lanes, flushed to the worker's tally when the part is done, so that
 * a step pays a handful of lane operations. Percentiles and stage times are sampled: reading the clock nine times costs about
 * 200 ns, which every tile-step would feel and one in 16 does not. */
#ifndef MYR_BATCH_ACCOUNT_LANE_H
#define MYR_BATCH_ACCOUNT_LANE_H

#include "constraints/joint_rows.lane.h"
#include "constraints/loops.lane.h"

typedef struct account {
    vf iterations, iterations_max, residual_max, residual_ncp_max;
    vf solves, solves_max; /* of schemes that repeat them */
    vf beyond, torn;       /* joint limits and loops, the largest [rad, m] */
    uint64_t robot_steps, active_slots, active_steps, not_converged, stalled, unsolvable;
    int64_t pending; /* steps in `iterations`: a float counts exactly to 2^24 */
} account;

static inline account account_open(void) {
    const vf zero = vf_zero();
    return (account){.iterations = zero,
                     .iterations_max = zero,
                     .solves = zero,
                     .solves_max = zero,
                     .residual_max = zero,
                     .residual_ncp_max = zero,
                     .beyond = zero,
                     .torn = zero};
}

/* Is this step of the call a sample? All parts of a tile answer alike, so that percentiles are the same in registers of any width. */
static inline int account_sampled(const myr_tile_job *job, int64_t step) {
    return job->meta->sample_phase + (uint64_t)step * MYR_SAMPLE_TURN < MYR_SAMPLE_SHARE;
}

/* Once the tile has made them all. Unsigned: where everyone is dead, a call may be of more steps than have a number. */
static inline void account_advance(myr_tile_meta *meta, int64_t steps, int decimation) {
    meta->sample_phase += (uint64_t)steps * (uint64_t)decimation * MYR_SAMPLE_TURN;
}

static inline void account_flush(account *a, const myr_tile_job *job) {
    real lanes[VN];
    memcpy(lanes, &a->iterations, sizeof lanes);
    for (int i = 0; i < VN; i++) job->tally->iterations += (uint64_t)lanes[i];
    memcpy(lanes, &a->solves, sizeof lanes);
    for (int i = 0; i < VN; i++) job->tally->solves += (uint64_t)lanes[i];
    a->iterations = a->solves = vf_zero();
    a->pending = 0;
}

/* After each step; lanes with an active slot are the ones counted. `keep`: lanes for which this was the last step, of the call or for ever;
 * what they reached is kept for the caller. */
static inline void account_step(account *a, const part *p, const myr_tile_job *job, int first_lane, int sampled, unsigned keep) {
    const problem *c = &p->w->contact;
    const unsigned alive = p->alive;
    unsigned touching = 0;
    a->beyond = vf_max(a->beyond, p->w->beyond);
    if (p->r->n_loops) a->torn = vf_max(a->torn, p->w->torn), touching = alive;
    if (p->options->passes) { /* there is always an equation to solve */
        const vf passes = vf_select(vm_from_bits(alive), p->w->passes, vf_zero());
        touching = alive;
        a->solves = a->solves + passes;
        a->solves_max = vf_max(a->solves_max, passes);
    }
    for (int k = 0; k < c->rows.n; k++) touching |= vm_bits(problem_has_row(c, k));
    for (int n = 0; n < c->n; n++) {
        const unsigned bits = vm_bits(problem_has(c, n));
        touching |= bits;
        a->active_slots += (uint64_t)__builtin_popcount(bits);
    }
    a->robot_steps += (uint64_t)__builtin_popcount(alive);
    if (sampled) job->tally->sampled_robot_steps += (uint64_t)__builtin_popcount(alive);
    const vm some = vm_from_bits(touching);
    const vf zero = vf_zero(), iterations = vf_select(some, c->iterations, zero);
    const vf residual = vf_select(some, c->residual, zero), ncp = vf_select(some, c->residual_ncp, zero);
    const vf status = vf_select(some, c->status, zero);
    a->iterations = a->iterations + iterations;
    a->iterations_max = vf_max(iterations, a->iterations_max);
    a->residual_max = vf_max(residual, a->residual_max);
    a->residual_ncp_max = vf_max(ncp, a->residual_ncp_max);
    a->active_steps += (uint64_t)__builtin_popcount(touching);
    const vm open = vm_gt(status, zero);
    if (vm_any(open)) {
        a->not_converged += (uint64_t)__builtin_popcount(vm_bits(open));
        a->stalled += (uint64_t)__builtin_popcount(vm_bits(vm_eq(status, vf_set(MYR_STALLED))));
        a->unsolvable += (uint64_t)__builtin_popcount(vm_bits(vm_eq(status, vf_set(MYR_NO_SOLUTION))));
    }
    if (++a->pending >= 4096) account_flush(a, job);
    /* one step in 16 may miss every contact of a short run: the worker's first one counts in any case */
    const int counted = touching && (sampled || !job->tally->counted_steps);
    if (!counted && !keep) return;
    real kept[4 * VN], solves[VN];
    memcpy(kept, &iterations, sizeof iterations);
    memcpy(kept + VN, &residual, sizeof residual);
    memcpy(kept + 2 * VN, &ncp, sizeof ncp);
    memcpy(kept + 3 * VN, &status, sizeof status);
    for (int lane = 0; lane < VN; lane++) {
        if (!((alive & keep) >> lane & 1u)) continue;
        job->meta->iterations[first_lane + lane] = (int32_t)kept[lane];
        job->meta->residual[first_lane + lane] = (double)kept[VN + lane];
        job->meta->residual_ncp[first_lane + lane] = (double)kept[2 * VN + lane];
        job->meta->solve_status[first_lane + lane] = (uint8_t)kept[3 * VN + lane];
    }
    if (!counted) return;
    memcpy(solves, &p->w->passes, sizeof solves);
    job->tally->counted_steps += (uint64_t)__builtin_popcount(touching);
    for (int lane = 0; lane < VN; lane++) {
        if (!(touching >> lane & 1u)) continue;
        job->tally->iteration_bins[myr_tally_iteration_bin((uint64_t)kept[lane])]++;
        if (p->options->passes) job->tally->solve_bins[myr_tally_iteration_bin((uint64_t)solves[lane])]++;
        job->tally->residual_bins[myr_tally_residual_bin((double)kept[VN + lane])]++;
        job->tally->residual_ncp_bins[myr_tally_residual_bin((double)kept[2 * VN + lane])]++;
    }
}

static inline double lanes_max(vf a) {
    real lanes[VN];
    double largest = 0;
    memcpy(lanes, &a, sizeof lanes);
    for (int i = 0; i < VN; i++) largest = (double)lanes[i] > largest ? (double)lanes[i] : largest;
    return largest;
}

static inline void account_close(account *a, const part *p, const myr_tile_job *job) {
    myr_tally *t = job->tally;
    account_flush(a, job);
    /* steps looked at where they began: the last one's end is now */
    const double beyond = p->r->n_rows ? lanes_max(vf_max(a->beyond, joint_rows_beyond(p))) : 0;
    if (beyond > t->limit_violation_max) t->limit_violation_max = beyond;
    if (p->r->n_loops && a->robot_steps) {
        kinematics(p);
        loops_look(p, 0);
        const double torn = lanes_max(vf_max(a->torn, p->w->loop_error));
        if (torn > t->loop_error_max) t->loop_error_max = torn;
    }
    t->robot_steps += a->robot_steps;
    t->active_slots += a->active_slots;
    t->active_steps += a->active_steps;
    t->not_converged += a->not_converged;
    t->stalled += a->stalled;
    t->unsolvable += a->unsolvable;
    const uint64_t most = (uint64_t)lanes_max(a->iterations_max);
    if (most > t->iterations_max) t->iterations_max = most;
    const uint64_t solves = (uint64_t)lanes_max(a->solves_max);
    if (solves > t->solves_max) t->solves_max = solves;
    const double residual = lanes_max(a->residual_max), ncp = lanes_max(a->residual_ncp_max);
    if (residual > t->residual_max) t->residual_max = residual;
    if (ncp > t->residual_ncp_max) t->residual_ncp_max = ncp;
}

#endif
