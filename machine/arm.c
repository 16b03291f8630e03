/* AArch64. */
#include <string.h>

#include "machine/machine.h"

/* Advanced SIMD and a fused multiply-add are part of every AArch64 processor that a Linux program sees. */
int myr_machine_runs(const char *isa) { return !strcmp(isa, "neon") || !strcmp(isa, "portable"); }

/* The virtual counter: its rate is CNTFRQ_EL0, a good deal below the processor's clock. */
uint64_t myr_ticks(void) {
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

/* FPCR holds rounding, flushing of subnormals, default NaNs and traps; a program starts with 0. FPSR holds the sticky flags. */
myr_fp myr_fp_enter(void) {
    myr_fp saved = {0};
    uint64_t control, flags;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(flags)::"memory");
    __asm__ volatile("msr fpcr, %0" ::"r"(UINT64_C(0)) : "memory");
    saved.control = (uint32_t)control;
    saved.more[0] = (uint32_t)flags;
    return saved;
}

void myr_fp_leave(const myr_fp *saved) {
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"((uint64_t)saved->control), "r"((uint64_t)saved->more[0]) : "memory");
}
