/* myr_solve_contacts: bare problems into tiles of W, scaled to unit velocity and unit mobility, and the answers out again,
 * measured against the problem as it was given. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "problems/residual.h"
#include "settings/resolve.h"
#include "myriapod/contact.h"

/* ---- one tile of problems ----------------------------------------------------------------------- */

typedef struct solver_room {
    const myr_kernels *kernels;
    myr_solve_options options;
    int lanes;
    myr_problem_tile tile;
    void *rows, *workspace;
    double *symmetric; /* W problems' G, symmetrised, one after the other */
    double *R;         /* W problems' compliance, likewise */
    size_t problem_G;  /* room of one of them */
    size_t problem_R;
    int64_t *order;  /* problems by number of contacts, so that tiles are full */
    int64_t *counts; /* for sorting them */
} solver_room;

static void put(const solver_room *room, void *rows, size_t row, int lane, double value) {
    const size_t at = row * (size_t)room->lanes + (size_t)lane;
    if (room->kernels->precision == 4)
        ((float *)rows)[at] = (float)value;
    else
        ((double *)rows)[at] = value;
}

static double get(const solver_room *room, const void *rows, size_t row, int lane) {
    const size_t at = row * (size_t)room->lanes + (size_t)lane;
    return room->kernels->precision == 4 ? (double)((const float *)rows)[at] : ((const double *)rows)[at];
}

static void room_free(solver_room *room) {
    myr_release(room->rows);
    myr_release(room->workspace);
    myr_release(room->symmetric);
    myr_release(room->R);
    myr_release(room->order);
    myr_release(room->counts);
}

/* The largest of several problems, each by itself. */
typedef struct shape {
    int contacts, rows;
    size_t numbers; /* bilateral rows included */
} shape;

static void shape_grow(shape *s, const myr_contact_problem *p) {
    const size_t numbers = myr_contact_numbers(p);
    if (p->contacts > s->contacts) s->contacts = p->contacts;
    if (p->rows > s->rows) s->rows = p->rows;
    if (numbers > s->numbers) s->numbers = numbers;
}

/* Room for tiles of problems of this shape; the parts of a smaller tile lie closer together (room_shape). */
static myr_status room_init(solver_room *room, const shape *s, int64_t n) {
    const size_t nc = (size_t)s->contacts, rows = (size_t)s->rows, m = 3 * nc + rows;
    if (m > MYR_CONTACT_NUMBERS)
        return myr_fail(MYR_E_LIMIT, "problems of up to %d contacts beside such of up to %d rows do not fit a tile together", s->contacts,
                        s->rows);
    room->lanes = MYR_ROW_BYTES / room->kernels->precision;
    room->problem_G = s->numbers * s->numbers;
    room->problem_R = s->numbers;
    room->rows = myr_allocate((m * m + 4 * m + 3 * nc + 4 * rows + 4) * MYR_ROW_BYTES, MYR_ROW_BYTES);
    room->workspace =
        myr_allocate(room->kernels->problem_workspace_bytes(s->contacts, s->rows, room->options.solver) + MYR_ROW_BYTES, MYR_ROW_BYTES);
    room->symmetric = myr_allocate(((size_t)room->lanes * room->problem_G + 1) * sizeof *room->symmetric, MYR_ROW_BYTES);
    room->R = myr_allocate(((size_t)room->lanes * room->problem_R + 1) * sizeof *room->R, MYR_ROW_BYTES);
    room->order = myr_allocate(((size_t)n + 1) * sizeof *room->order, MYR_ROW_BYTES);
    room->counts = myr_allocate((nc + 1) * sizeof *room->counts, MYR_ROW_BYTES);
    if (room->rows && room->workspace && room->symmetric && room->R && room->order && room->counts) return MYR_OK;
    room_free(room);
    return myr_fail(MYR_E_MEMORY, "out of memory for a tile of %d problems with up to %d contacts and %d rows", room->lanes, s->contacts,
                    s->rows);
}

/* Lay the tile out for problems of this shape, and clear it: an absent contact is inactive, with a unit block, and so is a row. */
static void room_shape(solver_room *room, const shape *s) {
    const size_t nc = (size_t)s->contacts, rows = (size_t)s->rows, m = 3 * nc + rows;
    char *next = room->rows;
    myr_problem_tile *t = &room->tile;
    const struct {
        void **part;
        size_t rows;
    } parts[] = {{&t->G, m * m},        {&t->c, m},          {&t->mu, nc},   {&t->stairs, 3 * rows}, {&t->active, nc + rows},
                 {&t->patch, nc},       {&t->impulse, m},    {&t->R, m},     {&t->velocity, m},      {&t->residual, 1},
                 {&t->residual_ncp, 1}, {&t->iterations, 1}, {&t->status, 1}};
    t->contacts = s->contacts, t->rows = s->rows;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) *parts[i].part = next, next += parts[i].rows * MYR_ROW_BYTES;
    memset(room->rows, 0, (size_t)(next - (char *)room->rows));
    for (size_t i = 0; i < m; i++)
        for (int lane = 0; lane < room->lanes; lane++) put(room, t->G, i * m + i, lane, 1);
}

/* Where number i of a problem without bilateral rows lies in the tile. */
static size_t place(const solver_room *room, const myr_contact_problem *p, size_t i) {
    const size_t mine = 3 * (size_t)p->contacts;
    return i < mine ? i : i - mine + 3 * (size_t)room->tile.contacts;
}

/* The first contact of the patch of contact i: a number that float holds, whatever the caller's are. */
static double first_of_patch(const myr_contact_problem *p, size_t i) {
    size_t k = i;
    if (p->patches)
        for (k = 0; p->patches[k] != p->patches[i]; k++) continue;
    return (double)k;
}

/* A lane solves (G / mobility, c / velocity): the same problem in units in which both are about 1. Where nothing moves
 * there is nothing to stop, whatever the start says. */
static void put_problem(solver_room *room, int lane, const myr_contact_problem *p, const double *R, const myr_contact_scale *scale) {
    const myr_problem_tile *t = &room->tile;
    const size_t m = myr_contact_numbers(p), nc = (size_t)p->contacts, wide = 3 * (size_t)t->contacts + (size_t)t->rows;
    int moves = 0;
    for (size_t i = 0; i < m; i++) moves = moves || p->c[i] != 0;
    for (size_t i = 0; i < m; i++) {
        const size_t at = place(room, p, i);
        for (size_t k = 0; k < m; k++) put(room, t->G, at * wide + place(room, p, k), lane, p->G[i * m + k] / scale->mobility);
        put(room, t->c, at, lane, p->c[i] / scale->velocity);
        put(room, t->R, at, lane, R[i] / scale->mobility);
        put(room, t->impulse, at, lane, p->start && moves ? p->start[i] / scale->impulse0 : 0);
    }
    for (size_t i = 0; i < nc; i++) {
        put(room, t->mu, i, lane, p->mu[i]);
        put(room, t->active, i, lane, 1);
        put(room, t->patch, i, lane, first_of_patch(p, i));
    }
    for (size_t k = 0; k < (size_t)p->rows; k++) {
        const double *s = p->stairs + 3 * k;
        put(room, t->stairs, 3 * k, lane, s[0] / scale->impulse0);
        put(room, t->stairs, 3 * k + 1, lane, s[1] / scale->velocity);
        put(room, t->stairs, 3 * k + 2, lane, s[2] / scale->velocity);
        put(room, t->active, (size_t)t->contacts + k, lane, 1);
    }
}

/* Returns 1 where the lane takes the problem for converged and the measure does not. */
static int get_result(const solver_room *room, int lane, const myr_contact_problem *p, const double *R, const myr_contact_scale *scale,
                      myr_contact_result *r) {
    const size_t m = myr_contact_numbers(p);
    const myr_law law = myr_solvers[room->options.solver].law;
    const myr_solve_status said = (myr_solve_status)(int)get(room, room->tile.status, 0, lane);
    int finite = said != MYR_NOT_FINITE;
    for (size_t i = 0; i < m; i++) {
        r->impulse[i] = get(room, room->tile.impulse, place(room, p, i), lane) * scale->impulse0 + 0.0; /* no -0, as a step keeps none */
        finite = finite && isfinite(r->impulse[i]);
    }
    myr_contact_measure(p, R, scale, law, r);
    for (size_t i = 0; i < m; i++) finite = finite && isfinite(r->velocity[i]); /* a residual may lose a NaN among its contacts */
    r->iterations += (int64_t)get(room, room->tile.iterations, 0, lane);
    if (!finite || !isfinite(r->residual) || !isfinite(r->residual_ncp)) { /* no answer: no impulse, and no figure of one */
        memset(r->impulse, 0, m * sizeof *r->impulse);
        myr_contact_measure(p, R, scale, law, r); /* velocity and modes of no impulse */
        r->residual = r->residual_ncp = (double)INFINITY;
        r->status = MYR_NOT_FINITE;
        return 0;
    }
    r->status = said == MYR_CONVERGED ? MYR_STALLED : said;
    if (r->residual <= room->options.tolerance) r->status = MYR_CONVERGED;
    return said == MYR_CONVERGED && r->status == MYR_STALLED;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The problems of a tile, symmetrized, each in its lane. */
typedef struct lane_problem {
    myr_contact_problem whole, problem; /* `problem`: without bilateral rows */
    myr_contact_reduced reduced;
    myr_contact_scale scale;
    double *R;
    int compliant; /* R is not zero */
    myr_contact_result *result;
} lane_problem;

/* Solve the lanes of the mask side by side, the others empty. Returns the lanes that take their problem for converged where the measure
 * does not. */
static unsigned solve_lanes(solver_room *room, const shape *s, lane_problem *lanes, unsigned mask, const myr_solve_options *options) {
    unsigned open = 0;
    int compliant = 0;
    room_shape(room, s);
    for (int lane = 0; lane < room->lanes; lane++) {
        if (!(mask >> lane & 1)) continue;
        put_problem(room, lane, &lanes[lane].problem, lanes[lane].R, &lanes[lane].scale);
        compliant = compliant || lanes[lane].compliant;
    }
    myr_problem_tile tile = room->tile;
    if (!compliant) tile.R = NULL;
    const double began = seconds();
    room->kernels->solve_tile(&tile, room->workspace, options);
    const double share = (seconds() - began) / __builtin_popcount(mask);
    for (int lane = 0; lane < room->lanes; lane++) {
        if (!(mask >> lane & 1)) continue;
        lanes[lane].result->solve_s += share;
        if (get_result(room, lane, &lanes[lane].problem, lanes[lane].R, &lanes[lane].scale, lanes[lane].result)) open |= 1u << lane;
    }
    return open;
}

/* A problem as it is given to a lane. */
static myr_status open_lane(solver_room *room, int lane, const myr_contact_problem *p, myr_contact_result *r, lane_problem *out) {
    const size_t m = myr_contact_numbers(p);
    double *G = room->symmetric + (size_t)lane * room->problem_G;
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < m; k++) G[i * m + k] = 0.5 * p->G[i * m + k] + 0.5 * p->G[k * m + i];
    *out = (lane_problem){.whole = *p, .R = room->R + (size_t)lane * room->problem_R, .result = r};
    out->whole.G = G;
    r->iterations = 0;
    r->solve_s = r->internal = 0;
    const int given = myr_contact_compliance(&out->whole, &room->options, out->R);
    out->scale = myr_contact_scale_of(&out->whole);
    out->problem = out->whole;
    out->compliant = given;
    if (!p->bilateral) return MYR_OK;
    const myr_status status = myr_contact_reduce(&out->whole, out->R, &out->reduced);
    out->problem.bilateral = 0;
    out->problem.G = out->reduced.G, out->problem.c = out->reduced.c;
    return status;
}

/* What the caller is told, of the bilateral rows too. */
static void close_lane(const solver_room *room, lane_problem *l) {
    myr_contact_result *r = l->result;
    const size_t m = myr_contact_numbers(&l->whole);
    if (l->whole.bilateral && r->status == MYR_NOT_FINITE) {
        memset(r->impulse, 0, m * sizeof *r->impulse);
        memcpy(r->velocity, l->whole.c, m * sizeof *r->velocity);
    } else if (l->whole.bilateral) {
        myr_contact_restore(&l->whole, &l->reduced, l->R, &l->scale, r);
        if (r->status == MYR_CONVERGED && !(r->residual <= room->options.tolerance)) r->status = MYR_STALLED;
    }
    if (r->R) memcpy(r->R, l->R, m * sizeof *r->R);
    if (r->minimum) myr_contact_minimum(&l->whole, r);
    myr_contact_reduced_free(&l->reduced);
}

/* A lane measures in its own units and arithmetic. Where it says converged and the exact figure says not yet, it goes on from its
 * answer with a tenth of the tolerance: alone, for the sweeps that it may still spend depend on it alone. */
static myr_status solve_group(solver_room *room, const myr_contact_problem *problems, const int64_t *ids, int used,
                              myr_contact_result *results) {
    enum { ROUNDS = 3 };
    lane_problem lanes[16];
    const double interval = room->options.slip_tolerance;
    myr_status status = MYR_OK;
    shape most = {0};
    myr_solve_options options = room->options;
    options.slip_tolerance = fmin(interval, 0.01 * options.tolerance); /* a slip solve coarser than the tolerance would never meet it */
    memset(lanes, 0, sizeof lanes);
    for (int lane = 0; lane < used && status == MYR_OK; lane++) {
        status = open_lane(room, lane, &problems[ids[lane]], &results[ids[lane]], &lanes[lane]);
        shape_grow(&most, &problems[ids[lane]]);
    }
    if (status != MYR_OK) {
        for (int lane = 0; lane < used; lane++) myr_contact_reduced_free(&lanes[lane].reduced);
        return status;
    }
    const unsigned open = solve_lanes(room, &most, lanes, (1u << used) - 1, &options);
    for (int lane = 0; lane < used; lane++) {
        myr_contact_result *r = lanes[lane].result;
        lanes[lane].problem.start = r->impulse;
        options = room->options;
        for (int round = 1, more = open >> lane & 1; round < ROUNDS && more; round++) {
            options.tolerance *= 0.1;
            options.slip_tolerance = fmin(interval, 0.01 * options.tolerance);
            options.max_sweeps = room->options.max_sweeps - (int)r->iterations;
            if (options.max_sweeps <= 0) {
                r->status = MYR_ITERATION_LIMIT;
                break;
            }
            more = solve_lanes(room, &most, lanes, 1u << lane, &options) != 0;
        }
        close_lane(room, &lanes[lane]);
    }
    return MYR_OK;
}

/* ---- all of them -------------------------------------------------------------------------------- */

/* Counting sort by number of contacts; equal ones stay in order. `next` has most + 1 zeroed entries. */
static void sort_by_contacts(const myr_contact_problem *problems, int64_t n, int most, int64_t *next, int64_t *order) {
    int64_t before = 0;
    for (int64_t i = 0; i < n; i++) next[problems[i].contacts]++;
    for (int contacts = 0; contacts <= most; contacts++) {
        const int64_t count = next[contacts];
        next[contacts] = before;
        before += count;
    }
    for (int64_t i = 0; i < n; i++) order[next[problems[i].contacts]++] = i;
}

myr_status myr_solve_contacts(const myr_contact_problem *problems, int64_t n, const myr_settings *settings, myr_contact_result *results) {
    MYR_OWN_ARITHMETIC;
    solver_room room = {0};
    shape most = {0};
    if (n < 0) return myr_fail(MYR_E_ARG, "n is %lld; it may not be negative", (long long)n);
    if (n > 0 && !problems) return myr_fail(MYR_E_ARG, "problems is NULL");
    if (n > 0 && !results) return myr_fail(MYR_E_ARG, "results is NULL");
    myr_status status = myr_resolve_kernels(settings, &room.kernels);
    if (status == MYR_OK) status = myr_resolve_solve(settings, &room.options);
    for (int64_t i = 0; status == MYR_OK && i < n; i++) {
        status = myr_contact_check(i, &problems[i], &results[i]);
        if (status == MYR_OK) shape_grow(&most, &problems[i]);
    }
    if (status != MYR_OK) return status;
    status = room_init(&room, &most, n);
    if (status != MYR_OK) return status;

    sort_by_contacts(problems, n, most.contacts, room.counts, room.order);
    for (int64_t first = 0; first < n && status == MYR_OK; first += room.lanes) {
        const int used = n - first < room.lanes ? (int)(n - first) : room.lanes;
        status = solve_group(&room, problems, room.order + first, used, results);
    }
    room_free(&room);
    return status;
}
