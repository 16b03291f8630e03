/* A planner from within: its plan, what it knows of the robot, and the samples of the last iteration. */
#ifndef MYR_PLAN_PLANNER_H
#define MYR_PLAN_PLANNER_H

#include "batch/batch.h"
#include "myriapod/plan.h"
#include "plan/kernels.h"

/* What a worker has of a tile's way: actions in, terms out. */
typedef struct myr_plan_room {
    float *action; /* (steps, actions x 16) */
    double *terms; /* (16, steps, n_terms); NULL: nothing terminal counts */
} myr_plan_room;

/* An environment out of its tile: what its figures beside the rows are, and the rows themselves as doubles. */
typedef struct myr_plan_start {
    int known, judged;     /* judged: parameters are those of the last start, and legal */
    const myr_batch *from; /* never followed: another batch has parameters of its own */
    int64_t step;
    uint64_t episode;
    uint32_t draws;
    uint8_t pause, wait;
    double *rows; /* (layout.rows) */
} myr_plan_start;

struct myr_planner {
    myr_plan_options options;
    myr_batch *batch;
    const myr_plan_kernels *kernels;
    size_t bytes;
    int actions, terms, count; /* count: numbers of a plan */
    int64_t samples;
    double *plan, *sigma;  /* (count), the caller's to write */
    double *spread;        /* (count): sigma within a plan, which CEM changes */
    double *next;          /* (count): a plan while it is shifted */
    double *lower, *upper; /* (actions) */
    double *terminal;      /* (terms); NULL: nothing */
    double *weights;       /* (knots): a spline's */
    double gone;           /* of knots that hold: control steps of the first one that are over */
    double *cost, *weight; /* (tiles * lanes of the batch) */
    int64_t *elite;        /* (elites) */
    double *sums;          /* (2, count, 16) */
    myr_plan_start start;
    void *begin;    /* (layout.tile_bytes): the rows of a tile at `start` */
    uint32_t draws; /* iterations so far */
    /* As lanes take them: the plan of this iteration, its noise, bounds, the spline. */
    float *mean, *drawn, *low, *high, *basis;
    float *knots;  /* (tiles, count x 16) of the last iteration */
    double *shown; /* (16, steps, nq + nv): of a replay's tile */
    double *told;  /* (16, steps, terms): likewise */
    char *rooms;   /* of the workers */
    size_t room_bytes;
};

myr_plan_room myr_plan_room_of(const myr_planner *planner, int worker);

/* plan/options.c: MYR_E_ARG names the option that is out of range. */
myr_status myr_plan_options_check(const myr_plan_options *options, int64_t samples);

/* plan/start.c: a healthy environment of a batch, into rows as `to` has them; and all lanes of a tile of that as it is: its rows and its
 * meta. */
void myr_plan_start_take(myr_plan_start *start, const myr_batch *from, int64_t env, const myr_batch *to);
void myr_plan_start_rows(const myr_plan_start *start, const myr_batch *to, void *rows);
void myr_plan_start_meta(const myr_plan_start *start, const myr_batch *to, myr_tile_meta *meta);

/* plan/roll.c: the samples of a tile of the batch through the horizon, by their knots, and what they cost; infinite: lost. state: (samples
 * of the tile, steps, nq + nv), terms: (.., steps, terms), NULL: not wanted. */
void myr_plan_roll(const myr_planner *planner, int worker, int64_t tile, double *cost, double *state, double *terms);

/* plan/planner.c: what each step of a draw takes of the knots; a draw keeps its own, which its samples are looked at by. */
void myr_plan_spread_basis(myr_planner *planner);

/* plan/update.c: costs -> weights -> the next plan, and what is reported of it. */
void myr_plan_update_by(myr_planner *planner, myr_plan_report *report);

#endif
