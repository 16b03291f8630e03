/* The types of geoms in lanes: a file each, geoms/NAME.lane.h, and its line of include/myriapod/geoms.def. A type has
 *
 *     NAME_along     at least the most of n x over the geom, |n| at most one: a bound that rules pairs out (bounds.lane.h)
 *     NAME_farthest  the point of its core that is farthest along n (support.lane.h)
 *
 * and a flat one
 *
 *     NAME_flat      the face that looks along n the most, or a line (convex.lane.h)
 *     NAME_distance  of a place outside from its surface, and the normal there (map_spikes.lane.h)
 *
 * all in its own axes, from the middle of the box that holds it. */
#ifndef MYR_COLLISION_GEOMS_LANE_H
#define MYR_COLLISION_GEOMS_LANE_H

#include "geoms/box.lane.h"
#include "geoms/capsule.lane.h"
#include "geoms/cylinder.lane.h"
#include "geoms/hull.lane.h"
#include "geoms/sphere.lane.h"

static inline vf geom_along(const lane_solid *s, v3 n) {
    vf most = vf_zero();
    switch (s->type) {
#define MYR_GEOM(TYPE, name, sizes, meaning)                                                                                               \
    case MYR_GEOM_##TYPE:                                                                                                                  \
        most = name##_along(s, n);                                                                                                         \
        break;
#include "myriapod/geoms.def"
    }
    return most;
}

static v3 geom_farthest(const lane_solid *s, v3 n) {
    v3 at = v3_zero();
    switch (s->type) {
#define MYR_GEOM(TYPE, name, sizes, meaning)                                                                                               \
    case MYR_GEOM_##TYPE:                                                                                                                  \
        at = name##_farthest(s, n);                                                                                                        \
        break;
#include "myriapod/geoms.def"
    }
    return at;
}

/* Of what is round the line of its core. */
static void geom_flat(const lane_solid *s, v3 n, shape_face *out) {
    out->disc = -1;
    switch (s->type) {
#define MYR_FLAT_GEOM(TYPE, name, sizes, meaning)                                                                                          \
    case MYR_GEOM_##TYPE:                                                                                                                  \
        name##_flat(s, n, out);                                                                                                            \
        break;
#include "myriapod/geoms.def"
    default:
        out->n = 2;
        out->normal = n;
        out->corner[0] = (v3){vf_zero(), vf_zero(), vf_set(-s->size[1])};
        out->corner[1] = (v3){vf_zero(), vf_zero(), vf_set(s->size[1])};
        out->area = vm_none();
    }
}

INLINE vf geom_distance(const lane_flat *f, v3 q, v3 *out) {
    vf distance = vf_zero();
    switch (f->type) {
#define MYR_FLAT_GEOM(TYPE, name, sizes, meaning)                                                                                          \
    case MYR_GEOM_##TYPE:                                                                                                                  \
        distance = name##_distance(f, q, out);                                                                                             \
        break;
#include "myriapod/geoms.def"
    default: *out = v3_zero(); /* no other is a lane_flat; gcc wants to be told */
    }
    return distance;
}

#endif
