/* locomotion: follow a commanded velocity. What is rewarded, what ends an episode, what is observed, what is drawn. Definitions follow
 * legged_gym (Rudin et al. 2022), settings and terms are in locomotion.def and rewards.def; docs/tasks.md has them in words. */
#if defined(MYR_TASK)
MYR_TASK(locomotion)
#elif !defined(MYR_TASKS_LOCOMOTION_LANE_H)
#define MYR_TASKS_LOCOMOTION_LANE_H

#include "model/trigonometry.h"
#include "tasks/draw_parameters.lane.h"
#include "tasks/events.lane.h"
#include "tasks/ground.lane.h"
#include "tasks/motion.lane.h"
#include "tasks/observed.h"
#include "tasks/task.h"
#include "tasks/touch.lane.h"

enum {
#define MYR_REWARD(name, key, weight, doc) MYR_REWARD_##name,
#include "myriapod/rewards.def"
#undef MYR_REWARD
    MYR_REWARD_TERMS
};

/* How far |x| is beyond the limit. */
static inline vf beyond(vf x, vf limit) { return vf_max(vf_abs(x) - limit, vf_zero()); }

/* Sums over the actuated joints. */
static void joint_terms(const part *p, vf *term) {
    const robot *r = p->r;
    const myr_settings *s = p->options->settings;
    const vf zero = vf_zero(), per_control = vf_set((real)(1.0 / (p->options->dt_s * p->options->decimation)));
    vf torque = zero, speed = zero, acceleration = zero, still = zero, range = zero, over = zero;
    for (int i = 0; i < r->n_joints; i++) {
        const lane_joint *j = &r->joints[i];
        if (j->u < 0) continue;
        const myr_body *body = &r->model->bodies[r->model->dof_body[j->v]];
        const vf q = field(p, MYR_ROWS_q, j->q), v = field(p, MYR_ROWS_v, j->v);
        const vf tau = actuator_force(p, j->u);
        torque = vf_fma(tau, tau, torque);
        speed = vf_fma(v, v, speed);
        acceleration = acceleration + square((v - p->w->scratch[j->u]) * per_control);
        still = still + vf_abs(q - vf_set((real)r->model->home[j->q]));
        over = over + beyond(tau, vf_set((real)(s->soft_limit * (double)j->effort)));
        if (body->lower <= body->upper) {
            const vf middle = vf_set((real)(0.5 * (body->lower + body->upper)));
            const vf half = vf_set((real)(s->soft_limit * (0.5 * (body->upper - body->lower))));
            range = range + beyond(q - middle, half);
        }
    }
    term[MYR_REWARD_torque] = torque, term[MYR_REWARD_joint_speed] = speed, term[MYR_REWARD_joint_acceleration] = acceleration;
    term[MYR_REWARD_joint_limit] = range, term[MYR_REWARD_torque_limit] = over;
    term[MYR_REWARD_stand_still] = still;
}

/* Landings after a time in the air; the rows `memory` move on: per foot its time in the air [s], then whether it touched in the last
 * control step. A foot counts as down in the control step after a touch too, as solvers of stiff contacts let feet chatter. */
static vf air_time(const part *p, const touch *t) {
    const vm alive = vm_from_bits(p->alive);
    const vf zero = vf_zero(), one = vf_set(1), dt = vf_set((real)(p->options->dt_s * p->options->decimation));
    const vf wanted = vf_set((real)p->options->settings->air_time_wanted);
    vf sum = zero;
    for (int k = 0; k < 4; k++) {
        vf *air = field_row(p, MYR_ROWS_memory, k), *before = field_row(p, MYR_ROWS_memory, 4 + k);
        const vm touches = vm_gt(t->foot[k], one), down = vm_or(touches, vm_gt(*before, zero));
        const vf flown = *air + dt;
        sum = sum + vf_select(vm_and(down, vm_gt(*air, zero)), flown - wanted, zero);
        *air = vf_select(alive, vf_select(down, zero, flown), *air);
        *before = vf_select(alive, vf_select(touches, one, zero), *before);
    }
    return sum;
}

static void locomotion_terms(const part *p, const rider *base, const touch *t) {
    const myr_settings *s = p->options->settings;
    const vf zero = vf_zero(), least = vf_set((real)0.1), narrow = vf_set((real)(-1.0 / s->tracking_width));
    const vf x = field(p, MYR_ROWS_command, 0), y = field(p, MYR_ROWS_command, 1), yaw = field(p, MYR_ROWS_command, 2);
    const vm moving = vm_gt(vf_fma(x, x, vf_fma(y, y, yaw * yaw)), least * least);
    const double height = s->base_height > 0 ? s->base_height : p->r->model->home[2];
    vf *term = p->w->terms, force = zero;
    term[MYR_REWARD_tracking_linear] = vf_exp(narrow * (square(x - base->linear.x) + square(y - base->linear.y)));
    term[MYR_REWARD_tracking_angular] = vf_exp(narrow * square(yaw - base->angular.z));
    term[MYR_REWARD_linear_z] = square(base->linear.z);
    term[MYR_REWARD_angular_xy] = vf_fma(base->angular.x, base->angular.x, square(base->angular.y));
    term[MYR_REWARD_orientation] = vf_fma(base->down.x, base->down.x, square(base->down.y));
    term[MYR_REWARD_height] = square((field(p, MYR_ROWS_q, 2) - ground_below_base(p)) - vf_set((real)height));
    joint_terms(p, term);
    term[MYR_REWARD_stand_still] = vf_select(moving, zero, term[MYR_REWARD_stand_still]);
    vf change = zero;
    for (int u = 0; u < p->r->nu; u++) change = change + square(field(p, MYR_ROWS_action, u) - p->w->before[u]);
    term[MYR_REWARD_action_rate] = change;
    term[MYR_REWARD_collision] = t->others;
    term[MYR_REWARD_air_time] = vf_select(moving, air_time(p, t), zero);
    for (int k = 0; k < 4; k++) force = force + vf_max(t->foot[k] - vf_set((real)s->foot_force_limit), zero);
    term[MYR_REWARD_foot_force] = force;
}

/* The torso on the ground, or leaning too far: cos(tilt) is minus the z of down. */
static inline vm fallen(const part *p, const rider *base, const touch *t) {
    double sine, cosine;
    const double tilt = p->options->settings->fall_tilt;
    myr_sincos(tilt, &sine, &cosine);
    return vm_or(vm_gt(t->torso, vf_set(1)), vm_gt(base->down.z, vf_set((real)(tilt < 3.14 ? -cosine : 2))));
}

/* ---- what the engine calls ------------------------------------------------------------------------------------------ */

static myr_status locomotion_check(const myr_settings *s, const myr_model *model) {
    (void)model;
    myr_status status = check_range("command-x", s->command_x_low, s->command_x_high);
    if (status == MYR_OK) status = check_range("command-y", s->command_y_low, s->command_y_high);
    if (status == MYR_OK) status = check_range("command-yaw", s->command_yaw_low, s->command_yaw_high);
    return status == MYR_OK ? check_parameters(s) : status;
}

static void locomotion_prepare(const myr_settings *settings, const myr_model *model, myr_step_options *options) {
    options->kp = model->quadruped.kp, options->kd = model->quadruped.kd;
    options->own_gains = MYR_OWN_NONE;
    options->varied |= varied_parameters(settings);
}

static void locomotion_shape(const myr_model *model, myr_task_shape *shape) {
    shape->command = 3;
    shape->memory = 8;
    shape->scratch = model->nu; /* joint velocities at the start of the control step */
}

/* Zero for a part of the draws, and horizontal velocities too small to be told from standing are zero. */
static void locomotion_command(drawing *d) {
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

static void locomotion_start(drawing *d) {
    const myr_settings *s = d->options->settings;
    draw_heading(d);
    *draw_row(d, MYR_ROWS_q, 2) += (real)s->start_height;
    for (int u = 0; u < d->model->nu; u++) *draw_row(d, MYR_ROWS_q, actuator_q(d->model, u)) += draw_about_zero(d, s->start_angle);
    for (int k = 0; k < 6; k++) *draw_row(d, MYR_ROWS_v, k) = draw_about_zero(d, s->start_speed);
    draw_parameters(d);
    locomotion_command(d);
    ground_start(d);
}

static void locomotion_begin(const part *p) {
    for (int i = 0; i < p->r->n_joints; i++)
        if (p->r->joints[i].u >= 0) p->w->scratch[p->r->joints[i].u] = field(p, MYR_ROWS_v, p->r->joints[i].v);
}

static myr_verdict locomotion_judge(const part *p) {
    const rider base = rider_get(p);
    const touch t = touch_get(p);
    locomotion_terms(p, &base, &t);
    return (myr_verdict){.failed = vm_bits(fallen(p, &base, &t))};
}

static unsigned locomotion_after(const part *p, myr_tile_meta *meta, void *tile, int first_lane, unsigned lanes) {
    const events of = {locomotion_command, p->options->settings->command_hold, 1};
    return commands_and_pushes(p, meta, tile, first_lane, lanes, &of);
}

static const myr_reward locomotion_rewards[MYR_REWARD_TERMS] = {
#define MYR_REWARD(name, key, weight, doc) {key, doc, offsetof(myr_settings, reward_##name)},
#include "myriapod/rewards.def"
#undef MYR_REWARD
};

static const myr_observed locomotion_observes[] = {MYR_OBSERVED_BASE_LINEAR, MYR_OBSERVED_BASE_ANGULAR, MYR_OBSERVED_BASE_DOWN,
                                                   MYR_OBSERVED_COMMAND,     MYR_OBSERVED_LENGTHS,      MYR_OBSERVED_RATES,
                                                   MYR_OBSERVED_ACTION,      MYR_OBSERVED_HEIGHTS};

static const myr_task task_locomotion = {
    .name = "locomotion",
    .quadruped = 1,
    .varies = 1,
    .check = locomotion_check,
    .prepare = locomotion_prepare,
    .leave = ground_climb,
    .start = locomotion_start,
    .rewards = locomotion_rewards,
    .n_rewards = MYR_REWARD_TERMS,
    .shape = locomotion_shape,
    .begin = locomotion_begin,
    .judge = locomotion_judge,
    .after = locomotion_after,
    .observes = locomotion_observes,
    .n_observes = sizeof locomotion_observes / sizeof *locomotion_observes,
};

#endif
