#include "settings/resolve.h"

#include <string.h>

#include "settings/settings.h"

myr_status myr_resolve_kernels(const myr_settings *settings, const myr_kernels **kernels) {
    const myr_status status = myr_settings_check(settings);
    if (status != MYR_OK) return status;
    return myr_kernels_get(settings->isa, strcmp(settings->precision, "f64") == 0 ? 8 : 4, kernels);
}

myr_status myr_resolve_solve(const myr_settings *settings, myr_solve_options *options) {
    const myr_status status = myr_settings_check(settings);
    if (status != MYR_OK) return status;
    const myr_renamed *renamed = myr_setting_renamed("solver", settings->solver);
    if (myr_renamed_moved(renamed))
        return myr_fail(MYR_E_ARG, "'solver' is '%s', which is now '%s' = '%s': it takes the steps of robots, and no problem without one",
                        renamed->old, renamed->now_key, renamed->now);
    const char *solver = myr_setting_word(settings, "solver");
    for (int i = 0; i < MYR_SOLVER_COUNT; i++) {
        if (strcmp(solver, myr_solvers[i].name) != 0) continue;
        *options = (myr_solve_options){
            .solver = (myr_solver)i,
            .tolerance = settings->tolerance,
            .max_sweeps = settings->max_sweeps ? (int)settings->max_sweeps : myr_solvers[i].sweeps,
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
            .relaxation = settings->relaxation,
            .prox_r = settings->prox_r,
            .prox_zeta = settings->prox_zeta,
            .prox_paper = strcmp(settings->prox_rule, "paper") == 0,
            .admm_rho = settings->admm_rho,
            .admm_eta = settings->admm_eta,
            .admm_relaxation = settings->admm_relaxation,
            .admm_ratio = settings->admm_ratio,
            .admm_power = settings->admm_power,
            .newton_alpha = settings->newton_alpha,
            .exact_search = strcmp(settings->line_search, "exact") == 0,
        };
        return MYR_OK;
    }
    return myr_fail(MYR_E_ARG, "solver is '%s', which this build does not have", settings->solver);
}
