/* What the task locomotion draws for one environment: its start, its parameters, its commands, its pushes. One lane at a time; every
 * number comes from the environment's own stream, in a fixed order. */
#ifndef MYR_BATCH_LOCOMOTION_START_LANE_H
#define MYR_BATCH_LOCOMOTION_START_LANE_H

#include "batch/random.lane.h"
#include "robot/robot.lane.h"

static inline real *lane_of(void *tile, int row, int lane) { return (real *)tile + (size_t)row * W + lane; }

/* The environment whose numbers are drawn; `block` counts the blocks used. */
typedef struct drawing {
    const myr_model *model;
    const myr_layout *layout;
    const myr_step_options *options;
    const myr_tile_meta *meta;
    void *tile;
    int lane, left; /* left: numbers of `u` not yet used */
    uint32_t block;
    real u[4];
} drawing;

static real draw(drawing *d, double low, double high) {
    if (d->left == 0) {
        random_four(d->meta, d->options, d->lane, d->block++, d->u);
        d->left = 4;
    }
    return (real)low + (real)(high - low) * d->u[4 - d->left--];
}
static real draw_about_zero(drawing *d, double most) { return draw(d, -most, most); }

static real *draw_row(const drawing *d, myr_rows field, int i) { return lane_of(d->tile, d->layout->first[field] + i, d->lane); }

/* Zero for a part of the draws, and horizontal velocities too small to be told from standing are zero. */
static void draw_command(drawing *d) {
    const myr_settings *s = d->options->settings;
    const real still = draw(d, 0, 1);
    real x = draw(d, s->command_x_low, s->command_x_high), y = draw(d, s->command_y_low, s->command_y_high);
    real yaw = draw(d, s->command_yaw_low, s->command_yaw_high);
    const real least = (real)s->command_least;
    if (x * x + y * y < least * least) x = y = 0;
    if (still < (real)s->command_still) x = y = yaw = 0;
    *draw_row(d, MYR_ROWS_command, 0) = x;
    *draw_row(d, MYR_ROWS_command, 1) = y;
    *draw_row(d, MYR_ROWS_command, 2) = yaw;
}

static void draw_push(drawing *d) {
    for (int k = 0; k < 2; k++) *draw_row(d, MYR_ROWS_v, k) += draw_about_zero(d, d->options->settings->push_speed);
}

static void draw_inertia(drawing *d) {
    const myr_settings *s = d->options->settings;
    const myr_body *base = &d->model->bodies[0];
    double rows[MYR_INERTIAL_ROWS], com[3];
    myr_inertial_pack(base, base->mass, base->com, base->inertia, rows);
    const double heaviest = base->mass + (double)draw_about_zero(d, s->vary_mass), lightest = 0.1 * base->mass;
    myr_inertial_set_mass(heaviest < lightest ? lightest : heaviest, rows);
    myr_inertial_com(base, rows, com);
    for (int k = 0; k < 3; k++) com[k] += (double)draw_about_zero(d, s->vary_com);
    myr_inertial_set_com(base, com, rows);
    for (int k = 0; k < MYR_INERTIAL_ROWS; k++) *draw_row(d, MYR_ROWS_inertial, k) = (real)rows[k];
}

/* A motor of another strength gives another torque for the same PD error, which is what other gains give. */
static void draw_gains(drawing *d) {
    const myr_settings *s = d->options->settings;
    for (int u = 0; u < d->model->nu; u++) {
        const real strength = 1 + draw_about_zero(d, s->vary_strength);
        *draw_row(d, MYR_ROWS_kp, u) = (real)d->options->kp * strength * (1 + draw_about_zero(d, s->vary_gains));
        *draw_row(d, MYR_ROWS_kd, u) = (real)d->options->kd * strength * (1 + draw_about_zero(d, s->vary_gains));
    }
}

static void draw_parameters(drawing *d) {
    const myr_settings *s = d->options->settings;
    if (s->vary_friction_low != 1 || s->vary_friction_high != 1)
        *draw_row(d, MYR_ROWS_friction, 0) = draw(d, s->vary_friction_low, s->vary_friction_high);
    if (s->vary_mass > 0 || s->vary_com > 0) draw_inertia(d);
    if (s->vary_gains > 0 || s->vary_strength > 0) draw_gains(d);
    if (s->vary_delay > 0) {
        const int most = d->options->decimation, late = (int)(draw(d, 0, s->vary_delay) / (real)d->options->dt_s + (real)0.5);
        *draw_row(d, MYR_ROWS_delay, 0) = (real)(late < most ? late : most);
    }
}

/* After the home pose and the heading have been set. */
static void locomotion_start(drawing *d) {
    const myr_settings *s = d->options->settings;
    *draw_row(d, MYR_ROWS_q, 2) += (real)s->start_height;
    for (int u = 0; u < d->model->nu; u++)
        *draw_row(d, MYR_ROWS_q, d->model->bodies[d->model->actuators[u].joint[0]].q) += draw_about_zero(d, s->start_angle);
    for (int k = 0; k < 6; k++) *draw_row(d, MYR_ROWS_v, k) = draw_about_zero(d, s->start_speed);
    const int cleared[] = {MYR_ROWS_action, MYR_ROWS_foot, MYR_ROWS_reward_sum};
    for (int f = 0; f < 3; f++)
        for (int k = 0; k < d->layout->count[cleared[f]]; k++) *draw_row(d, (myr_rows)cleared[f], k) = 0;
    draw_parameters(d);
    draw_command(d);
}

#endif
