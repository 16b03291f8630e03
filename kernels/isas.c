/* Which instruction sets there are, which this library holds, and which may run here. */
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "machine/machine.h"
#include "myriapod/machine.h"

static const myr_isa_info isas[] = {
#define MYR_ISA(name, bits, needs) {#name, needs, bits, 0, 0},
#include "kernels/isas.def"
#undef MYR_ISA
};
enum { ISAS = sizeof isas / sizeof isas[0] };

/* built_isas.def is written by cmake/units.cmake: a line MYR_BUILT(name) for each that MYRIAPOD_UNITS asks for, in the order of isas.def.
 */
#define MYR_BUILT(isa) extern const myr_kernels myr_kernels_##isa##_f32, myr_kernels_##isa##_f64;
#include "built_isas.def"
#undef MYR_BUILT
static const struct {
    const char *isa;
    const myr_kernels *f32, *f64;
} built[] = {
#define MYR_BUILT(isa) {#isa, &myr_kernels_##isa##_f32, &myr_kernels_##isa##_f64},
#include "built_isas.def"
#undef MYR_BUILT
};
enum { BUILT = sizeof built / sizeof built[0] };

/* Where `isa` is among those of this library, -1: nowhere. */
static int place(const char *isa) {
    for (int i = 0; i < BUILT; i++)
        if (!strcmp(isa, built[i].isa)) return i;
    return -1;
}

const char *myr_isa_name(int index) { return index >= 0 && index < ISAS ? isas[index].name : NULL; }

int myr_isa_present(const char *isa) { return place(isa) >= 0 && myr_machine_runs(isa); }

static const myr_isa_info *find(const char *isa) {
    for (int i = 0; i < ISAS; i++)
        if (!strcmp(isa, isas[i].name)) return &isas[i];
    return NULL;
}

/* "auto, avx512, avx2, .." */
static myr_status unknown(const char *isa) {
    static const char names[] = "auto"
#define MYR_ISA(name, bits, needs) ", " #name
#include "kernels/isas.def"
#undef MYR_ISA
        ;
    return myr_fail(MYR_E_ARG, "instruction set \"%.80s\": it may be %s", isa, names);
}

myr_status myr_isa_get(const char *name, myr_isa_info *info) {
    MYR_OWN_ARITHMETIC;
    if (!name || !info) return myr_fail(MYR_E_ARG, "myr_isa_get: %s is NULL", name ? "info" : "name");
    const myr_isa_info *known = find(name);
    if (!known) return unknown(name);
    *info = *known;
    info->built = place(name) >= 0;
    info->present = myr_isa_present(name);
    return MYR_OK;
}

const myr_kernels *myr_kernels_any(void) { return built[0].f32; } /* a build without units is refused (cmake/units.cmake) */

myr_status myr_kernels_get(const char *isa, int precision, const myr_kernels **out) {
    *out = NULL;
    if (precision != 4 && precision != 8) return myr_fail(MYR_E_ARG, "precision %d: 4 or 8 bytes", precision);
    const char *forced = getenv("MYRIAPOD_ISA");
    const char *wish = isa && *isa ? isa : "auto";
    if (!strcmp(wish, "auto") && forced && *forced) wish = forced;
    int at = 0;
    if (strcmp(wish, "auto")) {
        const myr_isa_info *known = find(wish);
        if (!known) return unknown(wish);
        at = place(wish);
        if (at < 0) return myr_fail(MYR_E_ISA, "instruction set \"%s\": this library was built without it (MYRIAPOD_UNITS)", wish);
        if (!myr_machine_runs(wish))
            return myr_fail(MYR_E_ISA, "instruction set \"%s\": this processor or operating system lacks %s", wish, known->needs);
    } else {
        while (at < BUILT && !myr_machine_runs(built[at].isa)) at++;
        if (at == BUILT)
            return myr_fail(MYR_E_ISA,
                            "no lane code for this processor: FMA is needed even by the portable one, and this library may hold fewer "
                            "instruction sets than all (MYRIAPOD_UNITS)");
    }
    *out = precision == 4 ? built[at].f32 : built[at].f64;
    return MYR_OK;
}
