/* Steps of one tile: what goes with its environments beside the lanes' arithmetic, and the job that lane code gets. */
#ifndef MYR_KERNELS_STEP_JOB_H
#define MYR_KERNELS_STEP_JOB_H

#include <stdint.h>

#include "kernels/step_options.h"
#include "kernels/tally.h"
#include "layouts/layout.h"
#include "myriapod/act.h"
#include "myriapod/batch.h"

/* Statistics that cost something come from one step in 16 of each tile, however long the calls are. A step is sampled where the tile's
 * phase is in the first sixteenth of its turn, and each step moves the phase by a golden part of a turn: no period of a task, of a call or
 * of the number of tiles keeps to that, so each tile and each moment of a gait gets its share. */
#define MYR_SAMPLE_TURN UINT64_C(0x9e3779b97f4a7c15)
#define MYR_SAMPLE_SHARE (UINT64_C(1) << 60)

/* Slots of a tile that may hold an impulse, or show a contact, in order; the others do not. n -1: any may. With hundreds of slots, of which
 * a step touches a dozen, a call of few steps would else spend its time on rows of zeros. */
enum { MYR_TILE_HAD = 191 };
typedef struct myr_had_slots {
    int16_t n;
    uint16_t slot[MYR_TILE_HAD]; /* indices into robot->slots */
} myr_had_slots;

/* Per-environment things that are not lanes' arithmetic; arrays of W, beside the tile. Whole cache lines: every call writes them, and the
 * next tile's may be another worker's. */
typedef struct myr_tile_meta {
    _Alignas(MYR_ROW_BYTES) int64_t global_id; /* of lane 0 */
    int lanes_used;                            /* lanes beyond are padding: never active, never counted */
    uint64_t sample_phase;                     /* of the tile's next step, in 2^-64 turns */
    int64_t step[16];                          /* steps of dt since the reset */
    uint64_t episode[16];
    uint32_t draws[16]; /* random blocks used in this episode */
    uint8_t quarantine[16];
    uint16_t changed;            /* bit per lane: parameters may have been written since they were last judged (batch/legal.h) */
    uint8_t ended[16];           /* the episode is over and the next one has not begun (autoreset other than same-step) */
    uint8_t pause[16], wait[16]; /* of the lane's solves: kernels/contact/pause.lane.h */
    int32_t iterations[16];
    uint8_t solve_status[16];
    double residual[16], residual_ncp[16];
    myr_had_slots had;
} myr_tile_meta;

/* A call other than a step has written impulses, or begun an episode: which slots have impulses is unknown. */
static inline void myr_impulses_changed(myr_tile_meta *meta) { meta->had.n = -1; }

/* Steps of one tile. Of the arrays of `rollout` and `act`, which are the caller's, the tile's first environment is row `first_row`, and the
 * job's first control step their `first_step`. */
typedef struct myr_tile_job {
    const void *robot; /* made by robot_build */
    void *workspace;   /* workspace_bytes, 64-byte aligned, one per worker */
    void *programs;    /* rows of the task's programs, likewise; NULL: it has none */
    void *tile;
    const void *next_tile; /* the worker's next one, NULL: none */
    myr_tile_meta *meta;
    const myr_step_options *options;
    myr_tally *tally;
    int64_t steps; /* control steps; at most what rollout->steps or act->steps leaves */
    int64_t first_row, first_step;
    const myr_rollout *rollout; /* NULL: the controls are what the fields hold, and states are not asked for */
    const myr_act *act;         /* control steps of the task; NULL: steps as they are */
    /* Instead of act->action, NULL: that one. Number k for a lane of the tile in a control step of the job is
     * action[lane * action_lane + step * action_step + k * action_number]. */
    const float *action;
    int64_t action_lane, action_step, action_number;
    /* (lanes of the tile): what each control step pays is taken off it. Not NULL: these are samples of a plan, to which no new command, no
     * push and no end of time comes. */
    double *cost;
} myr_tile_job;

#endif
