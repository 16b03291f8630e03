/* actuate: targets, gains, limits -> joint torque and what is implicit in it.
 *
 * The laws are in dynamics/motors/, a file each. Joint damping is always implicit (its force joins in `free`), armature always on the
 * diagonal. Robots whose actuators are more than one for each driven joint: actuators.lane.h. */
#ifndef MYR_DYNAMICS_ACTUATE_LANE_H
#define MYR_DYNAMICS_ACTUATE_LANE_H

#include "dynamics/actuators.lane.h"
#include "robot/workspace.lane.h"

/* Free and ball joints: damping and armature only. */
static inline void actuate_free(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const vf dt = vf_set(p->dt);
    const int varied = (p->options->varied & MYR_VARIED_JOINT) != 0;
    int left = r->n_bodies - r->n_joints;
    for (const lane_body *b = r->bodies; left > 0; b++) {
        if (b->nv == 1) continue;
        left--;
        for (int k = b->v; k < b->v + b->nv; k++) {
            const vf damping = varied ? field(p, MYR_ROWS_damping, k) : vf_set(b->damping),
                     armature = varied ? field(p, MYR_ROWS_armature, k) : vf_set(b->armature);
            w->tau[k] = vf_zero();
            w->extra[k] = vf_fma(dt, damping, armature);
        }
    }
}

/* Springs of joints, likewise by the velocity at the end of the step. */
static __attribute__((noinline)) void actuate_springs(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const vf dt = vf_set(p->dt);
    for (const lane_joint *j = r->joints, *end = j + r->n_joints; j < end; j++) {
        const vf stiff = vf_set(j->stiffness), off = vf_set(j->rest) - field(p, MYR_ROWS_q, j->q);
        if (!(j->stiffness > 0)) continue;
        w->tau[j->v] = vf_fma(stiff, vf_fnma(dt, field(p, MYR_ROWS_v, j->v), off), w->tau[j->v]);
        w->extra[j->v] = vf_fma(dt * dt, stiff, w->extra[j->v]);
    }
}

/* Each driven joint has an actuator of its own. */
static inline void actuate_plain(const part *p) {
    const robot *r = p->r;
    const unsigned varied = p->options->varied;
    const vf dt = vf_set(p->dt), zero = vf_zero(), kp_all = vf_set((real)p->options->kp), kd_all = vf_set((real)p->options->kd);
    const vf *q = field_rows(p, MYR_ROWS_q), *v = field_rows(p, MYR_ROWS_v), *target = field_rows(p, MYR_ROWS_target);
    const vf *damping_rows = varied & MYR_VARIED_JOINT ? field_rows(p, MYR_ROWS_damping) : NULL,
             *armature_rows = field_rows(p, MYR_ROWS_armature);
    /* what is the same for every joint and robot is a field whose rows are all one */
    const int gain_step = varied & MYR_VARIED_GAINS ? PARTS : 0, push_step = varied & MYR_VARIED_TORQUE ? PARTS : 0;
    const vf *kps = gain_step ? field_rows(p, MYR_ROWS_kp) : &kp_all, *kds = gain_step ? field_rows(p, MYR_ROWS_kd) : &kd_all;
    const vf *push = push_step ? field_rows(p, MYR_ROWS_torque) : &zero;
    vf *tau = p->w->tau, *extra = p->w->extra;
    for (const lane_joint *j = r->joints, *end = j + r->n_joints; j < end; j++) {
        const vf damping = damping_rows ? damping_rows[PARTS * j->v] : vf_set(j->damping),
                 armature = damping_rows ? armature_rows[PARTS * j->v] : vf_set(j->armature);
        if (j->u < 0) {
            tau[j->v] = zero, extra[j->v] = vf_fma(dt, damping, armature);
            continue;
        }
        const vf limit = vf_set(j->effort);
        const actuator_state d = {.kp = kps[gain_step * j->u],
                                  .kd = kds[gain_step * j->u],
                                  .target = target[PARTS * j->u],
                                  .length = q[PARTS * j->q],
                                  .rate = v[PARTS * j->v],
                                  .push = push[push_step * j->u],
                                  .lower = -limit,
                                  .upper = limit};
        const actuation acts = motor_pd(p, NULL, &d);
        tau[j->v] = acts.force;
        extra[j->v] = vf_fma(dt, damping + acts.implicit, armature);
    }
}

static void actuate(const part *p) {
    actuate_free(p);
    if (p->r->plain_actuators && !p->r->senses_actuators && !(p->options->varied & MYR_VARIED_MOTOR))
        actuate_plain(p);
    else
        actuate_any(p);
    if (p->r->springs) actuate_springs(p);
}

#endif
