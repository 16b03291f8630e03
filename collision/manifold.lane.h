/* Where two geoms touch: up to MOST_FEATURES points with one normal. Axes of the world, from the centre of the second geom. */
#ifndef MYR_COLLISION_MANIFOLD_LANE_H
#define MYR_COLLISION_MANIFOLD_LANE_H

#include "robot/workspace.lane.h"

enum { MOST_FEATURES = 9 };

typedef struct manifold {
    v3 normal;             /* from the second geom into the first */
    v3 at[MOST_FEATURES];  /* half way between the surfaces */
    vf gap[MOST_FEATURES]; /* > 0 where the lane does not have the feature */
} manifold;

/* One of the two: what it is, its axes in the world (columns of R). */
typedef struct solid {
    const lane_solid *is;
    const vf *R;
} solid;

static inline v3 solid_axis(solid s, int k) { return (v3){s.R[k], s.R[3 + k], s.R[6 + k]}; }

static inline vf vf_clamp(vf x, vf bound) { return vf_min(bound, vf_max(-bound, x)); }
static inline vf vf_sign(vf x) { return vf_select(vm_lt(x, vf_zero()), vf_set(-1), vf_set(1)); }

/* d / |d|, and |d|; `otherwise` where d is too short to point anywhere. */
static inline v3 direction(v3 d, v3 otherwise, vf *length) {
    const vf d2 = v3_dot(d, d);
    const vm long_enough = vm_gt(d2, vf_set((real)1e-30));
    *length = vf_select(long_enough, vf_sqrt(d2), vf_zero());
    return v3_select(long_enough, v3_scale(vf_set(1) / vf_select(long_enough, *length, vf_set(1)), d), otherwise);
}

static inline v3 world_up(void) { return (v3){vf_zero(), vf_zero(), vf_set(1)}; }

/* Feature k: a ball of `radius` around `center`, whose distance from the second geom's surface along the normal is `distance`. */
static inline void touch_ball(manifold *m, int k, v3 center, vf distance, vf radius) {
    m->gap[k] = distance - radius;
    m->at[k] = v3_fma(-(vf_fma(vf_set((real)0.5), m->gap[k], radius)), m->normal, center);
}

#endif
