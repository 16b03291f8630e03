/* What a task does before every control step of myr_batch_step: episodes that are over begin anew, targets move. */
#ifndef MYR_BATCH_TASK_LANE_H
#define MYR_BATCH_TASK_LANE_H

#include "batch/reset.lane.h"
#include "constraints/loops_project.lane.h"

/* `done`: steps of dt that this job has behind it. */
static void task_control(const part *p, myr_tile_meta *meta, void *tile, int first_lane, int64_t done) {
    const myr_task *task = p->options->task;
    const unsigned over = task->over ? task->over(p) : 0;
    if (over) {
        reset_lanes(p->r, p->r->model, tile, meta, p->options, over << first_lane);
        if (p->r->n_loops) loops_settle(p, over);
        for (int lane = 0; lane < VN; lane++)
            if (over >> lane & 1u) meta->step[first_lane + lane] = -done; /* all steps of the job are added at its end */
    }
    if (task->drive) task->drive(p, meta, first_lane);
    if (task->rewards) return; /* its control steps are those of myr_batch_act */
    vf *clock = row(p, p->r->layout.first[MYR_ROWS_clock]);
    *clock = vf_select(vm_from_bits(p->alive), *clock + vf_set(1), *clock);
}

#endif
