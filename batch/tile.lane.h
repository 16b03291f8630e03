/* A part of a tile on its way through a job: which of its lanes live, and the states that are written as it goes. */
#ifndef MYR_BATCH_TILE_LANE_H
#define MYR_BATCH_TILE_LANE_H

#include "batch/account.lane.h"

typedef struct tile_part {
    part p;
    const myr_tile_job *job;
    int first_lane, lanes; /* lanes: environments among the part's */
    int64_t step;          /* control step of the job */
    account sums;
    uint64_t physics; /* ticks of the stages in this control step */
    /* Control steps of a task: lanes whose episode is over and not begun anew, that move, that have a fault. */
    unsigned waiting, moved, faulted;
} tile_part;

/* What is done around the steps of dt of one control step. */
typedef struct control {
    void (*begin)(tile_part *a);
    void (*each)(tile_part *a, int sub); /* before step 0, 1, .. of them; NULL: nothing */
    void (*end)(tile_part *a);
    int keeps; /* iterations and residuals of each control step are kept for the caller, not those of the job's last one alone */
} control;

static unsigned every_lane(const tile_part *a) { return (1u << a->lanes) - 1; }

/* Lanes that are environments and healthy. */
static unsigned living(const tile_part *a) {
    unsigned bits = 0;
    for (int lane = 0; lane < a->lanes; lane++)
        if (a->job->meta->quarantine[a->first_lane + lane] == MYR_HEALTHY) bits |= 1u << lane;
    return bits;
}

static tile_part tile_part_open(const myr_tile_job *job, workspace *w, int k) {
    const int left = job->meta->lanes_used - k * VN;
    tile_part a = {.job = job, .first_lane = k * VN, .lanes = left < 0 ? 0 : left > VN ? VN : left, .sums = account_open()};
    a.p = part_open(job->robot, w, job->tile, job->options, k);
    a.p.meta = job->meta, a.p.first_lane = a.first_lane;
    a.p.next_tile = k == 0 ? job->next_tile : NULL;
    w->posed = 0;
    a.p.alive = living(&a);
    return a;
}

/* Lanes that stop here, after `done` steps of dt of the control step. */
static void quarantine(tile_part *a, int done) {
    part *p = &a->p;
    const unsigned bad = p->w->bad, stopped = stopped_lanes(bad);
    for (int lane = 0; lane < VN; lane++) {
        myr_tile_meta *meta = a->job->meta;
        const int at = a->first_lane + lane;
        if (stopped >> lane & 1u) meta->step[at] += done;
        if (bad >> lane & 1u) meta->quarantine[at] = MYR_QUARANTINE_NOT_FINITE;
        if (bad >> (16 + lane) & 1u) meta->quarantine[at] = MYR_QUARANTINE_SPEED;
        if (stopped & p->w->crowded & 1u << lane) meta->quarantine[at] = MYR_QUARANTINE_CONTACTS;
        if (stopped & p->w->spun & 1u << lane) meta->quarantine[at] = MYR_QUARANTINE_ROTATION;
        if (stopped & p->w->strayed & 1u << lane) meta->quarantine[at] = MYR_QUARANTINE_MAP;
    }
    p->alive &= ~stopped;
}

/* q, then v, of the present state into the row of this control step. stride: numbers from one environment to the next. */
static void write_state(const tile_part *a, myr_type type, void *array, int64_t stride) {
    const robot *r = a->p.r;
    const int count = r->nq + r->nv;
    for (int k = 0; k < count; k++) {
        const vf *from = row(&a->p, k < r->nq ? r->layout.first[MYR_ROWS_q] + k : r->layout.first[MYR_ROWS_v] + k - r->nq);
        real value[VN];
        memcpy(value, from, sizeof value);
        for (int lane = 0; lane < a->lanes; lane++) {
            const int64_t at = (a->job->first_row + a->first_lane + lane) * stride + (a->job->first_step + a->step) * count + k;
            if (type == MYR_F32)
                ((float *)array)[at] = (float)value[lane];
            else
                ((double *)array)[at] = (double)value[lane];
        }
    }
}

#endif
