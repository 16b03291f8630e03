/* Inside of a batch, for the files of this folder. N environments lie in tiles of W lanes; the tiles are dealt to the
 * workers in contiguous runs, and first touch, pinning, reset and stepping all use that one split:
 *
 *     tiles:   [0][1][2]   [3][4][5]   [6][7]        worker w has tiles first(w) .. first(w + 1) - 1
 *               worker 0    worker 1   worker 2      first(w) = tiles * w / workers
 *
 * so that a tile's pages lie on the NUMA node of the core that steps it. A worker writes its own tiles, its own metas,
 * its own workspace and its own tally, nothing else; the caller reads them after the team has joined. There is no lock
 * and nothing to lock. No two of these share a cache line. Nor do two workers' blocks share a page, unless a caller's
 * allocator supplies them (tests/batch/test_sharing.c). */
#ifndef MYR_BATCH_BATCH_H
#define MYR_BATCH_BATCH_H

#include <stdint.h>
#include <sys/types.h>

#include "settings/settings.h"
#include "base/threads.h"
#include "kernels/kernels.h"
#include "layouts/inertial.h"
#include "layouts/layout.h"
#include "myriapod/act.h"
#include "myriapod/batch.h"
#include "myriapod/task.h"

/* batch/run.c: wall clock [s], and the time of the calls that step, for the statistics. */
double myr_now_s(void);
void myr_batch_timed(myr_batch *batch, void (*work)(void *context, int worker), void *context);

struct myr_batch {
    const myr_model *source; /* own reference */
    myr_model model;         /* the same with this batch's slots; what the lane code sees, hence kept as long as it */
    const myr_kernels *kernels;
    myr_layout layout;
    myr_settings settings; /* as given, `auto` not resolved */
    myr_step_options options;
    myr_task_instance *instance; /* of the task */
    int64_t envs, tiles;
    void *robot;                                   /* constants of the model for the lane code; shared, read only in a step */
    uint8_t *geom_mask;                            /* n_geoms: may touch the ground */
    myr_slot *slots;                               /* the source's, with the friction of the settings */
    myr_joint_row *rows;                           /* the source's that the settings leave */
    char *arena;                                   /* tiles * layout.tile_bytes, 64-byte aligned */
    myr_tile_meta *metas;                          /* tiles */
    char *workers;                                 /* team->threads blocks of worker_bytes: tally, programs, workspace */
    size_t worker_bytes, tally_bytes, worker_used; /* worker_used: of each block what every step uses, tally included */
    size_t program_bytes;                          /* of each block behind the tally: rows of the task's programs */
    myr_team *team;                                /* a pointer: calls that only read the batch may use it too */
    struct myr_ray_table *rays;                    /* what rays may meet; NULL: nothing looked for geoms yet */
    size_t bytes;                                  /* of everything above */
    size_t reserved;                               /* of these what no step may ever touch: rooms of workers for the most contacts */
    int64_t pid;                                   /* the process whose threads may step this batch */
    /* Of the steps since the statistics were cleared. The caller writes them after every call, and every worker reads what is above at the
     * next one: in a cache line of their own, or each worker would have to fetch that line anew. */
    _Alignas(MYR_ROW_BYTES) double wall_s;
    double ticks;
    char warning[640]; /* of trial.c; "": none */
};

/* Makes the table of what rays may meet, unless there is one. */
myr_status myr_batch_see_shapes(myr_batch *batch);
/* myr_batch_create_for without the trial of what a task is to hold; that trial (trial.c). table NULL: the task of the settings. */
myr_status myr_batch_make(const myr_model *model, int64_t envs, const myr_settings *settings, const myr_task_table *table, myr_batch **out);
myr_status myr_batch_try(myr_batch *batch);

/* Room of the workers for the programs of this task in place of the batch's own; there may be enough. */
myr_status myr_batch_make_room(myr_batch *batch, const myr_task_instance *task);

static inline int64_t myr_batch_first_tile(const myr_batch *batch, int worker) {
    /* tiles * worker stays far below 2^63: at most 2^34 tiles (they must fit memory) and 4096 workers */
    return batch->tiles * worker / batch->team->threads;
}
static inline void *myr_batch_tile(const myr_batch *batch, int64_t tile) { return batch->arena + (size_t)tile * batch->layout.tile_bytes; }
/* The first step of the first tile is a sample: no run is too short to have one. */
static inline void myr_batch_start_samples(myr_batch *batch, int64_t tile) {
    batch->metas[tile].sample_phase = (uint64_t)tile * MYR_SAMPLE_TURN;
}
static inline myr_tally *myr_batch_tally(const myr_batch *batch, int worker) {
    return (myr_tally *)(void *)(batch->workers + (size_t)worker * batch->worker_bytes);
}
static inline void *myr_batch_programs(const myr_batch *batch, int worker) {
    return batch->workers + (size_t)worker * batch->worker_bytes + batch->tally_bytes;
}
static inline void *myr_batch_workspace(const myr_batch *batch, int worker) {
    return (char *)myr_batch_programs(batch, worker) + batch->program_bytes;
}

/* What a worker's job has whatever its tile; and what it has of tile t, behind which come those before `end`. */
static inline myr_tile_job myr_batch_job(const myr_batch *batch, int worker) {
    return (myr_tile_job){.robot = batch->robot,
                          .workspace = myr_batch_workspace(batch, worker),
                          .programs = myr_batch_programs(batch, worker),
                          .options = &batch->options,
                          .tally = myr_batch_tally(batch, worker)};
}
static inline void myr_batch_job_on(myr_tile_job *job, const myr_batch *batch, int64_t t, int64_t end) {
    job->tile = myr_batch_tile(batch, t);
    job->next_tile = t + 1 < end ? myr_batch_tile(batch, t + 1) : NULL;
    job->meta = &batch->metas[t];
    job->first_row = t * batch->layout.lanes;
}
/* batch/run.c: the job on tiles first..end - 1, one after the other. */
void myr_batch_step_tiles(const myr_batch *batch, myr_tile_job *job, int64_t first, int64_t end);
/* And on all tiles, by all workers, timed: of the job that is asked for steps, rollout and act. */
void myr_batch_run(myr_batch *batch, const myr_tile_job *asked);

/* MYR_E_ARG for NULL, MYR_E_FORK in a child process; `call` is the name of the public function. */
myr_status myr_batch_check(const myr_batch *batch, const char *call);
/* Every id in 0 .. envs - 1; ids NULL: n <= envs. */
myr_status myr_batch_check_ids(const myr_batch *batch, const char *call, const int64_t *ids, int64_t n);

/* batch/act.c: MYR_E_STATE for a batch of a task without control steps, MYR_E_ARG or MYR_E_LIMIT for an act that cannot be. */
myr_status myr_act_check(const myr_batch *batch, const myr_act *act, const char *call);

/* batch/options.c: settings -> what a step takes. given: its task, NULL: that of the settings. A task that the model cannot do is
 * MYR_E_ARG. */
myr_status myr_step_options_get(const myr_settings *settings, const myr_kernels *kernels, const myr_model *model, const myr_task *given,
                                myr_step_options *options);

/* batch/reset.c */
void myr_batch_task_geoms(const myr_model *model, const myr_task *task, uint8_t *geom_mask); /* which may touch the ground at first */
/* An environment onto a patch of its generated map. */
void myr_batch_put_on(const myr_batch *batch, int64_t env, int level, int column);
void myr_batch_start_tile(myr_batch *batch, int worker, int64_t tile); /* first touch, parameters, first reset of all lanes, padding too */

#endif
