/* Which lane code the learner runs in: what the library has for the instruction set that steps. */
#include <string.h>

#include "learn/net.h"

#ifdef MYR_WITH_AVX512
extern const myr_learn_kernels myr_learn_avx512_f32;
#endif
#ifdef MYR_WITH_AVX2
extern const myr_learn_kernels myr_learn_avx2_f32;
#endif
#ifdef MYR_WITH_PORTABLE
extern const myr_learn_kernels myr_learn_portable_f32;
#endif

static const myr_learn_kernels *const table[] = {
#ifdef MYR_WITH_AVX512
    &myr_learn_avx512_f32,
#endif
#ifdef MYR_WITH_AVX2
    &myr_learn_avx2_f32,
#endif
#ifdef MYR_WITH_PORTABLE
    &myr_learn_portable_f32,
#endif
};

const myr_learn_kernels *myr_learn_kernels_get(const char *isa) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (!strcmp(table[i]->isa, isa)) return table[i];
    return NULL;
}
