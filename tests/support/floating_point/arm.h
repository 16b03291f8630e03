/* Strange floating-point environments of AArch64: FPCR, control, and FPSR, the sticky flags. Most of its processors cannot trap. */
#include <stdint.h>
#include <stdio.h>

typedef struct environment {
    const char *name;
    uint64_t control, flags;
} environment;

enum { ROUND_UP = 1 << 22, ROUND_DOWN = 2 << 22, FLUSH = 1 << 24, DEFAULT_NAN = 1 << 25, OVERFLOW = 4 };
static const environment environments[] = {
    {"the default", 0, 0},
    {"rounding up, subnormals flushed", ROUND_UP | FLUSH, 0},
    {"default NaNs", DEFAULT_NAN, 0},
    {"rounding down, an old overflow", ROUND_DOWN | FLUSH | DEFAULT_NAN, OVERFLOW},
};

static void put_environment(const environment *e) {
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(e->control), "r"(e->flags) : "memory");
}

static void end_traps(void) {}

/* Is it what `e` was? The default is in force when it returns; text: what differs. */
static int environment_is(const environment *e, char *text, size_t room) {
    uint64_t control, flags;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(flags)::"memory");
    put_environment(&environments[0]);
    snprintf(text, room, "FPCR 0x%08llx, was 0x%08llx; FPSR 0x%08llx, was 0x%08llx", (unsigned long long)control,
             (unsigned long long)e->control, (unsigned long long)flags, (unsigned long long)e->flags);
    return control == e->control && flags == e->flags;
}
