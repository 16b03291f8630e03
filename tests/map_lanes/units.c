/* The units that this build holds. */
#include "map_lanes.h"

#include <stddef.h>

#define MYR_BUILT(isa) extern const map_unit map_lanes_##isa##_f64, map_lanes_##isa##_f32;
#include "built_isas.def"
#undef MYR_BUILT

const map_unit *map_unit_at(int i) {
    static const map_unit *const units[] = {
#define MYR_BUILT(isa) &map_lanes_##isa##_f64, &map_lanes_##isa##_f32,
#include "built_isas.def"
#undef MYR_BUILT
    };
    return i < (int)(sizeof units / sizeof *units) ? units[i] : NULL;
}
