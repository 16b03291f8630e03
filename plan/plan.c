/* A plan: drawn, rolled out, judged and updated; and samples that are looked at again. */
#include <math.h>
#include <string.h>

#include "batch/legal.h"
#include "machine/machine.h"
#include "plan/planner.h"

/* ---- an iteration ------------------------------------------------------------------------------------------------------- */

static size_t knots_of_tile(const myr_planner *p) { return (size_t)p->count * MYR_PLAN_LANES; }

static void plan_tiles(void *context, int worker) {
    const myr_planner *p = context;
    const myr_batch *b = p->batch;
    const int64_t end = myr_batch_first_tile(b, worker + 1);
    for (int64_t t = myr_batch_first_tile(b, worker); t < end; t++) {
        float *knots = p->knots + (size_t)t * knots_of_tile(p);
        const myr_plan_draw draw = {.count = p->count,
                                    .actions = p->actions,
                                    .mean = p->mean,
                                    .sigma = p->drawn,
                                    .lower = p->low,
                                    .upper = p->high,
                                    .first = b->metas[t].global_id,
                                    .seed = p->options.seed,
                                    .number = p->draws};
        p->kernels->draw(&draw, knots);
        myr_plan_roll(p, worker, t, p->cost + t * b->layout.lanes, NULL, NULL);
    }
}

/* What sigma of knot k is drawn with in iteration i. CEM's next sigma is the deviation of samples that were drawn by these factors: they
 * come in once. */
static double drawn_sigma(const myr_planner *p, int i, int k, double sigma) {
    const myr_plan_options *o = &p->options;
    const int cem = o->update == MYR_UPDATE_CEM;
    if (o->keep_first && k == 0) return 0;
    if (cem && i > 0) return fmax(o->least_sigma, sigma * o->fade_iteration);
    for (int n = 0; n < i; n++) sigma *= o->fade_iteration;
    if (cem && o->keep_sigma) return sigma;
    for (int n = k + 1; n < o->knots; n++) sigma *= o->fade_horizon;
    return sigma;
}

/* The plan and its noise as lanes take them. */
static void open_iteration(const myr_planner *p, int i) {
    for (int j = 0; j < p->count; j++) {
        p->mean[j] = (float)p->plan[j];
        p->drawn[j] = (float)drawn_sigma(p, i, j / p->actions, p->spread[j]);
    }
}

/* What the caller may have written. */
static myr_status check_plan(const myr_planner *p, const char *call) {
    for (int j = 0; j < p->count; j++) {
        if (!isfinite((float)p->plan[j])) /* which lanes take */
            return myr_fail(MYR_E_ARG, "%s: the plan's knot %d, action %d, is not finite", call, j / p->actions, j % p->actions);
        if (!(p->sigma[j] >= 0 && p->sigma[j] <= 1e6))
            return myr_fail(MYR_E_ARG, "%s: sigma of knot %d, action %d, is %g, but must be between 0 and 1e6", call, j / p->actions,
                            j % p->actions, p->sigma[j]);
    }
    return MYR_OK;
}

/* All samples have the robot's parameters: one lane is judged for all of them. */
static void judge_start(myr_planner *p) {
    const myr_batch *b = p->batch;
    if (p->start.judged) return;
    memcpy(myr_batch_tile(b, 0), p->begin, b->layout.tile_bytes);
    myr_plan_start_meta(&p->start, b, &b->metas[0]);
    const myr_tile_job job = myr_batch_job(b, 0);
    myr_judge_parameters(&b->model, &b->layout, job.options, myr_batch_tile(b, 0), &b->metas[0], 1u);
    p->start.judged = b->metas[0].quarantine[0] == MYR_HEALTHY;
}

myr_status myr_planner_plan(myr_planner *p, myr_plan_report *report) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_planner_plan";
    if (!p) return myr_fail(MYR_E_ARG, "%s: planner is NULL", call);
    myr_status status = myr_batch_check(p->batch, call);
    if (status == MYR_OK && !p->start.known)
        status = myr_fail(MYR_E_STATE, "%s: where the robot is, is not known (myr_planner_start)", call);
    if (status == MYR_OK) status = check_plan(p, call);
    if (status != MYR_OK) return status;
    const double start = myr_now_s();
    myr_plan_report r = {0};
    double rollout_s = 0;
    judge_start(p);
    if (p->options.spline == MYR_SPLINE_HOLD) myr_plan_spread_basis(p); /* which shifts moved */
    memcpy(p->spread, p->sigma, (size_t)p->count * sizeof *p->sigma);
    for (int i = 0; i < p->options.iterations; i++) {
        open_iteration(p, i);
        const double began = myr_now_s();
        myr_batch_timed(p->batch, plan_tiles, p);
        rollout_s += myr_now_s() - began;
        p->draws++;
        myr_plan_update_by(p, &r);
    }
    if (p->options.update == MYR_UPDATE_CEM && p->options.keep_sigma) memcpy(p->sigma, p->spread, (size_t)p->count * sizeof *p->sigma);
    r.rollout_s = rollout_s, r.wall_s = myr_now_s() - start;
    if (report) *report = r;
    return MYR_OK;
}

/* ---- its samples -------------------------------------------------------------------------------------------------------- */

static const float *sample_knots(const myr_planner *p, int64_t sample) {
    const int lanes = p->batch->layout.lanes;
    return p->knots + (size_t)(sample / lanes) * knots_of_tile(p) + sample % lanes;
}

static myr_status want_samples(const myr_planner *p, const char *call, const int64_t *samples, int64_t n) {
    if (!p) return myr_fail(MYR_E_ARG, "%s: planner is NULL", call);
    if (!p->draws) return myr_fail(MYR_E_STATE, "%s: no plan was made yet", call);
    if (n < 0 || (n > 0 && !samples))
        return myr_fail(MYR_E_ARG, "%s: n is %lld, samples %s", call, (long long)n, samples ? "given" : "NULL");
    for (int64_t i = 0; i < n; i++)
        if (samples[i] < 0 || samples[i] >= p->samples)
            return myr_fail(MYR_E_ARG, "%s: sample %lld is not one of 0 .. %lld", call, (long long)samples[i], (long long)p->samples - 1);
    return MYR_OK;
}

myr_status myr_planner_sample(const myr_planner *p, int64_t sample, double *knots) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_planner_sample";
    const myr_status status = want_samples(p, call, &sample, 1);
    if (status != MYR_OK) return status;
    if (!knots) return myr_fail(MYR_E_ARG, "%s: knots is NULL", call);
    for (int j = 0; j < p->count; j++) knots[j] = (double)sample_knots(p, sample)[j * MYR_PLAN_LANES];
    return MYR_OK;
}

typedef struct replay_run {
    const myr_planner *planner;
    int64_t tile;
    double *costs, *states, *terms;
} replay_run;

static void replay_tile(void *context, int worker) {
    const replay_run *run = context;
    if (worker == 0) myr_plan_roll(run->planner, 0, run->tile, run->costs, run->states, run->terms);
}

/* A sample goes its way once more in its own lane, as what a task draws belongs to that; neighbours come along. */
static myr_status replay(myr_planner *p, const char *call, const int64_t *samples, int64_t n, double *states, double *terms,
                         double *costs) {
    myr_status status = want_samples(p, call, samples, n);
    if (status == MYR_OK) status = myr_batch_check(p->batch, call);
    if (status != MYR_OK) return status;
    const size_t row = (size_t)p->options.steps * (size_t)(p->batch->model.nq + p->batch->model.nv);
    const size_t paid = (size_t)p->options.steps * (size_t)p->terms;
    double cost[MYR_PLAN_LANES];
    replay_run run = {p, -1, cost, states ? p->shown : NULL, terms ? p->told : NULL};
    for (int64_t i = 0; i < n; i++) {
        const int64_t tile = samples[i] / p->batch->layout.lanes, lane = samples[i] % p->batch->layout.lanes;
        if (tile != run.tile) {
            run.tile = tile;
            myr_batch_timed(p->batch, replay_tile, &run);
        }
        if (states) memcpy(states + (size_t)i * row, p->shown + (size_t)lane * row, row * sizeof *states);
        if (terms) memcpy(terms + (size_t)i * paid, p->told + (size_t)lane * paid, paid * sizeof *terms);
        if (costs) costs[i] = cost[lane];
    }
    return MYR_OK;
}

myr_status myr_planner_replay(myr_planner *p, const int64_t *samples, int64_t n, double *states, double *costs) {
    MYR_OWN_ARITHMETIC;
    return replay(p, "myr_planner_replay", samples, n, states, NULL, costs);
}

myr_status myr_planner_terms(myr_planner *p, const int64_t *samples, int64_t n, double *terms) {
    MYR_OWN_ARITHMETIC;
    return replay(p, "myr_planner_terms", samples, n, NULL, terms, NULL);
}
