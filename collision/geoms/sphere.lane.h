/* A ball in lanes: its core is its centre. */
#ifndef MYR_COLLISION_GEOMS_SPHERE_LANE_H
#define MYR_COLLISION_GEOMS_SPHERE_LANE_H

#include "geom.lane.h"

static inline vf sphere_along(const lane_solid *s, v3 n) {
    (void)n;
    return vf_set(s->size[0]);
}

static inline v3 sphere_farthest(const lane_solid *s, v3 n) {
    (void)s, (void)n;
    return v3_zero();
}

#endif
