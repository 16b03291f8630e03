/* Control steps with a policy: observations, network and substeps of a block of tiles, step after step, while the block is in the cache.
 * An action goes from the network into the tile; it is written only where it is asked for. */
#include "batch/batch.h"
#include "learn/policy.h"
#include "machine/machine.h"
#include "base/memory.h"
#include "base/message.h"

typedef struct play_run {
    const myr_policy *policy;
    myr_batch *batch;
    const myr_act *act;
    void *action; /* (envs, steps, nu), NULL: not asked for */
} play_run;

/* Actions of the block's samples, environment `first` and those behind it, in control step `step`. */
static void keep(const play_run *run, const float *action, int64_t first, int samples, int64_t step) {
    const int nu = run->policy->actions, wide = myr_policy_wide(run->policy);
    for (int i = 0; run->action && i < samples; i++) {
        const int64_t at = ((first + i) * run->act->steps + step) * nu;
        for (int k = 0; k < nu; k++) {
            if (run->act->type == MYR_F32)
                ((float *)run->action)[at + k] = action[i * wide + k];
            else
                ((double *)run->action)[at + k] = (double)action[i * wide + k];
        }
    }
}

static void play_tiles(void *context, int worker) {
    const play_run *run = context;
    const myr_batch *batch = run->batch;
    const int lanes = batch->layout.lanes, group = MYR_NET_BLOCK / lanes;
    const myr_policy_room room = myr_policy_room_of(run->policy, worker);
    const myr_act look = {.steps = 1, .type = MYR_F32, .observation = room.seen};
    myr_tile_job job = myr_batch_job(batch, worker);
    job.steps = 1, job.action_lane = myr_policy_wide(run->policy), job.action_number = 1;
    const int64_t end = myr_batch_first_tile(batch, worker + 1);
    for (int64_t first = myr_batch_first_tile(batch, worker); first < end; first += group) {
        const int64_t last = first + group < end ? first + group : end;
        const int64_t to = last * lanes < batch->envs ? last * lanes : batch->envs;
        const int samples = (int)(to - first * lanes);
        for (int64_t step = 0; step < run->act->steps; step++) {
            job.act = &look, job.first_step = 0, job.action = NULL;
            for (int64_t t = first; t < last; t++) {
                myr_batch_job_on(&job, batch, t, last);
                job.first_row -= first * lanes; /* what is seen is the block's */
                batch->kernels->observe_tile(&job);
            }
            const float *action = myr_policy_forward(run->policy, &room, samples);
            keep(run, action, first * lanes, samples, step);
            job.act = run->act, job.first_step = step;
            for (int64_t t = first; t < last; t++) {
                myr_batch_job_on(&job, batch, t, last);
                job.action = action + (t - first) * lanes * job.action_lane;
                batch->kernels->step_tile(&job);
            }
        }
    }
}

static myr_status fits(const myr_policy *p, const myr_batch *batch, const char *call) {
    if (myr_batch_observations(batch) != p->observations || batch->layout.task.actions != p->actions)
        return myr_fail(MYR_E_ARG, "%s: the policy is for %d observations and %d actions, the batch has %d and %d", call, p->observations,
                        p->actions, myr_batch_observations(batch), batch->layout.task.actions);
    if (batch->team->threads > p->team->threads)
        return myr_fail(MYR_E_ARG, "%s: the batch has %d threads, the policy %d: it needs as many at least", call, batch->team->threads,
                        p->team->threads);
    return MYR_OK;
}

myr_status myr_policy_act(const myr_policy *policy, myr_batch *batch, const myr_act *act, void *action) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_policy_act";
    if (!policy) return myr_fail(MYR_E_ARG, "%s: policy is NULL", call);
    myr_status status = myr_act_check(batch, act, call);
    if (status == MYR_OK) status = fits(policy, batch, call);
    if (status != MYR_OK) return status;
    if (act->action) return myr_fail(MYR_E_ARG, "%s: act->action must be NULL: the policy acts", call);
    play_run run = {policy, batch, act, action};
    if (act->steps > 0) myr_batch_timed(batch, play_tiles, &run);
    return MYR_OK;
}
