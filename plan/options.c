/* What a planner may be asked for. */
#include "base/want.h"
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

myr_status myr_plan_options_check(const myr_plan_options *o, int64_t samples) {
    WANT(myr_want_whole(CALL, "steps", o->steps, 1, MYR_PLAN_STEPS));
    WANT(myr_want_whole(CALL, "knots", o->knots, 1, MYR_PLAN_KNOTS));
    WANT(myr_want_whole(CALL, "spline", (int)o->spline, MYR_SPLINE_HOLD, MYR_SPLINE_CUBIC));
    WANT(myr_want_whole(CALL, "iterations", o->iterations, 1, 1000));
    WANT(myr_want_whole(CALL, "update", (int)o->update, MYR_UPDATE_MPPI, MYR_UPDATE_CEM));
    if (o->update == MYR_UPDATE_CEM)
        WANT(myr_want_whole(CALL, "elites", o->elites, 1, samples < MYR_PLAN_ELITES ? samples : MYR_PLAN_ELITES));
    WANT(myr_want_real(CALL, "temperature", o->temperature, 0, 1, 1e6));
    WANT(myr_want_real(CALL, "fade_iteration", o->fade_iteration, 0, 0, 10));
    WANT(myr_want_real(CALL, "fade_horizon", o->fade_horizon, 0, 0, 10));
    WANT(myr_want_real(CALL, "least_sigma", o->least_sigma, 0, 0, 1e6));
    WANT(myr_want_whole(CALL, "keep_sigma", o->keep_sigma, 0, 1));
    return myr_want_whole(CALL, "keep_first", o->keep_first, 0, 1);
}
