/* A capsule in lanes: its core is a line. */
#ifndef MYR_COLLISION_GEOMS_CAPSULE_LANE_H
#define MYR_COLLISION_GEOMS_CAPSULE_LANE_H

#include "geom.lane.h"

static inline vf capsule_along(const lane_solid *s, v3 n) { return vf_fma(vf_set(s->size[1]), vf_abs(n.z), vf_set(s->size[0])); }

static inline v3 capsule_farthest(const lane_solid *s, v3 n) { return (v3){vf_zero(), vf_zero(), vf_sign(n.z) * vf_set(s->size[1])}; }

#endif
