/* A force and a torque on a body as torques along the dofs above it: axis . (n + (x - p) x f) for a hinge at p, axis . f for a slider. */
#ifndef MYR_DYNAMICS_PUSH_BODY_LANE_H
#define MYR_DYNAMICS_PUSH_BODY_LANE_H

#include "dynamics.lane.h"

/* After the poses; all in base axes, `at` from the base's origin on. w->tau gets more. */
static inline void push_body(const part *p, int body, v3 at, v3 force, v3 twist) {
    const robot *r = p->r;
    const workspace *w = p->w;
    for (int i = body; i >= 0; i = r->bodies[i].parent) {
        const lane_body *b = &r->bodies[i];
        const v3 arm = b->joint == MYR_JOINT_FREE ? at : v3_sub(at, v3_load(w->p + 3 * i)), moment = v3_cross_add(arm, force, twist);
        vf *tau = w->tau + b->v;
        if (b->joint == MYR_JOINT_FREE) v3_store(tau, v3_add(v3_load(tau), force)), v3_store(tau + 3, v3_add(v3_load(tau + 3), moment));
        for (int k = 0; k < b->nv && b->joint != MYR_JOINT_FREE; k++)
            tau[k] = tau[k] + v3_dot(v3_load(w->axis + 3 * (b->v + k)), dof_is_linear(b, k) ? force : moment);
    }
}

#endif
