/* The contact problem of one lane, from the workspace into the caller's arrays. */
#ifndef MYR_BATCH_PROBLEM_LANE_H
#define MYR_BATCH_PROBLEM_LANE_H

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

/* What loops hold has been taken out of the problem (constraints/loops_solve.lane.h). */
static int lane_has_contact(const problem *c, int n, int lane) { return lane_value(c->active + n, lane) > 0; }
static int lane_has_row(const problem *c, int k, int lane) { return lane_value(c->rows.active + k, lane) > 0; }
static int lane_has_component(const problem *c, int i, int lane) {
    return i < 3 * c->n ? lane_has_contact(c, i / 3, lane) : lane_has_row(c, i - 3 * c->n, lane);
}

/* The rows behind the contacts. */
static void lane_rows_out(const part *p, int lane, myr_problem_room *out) {
    const scalar_rows *rows = &p->w->contact.rows;
    const int first = 3 * out->contacts;
    for (int i = 0, k = 0; i < rows->n; i++) {
        if (!lane_has_row(&p->w->contact, i, lane)) continue;
        const double three[3] = {lane_value(rows->f + i, lane), lane_value(rows->lo + i, lane), lane_value(rows->hi + i, lane)};
        if (out->c) out->c[first + k] = lane_value(rows->c + i, lane);
        if (out->R) out->R[first + k] = 0;
        if (out->start) out->start[first + k] = lane_value(rows->lambda + i, lane);
        if (out->row_ids) out->row_ids[k] = p->w->row[i];
        for (int e = 0; out->stairs && e < 3; e++) out->stairs[3 * k + e] = three[e];
        k++;
    }
}

/* The patch of contact n: that of an earlier contact of its patch, or one more than *last. out: of the earlier ones. */
static int lane_patch(const problem *c, int n, int lane, const int *out, int *last) {
    for (int k = 0, at = 0; k < n && c->patch; k++) {
        if (!lane_has_contact(c, k, lane)) continue;
        if (lane_value(c->patch + k, lane) == lane_value(c->patch + n, lane)) return out[at];
        at++;
    }
    return ++*last;
}

/* With one lane alive every occupied slot is that lane's, so that contact n is occupied slot n, packed or not. */
static void lane_problem_out(const part *p, int lane, myr_problem_room *out) {
    const problem *c = &p->w->contact;
    const int first = p->r->layout.first[MYR_ROWS_impulse], m = 3 * c->n + c->rows.n;
    double *G = out->G;
    out->contacts = out->rows = 0;
    for (int n = 0; n < c->n; n++) out->contacts += lane_has_contact(c, n, lane);
    for (int k = 0; k < c->rows.n; k++) out->rows += lane_has_row(c, k, lane);
    if (out->contacts > out->room || out->rows > out->room_rows) return;
    for (int row = 0; G && row < m; row++)
        for (int column = 0; column < m; column++)
            if (lane_has_component(c, row, lane) && lane_has_component(c, column, lane)) *G++ = lane_mobility(c, row, column, lane);
    lane_rows_out(p, lane, out);
    for (int n = 0, to = 0, last_patch = -1; n < c->n; n++) {
        if (!lane_has_contact(c, n, lane)) continue;
        for (int a = 0; a < 3; a++) {
            if (out->c) out->c[3 * to + a] = lane_value(c->c + 3 * n + a, lane);
            if (out->R) out->R[3 * to + a] = c->compliant ? lane_value(c->R + 3 * n + a, lane) : 0;
            if (out->start) out->start[3 * to + a] = lane_value(c->lambda + 3 * n + a, lane);
        }
        if (out->mu) out->mu[to] = lane_value(c->mu + n, lane);
        if (out->patches) out->patches[to] = lane_patch(c, n, lane, out->patches, &last_patch);
        if (out->slots) out->slots[to] = (p->r->slots[p->w->slot[n]].row - first) / 3;
        to++;
    }
}

#endif
