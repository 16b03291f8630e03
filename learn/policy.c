/* Making a policy, and its actions for rows of observations. */
#include "learn/policy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/kernels.h"
#include "learn/learner.h"
#include "learn/rows.h"
#include "base/want.h"
#include "machine/machine.h"
#include "base/memory.h"
#include "base/message.h"

static const char CALL[] = "myr_policy_create";

/* ---- what is refused ------------------------------------------------------------------------------------------------- */

static myr_status all_finite(const char *name, int layer, const float *x, size_t rows, size_t columns) {
    char of[40] = "";
    if (layer >= 0) snprintf(of, sizeof of, " of layer %d", layer);
    if (!x) return myr_fail(MYR_E_ARG, "myr_policy_create: %s%s is NULL", name, of);
    for (size_t k = 0; k < rows * columns; k++) {
        if (isfinite(x[k])) continue;
        if (columns == 1) return myr_fail(MYR_E_ARG, "myr_policy_create: %s%s, number %zu, is not finite", name, of, k);
        return myr_fail(MYR_E_ARG, "myr_policy_create: %s%s, row %zu, column %zu, is not finite", name, of, k / columns, k % columns);
    }
    return MYR_OK;
}

static int width_in(const myr_policy_def *d, int layer) { return layer ? d->hidden[layer - 1] : d->observations; }
static int width_out(const myr_policy_def *d, int layer) { return layer < d->hidden_layers ? d->hidden[layer] : d->actions; }

static myr_status check(const myr_policy_def *d) {
    WANT(myr_want_whole(CALL, "observations", d->observations, 1, MYR_LEARN_MOST_OBSERVATIONS));
    WANT(myr_want_whole(CALL, "actions", d->actions, 1, MYR_LEARN_MOST_ACTIONS));
    WANT(myr_want_whole(CALL, "hidden_layers", d->hidden_layers, 0, MYR_LEARN_HIDDEN));
    for (int k = 0; k < d->hidden_layers; k++) {
        char name[40];
        snprintf(name, sizeof name, "hidden[%d]", k);
        WANT(myr_want_whole(CALL, name, d->hidden[k], 1, MYR_LEARN_WIDEST));
    }
    WANT(myr_want_whole(CALL, "activation", (int)d->activation, MYR_ACTIVATION_ELU, MYR_ACTIVATION_TANH));
    WANT(myr_want_whole(CALL, "threads", d->threads, 0, 4096));
    WANT(myr_want_isa(CALL, d->isa));
    for (int k = 0; k <= d->hidden_layers; k++) {
        WANT(all_finite("weights", k, d->weights[k], (size_t)width_out(d, k), (size_t)width_in(d, k)));
        WANT(all_finite("biases", k, d->biases[k], (size_t)width_out(d, k), 1));
    }
    if (d->mean) WANT(all_finite("mean", -1, d->mean, (size_t)d->observations, 1));
    if (d->std) WANT(all_finite("std", -1, d->std, (size_t)d->observations, 1));
    for (int k = 0; d->std && k < d->observations; k++)
        if (!(d->std[k] > 0))
            return myr_fail(MYR_E_ARG, "myr_policy_create: std, number %d, is %g, but must be above 0", k, (double)d->std[k]);
    return MYR_OK;
}

/* ---- memory ------------------------------------------------------------------------------------------------------------ */

/* `count` floats of the policy, zero. Sizes are bounded above: no product overflows. */
static float *floats(myr_policy *p, size_t count) {
    p->bytes += count * sizeof(float);
    return myr_allocate(count * sizeof(float), 64);
}

static size_t seen_floats(const myr_policy *p) { return MYR_NET_BLOCK * (size_t)p->observations; } /* whole rows, as a block is */

static size_t output_floats(const myr_policy *p) {
    int widest = 0;
    for (int k = 0; k < p->net.layers; k++)
        if (p->net.layer[k].wide > widest) widest = p->net.layer[k].wide;
    return MYR_NET_BLOCK * (size_t)widest;
}

myr_policy_room myr_policy_room_of(const myr_policy *p, int worker) {
    float *at = (float *)(void *)(p->rooms + (size_t)worker * p->room_bytes);
    myr_policy_room room = {.seen = at};
    at += seen_floats(p);
    for (int k = 0; k < p->net.layers; k++) room.net.output[k] = at + (size_t)(k % 2) * output_floats(p);
    return room;
}

/* Outputs in lanes: (out, in) becomes (in x wide). */
static void copy_layers(myr_policy *p, const myr_policy_def *d) {
    for (int k = 0; k < p->net.layers; k++) {
        const myr_net_layer *l = &p->net.layer[k];
        for (int o = 0; o < l->out; o++) {
            for (int i = 0; i < l->in; i++)
                p->parameters[l->weight + (size_t)i * (size_t)l->wide + (size_t)o] = d->weights[k][(size_t)o * (size_t)l->in + (size_t)i];
            p->parameters[l->bias + (size_t)o] = d->biases[k][o];
        }
    }
}

static myr_status fill(myr_policy *p, const myr_policy_def *d) {
    const myr_kernels *kernels;
    WANT(myr_kernels_get(d->isa[0] ? d->isa : "auto", 4, &kernels));
    p->kernels = myr_learn_kernels_get(kernels->isa);
    if (!p->kernels)
        return myr_fail(MYR_E_ISA, "myr_policy_create: this library has no policies for the instruction set '%s'", kernels->isa);
    WANT(myr_team_create(d->threads, d->pin, 4096, &p->team));
    myr_learn_options shape = {.observations = d->observations, .hidden_layers = d->hidden_layers, .activation = d->activation};
    memcpy(shape.hidden, d->hidden, sizeof shape.hidden);
    size_t turned = 0;
    myr_net_lay(&p->net, &shape, d->observations, d->actions, 0, &turned);
    p->observations = d->observations, p->actions = d->actions;
    p->parameters = floats(p, p->net.end);
    if (d->mean || d->std) p->mean = floats(p, (size_t)d->observations), p->std = floats(p, (size_t)d->observations);
    p->room_bytes = ((seen_floats(p) + 2 * output_floats(p)) * sizeof(float) + 4095) / 4096 * 4096; /* no two workers in a page */
    p->rooms = (char *)floats(p, (size_t)p->team->threads * p->room_bytes / sizeof(float));
    if (!p->parameters || !p->rooms || ((d->mean || d->std) && (!p->mean || !p->std)))
        return myr_fail(MYR_E_MEMORY, "myr_policy_create: no memory for a policy of %d threads", p->team->threads);
    copy_layers(p, d);
    for (int k = 0; p->mean && k < d->observations; k++) p->mean[k] = d->mean ? d->mean[k] : 0, p->std[k] = d->std ? d->std[k] : 1;
    p->bytes += myr_team_bytes(p->team);
    return MYR_OK;
}

myr_status myr_policy_create(const myr_policy_def *def, myr_policy **out) {
    MYR_OWN_ARITHMETIC;
    if (!out) return myr_fail(MYR_E_ARG, "myr_policy_create: out is NULL");
    *out = NULL;
    if (!def) return myr_fail(MYR_E_ARG, "myr_policy_create: def is NULL");
    WANT(check(def));
    myr_policy *p = myr_allocate(sizeof *p, 64);
    if (!p) return myr_fail(MYR_E_MEMORY, "myr_policy_create: no memory");
    p->bytes = sizeof *p;
    const myr_status status = fill(p, def);
    if (status != MYR_OK) {
        myr_policy_destroy(p);
        return status;
    }
    *out = p;
    return MYR_OK;
}

void myr_policy_destroy(myr_policy *p) {
    if (!p) return;
    void *const all[] = {p->parameters, p->mean, p->std, p->rooms};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) myr_release(all[k]);
    myr_team_destroy(p->team);
    myr_release(p);
}

size_t myr_policy_bytes(const myr_policy *p) { return p ? p->bytes : 0; }

/* ---- actions of rows ------------------------------------------------------------------------------------------------------ */

const float *myr_policy_forward(const myr_policy *p, const myr_policy_room *room, int samples) {
    for (int i = 0; p->mean && i < samples; i++) {
        float *x = room->seen + (size_t)i * (size_t)p->observations;
        for (int k = 0; k < p->observations; k++) x[k] = (x[k] - p->mean[k]) / p->std[k];
    }
    p->kernels->forward(&p->net, p->parameters, room->seen, samples, &room->net);
    return room->net.output[p->net.layers - 1];
}

typedef struct rows_of {
    const myr_policy *policy;
    const float *in;
    float *out;
} rows_of;

static void action_rows(void *context, int worker, int64_t from, int samples) {
    const rows_of *run = context;
    const myr_policy *p = run->policy;
    const myr_policy_room room = myr_policy_room_of(p, worker);
    memcpy(room.seen, run->in + from * p->observations, (size_t)samples * (size_t)p->observations * sizeof(float));
    myr_rows_copy(run->out + from * p->actions, myr_policy_forward(p, &room, samples), samples, p->actions, myr_policy_wide(p));
}

myr_status myr_policy_actions(const myr_policy *p, int64_t n, const float *observation, float *action) {
    MYR_OWN_ARITHMETIC;
    if (!p || n < 0 || (n > 0 && (!observation || !action)))
        return myr_fail(MYR_E_ARG, "myr_policy_actions: policy, observation or action is NULL, or n < 0");
    WANT(myr_team_check(p->team, "myr_policy_actions", "policy"));
    rows_of run = {.policy = p, .in = observation, .out = action};
    myr_rows_run(p->team, n, action_rows, &run);
    return MYR_OK;
}
