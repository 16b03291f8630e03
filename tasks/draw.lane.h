/* Drawing for one environment: its pushes, its heading; its parameters are in draw_parameters.lane.h. One lane at a time; every number
 * comes from the environment's own stream, in a fixed order. */
#ifndef MYR_TASKS_DRAW_LANE_H
#define MYR_TASKS_DRAW_LANE_H

#include "robot/robot.lane.h"
#include "kernels/random.lane.h"

static inline real *lane_of(void *tile, int row, int lane) { return (real *)tile + (size_t)row * W + lane; }

/* The environment whose numbers are drawn; `block` counts the blocks used. */
typedef struct drawing {
    const myr_model *model;
    const myr_layout *layout;
    const myr_step_options *options;
    const myr_tile_meta *meta;
    void *tile, *programs; /* programs: the worker's rows of programs */
    int lane, left;        /* left: numbers of `u` that draw() has not given yet */
    uint32_t block;
    real u[4];
} drawing;

static inline real draw(drawing *d, double low, double high) {
    if (d->left == 0) {
        random_four(d->meta, d->options, d->lane, d->block++, d->u);
        d->left = 4;
    }
    return (real)low + (real)(high - low) * d->u[4 - d->left--];
}
static inline real draw_about_zero(drawing *d, double most) { return draw(d, -most, most); }

static inline real *draw_row(const drawing *d, myr_rows field, int i) { return lane_of(d->tile, d->layout->first[field] + i, d->lane); }

/* A push: x and y of old, then what came later. */
static inline int pushes_at_all(const myr_settings *s) { return s->push_speed > 0 || s->push_up > 0 || s->push_turn > 0; }
static inline void draw_push(drawing *d) {
    const myr_settings *s = d->options->settings;
    for (int k = 0; k < 2; k++) *draw_row(d, MYR_ROWS_v, k) += draw_about_zero(d, s->push_speed);
    if (s->push_up > 0) *draw_row(d, MYR_ROWS_v, 2) += draw_about_zero(d, s->push_up);
    for (int k = 3; k < 6 && s->push_turn > 0; k++) *draw_row(d, MYR_ROWS_v, k) += draw_about_zero(d, s->push_turn);
}

/* The fields that a task keeps are zero when an episode begins. */
static inline void draw_clear(const drawing *d) {
    const myr_rows cleared[] = {MYR_ROWS_command, MYR_ROWS_action, MYR_ROWS_memory, MYR_ROWS_history, MYR_ROWS_reward_sum};
    for (int f = 0; f < 5; f++)
        for (int k = 0; k < d->layout->count[cleared[f]]; k++) *draw_row(d, cleared[f], k) = 0;
}

/* Sine and cosine of half of the turn that is drawn once for each episode. */
static inline MYR_SINCOS1_TYPE drawn_turn(const drawing *d) { return MYR_SINCOS1((real)3.141592653589793 * d->u[0]); }

/* The base of a robot that stands upright at home heads by d->u[0] turns away. Returns sine and cosine of half of that. */
static inline MYR_SINCOS1_TYPE draw_heading(const drawing *d) {
    const MYR_SINCOS1_TYPE half = drawn_turn(d);
    *draw_row(d, MYR_ROWS_q, 3) = half.y;
    *draw_row(d, MYR_ROWS_q, 4) = 0;
    *draw_row(d, MYR_ROWS_q, 5) = 0;
    *draw_row(d, MYR_ROWS_q, 6) = half.x;
    return half;
}

/* Of an actuator's joint, the first if it has several, its place in q. */
static inline int actuator_q(const myr_model *m, int u) { return m->bodies[m->actuators[u].joint[0]].q; }

#endif
