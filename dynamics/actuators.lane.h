/* Actuators in general: several on a joint, one on several joints, forces that are not the same both ways, joints without one.
 *
 * Joint i gets moment_i times the force. Of one joint what is implicit joins the diagonal as it is. Of several they would tie joints of
 * different branches together in M, which is sparse by the tree: there the diagonal has what is at least as much, |m_i| sum |m_k| (kd + dt
 * kp) >= the row of m m' (kd + dt kp) by Gershgorin's circles. It acts on the change of the velocity alone, as armature does, so the law is
 * that above to first order in dt and stays stable; what does not lengthen the tendon is heavier by it, though. */
#ifndef MYR_DYNAMICS_ACTUATORS_LANE_H
#define MYR_DYNAMICS_ACTUATORS_LANE_H

#include "dynamics/motors/dc.lane.h"
#include "dynamics/motors/explicit.lane.h"
#include "dynamics/motors/input.lane.h"
#include "dynamics/motors/net_lstm.lane.h"
#include "dynamics/motors/net_mlp.lane.h"
#include "dynamics/motors/pd.lane.h"

INLINE void actuate_one(const part *p, int u, motor_law *law) {
    const robot *r = p->r;
    const lane_actuator *a = &r->actuators[u];
    workspace *w = p->w;
    actuator_state d = actuator_state_of(p, u);
    if (a->late >= 0 || a->lag >= 0) motor_input(p, a, &d);
    const actuation acts = law(p, a, &d);
    w->acts[3 * u] = acts.force, w->acts[3 * u + 1] = acts.implicit, w->acts[3 * u + 2] = d.rate;
    for (int i = 0; i < a->n; i++) {
        const int k = r->joints[a->joint[i]].v;
        const real m = a->moment[i], size = m < 0 ? -m : m;
        w->tau[k] = vf_fma(vf_set(m), acts.force, w->tau[k]);
        w->extra[k] = vf_fma(vf_set(size * a->whole), acts.implicit, w->extra[k]);
    }
}

/* Those of one kind of motor, so that the law is known within the loop. */
#define MYR_MOTOR(NAME, name, parameters, doc)                                                                                             \
    static __attribute__((noinline)) void actuate_##name(const part *p, const int *some, int n) {                                          \
        for (int i = 0; i < n; i++) actuate_one(p, some[i], motor_##name);                                                                 \
    }
#include "myriapod/motors.def"
#undef MYR_MOTOR

static void (*const actuate_kind[])(const part *p, const int *some, int n) = {
#define MYR_MOTOR(NAME, name, parameters, doc) actuate_##name,
#include "myriapod/motors.def"
#undef MYR_MOTOR
};

/* tau and extra of joints of one dof: first what drives them, then the joint's own. */
static __attribute__((noinline)) void actuate_any(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const vf dt = vf_set(p->dt), zero = vf_zero();
    const int varied = (p->options->varied & MYR_VARIED_JOINT) != 0;
    for (const lane_joint *j = r->joints, *end = j + r->n_joints; j < end; j++) w->tau[j->v] = w->extra[j->v] = zero;
    for (int k = 0; k < MYR_MOTOR_KINDS; k++) {
        const int first = r->motor_first[k], n = r->motor_first[k + 1] - first;
        if (n) actuate_kind[k](p, r->by_motor + first, n);
    }
    for (const lane_joint *j = r->joints, *end = j + r->n_joints; j < end; j++) {
        const vf damping = varied ? field(p, MYR_ROWS_damping, j->v) : vf_set(j->damping),
                 armature = varied ? field(p, MYR_ROWS_armature, j->v) : vf_set(j->armature);
        /* of what several give it together; a single one knows it, times its strength */
        const vf limit = vf_set(p->options->varied & MYR_VARIED_MOTOR ? j->shared_limit : j->effort);
        const vm over = vm_gt(vf_abs(w->tau[j->v]), limit);
        w->extra[j->v] = vf_fma(dt, damping + vf_select(over, zero, w->extra[j->v]), armature);
        w->tau[j->v] = vf_select(over, vf_select(vm_gt(w->tau[j->v], zero), limit, -limit), w->tau[j->v]);
    }
}

/* States of motors that are late, lag or are nets, where the step was good. */
static void keep_inputs(const part *p) {
    const vm good = vm_from_bits(p->alive & ~stopped_lanes(p->w->bad));
    vf *rows = field_rows(p, MYR_ROWS_activation);
    for (int k = 0; k < p->r->n_activation; k++) keep_good(rows + PARTS * k, p->w->activation[k], good, 0);
}

#endif
