/* thrust: what actuators push that act on frames and not on joints, rotors and thrusters, as torques along the dofs above the frame's body:
 * axis . (n + (x - p) x f) for a hinge at p, axis . f for a slider, f and n in the frame's axes its force times `gear`. */
#ifndef MYR_DYNAMICS_THRUST_LANE_H
#define MYR_DYNAMICS_THRUST_LANE_H

#include "dynamics.lane.h"

/* After the poses; w->acts has the forces. */
static __attribute__((noinline)) void thrust(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    for (int u = 0; u < r->nu; u++) {
        const lane_actuator *a = &r->actuators[u];
        if (!a->pushes || a->body < 0) continue;
        const vf *R = w->R + 9 * a->body, size = w->acts[3 * u];
        const v3 force = v3_scale(size, m3_mul(R, v3_uniform(a->gear))), twist = v3_scale(size, m3_mul(R, v3_uniform(a->gear + 3)));
        const v3 at = v3_add(v3_load(w->p + 3 * a->body), m3_mul(R, v3_uniform(a->at)));
        for (int i = a->body; i >= 0; i = r->bodies[i].parent) {
            const lane_body *b = &r->bodies[i];
            const v3 arm = b->joint == MYR_JOINT_FREE ? at : v3_sub(at, v3_load(w->p + 3 * i)), moment = v3_cross_add(arm, force, twist);
            vf *tau = w->tau + b->v;
            if (b->joint == MYR_JOINT_FREE) v3_store(tau, v3_add(v3_load(tau), force)), v3_store(tau + 3, v3_add(v3_load(tau + 3), moment));
            for (int k = 0; k < b->nv && b->joint != MYR_JOINT_FREE; k++)
                tau[k] = tau[k] + v3_dot(v3_load(w->axis + 3 * (b->v + k)), dof_is_linear(b, k) ? force : moment);
        }
    }
}

#endif
