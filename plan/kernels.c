/* Which lane code a planner runs in: what the library has for the instruction set that steps. */
#include "plan/kernels.h"

#include <stddef.h>
#include <string.h>

#define MYR_BUILT(isa) extern const myr_plan_kernels myr_plan_##isa##_f32;
#include "built_isas.def"
#undef MYR_BUILT

static const myr_plan_kernels *const table[] = {
#define MYR_BUILT(isa) &myr_plan_##isa##_f32,
#include "built_isas.def"
#undef MYR_BUILT
};

const myr_plan_kernels *myr_plan_kernels_get(const char *isa) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (!strcmp(table[i]->isa, isa)) return table[i];
    return NULL;
}
