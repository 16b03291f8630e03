/* Control steps of a task of the library: policy, substeps, rewards, resets and observations of a block of tiles, step after step, while
 * the block is in the cache. An action goes from the network into the tile; what the update needs is kept. */
#include <string.h>

#include "batch/batch.h"
#include "kernels/step_job.h"
#include "learn/learner.h"
#include "machine/machine.h"
#include "base/memory.h"
#include "base/message.h"
#include "tasks/task.h"

typedef struct collect_run {
    myr_learner *learner;
    myr_batch *batch;
    int terms;
} collect_run;

/* One control step's arrays, as the engine takes them: (envs, 1, ...). */
static myr_act arrays_of(const myr_learner *l, int step, int terms) {
    const int64_t first = step * l->count;
    return (myr_act){.steps = 1,
                     .autoreset = MYR_AUTORESET_SAME_STEP,
                     .type = MYR_F32,
                     .action = l->action + first * l->options.actions,
                     .observation = l->observation + (first + l->count) * l->options.observations,
                     .critic = l->options.critic_observations ? l->critic_own : NULL, /* of the last control step alone */
                     .reward = l->reward + first,
                     .episode_terms = l->episode_terms + first * terms,
                     .episode_return = l->returns + first,
                     .episode_length = l->lengths + first,
                     .terminated = l->terminated + first,
                     .truncated = l->truncated + first};
}

static void collect_tiles(void *context, int worker) {
    const collect_run *run = context;
    const myr_batch *batch = run->batch;
    myr_learner *l = run->learner;
    const int lanes = batch->layout.lanes, group = MYR_NET_BLOCK / lanes;
    const myr_net_room room = myr_learn_room_of(l, worker);
    myr_act act;
    myr_tile_job job = myr_batch_job(batch, worker);
    job.act = &act, job.steps = 1;
    const int64_t end = myr_batch_first_tile(batch, worker + 1);
    for (int64_t first = myr_batch_first_tile(batch, worker); first < end; first += group) {
        const int64_t last = first + group < end ? first + group : end;
        const int64_t to = last * lanes < l->count ? last * lanes : l->count;
        for (int step = 0; step < l->options.steps; step++) {
            myr_learn_draw(l, &room, first * lanes, to, step);
            act = arrays_of(l, step, run->terms);
            myr_batch_step_tiles(batch, &job, first, last);
        }
        myr_learn_take(l, first * lanes, to, l->options.steps);
    }
}

static myr_status fits(const myr_learner *l, const myr_batch *batch, const char *call) {
    const myr_learn_options *o = &l->options;
    if (l->asked || l->step > 0) return myr_fail(MYR_E_STATE, "%s: %d of %d control steps are taken already", call, l->step, o->steps);
    if (!batch->layout.task.terms)
        return myr_fail(MYR_E_STATE, "%s: this batch was made for the task '%s', which has no control steps", call,
                        batch->options.task->name);
    if (batch->layout.task.terms > MYR_LEARN_TERMS)
        return myr_fail(MYR_E_LIMIT, "%s: the task has %d reward terms, of which a report holds %d", call, batch->layout.task.terms,
                        (int)MYR_LEARN_TERMS);
    if (o->critic_observations && batch->layout.task.critics != o->critic_observations)
        return myr_fail(MYR_E_ARG, "%s: the value sees %d numbers beside the observation, and a critic of this batch's task observes %d",
                        call, o->critic_observations, batch->layout.task.critics);
    if (l->exchange.ranks > 1 && batch->metas[0].global_id != l->first)
        return myr_fail(MYR_E_ARG, "%s: process %d of %d learns from robots %lld on, but the batch's first_env is %lld (myr_learn_shard)",
                        call, l->exchange.rank, l->exchange.ranks, (long long)l->first, (long long)batch->metas[0].global_id);
    if (batch->envs != l->count || myr_batch_observations(batch) != o->observations || batch->layout.task.actions != o->actions)
        return myr_fail(MYR_E_ARG,
                        "%s: the learner is for %lld environments of %d observations and %d actions, the batch has %lld of %d and %d", call,
                        (long long)l->count, o->observations, o->actions, (long long)batch->envs, myr_batch_observations(batch),
                        batch->layout.task.actions);
    if (batch->team->threads > l->team->threads)
        return myr_fail(MYR_E_ARG, "%s: the batch has %d threads, the learner %d: it needs as many at least", call, batch->team->threads,
                        l->team->threads);
    return MYR_OK;
}

myr_status myr_learner_collect(myr_learner *l, myr_batch *batch) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_learner_collect";
    if (!l) return myr_fail(MYR_E_ARG, "%s: learner is NULL", call);
    myr_status status = myr_batch_check(batch, call);
    if (status == MYR_OK) status = fits(l, batch, call);
    if (status == MYR_OK) status = myr_batch_observe(batch, MYR_F32, l->observation);
    if (status == MYR_OK && l->options.critic_observations) status = myr_batch_observe_critic(batch, MYR_F32, l->critic_own);
    if (status != MYR_OK) return status;
    const double start = myr_now_s();
    status = myr_learn_agree(l);
    if (status == MYR_OK) status = myr_learn_normalize_first(l);
    if (status != MYR_OK) return status;
    memcpy(l->old_deviation, l->weights + l->deviation, (size_t)l->options.actions * sizeof(float));
    const collect_run run = {.learner = l, .batch = batch, .terms = batch->layout.task.terms};
    myr_batch_timed(batch, collect_tiles, (void *)(uintptr_t)&run);
    l->step = l->options.steps, l->collected = 1;
    l->terms = run.terms;
    l->report.collect_s += myr_now_s() - start;
    return MYR_OK;
}
