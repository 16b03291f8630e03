/* What tasks draw for one environment: its start, its parameters, its pushes. One lane at a time; every number comes from the
 * environment's own stream, in a fixed order. */
#ifndef MYR_TASKS_DRAW_LANE_H
#define MYR_TASKS_DRAW_LANE_H

#include "robot/robot.lane.h"
#include "tasks/random.lane.h"

static inline real *lane_of(void *tile, int row, int lane) { return (real *)tile + (size_t)row * W + lane; }

/* The environment whose numbers are drawn; `block` counts the blocks used. */
typedef struct drawing {
    const myr_model *model;
    const myr_layout *layout;
    const myr_step_options *options;
    const myr_tile_meta *meta;
    void *tile;
    int lane, left; /* left: numbers of `u` that draw() has not given yet */
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

/* Are the settings of draw_parameters such that they can be drawn? */
static inline myr_status check_parameters(const myr_settings *s) {
    if (!(s->vary_friction_low <= s->vary_friction_high))
        return myr_fail(MYR_E_ARG, "'vary-friction-low' is %g and 'vary-friction-high' is %g: the range ends before it begins",
                        s->vary_friction_low, s->vary_friction_high);
    if (s->vary_delay > s->dt_s * (double)s->decimation * (1 + 1e-9))
        return myr_fail(MYR_E_ARG, "'vary-delay' is %g s, but an action may be late by a control step of %g s at most", s->vary_delay,
                        s->dt_s * (double)s->decimation);
    return MYR_OK;
}

/* What draw_parameters varies, which the steps then read by environment. */
static inline unsigned varied_parameters(const myr_settings *s) {
    unsigned varied = 0;
    if (s->vary_mass > 0 || s->vary_com > 0) varied |= MYR_VARIED_INERTIAL;
    if (s->vary_gains > 0 || s->vary_strength > 0) varied |= MYR_VARIED_GAINS;
    return varied;
}

static inline void draw_push(drawing *d) {
    for (int k = 0; k < 2; k++) *draw_row(d, MYR_ROWS_v, k) += draw_about_zero(d, d->options->settings->push_speed);
}

static inline void draw_inertia(drawing *d) {
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
static inline void draw_gains(drawing *d) {
    const myr_settings *s = d->options->settings;
    for (int u = 0; u < d->model->nu; u++) {
        double kp, kd;
        myr_start_gains(&d->model->actuators[u], d->options, &kp, &kd);
        const real strength = 1 + draw_about_zero(d, s->vary_strength);
        *draw_row(d, MYR_ROWS_kp, u) = (real)kp * strength * (1 + draw_about_zero(d, s->vary_gains));
        *draw_row(d, MYR_ROWS_kd, u) = (real)kd * strength * (1 + draw_about_zero(d, s->vary_gains));
    }
}

static inline void draw_parameters(drawing *d) {
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

/* The fields that a task keeps are zero when an episode begins. */
static inline void draw_clear(const drawing *d) {
    const myr_rows cleared[] = {MYR_ROWS_command, MYR_ROWS_action, MYR_ROWS_memory, MYR_ROWS_reward_sum};
    for (int f = 0; f < 4; f++)
        for (int k = 0; k < d->layout->count[cleared[f]]; k++) *draw_row(d, cleared[f], k) = 0;
}

/* The base of a robot that stands upright at home heads by d->u[0] turns away. Returns sine and cosine of half of that. */
static inline MYR_SINCOS1_TYPE draw_heading(const drawing *d) {
    const MYR_SINCOS1_TYPE half = MYR_SINCOS1((real)3.141592653589793 * d->u[0]);
    *draw_row(d, MYR_ROWS_q, 3) = half.y;
    *draw_row(d, MYR_ROWS_q, 4) = 0;
    *draw_row(d, MYR_ROWS_q, 5) = 0;
    *draw_row(d, MYR_ROWS_q, 6) = half.x;
    return half;
}

/* Of an actuator's joint, the first if it has several, its place in q. */
static inline int actuator_q(const myr_model *m, int u) { return m->bodies[m->actuators[u].joint[0]].q; }

#endif
