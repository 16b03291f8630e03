/* A maximal step that the passes of variational.lane.h do not solve. The energy of the best of them is unbounded: at 20 ms a few such steps
 * spin a limp robot up until no step can be solved. So the step of generalized coordinates stands in for it, the step's own first
 * solve, which the contact law holds where the step begins; and with no more speed than the forces can have given.
 *
 * Coriolis forces do no work and contacts take some. So with |u|^2 twice the kinetic energy and F what drives the robot, of any motion
 *
 *     d |u| / dt  <=  (F' M^-1 F)^1/2,         of gravity alone: |g| times the square root of the mass
 *
 * and velocities beyond |u1| + dt (...) are scaled back to it. The energies are those of the two intervals, of what bodies really went by:
 * M of either pose would let a limb that turns by a radian gain some each time. What still turns too far for the scheme is slowed
 * until it does not. If the applied forces require that rotation, the lane is quarantined. The residual of the step is measured like any
 * other: the step counts as not converged. */
#ifndef MYR_MAXIMAL_UNSOLVED_LANE_H
#define MYR_MAXIMAL_UNSOLVED_LANE_H

#include "factor_products.lane.h"
#include "momentum.lane.h"

/* How far bodies go is not quite proportional to the velocities. These are scaled so many times, and by so much while a body turns too far.
 */
enum { UNSOLVED_TRIES = 8 };
#define UNSOLVED_LESS (real)0.75

/* |u| of the interval of the present increments, those of the velocities u over dt, which is negative for the step before. */
static inline vf unsolved_norm(const part *p, const vf *u, real dt) {
    const robot *r = p->r;
    const workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const vf per_dt = vf_set(1 / dt), twice = vf_set(2 / dt);
    vf sum = vf_zero();
    for (int i = 0; i < r->n_bodies; i++) {
        const lane_body *b = &r->bodies[i];
        const central c = central_load(mw->central + CENTRAL * i);
        const increment way = increment_load(mw, i);
        const vf *base = w->u + r->bodies[r->tree_root[b->tree]].v;
        v3 v = v3_scale(per_dt, v3_add(way.shift, quat_moves(way.turned, c.com))), turns = v3_scale(twice, way.turned.eta);
        if (r->tree_floating[b->tree]) v = v3_add(v, v3_load(base)); /* increments are taken without it */
        if (b->wheel) turns = v3_fma(u[b->v], v3_load(w->axis + 3 * b->v), turns);
        sum = vf_fma(c.m, v3_dot(v, v), sum + v3_dot(turns, inertia_mul(&c.J, turns)));
    }
    return vf_sqrt(sum);
}

/* (F' M^-1 F)^1/2 of torques and the caller's wrench; mw->left and w->force are scratch. */
static inline vf unsolved_drive(const part *p) {
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    vf sum = vf_zero();
    for (int k = 0; k < p->r->nv; k++) mw->left[k] = w->tau[k];
    if (p->options->varied & MYR_VARIED_WRENCH) {
        for (int i = 0; i < p->r->n_bodies; i++) {
            screw taken = {v3_zero(), v3_zero()};
            external_wrench(p, i, NULL, &taken.linear, &taken.angular);
            screw_store(w->force + 6 * i, (screw){v3_sub(v3_zero(), taken.linear), v3_sub(v3_zero(), taken.angular)});
        }
        momentum_more(p, mw->left);
    }
    factor_solve_t(p, mw->left);
    for (int k = 0; k < p->r->nv; k++) sum = vf_fma(mw->left[k] * mw->left[k], w->dinv[k], sum);
    return vf_sqrt(sum);
}

/* w->z of the lanes `mine` scaled back to what the forces allow. */
static void unsolved_hold(const part *p, vm mine) {
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const vf dt = vf_set(p->dt), tiny = vf_set((real)1e-30), one = vf_set(1);
    vf mass = vf_zero(), g2 = vf_zero();
    for (int i = 0; i < p->r->n_bodies; i++) mass = mass + mw->central[CENTRAL * i];
    for (int a = 0; a < 3; a++) g2 = vf_fma(field(p, MYR_ROWS_gravity, a), field(p, MYR_ROWS_gravity, a), g2);
    const vf drive = unsolved_drive(p);
    momentum_before(p); /* for its increments, as the next one is */
    const vf most = vf_fma(dt, vf_sqrt(mass * g2) + drive, unsolved_norm(p, w->u, -p->dt));
    for (int k = 0; k < UNSOLVED_TRIES; k++) {
        momentum_residual(p, w->z, mw->left);
        const vf size = unsolved_norm(p, w->z, p->dt);
        const vm slowed = vm_andnot(vm_from_bits(increments_spun(p)), vm_gt(dt * drive, vf_set((real)0.5) * size));
        vf scale = vf_min(one, most / vf_max(size, tiny));
        scale = vf_select(slowed, vf_min(scale, vf_set(UNSOLVED_LESS)), scale);
        for (int i = 0; i < p->r->nv; i++) w->z[i] = vf_select(mine, scale * w->z[i], w->z[i]);
    }
}

#endif
