#include <math.h>
#include <string.h>

#include "batch/batch.h"

/* The smallest bin such that at least `part` of all lies in it or below; 0 for an empty histogram. */
static int percentile(const uint64_t *bins, int count, double part) {
    uint64_t total = 0, below = 0;
    for (int i = 0; i < count; i++) total += bins[i];
    for (int i = 0; i < count; i++) {
        below += bins[i];
        if (below > 0 && (double)below >= part * (double)total) return i;
    }
    return 0;
}

static int percentile_known(const uint64_t *bins, int count) {
    for (int i = 0; i < count; i++)
        if (bins[i]) return 1;
    return 0;
}

/* A bin stands for the middle of its range, which may lie above the largest value met. NaN: none was met. */
static double residual_at(const uint64_t *bins, double part, double largest) {
    if (!percentile_known(bins, MYR_RESIDUAL_BINS)) return (double)NAN;
    const double value = myr_tally_residual_value(percentile(bins, MYR_RESIDUAL_BINS, part));
    return value < largest ? value : largest;
}

static double ratio(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : 0; }

static int64_t count_quarantined(const myr_batch *batch) {
    int64_t n = 0;
    for (int64_t t = 0; t < batch->tiles; t++)
        for (int lane = 0; lane < batch->metas[t].lanes_used; lane++) n += batch->metas[t].quarantine[lane] != MYR_HEALTHY;
    return n;
}

static int has_limits(const myr_batch *batch) {
    for (int k = 0; k < batch->model.n_rows; k++)
        if (isfinite(batch->rows[k].lower) || isfinite(batch->rows[k].upper)) return 1;
    return 0;
}

void myr_batch_stats(const myr_batch *batch, myr_stats *stats) {
    MYR_OWN_ARITHMETIC;
    myr_tally all;
    memset(&all, 0, sizeof all);
    *stats = (myr_stats){0};
    if (!batch) return;
    for (int w = 0; w < batch->team->threads; w++) myr_tally_add(&all, myr_batch_tally(batch, w));
    *stats = (myr_stats){
        .robot_steps = (int64_t)all.robot_steps,
        .wall_s = batch->wall_s,
        .threads = batch->team->size,
        .contacts_mean = ratio(all.active_slots, all.robot_steps),
        .iterations_mean = ratio(all.iterations, all.active_steps),
        .iterations_max = (int64_t)all.iterations_max,
        .solves_mean = !all.active_steps ? 0
                       : all.solves      ? ratio(all.solves, all.active_steps)
                                         : 1,
        .solves_max = !all.active_steps ? 0
                      : all.solves      ? (int64_t)all.solves_max
                                        : 1,
        .residual_max = all.active_steps ? all.residual_max : (double)NAN,
        .residual_ncp_max = all.active_steps ? all.residual_ncp_max : (double)NAN,
        .limit_violation_max = has_limits(batch) && all.robot_steps ? all.limit_violation_max : (double)NAN,
        .loop_error_max = batch->model.n_loops && all.robot_steps ? all.loop_error_max : (double)NAN,
        .active_steps = (int64_t)all.active_steps,
        .not_converged = (int64_t)all.not_converged,
        .stalled = (int64_t)all.stalled,
        .unsolvable = (int64_t)all.unsolvable,
        .lane_occupancy = ratio(all.lanes_busy, all.lanes_run),
        .quarantined = count_quarantined(batch),
    };
    /* the rate of the time stamp counter, from the same runs */
    const double ns_per_tick = batch->ticks > 0 ? 1e9 * batch->wall_s / batch->ticks : 0;
    for (int i = 0; i < MYR_STAGE_COUNT; i++) stats->stage_ns[i] = ns_per_tick * ratio(all.stage_ticks[i], all.sampled_robot_steps);
    stats->task_ns = ns_per_tick * ratio(all.task_ticks, all.robot_steps);
    const uint64_t p99 = myr_tally_iteration_value(percentile(all.iteration_bins, MYR_ITERATION_BINS, 0.99));
    stats->iterations_p99 = (int64_t)(p99 < all.iterations_max ? p99 : all.iterations_max);
    const uint64_t solves = myr_tally_iteration_value(percentile(all.solve_bins, MYR_ITERATION_BINS, 0.99));
    stats->solves_p99 = all.solves ? (int64_t)solves : stats->solves_max;
    stats->residual_p50 = residual_at(all.residual_bins, 0.5, all.residual_max);
    stats->residual_p99 = residual_at(all.residual_bins, 0.99, all.residual_max);
    stats->residual_ncp_p50 = residual_at(all.residual_ncp_bins, 0.5, all.residual_ncp_max);
    stats->residual_ncp_p99 = residual_at(all.residual_ncp_bins, 0.99, all.residual_ncp_max);
}

void myr_batch_clear_stats(myr_batch *batch) {
    if (!batch) return;
    for (int w = 0; w < batch->team->threads; w++) memset(myr_batch_tally(batch, w), 0, sizeof(myr_tally));
    for (int64_t t = 0; t < batch->tiles; t++) myr_batch_start_samples(batch, t);
    batch->wall_s = batch->ticks = 0;
}

const char *myr_stage_name(int stage) {
    static const char *const names[MYR_STAGE_COUNT] = {
#define MYR_STAGE_TEXT(name) #name,
        MYR_STAGE_LIST(MYR_STAGE_TEXT)
#undef MYR_STAGE_TEXT
    };
    return stage >= 0 && stage < MYR_STAGE_COUNT ? names[stage] : "unknown";
}

const char *myr_solve_status_text(myr_solve_status status) {
    switch (status) {
    case MYR_CONVERGED: return "converged";
    case MYR_STALLED: return "stalled";
    case MYR_ITERATION_LIMIT: return "iteration limit";
    case MYR_NOT_FINITE: return "not finite";
    case MYR_NO_SOLUTION: return "no solution";
    }
    return "unknown";
}

const char *myr_quarantine_text(myr_quarantine reason) {
    switch (reason) {
    case MYR_HEALTHY: return "healthy";
    case MYR_QUARANTINE_NOT_FINITE: return "not finite";
    case MYR_QUARANTINE_SPEED: return "speed limit";
    case MYR_QUARANTINE_ACTION: return "action not finite";
    case MYR_QUARANTINE_PARAMETER: return "illegal parameter";
    case MYR_QUARANTINE_ROTATION: return "rotation";
    case MYR_QUARANTINE_CONTACTS: return "too many contacts";
    case MYR_QUARANTINE_MAP: return "off the map";
    case MYR_QUARANTINE_OUTPUT: break;
    }
    return (int)reason >= MYR_QUARANTINE_OUTPUT && (int)reason < 256 ? "an output of the task is not a number" : "unknown";
}
