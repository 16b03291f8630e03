#include "resolve.h"

#include <string.h>

static myr_status check_filled(const myr_settings *settings) {
    if (!settings) return myr_fail(MYR_E_ARG, "settings is NULL; start from myr_settings_default()");
    if (settings->cookie != myr_settings_default().cookie)
        return myr_fail(MYR_E_ARG, "settings was not filled by myr_settings_default() of this library version");
    return MYR_OK;
}

myr_status myr_resolve_kernels(const myr_settings *settings, const myr_kernels **kernels) {
    const myr_status filled = check_filled(settings);
    if (filled != MYR_OK) return filled;
    int bytes = 0;
    if (strcmp(settings->precision, "f32") == 0) bytes = 4;
    if (strcmp(settings->precision, "f64") == 0) bytes = 8;
    if (!bytes) return myr_fail(MYR_E_ARG, "precision is `%.*s`; it may be f32 or f64", MYR_NAME_LENGTH, settings->precision);
    return myr_kernels_get(settings->isa, bytes, kernels);
}

/* Of the keys of a solve, the first whose number lies outside its range in settings.def; NULL: all are fine. */
static const char *key_out_of_range(const myr_settings *settings) {
#define MYR_SETTING_INT(field, key, value, low, high, doc)                                                                                 \
    if (settings->field < (low) || settings->field > (high)) return key;
#define MYR_SETTING_REAL(field, key, value, low, high, doc)                                                                                \
    if (!(settings->field >= (low) && settings->field <= (high))) return key;
#define MYR_SETTING_WORD(field, key, value, choices, doc)
#include "myriapod/settings.def"
#undef MYR_SETTING_INT
#undef MYR_SETTING_REAL
#undef MYR_SETTING_WORD
    return NULL;
}

myr_status myr_resolve_solve(const myr_settings *settings, myr_solve_options *options) {
    static const struct {
        const char *word;
        myr_solver solver;
    } solvers[] = {{"bisection", MYR_SOLVER_BISECTION}, {"bisection-paper", MYR_SOLVER_BISECTION_PAPER}, {"pgs", MYR_SOLVER_PGS}};
    const myr_status filled = check_filled(settings);
    if (filled != MYR_OK) return filled;
    const char *key = key_out_of_range(settings);
    if (key) return myr_fail(MYR_E_ARG, "the setting `%s` is out of its range", key);
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
        if (strcmp(settings->solver, solvers[i].word) != 0) continue;
        *options = (myr_solve_options){
            .solver = solvers[i].solver,
            .tolerance = settings->tolerance,
            .relative = 0,
            .max_sweeps = (int)settings->max_sweeps,
            .slip_steps = (int)settings->slip_steps,
            .warm_start = (int)settings->warm_start,
            .alpha = settings->alpha,
            .alpha_min = settings->alpha_min,
            .gamma = settings->gamma,
            .pgs_alpha = settings->pgs_alpha,
            .beta1 = settings->beta1,
            .beta2 = settings->beta2,
            .beta3 = settings->beta3,
            .slip_tolerance = settings->slip_tolerance,
        };
        return MYR_OK;
    }
    return myr_fail(MYR_E_ARG, "solver is `%.*s`; it may be bisection, bisection-paper or pgs", MYR_NAME_LENGTH, settings->solver);
}
