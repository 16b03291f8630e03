/* The floating-point environment that the library computes in: round to nearest, subnormals kept, no exception traps. A public function
 * that computes begins with MYR_OWN_ARITHMETIC; what the caller had, sticky flags included, is back when it returns, on every way out.
 * tests/test_floating_point.c calls every public function in a strange environment. */
#ifndef MYR_MODEL_FLOATING_POINT_H
#define MYR_MODEL_FLOATING_POINT_H

#include <stdint.h>

typedef struct myr_fp {
    uint32_t mxcsr;
    int strange;     /* the x87 unit was not as a program starts with it */
    uint32_t x87[7]; /* then: its environment */
} myr_fp;

myr_fp myr_fp_enter(void);
void myr_fp_leave(const myr_fp *saved);

/* Declares, so it stands where declarations stand. */
#define MYR_OWN_ARITHMETIC const myr_fp callers_arithmetic __attribute__((cleanup(myr_fp_leave), unused)) = myr_fp_enter()

#endif
