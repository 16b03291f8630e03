/* What a table offers beside steps: poses of the present state, poses that close the loops, and the model's own equations. */
#ifndef MYR_BATCH_ENTRIES_LANE_H
#define MYR_BATCH_ENTRIES_LANE_H

#include "batch/sense.lane.h"
#include "constraints/loops_project.lane.h"
#include "dynamics/evaluate.lane.h"
#include "dynamics/inverse.lane.h"

/* What is shown of the present state. */
static void refresh_tile(const void *memory, void *space, void *tile, const myr_tile_meta *meta, const myr_step_options *options,
                         unsigned lanes) {
    workspace w = {0};
    workspace_open(&w, memory, NULL, space);
    for (int k = 0; k < PARTS; k++) {
        part p = part_open(memory, &w, tile, options, k);
        p.meta = meta, p.first_lane = k * VN;
        const unsigned mine = lanes >> (k * VN) & ((1u << VN) - 1);
        if (mine) sense_state(&p, vm_from_bits(mine), 0);
    }
}

/* Poses that close the loops; open (nullable): how far open each lane is then. */
static void settle_tile(const void *memory, void *space, void *tile, const myr_step_options *options, unsigned lanes, double *open) {
    workspace w = {0};
    workspace_open(&w, memory, NULL, space);
    for (int k = 0; k < PARTS; k++) {
        const part p = part_open(memory, &w, tile, options, k);
        const unsigned mine = lanes >> (k * VN) & ((1u << VN) - 1);
        if (mine) loops_settle(&p, mine);
        for (int lane = 0; open && lane < VN; lane++) open[k * VN + lane] = mine >> lane & 1u ? lane_value(&w.loop_error, lane) : 0;
    }
}

/* Options of the calls that evaluate a robot and do not step it. With full_poses kinematics stores rotations. */
static const myr_step_options evaluation_options = {.varied = MYR_VARIED_INERTIAL, .full_poses = 1, .dt_s = 1};

/* The rows of the tile are read alone, but a part may write to its tile: it is the caller's own, and not const. */
static void eval_tile(const void *memory, void *space, void *tile, void *out) {
    const robot *r = memory;
    workspace w = {0};
    myr_eval_rows rows;
    workspace_open(&w, r, NULL, space);
    eval_rows(r->model, &rows);
    for (int k = 0; k < PARTS; k++) {
        part p = part_open(r, &w, tile, &evaluation_options, k);
        p.alive = (1u << VN) - 1;
        eval_part(&p, &rows, (char *)out + (size_t)k * sizeof(vf));
    }
}

static void inverse_tile(const void *memory, void *space, void *tile, void *rates, void *tau) {
    workspace w = {0};
    workspace_open(&w, memory, NULL, space);
    for (int k = 0; k < PARTS; k++) {
        const part p = part_open(memory, &w, tile, &evaluation_options, k);
        inverse_part(&p, (char *)rates + (size_t)k * sizeof(vf), (char *)tau + (size_t)k * sizeof(vf));
    }
}

static void jacobian_tile(const void *memory, void *space, void *tile, int body, const double at[3], void *out) {
    workspace w = {0};
    const real point[3] = {(real)at[0], (real)at[1], (real)at[2]};
    workspace_open(&w, memory, NULL, space);
    for (int k = 0; k < PARTS; k++) {
        const part p = part_open(memory, &w, tile, &evaluation_options, k);
        jacobian_part(&p, body, point, (char *)out + (size_t)k * sizeof(vf));
    }
}

#endif
