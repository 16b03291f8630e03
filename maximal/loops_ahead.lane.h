/* By how much a step opens each row of the loops, from the increments of the bodies: a difference of two gaps would be the rounding of
 * their places, over dt more than any tolerance. */
#ifndef MYR_MAXIMAL_LOOPS_AHEAD_LANE_H
#define MYR_MAXIMAL_LOOPS_AHEAD_LANE_H

#include "increments.lane.h"
#include "constraints/loops.lane.h"

/* How an end of a loop moves: its anchor and its axes, in the axes in which both ends are compared. */
typedef struct loop_move {
    v3 x, axes[3];
} loop_move;

static inline loop_move loop_end_moves(const part *p, const lane_loop *loop, int e, const loop_end *end) {
    const int i = loop->body[e];
    loop_move move = {v3_zero(), {v3_zero(), v3_zero(), v3_zero()}};
    if (i < 0) return move;
    const robot *r = p->r;
    const int tree = r->bodies[i].tree;
    const maximal_workspace *mw = maximal_of(p);
    const quat t = quat_load(mw->turned + 4 * i);
    const v3 lever = v3_sub(end->x, v3_load(p->w->p + 3 * i));
    v3 x = v3_add(v3_load(mw->shift + 3 * i), quat_moves(t, lever));
    if (loop->across && r->tree_floating[tree]) /* what increments leave out */
        x = v3_fma(vf_set(p->dt), v3_load(p->w->u + r->bodies[r->tree_root[tree]].v), x);
    move.x = loop_out(p, loop, e, x);
    for (int k = 0; k < 3; k++) move.axes[k] = loop_out(p, loop, e, quat_moves(t, v3_load(end->axes + 3 * k)));
    return move;
}

/* The three rows of the anchors: axes . apart, both of which change. */
static void loop_gap_opens(const part *p, const lane_loop *loop, const loop_end ends[2], const loop_move moves[2], vf *out) {
    const v3 apart = loop_gap(p, loop, ends), opens = v3_sub(moves[0].x, moves[1].x), after = v3_add(apart, opens);
    for (int k = 0; k < 3; k++) {
        const v3 axis = loop_out(p, loop, 0, v3_load(ends[0].axes + 3 * k));
        out[k] = v3_dot(axis, opens) + v3_dot(moves[0].axes[k], after);
    }
}

/* The rows of the turn. Of loops that are nearly closed by what the entries of the relative rotation change; others are far enough from it
 * for a difference. */
static v3 loop_turn_opens(const part *p, const lane_loop *loop, const loop_end ends[2], const loop_move moves[2]) {
    vf change[9]; /* of row i: the second end's axis i along the first's axes */
    loop_end after[2];
    for (int e = 0; e < 2; e++)
        for (int k = 0; k < 3; k++) {
            const v3 axis = loop_out(p, loop, e, v3_load(ends[e].axes + 3 * k));
            v3_store(after[e].axes + 3 * k, v3_add(axis, moves[e].axes[k]));
        }
    for (int i = 0; i < 3; i++) {
        const v3 second = loop_out(p, loop, 1, v3_load(ends[1].axes + 3 * i));
        for (int k = 0; k < 3; k++)
            change[3 * i + k] = v3_dot(moves[1].axes[i], v3_load(after[0].axes + 3 * k)) + v3_dot(second, moves[0].axes[k]);
    }
    lane_loop same = *loop;
    same.across = 0; /* `after` is in the common axes already */
    const v3 was = loop_turn(p, loop, ends), is = loop_turn(p, &same, after), plain = v3_sub(is, was);
    const vf size2 = vf_max(v3_dot(was, was), v3_dot(is, is));
    const vm near = vm_lt(size2, vf_set((real)1e-4));
    if (loop->type == MYR_LOOP_REVOLUTE) return v3_select(near, (v3){change[7], -change[6], vf_zero()}, plain);
    const vf half = vf_set((real)0.5), w = vf_sqrt(vf_set(1) - vf_set((real)0.25) * v3_dot(is, is)), scale = half / w;
    return v3_select(near, v3_scale(scale, (v3){change[7] - change[5], change[2] - change[6], change[3] - change[1]}), plain);
}

/* Of a coupling: sum of terms less the polynomial, whose difference is d times a sum. */
static vf coupling_opens(const part *p, const lane_loop *loop, const vf *u) {
    const real *c = loop->polynomial;
    const vf dt = vf_set(p->dt), zero = vf_zero();
    vf sum = zero;
    for (int i = 0; i < loop->n_terms; i++) sum = vf_fma(vf_set(loop->term[i].coefficient), dt * u[loop->term[i].dof], sum);
    if (loop->driver.q < 0) return sum;
    const vf x = field(p, MYR_ROWS_q, loop->driver.q), d = dt * u[loop->driver.dof], y = x + d;
    vf power = vf_set(1), slope = zero, below = vf_set(1); /* power: (y^k - x^k) / d, the next of which is y times it and x^k */
    for (int k = 1; k <= 4; k++) {
        slope = vf_fma(vf_set(c[k]), power, slope);
        below = below * x;
        power = vf_fma(y, power, below);
    }
    return vf_fnma(d, slope, sum);
}

/* The present increments are those of the velocities u. */
static void loops_open_by(const part *p, const vf *u, vf *out) {
    for (const lane_loop *loop = p->r->loops, *last = loop + p->r->n_loops; loop < last; loop++) {
        vf *to = out + loop->first;
        const vf length = vf_set(loop->length);
        if (loop->type == MYR_LOOP_COUPLING) {
            to[0] = length * coupling_opens(p, loop, u);
            continue;
        }
        const loop_end ends[2] = {loop_end_at(p, loop, 0), loop_end_at(p, loop, 1)};
        const loop_move moves[2] = {loop_end_moves(p, loop, 0, &ends[0]), loop_end_moves(p, loop, 1, &ends[1])};
        loop_gap_opens(p, loop, ends, moves, to);
        if (loop->n <= 3) continue;
        const v3 turns = loop_turn_opens(p, loop, ends, moves);
        const vf angles[3] = {turns.x, turns.y, turns.z};
        for (int k = 3; k < loop->n; k++) to[k] = length * angles[k - 3];
    }
}

#endif
