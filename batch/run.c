#include <string.h>
#include <time.h>

#include "batch/batch.h"
#include "machine/machine.h"

double myr_now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Numbers of one environment in the caller's arrays. */
static int64_t control_width(const myr_batch *batch) { return batch->model.nu; }
static int64_t state_width(const myr_batch *batch) { return batch->model.nq + batch->model.nv; }

void myr_batch_step_tiles(const myr_batch *batch, myr_tile_job *job, int64_t first, int64_t end) {
    for (int64_t t = first; t < end; t++) {
        myr_batch_job_on(job, batch, t, end);
        batch->kernels->step_tile(job);
    }
}

typedef struct steps_run {
    const myr_batch *batch;
    const myr_tile_job *asked;
} steps_run;

/* A tile goes through all its steps before the next one starts, so that it stays in the cache of its core. */
static void run_worker(void *context, int worker) {
    const steps_run *run = context;
    myr_tile_job job = myr_batch_job(run->batch, worker);
    job.steps = run->asked->steps, job.rollout = run->asked->rollout, job.act = run->asked->act;
    myr_batch_step_tiles(run->batch, &job, myr_batch_first_tile(run->batch, worker), myr_batch_first_tile(run->batch, worker + 1));
}

void myr_batch_run(myr_batch *batch, const myr_tile_job *asked) {
    steps_run run = {batch, asked};
    if (asked->steps > 0) myr_batch_timed(batch, run_worker, &run);
}

void myr_batch_timed(myr_batch *batch, void (*work)(void *context, int worker), void *context) {
    const double start_s = myr_now_s();
    const uint64_t start = myr_ticks();
    myr_team_run(batch->team, work, context);
    batch->ticks += (double)(myr_ticks() - start);
    batch->wall_s += myr_now_s() - start_s;
}

myr_status myr_batch_step(myr_batch *batch, int64_t steps) {
    MYR_OWN_ARITHMETIC;
    const myr_status status = myr_batch_check(batch, "myr_batch_step");
    if (status != MYR_OK) return status;
    if (steps < 0) return myr_fail(MYR_E_ARG, "myr_batch_step: steps is %lld", (long long)steps);
    const myr_tile_job asked = {.steps = steps};
    myr_batch_run(batch, &asked);
    return MYR_OK;
}

/* One of the caller's arrays, named: its rows must not overlap, and its size must be one that a size_t can say. */
static myr_status check_array(const myr_batch *batch, const char *name, int64_t steps, int64_t width, int64_t stride) {
    const char *call = "myr_batch_rollout";
    int64_t row, scalars, bytes;
    const int row_fits = !__builtin_mul_overflow(steps, width, &row);
    if (stride < 0 || (stride > 0 && row_fits && stride < row))
        return myr_fail(MYR_E_ARG, "%s: %s_stride is %lld, but must be 0 or at least %lld steps of %lld numbers", call, name,
                        (long long)stride, (long long)steps, (long long)width);
    if (!row_fits || __builtin_mul_overflow(stride > 0 ? stride : row, batch->tiles * batch->layout.lanes, &scalars) ||
        __builtin_mul_overflow(scalars, (int64_t)sizeof(double), &bytes))
        return myr_fail(MYR_E_LIMIT, "%s: the %s array of %lld steps has more bytes than an address", call, name, (long long)steps);
    return MYR_OK;
}

myr_status myr_batch_rollout(myr_batch *batch, const myr_rollout *rollout) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_batch_rollout";
    myr_status status = myr_batch_check(batch, call);
    if (status != MYR_OK) return status;
    if (!rollout) return myr_fail(MYR_E_ARG, "%s: rollout is NULL", call);
    if (rollout->steps < 0) return myr_fail(MYR_E_ARG, "%s: steps is %lld", call, (long long)rollout->steps);
    if ((rollout->control || rollout->state) && rollout->type != MYR_F32 && rollout->type != MYR_F64)
        return myr_fail(MYR_E_ARG, "%s: type is %d, but must be MYR_F32 or MYR_F64", call, (int)rollout->type);
    if (rollout->control && rollout->control_field != MYR_TARGET && rollout->control_field != MYR_TORQUE &&
        rollout->control_field != MYR_CONTROL)
        return myr_fail(MYR_E_ARG, "%s: control_field is %d, but must be MYR_TARGET, MYR_TORQUE or MYR_CONTROL", call,
                        (int)rollout->control_field);
    status = check_array(batch, "control", rollout->steps, control_width(batch), rollout->control_stride);
    if (status == MYR_OK) status = check_array(batch, "state", rollout->steps, state_width(batch), rollout->state_stride);
    if (status != MYR_OK) return status;
    if (rollout->control && rollout->control_field != MYR_TARGET) batch->options.varied |= MYR_VARIED_TORQUE;
    const myr_tile_job asked = {.steps = rollout->steps, .rollout = rollout};
    myr_batch_run(batch, &asked);
    return MYR_OK;
}
