/* Which lane code the learner runs in: what the library has for the instruction set that steps. */
#include <string.h>

#include "learn/net.h"

#define MYR_BUILT(isa) extern const myr_learn_kernels myr_learn_##isa##_f32;
#include "built_isas.def"
#undef MYR_BUILT

static const myr_learn_kernels *const table[] = {
#define MYR_BUILT(isa) &myr_learn_##isa##_f32,
#include "built_isas.def"
#undef MYR_BUILT
};

const myr_learn_kernels *myr_learn_kernels_get(const char *isa) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (!strcmp(table[i]->isa, isa)) return table[i];
    return NULL;
}
