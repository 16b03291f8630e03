/* The types of geoms, as include/myriapod/geoms.def lists them. */
#include "geoms.h"

enum {
#define MYR_GEOM(TYPE, name, sizes, meaning) PLACE_##TYPE,
#include "myriapod/geoms.def"
};
#define MYR_GEOM(TYPE, name, sizes, meaning)                                                                                               \
    _Static_assert((int)PLACE_##TYPE == (int)MYR_GEOM_##TYPE, "geoms.def and myr_geom_type have one order");
#include "myriapod/geoms.def"

#define MYR_GEOM(TYPE, name, sizes, meaning) extern const myr_geom_kind myr_geom_##name;
#include "myriapod/geoms.def"

const myr_geom_kind *const myr_geom_kinds[] = {
#define MYR_GEOM(TYPE, name, sizes, meaning) [MYR_GEOM_##TYPE] = &myr_geom_##name,
#include "myriapod/geoms.def"
};

const int myr_geom_sizes[] = {
#define MYR_GEOM(TYPE, name, sizes, meaning) [MYR_GEOM_##TYPE] = sizes,
#include "myriapod/geoms.def"
};

int myr_geom_exists(int type) { return type >= 0 && type < (int)(sizeof myr_geom_kinds / sizeof *myr_geom_kinds); }

const char *myr_geom_meaning(myr_geom_type type) {
    static const char *const meanings[] = {
#define MYR_GEOM(TYPE, name, sizes, meaning) [MYR_GEOM_##TYPE] = meaning,
#include "myriapod/geoms.def"
    };
    return meanings[type];
}
