/* What a unit of programs holds. */
#include <string.h>

#include "programs/run.lane.h"

const myr_program_kernels MYR_UNIT(myr_programs) = {
    .isa = MYR_ISA_NAME,
    .lanes = VN,
    .precision = (int)sizeof(real),
    .open = program_open,
    .run = program_run,
    .load = program_load,
    .store = program_store,
};
