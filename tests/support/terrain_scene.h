/* Maps that are generated from profiles, as their tests see them: patches, samples in steps, and truth from worlds2/laws.json. */
#ifndef MYR_TESTS_SUPPORT_TERRAIN_SCENE_H
#define MYR_TESTS_SUPPORT_TERRAIN_SCENE_H

#include <jansson.h>

#include "batch_scene.h"
#include "terrain/terrain.h"

enum { N = 80, SEED = 7 }; /* samples on a side of a profile's patch */
#define STEP 0.005

/* The map of a profile. */
myr_terrain *generated(const char *profile, uint64_t seed);

myr_terrain_patch patch_of(const myr_terrain *t, int level, int column);

/* Sample (i, k) of a patch, in steps. */
static inline int at(const myr_terrain *t, const myr_terrain_patch *p, int i, int k) {
    return t->steps[myr_terrain_at(t, p->i - N / 2 + i, p->k - N / 2 + k)];
}

/* worlds2/laws.json; where it is not there the test is skipped. */
json_t *laws_of_worlds(void);
double law_number(const json_t *of, const char *key);

#endif
