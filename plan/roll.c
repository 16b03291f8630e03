/* A tile of samples through the horizon: what their plans lead to, and what that costs. */
#include <math.h>

#include "plan/planner.h"

/* Less what the task paid in each control step; a sample whose episode ends has no more steps to be judged by. */
static double cost_of(const myr_planner *p, const myr_plan_room *room, int lane) {
    const int steps = p->options.steps;
    double cost = 0;
    for (int t = 0; t < steps; t++) {
        const int at = lane * steps + t;
        if (room->terminated[at] || room->truncated[at]) return INFINITY;
        cost -= room->reward[at];
    }
    if (!p->terminal) return isfinite(cost) ? cost : INFINITY;
    const double *last = room->terms + (size_t)(lane * steps + steps - 1) * (size_t)p->terms;
    const double control_s = p->batch->options.dt_s * p->batch->options.decimation;
    for (int k = 0; k < p->terms; k++)
        if (p->terminal[k] != 0) cost -= p->terminal[k] * last[k] / control_s;
    return isfinite(cost) ? cost : INFINITY;
}

void myr_plan_roll(const myr_planner *p, int worker, int64_t tile, double *cost, double *state, double *terms) {
    const myr_batch *b = p->batch;
    myr_plan_room room = myr_plan_room_of(p, worker);
    if (terms) room.terms = terms;
    const myr_plan_spread spread = {
        .steps = p->options.steps, .knots = p->options.knots, .actions = p->actions, .basis = p->basis, .lower = p->low, .upper = p->high};
    const myr_act act = {.steps = p->options.steps,
                         .autoreset = MYR_AUTORESET_DISABLED,
                         .type = MYR_F64,
                         .state = state,
                         .reward = room.reward,
                         .terms = room.terms,
                         .terminated = room.terminated,
                         .truncated = room.truncated};
    myr_plan_start_tile(&p->start, b, tile);
    p->kernels->spread(&spread, p->knots + (size_t)tile * (size_t)p->count * MYR_PLAN_LANES, room.action);
    myr_tile_job job = myr_batch_job(b, worker);
    myr_batch_job_on(&job, b, tile, tile + 1);
    job.act = &act, job.steps = act.steps, job.first_row = 0, job.untold = 1;
    job.action = room.action, job.action_lane = 1, job.action_number = MYR_PLAN_LANES;
    job.action_step = (int64_t)p->actions * MYR_PLAN_LANES;
    b->kernels->step_tile(&job);
    for (int i = 0; i < b->metas[tile].lanes_used; i++) cost[i] = cost_of(p, &room, i);
}
