/* thrust: what actuators push that act on frames and not on joints, rotors and thrusters, as torques along the dofs above the frame's body;
 * in the frame's axes force and torque are that of the actuator times `gear`. */
#ifndef MYR_DYNAMICS_THRUST_LANE_H
#define MYR_DYNAMICS_THRUST_LANE_H

#include "push_body.lane.h"

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
        push_body(p, a->body, at, force, twist);
    }
}

#endif
