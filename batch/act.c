#include "myriapod/act.h"

#include <stdio.h>
#include <string.h>

#include "batch/batch.h"
#include "tasks/task.h"

static myr_status check_task(const myr_batch *batch, const char *call) {
    const myr_status status = myr_batch_check(batch, call);
    if (status != MYR_OK || batch->layout.task.terms) return status;
    char names[200] = "";
    for (int k = 0; myr_task_name(k); k++) {
        const size_t used = strlen(names);
        if (myr_task_reward_count(myr_task_name(k)))
            snprintf(names + used, sizeof names - used, "%s'%s'", used ? " or " : "", myr_task_name(k));
    }
    return myr_fail(MYR_E_STATE, "%s: this batch was made for the task '%s'; create it with task %s", call, batch->options.task->name,
                    names);
}

/* Do the largest of the caller's arrays have a size that a size_t can say? */
static int fits(const myr_batch *batch, const myr_act *act) {
    int64_t scalars, bytes;
    const int64_t row = (int64_t)myr_batch_observations(batch) + batch->layout.task.critics + batch->layout.task.actions +
                        batch->layout.task.terms + batch->model.nq + batch->model.nv;
    return !__builtin_mul_overflow(act->steps, row, &scalars) &&
           !__builtin_mul_overflow(scalars, batch->tiles * batch->layout.lanes, &scalars) &&
           !__builtin_mul_overflow(scalars, (int64_t)sizeof(double), &bytes);
}

myr_status myr_act_check(const myr_batch *batch, const myr_act *act, const char *call) {
    const myr_status status = check_task(batch, call);
    if (status != MYR_OK) return status;
    if (!act) return myr_fail(MYR_E_ARG, "%s: act is NULL", call);
    if (act->steps < 0) return myr_fail(MYR_E_ARG, "%s: steps is %lld", call, (long long)act->steps);
    if ((int)act->autoreset < MYR_AUTORESET_SAME_STEP || (int)act->autoreset > MYR_AUTORESET_DISABLED)
        return myr_fail(MYR_E_ARG, "%s: autoreset is %d, which is not a myr_autoreset", call, (int)act->autoreset);
    if (act->type != MYR_F32 && act->type != MYR_F64)
        return myr_fail(MYR_E_ARG, "%s: type is %d, but must be MYR_F32 or MYR_F64", call, (int)act->type);
    if (!fits(batch, act))
        return myr_fail(MYR_E_LIMIT, "%s: arrays of %lld steps have more bytes than an address", call, (long long)act->steps);
    return MYR_OK;
}

myr_status myr_batch_act(myr_batch *batch, const myr_act *act) {
    MYR_OWN_ARITHMETIC;
    const myr_status status = myr_act_check(batch, act, "myr_batch_act");
    if (status != MYR_OK) return status;
    const myr_tile_job asked = {.steps = act->steps, .act = act};
    myr_batch_run(batch, &asked);
    return MYR_OK;
}

typedef struct observe_run {
    const myr_batch *batch;
    const myr_act *act;
} observe_run;

static void observe_worker(void *context, int worker) {
    const observe_run *run = context;
    myr_tile_job job = myr_batch_job(run->batch, worker);
    job.act = run->act;
    const int64_t end = myr_batch_first_tile(run->batch, worker + 1);
    for (int64_t t = myr_batch_first_tile(run->batch, worker); t < end; t++) {
        myr_batch_job_on(&job, run->batch, t, end);
        run->batch->kernels->observe_tile(&job);
    }
}

static myr_status look(const myr_batch *batch, myr_type type, void *out, int critic, const char *call) {
    const myr_status status = check_task(batch, call);
    if (status != MYR_OK) return status;
    if (type != MYR_F32 && type != MYR_F64) return myr_fail(MYR_E_ARG, "%s: type is %d, but must be MYR_F32 or MYR_F64", call, (int)type);
    if (!out) return myr_fail(MYR_E_ARG, "%s: out is NULL", call);
    const myr_act act = {.steps = 1, .type = type, .observation = critic ? NULL : out, .critic = critic ? out : NULL};
    observe_run run = {batch, &act};
    myr_team_run(batch->team, observe_worker, &run);
    return MYR_OK;
}

myr_status myr_batch_observe(const myr_batch *batch, myr_type type, void *out) {
    MYR_OWN_ARITHMETIC;
    return look(batch, type, out, 0, "myr_batch_observe");
}

myr_status myr_batch_observe_critic(const myr_batch *batch, myr_type type, void *out) {
    MYR_OWN_ARITHMETIC;
    return look(batch, type, out, 1, "myr_batch_observe_critic");
}

int myr_batch_critic_observations(const myr_batch *batch) { return batch ? batch->layout.task.critics : 0; }

int myr_batch_observations(const myr_batch *batch) { return batch ? batch->layout.task.observations : 0; }
