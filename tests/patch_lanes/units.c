/* The units that this build holds. */
#include "patch_lanes.h"

#include <stddef.h>

#define MYR_BUILT(isa) extern const patch_unit patch_lanes_##isa##_f64, patch_lanes_##isa##_f32;
#include "built_isas.def"
#undef MYR_BUILT

const patch_unit *patch_unit_at(int i) {
    static const patch_unit *const units[] = {
#define MYR_BUILT(isa) &patch_lanes_##isa##_f64, &patch_lanes_##isa##_f32,
#include "built_isas.def"
#undef MYR_BUILT
    };
    return i < (int)(sizeof units / sizeof *units) ? units[i] : NULL;
}
