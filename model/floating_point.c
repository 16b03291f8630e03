#include "floating_point.h"

/* How a program starts on x86-64. */
enum { MXCSR = 0x1f80, X87_CONTROL = 0x037f };

/* The x87 unit computes nothing here, but it has a say: the C library reads its rounding mode where it turns text into numbers and back,
 * and a trap may wait in its flags. Saving all of it takes longer than a small step, so only what is strange is saved. */
myr_fp myr_fp_enter(void) {
    myr_fp saved = {0};
    const uint32_t own = MXCSR;
    uint16_t control;
    __asm__ volatile("fnstcw %0" : "=m"(control)::"memory");
    saved.strange = control != X87_CONTROL;
    if (saved.strange) __asm__ volatile("fnstenv %0\n\tfninit" : "=m"(saved.x87)::"memory");
    __asm__ volatile("stmxcsr %0" : "=m"(saved.mxcsr)::"memory");
    __asm__ volatile("ldmxcsr %0" ::"m"(own) : "memory");
    return saved;
}

void myr_fp_leave(const myr_fp *saved) {
    __asm__ volatile("ldmxcsr %0" ::"m"(saved->mxcsr) : "memory");
    if (saved->strange) __asm__ volatile("fldenv %0" ::"m"(saved->x87) : "memory");
}
