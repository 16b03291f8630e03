/* What slides over maps, rolls and falls on them: shapes, the foot of the ANYmal that ships, maps by a law
 * (tests/collision/test_map_slides.c, _falls.c). */
#ifndef MYR_TESTS_SUPPORT_SLIDE_SCENE_H
#define MYR_TESTS_SUPPORT_SLIDE_SCENE_H

#include "batch_scene.h"

enum { SIDE = 161 }; /* samples on a side of its maps */
#define CELL 0.1

typedef double height_law(double x, double y);
/* Heights by a law, the middle sample at x = y = 0. */
myr_terrain *map_of(height_law *law, int columns);

typedef struct thing {
    const char *name, *geom;
    double height; /* of its centre over what it lies on [m]; 0: rest_height says it */
} thing;
enum { ROLLS = 3, BOX = ROLLS, CYLINDER, THINGS = ROLLS + 4 }; /* balls come first */
extern thing things[THINGS];

/* Puts the ball and the mass of the link LF_FOOT of robots/anymal.urdf among the things: before anything else. */
void read_foot(void);

/* The thing on a map, so many times. */
myr_batch *batch_on(const thing *t, double friction, myr_terrain *terrain, const myr_settings *settings, int64_t envs);
/* The height of its origin where it lies flat: of a hull, whose origin is its centre of mass, seen from the model. */
double rest_height(const thing *t);

#endif
