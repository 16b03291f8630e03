/* Making a planner, and what is asked of its plan. */
#include "plan/planner.h"

#include <math.h>
#include <string.h>

#include "base/counted.h"
#include "kernels/kernels.h"
#include "machine/machine.h"
#include "plan/spline.h"

/* ---- memory ------------------------------------------------------------------------------------------------------------ */

static size_t up(size_t bytes) { return (bytes + 63) / 64 * 64; }

static size_t action_bytes(const myr_planner *p) { return up((size_t)(p->options.steps * p->actions) * MYR_PLAN_LANES * sizeof(float)); }
static size_t step_count(const myr_planner *p) { return (size_t)p->options.steps * MYR_PLAN_LANES; }
static size_t terms_bytes(const myr_planner *p) { return p->terminal ? up(step_count(p) * (size_t)p->terms * sizeof(double)) : 0; }

myr_plan_room myr_plan_room_of(const myr_planner *p, int worker) {
    char *at = p->rooms + (size_t)worker * p->room_bytes;
    myr_plan_room room = {.action = (float *)(void *)at};
    at += action_bytes(p);
    room.terms = p->terminal ? (double *)(void *)at : NULL;
    return room;
}

static int allocate(myr_planner *p, int has_terminal) {
    const myr_plan_options *o = &p->options;
    const size_t one = sizeof(double), count = (size_t)p->count, actions = (size_t)p->actions, knots = (size_t)o->knots;
    const size_t envs = (size_t)(p->batch->tiles * p->batch->layout.lanes), tiles = (size_t)p->batch->tiles;
    int fits = 1;
    p->plan = myr_counted_array(&p->bytes, count, one, &fits), p->sigma = myr_counted_array(&p->bytes, count, one, &fits);
    p->spread = myr_counted_array(&p->bytes, count, one, &fits), p->next = myr_counted_array(&p->bytes, count, one, &fits);
    p->lower = myr_counted_array(&p->bytes, actions, one, &fits), p->upper = myr_counted_array(&p->bytes, actions, one, &fits);
    p->weights = myr_counted_array(&p->bytes, knots, one, &fits);
    p->cost = myr_counted_array(&p->bytes, envs, one, &fits), p->weight = myr_counted_array(&p->bytes, envs, one, &fits);
    p->elite = myr_counted_array(&p->bytes, o->update == MYR_UPDATE_CEM ? (size_t)o->elites : 0, sizeof(int64_t), &fits);
    p->sums = myr_counted_array(&p->bytes, 2 * count * MYR_PLAN_LANES, one, &fits);
    p->start.rows = myr_counted_array(&p->bytes, (size_t)p->batch->layout.rows, one, &fits);
    p->begin = myr_counted_array(&p->bytes, p->batch->layout.tile_bytes, 1, &fits);
    p->mean = myr_counted_array(&p->bytes, count, sizeof(float), &fits),
    p->drawn = myr_counted_array(&p->bytes, count, sizeof(float), &fits);
    p->low = myr_counted_array(&p->bytes, actions, sizeof(float), &fits),
    p->high = myr_counted_array(&p->bytes, actions, sizeof(float), &fits);
    p->basis = myr_counted_array(&p->bytes, (size_t)o->steps * knots, sizeof(float), &fits);
    p->knots = myr_counted_array(&p->bytes, tiles * count * MYR_PLAN_LANES, sizeof(float), &fits);
    const size_t state = (size_t)(p->batch->model.nq + p->batch->model.nv), terms = (size_t)p->terms;
    p->shown = myr_counted_array(&p->bytes, step_count(p) * (state + terms), one, &fits);
    p->told = p->shown ? p->shown + step_count(p) * state : NULL;
    if (has_terminal) p->terminal = myr_counted_array(&p->bytes, (size_t)p->terms, one, &fits);
    p->room_bytes = (action_bytes(p) + terms_bytes(p) + 4095) / 4096 * 4096; /* no two workers in a page */
    p->rooms = myr_counted_array(&p->bytes, (size_t)p->batch->team->threads, p->room_bytes, &fits);
    return fits;
}

void myr_planner_destroy(myr_planner *p) {
    if (!p) return;
    void *const all[] = {p->plan,   p->sigma, p->spread, p->next,       p->lower,    p->upper, p->weights, p->cost,
                         p->weight, p->elite, p->sums,   p->start.rows, p->begin,    p->mean,  p->drawn,   p->low,
                         p->high,   p->basis, p->knots,  p->shown,      p->terminal, p->rooms};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) myr_release(all[k]);
    myr_release(p);
}

size_t myr_planner_bytes(const myr_planner *p) { return p ? p->bytes : 0; }

/* ---- making ------------------------------------------------------------------------------------------------------------- */

static double within(double x, double lower, double upper) { return x < lower ? lower : x > upper ? upper : x; }

/* Knots that hold do not begin with the plan but where it was shifted to. */
void myr_plan_spread_basis(myr_planner *p) {
    for (int t = 0; t < p->options.steps; t++) {
        myr_spline_at(&p->options, t + p->gone, p->weights);
        for (int k = 0; k < p->options.knots; k++) p->basis[t * p->options.knots + k] = (float)p->weights[k];
    }
}

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
        p->low[u] = (float)p->lower[u], p->high[u] = (float)p->upper[u];
        if (!(p->lower[u] <= p->upper[u]) || p->low[u] == INFINITY || p->high[u] == -INFINITY)
            return myr_fail(MYR_E_ARG, "%s: action %d lies between lower %g and upper %g", call, u, p->lower[u], p->upper[u]);
    }
    for (int k = 0; terminal && k < p->terms; k++) {
        if (!isfinite(terminal[k])) return myr_fail(MYR_E_ARG, "%s: terminal, term %d, is not finite", call, k);
        p->terminal[k] = terminal[k];
    }
    for (int j = 0; j < p->count; j++) p->plan[j] = within(0, p->lower[j % p->actions], p->upper[j % p->actions]);
    myr_plan_spread_basis(p);
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
    myr_spline_at(&p->options, control_step > 0 ? control_step + p->gone : p->gone, p->weights);
    for (int u = 0; u < p->actions; u++) action[u] = blend(p, p->weights, u);
    return MYR_OK;
}

myr_status myr_planner_shift(myr_planner *p, double control_steps) {
    MYR_OWN_ARITHMETIC;
    const myr_status status = want_step(p, "myr_planner_shift", control_steps, 0, p);
    if (status != MYR_OK) return status;
    const int holds = p->options.spline == MYR_SPLINE_HOLD;
    double later = control_steps;
    if (holds) { /* by whole knots; what is left over is gone of the first one */
        const double apart = myr_spline_apart(&p->options), knots = floor((p->gone + control_steps) / apart);
        p->gone = p->gone + control_steps - knots * apart;
        if (p->gone < 0 || !(knots < p->options.knots)) p->gone = 0; /* past the end the last one holds */
        later = knots * apart;
    }
    for (int k = 0; k < p->options.knots; k++) {
        myr_spline_at_knot(&p->options, k, later, p->weights);
        for (int u = 0; u < p->actions; u++) p->next[k * p->actions + u] = blend(p, p->weights, u);
    }
    memcpy(p->plan, p->next, (size_t)p->count * sizeof *p->plan);
    return MYR_OK;
}
