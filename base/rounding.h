/* Loading gives the same bits whatever rounding or flush-to-zero mode the caller has set; the caller gets it back. */
#ifndef MYR_BASE_ROUNDING_H
#define MYR_BASE_ROUNDING_H

#include <fenv.h>

static inline void myr_rounding_enter(fenv_t *saved) {
    fegetenv(saved);
    fesetenv(FE_DFL_ENV);
}

static inline void myr_rounding_leave(const fenv_t *saved) { fesetenv(saved); }

#endif
