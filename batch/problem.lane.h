/* The contact problem that the next step solves, without the step: the stages before `solve`, for one lane alone. */
#ifndef MYR_BATCH_PROBLEM_LANE_H
#define MYR_BATCH_PROBLEM_LANE_H

#include "batch/task.lane.h"
#include "constraints/assemble.lane.h"

static inline double lane_value(const vf *a, int lane) { return (double)((const real *)(const void *)a)[lane]; }

/* Entry (row, column) of G, of which the blocks on and below the diagonal are stored. */
static inline double lane_mobility(const problem *c, int row, int column, int lane) {
    const int first = 3 * c->n;
    if (row >= first && row >= column) return lane_value(problem_row_G(c, row - first) + column, lane);
    if (column >= first) return lane_value(problem_row_G(c, column - first) + row, lane);
    const int i = row / 3, k = column / 3;
    const vf *block = i >= k ? problem_block(c, i, k) + 3 * (row % 3) + column % 3 : problem_block(c, k, i) + 3 * (column % 3) + row % 3;
    return lane_value(block, lane);
}

/* The rows behind the contacts. */
static void lane_rows_out(const part *p, int lane, myr_problem_room *out) {
    const scalar_rows *rows = &p->w->contact.rows;
    const int first = 3 * p->w->contact.n;
    for (int k = 0; k < rows->n; k++) {
        const double three[3] = {lane_value(rows->f + k, lane), lane_value(rows->lo + k, lane), lane_value(rows->hi + k, lane)};
        if (out->c) out->c[first + k] = lane_value(rows->c + k, lane);
        if (out->R) out->R[first + k] = 0;
        if (out->start) out->start[first + k] = lane_value(rows->lambda + k, lane);
        if (out->row_ids) out->row_ids[k] = p->w->row[k];
        for (int i = 0; out->stairs && i < 3; i++) out->stairs[3 * k + i] = three[i];
    }
}

/* With one lane alive every occupied slot is that lane's, so that contact n is occupied slot n, packed or not. */
static void lane_problem_out(const part *p, int lane, myr_problem_room *out) {
    const problem *c = &p->w->contact;
    const int first = p->r->layout.first[MYR_ROWS_impulse], m = 3 * c->n + c->rows.n;
    out->contacts = c->n;
    out->rows = c->rows.n;
    if (c->n > out->room || c->rows.n > out->room_rows) return;
    for (int row = 0; out->G && row < m; row++)
        for (int column = 0; column < m; column++) out->G[(size_t)row * (size_t)m + (size_t)column] = lane_mobility(c, row, column, lane);
    lane_rows_out(p, lane, out);
    for (int k = 0; k < 3 * c->n; k++) {
        if (out->c) out->c[k] = lane_value(c->c + k, lane);
        if (out->R) out->R[k] = c->compliant ? lane_value(c->R + k, lane) : 0;
        if (out->start) out->start[k] = lane_value(c->lambda + k, lane);
    }
    for (int n = 0; n < c->n; n++) {
        if (out->mu) out->mu[n] = lane_value(c->mu + n, lane);
        if (out->slots) out->slots[n] = (p->r->slots[p->w->slot[n]].row - first) / 3;
    }
}

static void problem_of_lane(const myr_tile_job *job, int lane, myr_problem_room *out) {
    workspace w = {0};
    const robot *r = job->robot;
    const int k = lane / VN;
    workspace_open(&w, r, job->workspace);
    part p = {.r = r, .w = &w, .tile = (char *)job->tile + (size_t)k * sizeof(vf), .options = job->options};
    p.dt = (real)job->options->dt_s;
    if (job->meta->changed) myr_judge_parameters(r->model, &r->layout, job->options, job->tile, job->meta, 1u << lane);
    p.alive = job->meta->quarantine[lane] == MYR_HEALTHY ? 1u << (lane - k * VN) : 0;
    out->contacts = out->rows = 0;
    if (!p.alive) return;
    task_control(&p, job->meta, job->tile, k * VN, 0);
    actuate(&p);
    kinematics(&p);
    collide(&p);
    dynamics(&p);
    free_velocity(&p);
    assemble(&p);
    lane_problem_out(&p, lane - k * VN, out);
}

#endif
