/* Control steps of a task: actions in, rewards, ends of episodes, resets, observations out. Terms, failing and observations are the task's
 * (tasks/task.h). */
#ifndef MYR_BATCH_ACT_LANE_H
#define MYR_BATCH_ACT_LANE_H

#include <math.h>

#include "batch/reset.lane.h"
#include "batch/sense.lane.h"
#include "batch/tile.lane.h"
#include "kernels/load.lane.h"
#include "tasks/ground.lane.h"
#include "tasks/instance.h"
#include "tasks/motion.lane.h"
#include "tasks/observe.lane.h"

/* Row of the caller's arrays for the lane, in rows of one number. */
static inline int64_t act_row(const tile_part *a, int lane) {
    return (a->job->first_row + a->first_lane + lane) * a->job->act->steps + a->job->first_step + a->step;
}

/* Rows of lanes -> rows of the caller's array, for the lanes of `lanes`. */
static void act_write(const tile_part *a, const vf *rows, int count, void *array, unsigned lanes) {
    if (!array || !lanes) return;
    const real *from = (const real *)(const void *)rows;
    for (int lane = 0; lane < a->lanes; lane++) {
        if (!(lanes >> lane & 1u)) continue;
        if (a->job->act->type == MYR_F32) {
            float *to = (float *)array + act_row(a, lane) * count;
            for (int k = 0; k < count; k++) to[k] = (float)from[k * VN + lane];
        } else {
            double *to = (double *)array + act_row(a, lane) * count;
            for (int k = 0; k < count; k++) to[k] = (double)from[k * VN + lane];
        }
    }
}

static void act_flag(const tile_part *a, unsigned set, uint8_t *array) {
    for (int lane = 0; array && lane < a->lanes; lane++) array[act_row(a, lane)] = set >> lane & 1u;
}

/* A lane's action of the job's own; first NULL: there is none. */
typedef struct tile_action {
    const float *first;
    int64_t apart;
} tile_action;

static inline tile_action tile_action_of(const myr_tile_job *job, int lane, int64_t step) {
    return (tile_action){job->action ? job->action + lane * job->action_lane + step * job->action_step : NULL, job->action_number};
}

/* A finite number stays one in floats: it is to be clipped, not to be a fault. */
static inline real act_number(double x) {
    const double most = 1e30; /* far beyond any clip */
    return sizeof(real) == sizeof(double) || fabs(x) <= most || !isfinite(x) ? (real)x : (real)copysign(most, x);
}

/* The job's actions, clipped, become the row `action` of the lanes that move, and w->wanted; the action before becomes w->before.
 * Returns the lanes whose action is not finite: they keep the old one. */
static unsigned act_read(const tile_part *a) {
    const part *p = &a->p;
    const int n = p->r->layout.task.actions;
    const myr_act *act = a->job->act;
    const vm alive = vm_from_bits(p->alive);
    const vf most = vf_set((real)p->options->settings->action_clip);
    vm finite = vm_all();
    vf *wish = p->w->wanted;
    const tile_action side = tile_action_of(a->job, a->first_lane, a->step);
    const int rows = !MYR_DOUBLE && side.first && a->job->action_lane == 1; /* lanes side by side already */
    for (int k = 0; k < n; k++) wish[k] = rows ? load((const real *)(const void *)(side.first + k * side.apart)) : vf_zero();
    for (int lane = 0; !rows && (act->action || a->job->action) && lane < a->lanes; lane++) {
        real *to = (real *)(void *)wish + lane;
        const tile_action own = tile_action_of(a->job, a->first_lane + lane, a->step);
        const int64_t at = act_row(a, lane) * n;
        if (own.first)
            for (int k = 0; k < n; k++) to[k * VN] = (real)own.first[k * own.apart];
        else if (act->type == MYR_F32)
            for (int k = 0; k < n; k++) to[k * VN] = (real)((const float *)act->action)[at + k];
        else
            for (int k = 0; k < n; k++) to[k * VN] = act_number(((const double *)act->action)[at + k]);
    }
    for (int k = 0; k < n; k++) finite = vm_and(finite, vm_finite(wish[k]));
    const vm take = vm_and(alive, finite);
    for (int k = 0; k < n; k++) {
        vf *action = field_row(p, MYR_ROWS_action, k);
        p->w->before[k] = *action;
        wish[k] = vf_max(vf_min(wish[k], most), -most);
        *action = vf_select(take, wish[k], *action);
    }
    return vm_bits(vm_andnot(alive, finite));
}

static void act_quarantine(tile_part *a, unsigned lanes) {
    for (int lane = 0; lane < a->lanes && lanes; lane++)
        if (lanes >> lane & 1u) a->job->meta->quarantine[a->first_lane + lane] = a->p.w->fault[lane];
}

/* These lanes stop after `done` steps of dt: what their task's programs gave is not a number. */
static void act_stop(tile_part *a, unsigned bad, int done) {
    for (int lane = 0; lane < a->lanes && bad; lane++)
        if (bad >> lane & 1u) a->job->meta->step[a->first_lane + lane] += done;
    act_quarantine(a, bad);
    a->p.alive &= ~bad;
}

/* What an action asks for: what the task makes of it, else targets about home or the control of each actuator. late: the one before. */
static void act_targets(tile_part *a, int late, vm lanes, int done) {
    const part *p = &a->p;
    const vf *action = late ? p->w->before : p->w->wanted;
    if (p->options->task->act) {
        act_stop(a, p->options->task->act(p, late, vm_bits(lanes)), done);
        return;
    }
    const vf scale = vf_set((real)p->options->settings->action_scale);
    for (int u = 0; u < p->r->nu && !p->options->instance->controls; u++) {
        vf *target = field_row(p, MYR_ROWS_target, u);
        *target = vf_select(lanes, vf_fma(scale, action[u], vf_set(p->r->actuators[u].home)), *target);
    }
    for (int u = 0; u < p->r->nu && p->options->instance->controls; u++) control_set(p, u, scale * action[u], lanes);
}

/* An action takes effect `delay` steps of dt after the control step began, rounded up; one that is later than the last of them, when the
 * next control step begins. */
static void act_each(tile_part *a, int sub) {
    const part *p = &a->p;
    const vf delay = field(p, MYR_ROWS_delay, 0);
    const vm before = sub > 0 ? vm_gt(delay, vf_set((real)(sub - 1))) : vm_all();
    const vm now = vm_and(vm_from_bits(p->alive), vm_and(before, vm_le(delay, vf_set((real)sub))));
    if (vm_any(now)) act_targets(a, 0, now, sub);
    if (p->options->task->step && p->alive) act_stop(a, p->options->task->step(p), sub);
}

/* What is seen into the caller's arrays: the observation, and behind it that of a critic. */
static void act_show(const tile_part *a, void *observation, void *critic, unsigned lanes) {
    const myr_task_shape *task = &a->p.r->layout.task;
    act_write(a, a->p.w->seen, task->observations, observation, lanes);
    act_write(a, a->p.w->seen + task->observations, task->critics, critic, lanes);
}

/* Reports the episodes that end here. */
static void act_finish(tile_part *a, unsigned ended) {
    const part *p = &a->p;
    const myr_act *act = a->job->act;
    if (act->final_observation || act->final_critic) {
        observe(p, a->job->meta, a->first_lane);
        act_show(a, act->final_observation, act->final_critic, ended);
    }
    const int terms = p->r->layout.task.terms;
    vf *sums = p->w->terms; /* the sums lie a row of a tile apart, a part's rows a register */
    for (int k = 0; k <= terms; k++) sums[k] = field(p, MYR_ROWS_reward_sum, k);
    act_write(a, sums, terms, act->episode_terms, ended);
    act_write(a, sums + terms, 1, act->episode_return, ended);
    real clock[VN];
    memcpy(clock, field_row(p, MYR_ROWS_clock, 0), sizeof clock);
    for (int lane = 0; act->episode_length && lane < a->lanes; lane++)
        if (ended >> lane & 1u) act->episode_length[act_row(a, lane)] = (int64_t)clock[lane];
}

static void act_reset(tile_part *a, unsigned lanes) {
    const myr_tile_job *job = a->job;
    reset_lanes(a->p.r, a->p.r->model, job->tile, job->meta, a->p.options, job->programs, lanes << a->first_lane);
    a->p.w->had = -1, a->p.w->posed = 0;
    pause_end(&a->p.w->contact, vm_from_bits(lanes));
    if (a->p.r->n_loops) loops_settle(&a->p, lanes);
    sense_state(&a->p, vm_from_bits(lanes), 0);
}

/* Lanes of the part for which a byte of the tile's meta is set. */
static unsigned meta_lanes(const tile_part *a, const uint8_t bytes[16]) {
    unsigned bits = 0;
    uint64_t some[2]; /* mostly of no lane of the tile */
    memcpy(some, bytes, sizeof some);
    if (!(some[0] | some[1])) return 0;
    for (int lane = 0; lane < a->lanes; lane++)
        if (bytes[a->first_lane + lane]) bits |= 1u << lane;
    return bits;
}

/* The time of the episode is up. */
static inline vm timed_out(const part *p) {
    const double episode_s = p->options->settings->episode_s;
    const double steps = floor(episode_s / (p->options->dt_s * p->options->decimation) + 0.5);
    return episode_s > 0 ? vm_ge(field(p, MYR_ROWS_clock, 0), vf_set((real)(steps < 1 ? 1 : steps))) : vm_none();
}

/* The terms of the control step in w->terms, weighted, and the reward behind them. `failed`: lanes that terminate. */
static void act_weigh(const part *p, vm failed) {
    const myr_task_instance *task = p->options->instance;
    const int terms = p->r->layout.task.terms, last = terms - 1;
    const real control_s = (real)(p->options->dt_s * p->options->decimation);
    const vf zero = vf_zero();
    vf *term = p->w->terms, sum = zero;
    term[last] = vf_select(failed, vf_set(1), zero);
    for (int k = 0; k < terms; k++) {
        const double weight = task->terms[k].weight;
        /* by selection: a fault must not show in terms of weight 0, and 0 times infinity is NaN */
        term[k] = weight != 0 ? vf_set((real)weight * control_s) * term[k] : zero;
        if (k != last && !task->terms[k].metric) sum = sum + term[k];
    }
    if (task->floored) sum = vf_max(sum, zero);
    term[terms] = sum + term[last];
}

/* What samples of a plan are paid, off their costs. */
static void act_charge(const tile_part *a, vf paid) {
    real lanes[VN];
    memcpy(lanes, &paid, sizeof lanes);
    for (int lane = 0; lane < VN; lane++) a->job->cost[a->first_lane + lane] -= (double)lanes[lane];
}

/* Rewards and ends of the episodes that moved or faulted in this control step. Returns the lanes that end. */
static unsigned act_judge(tile_part *a) {
    part *p = &a->p;
    const myr_act *act = a->job->act;
    const unsigned moved = a->moved, judged = moved | a->faulted;
    p->alive = moved & ~a->faulted;
    vf *clock = field_row(p, MYR_ROWS_clock, 0);
    *clock = vf_select(vm_from_bits(moved), *clock + vf_set(1), *clock);
    const myr_verdict verdict = p->options->task->judge(p);
    const unsigned faulted = a->faulted | verdict.faulted;
    p->alive &= ~verdict.faulted;
    act_quarantine(a, verdict.faulted);
    const vm healthy = vm_from_bits(p->alive), counted = vm_from_bits(judged);
    const unsigned terminated = (verdict.failed & p->alive) | faulted;
    const vm over = a->job->cost ? vm_none() : timed_out(p);
    const unsigned late = vm_bits(vm_or(over, ground_ends(p))) | verdict.truncated, truncated = late & p->alive & ~terminated;
    act_weigh(p, vm_from_bits(terminated));
    const int terms = p->r->layout.task.terms;
    vf *term = p->w->terms;
    for (int k = 0; k <= terms; k++) { /* of a faulted step only `termination`, the last one, is reported */
        const vf fault = k >= terms - 1 ? term[terms - 1] : vf_zero();
        term[k] = vf_select(healthy, term[k], vf_select(counted, fault, vf_zero()));
        if (a->job->cost || (k < terms && p->options->instance->terms[k].weight == 0)) continue; /* its sum stays zero */
        vf *sum = field_row(p, MYR_ROWS_reward_sum, k);
        *sum = *sum + term[k];
    }
    act_write(a, term, terms, act->terms, every_lane(a));
    act_write(a, term + terms, 1, act->reward, every_lane(a));
    if (a->job->cost) act_charge(a, term[terms]);
    act_flag(a, terminated, act->terminated);
    act_flag(a, truncated, act->truncated);
    for (int lane = 0; act->fault && lane < a->lanes; lane++)
        act->fault[act_row(a, lane)] = faulted >> lane & 1u ? a->job->meta->quarantine[a->first_lane + lane] : 0;
    return terminated | truncated;
}

/* Where an observation is not a number 0 stands, and the robot stops: it ends with a fault in the next control step. */
static void act_mend(tile_part *a) {
    const part *p = &a->p;
    const unsigned bad = p->options->task->mend(p, every_lane(a) & ~meta_lanes(a, a->job->meta->quarantine));
    const vm broken = vm_from_bits(bad);
    act_quarantine(a, bad);
    for (int k = 0; k < p->r->layout.task.observations + p->r->layout.task.critics && bad; k++)
        p->w->seen[k] = vf_select(vm_andnot(broken, vm_finite(p->w->seen[k])), vf_zero(), p->w->seen[k]);
}

static void act_begin(tile_part *a) {
    part *p = &a->p;
    myr_tile_meta *meta = a->job->meta;
    a->waiting = meta_lanes(a, meta->ended);
    if (a->waiting && a->job->act->autoreset != MYR_AUTORESET_DISABLED) act_reset(a, a->waiting);
    if (p->options->instance->shape.history && vm_any(without_history(p))) { /* reset from outside; the action is still none */
        observe(p, meta, a->first_lane);
        if (p->options->task->mend) act_mend(a);
        keep_history(p, without_history(p));
    }
    a->faulted = meta_lanes(a, meta->quarantine) & ~a->waiting; /* by steps that were not control steps */
    a->moved = every_lane(a) & ~a->waiting & ~a->faulted;
    p->alive = a->moved;
    const unsigned no_action = act_read(a);
    for (int lane = 0; lane < a->lanes && no_action; lane++)
        if (no_action >> lane & 1u) meta->quarantine[a->first_lane + lane] = MYR_QUARANTINE_ACTION;
    p->alive &= ~no_action;
    const vm late = vm_and(vm_from_bits(p->alive), vm_gt(field(p, MYR_ROWS_delay, 0), vf_set((real)(p->options->decimation - 1))));
    if (p->options->task->begin) p->options->task->begin(p);
    if (vm_any(late)) act_targets(a, 1, late, 0);
}

static void act_end(tile_part *a) {
    part *p = &a->p;
    const myr_act *act = a->job->act;
    myr_tile_meta *meta = a->job->meta;
    if (a->waiting) p->w->had = -1; /* who waited holds and shows what its neighbours' steps know nothing of */
    a->faulted |= meta_lanes(a, meta->quarantine) & ~a->waiting;
    const unsigned ended = act_judge(a);
    const myr_task *task = p->options->task;
    const unsigned pushed = task->after && !a->job->cost ? task->after(p, meta, a->job->tile, a->first_lane, a->moved & ~ended) : 0;
    if (pushed) {
        p->w->posed = 0;
        sense_state(p, vm_from_bits(pushed), 1);
    }
    const int history = p->options->instance->shape.history;
    if (history) shift_history(p, vm_from_bits(a->moved));
    if (ended) {
        act_finish(a, ended);
        if (act->autoreset == MYR_AUTORESET_SAME_STEP)
            act_reset(a, ended);
        else
            for (int lane = 0; lane < a->lanes; lane++)
                if (ended >> lane & 1u) meta->ended[a->first_lane + lane] = 1;
    }
    if (act->observation || act->critic || history) {
        observe(p, meta, a->first_lane);
        if (task->mend) act_mend(a);
        if (history) keep_history(p, vm_from_bits(a->moved));
        act_show(a, act->observation, act->critic, every_lane(a));
    }
    if (act->state) write_state(a, act->type, act->state, act->steps * (p->r->nq + p->r->nv));
}

static const control act_control = {.begin = act_begin, .each = act_each, .end = act_end, .keeps = 1};

static void observe_tile(const myr_tile_job *job) {
    workspace w = {0};
    workspace_open(&w, job->robot, job->options->scheme, job->workspace);
    w.programs = job->programs;
    for (int k = 0; k < PARTS; k++) {
        const tile_part a = tile_part_open(job, &w, k);
        if (!a.lanes) continue;
        observe(&a.p, job->meta, a.first_lane);
        act_show(&a, job->act->observation, job->act->critic, every_lane(&a));
    }
}

#endif
