/* lift: what is found deep in a surface comes out by its position alone (setting landing).
 *
 * A contact of the step keeps its gap from shrinking, and what was open lands with gap 0. Depth is left by what the linear step cannot see,
 * dt^2 w^2 r / 2 of a body that turns, and by the tolerance of the solves, which is a velocity. So where a contact is deeper than that, the
 * step's contacts and joint limits are solved once more, for positions and along the normals alone:
 *
 *     0 <= push_N + w_N + gap / dt  _|_  impulse >= 0
 *
 * w_N by the new velocity. The answer, a velocity, moves the positions of this step beside the new velocity, which it leaves as it is. No
 * kinetic energy comes from that; the weight is lifted by the depth. Sweeps of Gauss-Seidel, few: what they leave is seen in the next step.
 * Where bodies that are free of each other touch, there are more. Five sweeps of a light cube under one a thousand times as heavy tilt it:
 * such a stack fell over after 2 s (bench/contact_yardstick, stack-1000 at 5 ms).
 *
 * Tried: the same as a part of the velocity (setting baumgarte): what leaves the ground does so with the speed of the correction. And the
 * whole law, with friction, by the step's solver: four times the price, to hold the tangents by what the tolerance lets them creep. */
#ifndef MYR_CONSTRAINTS_LIFT_LANE_H
#define MYR_CONSTRAINTS_LIFT_LANE_H

#include "again.lane.h"
#include "robot/window.lane.h"

enum { LIFT_SWEEPS = 5, LIFT_SWEEPS_FREE = 100 };
#define LIFT_SETTLED 1e-2 /* sweeps end where none moves a contact by more than this share of window_deep [-] */
#define LIFT_SPEED 1.0    /* depth comes out no faster than this [m/s]: what was put down deep in a wall is not thrown across the room */
#define LIFT_LEVER 1e-2   /* a normal counts as at least this mobile, as a share of its tangents */
#define LIFT_STRIDE 0.1   /* the farthest that a dof goes for it in a step [m, rad] */
#define LIFT_MOVING 2e-3  /* what moves fast is lifted when it is this deep [m]: each step makes it as deep anew */

/* How deep a contact may be: as deep as a step makes it that turns about things a tenth of a metre away. */
static vm lift_deep(const part *p) {
    const workspace *w = p->w;
    const vf zero = vf_zero(), least = vf_set((real)window_deep(p));
    vf deepest = zero, moves = zero;
    for (int n = 0; n < w->occupied; n++) deepest = vf_max(deepest, vf_select(vm_gt(w->slot_active[n], zero), -w->slot_gap[n], zero));
    const vm deep = vm_and(vm_from_bits(p->alive), vm_gt(deepest, least));
    if (!vm_any(deep)) return deep;
    window_speeds(p, w->z, 1, w->swept);
    for (int i = 0; i < p->r->n_bodies; i++) moves = vf_max(moves, w->swept[i]);
    moves = vf_set(p->dt) * moves;
    const vf turns = vf_min(vf_set(5) * (moves * moves), vf_set((real)LIFT_MOVING));
    return vm_and(deep, vm_gt(deepest, turns));
}

/* The gap's rate that is left to each contact and row: velocities with which they may go on, in w->lift; impulses 0. */
static void lift_open(const part *p) {
    workspace *w = p->w;
    problem *c = &w->contact;
    const vf zero = vf_zero(), per_dt = vf_set(p->per_dt), least = vf_set(-(real)LIFT_SPEED);
    for (int t = 0; t < c->n; t++) c->c[3 * t + 2] = zero;
    for (int n = 0; n < w->occupied; n++) {
        const vf opens = vf_max(vf_fma(per_dt, w->slot_gap[n], occupied_nears(p, w->z, n)), least);
        for (int t = pack_from(p, n), end = pack_end(p, n); t < end; t++) {
            const vm mine = w->packed ? pack_lanes(w, n, t) : vm_gt(w->slot_active[n], zero);
            c->c[3 * t + 2] = vf_select(mine, opens, c->c[3 * t + 2]);
        }
    }
    for (int a = 0; a < 3 * c->n; a++) c->lambda[a] = zero;
    for (int n = 0; n < c->rows.n; n++) {
        c->rows.c[n] = vf_set(p->r->rows[w->row[n]].length) * row_rate(&p->r->rows[w->row[n]], w->z, 1);
        c->rows.lambda[n] = zero;
    }
}

/* Entry (i, k) of G among the normals and the rows behind them, k <= i. */
static inline vf lift_mobility(const problem *c, int i, int k) {
    if (i < c->n) return problem_block(c, i, k)[8];
    const vf *row = problem_row_G(c, i - c->n);
    return k < c->n ? row[3 * k + 2] : row[3 * c->n + k - c->n];
}

/* The mobility of one of them. A normal that has hardly any, beside its contact's tangents, would take so much that it moves all else. */
static inline vf lift_own(const problem *c, int i) {
    if (i >= c->n) return lift_mobility(c, i, i);
    const vf *block = problem_block(c, i, i);
    return vf_max(block[8], vf_set((real)LIFT_LEVER) * (block[0] + block[4]));
}

/* One of them alone: a normal does not shrink, a row stays between its limits. The change of its velocity. */
static inline vf lift_visit(problem *c, int i, vm who) {
    const int m = c->n + c->rows.n, is_row = i >= c->n, r = i - c->n;
    vf *lambda = is_row ? c->rows.lambda + r : c->lambda + 3 * i + 2, w = is_row ? c->rows.c[r] : c->c[3 * i + 2];
    for (int k = 0; k < m; k++)
        if (k != i)
            w = vf_fma(lift_mobility(c, i > k ? i : k, i > k ? k : i), k < c->n ? c->lambda[3 * k + 2] : c->rows.lambda[k - c->n], w);
    const vf zero = vf_zero(), own = lift_own(c, i), low = is_row ? vf_min(c->rows.lo[r], zero) : zero;
    vf wanted = vf_max(w, low);
    if (is_row) wanted = vf_min(wanted, vf_max(c->rows.hi[r], zero));
    const vm has = vm_and(is_row ? problem_has_row(c, r) : problem_has(c, i), vm_gt(own, zero));
    const vf old = *lambda, new = vf_select(has, (wanted - w) / vf_select(has, own, vf_set(1)), zero);
    *lambda = vf_select(who, new, old);
    return own * vf_abs(*lambda - old);
}

/* Lanes in which two bodies touch that no joint connects. */
static vm lift_free(const part *p) {
    const workspace *w = p->w;
    const lane_body *bodies = p->r->bodies;
    vm found = vm_none();
    for (int n = 0; n < w->occupied; n++) {
        const lane_slot *slot = &p->r->slots[w->slot[n]];
        if (slot->other_body >= 0 && bodies[slot->body].tree != bodies[slot->other_body].tree)
            found = vm_or(found, vm_gt(w->slot_active[n], vf_zero()));
    }
    return found;
}

static void lift_solve(const part *p, vm deep) {
    problem *c = &p->w->contact;
    const int m = c->n + c->rows.n;
    const vf settled = vf_set((real)(LIFT_SETTLED * window_deep(p)) * p->per_dt);
    for (int sweep = 0; sweep < LIFT_SWEEPS; sweep++)
        for (int i = 0; i < m; i++) lift_visit(c, i, deep);
    vm who = vm_and(deep, lift_free(p));
    for (int sweep = LIFT_SWEEPS; sweep < LIFT_SWEEPS_FREE && vm_any(who); sweep++) {
        vf most = vf_zero();
        for (int i = 0; i < m; i++) most = vf_max(most, lift_visit(c, i, who));
        who = vm_and(who, vm_gt(most, settled));
    }
}

/* w->push from the answer, in w->z: beside the new velocity, in the lanes `deep`; no dof farther than LIFT_STRIDE, no joint past its
 * limits. */
static void lift_push(const part *p, vm deep, const vf *velocity) {
    const robot *r = p->r;
    workspace *w = p->w;
    vf far = vf_zero(), sum = far;
    for (int k = 0; k < r->nv; k++) far = vf_max(far, vf_abs(w->z[k])), sum = sum + w->z[k];
    const vf per_dt = vf_set(p->per_dt), most = vf_set((real)LIFT_STRIDE * p->per_dt);
    const vf scale = vf_select(vm_gt(far, most), most / far, vf_set(1));
    deep = vm_and(deep, vm_finite(sum)); /* a maximum may lose a NaN */
    for (int k = 0; k < r->nv; k++) w->push[k] = vf_select(deep, vf_fma(scale, w->z[k], velocity[k]), velocity[k]);
    for (int k = 0; k < r->n_joint_rows; k++) {
        const lane_row *row_k = &r->rows[k];
        const stairs s = joint_row_limits(p, k);
        const vf at = field(p, MYR_ROWS_q, row_k->q), own = velocity[row_k->dof], to = w->push[row_k->dof];
        const vf low = vf_min(own, per_dt * (s.lo - at)), high = vf_max(own, per_dt * (s.hi - at));
        w->push[row_k->dof] = vf_select(deep, vf_max(low, vf_min(high, to)), to);
    }
    w->lifted = 1;
}

/* After the new velocity is known. All but w->push is as before. */
static void lift(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    problem *c = &w->contact;
    if (!w->occupied) return;
    const vm deep = lift_deep(p);
    if (!vm_any(deep)) return;
    const aside k = aside_open(p);
    vf *loop_ref = k.row_active + r->n_rows, *loop_lambda = loop_ref + r->n_loop_rows;
    aside_answers(p, &k); /* loops write to them */
    aside_copy(k.z, w->z, r->nv);
    aside_copy(k.lambda, c->lambda, 3 * c->n);
    aside_copy(k.row_lambda, c->rows.lambda, c->rows.n);
    aside_copy(loop_ref, w->loop_ref, r->n_loop_rows);
    aside_copy(loop_lambda, w->loop_lambda, r->n_loop_rows);
    lift_open(p);
    lift_solve(p, deep);
    for (int i = 0; i < r->nv; i++) w->z[i] = vf_zero();
    for (int i = 0; i < r->n_loop_rows; i++) w->loop_ref[i] = vf_zero();
    apply(p);
    lift_push(p, deep, k.z);
    aside_copy(w->z, k.z, r->nv);
    aside_copy(c->lambda, k.lambda, 3 * c->n);
    aside_copy(c->rows.lambda, k.row_lambda, c->rows.n);
    aside_copy(w->loop_ref, loop_ref, r->n_loop_rows);
    aside_copy(w->loop_lambda, loop_lambda, r->n_loop_rows);
    c->residual = k.answers[0], c->residual_ncp = k.answers[1], c->status = k.answers[2], c->iterations = k.answers[3];
    pack_return(p);
}

#endif
