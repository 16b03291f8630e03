/* Making a learner: its memory, all of it. */
#include "learn/learner.h"

#include <string.h>

#include "base/counted.h"
#include "kernels/kernels.h"
#include "machine/machine.h"
#include "base/memory.h"
#include "base/message.h"

/* The first layer in pieces: what lies before and behind the encoded numbers, where there is any, and those. */
static void encode(myr_net_layer *l, const myr_learn_options *o) {
    const int from = o->encoder_from, to = from + o->encoder_inputs, others = l->out - o->encoder;
    l->pieces = 0;
    if (from > 0) l->piece[l->pieces++] = (myr_net_piece){.inputs = from, .columns = others};
    if (to < l->in) l->piece[l->pieces++] = (myr_net_piece){.from = to, .inputs = l->in - to, .columns = others, .adds = from > 0};
    l->piece[l->pieces++] = (myr_net_piece){.from = from, .inputs = to - from, .column = others, .columns = l->wide - others};
}

void myr_net_lay(myr_net *net, const myr_learn_options *o, int in, int out, size_t begin, size_t *turned) {
    *net = (myr_net){.layers = o->hidden_layers + 1, .activation = o->activation, .begin = begin};
    size_t at = begin;
    for (int k = 0; k < net->layers; k++) {
        myr_net_layer *l = &net->layer[k];
        l->in = k ? o->hidden[k - 1] : in;
        l->out = k < o->hidden_layers ? o->hidden[k] : out;
        l->wide = myr_net_wide(l->out);
        l->pieces = 1, l->piece[0] = (myr_net_piece){.inputs = l->in, .columns = l->wide};
        l->weight = at, at += (size_t)l->in * (size_t)l->wide;
        l->bias = at, at += (size_t)l->wide;
        l->turned = *turned, *turned += (size_t)l->out * (size_t)myr_net_wide(l->in);
    }
    net->end = at;
    if (o->encoder) encode(&net->layer[0], o);
}

int myr_net_sees(const myr_net_layer *l, int input, int output) {
    for (int i = 0; i < l->pieces; i++) {
        const myr_net_piece *p = &l->piece[i];
        if (input >= p->from && input < p->from + p->inputs && output >= p->column && output < p->column + p->columns) return 1;
    }
    return 0;
}

/* ---- rooms --------------------------------------------------------------------------------------------------------- */

/* Rows of layer k of either network: they differ in the last alone. */
static size_t room_wide(const myr_learner *l, int k) {
    const int policy = l->actor.layer[k].wide, value = l->critic.layer[k].wide;
    return (size_t)(policy > value ? policy : value);
}

static size_t seen_count(const myr_learner *l) { return MYR_NET_BLOCK * (size_t)myr_net_wide((int)myr_learn_critic_wide(l)); }

size_t myr_learn_room_bytes(const myr_learner *l) {
    size_t count = seen_count(l) + MYR_NET_BLOCK * (size_t)l->actor.layer[l->actor.layers - 1].wide;
    for (int k = 0; k < l->actor.layers; k++) count += 2 * MYR_NET_BLOCK * room_wide(l, k);
    return count * sizeof(float);
}

myr_net_room myr_learn_room_of(const myr_learner *l, int worker) {
    float *at = (float *)(void *)(l->rooms + (size_t)worker * l->room_bytes);
    myr_net_room room;
    for (int k = 0; k < l->actor.layers; k++) {
        const size_t count = MYR_NET_BLOCK * room_wide(l, k);
        room.output[k] = at, room.slope[k] = at + count;
        at += 2 * count;
    }
    room.seen = at, room.mean = at + seen_count(l);
    return room;
}

/* ---- memory -------------------------------------------------------------------------------------------------------- */

/* Rows of the samples times numbers of each: no product can overflow, as options.c bounds them (2^51 times 2^12). */
static int allocate(myr_learner *l) {
    const myr_learn_options *o = &l->options;
    const size_t n = (size_t)l->samples, envs = (size_t)l->count, one = sizeof(float);
    int fits = 1;
    l->weights = myr_counted_array(&l->bytes, l->parameters, one, &fits);
    l->mean = myr_counted_array(&l->bytes, l->parameters, one, &fits);
    l->square = myr_counted_array(&l->bytes, l->parameters, one, &fits);
    l->average = myr_counted_array(&l->bytes, l->parameters, one, &fits);
    l->turned = myr_counted_array(&l->bytes, l->turned_count, one, &fits);
    l->observation = myr_counted_array(&l->bytes, (n + envs) * (size_t)o->observations, one, &fits);
    const size_t own = (size_t)o->critic_observations, all = (size_t)o->observations + own;
    l->critic_seen = own ? myr_counted_array(&l->bytes, (n + envs) * all, one, &fits) : l->observation;
    l->critic_own = myr_counted_array(&l->bytes, envs * own, one, &fits);
    l->seen_mean = myr_counted_array(&l->bytes, all, sizeof(double), &fits);
    l->seen_variance = myr_counted_array(&l->bytes, all, sizeof(double), &fits);
    l->shift = myr_counted_array(&l->bytes, all, one, &fits);
    l->scale = myr_counted_array(&l->bytes, all, one, &fits);
    l->mirror = myr_counted_array(&l->bytes, (size_t)(o->observations + o->actions), sizeof(int), &fits);
    l->action = myr_counted_array(&l->bytes, n * (size_t)o->actions, one, &fits);
    l->old_mean = myr_counted_array(&l->bytes, n * (size_t)o->actions, one, &fits);
    l->reward = myr_counted_array(&l->bytes, n, one, &fits);
    l->advantage = myr_counted_array(&l->bytes, n, one, &fits);
    l->wanted = myr_counted_array(&l->bytes, n, one, &fits);
    l->value = myr_counted_array(&l->bytes, n + envs, one, &fits);
    l->terminated = myr_counted_array(&l->bytes, n, 1, &fits);
    l->truncated = myr_counted_array(&l->bytes, n, 1, &fits);
    l->returns = myr_counted_array(&l->bytes, n, one, &fits);
    l->episode_terms = myr_counted_array(&l->bytes, n * MYR_LEARN_TERMS, one, &fits);
    l->lengths = myr_counted_array(&l->bytes, n, sizeof(int64_t), &fits);
    l->old_deviation = myr_counted_array(&l->bytes, (size_t)o->actions, one, &fits);
    l->running_return = myr_counted_array(&l->bytes, envs, one, &fits);
    l->running_length = myr_counted_array(&l->bytes, envs, sizeof(int64_t), &fits);
    l->order = myr_counted_array(&l->bytes, (size_t)l->split.blocks, sizeof(int), &fits);
    l->gradient = myr_counted_array(&l->bytes, (size_t)l->slots * myr_learn_slot_wide(l), one, &fits);
    l->told = myr_counted_array(&l->bytes, (size_t)(l->split.groups * myr_learn_told_wide(l)), sizeof(double), &fits);
    if (l->exchange.ranks > 1) {
        l->parcel = myr_counted_array(&l->bytes, myr_learn_parcel_rows(l) * myr_learn_slot_wide(l), one, &fits);
        l->kept = myr_counted_array(&l->bytes, 3 * l->parameters, one, &fits);
    }
    l->squares = myr_counted_array(&l->bytes, 2 * (size_t)myr_learn_chunks(l), sizeof(double), &fits);
    l->room_bytes = (myr_learn_room_bytes(l) + 4095) / 4096 * 4096; /* no two workers in a page */
    l->rooms = myr_counted_array(&l->bytes, (size_t)l->team->threads, l->room_bytes, &fits);
    return fits;
}

void myr_learner_destroy(myr_learner *l) {
    if (!l) return;
    void *const all[] = {l->weights,        l->mean,
                         l->square,         l->average,
                         l->turned,         l->observation,
                         l->action,         l->old_mean,
                         l->reward,         l->advantage,
                         l->wanted,         l->value,
                         l->terminated,     l->truncated,
                         l->returns,        l->episode_terms,
                         l->lengths,        l->old_deviation,
                         l->running_return, l->running_length,
                         l->order,          l->gradient,
                         l->told,           l->squares,
                         l->rooms,          l->critic_own,
                         l->seen_mean,      l->seen_variance,
                         l->shift,          l->scale,
                         l->parcel,         l->kept,
                         l->mirror,         l->critic_seen == l->observation ? NULL : l->critic_seen};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) myr_release(all[k]);
    myr_team_destroy(l->team);
    myr_release(l);
}

static myr_status fill(myr_learner *l) {
    const myr_learn_options *o = &l->options;
    const myr_kernels *kernels;
    myr_status status = myr_kernels_get(o->isa, 4, &kernels);
    if (status != MYR_OK) return status;
    l->kernels = myr_learn_kernels_get(kernels->isa);
    if (!l->kernels)
        return myr_fail(MYR_E_ISA, "myr_learner_create: this library has no learner for the instruction set '%s'", kernels->isa);
    status = myr_team_create(o->threads, o->pin, 4096, &l->team);
    if (status != MYR_OK) return status;
    l->split = myr_learn_split_of(o->envs, o->steps);
    const int first = myr_learn_rank_group(&l->split, l->exchange.rank, l->exchange.ranks),
              end = myr_learn_rank_group(&l->split, l->exchange.rank + 1, l->exchange.ranks);
    l->first = myr_learn_group_env(&l->split, first), l->count = myr_learn_group_env(&l->split, end) - l->first;
    l->first_slot = first * l->split.parts, l->slots = (end - first) * l->split.parts;
    l->samples = l->count * o->steps;
    myr_net_lay(&l->actor, o, o->observations, o->actions, 0, &l->turned_count);
    l->deviation = l->actor.end;
    myr_net_lay(&l->critic, o, o->observations + o->critic_observations, 1, l->deviation + (size_t)myr_net_wide(o->actions),
                &l->turned_count);
    l->parameters = l->critic.end;
    if (!allocate(l))
        return myr_fail(MYR_E_MEMORY, "myr_learner_create: no memory for %lld samples of %d numbers", (long long)l->samples,
                        o->observations);
    for (int64_t k = 0; k < myr_learn_critic_wide(l); k++) l->seen_variance[k] = 1;
    myr_learn_normalize_by(l);
    myr_learn_begin(l);
    return MYR_OK;
}

myr_status myr_learner_create(const myr_learn_options *options, myr_learner **out) {
    MYR_OWN_ARITHMETIC;
    return myr_learner_create_shared(options, NULL, out);
}

myr_status myr_learner_create_shared(const myr_learn_options *options, const myr_exchange *exchange, myr_learner **out) {
    MYR_OWN_ARITHMETIC;
    if (!out) return myr_fail(MYR_E_ARG, "myr_learner_create: out is NULL");
    *out = NULL;
    if (!options) return myr_fail(MYR_E_ARG, "myr_learner_create: options is NULL");
    myr_status status = myr_learn_options_check(options);
    int64_t first, count;
    if (status == MYR_OK && exchange) status = myr_learn_shard(options->envs, exchange->rank, exchange->ranks, &first, &count);
    if (status == MYR_OK && exchange && exchange->ranks > 1 && !exchange->gather)
        status = myr_fail(MYR_E_ARG, "myr_learner_create_shared: gather is NULL, but there are %d processes", exchange->ranks);
    if (status != MYR_OK) return status;
    myr_learner *l = myr_allocate(sizeof *l, 64);
    if (!l) return myr_fail(MYR_E_MEMORY, "myr_learner_create: no memory");
    l->options = *options;
    l->exchange = exchange ? *exchange : (myr_exchange){.ranks = 1};
    l->bytes = sizeof *l;
    status = fill(l);
    if (status != MYR_OK) {
        myr_learner_destroy(l);
        return status;
    }
    l->bytes += myr_team_bytes(l->team);
    *out = l;
    return MYR_OK;
}

size_t myr_learner_bytes(const myr_learner *l) { return l ? l->bytes : 0; }
