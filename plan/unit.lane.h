/* What a unit of the planner holds. */
#include "plan/knots.lane.h"

const myr_plan_kernels MYR_UNIT(myr_plan) = {
    .isa = MYR_ISA_NAME,
    .draw = plan_draw,
    .spread = plan_spread,
};
