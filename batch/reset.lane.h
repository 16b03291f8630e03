/* The start of an episode: the home pose at rest, and what the task adds. One lane at a time; resets are rare. */
#ifndef MYR_BATCH_RESET_LANE_H
#define MYR_BATCH_RESET_LANE_H

#include "batch/legal.h"
#include "robot/robot.lane.h"
#include "tasks/draw.lane.h"
#include "tasks/instance.h"

enum { LEAVING = 1 << 30 }; /* blocks of random numbers that no episode comes to */

/* Motors that are late or lag: by how many steps is drawn; what was set before is what an episode begins with. Nets begin with zeros. */
static void reset_motors(drawing *d) {
    const myr_model *m = d->model;
    for (int u = 0; u < m->nu; u++) {
        const myr_actuator *a = &m->actuators[u];
        const myr_motor *motor = &a->motor;
        const int late = myr_motor_late_rows(motor), torqued = a->controls == MYR_CONTROLS_TORQUE;
        double target, torque;
        myr_actuator_start(m, u, &target, &torque);
        for (int k = 0; k < a->n_states; k++) *draw_row(d, MYR_ROWS_activation, a->state + k) = 0;
        if (motor->delay_max > motor->delay_min) {
            const int steps = (int)draw(d, motor->delay_min, motor->delay_max + 1.0);
            *draw_row(d, MYR_ROWS_activation, a->state) = (real)(steps < motor->delay_max ? steps : motor->delay_max);
        } else if (late)
            *draw_row(d, MYR_ROWS_activation, a->state) = (real)motor->delay_min;
        if (myr_motor_lag_rows(motor)) *draw_row(d, MYR_ROWS_activation, a->state + late) = (real)(torqued ? torque : target);
    }
}

static void reset_lane(const myr_model *m, const myr_layout *l, void *tile, myr_tile_meta *meta, const myr_step_options *o, void *programs,
                       int lane) {
    const int q0 = l->first[MYR_ROWS_q], v0 = l->first[MYR_ROWS_v];
    drawing d = {.model = m, .layout = l, .options = o, .meta = meta, .tile = tile, .programs = programs, .lane = lane};
    if (o->task->leave && myr_terrain_is_generated(m->terrain) && *lane_of(tile, l->first[MYR_ROWS_clock], lane) > 0) {
        drawing before = d;
        before.block = LEAVING;
        o->task->leave(&before);
    }
    for (int k = 0; k < m->nq; k++) *lane_of(tile, q0 + k, lane) = (real)m->home[k];
    for (int t = 0; t < m->n_trees && o->raised != 0; t++) {
        const myr_body *root = &m->bodies[m->tree_root[t]];
        if (root->joint == MYR_JOINT_FREE) *lane_of(tile, q0 + root->q + 2, lane) += (real)o->raised;
    }
    for (int k = 0; k < m->nv; k++) *lane_of(tile, v0 + k, lane) = 0;
    for (int k = 0; k < 3 * m->n_slots; k++) *lane_of(tile, l->first[MYR_ROWS_impulse] + k, lane) = 0;
    for (int k = 0; k < l->count[MYR_ROWS_row_impulse]; k++) *lane_of(tile, l->first[MYR_ROWS_row_impulse] + k, lane) = 0;
    for (int k = 0; k < m->n_sensor_rows; k++) *lane_of(tile, l->first[MYR_ROWS_sensors] + k, lane) = 0;
    for (int k = 0; k < m->n_sensor_memory; k++) *lane_of(tile, l->first[MYR_ROWS_sensor_memory] + k, lane) = 0;
    for (int k = 0; k < m->nu; k++) {
        double target, torque;
        myr_actuator_start(m, k, &target, &torque);
        *lane_of(tile, l->first[MYR_ROWS_target] + k, lane) = (real)target;
        *lane_of(tile, l->first[MYR_ROWS_torque] + k, lane) = (real)torque;
    }
    for (int k = 0; k < l->count[MYR_ROWS_wrench] && o->instance->pushes; k++) *lane_of(tile, l->first[MYR_ROWS_wrench] + k, lane) = 0;
    random_four(meta, o, lane, d.block++, d.u);
    *lane_of(tile, l->first[MYR_ROWS_phase], lane) = d.u[1];
    *lane_of(tile, l->first[MYR_ROWS_clock], lane) = 0;
    *lane_of(tile, l->first[MYR_ROWS_rest], lane) = 0;
    draw_clear(&d);
    if (o->task->start) o->task->start(&d);
    if (m->n_activation) reset_motors(&d);
    meta->draws[lane] = d.block;
    myr_parameters_changed(meta, lane); /* drawn, or still what they were quarantined for */
    myr_impulses_changed(meta);         /* contacts may be shown of before */
    meta->step[lane] = 0;
    meta->quarantine[lane] = MYR_HEALTHY;
    meta->ended[lane] = 0;
    meta->pause[lane] = meta->wait[lane] = 0;
    meta->iterations[lane] = 0;
    meta->residual[lane] = meta->residual_ncp[lane] = 0;
    meta->solve_status[lane] = MYR_CONVERGED;
}

static void reset_lanes(const void *memory, const myr_model *m, void *tile, myr_tile_meta *meta, const myr_step_options *o, void *programs,
                        unsigned lanes) {
    const robot *r = memory;
    for (int lane = 0; lane < W; lane++)
        if (lanes >> lane & 1u) {
            meta->episode[lane]++;
            reset_lane(m, &r->layout, tile, meta, o, programs, lane);
        }
}

#endif
