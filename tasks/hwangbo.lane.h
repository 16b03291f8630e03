/* The four experiments of Hwangbo 2018 section V, and standing, for robots on four legs: stand, trot, hang, drop, random. docs/tasks.md has
 * the table, hwangbo.h the numbers. */
#if defined(MYR_TASK)
MYR_TASK(stand)
MYR_TASK(trot)
MYR_TASK(hang)
MYR_TASK(drop)
MYR_TASK(random)
#elif !defined(MYR_TASKS_HWANGBO_LANE_H)
#define MYR_TASKS_HWANGBO_LANE_H

#include "robot/workspace.lane.h"
#include "tasks/draw.lane.h"
#include "tasks/hwangbo.h"
#include "tasks/task.h"

static void quadruped_gains(const myr_settings *settings, const myr_model *model, myr_step_options *options) {
    (void)settings;
    options->kp = model->quadruped.kp, options->kd = model->quadruped.kd;
    options->own_gains = MYR_OWN_NONE;
}

static void feet(const myr_model *model, uint8_t *mask) {
    for (int leg = 0; leg < 4; leg++) mask[model->quadruped.foot_geom[leg]] = 1;
}

/* The torso's corners are candidates too: a robot that falls lies on the ground instead of in it. */
static void feet_and_torso(const myr_model *model, uint8_t *mask) {
    feet(model, mask);
    if (model->quadruped.torso_geom >= 0) mask[model->quadruped.torso_geom] = 1;
}

/* ---- where episodes begin ------------------------------------------------------------------------------------------- */

static void stand_start(drawing *d) { draw_heading(d); }

/* From a height, with other joint angles. */
static MYR_SINCOS1_TYPE throw_from(drawing *d, real height) {
    const MYR_SINCOS1_TYPE half = draw_heading(d);
    *draw_row(d, MYR_ROWS_q, 2) += height;
    for (int k = 0; k < d->model->nu; k++) {
        if (k % 4 == 0) random_four(d->meta, d->options, d->lane, d->block++, d->u);
        *draw_row(d, MYR_ROWS_q, actuator_q(d->model, k)) += (real)MYR_JITTER * (2 * d->u[k % 4] - 1);
    }
    return half;
}

static void hang_start(drawing *d) { throw_from(d, (real)MYR_THROW_HEIGHT_M); }
static void random_start(drawing *d) { throw_from(d, (real)MYR_RANDOM_HEIGHT_M); }

static void drop_start(drawing *d) {
    const MYR_SINCOS1_TYPE half = throw_from(d, (real)MYR_THROW_HEIGHT_M);
    const real s = half.x, c = half.y;
    const real x = c * c - s * s, y = 2 * s * c; /* the root's +x in the world */
    const int along_y = d->model->quadruped.heading_y;
    *draw_row(d, MYR_ROWS_v, 0) = (real)MYR_DROP_SPEED * (along_y ? -y : x);
    *draw_row(d, MYR_ROWS_v, 1) = (real)MYR_DROP_SPEED * (along_y ? x : y);
}

/* ---- what drives them ------------------------------------------------------------------------------------------------ */

/* Which leg a dof belongs to is the model's business: hip flexion and knee of leg k, or -1 on 2-dof legs' missing joint. */
static inline int leg_actuator(const myr_model *m, int leg, int joint) {
    const int body = m->quadruped.joint[leg][joint];
    return body < 0 ? -1 : m->bodies[body].u;
}

/* Trot: legs in diagonal pairs (LF RH, RF LH). With s the phase of the leg, the hip sweeps back in stance and forward in
 * swing, a cosine about home; the knee folds in swing, half a sine. Fold follows the home pose, sweep the way the robot heads. */
static void trot_drive(const part *p, myr_tile_meta *meta, int first_lane) {
    (void)meta, (void)first_lane;
    const myr_model *m = p->r->model;
    const myr_quadruped *legs = &m->quadruped;
    vf *phase = row(p, p->r->layout.first[MYR_ROWS_phase]);
    const real step = (real)(p->options->dt_s * p->options->decimation / MYR_TROT_PERIOD_S);
    vf next = *phase + vf_set(step);
    next = vf_select(vm_ge(next, vf_set(1)), next - vf_set(1), next);
    const vm alive = vm_from_bits(p->alive);
    *phase = vf_select(alive, next, *phase);
    vf sine, cosine;
    vf_sincos(vf_set((real)6.283185307179586) * next, &sine, &cosine);
    for (int leg = 0; leg < 4; leg++) {
        const int diagonal = leg == 0 || leg == 3, hip = leg_actuator(m, leg, 1), knee = leg_actuator(m, leg, 2);
        const vf c = diagonal ? cosine : -cosine, s = diagonal ? sine : -sine;
        const real fold = legs->home[leg][2] < 0 ? -1 : 1, sweep = (real)legs->backwards[leg];
        const int target = p->r->layout.first[MYR_ROWS_target];
        vf *hip_target = row(p, target + hip), *knee_target = row(p, target + knee);
        *hip_target = vf_select(alive, vf_fma(vf_set(sweep * (real)MYR_TROT_HIP), c, vf_set((real)legs->home[leg][1])), *hip_target);
        *knee_target = vf_select(alive, vf_fma(vf_set(fold * (real)MYR_TROT_KNEE), vf_max(s, vf_zero()), vf_set((real)legs->home[leg][2])),
                                 *knee_target);
    }
}

/* New references N(home, 1 rad^2) for the lanes whose hold is over. */
static void random_drive(const part *p, myr_tile_meta *meta, int first_lane) {
    const myr_model *m = p->r->model;
    const vf *clock = row(p, p->r->layout.first[MYR_ROWS_clock]);
    const int hold = (int)(MYR_RANDOM_HOLD_S / (p->options->dt_s * p->options->decimation) + 0.5);
    unsigned due = 0;
    real lanes[VN];
    memcpy(lanes, clock, sizeof lanes);
    for (int lane = 0; lane < VN; lane++)
        if ((p->alive >> lane & 1u) && (int)lanes[lane] % (hold > 0 ? hold : 1) == 0) due |= 1u << lane;
    if (!due) return;
    const vm mask = vm_from_bits(due);
    for (int k = 0; k < m->nu; k += 2) {
        static const real none[4];
        real u1[VN], u2[VN];
        for (int lane = 0; lane < VN; lane++) {
            real u[4];
            memcpy(u, none, sizeof u);
            if (due >> lane & 1u) random_four(meta, p->options, first_lane + lane, meta->draws[first_lane + lane]++, u);
            u1[lane] = u[0], u2[lane] = u[1];
        }
        vf a, b, pair[2];
        memcpy(&a, u1, sizeof a);
        memcpy(&b, u2, sizeof b);
        normal_pair(a, b, &pair[0], &pair[1]);
        for (int j = 0; j < 2 && k + j < m->nu; j++) {
            vf *target = row(p, p->r->layout.first[MYR_ROWS_target] + k + j);
            const real home = (real)m->home[actuator_q(m, k + j)];
            *target = vf_select(mask, vf_fma(vf_set((real)MYR_RANDOM_DEVIATION), pair[j], vf_set(home)), *target);
        }
    }
}

/* ---- when episodes are over ----------------------------------------------------------------------------------------- */

/* The nearest whole number of control steps, at least one. */
static inline vf whole_steps(real steps) { return vf_set((real)(int)(steps < 1 ? (real)1 : steps + (real)0.5)); }

static inline real control_step(const part *p) { return (real)(p->options->dt_s * p->options->decimation); }

/* After its time. */
static unsigned random_over(const part *p) {
    return vm_bits(vm_ge(field(p, MYR_ROWS_clock, 0), whole_steps((real)MYR_RANDOM_EPISODE_S / control_step(p)))) & p->alive;
}

/* After a rest. */
static unsigned drop_over(const part *p) {
    vf *rest = row(p, p->r->layout.first[MYR_ROWS_rest]), fastest = vf_zero();
    for (int k = 0; k < p->r->nv; k++) fastest = vf_max(fastest, vf_abs(field(p, MYR_ROWS_v, k)));
    const vf resting = vf_select(vm_lt(fastest, vf_set((real)MYR_REST_SPEED)), *rest + vf_set(1), vf_zero());
    *rest = vf_select(vm_from_bits(p->alive), resting, *rest);
    return vm_bits(vm_ge(*rest, whole_steps((real)MYR_REST_S / control_step(p)))) & p->alive;
}

/* ---- tables ---------------------------------------------------------------------------------------------------------- */

static const myr_task task_stand = {
    .name = "stand", .quadruped = 1, .automatic = 1, .prepare = quadruped_gains, .geoms = feet_and_torso, .start = stand_start};
static const myr_task task_trot = {
    .name = "trot", .quadruped = 1, .prepare = quadruped_gains, .geoms = feet_and_torso, .start = stand_start, .drive = trot_drive};
static const myr_task task_hang = {.name = "hang", .quadruped = 1, .geoms = feet, .start = hang_start};
static const myr_task task_drop = {.name = "drop", .quadruped = 1, .geoms = feet_and_torso, .start = drop_start, .over = drop_over};
static const myr_task task_random = {.name = "random",
                                     .quadruped = 1,
                                     .prepare = quadruped_gains,
                                     .geoms = feet_and_torso,
                                     .start = random_start,
                                     .over = random_over,
                                     .drive = random_drive};

#endif
