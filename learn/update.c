/* The gradient steps of PPO (Schulman et al. 2017) as rsl_rl takes them.
 *
 * Bits: a slot's blocks are dealt to the minibatches in an order that Philox draws (groups.h). A slot's gradient is one chain of sums over
 * its blocks, and slots are added as a tree. Who fills which slot does not show. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "batch/batch.h"
#include "learn/learner.h"
#include "machine/machine.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/trigonometry.h"

typedef struct minibatch {
    myr_learner *learner;
    int number;         /* of the epoch's minibatches */
    int64_t samples;    /* of all processes */
    atomic_int next;    /* slot, or chunk of parameters */
    float *total;       /* all slots added up */
    float log_narrower; /* of all deviations: sum of log(old / new) */
    double scale[2];    /* of the policy's gradients and the value's, after clipping */
} minibatch;

/* ---- slots ---------------------------------------------------------------------------------------------------------- */

static int64_t column_samples(const myr_learner *l, int64_t column) {
    const int64_t left = l->options.envs - column * MYR_NET_BLOCK;
    return left < MYR_NET_BLOCK ? left : MYR_NET_BLOCK;
}

/* Blocks of a slot are dealt as cards are: the minibatch gets the first one at this place of the slot's order, and each `minibatches`
 * later. */
static int first_of(const minibatch *m, const myr_learn_slot *slot) {
    const int64_t deal = m->learner->options.minibatches;
    return (int)((m->number - slot->first % deal + deal) % deal);
}

/* A slot's row, behind its gradient. */
static float *loss_row(const myr_learner *l, float *row, int loss) { return row + l->parameters + (size_t)loss * MYR_NET_ROW; }

static myr_policy_loss policy_loss(const minibatch *m, int64_t first, int samples, const myr_net_room *room, float *row) {
    const myr_learner *l = m->learner;
    const int end = l->actor.layers - 1, actions = l->options.actions;
    return (myr_policy_loss){.samples = samples,
                             .actions = actions,
                             .wide = l->actor.layer[end].wide,
                             .mean = room->output[end],
                             .slope = room->slope[end],
                             .action = l->action + first * actions,
                             .old_mean = l->old_mean + first * actions,
                             .advantage = l->advantage + first,
                             .deviation = l->weights + l->deviation,
                             .old_deviation = l->old_deviation,
                             .log_narrower = m->log_narrower,
                             .share = (float)(1 / (double)m->samples),
                             .clip = (float)l->options.clip_param,
                             .sum = loss_row(l, row, MYR_LEARN_SURROGATE),
                             .moved_sum = loss_row(l, row, MYR_LEARN_MOVED),
                             .deviation_slope = loss_row(l, row, MYR_LEARN_LOSSES)};
}

static myr_value_loss value_loss(const minibatch *m, int64_t first, int samples, const myr_net_room *room, float *row) {
    const myr_learner *l = m->learner;
    const int end = l->critic.layers - 1;
    return (myr_value_loss){.samples = samples,
                            .wide = l->critic.layer[end].wide,
                            .value = room->output[end],
                            .slope = room->slope[end],
                            .old_value = l->value + first,
                            .wanted = l->wanted + first,
                            .share = (float)(1 / (double)m->samples),
                            .clip = (float)l->options.clip_param,
                            .weight = (float)l->options.value_loss_coef,
                            .sum = loss_row(l, row, MYR_LEARN_VALUE)};
}

/* A slot's blocks through one network, there and back. */
static void slot_through(const minibatch *m, const myr_net *net, int number, const myr_net_room *room, float *row) {
    const myr_learner *l = m->learner;
    const myr_learn_slot slot = myr_learn_slot_of(&l->split, number);
    const int64_t columns = slot.end - slot.column, own = l->first / MYR_NET_BLOCK;
    const double off = l->options.mirror_loss_coef;
    const int begin = first_of(m, &slot);
    for (int b = begin; b < slot.blocks; b += l->options.minibatches) {
        const int block = l->order[slot.first + b];
        const int64_t column = slot.column + block % columns, step = slot.step + block / columns;
        const int64_t first = step * l->count + (column - own) * MYR_NET_BLOCK;
        const int samples = (int)column_samples(l, column);
        const float *seen = myr_learn_seen(l, net, first);
        l->kernels->forward(net, l->weights, seen, samples, room);
        if (net == &l->actor) {
            const myr_policy_loss loss = policy_loss(m, first, samples, room, row);
            l->kernels->policy_loss(&loss);
        } else {
            const myr_value_loss loss = value_loss(m, first, samples, room, row);
            l->kernels->value_loss(&loss);
        }
        l->kernels->backward(net, l->turned, seen, samples, room, b == begin, row);
        if (net == &l->actor && off > 0)
            myr_learn_mirror_back(l, first, samples, off / ((double)m->samples * l->options.actions), room, row,
                                  loss_row(l, row, MYR_LEARN_MIRRORED));
    }
}

/* One network after the other, so that its weights and its part of the gradient stay in the cache. */
static void fill_slot(const minibatch *m, int number, const myr_net_room *room) {
    const myr_learner *l = m->learner;
    const size_t wide = myr_learn_slot_wide(l);
    float *row = myr_learn_slot_row(l, number);
    const myr_learn_slot slot = myr_learn_slot_of(&l->split, number);
    if (first_of(m, &slot) >= slot.blocks) memset(row, 0, wide * sizeof *row);
    memset(row + l->deviation, 0, (l->critic.begin - l->deviation) * sizeof *row); /* where the last sum stood */
    memset(row + l->parameters, 0, (wide - l->parameters) * sizeof *row);
    slot_through(m, &l->actor, number, room, row);
    slot_through(m, &l->critic, number, room, row);
}

static void fill_slots(void *context, int worker) {
    minibatch *m = context;
    myr_learner *l = m->learner;
    const myr_net_room room = myr_learn_room_of(l, worker);
    for (int lo, hi; myr_learn_bunch(l, atomic_fetch_add(&m->next, 1), &lo, &hi);) {
        for (int s = lo; s < hi; s++) fill_slot(m, s, &room);
        myr_learn_add_bunch(l, lo, hi);
    }
}

/* ---- sums ------------------------------------------------------------------------------------------------------------ */

/* A chunk's parameters, those of one network: [from, to). */
typedef struct span {
    size_t from, to;
} span;

static span chunk_of(const myr_learner *l, int chunk, int network) {
    const size_t begin = network ? l->critic.begin : 0, end = network ? l->parameters : l->critic.begin;
    const size_t from = (size_t)chunk * MYR_LEARN_CHUNK, to = from + MYR_LEARN_CHUNK;
    return (span){from < begin ? begin : from, to < end ? to : end};
}

/* Squares of the sums for each network (the deviations are the policy's, and 0 here). */
static void square_chunks(void *context, int worker) {
    minibatch *m = context;
    myr_learner *l = m->learner;
    (void)worker;
    for (int c; (c = atomic_fetch_add(&m->next, 1)) < myr_learn_chunks(l);)
        for (int n = 0; n < 2; n++) {
            const span at = chunk_of(l, c, n);
            double squares = 0;
            for (size_t k = at.from; k < at.to; k++) squares += (double)m->total[k] * (double)m->total[k];
            l->squares[2 * c + n] = squares;
        }
}

/* The deviations' gradients: their slopes, lane by lane, and the entropy's part. `squares` gets them. */
static void add_deviations(const minibatch *m, double squares[2]) {
    const myr_learner *l = m->learner;
    float *sum = m->total + l->deviation;
    for (int k = 0; k < l->options.actions; k++) {
        const float *lanes = loss_row(l, m->total, MYR_LEARN_LOSSES + k);
        float slope = 0;
        for (int i = 0; i < MYR_NET_ROW; i++) slope += lanes[i];
        sum[k] = slope - (float)l->options.entropy_coef / l->weights[l->deviation + (size_t)k];
        squares[0] += (double)sum[k] * (double)sum[k];
    }
}

/* Means over the minibatch. */
static void add_losses(const minibatch *m, double losses[MYR_LEARN_LOSSES]) {
    const myr_learner *l = m->learner;
    for (int t = 0; t < MYR_LEARN_LOSSES; t++) {
        const float *lanes = loss_row(l, m->total, t);
        losses[t] = 0;
        for (int i = 0; i < MYR_NET_ROW; i++) losses[t] += (double)lanes[i];
        losses[t] /= (double)m->samples;
    }
    for (int k = 0; k < l->options.actions; k++) { /* KL of two Gaussians, old to new: what all samples share */
        const double now = (double)l->weights[l->deviation + (size_t)k], old = (double)l->old_deviation[k];
        losses[2] += myr_log(now / old) + old * old / (2 * now * now) - 0.5;
    }
}

/* ---- a step ---------------------------------------------------------------------------------------------------------- */

static void step_chunks(void *context, int worker) {
    minibatch *m = context;
    myr_learner *l = m->learner;
    (void)worker;
    for (int c; (c = atomic_fetch_add(&m->next, 1)) < myr_learn_chunks(l);)
        for (int n = 0; n < 2; n++) {
            const span at = chunk_of(l, c, n);
            if (at.from >= at.to) continue;
            const myr_adam adam = {.scale = (float)m->scale[n],
                                   .keep_mean = (float)MYR_ADAM_MEAN,
                                   .new_mean = (float)(1 - MYR_ADAM_MEAN),
                                   .keep_square = (float)MYR_ADAM_SQUARE,
                                   .new_square = (float)(1 - MYR_ADAM_SQUARE),
                                   .step = (float)(l->rate / (1 - l->mean_power)),
                                   .root = (float)(1 / sqrt(1 - l->square_power)),
                                   .least = (float)MYR_ADAM_LEAST};
            l->kernels->adam_step(&adam, at.to - at.from, m->total + at.from, l->mean + at.from, l->square + at.from, l->weights + at.from);
        }
}

/* Which rate the divergence asks for: rsl_rl's rule. */
static void adapt_rate(myr_learner *l, double divergence) {
    const double wanted = l->options.desired_kl;
    if (!(wanted > 0)) return;
    if (divergence > 2 * wanted)
        l->rate = fmax(l->options.learning_rate_min, l->rate / 1.5);
    else if (divergence < wanted / 2 && divergence > 0)
        l->rate = fmin(l->options.learning_rate_max, l->rate * 1.5);
}

static void team(minibatch *m, void (*work)(void *context, int worker)) {
    atomic_store(&m->next, 0);
    myr_team_run(m->learner->team, work, m);
}

/* MYR_E_STATE: something is not finite, or the exchange failed; nothing has changed. */
static myr_status gradient_step(minibatch *m, myr_learn_report *report) {
    myr_learner *l = m->learner;
    double losses[MYR_LEARN_LOSSES], squares[2] = {0, 0}, norm[2];
    double narrower = 0;
    for (int k = 0; k < l->options.actions; k++)
        narrower -= myr_log((double)l->weights[l->deviation + (size_t)k] / (double)l->old_deviation[k]);
    m->log_narrower = (float)narrower;
    team(m, fill_slots);
    myr_status status;
    m->total = myr_learn_exchange_slots(l, &status);
    if (status != MYR_OK) return status;
    team(m, square_chunks);
    for (int c = 0; c < myr_learn_chunks(l); c++) squares[0] += l->squares[2 * c], squares[1] += l->squares[2 * c + 1];
    add_deviations(m, squares);
    add_losses(m, losses);
    for (int n = 0; n < 2; n++) {
        norm[n] = sqrt(squares[n]);
        m->scale[n] = fmin(1, l->options.max_grad_norm / (norm[n] + 1e-6));
    }
    if (!isfinite(norm[0]) || !isfinite(norm[1]) || !isfinite(losses[0]) || !isfinite(losses[1]) || !isfinite(losses[2]) ||
        !isfinite(losses[3]))
        return myr_fail(
            MYR_E_STATE,
            "myr_learner_update: the training has diverged in iteration %lld: surrogate %g, value loss %g, divergence %g, norms of the "
            "gradients %g and %g; the weights are those before this gradient step",
            (long long)l->iterations, losses[0], losses[1], losses[2], norm[0], norm[1]);
    adapt_rate(l, losses[2]);
    l->mean_power *= MYR_ADAM_MEAN, l->square_power *= MYR_ADAM_SQUARE;
    l->gradient_steps++;
    team(m, step_chunks);
    for (int k = 0; k < l->options.actions; k++) { /* a step of Adam may be larger than a small deviation */
        float *deviation = &l->weights[l->deviation + (size_t)k];
        if (*deviation < (float)MYR_LEARN_LEAST_DEVIATION) *deviation = (float)MYR_LEARN_LEAST_DEVIATION;
    }
    myr_learn_turn(l);
    report->surrogate += losses[0], report->value_loss += losses[1], report->divergence += losses[2], report->mirror_loss += losses[3];
    report->actor_norm = fmax(report->actor_norm, norm[0]), report->critic_norm = fmax(report->critic_norm, norm[1]);
    return MYR_OK;
}

/* ---- an iteration ----------------------------------------------------------------------------------------------------- */

/* Fisher and Yates in each slot, by words of Philox; the number of the shuffle counts on over the whole training. All slots: how many
 * samples a minibatch has depends on where the blocks of the last column come, which may be short. */
static void shuffle(myr_learner *l, int epoch) {
    const uint64_t first = ((uint64_t)l->iterations * (uint64_t)l->options.epochs + (uint64_t)epoch) << 32;
    for (int s = 0; s < l->split.slots; s++) {
        const myr_learn_slot slot = myr_learn_slot_of(&l->split, s);
        int *order = l->order + slot.first;
        uint32_t words[4];
        for (int k = 0; k < slot.blocks; k++) order[k] = k;
        for (int k = slot.blocks - 1, drawn = 0; k > 0; k--, drawn++) {
            const uint64_t word = (uint64_t)slot.first + (uint64_t)drawn / 4; /* other slots' begin beyond it */
            if (drawn % 4 == 0) myr_learn_words(l->options.seed, MYR_LEARN_ORDER, first + word, words);
            const int other = (int)((uint64_t)words[drawn % 4] * (uint64_t)(k + 1) >> 32), block = order[k];
            order[k] = order[other], order[other] = block;
        }
    }
}

static int64_t minibatch_samples(const minibatch *m) {
    const myr_learner *l = m->learner;
    int64_t samples = 0;
    for (int s = 0; s < l->split.slots; s++) {
        const myr_learn_slot slot = myr_learn_slot_of(&l->split, s);
        const int64_t columns = slot.end - slot.column;
        for (int b = first_of(m, &slot); b < slot.blocks; b += l->options.minibatches)
            samples += column_samples(l, slot.column + l->order[slot.first + b] % columns);
    }
    return samples;
}

static myr_status all_steps(myr_learner *l, myr_learn_report *report) {
    const myr_learn_options *o = &l->options;
    for (int e = 0; e < o->epochs; e++) {
        shuffle(l, e);
        for (int k = 0; k < o->minibatches; k++) {
            minibatch m = {.learner = l, .number = k};
            m.samples = minibatch_samples(&m);
            const myr_status status = gradient_step(&m, report);
            if (status != MYR_OK) return status;
        }
    }
    return MYR_OK;
}

static void tell(myr_learner *l, myr_learn_report *report) {
    const myr_learn_options *o = &l->options;
    const double n = (double)o->epochs * o->minibatches;
    report->iteration = l->iterations, report->samples = l->iterations * o->envs * o->steps;
    report->surrogate /= n, report->value_loss /= n, report->divergence /= n, report->mirror_loss /= n;
    report->rate = l->rate;
    for (int k = 0; k < o->actions; k++) {
        const double deviation = (double)l->weights[l->deviation + (size_t)k];
        report->deviation += deviation / o->actions;
        report->entropy += 0.5 + 0.91893853320467274 + myr_log(deviation);
    }
    for (int g = 0; g < l->split.groups; g++) {
        const double *told = l->told + g * myr_learn_told_wide(l);
        report->episodes += (int64_t)told[MYR_LEARN_EPISODES], report->failed += (int64_t)told[MYR_LEARN_FAILED];
        report->episode_return += told[MYR_LEARN_RETURN], report->episode_length += told[MYR_LEARN_LENGTH];
        for (int k = 0; k < l->terms; k++) report->episode_terms[k] += told[MYR_LEARN_TOLD_TERMS + k];
    }
}

/* Weights and Adam's means where the update begins, for the case that the exchange fails; `back`: as they were. */
typedef struct progress {
    int64_t gradient_steps;
    double rate, mean_power, square_power;
} progress;

static void keep(myr_learner *l, progress *p, int back) {
    float *const now[] = {l->weights, l->mean, l->square};
    for (size_t k = 0; k < sizeof now / sizeof *now && l->kept; k++) {
        float *kept = l->kept + k * l->parameters;
        memcpy(back ? now[k] : kept, back ? kept : now[k], l->parameters * sizeof *kept);
    }
    if (!back) *p = (progress){l->gradient_steps, l->rate, l->mean_power, l->square_power};
    if (!back || !l->kept) return;
    l->gradient_steps = p->gradient_steps, l->rate = p->rate, l->mean_power = p->mean_power, l->square_power = p->square_power;
    myr_learn_turn(l);
}

myr_status myr_learner_update(myr_learner *l, const float *observation, myr_learn_report *out) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_learner_update";
    if (!l) return myr_fail(MYR_E_ARG, "%s: learner is NULL", call);
    myr_status status = myr_team_check(l->team, call, "learner");
    if (status != MYR_OK) return status;
    const myr_learn_options *o = &l->options;
    if (l->step < o->steps || l->asked)
        return myr_fail(MYR_E_STATE, "%s: %d of %d control steps are taken, and %s", call, l->step, o->steps,
                        l->asked ? "a reward is missing" : "the others are missing");
    if (!l->collected && !observation) return myr_fail(MYR_E_ARG, "%s: observation is NULL, but the last value depends on it", call);
    if (!l->collected && o->critic_observations && !l->sees)
        return myr_fail(MYR_E_STATE, "%s: what the value sees beside the last observation is not known (myr_learner_see)", call);
    if (o->mirror_loss_coef > 0 && !l->has_mirror)
        return myr_fail(MYR_E_STATE, "%s: mirror_loss_coef is %g, but how the task looks in a mirror is not known (myr_learner_set_mirror)",
                        call, o->mirror_loss_coef);
    const double start = myr_now_s();
    if (!l->collected) {
        memcpy(l->observation + l->samples * o->observations, observation, (size_t)(l->count * o->observations) * sizeof(float));
        myr_learn_take(l, 0, l->count, o->steps);
    }
    l->sees = 0;
    myr_learn_last_values(l);
    myr_learn_advantages(l);
    status = myr_learn_exchange_told(l, l->told, myr_learn_told_wide(l));
    myr_learn_report report = l->report;
    l->report = (myr_learn_report){0};
    l->step = l->collected = 0;
    if (status != MYR_OK) return status;
    progress begin;
    keep(l, &begin, 0);
    myr_learn_advantages_by(l);
    const int64_t failed = l->failures;
    status = all_steps(l, &report);
    if (l->failures > failed) keep(l, &begin, 1);
    if (status != MYR_OK) return status;
    l->iterations++;
    myr_learn_average(l);
    myr_learn_normalize_next(l);
    tell(l, &report);
    report.update_s = myr_now_s() - start;
    if (out) *out = report;
    return MYR_OK;
}
