/* Control steps of myr_batch_step and myr_batch_rollout: episodes that are over begin anew, targets move, the caller's controls are read
 * and the states written that were asked for. */
#ifndef MYR_BATCH_ROLLOUT_LANE_H
#define MYR_BATCH_ROLLOUT_LANE_H

#include "batch/reset.lane.h"
#include "batch/tile.lane.h"
#include "constraints/loops_project.lane.h"
#include "sensors/sensors.lane.h"

/* The task, before a control step. */
static void task_control(const part *p, myr_tile_meta *meta, void *tile, int first_lane) {
    const myr_task *task = p->options->task;
    const unsigned over = task->over ? task->over(p) : 0;
    if (over) {
        reset_lanes(p->r, p->r->model, tile, meta, p->options, p->w->programs, over << first_lane);
        p->w->posed = 0;
        if (p->r->n_loops) loops_settle(p, over);
        if (p->r->n_sensors) sensors_show(p, vm_from_bits(over), 0);
    }
    if (task->drive) task->drive(p, meta, first_lane);
    if (task->table) return; /* its control steps are those of myr_batch_act */
    vf *clock = row(p, p->r->layout.first[MYR_ROWS_clock]);
    *clock = vf_select(vm_from_bits(p->alive), *clock + vf_set(1), *clock);
}

/* Row (lane, step) of the caller's controls into the control field of the living, whatever its type. A lane that is quarantined keeps the
 * control of the step in which it was: what its neighbours do must not show in it. */
static void read_control(const tile_part *a) {
    const part *p = &a->p;
    const robot *r = p->r;
    const myr_rollout *given = a->job->rollout;
    const int named = given->control_field != MYR_TARGET && given->control_field != MYR_TORQUE; /* the actuators', as they have it */
    const int first = r->layout.first[given->control_field == MYR_TARGET ? MYR_ROWS_target : MYR_ROWS_torque];
    const int64_t stride = given->control_stride ? given->control_stride : given->steps * r->nu;
    for (int lane = 0; lane < VN; lane++) {
        if (!(p->alive >> lane & 1u)) continue;
        const int64_t at = (a->job->first_row + a->first_lane + lane) * stride + (a->job->first_step + a->step) * r->nu;
        for (int k = 0; k < r->nu; k++) {
            const double x =
                given->type == MYR_F32 ? (double)((const float *)given->control)[at + k] : ((const double *)given->control)[at + k];
            const myr_actuator *actuator = &r->model->actuators[k];
            real *to = (real *)(void *)row(p, named ? myr_control_row(&r->layout, actuator, k) : first + k) + lane;
            *to = (real)(named ? myr_actuator_set(actuator, x) : x);
        }
    }
}

static void rollout_begin(tile_part *a) {
    if (!a->p.alive) return;
    task_control(&a->p, a->job->meta, a->job->tile, a->first_lane);
    if (a->job->rollout && a->job->rollout->control) read_control(a);
}

static void rollout_end(tile_part *a) {
    const myr_rollout *wanted = a->job->rollout;
    if (!wanted || !wanted->state) return;
    write_state(a, wanted->type, wanted->state, wanted->state_stride ? wanted->state_stride : wanted->steps * (a->p.r->nq + a->p.r->nv));
}

static const control rollout_control = {.begin = rollout_begin, .end = rollout_end};

#endif
