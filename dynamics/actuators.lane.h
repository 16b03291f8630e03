/* Actuators in general: several on a joint, one on several joints, forces that are not the same both ways, joints without one.
 *
 * Joint i gets moment_i times the force. Of one joint what is implicit joins the diagonal as it is. Of several they would tie joints of
 * different branches together in M, which is sparse by the tree: there the diagonal has what is at least as much, |m_i| sum |m_k| (kd + dt
 * kp) >= the row of m m' (kd + dt kp) by Gershgorin's circles. It acts on the change of the velocity alone, as armature does, so the law is
 * that above to first order in dt and stays stable; what does not lengthen the tendon is heavier by it, though. */
#ifndef MYR_DYNAMICS_ACTUATORS_LANE_H
#define MYR_DYNAMICS_ACTUATORS_LANE_H

#include "dynamics/actuators/pd.lane.h"

static inline void actuate_one(const part *p, const lane_actuator *a, int u) {
    const robot *r = p->r;
    workspace *w = p->w;
    const actuator_state d = actuator_state_of(p, u);
    const actuation acts = act_pd(&d, vf_set(p->dt));
    for (int i = 0; i < a->n; i++) {
        const int k = r->joints[a->joint[i]].v;
        const real m = a->moment[i], size = m < 0 ? -m : m;
        w->tau[k] = vf_fma(vf_set(m), acts.force, w->tau[k]);
        w->extra[k] = vf_fma(vf_set(size * a->whole), acts.implicit, w->extra[k]);
    }
}

/* tau and extra of joints of one dof: first what drives them, then the joint's own. */
static __attribute__((noinline)) void actuate_any(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const vf dt = vf_set(p->dt), zero = vf_zero();
    const int varied = (p->options->varied & MYR_VARIED_JOINT) != 0;
    for (const lane_joint *j = r->joints, *end = j + r->n_joints; j < end; j++) w->tau[j->v] = w->extra[j->v] = zero;
    for (int u = 0; u < r->nu; u++) actuate_one(p, &r->actuators[u], u);
    for (const lane_joint *j = r->joints, *end = j + r->n_joints; j < end; j++) {
        const vf damping = varied ? field(p, MYR_ROWS_damping, j->v) : vf_set(j->damping),
                 armature = varied ? field(p, MYR_ROWS_armature, j->v) : vf_set(j->armature);
        const vf limit = vf_set(j->effort); /* of what several give it together; a single one knows it */
        const vm over = vm_gt(vf_abs(w->tau[j->v]), limit);
        w->extra[j->v] = vf_fma(dt, damping + vf_select(over, zero, w->extra[j->v]), armature);
        w->tau[j->v] = vf_select(over, vf_select(vm_gt(w->tau[j->v], zero), limit, -limit), w->tau[j->v]);
    }
}

#endif
