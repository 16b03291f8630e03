/* Numerical damping of joints that turn far in one step.
 *
 * Coriolis forces h do no work that the changing M does not account for, but taken at the start of a step they leave the energy
 * (dt^2 / 2) h' M^-1 h too high. Where a joint turns by x within a step this is of the order x^2 / 2 of what moves, per step: nothing
 * at a hundredth of a turn, an explosion at a sixth. So such a joint is damped, implicitly and by as much as a vector that grows by
 * (1 + x^2)^1/2 needs to be divided by not to grow:
 *     d_k dt = strength M_kk x^2 s(x),    x^2 = dt^2 (sum of squared rates of the joint and of those between it and the root),
 * strength 1/2, and s = 0 up to 0.1 rad, 1 from 0.3 rad: slower joints are left alone to the bit, and so are wheels (as the model has
 * them), which make no Coriolis forces. Forces are internal, momentum stays; the turning of a free root itself is not damped. */
#ifndef MYR_DYNAMICS_SPIN_DAMPING_LANE_H
#define MYR_DYNAMICS_SPIN_DAMPING_LANE_H

#include "robot/workspace.lane.h"

/* Squared angles [rad^2] up to which there is no damping, and from which there is all of it. */
#define SPIN_STILL 1e-2
#define SPIN_FAST 9e-2

/* turn2 + (rate dt)^2 */
static inline vf spin_add(vf turn2, vf rate, vf dt) {
    const vf angle = dt * rate;
    return vf_fma(angle, angle, turn2);
}

static inline void spin_damp(const part *p, int k, vf turn2) {
    workspace *w = p->w;
    const vf still = vf_set((real)SPIN_STILL), slope = vf_set((real)(1 / (SPIN_FAST - SPIN_STILL))), one = vf_set(1);
    const vf share = vf_min(one, slope * vf_max(turn2 - still, vf_zero()));
    const vf own = w->M[p->r->m_row[k] + p->r->dof_depth[k]];
    const vf damping = vf_set((real)(p->options->spin_damping / p->options->dt_s)) * turn2 * share * own; /* [N m s/rad] */
    const vm fast = vm_gt(turn2, still); /* the others keep the sign of a zero too */
    w->extra[k] = vf_select(fast, vf_fma(vf_set(p->dt), damping, w->extra[k]), w->extra[k]);
    w->tau[k] = vf_select(fast, vf_fnma(damping, w->u[k], w->tau[k]), w->tau[k]);
}

static void spin_damping_legs(const part *p, vf dt) {
    const robot *r = p->r;
    const vf *u = p->w->u, still = vf_set((real)SPIN_STILL);
    const vf root = spin_add(spin_add(spin_add(vf_zero(), u[3], dt), u[4], dt), u[5], dt);
    for (int i = 0; i < r->n_legs; i++) {
        const robot_leg *leg = &r->legs[i];
        vf turn2 = root;
        for (int j = 0; j < leg->n; j++) turn2 = spin_add(turn2, u[leg->dof + j], dt);
        if (!vm_any(vm_gt(turn2, still))) continue; /* the tip turns most; no lane has anything to do */
        turn2 = root;
        for (int j = 0; j < leg->n && !r->bodies[leg->body + j].wheel; j++) {
            turn2 = spin_add(turn2, u[leg->dof + j], dt);
            spin_damp(p, leg->dof + j, turn2);
        }
    }
}

/* Does any lane turn so far that a joint of it may be damped? All rates together are more than those on any way to the root. */
static inline int spins(const part *p, vf dt) {
    const vf half = vf_set((real)(SPIN_STILL / 2)); /* another order of sums rounds otherwise */
    vf turn2 = vf_zero();
    for (const vf *u = p->w->u, *end = u + p->r->nv; u < end; u++) turn2 = spin_add(turn2, *u, dt);
    return vm_any(vm_not(vm_le(turn2, half))); /* NaN goes the long way, whatever its neighbours do */
}

static void spin_damping_tree(const part *p, vf dt) {
    const robot *r = p->r;
    const vf *u = p->w->u;
    if (!spins(p, dt)) return;
    vf *turn2 = p->w->Y; /* Y's room: it is not in use yet */
    for (int i = 0; i < r->n_bodies; i++) {
        const lane_body *b = &r->bodies[i];
        const int first = b->joint == MYR_JOINT_FREE ? 3 : 0; /* turning dofs of the joint */
        turn2[i] = b->parent < 0 ? vf_zero() : turn2[b->parent];
        if (b->wheel) continue;
        for (int k = first; k < b->nv && b->joint != MYR_JOINT_PRISMATIC; k++) turn2[i] = spin_add(turn2[i], u[b->v + k], dt);
        for (int k = 0; k < b->nv && b->joint != MYR_JOINT_FREE; k++) spin_damp(p, b->v + k, turn2[i]);
    }
}

/* Before `extra` and `tau` are used. Not for the free joint of a root: nothing outside the robot is there to push on. */
static void spin_damping(const part *p) {
    if (p->options->spin_damping > 0) p->r->variant->spin_damping(p, vf_set(p->dt));
}

#endif
