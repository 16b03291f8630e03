/* hold: any robot with actuators keeps its home pose by their gains, fixed to the world or floating. Settings and terms
 * are in hold.def; docs/tasks.md has them in words. */
#if defined(MYR_TASK)
MYR_TASK(hold)
#elif !defined(MYR_TASKS_HOLD_LANE_H)
#define MYR_TASKS_HOLD_LANE_H

#include "model/trigonometry.h"
#include "tasks/draw_parameters.lane.h"
#include "tasks/events.lane.h"
#include "tasks/gains.h"
#include "tasks/motion.lane.h"
#include "tasks/observed.h"
#include "tasks/task.h"

enum {
#define MYR_HOLD_TERM(name, key, weight, doc) HOLD_##name,
#include "myriapod/hold.def"
#undef MYR_HOLD_TERM
    HOLD_TERMS
};

/* ---- when a batch is made -------------------------------------------------------------------------------------------- */

static myr_status hold_check(const myr_settings *settings, const myr_model *model) {
    (void)model;
    return check_parameters(settings);
}

static void hold_prepare(const myr_settings *settings, const myr_model *model, myr_step_options *options) {
    hold_gains(model, options);
    options->varied |= varied_parameters(settings);
}

/* ---- where an episode begins ------------------------------------------------------------------------------------------ */

static void hold_start(drawing *d) {
    const myr_settings *s = d->options->settings;
    const myr_model *m = d->model;
    if (myr_floats(m)) {
        *draw_row(d, MYR_ROWS_q, 2) += (real)s->start_height;
        for (int k = 0; k < 6; k++) *draw_row(d, MYR_ROWS_v, k) = draw_about_zero(d, s->start_speed);
    }
    for (int u = 0; u < m->nu; u++) {
        const myr_body *body = &m->bodies[m->actuators[u].joint[0]];
        real *q = draw_row(d, MYR_ROWS_q, body->q);
        *q += draw_about_zero(d, s->start_angle);
        if (body->lower > body->upper) continue; /* no limits */
        if (*q < (real)body->lower) *q = (real)body->lower;
        if (*q > (real)body->upper) *q = (real)body->upper;
    }
    draw_parameters(d);
}

/* ---- what is judged --------------------------------------------------------------------------------------------------- */

/* Cosine of how far the base leans from its attitude at home. */
static vf hold_upright(const part *p) {
    const double *a = p->r->model->home + 3;
    const v3 down = rider_get(p).down,
             home = {vf_set((real)(2 * (a[1] * a[3] - a[0] * a[2])) * -1), vf_set((real)(2 * (a[2] * a[3] + a[0] * a[1])) * -1),
                     vf_set((real)(1 - 2 * (a[1] * a[1] + a[2] * a[2])) * -1)};
    return v3_dot(down, rider_axes(p, home));
}

static myr_verdict hold_judge(const part *p) {
    const myr_settings *s = p->options->settings;
    const myr_model *m = p->r->model;
    const vf zero = vf_zero(), each = vf_set((real)(1.0 / m->nu));
    vf *term = p->w->terms, error = zero, speed = zero, effort = zero, change = zero, far = zero;
    for (int u = 0; u < m->nu; u++) {
        const lane_actuator *a = &p->r->actuators[u];
        const vf off = actuator_length(p, u) - vf_set(a->length), rate = actuator_rate(p, u);
        const double strongest = fmax(-(double)a->lower, (double)a->upper);
        error = vf_fma(off, off, error);
        speed = vf_fma(rate, rate, speed);
        far = vf_max(far, vf_abs(off));
        if (strongest > 0 && isfinite(strongest)) effort = effort + square(actuator_force(p, u) * vf_set((real)(1 / strongest)));
        change = change + square(field(p, MYR_ROWS_action, u) - p->w->before[u]);
    }
    term[HOLD_pose] = vf_exp(vf_set((real)(-1.0 / s->hold_width)) * (each * error));
    term[HOLD_speed] = each * speed;
    term[HOLD_effort] = each * effort;
    term[HOLD_action_rate] = each * change;
    term[HOLD_tilt] = term[HOLD_height] = zero;
    vm fails = s->hold_reach > 0 ? vm_gt(far, vf_set((real)s->hold_reach)) : vm_none();
    if (myr_floats(m)) {
        double sine, cosine;
        const vf upright = hold_upright(p);
        term[HOLD_tilt] = vf_set(1) - upright;
        term[HOLD_height] = square(field(p, MYR_ROWS_q, 2) - vf_set((real)(m->home[2] + p->options->raised)));
        myr_sincos(s->fall_tilt, &sine, &cosine);
        if (s->fall_tilt < 3.14) fails = vm_or(fails, vm_lt(upright, vf_set((real)cosine)));
    }
    return (myr_verdict){.failed = vm_bits(fails)};
}

static unsigned hold_after(const part *p, myr_tile_meta *meta, void *tile, int first_lane, unsigned lanes) {
    const events of = {.pushes = 1};
    return myr_floats(p->r->model) ? commands_and_pushes(p, meta, tile, first_lane, lanes, &of) : 0;
}

/* ---- tables ------------------------------------------------------------------------------------------------------------ */

static const myr_reward hold_rewards[HOLD_TERMS] = {
#define MYR_HOLD_TERM(name, key, weight, doc) {key, doc, offsetof(myr_settings, hold_##name)},
#include "myriapod/hold.def"
#undef MYR_HOLD_TERM
};

static const myr_observed hold_observes[] = {MYR_OBSERVED_BASE_LINEAR, MYR_OBSERVED_BASE_ANGULAR, MYR_OBSERVED_BASE_DOWN,
                                             MYR_OBSERVED_LENGTHS,     MYR_OBSERVED_RATES,        MYR_OBSERVED_ACTION};

static const myr_task task_hold = {
    .name = "hold",
    .actuated = 1,
    .varies = 1,
    .holds = 1,
    .check = hold_check,
    .prepare = hold_prepare,
    .start = hold_start,
    .rewards = hold_rewards,
    .n_rewards = HOLD_TERMS,
    .judge = hold_judge,
    .after = hold_after,
    .observes = hold_observes,
    .n_observes = sizeof hold_observes / sizeof *hold_observes,
    .base_noise_last = 1,
};

#endif
