/* What loading knows of the types of geoms. A type is a file geoms/NAME.c, which ends with its kind, and a line of
 * include/myriapod/geoms.def; collision/geoms.lane.h is the same in lanes. Points and directions are in the geom's own frame. */
#ifndef MYR_MODEL_GEOMS_H
#define MYR_MODEL_GEOMS_H

#include "model.h"

/* What holds a geom. */
typedef struct myr_hold {
    double center[3], half[3];   /* a box along its axes: the middle, half the sides */
    double reach;                /* a ball about that middle: its radius */
    int rod_axis;                /* a capsule about that middle, along this axis: */
    double rod_half, rod_radius; /* half the length of its line, its radius */
    double least;                /* half of its least extent; of points: of that between the planes of its faces */
} myr_hold;

typedef struct myr_geom_kind {
    int n_slots;         /* against a plane; 0: one at each of its points */
    int is_round;        /* a ball of radius size[0] goes along all of its core; else it is all core */
    int is_closed;       /* its distance from a point has a closed form */
    int first_axis;      /* of the box's axes those from this one on may tell that another geom is not near; 3: none, a rod says as much */
    myr_map_slot on_map; /* what it has on a map beside those slots: MYR_SLOT_MIDDLE, MYR_SLOT_SPIKES, or MYR_SLOT_ANYWHERE: nothing */
    void (*hold)(const myr_geom *geom, myr_hold *out);
    void (*farthest)(const myr_geom *geom, const double n[3], double at[3]); /* the point of the core that is farthest along n */
    void (*place)(const myr_geom *geom, int feature, myr_slot *slot);        /* one of its n_slots: `center`, and what a rim has */
} myr_geom_kind;

/* By myr_geom_type. */
extern const myr_geom_kind *const myr_geom_kinds[];
extern const int myr_geom_sizes[];
int myr_geom_exists(int type);
/* What its numbers are, in words. */
const char *myr_geom_meaning(myr_geom_type type);

static inline const myr_geom_kind *myr_kind_of(const myr_geom *geom) { return myr_geom_kinds[geom->type]; }

/* `length` with the sign of `direction`. */
static inline double myr_signed_as(double length, double direction) { return direction < 0.0 ? -length : length; }

/* Of the ball that goes along its core. */
static inline double myr_geom_radius(const myr_geom *geom) { return myr_kind_of(geom)->is_round ? geom->size[0] : 0.0; }

#endif
