/* What a ball meets on a map (field.lane.h, pillars.lane.h). */
#ifndef MYR_COLLISION_MAP_TOUCH_H
#define MYR_COLLISION_MAP_TOUCH_H

#include "kernels/lane.h"

/* An edge wins over a face where it is nearer by more than rounding: else it would, now and then, on a plane. Of 4.6 million balls on 144
 * leaning planes none is then off by more than 1.1e-7; without the margin 360 normals are, by up to 5e-4. */
#define MAP_MARGIN (MYR_DOUBLE ? 1 - 0x1p-46 : 1 - 0x1p-18)
/* A second face counts where its normal is more than 20 degrees off the first: square of the cosine. */
#define MAP_APART 0.883
#define MAP_FAR 1e30 /* the square of a distance, and nothing is there */

typedef struct map_touch {
    v3 normal;   /* out of the ground */
    vf distance; /* of the ball's centre from the surface, below 0 under it [m] */
    vm flat;     /* on a face: its plane goes through `corner` */
    v3 corner;   /* [m], from the origin */
} map_touch;

/* Lanes where two normals are so far apart that both count. */
INLINE vm map_apart(v3 a, v3 b) {
    const vf c = v3_dot(a, b);
    return vm_or(vm_lt(c, vf_zero()), vm_lt(c * c, vf_set((real)MAP_APART)));
}

#endif
