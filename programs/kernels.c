/* Which lane code a program runs in. */
#include <string.h>

#include "programs/program.h"

#define MYR_BUILT(isa) extern const myr_program_kernels myr_programs_##isa##_f32, myr_programs_##isa##_f64;
#include "built_isas.def"
#undef MYR_BUILT

static const myr_program_kernels *const table[] = {
#define MYR_BUILT(isa) &myr_programs_##isa##_f32, &myr_programs_##isa##_f64,
#include "built_isas.def"
#undef MYR_BUILT
};

const myr_program_kernels *myr_program_kernels_get(const char *isa, int precision) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i]->precision == precision && !strcmp(table[i]->isa, isa)) return table[i];
    return NULL;
}
