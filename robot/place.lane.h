/* Where things of the model are: constants of it beside lanes, the base of a tree, the corner of a cylinder. */
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

/* May a slot of this body touch the ground in some lane? `at`: centre of the ball that holds them, base frame. Where not,
 * each would be found inactive in every lane: what is added is more than rounding can make of their heights. */
static inline int body_low(const part *p, const lane_body *b, v3 at, vf reach) {
    const vf z = tree_position(p, b->tree).z, scale = vf_abs(z) + vf_abs(at.x) + vf_abs(at.y) + vf_abs(at.z);
    const vf over =
        z - vf_set((real)p->options->ground) + v3_dot(v3_load(p->w->R0 + 9 * b->tree + 6), at) - vf_set((real)1.0001 * b->ball_radius);
    const vm high = vm_gt(vf_fnma(vf_set((real)1e-5), scale, over), reach);
    return vm_any(vm_andnot(vm_from_bits(p->alive), high)); /* no number: low */
}

/* Where the ball of a cylinder's slot is, in the body's axes, in which `up` points up (model/model.h). */
static v3 rim_point(const lane_slot *slot, v3 up) {
    const v3 axis = v3_uniform(slot->axis), center = v3_uniform(slot->center), side = v3_uniform(slot->side);
    const vf lean = v3_dot(axis, up), half = vf_set((real)0.5), third = vf_set((real)0.86602540378443865);
    const v3 across = v3_fma(-lean, axis, up); /* of length sine of the lean */
    const vf sine2 = v3_dot(across, across), upright = vf_set((real)(MYR_RIM_UPRIGHT * MYR_RIM_UPRIGHT));
    const vm leans = vm_gt(sine2, upright);
    const v3 down = v3_select(leans, v3_scale(vf_set(-1) / vf_sqrt(vf_select(leans, sine2, vf_set(1))), across), side);
    const vf radius = vf_set(slot->rim_radius);
    if (slot->rim == MYR_RIM_CAP) return v3_fma(radius, down, center);
    const vf to_cap = vf_select(vm_gt(lean, vf_zero()), vf_set(-slot->half), vf_set(slot->half));
    const v3 aside = v3_scale(slot->rim == MYR_RIM_LEFT ? third : -third, v3_cross(axis, down));
    return v3_fma(radius, v3_fma(-half, down, aside), v3_fma(to_cap, axis, center));
}

#endif
