/* What a planner may be asked for. */
#include "plan/planner.h"

void myr_plan_options_default(myr_plan_options *options) {
    if (!options) return;
    *options = (myr_plan_options){.steps = 20,
                                  .knots = 6,
                                  .spline = MYR_SPLINE_LINEAR,
                                  .iterations = 1,
                                  .update = MYR_UPDATE_MPPI,
                                  .elites = 16,
                                  .temperature = 0.1,
                                  .fade_iteration = 0.5,
                                  .fade_horizon = 1,
                                  .least_sigma = 0.01,
                                  .seed = 1};
}

static const char CALL[] = "myr_planner_create";

static myr_status whole(const char *name, int64_t value, int64_t least, int64_t most) {
    if (value >= least && value <= most) return MYR_OK;
    return myr_fail(MYR_E_ARG, "%s: %s is %lld, but must be between %lld and %lld", CALL, name, (long long)value, (long long)least,
                    (long long)most);
}

/* `open`: the least value itself is out. */
static myr_status real(const char *name, double value, double least, int open, double most) {
    if (value <= most && (open ? value > least : value >= least)) return MYR_OK; /* not a number is neither */
    return myr_fail(MYR_E_ARG, "%s: %s is %g, but must be %s %g and at most %g", CALL, name, value, open ? "above" : "at least", least,
                    most);
}

#define WANT(check)                                                                                                                        \
    do {                                                                                                                                   \
        const myr_status status_ = (check);                                                                                                \
        if (status_ != MYR_OK) return status_;                                                                                             \
    } while (0)

myr_status myr_plan_options_check(const myr_plan_options *o, int64_t samples) {
    WANT(whole("steps", o->steps, 1, MYR_PLAN_STEPS));
    WANT(whole("knots", o->knots, 1, MYR_PLAN_KNOTS));
    WANT(whole("spline", (int)o->spline, MYR_SPLINE_HOLD, MYR_SPLINE_CUBIC));
    WANT(whole("iterations", o->iterations, 1, 1000));
    WANT(whole("update", (int)o->update, MYR_UPDATE_MPPI, MYR_UPDATE_CEM));
    if (o->update == MYR_UPDATE_CEM) WANT(whole("elites", o->elites, 1, samples < MYR_PLAN_ELITES ? samples : MYR_PLAN_ELITES));
    WANT(real("temperature", o->temperature, 0, 1, 1e6));
    WANT(real("fade_iteration", o->fade_iteration, 0, 0, 10));
    WANT(real("fade_horizon", o->fade_horizon, 0, 0, 10));
    WANT(real("least_sigma", o->least_sigma, 0, 0, 1e6));
    WANT(whole("keep_sigma", o->keep_sigma, 0, 1));
    return whole("keep_first", o->keep_first, 0, 1);
}
