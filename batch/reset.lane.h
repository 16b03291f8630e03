/* The start of an episode: home pose with a random heading, and what the task adds. One lane at a time; resets are rare. */
#ifndef MYR_BATCH_RESET_LANE_H
#define MYR_BATCH_RESET_LANE_H

#include "batch/legal.h"
#include "batch/locomotion_start.lane.h"
#include "batch/tasks.h"
#include "robot/robot.lane.h"

/* Which leg a dof belongs to is the model's business: hip flexion and knee of leg k, or -1 on 2-dof legs' missing joint. */
static inline int leg_actuator(const myr_model *m, int leg, int joint) {
    const int body = m->quadruped.joint[leg][joint];
    return body < 0 ? -1 : m->bodies[body].u;
}

static void reset_lane(const myr_model *m, const myr_layout *l, void *tile, myr_tile_meta *meta, const myr_step_options *o, int lane) {
    real u[4];
    const myr_task task = o->task;
    const int q0 = l->first[MYR_ROWS_q], v0 = l->first[MYR_ROWS_v],
              thrown = task == MYR_TASK_HANG || task == MYR_TASK_DROP || task == MYR_TASK_RANDOM;
    for (int k = 0; k < m->nq; k++) *lane_of(tile, q0 + k, lane) = (real)m->home[k];
    for (int t = 0; t < m->n_trees && o->ground != 0 && __builtin_isfinite(o->ground); t++) {
        const myr_body *root = &m->bodies[m->tree_root[t]];
        if (root->joint == MYR_JOINT_FREE) *lane_of(tile, q0 + root->q + 2, lane) += (real)o->ground;
    }
    for (int k = 0; k < m->nv; k++) *lane_of(tile, v0 + k, lane) = 0;
    for (int k = 0; k < 3 * m->n_slots; k++) *lane_of(tile, l->first[MYR_ROWS_impulse] + k, lane) = 0;
    for (int k = 0; k < l->count[MYR_ROWS_row_impulse]; k++) *lane_of(tile, l->first[MYR_ROWS_row_impulse] + k, lane) = 0;
    for (int k = 0; k < m->nu; k++) {
        double target, torque;
        myr_actuator_start(m, k, &target, &torque);
        *lane_of(tile, l->first[MYR_ROWS_target] + k, lane) = (real)target;
        *lane_of(tile, l->first[MYR_ROWS_torque] + k, lane) = (real)torque;
    }
    uint32_t block = 0;
    random_four(meta, o, lane, block++, u);
    *lane_of(tile, l->first[MYR_ROWS_phase], lane) = u[1];
    *lane_of(tile, l->first[MYR_ROWS_clock], lane) = 0;
    *lane_of(tile, l->first[MYR_ROWS_rest], lane) = 0;
    if (task != MYR_TASK_NONE) {
        const MYR_SINCOS1_TYPE half = MYR_SINCOS1((real)3.141592653589793 * u[0]); /* heading 2 pi u about z */
        *lane_of(tile, q0 + 3, lane) = half.y;
        *lane_of(tile, q0 + 4, lane) = 0;
        *lane_of(tile, q0 + 5, lane) = 0;
        *lane_of(tile, q0 + 6, lane) = half.x;
        if (thrown) {
            *lane_of(tile, q0 + 2, lane) += (real)(task == MYR_TASK_RANDOM ? MYR_RANDOM_HEIGHT_M : MYR_THROW_HEIGHT_M);
            for (int k = 0; k < m->nu; k++) {
                if (k % 4 == 0) random_four(meta, o, lane, block++, u);
                *lane_of(tile, q0 + m->bodies[m->actuators[k].joint[0]].q, lane) += (real)MYR_JITTER * (2 * u[k % 4] - 1);
            }
        }
        if (task == MYR_TASK_DROP) {
            const real s = half.x, c = half.y;
            const real x = c * c - s * s, y = 2 * s * c; /* the root's +x in the world */
            const int along_y = m->quadruped.heading_y;
            *lane_of(tile, v0, lane) = (real)MYR_DROP_SPEED * (along_y ? -y : x);
            *lane_of(tile, v0 + 1, lane) = (real)MYR_DROP_SPEED * (along_y ? x : y);
        }
    }
    if (task == MYR_TASK_LOCOMOTION) {
        drawing d = {.model = m, .layout = l, .options = o, .meta = meta, .tile = tile, .lane = lane, .block = block};
        locomotion_start(&d);
        block = d.block;
    }
    meta->draws[lane] = block;
    myr_parameters_changed(meta, lane); /* drawn, or still what they were quarantined for */
    meta->step[lane] = 0;
    meta->quarantine[lane] = MYR_HEALTHY;
    meta->ended[lane] = 0;
    meta->iterations[lane] = 0;
    meta->residual[lane] = meta->residual_ncp[lane] = 0;
    meta->solve_status[lane] = MYR_CONVERGED;
}

static void reset_lanes(const void *memory, const myr_model *m, void *tile, myr_tile_meta *meta, const myr_step_options *o,
                        unsigned lanes) {
    const robot *r = memory;
    for (int lane = 0; lane < W; lane++)
        if (lanes >> lane & 1u) {
            meta->episode[lane]++;
            reset_lane(m, &r->layout, tile, meta, o, lane);
        }
}

#endif
