/* The task locomotion in lanes: what is rewarded, what ends an episode, what is observed. Definitions follow legged_gym (Rudin et al.
 * 2022), settings and terms are in locomotion.def and rewards.def; docs/tasks.md has them in words. */
#ifndef MYR_BATCH_LOCOMOTION_LANE_H
#define MYR_BATCH_LOCOMOTION_LANE_H

#include <math.h>
#include <stddef.h>

#include "batch/reset.lane.h"
#include "robot/workspace.lane.h"
#include "model/trigonometry.h"

static inline vf *field_row(const part *p, myr_rows f, int i) { return row(p, p->r->layout.first[f] + i); }
static inline vf square(vf a) { return a * a; }

/* The base as its rider sees it: base axes, x forward. */
typedef struct rider {
    v3 linear, angular, down;
} rider;

/* Robots that head along their own +y have their left at -x. */
static inline v3 rider_axes(const part *p, v3 a) { return p->r->model->quadruped.heading_y ? (v3){a.y, -a.x, a.z} : a; }

static inline rider rider_get(const part *p) {
    const vf w = field(p, MYR_ROWS_q, 3), x = field(p, MYR_ROWS_q, 4), y = field(p, MYR_ROWS_q, 5), z = field(p, MYR_ROWS_q, 6);
    const vf one = vf_set(1), two = vf_set(2);
    const vf R[9] = {
        /* base -> world */
        vf_fnma(two, vf_fma(y, y, z * z), one), two * vf_fms(x, y, w * z), two * vf_fma(x, z, w * y), two * vf_fma(x, y, w * z),
        vf_fnma(two, vf_fma(x, x, z * z), one), two * vf_fms(y, z, w * x), two * vf_fms(x, z, w * y), two * vf_fma(y, z, w * x),
        vf_fnma(two, vf_fma(x, x, y * y), one)};
    const v3 linear = {field(p, MYR_ROWS_v, 0), field(p, MYR_ROWS_v, 1), field(p, MYR_ROWS_v, 2)};
    const v3 angular = {field(p, MYR_ROWS_v, 3), field(p, MYR_ROWS_v, 4), field(p, MYR_ROWS_v, 5)};
    return (rider){rider_axes(p, m3_mul_t(R, linear)), rider_axes(p, angular), rider_axes(p, (v3){-R[6], -R[7], -R[8]})};
}

/* Normal force on each foot, and how many of the other shapes touch; of the last step of dt. */
typedef struct touch {
    vf foot[4], torso, others;
} touch;

static touch touch_get(const part *p) {
    const myr_model *m = p->r->model;
    const vf zero = vf_zero(), per_dt = vf_set(p->per_dt), least = vf_set(1); /* N */
    touch t = {{zero, zero, zero, zero}, zero, zero};
    for (int g = 0; g < m->n_geoms; g++) {
        const myr_geom *geom = &m->geoms[g];
        vf force = zero;
        for (int s = geom->slot; s < geom->slot + geom->n_slots; s++) force = force + field(p, MYR_ROWS_impulse, 3 * s + 2);
        force = force * per_dt;
        int foot = 0;
        while (foot < 4 && m->quadruped.foot_geom[foot] != g) foot++;
        if (foot < 4)
            t.foot[foot] = force;
        else if (geom->body == 0)
            t.torso = t.torso + force;
        else
            t.others = t.others + vf_select(vm_gt(force, least), vf_set(1), zero);
    }
    return t;
}

/* How far |x| is beyond the limit. */
static inline vf beyond(vf x, vf limit) { return vf_max(vf_abs(x) - limit, vf_zero()); }

/* Sums over the actuated joints. */
static void joint_terms(const part *p, vf *term) {
    const robot *r = p->r;
    const myr_settings *s = p->options->settings;
    const int gains = (p->options->varied & MYR_VARIED_GAINS) != 0, pushed = (p->options->varied & MYR_VARIED_TORQUE) != 0;
    const vf zero = vf_zero(), per_control = vf_set((real)(1.0 / (p->options->dt_s * p->options->decimation)));
    const vf soft = vf_set((real)s->soft_limit);
    vf torque = zero, speed = zero, acceleration = zero, still = zero, range = zero, over = zero;
    for (int i = 0; i < r->n_joints; i++) {
        const lane_joint *j = &r->joints[i];
        if (j->u < 0) continue;
        const myr_body *body = &r->model->bodies[r->model->dof_body[j->v]];
        const vf kp = gains ? field(p, MYR_ROWS_kp, j->u) : vf_set((real)p->options->kp),
                 kd = gains ? field(p, MYR_ROWS_kd, j->u) : vf_set((real)p->options->kd);
        const vf q = field(p, MYR_ROWS_q, j->q), v = field(p, MYR_ROWS_v, j->v), limit = vf_set(j->effort);
        const vf spring = vf_fma(kp, field(p, MYR_ROWS_target, j->u) - q, pushed ? field(p, MYR_ROWS_torque, j->u) : zero);
        const vf tau = vf_max(vf_min(vf_fnma(kd, v, spring), limit), -limit);
        torque = vf_fma(tau, tau, torque);
        speed = vf_fma(v, v, speed);
        acceleration = acceleration + square((v - p->w->joint_v[j->u]) * per_control);
        still = still + vf_abs(q - vf_set((real)r->model->home[j->q]));
        over = over + beyond(tau, soft * limit);
        if (body->lower <= body->upper) {
            const vf middle = vf_set((real)(0.5 * (body->lower + body->upper))), half = vf_set((real)(0.5 * (body->upper - body->lower)));
            range = range + beyond(q - middle, soft * half);
        }
    }
    term[MYR_REWARD_torque] = torque, term[MYR_REWARD_joint_speed] = speed, term[MYR_REWARD_joint_acceleration] = acceleration;
    term[MYR_REWARD_joint_limit] = range, term[MYR_REWARD_torque_limit] = over;
    term[MYR_REWARD_stand_still] = still;
}

/* Landings after a time in the air; the rows `foot` move on. A foot counts as down in the control step after a touch too, as solvers
 * of stiff contacts let feet chatter. */
static vf air_time(const part *p, const touch *t) {
    const vm alive = vm_from_bits(p->alive);
    const vf zero = vf_zero(), one = vf_set(1), dt = vf_set((real)(p->options->dt_s * p->options->decimation));
    const vf wanted = vf_set((real)p->options->settings->air_time_wanted);
    vf sum = zero;
    for (int k = 0; k < 4; k++) {
        vf *air = field_row(p, MYR_ROWS_foot, k), *before = field_row(p, MYR_ROWS_foot, 4 + k);
        const vm touches = vm_gt(t->foot[k], one), down = vm_or(touches, vm_gt(*before, zero));
        const vf flown = *air + dt;
        sum = sum + vf_select(vm_and(down, vm_gt(*air, zero)), flown - wanted, zero);
        *air = vf_select(alive, vf_select(down, zero, flown), *air);
        *before = vf_select(alive, vf_select(touches, one, zero), *before);
    }
    return sum;
}

/* Where a term's weight lies in the settings. */
static const size_t reward_weights[MYR_REWARD_TERMS] = {
#define MYR_REWARD(name, key, weight, doc) offsetof(myr_settings, reward_##name),
#include "myriapod/rewards.def"
#undef MYR_REWARD
};
static inline double reward_weight(const part *p, int term) {
    double weight;
    memcpy(&weight, (const char *)p->options->settings + reward_weights[term], sizeof weight);
    return weight;
}

/* All terms of the control step, weighted, into w->terms, and the reward behind them. `fell`: lanes that terminate. */
static void reward(const part *p, const rider *base, const touch *t, vm fell) {
    const myr_settings *s = p->options->settings;
    const vf zero = vf_zero(), one = vf_set(1), least = vf_set((real)0.1), narrow = vf_set((real)(-1.0 / s->tracking_width));
    const vf x = field(p, MYR_ROWS_command, 0), y = field(p, MYR_ROWS_command, 1), yaw = field(p, MYR_ROWS_command, 2);
    const vm moving = vm_gt(vf_fma(x, x, vf_fma(y, y, yaw * yaw)), least * least);
    const real control_s = (real)(p->options->dt_s * p->options->decimation);
    const double height = s->base_height > 0 ? s->base_height : p->r->model->home[2];
    vf *term = p->w->terms, force = zero;
    term[MYR_REWARD_tracking_linear] = vf_exp(narrow * (square(x - base->linear.x) + square(y - base->linear.y)));
    term[MYR_REWARD_tracking_angular] = vf_exp(narrow * square(yaw - base->angular.z));
    term[MYR_REWARD_linear_z] = square(base->linear.z);
    term[MYR_REWARD_angular_xy] = vf_fma(base->angular.x, base->angular.x, square(base->angular.y));
    term[MYR_REWARD_orientation] = vf_fma(base->down.x, base->down.x, square(base->down.y));
    term[MYR_REWARD_height] = square(field(p, MYR_ROWS_q, 2) - vf_set((real)height));
    joint_terms(p, term);
    term[MYR_REWARD_stand_still] = vf_select(moving, zero, term[MYR_REWARD_stand_still]);
    vf change = zero;
    for (int u = 0; u < p->r->nu; u++) change = change + square(field(p, MYR_ROWS_action, u) - p->w->seen[u]);
    term[MYR_REWARD_action_rate] = change;
    term[MYR_REWARD_collision] = t->others;
    term[MYR_REWARD_air_time] = vf_select(moving, air_time(p, t), zero);
    for (int k = 0; k < 4; k++) force = force + vf_max(t->foot[k] - vf_set((real)s->foot_force_limit), zero);
    term[MYR_REWARD_foot_force] = force;
    term[MYR_REWARD_termination] = vf_select(fell, one, zero);
    vf sum = zero;
    for (int k = 0; k < MYR_REWARD_TERMS; k++) {
        const double weight = reward_weight(p, k);
        /* by selection: a fault must not show in terms that nobody asked for, and 0 times infinity is no number */
        term[k] = weight != 0 ? vf_set((real)weight * control_s) * term[k] : zero;
        if (k != MYR_REWARD_termination) sum = sum + term[k];
    }
    if (s->reward_floor) sum = vf_max(sum, zero);
    term[MYR_REWARD_TERMS] = sum + term[MYR_REWARD_termination];
}

/* The torso on the ground, or leaning too far: cos(tilt) is minus the z of down. */
static inline vm fallen(const part *p, const rider *base, const touch *t) {
    double sine, cosine;
    const double tilt = p->options->settings->fall_tilt;
    myr_sincos(tilt, &sine, &cosine);
    return vm_or(vm_gt(t->torso, vf_set(1)), vm_gt(base->down.z, vf_set((real)(tilt < 3.14 ? -cosine : 2))));
}

/* The time of the episode is up. */
static inline vm timed_out(const part *p) {
    const double episode_s = p->options->settings->episode_s;
    const double steps = floor(episode_s / (p->options->dt_s * p->options->decimation) + 0.5);
    return episode_s > 0 ? vm_ge(field(p, MYR_ROWS_clock, 0), vf_set((real)(steps < 1 ? 1 : steps))) : vm_none();
}

/* Control steps between two events of which one happens every so many seconds; 0: never. */
static inline int64_t steps_of(const part *p, double interval_s) {
    if (!(interval_s > 0)) return 0;
    const double steps = floor(interval_s / (p->options->dt_s * p->options->decimation) + 0.5);
    return steps < 1 ? 1 : (int64_t)steps;
}

/* Is it time, now that the clock reads so? shift: in [0, 1), of the interval. Callers may set the clock to anything. */
static inline int is_due(int64_t steps, real clock, real shift) {
    if (!(fabs((double)clock) < 0x1p62)) return 0;
    return steps > 0 && ((int64_t)clock + (int64_t)((double)shift * (double)steps)) % steps == 0;
}

/* Lanes for which is_due is worth asking: whole divisions lane by lane cost as much as all reward terms. clock + shift is within a step
 * of a multiple of `steps`, plus what the division rounds off. */
static inline unsigned may_be_due(const part *p, int64_t steps, vf shift) {
    if (steps == 0) return 0;
    const vf round = vf_set((real)(MYR_DOUBLE ? 0x1.8p52 : 0x1.8p23)), each = vf_set((real)1 / (real)steps);
    const vf turns = vf_fma(field(p, MYR_ROWS_clock, 0), each, shift), off = vf_abs(turns - ((turns + round) - round));
    return vm_bits(vm_not(vm_gt(off, vf_fma(vf_set((real)MYR_EPSILON * 8), vf_abs(turns), vf_set((real)1.5) * each))));
}

/* New commands and pushes for the lanes of `lanes` whose time has come. Returns the lanes that were pushed. */
static unsigned commands_and_pushes(const part *p, myr_tile_meta *meta, void *tile, int first_lane, unsigned lanes) {
    const myr_settings *s = p->options->settings;
    const int64_t hold = steps_of(p, s->command_hold), interval = s->push_speed > 0 ? steps_of(p, s->push_interval) : 0;
    lanes &= may_be_due(p, hold, vf_zero()) | may_be_due(p, interval, field(p, MYR_ROWS_phase, 0));
    unsigned pushed = 0;
    if (!lanes) return 0;
    real clock[VN], phase[VN];
    memcpy(clock, field_row(p, MYR_ROWS_clock, 0), sizeof clock);
    memcpy(phase, field_row(p, MYR_ROWS_phase, 0), sizeof phase);
    for (int i = 0; i < VN; i++) {
        if (!(lanes >> i & 1u)) continue;
        const int command = is_due(hold, clock[i], 0), push = is_due(interval, clock[i], phase[i]);
        if (!command && !push) continue;
        const int lane = first_lane + i;
        drawing d = {.model = p->r->model,
                     .layout = &p->r->layout,
                     .options = p->options,
                     .meta = meta,
                     .tile = tile,
                     .lane = lane,
                     .block = meta->draws[lane]};
        if (command) draw_command(&d);
        if (push) draw_push(&d), pushed |= 1u << i;
        meta->draws[lane] = d.block;
    }
    return pushed;
}

/* What is observed with noise, in order: linear and angular velocity, gravity, joint angles, joint velocities. */
typedef struct noisy_group {
    int first, count; /* in the observation */
    vf scale, size;
} noisy_group;

static void noisy_groups(const part *p, noisy_group group[5]) {
    const myr_settings *s = p->options->settings;
    const int nu = p->r->nu;
    group[0] = (noisy_group){0, 3, vf_set((real)s->scale_linear), vf_set((real)s->noise_linear)};
    group[1] = (noisy_group){3, 3, vf_set((real)s->scale_angular), vf_set((real)s->noise_angular)};
    group[2] = (noisy_group){6, 3, vf_set(1), vf_set((real)s->noise_gravity)};
    group[3] = (noisy_group){12, nu, vf_set((real)s->scale_angle), vf_set((real)s->noise_angle)};
    group[4] = (noisy_group){12 + nu, nu, vf_set((real)s->scale_speed), vf_set((real)s->noise_speed)};
}

static void scale_observation(const part *p) {
    noisy_group group[5];
    noisy_groups(p, group);
    for (int g = 0; g < 5; g++)
        for (int k = group[g].first; k < group[g].first + group[g].count; k++) p->w->seen[k] = group[g].scale * p->w->seen[k];
}

/* Noise belongs to a time of the episode: asked twice, it is the same. */
static void add_noise(const part *p, const myr_tile_meta *meta, int first_lane) {
    noisy_group group[5];
    noisy_groups(p, group);
    const uint32_t blocks = (uint32_t)((9 + 2 * p->r->nu + RANDOM_NOISE_BLOCK - 1) / RANDOM_NOISE_BLOCK);
    uint32_t block[VN];
    real clock[VN];
    memcpy(clock, field_row(p, MYR_ROWS_clock, 0), sizeof clock);
    for (int i = 0; i < VN; i++) block[i] = blocks * (clock[i] >= 0 && clock[i] < 1e7 ? (uint32_t)clock[i] : 0u);
    noise_stream stream = noise_open(meta, first_lane, block);
    vf noise[RANDOM_NOISE_BLOCK];
    int left = 0;
    for (int g = 0; g < 5; g++)
        for (int k = group[g].first; k < group[g].first + group[g].count; k++) {
            if (left == 0) {
                noise_next(&stream, p->options->seed, noise);
                left = RANDOM_NOISE_BLOCK;
            }
            p->w->seen[k] = group[g].scale * vf_fma(group[g].size, noise[RANDOM_NOISE_BLOCK - left--], p->w->seen[k]);
        }
}

/* The observation of every lane's present state, into w->seen. */
static void observe(const part *p, const myr_tile_meta *meta, int first_lane) {
    const robot *r = p->r;
    const myr_settings *s = p->options->settings;
    const rider base = rider_get(p);
    const vf linear = vf_set((real)s->scale_linear), angular = vf_set((real)s->scale_angular);
    vf *seen = p->w->seen, *angles = seen + 12, *speeds = angles + r->nu, *actions = speeds + r->nu;
    v3_store(seen, base.linear);
    v3_store(seen + 3, base.angular);
    v3_store(seen + 6, base.down);
    for (int k = 0; k < 3; k++) seen[9 + k] = (k < 2 ? linear : angular) * field(p, MYR_ROWS_command, k);
    for (int i = 0; i < r->n_joints; i++) {
        const lane_joint *j = &r->joints[i];
        if (j->u < 0) continue;
        angles[j->u] = field(p, MYR_ROWS_q, j->q) - vf_set((real)r->model->home[j->q]);
        speeds[j->u] = field(p, MYR_ROWS_v, j->v);
        actions[j->u] = field(p, MYR_ROWS_action, j->u);
    }
    if (s->noise_linear == 0 && s->noise_angular == 0 && s->noise_gravity == 0 && s->noise_angle == 0 && s->noise_speed == 0)
        scale_observation(p);
    else
        add_noise(p, meta, first_lane);
}

#endif
