/* Making a planner, and what is asked of its plan. */
#include "plan/planner.h"

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "machine/machine.h"
#include "plan/spline.h"

/* ---- memory ------------------------------------------------------------------------------------------------------------ */

/* One array of the planner, counted; *fits falls to 0 where there is no room. */
static void *array(myr_planner *p, size_t count, size_t size, int *fits) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 4 || p->bytes > SIZE_MAX / 4) *fits = 0;
    if (!*fits) return NULL;
    void *memory = myr_allocate(bytes ? bytes : 1, 64);
    if (!memory) *fits = 0;
    p->bytes += bytes;
    return memory;
}

static size_t up(size_t bytes) { return (bytes + 63) / 64 * 64; }

static size_t action_bytes(const myr_planner *p) { return up((size_t)(p->options.steps * p->actions) * MYR_PLAN_LANES * sizeof(float)); }
static size_t step_count(const myr_planner *p) { return (size_t)p->options.steps * MYR_PLAN_LANES; }
static size_t terms_bytes(const myr_planner *p) { return p->terminal ? up(step_count(p) * (size_t)p->terms * sizeof(double)) : 0; }

myr_plan_room myr_plan_room_of(const myr_planner *p, int worker) {
    char *at = p->rooms + (size_t)worker * p->room_bytes;
    const size_t rewards = up(step_count(p) * sizeof(double)), flags = up(step_count(p));
    myr_plan_room room = {.action = (float *)(void *)at};
    at += action_bytes(p);
    room.reward = (double *)(void *)at, at += rewards;
    room.terminated = (uint8_t *)at, at += flags;
    room.truncated = (uint8_t *)at, at += flags;
    room.terms = p->terminal ? (double *)(void *)at : NULL;
    return room;
}

static int allocate(myr_planner *p, int has_terminal) {
    const myr_plan_options *o = &p->options;
    const size_t one = sizeof(double), count = (size_t)p->count, actions = (size_t)p->actions, knots = (size_t)o->knots;
    const size_t envs = (size_t)(p->batch->tiles * p->batch->layout.lanes), tiles = (size_t)p->batch->tiles;
    int fits = 1;
    p->plan = array(p, count, one, &fits), p->sigma = array(p, count, one, &fits);
    p->spread = array(p, count, one, &fits), p->next = array(p, count, one, &fits);
    p->lower = array(p, actions, one, &fits), p->upper = array(p, actions, one, &fits);
    p->weights = array(p, knots, one, &fits);
    p->cost = array(p, envs, one, &fits), p->weight = array(p, envs, one, &fits);
    p->elite = array(p, o->update == MYR_UPDATE_CEM ? (size_t)o->elites : 0, sizeof(int64_t), &fits);
    p->sums = array(p, 2 * count * MYR_PLAN_LANES, one, &fits);
    p->start.rows = array(p, (size_t)p->batch->layout.rows, one, &fits);
    p->mean = array(p, count, sizeof(float), &fits), p->drawn = array(p, count, sizeof(float), &fits);
    p->low = array(p, actions, sizeof(float), &fits), p->high = array(p, actions, sizeof(float), &fits);
    p->basis = array(p, (size_t)o->steps * knots, sizeof(float), &fits);
    p->knots = array(p, tiles * count * MYR_PLAN_LANES, sizeof(float), &fits);
    p->chosen = array(p, count * MYR_PLAN_LANES, sizeof(float), &fits);
    if (has_terminal) p->terminal = array(p, (size_t)p->terms, one, &fits);
    const size_t flags = up(step_count(p));
    p->room_bytes =
        (action_bytes(p) + up(step_count(p) * one) + 2 * flags + terms_bytes(p) + 4095) / 4096 * 4096; /* no two workers in a page */
    p->rooms = array(p, (size_t)p->batch->team->threads, p->room_bytes, &fits);
    return fits;
}

void myr_planner_destroy(myr_planner *p) {
    if (!p) return;
    void *const all[] = {p->plan, p->sigma,  p->spread, p->next,  p->lower,      p->upper,    p->weights,
                         p->cost, p->weight, p->elite,  p->sums,  p->start.rows, p->mean,     p->drawn,
                         p->low,  p->high,   p->basis,  p->knots, p->chosen,     p->terminal, p->rooms};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) myr_release(all[k]);
    myr_release(p);
}

size_t myr_planner_bytes(const myr_planner *p) { return p ? p->bytes : 0; }

/* ---- making ------------------------------------------------------------------------------------------------------------- */

static double within(double x, double lower, double upper) { return x < lower ? lower : x > upper ? upper : x; }

static myr_status take_arrays(myr_planner *p, const double *sigma, const double *lower, const double *upper, const double *terminal) {
    const char *call = "myr_planner_create";
    for (int j = 0; j < p->count; j++) {
        if (!(sigma[j] >= 0 && sigma[j] <= 1e6))
            return myr_fail(MYR_E_ARG, "%s: sigma of knot %d, action %d, is %g, but must be between 0 and 1e6", call, j / p->actions,
                            j % p->actions, sigma[j]);
        p->sigma[j] = sigma[j];
    }
    for (int u = 0; u < p->actions; u++) {
        p->lower[u] = lower ? lower[u] : -INFINITY, p->upper[u] = upper ? upper[u] : INFINITY;
        if (!(p->lower[u] <= p->upper[u]) || p->lower[u] == INFINITY || p->upper[u] == -INFINITY)
            return myr_fail(MYR_E_ARG, "%s: action %d lies between lower %g and upper %g", call, u, p->lower[u], p->upper[u]);
        p->low[u] = (float)p->lower[u], p->high[u] = (float)p->upper[u];
    }
    for (int k = 0; terminal && k < p->terms; k++) {
        if (!isfinite(terminal[k])) return myr_fail(MYR_E_ARG, "%s: terminal, term %d, is not finite", call, k);
        p->terminal[k] = terminal[k];
    }
    for (int j = 0; j < p->count; j++) p->plan[j] = within(0, p->lower[j % p->actions], p->upper[j % p->actions]);
    for (int t = 0; t < p->options.steps; t++) {
        myr_spline_at(&p->options, t, p->weights);
        for (int k = 0; k < p->options.knots; k++) p->basis[t * p->options.knots + k] = (float)p->weights[k];
    }
    return MYR_OK;
}

myr_status myr_planner_create(const myr_plan_options *options, myr_batch *batch, const double *sigma, const double *lower,
                              const double *upper, const double *terminal, myr_planner **out) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_planner_create";
    if (!out) return myr_fail(MYR_E_ARG, "%s: out is NULL", call);
    *out = NULL;
    if (!options || !sigma) return myr_fail(MYR_E_ARG, "%s: %s is NULL", call, options ? "sigma" : "options");
    myr_status status = myr_batch_check(batch, call);
    if (status == MYR_OK) status = myr_act_check(batch, &(myr_act){.type = MYR_F64}, call);
    if (status == MYR_OK) status = myr_plan_options_check(options, batch->envs);
    if (status == MYR_OK && batch->envs == 0) status = myr_fail(MYR_E_ARG, "%s: the batch has no environments", call);
    if (status != MYR_OK) return status;
    myr_planner *p = myr_allocate(sizeof *p, 64);
    if (!p) return myr_fail(MYR_E_MEMORY, "%s: no memory", call);
    p->options = *options, p->batch = batch, p->bytes = sizeof *p, p->samples = batch->envs;
    p->actions = batch->layout.task.actions, p->terms = batch->layout.task.terms, p->count = options->knots * p->actions;
    p->kernels = myr_plan_kernels_get(batch->kernels->isa);
    if (!p->kernels)
        status = myr_fail(MYR_E_ISA, "%s: this library has no planner for the instruction set '%s'", call, batch->kernels->isa);
    else if (!allocate(p, terminal != NULL))
        status = myr_fail(MYR_E_MEMORY, "%s: no memory for %lld samples of %d numbers", call, (long long)p->samples, p->count);
    else
        status = take_arrays(p, sigma, lower, upper, terminal);
    if (status != MYR_OK) {
        myr_planner_destroy(p);
        return status;
    }
    *out = p;
    return MYR_OK;
}

/* ---- the plan ----------------------------------------------------------------------------------------------------------- */

double *myr_planner_knots(myr_planner *p) { return p ? p->plan : NULL; }
double *myr_planner_sigma(myr_planner *p) { return p ? p->sigma : NULL; }
const double *myr_planner_costs(const myr_planner *p) { return p ? p->cost : NULL; }

/* Action u of a spline's weights. */
static double blend(const myr_planner *p, const double *weights, int u) {
    double x = 0;
    for (int k = 0; k < p->options.knots; k++) x += weights[k] * p->plan[k * p->actions + u];
    return within(x, p->lower[u], p->upper[u]);
}

static myr_status want_step(const myr_planner *p, const char *call, double step, double least, const void *out) {
    if (!p || !out) return myr_fail(MYR_E_ARG, "%s: %s is NULL", call, p ? "action" : "planner");
    if (!(step >= least && step <= 1e9))
        return myr_fail(MYR_E_ARG, "%s: the control step is %g, but must be between %g and 1e9", call, step, least);
    return MYR_OK;
}

myr_status myr_planner_control(const myr_planner *p, double control_step, double *action) {
    MYR_OWN_ARITHMETIC;
    const myr_status status = want_step(p, "myr_planner_control", control_step, -1e9, action);
    if (status != MYR_OK) return status;
    myr_spline_at(&p->options, control_step, p->weights);
    for (int u = 0; u < p->actions; u++) action[u] = blend(p, p->weights, u);
    return MYR_OK;
}

myr_status myr_planner_shift(myr_planner *p, double control_steps) {
    MYR_OWN_ARITHMETIC;
    const myr_status status = want_step(p, "myr_planner_shift", control_steps, 0, p);
    if (status != MYR_OK) return status;
    for (int k = 0; k < p->options.knots; k++) {
        myr_spline_at_knot(&p->options, k, control_steps, p->weights);
        for (int u = 0; u < p->actions; u++) p->next[k * p->actions + u] = blend(p, p->weights, u);
    }
    memcpy(p->plan, p->next, (size_t)p->count * sizeof *p->plan);
    return MYR_OK;
}
