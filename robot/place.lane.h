/* Where things of the model are: constants of it beside lanes, the base of a tree. */
#ifndef MYR_ROBOT_PLACE_LANE_H
#define MYR_ROBOT_PLACE_LANE_H

#include "workspace.lane.h"

/* A constant matrix (9 scalars) times a lane vector. */
static inline v3 uniform_mul(const real m[9], v3 a) {
    return (v3){vf_fma(vf_set(m[0]), a.x, vf_fma(vf_set(m[1]), a.y, vf_set(m[2]) * a.z)),
                vf_fma(vf_set(m[3]), a.x, vf_fma(vf_set(m[4]), a.y, vf_set(m[5]) * a.z)),
                vf_fma(vf_set(m[6]), a.x, vf_fma(vf_set(m[7]), a.y, vf_set(m[8]) * a.z))};
}

/* Position of a body's tree in the world: that of a floating root, else the origin. */
static inline v3 tree_position(const part *p, int tree) {
    const lane_body *root = &p->r->bodies[p->r->tree_root[tree]];
    if (root->joint != MYR_JOINT_FREE) return v3_zero();
    return (v3){field(p, MYR_ROWS_q, root->q), field(p, MYR_ROWS_q, root->q + 1), field(p, MYR_ROWS_q, root->q + 2)};
}

#endif
