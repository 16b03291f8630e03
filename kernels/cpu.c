/* Which lane code may run here: what the processor has AND the operating system saves on a context switch. */
#include <cpuid.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

/* A build may hold some instruction sets alone: cmake/units.cmake defines MYR_WITH_<ISA> for those that it holds. */
#define DECLARE_UNIT(isa) extern const myr_kernels myr_kernels_##isa##_f32, myr_kernels_##isa##_f64
#ifdef MYR_WITH_AVX512
DECLARE_UNIT(avx512);
#define AVX512_UNITS &myr_kernels_avx512_f32, &myr_kernels_avx512_f64
#else
#define AVX512_UNITS NULL, NULL
#endif
#ifdef MYR_WITH_AVX2
DECLARE_UNIT(avx2);
#define AVX2_UNITS &myr_kernels_avx2_f32, &myr_kernels_avx2_f64
#else
#define AVX2_UNITS NULL, NULL
#endif
#ifdef MYR_WITH_PORTABLE
DECLARE_UNIT(portable);
#define PORTABLE_UNITS &myr_kernels_portable_f32, &myr_kernels_portable_f64
#else
#define PORTABLE_UNITS NULL, NULL
#endif

enum { HAS_FMA = 1, HAS_AVX2 = 2, HAS_AVX512 = 4 };

static unsigned long long xcr0(void) {
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (unsigned long long)high << 32 | low;
}

static int detect(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
    const int os_saves = (c >> 27) & 1, fma = (c >> 12) & 1, avx = (c >> 28) & 1;
    if (!os_saves || !avx || (xcr0() & 0x6) != 0x6) return 0;
    int has = fma ? HAS_FMA : 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return has;
    if (fma && ((b >> 5) & 1)) has |= HAS_AVX2;
    const unsigned wanted = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31; /* F, DQ, BW, VL */
    if ((has & HAS_AVX2) && (b & wanted) == wanted && (xcr0() & 0xe6) == 0xe6) has |= HAS_AVX512;
    return has;
}

static const struct {
    const char *name;
    int needs;
    const myr_kernels *f32, *f64; /* NULL: not in this build */
} table[] = {
    {"avx512", HAS_AVX512, AVX512_UNITS},
    {"avx2", HAS_AVX2, AVX2_UNITS},
    {"portable", HAS_FMA, PORTABLE_UNITS}, /* SLEEF's same-bits functions need FMA */
};
enum { TABLE_SIZE = sizeof table / sizeof table[0] };

static int machine_has(int has, int i) { return (has & table[i].needs) == table[i].needs; }

int myr_isa_present(const char *isa) {
    const int has = detect();
    for (int i = 0; i < TABLE_SIZE; i++)
        if (!strcmp(isa, table[i].name)) return table[i].f32 && machine_has(has, i);
    return 0;
}

const myr_kernels *myr_kernels_any(void) {
    int i = 0;
    while (!table[i].f32) i++; /* a build without units is refused (cmake/units.cmake) */
    return table[i].f32;
}

myr_status myr_kernels_get(const char *isa, int precision, const myr_kernels **out) {
    *out = NULL;
    if (precision != 4 && precision != 8) return myr_fail(MYR_E_ARG, "precision %d: 4 or 8 bytes", precision);
    const char *forced = getenv("MYRIAPOD_ISA");
    const char *wish = isa && *isa ? isa : "auto";
    if (!strcmp(wish, "auto") && forced && *forced) wish = forced;
    const int has = detect();
    for (int i = 0; i < TABLE_SIZE; i++) {
        const int here = machine_has(has, i);
        if (strcmp(wish, "auto") ? !strcmp(wish, table[i].name) : here && table[i].f32) {
            if (!table[i].f32)
                return myr_fail(MYR_E_ISA, "instruction set \"%s\": this library was built without it (MYRIAPOD_UNITS)", wish);
            if (!here)
                return myr_fail(MYR_E_ISA, "instruction set \"%s\": this processor or operating system lacks %s", wish,
                                table[i].needs == HAS_AVX512 ? "AVX-512 (F, DQ, BW, VL)"
                                : table[i].needs == HAS_AVX2 ? "AVX2 with FMA"
                                                             : "FMA, which the math library's same-bits functions need");
            *out = precision == 4 ? table[i].f32 : table[i].f64;
            return MYR_OK;
        }
    }
    if (!strcmp(wish, "auto"))
        return myr_fail(MYR_E_ISA,
                        "no lane code for this processor: FMA is needed even by the portable one, and this library may hold fewer "
                        "instruction sets than all (MYRIAPOD_UNITS)");
    return myr_fail(MYR_E_ARG, "instruction set \"%s\": auto, avx512, avx2 or portable", wish);
}
