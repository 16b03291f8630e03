/* From settings to the lane code and options they mean; refuses what settings.def does not allow. */
#ifndef MYR_BATCH_RESOLVE_H
#define MYR_BATCH_RESOLVE_H

#include "kernels/kernels.h"
#include "myriapod/settings.h"

/* MYR_E_ARG for NULL, a struct that myr_settings_default did not fill, or an unknown precision; MYR_E_ISA as
 * myr_kernels_get. */
myr_status myr_resolve_kernels(const myr_settings *settings, const myr_kernels **kernels);

/* The contact solver's part. MYR_E_ARG names the key whose value is out of range. `relative` is set to zero: it
 * belongs to the absolute residuals of a step. */
myr_status myr_resolve_solve(const myr_settings *settings, myr_solve_options *options);

#endif
