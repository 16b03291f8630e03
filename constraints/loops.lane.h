/* Loops and couplings of joints: how far open they are, and the rows of their Jacobian as Y = L^-T J^T.
 *
 * The rows of a loop are taken along its own axes, which turn with its first body: three for the distance of the anchors, then up to three
 * for the turn of the one end against the other, times the loop's length so that they count in metres. Dofs above both ends move both
 * alike: their columns of J are zero, those of Y are not. A coupling has one row, with an entry for each of its joints. */
#ifndef MYR_CONSTRAINTS_LOOPS_LANE_H
#define MYR_CONSTRAINTS_LOOPS_LANE_H

#include "dynamics/poses.lane.h"

static inline vf *loop_y(const part *p, int k) { return p->w->loop_Y + k * p->r->nv; }

/* Where one end of a loop is. */
typedef struct loop_end {
    v3 x;       /* anchor, base frame of its tree; of the world: world frame */
    vf axes[9]; /* the loop's axes as the end has them, base axes: one after the other */
} loop_end;

static inline loop_end loop_end_at(const part *p, const lane_loop *loop, int e) {
    loop_end end;
    const v3 at = v3_uniform(loop->at[e]);
    if (loop->body[e] < 0) {
        end.x = at;
        UNROLL for (int k = 0; k < 9; k++) end.axes[k] = vf_set(loop->axes[e][k]);
        return end;
    }
    const vf *R = p->w->R + 9 * loop->body[e];
    end.x = v3_add(v3_load(p->w->p + 3 * loop->body[e]), m3_mul(R, at));
    UNROLL for (int k = 0; k < 9; k += 3) v3_store(end.axes + k, m3_mul(R, v3_uniform(loop->axes[e] + k)));
    return end;
}

/* Base axes of the end's tree -> the axes in which both ends are compared: the tree's own, or the world's. */
static inline v3 loop_out(const part *p, const lane_loop *loop, int e, v3 a) {
    if (!loop->across || loop->body[e] < 0) return a;
    return m3_mul(p->w->R0 + 9 * p->r->bodies[loop->body[e]].tree, a);
}

/* Anchor of the first end less that of the second. */
static inline v3 loop_gap(const part *p, const lane_loop *loop, const loop_end ends[2]) {
    const v3 apart = v3_sub(loop_out(p, loop, 0, ends[0].x), loop_out(p, loop, 1, ends[1].x));
    if (!loop->across) return apart;
    const v3 first = tree_position(p, p->r->bodies[loop->body[0]].tree);
    const v3 second = loop->body[1] < 0 ? v3_zero() : tree_position(p, p->r->bodies[loop->body[1]].tree);
    return v3_add(v3_sub(first, second), apart);
}

/* The turn of the first end against the second, about the loop's axes: twice the sine of half the angle; of a revolute loop the tilt. */
static inline v3 loop_turn(const part *p, const lane_loop *loop, const loop_end ends[2]) {
    vf first[9], relative[9], q[4];
    UNROLL for (int k = 0; k < 9; k += 3) v3_store(first + k, loop_out(p, loop, 0, v3_load(ends[0].axes + k)));
    for (int i = 0; i < 3; i++) { /* row i: the second end's axis i along the first's axes */
        const v3 second = loop_out(p, loop, 1, v3_load(ends[1].axes + 3 * i));
        for (int k = 0; k < 3; k++) relative[3 * i + k] = v3_dot(second, v3_load(first + 3 * k));
    }
    if (loop->type == MYR_LOOP_REVOLUTE) { /* z' x z, along the first's axes: z' the second end's third axis */
        const v3 across = {relative[7], -relative[6], vf_zero()};
        const vm flipped = vm_lt(relative[8], vf_zero());
        if (!vm_any(flipped)) return across;
        /* more than a right angle: an axis that points the other way is not closed */
        const vf size = vf_sqrt(v3_dot(across, across));
        const vm small = vm_not(vm_gt(size, vf_set((real)1e-3)));
        const vf far = (vf_set(2) - size) / vf_select(small, vf_set(1), size);
        const v3 about = v3_select(small, (v3){vf_set(2), vf_zero(), vf_zero()}, v3_scale(far, across));
        return v3_select(flipped, about, across);
    }
    matrix_quat(relative, q);
    const vf two = vf_select(vm_lt(q[0], vf_zero()), vf_set(-2), vf_set(2));
    return (v3){two * q[1], two * q[2], two * q[3]};
}

/* sum of terms less the polynomial; *slope: the polynomial's. */
static inline vf coupling_gap(const part *p, const lane_loop *loop, vf *slope) {
    const real *c = loop->polynomial;
    const vf x = loop->driver.q < 0 ? vf_zero() : field(p, MYR_ROWS_q, loop->driver.q);
    vf value = vf_set(c[4]), rate = vf_set(4 * c[4]);
    for (int k = 3; k >= 0; k--) value = vf_fma(value, x, vf_set(c[k]));
    for (int k = 3; k >= 1; k--) rate = vf_fma(rate, x, vf_set((real)k * c[k]));
    vf sum = vf_zero();
    for (int i = 0; i < loop->n_terms; i++) sum = vf_fma(vf_set(loop->term[i].coefficient), field(p, MYR_ROWS_q, loop->term[i].q), sum);
    *slope = rate;
    return sum - value;
}

/* ---- the Jacobian ------------------------------------------------------------------------------- */

/* What the dofs above one end, and not above both, do to the rows. axes: in base axes of the end's tree. */
static void loop_arm(const part *p, const lane_loop *loop, int e, const vf axes[9], v3 x) {
    const robot *r = p->r;
    const workspace *w = p->w;
    const vf sign = vf_set(e ? -1 : 1), turning = vf_set((real)(e ? -1 : 1) * loop->length);
    for (int i = loop->body[e]; i >= 0 && r->bodies[i].depth >= loop->common; i = r->bodies[i].parent) {
        const lane_body *b = &r->bodies[i];
        const v3 arm = v3_sub(x, v3_load(w->p + 3 * i));
        for (int k = 0; k < b->nv; k++) {
            const int linear = dof_is_linear(b, k), free = b->joint == MYR_JOINT_FREE;
            const real unit[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
            const v3 axis = free ? v3_uniform(unit) : v3_load(w->axis + 3 * (b->v + k)), moved = linear ? axis : v3_cross(axis, arm);
            for (int row = 0; row < loop->n; row++) {
                const v3 along = v3_load(axes + 3 * (row % 3));
                const vf entry = row < 3 ? sign * v3_dot(along, moved) : linear ? vf_zero() : turning * v3_dot(along, axis);
                loop_y(p, loop->first + row)[b->v + k] = entry;
            }
        }
    }
}

/* Both bodies at the second end's anchor: what acts there on the one acts there on the other, however far open the loop is, and this is the
 * rate at which the gap changes as the first body sees it. apart: of the anchors, as loop_gap has it. */
static void loop_jacobian(const part *p, const lane_loop *loop, const loop_end ends[2], v3 apart) {
    const robot *r = p->r;
    const v3 back = loop->across ? m3_mul_t(p->w->R0 + 9 * r->bodies[loop->body[0]].tree, apart) : apart;
    loop_arm(p, loop, 0, ends[0].axes, v3_sub(ends[0].x, back));
    if (loop->body[1] < 0) return;
    vf axes[9];
    memcpy(axes, ends[0].axes, sizeof axes);
    for (int k = 0; k < 9 && loop->across; k += 3)
        v3_store(axes + k, m3_mul_t(p->w->R0 + 9 * r->bodies[loop->body[1]].tree, loop_out(p, loop, 0, v3_load(ends[0].axes + k))));
    loop_arm(p, loop, 1, axes, ends[1].x);
}

static void coupling_jacobian(const part *p, const lane_loop *loop, vf slope) {
    vf *y = loop_y(p, loop->first);
    const vf length = vf_set(loop->length);
    for (int i = 0; i < loop->n_terms; i++) y[loop->term[i].dof] = vf_set(loop->length * loop->term[i].coefficient);
    if (loop->driver.q >= 0) y[loop->driver.dof] = -(length * slope);
}

/* y <- L^-T y for all rows of a loop, tips to roots. */
static void loop_back_substitute(const part *p, const lane_loop *loop) {
    const robot *r = p->r;
    const vf *M = p->w->M;
    for (int k = loop->path_length - 1; k >= 0; k--) {
        const int d = loop->path[k], *above = r->dof_path[d];
        const vf *l = M + r->m_row[d];
        for (int e = 0; e < r->dof_depth[d]; e++)
            for (int row = 0; row < loop->n; row++) {
                vf *y = loop_y(p, loop->first + row);
                y[above[e]] = vf_fnma(l[e], y[d], y[above[e]]);
            }
    }
}

/* ---- all of them -------------------------------------------------------------------------------- */

/* w->loop_gap: how far open each row is, scaled; w->loop_error: the largest error of any loop, not scaled [m, rad]. With `rows` w->loop_Y,
 * too. Bodies are where kinematics has put them. */
static inline __attribute__((always_inline)) void loops_look(const part *p, const int rows) {
    const robot *r = p->r;
    workspace *w = p->w;
    vf worst = vf_zero();
    for (int k = 0; rows && k < r->n_loop_rows * r->nv; k++) w->loop_Y[k] = vf_zero();
    for (const lane_loop *loop = r->loops, *end = loop + r->n_loops; loop < end; loop++) {
        vf *gap = w->loop_gap + loop->first, slope;
        const vf length = vf_set(loop->length);
        if (loop->type == MYR_LOOP_COUPLING) {
            const vf open = coupling_gap(p, loop, &slope);
            gap[0] = length * open;
            worst = vf_max(worst, vf_abs(open));
            if (rows) coupling_jacobian(p, loop, slope);
        } else {
            const loop_end ends[2] = {loop_end_at(p, loop, 0), loop_end_at(p, loop, 1)};
            const v3 apart = loop_gap(p, loop, ends);
            for (int k = 0; k < 3; k++) gap[k] = v3_dot(loop_out(p, loop, 0, v3_load(ends[0].axes + 3 * k)), apart);
            worst = vf_max(worst, vf_sqrt(v3_dot(apart, apart)));
            if (loop->n > 3) {
                const v3 twist = loop_turn(p, loop, ends);
                const vf angles[3] = {twist.x, twist.y, twist.z};
                for (int k = 3; k < loop->n; k++) gap[k] = length * angles[k - 3];
                worst = vf_max(worst, vf_sqrt(v3_dot(twist, twist)));
            }
            if (rows) loop_jacobian(p, loop, ends, apart);
        }
        if (rows) loop_back_substitute(p, loop);
    }
    w->loop_error = vf_select(vm_from_bits(p->alive), worst, vf_zero());
}

#endif
