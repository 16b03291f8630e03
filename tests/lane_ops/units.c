/* The units that this build holds. */
#include "lane_ops.h"

#include <stddef.h>

#define MYR_BUILT(isa) extern const lane_ops_unit lane_ops_##isa##_f64, lane_ops_##isa##_f32;
#include "built_isas.def"
#undef MYR_BUILT

const lane_ops_unit *lane_ops_at(int i) {
    static const lane_ops_unit *const units[] = {
#define MYR_BUILT(isa) &lane_ops_##isa##_f64, &lane_ops_##isa##_f32,
#include "built_isas.def"
#undef MYR_BUILT
    };
    return i < (int)(sizeof units / sizeof *units) ? units[i] : NULL;
}
