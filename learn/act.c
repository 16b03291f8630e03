/* Control steps of tasks that are arrays: an observation in, an action out, then its result. And networks by themselves. */
#include <math.h>
#include <string.h>

#include "batch/batch.h"
#include "learn/learner.h"
#include "learn/rows.h"
#include "machine/machine.h"
#include "base/memory.h"
#include "base/message.h"

void myr_learn_draw(myr_learner *l, const myr_net_room *room, int64_t from, int64_t to, int step) {
    const myr_learn_options *o = &l->options;
    const int64_t first = step * l->count + from;
    const int samples = (int)(to - from);
    myr_learn_take(l, from, to, step);
    const myr_net_layer *last = &l->actor.layer[l->actor.layers - 1], *value = &l->critic.layer[l->critic.layers - 1];
    l->kernels->forward(&l->actor, l->weights, myr_learn_seen(l, &l->actor, first), samples, room);
    l->kernels->draw(samples, o->actions, room->output[l->actor.layers - 1], last->wide, l->weights + l->deviation, o->seed,
                     l->first + from, (uint64_t)(l->iterations * o->steps + step), l->action + first * o->actions,
                     l->old_mean + first * o->actions);
    l->kernels->forward(&l->critic, l->weights, myr_learn_seen(l, &l->critic, first), samples, room);
    for (int i = 0; i < samples; i++) l->value[first + i] = room->output[l->critic.layers - 1][i * value->wide];
}

/* ---- many rows, over the workers ------------------------------------------------------------------------------------ */

/* A network's last layer for rows of observations. */
typedef struct rows_of {
    const myr_learner *learner;
    const myr_net *net;
    const float *numbers; /* of the network */
    const float *in;
    float *out;
    int taken; /* the rows are normalized already */
} rows_of;

static void network_rows(void *context, int worker, int64_t from, int samples) {
    const rows_of *run = context;
    const myr_learner *l = run->learner;
    const myr_net_layer *last = &run->net->layer[run->net->layers - 1];
    const myr_net_room room = myr_learn_room_of(l, worker);
    const int64_t wide = run->net->layer[0].in;
    const float *in = run->in + from * wide;
    if (l->options.obs_normalization && !run->taken) {
        myr_learn_normalize(l, in, samples, wide, room.seen);
        in = room.seen;
    }
    l->kernels->forward(run->net, run->numbers, in, samples, &room);
    myr_rows_copy(run->out + from * last->out, room.output[run->net->layers - 1], samples, last->out, last->wide);
}

/* Actions of the control step that is taken. */
static void draw_rows(void *context, int worker, int64_t from, int samples) {
    myr_learner *l = context;
    const myr_net_room room = myr_learn_room_of(l, worker);
    myr_learn_draw(l, &room, from, from + samples, l->step);
}

static myr_status rows(const char *call, const myr_learner *l, const myr_net *net, const float *numbers, int64_t n, const float *in,
                       float *out) {
    if (!l || n < 0 || (n > 0 && (!in || !out)))
        return myr_fail(MYR_E_ARG, "%s: learner, observation or the array for its answer is NULL, or n < 0", call);
    const myr_status status = myr_team_check(l->team, call, "learner");
    if (status != MYR_OK) return status;
    rows_of run = {.learner = l, .net = net, .numbers = numbers, .in = in, .out = out};
    myr_rows_run(l->team, n, network_rows, &run);
    return MYR_OK;
}

void myr_learn_last_values(myr_learner *l) {
    rows_of run = {.learner = l,
                   .net = &l->critic,
                   .numbers = l->weights,
                   .in = myr_learn_seen(l, &l->critic, l->samples),
                   .out = l->value + l->samples,
                   .taken = 1};
    myr_rows_run(l->team, l->count, network_rows, &run);
}

myr_status myr_learner_mean(const myr_learner *l, myr_learned what, int64_t n, const float *observation, float *action) {
    MYR_OWN_ARITHMETIC;
    if (what != MYR_LEARNED_WEIGHTS && what != MYR_LEARNED_AVERAGE)
        return myr_fail(MYR_E_ARG, "myr_learner_mean: %d is neither the weights nor their average", (int)what);
    const float *numbers = !l ? NULL : what == MYR_LEARNED_WEIGHTS ? l->weights : l->average;
    return rows("myr_learner_mean", l, l ? &l->actor : NULL, numbers, n, observation, action);
}

myr_status myr_learner_value(const myr_learner *l, int64_t n, const float *observation, float *value) {
    MYR_OWN_ARITHMETIC;
    return rows("myr_learner_value", l, l ? &l->critic : NULL, l ? l->weights : NULL, n, observation, value);
}

/* ---- a control step --------------------------------------------------------------------------------------------------- */

/* The first row with a number that is not finite, -1: none. */
static int64_t not_finite(const float *x, int64_t n, int wide) {
    for (int64_t i = 0; i < n * wide; i++)
        if (!isfinite(x[i])) return i / wide;
    return -1;
}

myr_status myr_learner_act(myr_learner *l, const float *observation, float *action) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_learner_act";
    if (!l || !observation || !action) return myr_fail(MYR_E_ARG, "%s: learner, observation or action is NULL", call);
    myr_status status = myr_team_check(l->team, call, "learner");
    if (status != MYR_OK) return status;
    const myr_learn_options *o = &l->options;
    if (l->asked) return myr_fail(MYR_E_STATE, "%s: the reward of the last action is not known yet (myr_learner_reward)", call);
    if (l->step == o->steps) return myr_fail(MYR_E_STATE, "%s: all %d control steps are taken; now myr_learner_update", call, o->steps);
    const int64_t wrong = not_finite(observation, l->count, o->observations);
    if (wrong >= 0)
        return myr_fail(MYR_E_ARG, "%s: the observation of environment %lld is not finite", call, (long long)(l->first + wrong));
    if (o->critic_observations && !l->sees)
        return myr_fail(MYR_E_STATE, "%s: what the value sees beside it is not known (myr_learner_see)", call);
    const double start = myr_now_s();
    const size_t seen = (size_t)(l->count * o->observations), acted = (size_t)(l->count * o->actions);
    if (l->step == 0) status = myr_learn_agree(l);
    if (status != MYR_OK) return status;
    memcpy(l->observation + (size_t)l->step * seen, observation, seen * sizeof(float));
    if (l->step == 0) memcpy(l->old_deviation, l->weights + l->deviation, (size_t)o->actions * sizeof(float)), l->terms = 0;
    if (l->step == 0) status = myr_learn_normalize_first(l);
    if (status != MYR_OK) return status;
    l->sees = 0;
    myr_rows_run(l->team, l->count, draw_rows, l);
    memcpy(action, l->action + (size_t)l->step * acted, acted * sizeof(float));
    l->asked = 1;
    l->report.collect_s += myr_now_s() - start;
    return MYR_OK;
}

myr_status myr_learner_see(myr_learner *l, const float *critic) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_learner_see";
    if (!l || !critic) return myr_fail(MYR_E_ARG, "%s: learner or critic is NULL", call);
    const myr_learn_options *o = &l->options;
    if (!o->critic_observations) return myr_fail(MYR_E_STATE, "%s: the value sees the observation alone (critic_observations)", call);
    if (l->asked) return myr_fail(MYR_E_STATE, "%s: the reward of the last action is not known yet (myr_learner_reward)", call);
    const int64_t wrong = not_finite(critic, l->count, o->critic_observations);
    if (wrong >= 0)
        return myr_fail(MYR_E_ARG, "%s: what the value sees of environment %lld is not finite", call, (long long)(l->first + wrong));
    const size_t own = (size_t)(l->count * o->critic_observations);
    memcpy(l->critic_own, critic, own * sizeof(float));
    l->sees = 1;
    return MYR_OK;
}

myr_status myr_learner_reward(myr_learner *l, const float *reward, const uint8_t *terminated, const uint8_t *truncated) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_learner_reward";
    if (!l || !reward || !terminated || !truncated)
        return myr_fail(MYR_E_ARG, "%s: learner, reward, terminated or truncated is NULL", call);
    if (!l->asked) return myr_fail(MYR_E_STATE, "%s: no action was asked for (myr_learner_act)", call);
    const int64_t envs = l->count, first = l->step * envs, wrong = not_finite(reward, envs, 1);
    if (wrong >= 0) return myr_fail(MYR_E_ARG, "%s: the reward of environment %lld is not finite", call, (long long)(l->first + wrong));
    for (int64_t e = 0; e < envs; e++) {
        const int64_t s = first + e;
        l->reward[s] = reward[e];
        l->terminated[s] = terminated[e] != 0, l->truncated[s] = truncated[e] && !terminated[e];
        l->running_return[e] += reward[e], l->running_length[e]++;
        if (!terminated[e] && !truncated[e]) continue;
        l->returns[s] = l->running_return[e], l->lengths[s] = l->running_length[e];
        l->running_return[e] = 0, l->running_length[e] = 0;
    }
    l->asked = 0, l->step++;
    return MYR_OK;
}
