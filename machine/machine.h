/* What depends on the architecture of the processor, lanes aside: which instruction sets run, the counter, and the floating-point
 * environment. x86.c and arm.c each hold all three; a build compiles one of them (cmake/isas.cmake). */
#ifndef MYR_MACHINE_MACHINE_H
#define MYR_MACHINE_MACHINE_H

#include <stdint.h>

/* Whether the processor has the instruction set AND the operating system saves its registers on a context switch. The names are those of
 * kernels/isas.def; of another architecture's the answer is 0. */
int myr_machine_runs(const char *isa);

/* A counter that runs at a constant rate on every core. */
uint64_t myr_ticks(void);

/* The library computes in a floating-point environment of its own: round to nearest, subnormals kept, no exception traps. A public
 * function that computes begins with MYR_OWN_ARITHMETIC; what the caller had, sticky flags included, is back when it returns, on every
 * way out. tests/promises/test_floating_point.c calls every public function in a strange environment. */
typedef struct myr_fp {
    uint32_t control;
    uint32_t more[8]; /* what else the architecture has to give back */
} myr_fp;

myr_fp myr_fp_enter(void);
void myr_fp_leave(const myr_fp *saved);

/* Declares, so it stands where declarations stand. */
#define MYR_OWN_ARITHMETIC const myr_fp callers_arithmetic __attribute__((cleanup(myr_fp_leave), unused)) = myr_fp_enter()

#endif
