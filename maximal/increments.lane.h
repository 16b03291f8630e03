/* How far bodies go in one interval, with no difference of positions anywhere: float resolves a step of a tenth of a millimetre to
 * seven digits, but a position a metre away only to a tenth of a micrometre.
 *
 * A body that is where kinematics has put it goes by a shift of its origin and a turn X = (s, eta), a unit quaternion; all in base axes at
 * that place. The turn acts from the left, R' = X R, so a hinge's is its parent's times that about its own axis, and what is fixed to the
 * body at a goes by shift + (X - 1) a. A step forwards starts from dt u, the step that brought the bodies here from -dt u.
 *
 * All are taken without the velocity that the base of their tree had before the step: of both intervals the same is left out, so no change
 * of momentum sees it (Galilean invariance), and how fast the robot as a whole travels costs no digits. */
#ifndef MYR_MAXIMAL_INCREMENTS_LANE_H
#define MYR_MAXIMAL_INCREMENTS_LANE_H

#include "workspace.lane.h"
#include "dynamics/dynamics.lane.h"
#include "dynamics/half_turn.lane.h"

/* s of a body that turns by |w| dt = 1.9 in a step: at 2 it is half a turn, and the equation has no solution. */
#define TURN_MOST 0.31224989991991992
#define TURN_WHOLE 6.283185307179586 /* [rad] */

typedef struct quat {
    vf s;
    v3 eta;
} quat;

static inline quat quat_load(const vf *a) { return (quat){a[0], v3_load(a + 1)}; }
static inline void quat_store(vf *a, quat t) {
    a[0] = t.s;
    v3_store(a + 1, t.eta);
}

/* (X - 1) a */
static inline v3 quat_moves(quat t, v3 a) {
    const v3 across = v3_cross(t.eta, a), twice = v3_scale(vf_set(2), v3_cross_add(t.eta, across, v3_scale(t.s, across)));
    return twice;
}

/* The turn of the vector `rate` for dt. */
static inline quat quat_of(v3 rate, vf dt) {
    quat t;
    vf scale;
    half_turn(v3_dot(rate, rate), dt, &t.s, &scale);
    t.eta = v3_scale(scale, rate);
    return t;
}

/* First b, then a, as it acts on what stands still: a b. */
static inline quat quat_times(quat a, quat b) {
    return (quat){vf_fms(a.s, b.s, v3_dot(a.eta, b.eta)), v3_cross_add(a.eta, b.eta, v3_fma(a.s, b.eta, v3_scale(b.s, a.eta)))};
}

/* How a body goes: the shift of its origin and its turn. */
typedef struct increment {
    v3 shift;
    quat turned;
} increment;

static inline increment increment_load(const maximal_workspace *mw, int i) {
    return (increment){v3_load(mw->shift + 3 * i), quat_load(mw->turned + 4 * i)};
}

/* What a hinge carries, from what carries the hinge. */
INLINE increment increment_hinge(increment parent, v3 arm, v3 axis, vf rate, vf dt) {
    quat own;
    vf scale;
    half_turn(rate * rate, dt, &own.s, &scale);
    own.eta = v3_scale(scale * rate, axis);
    return (increment){v3_add(parent.shift, quat_moves(parent.turned, arm)), quat_times(parent.turned, own)};
}

/* The same for any joint, and for what has no parent. `rate2`: square of the rate at which the joint turns, of a wheel none. */
static inline increment increment_any(const part *p, int i, const vf *u, vf dt, vf *rate2) {
    const lane_body *b = &p->r->bodies[i];
    const workspace *w = p->w;
    increment out = {v3_zero(), {vf_set(1), v3_zero()}};
    *rate2 = vf_zero();
    if (b->joint == MYR_JOINT_FREE) {
        const v3 rate = v3_load(u + b->v + 3);
        *rate2 = v3_dot(rate, rate);
        return (increment){v3_scale(dt, v3_sub(v3_load(u + b->v), v3_load(w->u + b->v))), quat_of(rate, dt)};
    }
    v3 arm = v3_load(w->arm + 3 * i), rate = v3_scale(u[b->v], v3_load(w->axis + 3 * b->v)), slides = v3_zero();
    const int linear = b->joint == MYR_JOINT_PRISMATIC;
    if (linear) slides = v3_scale(dt, rate), arm = v3_add(arm, slides);
    for (int k = b->v + 1; k < b->v + b->nv; k++) rate = v3_fma(u[k], v3_load(w->axis + 3 * k), rate);
    if (b->parent >= 0) {
        out = increment_load(maximal_of(p), b->parent);
        out.shift = v3_add(out.shift, quat_moves(out.turned, arm));
    }
    if (linear) out.shift = v3_add(out.shift, slides);
    if (linear || b->wheel) return out;
    out.turned = quat_times(out.turned, quat_of(rate, dt));
    *rate2 = v3_dot(rate, rate);
    return out;
}

/* Lanes in which some body turns too far in the increments that momentum_along has made. A turn of more than 3 pi looks like a small one;
 * between two bodies that do not turn too far it is less than 2 pi. */
static unsigned increments_spun(const part *p) {
    const maximal_workspace *mw = maximal_of(p);
    const real whole = (real)(TURN_WHOLE / p->options->dt_s);
    return vm_bits(vm_or(vm_lt(mw->least_turn, vf_set((real)TURN_MOST)), vm_gt(mw->most_rate, vf_set(whole * whole))));
}

#endif
