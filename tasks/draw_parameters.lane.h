/* What the settings vary-* ask for: parameters of one environment, drawn when its episode begins. A new one is a function here, a line in
 * draw_parameters below the others (so that numbers drawn before it stay what they were), and a line in batch/vary.c. */
#ifndef MYR_TASKS_DRAW_PARAMETERS_LANE_H
#define MYR_TASKS_DRAW_PARAMETERS_LANE_H

#include "tasks/draw.lane.h"
#include "tasks/varied.h"

static inline myr_status check_range(const char *what, double low, double high) {
    return low <= high ? MYR_OK
                       : myr_fail(MYR_E_ARG, "'%s-low' is %g and '%s-high' is %g: the range ends before it begins", what, low, what, high);
}

/* Are the settings of draw_parameters such that they can be drawn? */
static inline myr_status check_parameters(const myr_settings *s) {
    myr_status status = check_range("vary-friction", s->vary_friction_low, s->vary_friction_high);
    if (status == MYR_OK) status = check_range("vary-armature", s->vary_armature_low, s->vary_armature_high);
    if (status == MYR_OK) status = check_range("vary-damping", s->vary_damping_low, s->vary_damping_high);
    if (status == MYR_OK) status = check_range("vary-dry-friction", s->vary_dry_friction_low, s->vary_dry_friction_high);
    if (status == MYR_OK) status = check_range("vary-group-friction", s->vary_group_friction_low, s->vary_group_friction_high);
    if (status == MYR_OK && s->vary_delay > s->dt_s * (double)s->decimation * (1 + 1e-9))
        status = myr_fail(MYR_E_ARG, "'vary-delay' is %g s, but an action may be late by a control step of %g s at most", s->vary_delay,
                          s->dt_s * (double)s->decimation);
    return status;
}

/* What draw_parameters varies, which the steps then read by environment. */
static inline unsigned varied_parameters(const myr_settings *s) {
    unsigned varied = 0;
    if (varies_base(s) || varies_links(s)) varied |= MYR_VARIED_INERTIAL;
    if (s->vary_gains > 0) varied |= MYR_VARIED_GAINS;
    if (s->vary_strength > 0 || s->vary_encoder > 0) varied |= MYR_VARIED_MOTOR;
    if (varies_joints(s)) varied |= MYR_VARIED_JOINT;
    if (varies(s->vary_dry_friction_low, s->vary_dry_friction_high)) varied |= MYR_VARIED_ROWS;
    return varied;
}

static inline void draw_inertial(const drawing *d, int body, const double rows[MYR_INERTIAL_ROWS]) {
    for (int k = 0; k < MYR_INERTIAL_ROWS; k++) *draw_row(d, MYR_ROWS_inertial, MYR_INERTIAL_ROWS * body + k) = (real)rows[k];
}

static inline void draw_base(drawing *d) {
    const myr_settings *s = d->options->settings;
    const myr_body *base = &d->model->bodies[0];
    double rows[MYR_INERTIAL_ROWS], com[3];
    myr_inertial_pack(base, base->mass, base->com, base->inertia, rows);
    const double heaviest = base->mass + (double)draw_about_zero(d, s->vary_mass), lightest = 0.1 * base->mass;
    myr_inertial_set_mass(heaviest < lightest ? lightest : heaviest, rows);
    myr_inertial_com(base, rows, com);
    for (int k = 0; k < 3; k++) com[k] += (double)draw_about_zero(d, s->vary_com);
    myr_inertial_set_com(base, com, rows);
    draw_inertial(d, 0, rows);
}

static inline void draw_gains(drawing *d) {
    const myr_settings *s = d->options->settings;
    for (int u = 0; u < d->model->nu; u++) {
        double kp, kd;
        myr_start_gains(d->model, u, d->options, &kp, &kd);
        const real strength = 1 + draw_about_zero(d, s->vary_strength), stiffer = 1 + draw_about_zero(d, s->vary_gains),
                   damped = 1 + draw_about_zero(d, s->vary_gains);
        if (s->vary_strength > 0) *draw_row(d, MYR_ROWS_strength, u) = strength;
        if (s->vary_gains > 0) *draw_row(d, MYR_ROWS_kp, u) = (real)kp * stiffer, *draw_row(d, MYR_ROWS_kd, u) = (real)kd * damped;
    }
}

static inline void draw_delay(drawing *d) {
    const double dt = d->options->dt_s;
    const int most = d->options->decimation, late = (int)(draw(d, 0, d->options->settings->vary_delay) / (real)dt + (real)0.5);
    *draw_row(d, MYR_ROWS_delay, 0) = (real)(late < most ? late : most);
}

/* What pushes a body at a place of its own has no length to measure. */
static inline void draw_encoders(drawing *d) {
    for (int u = 0; u < d->model->nu; u++) {
        const real bias = draw_about_zero(d, d->options->settings->vary_encoder);
        if (!d->model->actuators[u].pushes) *draw_row(d, MYR_ROWS_encoder_bias, u) = bias;
    }
}

/* One factor for all degrees of freedom of a joint: a ball has one motor and one oil. */
static inline void draw_joints(drawing *d) {
    const myr_settings *s = d->options->settings;
    for (int i = 0; i < d->model->n_bodies; i++) {
        const myr_body *b = &d->model->bodies[i];
        const real armature = (real)b->armature * draw(d, s->vary_armature_low, s->vary_armature_high),
                   damping = (real)b->damping * draw(d, s->vary_damping_low, s->vary_damping_high);
        for (int k = 0; k < b->nv; k++) {
            if (varies(s->vary_armature_low, s->vary_armature_high)) *draw_row(d, MYR_ROWS_armature, b->v + k) = armature;
            if (varies(s->vary_damping_low, s->vary_damping_high)) *draw_row(d, MYR_ROWS_damping, b->v + k) = damping;
        }
    }
}

static inline void draw_dry_friction(drawing *d) {
    const myr_settings *s = d->options->settings;
    for (int k = 0; k < d->model->n_rows; k++)
        *draw_row(d, MYR_ROWS_dry_friction, k) =
            (real)d->model->rows[k].friction * draw(d, s->vary_dry_friction_low, s->vary_dry_friction_high);
}

/* Each body's mass and inertia by a factor, and its pseudo-inertia by a matrix that keeps it physical; of the base, what draw_base drew. */
static inline void draw_links(drawing *d) {
    const myr_settings *s = d->options->settings;
    for (int i = 0; i < d->model->n_bodies; i++) {
        const myr_body *b = &d->model->bodies[i];
        double rows[MYR_INERTIAL_ROWS], change[MYR_PSEUDO_CHANGES];
        myr_inertial_pack(b, b->mass, b->com, b->inertia, rows);
        for (int k = 0; i == 0 && varies_base(s) && k < MYR_INERTIAL_ROWS; k++) rows[k] = (double)*draw_row(d, MYR_ROWS_inertial, k);
        const double factor = 1 + (double)draw_about_zero(d, s->vary_links);
        for (int k = 0; k < MYR_INERTIAL_ROWS; k++) rows[k] *= factor;
        for (int k = 0; k < MYR_PSEUDO_CHANGES; k++) change[k] = (double)draw_about_zero(d, k == 0 ? s->vary_inertia : s->vary_inertia / 2);
        if (s->vary_inertia > 0) myr_inertial_change(b, change, rows);
        draw_inertial(d, i, rows);
    }
}

/* What was drawn for episodes before, and is no longer since a number of the task changed, is as the model says. */
static inline void undraw_parameters(const drawing *d) {
    const unsigned bits = d->options->undrawn;
    const myr_model *m = d->model;
    if (bits & MYR_DRAWN_FRICTION) *draw_row(d, MYR_ROWS_friction, 0) = 1;
    if (bits & MYR_DRAWN_DELAY) *draw_row(d, MYR_ROWS_delay, 0) = 0;
    for (int u = 0; u < m->nu; u++) {
        double kp, kd;
        myr_start_gains(m, u, d->options, &kp, &kd);
        if (bits & MYR_DRAWN_GAINS) *draw_row(d, MYR_ROWS_kp, u) = (real)kp, *draw_row(d, MYR_ROWS_kd, u) = (real)kd;
        if (bits & MYR_DRAWN_STRENGTH) *draw_row(d, MYR_ROWS_strength, u) = 1;
        if (bits & MYR_DRAWN_ENCODER) *draw_row(d, MYR_ROWS_encoder_bias, u) = 0;
    }
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *b = &m->bodies[i];
        double rows[MYR_INERTIAL_ROWS];
        myr_inertial_pack(b, b->mass, b->com, b->inertia, rows);
        if (bits & MYR_DRAWN_LINKS || (i == 0 && bits & MYR_DRAWN_BASE)) draw_inertial(d, i, rows);
        for (int k = 0; k < b->nv; k++) {
            if (bits & MYR_DRAWN_ARMATURE) *draw_row(d, MYR_ROWS_armature, b->v + k) = (real)b->armature;
            if (bits & MYR_DRAWN_DAMPING) *draw_row(d, MYR_ROWS_damping, b->v + k) = (real)b->damping;
        }
    }
    for (int k = 0; k < m->n_rows && bits & MYR_DRAWN_DRY_FRICTION; k++) *draw_row(d, MYR_ROWS_dry_friction, k) = (real)m->rows[k].friction;
    for (int g = 0; g < m->n_friction_groups && bits & MYR_DRAWN_GROUP_FRICTION; g++) *draw_row(d, MYR_ROWS_group_friction, g) = 1;
}

static inline void draw_parameters(drawing *d) {
    const myr_settings *s = d->options->settings;
    if (d->options->undrawn) undraw_parameters(d);
    if (varies(s->vary_friction_low, s->vary_friction_high))
        *draw_row(d, MYR_ROWS_friction, 0) = draw(d, s->vary_friction_low, s->vary_friction_high);
    if (varies_base(s)) draw_base(d);
    if (s->vary_gains > 0 || s->vary_strength > 0) draw_gains(d);
    if (s->vary_delay > 0) draw_delay(d);
    if (s->vary_encoder > 0) draw_encoders(d);
    if (varies_joints(s)) draw_joints(d);
    if (varies(s->vary_dry_friction_low, s->vary_dry_friction_high)) draw_dry_friction(d);
    if (varies_links(s)) draw_links(d);
    for (int g = 0; g < d->model->n_friction_groups && varies(s->vary_group_friction_low, s->vary_group_friction_high); g++)
        *draw_row(d, MYR_ROWS_group_friction, g) = draw(d, s->vary_group_friction_low, s->vary_group_friction_high);
}

#endif
