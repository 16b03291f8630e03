/* Where every body is and how it moves, in the world and in the bodies' USER frames: for `sense` and for `eval`. */
#ifndef MYR_DYNAMICS_POSES_LANE_H
#define MYR_DYNAMICS_POSES_LANE_H

#include "dynamics.lane.h"

/* Quaternion (w >= 0 is not asked for) of a rotation matrix: of the four ways the one whose root is largest. */
static inline void matrix_quat(const vf m[9], vf q[4]) {
    const vf one = vf_set(1), half = vf_set((real)0.5);
    vf best = one + m[0] + m[4] + m[8];
    vf x[4] = {best, m[7] - m[5], m[2] - m[6], m[3] - m[1]};
    const vf others[3][4] = {{m[7] - m[5], one + m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6]},
                             {m[2] - m[6], m[1] + m[3], one - m[0] + m[4] - m[8], m[5] + m[7]},
                             {m[3] - m[1], m[2] + m[6], m[5] + m[7], one - m[0] - m[4] + m[8]}};
    for (int k = 0; k < 3; k++) {
        const vm better = vm_gt(others[k][k + 1], best);
        best = vf_select(better, others[k][k + 1], best);
        for (int j = 0; j < 4; j++) x[j] = vf_select(better, others[k][j], x[j]);
    }
    const vf scale = half / vf_sqrt(best);
    for (int j = 0; j < 4; j++) q[j] = x[j] * scale;
}

/* Axes fixed to body i in the world: columns of R0 R `fixed`, whose columns they are in its aligned frame. */
static inline void body_axes(const part *p, int i, const real fixed[9], vf out[9]) {
    const vf *R0 = p->w->R0 + 9 * p->r->bodies[i].tree, *R = p->w->R + 9 * i;
    for (int k = 0; k < 3; k++) {
        const real in_body[3] = {fixed[k], fixed[3 + k], fixed[6 + k]};
        const v3 column = m3_mul(R0, m3_mul(R, v3_uniform(in_body)));
        out[k] = column.x, out[3 + k] = column.y, out[6 + k] = column.z;
    }
}

/* pose: rows (x y z, w x y z), velocity: rows (linear, angular) of body i; `out` maps a row number to its place. */
static inline void body_pose(const part *p, int i, vf out[7]) {
    const lane_body *b = &p->r->bodies[i];
    v3_store(out, v3_add(tree_position(p, b->tree), m3_mul(p->w->R0 + 9 * b->tree, v3_load(p->w->p + 3 * i))));
    vf m[9];
    body_axes(p, i, b->align, m);
    matrix_quat(m, out + 3);
}

/* Velocity of every body in base axes: linear of the origin, angular. `out` is 6 vf per body. */
static void body_velocities(const part *p, vf *out) {
    const robot *r = p->r;
    const workspace *w = p->w;
    for (int i = 0; i < r->n_bodies; i++) {
        const lane_body *b = &r->bodies[i];
        v3 linear = v3_zero(), angular = v3_zero();
        if (b->joint == MYR_JOINT_FREE) {
            linear = v3_load(w->u + b->v), angular = v3_load(w->u + b->v + 3);
        } else {
            if (b->parent >= 0) {
                const vf *up = out + 6 * b->parent;
                angular = v3_load(up + 3);
                linear = v3_cross_add(angular, v3_sub(v3_load(w->p + 3 * i), v3_load(w->p + 3 * b->parent)), v3_load(up));
            }
            for (int k = b->v; k < b->v + b->nv; k++) {
                const v3 axis = v3_load(w->axis + 3 * k);
                if (b->joint == MYR_JOINT_PRISMATIC)
                    linear = v3_fma(w->u[k], axis, linear);
                else
                    angular = v3_fma(w->u[k], axis, angular);
            }
        }
        v3_store(out + 6 * i, linear);
        v3_store(out + 6 * i + 3, angular);
    }
}

#endif
