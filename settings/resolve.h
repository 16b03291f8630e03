/* From settings to the lane code and options they mean. */
#ifndef MYR_SETTINGS_RESOLVE_H
#define MYR_SETTINGS_RESOLVE_H

#include "kernels/kernels.h"
#include "myriapod/settings.h"

/* Checks the settings (myr_settings_check), then asks for their precision and instruction set. Fails as these do. */
myr_status myr_resolve_kernels(const myr_settings *settings, const myr_kernels **kernels);

/* The contact solver's part. `relative` is zero: it belongs to the absolute residuals of a step. */
myr_status myr_resolve_solve(const myr_settings *settings, myr_solve_options *options);

/* The model on what the setting `terrain` says it stands on: itself, or on a map. Free it with myr_model_free. */
myr_status myr_resolve_ground(const myr_settings *settings, const myr_model *model, myr_model **on);

/* Settings vary-* that would have no effect are errors, once task and gains are known (vary.c). */
myr_status myr_check_varied(const myr_step_options *options, const myr_model *model);

#endif
