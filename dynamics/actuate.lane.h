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
    for (int i = 0; i < r->n_bodies; i++) {
        const lane_body *b = &r->bodies[i];
        for (int k = b->v; k < b->v + b->nv; k++) {
            const vf damping = varied ? field(p, MYR_ROWS_damping, k) : vf_set(b->damping), armature = varied ? field(p, MYR_ROWS_armature, k) : vf_set(b->armature);
            w->tau[k] = zero;
            w->extra[k] = vf_fma(dt, damping, armature);
        }
        if (b->u < 0) continue;
        const vf kp = field(p, MYR_ROWS_kp, b->u), kd = field(p, MYR_ROWS_kd, b->u), v = field(p, MYR_ROWS_v, b->v);
        const vf limit = vf_set(b->effort);
        const vf push = pushed ? field(p, MYR_ROWS_torque, b->u) : zero;
        const vf spring = vf_fma(kp, field(p, MYR_ROWS_target, b->u) - field(p, MYR_ROWS_q, b->q), push);
        const vf wish = vf_fnma(kd, v, spring), torque = vf_select(vm_gt(wish, limit), limit, vf_select(vm_lt(wish, -limit), -limit, wish));
        const vm clamped = vm_gt(vf_abs(wish), limit);
        const vf implicit = vf_fma(dt, kp, kd);
        w->tau[b->v] = vf_select(clamped, torque, vf_fnma(implicit, v, spring));
        w->extra[b->v] = vf_fma(dt, vf_select(clamped, zero, implicit), w->extra[b->v]);
    }
}

#endif
