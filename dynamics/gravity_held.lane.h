/* gravity held: what bodies weigh less because something that is not described carries a share of them (MJCF's gravcomp), as torques.
 *
 * A force -gamma m g acts at the centre of mass of each such body, so along the dofs above it: axis . ((x - p) x f) for a hinge at p,
 * axis . f for a slider. Masses are those described: what the caller makes heavier falls. */
#ifndef MYR_DYNAMICS_GRAVITY_HELD_LANE_H
#define MYR_DYNAMICS_GRAVITY_HELD_LANE_H

#include "dynamics.lane.h"

/* w->tau += what holds body i; `up`: less gravity, base axes. */
static inline void hold_body(const part *p, int i, v3 up) {
    const myr_body *held = &p->r->model->bodies[i];
    workspace *w = p->w;
    const vf mass = vf_set((real)held->held_mass);
    const v3 own = {vf_set((real)held->held_first[0]), vf_set((real)held->held_first[1]), vf_set((real)held->held_first[2])};
    const v3 first = v3_fma(mass, v3_load(w->p + 3 * i), m3_mul(w->R + 9 * i, own)), force = v3_scale(mass, up);
    for (; i >= 0; i = p->r->bodies[i].parent) {
        const lane_body *b = &p->r->bodies[i];
        vf *tau = w->tau + b->v;
        if (b->joint == MYR_JOINT_FREE) {
            v3_store(tau, v3_add(v3_load(tau), force));
            v3_store(tau + 3, v3_add(v3_load(tau + 3), v3_cross(first, up)));
            continue;
        }
        const v3 moment = v3_cross(v3_sub(first, v3_scale(mass, v3_load(w->p + 3 * i))), up);
        for (int k = 0; k < b->nv; k++) tau[k] = tau[k] + v3_dot(v3_load(w->axis + 3 * (b->v + k)), dof_is_linear(b, k) ? force : moment);
    }
}

/* After the poses; w->tau has what motors give. */
static __attribute__((noinline)) void gravity_held(const part *p) {
    const v3 gravity = {field(p, MYR_ROWS_gravity, 0), field(p, MYR_ROWS_gravity, 1), field(p, MYR_ROWS_gravity, 2)};
    const v3 against = {-gravity.x, -gravity.y, -gravity.z};
    for (int i = 0; i < p->r->n_bodies; i++) {
        const int tree = p->r->bodies[i].tree;
        if (p->r->model->bodies[i].held_mass == 0) continue;
        hold_body(p, i, p->r->tree_floating[tree] ? m3_mul_t(p->w->R0 + 9 * tree, against) : against);
    }
}

#endif
