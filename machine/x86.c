/* x86-64. */
#include <cpuid.h>
#include <string.h>
#include <x86intrin.h>

#include "machine/machine.h"

/* ---- instruction sets ---------------------------------------------------------------------------- */

enum { HAS_FMA = 1, HAS_AVX2 = 2, HAS_AVX512 = 4 };

static const struct {
    const char *isa;
    int needs;
} needs[] = {
    {"avx512", HAS_AVX512}, {"avx2", HAS_AVX2}, {"portable", HAS_FMA}, /* SLEEF's same-bits functions need FMA */
};

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

int myr_machine_runs(const char *isa) {
    const int has = detect();
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (!strcmp(isa, needs[i].isa)) return (has & needs[i].needs) == needs[i].needs;
    return 0;
}

/* ---- counter ------------------------------------------------------------------------------------- */

uint64_t myr_ticks(void) { return __rdtsc(); }

/* ---- floating-point environment ------------------------------------------------------------------ */

/* How a program starts on x86-64. */
enum { MXCSR = 0x1f80, X87_CONTROL = 0x037f };

/* The x87 unit computes nothing here, but it has a say: the C library reads its rounding mode where it turns text into numbers and back,
 * and a trap may wait in its flags. Saving all of it takes longer than a small step, so only what is strange is saved: more[0] says that
 * it was, and the other seven words hold its environment. */
myr_fp myr_fp_enter(void) {
    myr_fp saved = {0};
    const uint32_t own = MXCSR;
    uint16_t control;
    __asm__ volatile("fnstcw %0" : "=m"(control)::"memory");
    saved.more[0] = control != X87_CONTROL;
    if (saved.more[0]) __asm__ volatile("fnstenv %0\n\tfninit" : "=m"(*(uint32_t(*)[7]) & saved.more[1])::"memory");
    __asm__ volatile("stmxcsr %0" : "=m"(saved.control)::"memory");
    __asm__ volatile("ldmxcsr %0" ::"m"(own) : "memory");
    return saved;
}

void myr_fp_leave(const myr_fp *saved) {
    __asm__ volatile("ldmxcsr %0" ::"m"(saved->control) : "memory");
    if (saved->more[0]) __asm__ volatile("fldenv %0" ::"m"(*(const uint32_t(*)[7]) & saved->more[1]) : "memory");
}
