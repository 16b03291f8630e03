/* A tile of samples through the horizon: what their plans lead to, and what that costs. */
#include <math.h>
#include <string.h>

#include "plan/planner.h"

/* With what counts at the end; a sample whose episode ended has no more steps to be judged by. */
static double cost_of(const myr_planner *p, const myr_plan_room *room, double cost, int lane, int ended) {
    const int steps = p->options.steps;
    if (ended) return INFINITY;
    if (!p->terminal) return isfinite(cost) ? cost : INFINITY;
    const double *last = room->terms + (size_t)(lane * steps + steps - 1) * (size_t)p->terms;
    const double control_s = p->batch->options.dt_s * p->batch->options.decimation;
    for (int k = 0; k < p->terms; k++)
        if (p->terminal[k] != 0) cost -= p->terminal[k] * last[k] / control_s;
    return isfinite(cost) ? cost : INFINITY;
}

/* Samples differ by what they do, not by where they begin: a worker has all its tiles go their way in the memory of its first one, which
 * stays in the cache of its core. */
void myr_plan_roll(const myr_planner *p, int worker, int64_t tile, double *cost, double *state, double *terms) {
    const myr_batch *b = p->batch;
    myr_plan_room room = myr_plan_room_of(p, worker);
    if (terms) room.terms = terms;
    const myr_plan_spread spread = {
        .steps = p->options.steps, .knots = p->options.knots, .actions = p->actions, .basis = p->basis, .lower = p->low, .upper = p->high};
    const myr_act act = {
        .steps = p->options.steps, .autoreset = MYR_AUTORESET_DISABLED, .type = MYR_F64, .state = state, .terms = room.terms};
    void *const rows = myr_batch_tile(b, myr_batch_first_tile(b, worker));
    myr_tile_meta *const meta = &b->metas[tile];
    memcpy(rows, p->begin, b->layout.tile_bytes);
    myr_plan_start_meta(&p->start, b, meta);
    p->kernels->spread(&spread, p->knots + (size_t)tile * (size_t)p->count * MYR_PLAN_LANES, room.action);
    double paid[MYR_PLAN_LANES] = {0};
    myr_tile_job job = myr_batch_job(b, worker);
    myr_batch_job_on(&job, b, tile, tile + 1);
    job.tile = rows, job.act = &act, job.steps = act.steps, job.first_row = 0, job.cost = paid;
    job.action = room.action, job.action_lane = 1, job.action_number = MYR_PLAN_LANES;
    job.action_step = (int64_t)p->actions * MYR_PLAN_LANES;
    b->kernels->step_tile(&job);
    for (int i = 0; i < meta->lanes_used; i++) cost[i] = cost_of(p, &room, paid[i], i, meta->ended[i]);
}
