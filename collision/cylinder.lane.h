/* A sphere against a cylinder, in the cylinder's axes. */
#ifndef MYR_COLLISION_CYLINDER_LANE_H
#define MYR_COLLISION_CYLINDER_LANE_H

#include "round.lane.h"

/* Outside: the way from what is nearest of the solid cylinder. A centre inside leaves through the cap or the side, whichever is nearer; on
 * the axis, along x. */
static void sphere_cylinder(solid a, solid b, v3 d, vm near, vf reach, manifold *m) {
    (void)near, (void)reach;
    const vf zero = vf_zero(), one = vf_set(1), r = vf_set(b.is->size[0]), h = vf_set(b.is->size[1]);
    const v3 x = m3_mul_t(b.R, d);
    vf aside;
    const v3 side = direction((v3){x.x, x.y, zero}, (v3){one, zero, zero}, &aside);
    const vf beyond = vf_max(aside - r, zero), over = x.z - vf_clamp(x.z, h), up = vf_sign(x.z);
    const vf to_side = r - aside, to_cap = h - vf_abs(x.z);
    const vm by_cap = vm_lt(to_cap, to_side);
    const v3 inside = {vf_select(by_cap, zero, side.x), vf_select(by_cap, zero, side.y), vf_select(by_cap, up, zero)};
    vf distance;
    const v3 local = direction((v3){beyond * side.x, beyond * side.y, over}, inside, &distance);
    m->normal = m3_mul(b.R, local);
    touch_ball(m, 0, d, vf_select(vm_gt(distance, zero), distance, -vf_min(to_cap, to_side)), vf_set(a.is->size[0]));
}

#endif
