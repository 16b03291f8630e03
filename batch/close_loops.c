/* myr_batch_close_loops: the poses of chosen environments, moved until their loops close. */
#include <string.h>

#include "batch/batch.h"
#include "layouts/pack.h"

typedef struct closing {
    myr_batch *batch;
    const uint8_t *chosen; /* by environment */
    double *open;          /* likewise, out [m, rad] */
    char *before;          /* room for the positions of a tile, by worker */
} closing;

/* Open by less than this is closed [m, rad]. */
static double closed(const myr_batch *batch) { return batch->layout.precision == 4 ? 1e-4 : 1e-9; }

/* What does not close stays where it was. */
static void close_tile(const closing *job, int worker, int64_t tile) {
    const myr_batch *batch = job->batch;
    const myr_layout *layout = &batch->layout;
    const int used = batch->metas[tile].lanes_used, nq = layout->count[MYR_ROWS_q];
    const int64_t first = tile * layout->lanes;
    const size_t bytes = (size_t)nq * MYR_ROW_BYTES;
    char *rows = myr_batch_tile(batch, tile), *q = rows + (size_t)layout->first[MYR_ROWS_q] * MYR_ROW_BYTES;
    char *before = job->before + (size_t)worker * bytes;
    double open[MYR_ROW_BYTES / sizeof(float)];
    unsigned mine = 0;
    for (int lane = 0; lane < used; lane++)
        if (job->chosen[first + lane]) mine |= 1u << lane;
    if (!mine) return;
    memcpy(before, q, bytes);
    batch->kernels->settle_tile(batch->robot, myr_batch_workspace(batch, worker), rows, &batch->options, mine, open);
    for (int lane = 0; lane < used; lane++) {
        if (!(mine >> lane & 1u)) continue;
        job->open[first + lane] = open[lane];
        if (open[lane] <= closed(batch)) continue;
        const size_t at = (size_t)lane * (size_t)layout->precision;
        for (int k = 0; k < nq; k++)
            memcpy(q + (size_t)k * MYR_ROW_BYTES + at, before + (size_t)k * MYR_ROW_BYTES + at, (size_t)layout->precision);
    }
}

static void close_tiles(void *context, int worker) {
    const closing *job = context;
    for (int64_t t = myr_batch_first_tile(job->batch, worker); t < myr_batch_first_tile(job->batch, worker + 1); t++)
        close_tile(job, worker, t);
}

/* The answers, and the first environment that did not close. */
static myr_status tell(const closing *job, const int64_t *ids, int64_t n, double *open) {
    int64_t torn = -1, count = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t env = ids ? ids[i] : i;
        if (open) open[i] = job->open[env];
        if (job->open[env] <= closed(job->batch)) continue;
        torn = torn < 0 ? env : torn;
        count++;
    }
    if (torn < 0) return MYR_OK;
    return myr_fail(
        MYR_E_STATE,
        "myr_batch_close_loops: the loops of environment %lld do not close from where it is: open by %.3g m or rad at best; %lld "
        "such environments stay as they were",
        (long long)torn, job->open[torn], (long long)count);
}

myr_status myr_batch_close_loops(myr_batch *batch, const int64_t *ids, int64_t n, double *open) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_batch_close_loops";
    myr_status status = myr_batch_check(batch, call);
    if (status == MYR_OK) status = myr_batch_check_ids(batch, call, ids, n);
    if (status != MYR_OK) return status;
    for (int64_t i = 0; open && i < n; i++) open[i] = 0;
    if (!batch->model.n_loops || n == 0) return MYR_OK;
    const size_t envs = (size_t)batch->envs, room = (size_t)batch->layout.count[MYR_ROWS_q] * MYR_ROW_BYTES;
    char *memory = myr_allocate(envs * (sizeof(double) + 1) + MYR_ROW_BYTES + (size_t)batch->team->threads * room, MYR_ROW_BYTES);
    if (!memory) return myr_fail(MYR_E_MEMORY, "%s: out of memory for %zu environments", call, envs);
    uint8_t *chosen = (uint8_t *)memory + envs * sizeof(double);
    char *before = memory + (envs * (sizeof(double) + 1) + MYR_ROW_BYTES - 1) / MYR_ROW_BYTES * MYR_ROW_BYTES;
    closing job = {.batch = batch, .chosen = chosen, .open = (double *)(void *)memory, .before = before};
    for (int64_t i = 0; i < n; i++) chosen[ids ? ids[i] : i] = 1;
    myr_team_run(batch->team, close_tiles, &job);
    status = tell(&job, ids, n, open);
    myr_release(memory);
    return status;
}
