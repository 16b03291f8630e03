/* What drives the robots, at the start of every control step: trot references, random references, and the resets that the
 * tasks of Hwangbo 2018 section V ask for. docs/tasks.md has the table. */
#ifndef MYR_BATCH_TASK_LANE_H
#define MYR_BATCH_TASK_LANE_H

#include "batch/reset.lane.h"
#include "constraints/loops_project.lane.h"

/* Trot: legs in diagonal pairs (LF RH, RF LH). With s the phase of the leg, the hip sweeps back in stance and forward in
 * swing, a cosine about home; the knee folds in swing, half a sine. Fold follows the home pose, sweep the way the robot heads. */
static void trot_targets(const part *p) {
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
static void random_targets(const part *p, myr_tile_meta *meta, int first_lane) {
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
            const real home = (real)m->home[m->bodies[m->actuators[k + j].joint[0]].q];
            *target = vf_select(mask, vf_fma(vf_set((real)MYR_RANDOM_DEVIATION), pair[j], vf_set(home)), *target);
        }
    }
}

/* The nearest whole number of control steps, at least one. */
static inline vf whole_steps(real steps) { return vf_set((real)(int)(steps < 1 ? (real)1 : steps + (real)0.5)); }

/* Lanes whose episode is over: random after its time, drop after a rest. */
static unsigned task_over(const part *p) {
    const real control = (real)(p->options->dt_s * p->options->decimation);
    const vf *clock = row(p, p->r->layout.first[MYR_ROWS_clock]);
    vm over = vm_none();
    if (p->options->task == MYR_TASK_RANDOM) over = vm_ge(*clock, whole_steps((real)MYR_RANDOM_EPISODE_S / control));
    if (p->options->task == MYR_TASK_DROP) {
        vf *rest = row(p, p->r->layout.first[MYR_ROWS_rest]), fastest = vf_zero();
        for (int k = 0; k < p->r->nv; k++) fastest = vf_max(fastest, vf_abs(field(p, MYR_ROWS_v, k)));
        const vf resting = vf_select(vm_lt(fastest, vf_set((real)MYR_REST_SPEED)), *rest + vf_set(1), vf_zero());
        *rest = vf_select(vm_from_bits(p->alive), resting, *rest);
        over = vm_ge(*rest, whole_steps((real)MYR_REST_S / control));
    }
    return vm_bits(over) & p->alive;
}

/* `done`: steps of dt that this job has behind it. */
static void task_control(const part *p, myr_tile_meta *meta, void *tile, int first_lane, int64_t done) {
    const myr_task task = p->options->task;
    if (task == MYR_TASK_DROP || task == MYR_TASK_RANDOM) {
        const unsigned over = task_over(p);
        if (over) reset_lanes(p->r, p->r->model, tile, meta, p->options, over << first_lane);
        if (over && p->r->n_loops) loops_settle(p, over);
        for (int lane = 0; lane < VN; lane++)
            if (over >> lane & 1u) meta->step[first_lane + lane] = -done; /* all steps of the job are added at its end */
    }
    if (task == MYR_TASK_TROT) trot_targets(p);
    if (task == MYR_TASK_RANDOM) random_targets(p, meta, first_lane);
    if (task == MYR_TASK_LOCOMOTION) return; /* its control steps are those of myr_batch_act */
    vf *clock = row(p, p->r->layout.first[MYR_ROWS_clock]);
    *clock = vf_select(vm_from_bits(p->alive), *clock + vf_set(1), *clock);
}

#endif
