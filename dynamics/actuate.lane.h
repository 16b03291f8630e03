/* actuate: targets, gains, limits -> joint torque and what is implicit in it.
 *
 * torque = kp (target - q) - kd v + feed-forward, clamped to the effort limit. While it is not clamped, the PD acts on the
 * velocity at the end of the step: kd + dt kp joins the diagonal of M with dt, and the force is taken at v-. Joint damping
 * is always implicit (its force joins in `free`), armature always on the diagonal. */
#ifndef MYR_DYNAMICS_ACTUATE_LANE_H
#define MYR_DYNAMICS_ACTUATE_LANE_H

#include "workspace.lane.h"

static void actuate(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const vf dt = vf_set(p->dt), zero = vf_zero();
    const int varied = (p->options->varied & MYR_VARIED_JOINT) != 0, pushed = (p->options->varied & MYR_VARIED_TORQUE) != 0;
    const int gains = (p->options->varied & MYR_VARIED_GAINS) != 0;
    for (int i = 0; i < r->n_bodies; i++) { /* free and ball joints: damping and armature only */
        const lane_body *b = &r->bodies[i];
        if (b->nv == 1) continue;
        for (int k = b->v; k < b->v + b->nv; k++) {
            const vf damping = varied ? field(p, MYR_ROWS_damping, k) : vf_set(b->damping),
                     armature = varied ? field(p, MYR_ROWS_armature, k) : vf_set(b->armature);
            w->tau[k] = zero;
            w->extra[k] = vf_fma(dt, damping, armature);
        }
    }
    for (int i = 0; i < r->n_joints; i++) {
        const lane_joint *j = &r->joints[i];
        const vf damping = varied ? field(p, MYR_ROWS_damping, j->v) : vf_set(j->damping),
                 armature = varied ? field(p, MYR_ROWS_armature, j->v) : vf_set(j->armature);
        const vf kp = gains ? field(p, MYR_ROWS_kp, j->u) : vf_set((real)p->options->kp),
                 kd = gains ? field(p, MYR_ROWS_kd, j->u) : vf_set((real)p->options->kd);
        const vf v = field(p, MYR_ROWS_v, j->v), limit = vf_set(j->effort);
        const vf push = pushed ? field(p, MYR_ROWS_torque, j->u) : zero;
        const vf spring = vf_fma(kp, field(p, MYR_ROWS_target, j->u) - field(p, MYR_ROWS_q, j->q), push);
        const vf wish = vf_fnma(kd, v, spring);
        const vm clamped = vm_gt(vf_abs(wish), limit);
        const vf implicit = vf_fma(dt, kp, kd), at_limit = vf_select(vm_gt(wish, zero), limit, -limit);
        w->tau[j->v] = vf_select(clamped, at_limit, vf_fnma(implicit, v, spring));
        w->extra[j->v] = vf_fma(dt, damping + vf_select(clamped, zero, implicit), armature);
    }
}

#endif
