/* drag: what a fluid does to each body, by the box of its inertia, as torques (docs/fluid.md has the law and its source).
 *
 * Along each axis of a box the force is -c v, c growing with abs(v). It is taken as -c v / (1 + dt c / m), m the mass, for torques the
 * principal moment: the end of a step in which the body alone is dragged. As the sum of the bodies' masses along the joints is the mass
 * matrix, no step of any length turns a motion round by it. */
#ifndef MYR_DYNAMICS_DRAG_LANE_H
#define MYR_DYNAMICS_DRAG_LANE_H

#include "poses.lane.h"
#include "push_body.lane.h"

/* What drags along axis k of a box whose centre moves by `v` in the fluid, [0..2] linear and [3..5] angular, its own axes. time: dt, longer
 * by as much as the environment's body is lighter than the model's. */
static inline vf drag_along(const myr_drag *d, const myr_fluid *fluid, vf time, int k, vf v) {
    const double pi = 3.14159265358979323846, *side = d->side, size = (side[0] + side[1] + side[2]) / 3;
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    double slow, fast;
    if (k < 3) {
        slow = 3 * pi * size * fluid->viscosity, fast = 0.5 * fluid->density * side[i] * side[j];
    } else {
        const double a = side[i] * side[i], b = side[j] * side[j];
        slow = pi * size * size * size * fluid->viscosity, fast = fluid->density * side[k - 3] * (a * a + b * b) / 64;
    }
    const vf c = vf_fma(vf_set((real)fast), vf_abs(v), vf_set((real)slow));
    return -(c * v) / vf_fma(time * vf_set((real)d->lightness[k]), c, vf_set(1));
}

/* After the poses; w->Y is scratch. */
static __attribute__((noinline)) void drag(const part *p) {
    const robot *r = p->r;
    const myr_model *m = r->model;
    workspace *w = p->w;
    const vf dt = vf_set(p->dt), *velocity = w->Y;
    const v3 wind = {vf_set((real)m->fluid.wind[0]), vf_set((real)m->fluid.wind[1]), vf_set((real)m->fluid.wind[2])};
    const int varied = (p->options->varied & MYR_VARIED_INERTIAL) != 0;
    body_velocities(p, w->Y);
    for (int n = 0; n < m->n_drags; n++) {
        const myr_drag *d = &m->drags[n];
        const int i = d->of.body, tree = r->bodies[i].tree;
        const vf *R = w->R + 9 * i;
        real at[3];
        v3 axis[3];
        for (int k = 0; k < 3; k++) {
            const real column[3] = {(real)d->of.turn[k], (real)d->of.turn[3 + k], (real)d->of.turn[6 + k]};
            axis[k] = m3_mul(R, v3_uniform(column)), at[k] = (real)d->of.at[k];
        }
        const v3 arm = m3_mul(R, v3_uniform(at)), spin = v3_load(velocity + 6 * i + 3);
        const v3 moves = v3_sub(v3_cross_add(spin, arm, v3_load(velocity + 6 * i)), m3_mul_t(w->R0 + 9 * tree, wind));
        const vf mass = varied ? field(p, MYR_ROWS_inertial, MYR_INERTIAL_ROWS * i) : vf_zero();
        const vf time = varied ? dt * vf_max(vf_set((real)m->bodies[i].mass) / mass, vf_set(1)) : dt;
        v3 force = v3_zero(), twist = v3_zero();
        for (int k = 0; k < 3; k++) {
            force = v3_fma(drag_along(d, &m->fluid, time, k, v3_dot(axis[k], moves)), axis[k], force);
            twist = v3_fma(drag_along(d, &m->fluid, time, 3 + k, v3_dot(axis[k], spin)), axis[k], twist);
        }
        push_body(p, i, v3_add(v3_load(w->p + 3 * i), arm), force, twist);
    }
}

#endif
