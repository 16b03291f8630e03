/* Centred differences of a control step: columns are dealt to the environments of a batch, a chunk of them at a time. */
#include "myriapod/linearize.h"

#include <math.h>
#include <string.h>

#include "batch/batch.h"
#include "batch/record.h"
#include "base/want.h"
#include "machine/machine.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/trigonometry.h"
#include "plan/planner.h"
#include "tasks/task.h"

static const char CALL[] = "myr_linearize";

typedef struct differing {
    myr_batch *batch;
    const myr_linearization *of;
    const myr_model *model;
    double eps;
    int columns, state;                              /* 2 nv + nu; nq + nv */
    myr_plan_start start;                            /* environment 0, without a warm start */
    double *q, *v, *u, *out, *impulse, *row_impulse; /* (envs, ..) */
    double *step;                                    /* (nq + nv): behind the step itself of the state at hand */
    double *change, *ahead, *behind;                 /* (2 nv) */
} differing;

/* ---- coordinates ---------------------------------------------------------------------------------------------------------- */

static void quat_mul(const double a[4], const double b[4], double out[4]) {
    const double r[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                         a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(out, r, sizeof r);
}

/* Where a body's quaternion and its turn are; -1: its joint has none. */
static int quat_of(const myr_body *b, int *turn) {
    if (b->joint == MYR_JOINT_FREE) return *turn = b->v + 3, b->q + 3;
    if (b->joint == MYR_JOINT_BALL) return *turn = b->v, b->q;
    return -1;
}

/* Coordinates of a body that are its numbers of q, from its first on. */
static int plain_coordinates(const myr_body *b) {
    return b->joint == MYR_JOINT_FREE ? 3 : b->joint == MYR_JOINT_REVOLUTE || b->joint == MYR_JOINT_PRISMATIC ? 1 : 0;
}

/* Moves q by `by` along coordinate k of v. */
static void move(const myr_model *m, double *q, int k, double by) {
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *b = &m->bodies[i];
        int turn = 0;
        const int at = quat_of(b, &turn);
        if (at >= 0 && k >= turn && k < turn + 3) {
            double half[4] = {0}, s, c;
            myr_sincos(0.5 * by, &s, &c);
            half[0] = c, half[1 + k - turn] = s;
            quat_mul(q + at, half, q + at);
            return;
        }
        if (k >= b->v && k < b->v + plain_coordinates(b)) {
            q[b->q + k - b->v] += by;
            return;
        }
    }
}

/* out (nv): the coordinates that lead from a to b. */
static void apart(const myr_model *m, const double *a, const double *b, double *out) {
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *is = &m->bodies[i];
        int turn = 0;
        const int at = quat_of(is, &turn);
        for (int k = 0; k < plain_coordinates(is); k++) out[is->v + k] = b[is->q + k] - a[is->q + k];
        if (at < 0) continue;
        const double back[4] = {a[at], -a[at + 1], -a[at + 2], -a[at + 3]};
        double by[4];
        quat_mul(back, b + at, by);
        const double size = sqrt(by[1] * by[1] + by[2] * by[2] + by[3] * by[3]);
        const double angle = 2 * myr_atan2(size, fabs(by[0]));
        const double factor = (by[0] < 0 ? -1 : 1) * (size > 0 ? angle / size : 2);
        for (int k = 0; k < 3; k++) out[turn + k] = factor * by[1 + k];
    }
}

/* ---- sides of columns ------------------------------------------------------------------------------------------------------ */

/* Of state i side 0 is the step itself, 2 c + 1 and 2 c + 2 are column c with plus and minus. */
static int64_t sides(const differing *d) { return 2 * d->columns + 1; }
static int column_of(int64_t side) { return (int)((side - 1) / 2); }

static void put_side(const differing *d, int64_t number, int64_t at) {
    const myr_model *m = d->model;
    const int64_t i = number / sides(d), side = number % sides(d);
    const int column = column_of(side);
    const double by = side % 2 ? d->eps : -d->eps;
    double *q = d->q + at * m->nq, *v = d->v + at * m->nv, *u = d->u + at * m->nu;
    memcpy(q, d->of->q + i * m->nq, (size_t)m->nq * sizeof *q);
    memcpy(v, d->of->v + i * m->nv, (size_t)m->nv * sizeof *v);
    for (int k = 0; k < m->nu; k++) u[k] = d->of->u ? d->of->u[i * m->nu + k] : 0;
    if (side == 0) return;
    if (column < m->nv)
        move(m, q, column, by);
    else if (column < 2 * m->nv)
        v[column - m->nv] += by;
    else
        u[column - 2 * m->nv] += by;
}

/* ---- what they say ---------------------------------------------------------------------------------------------------------- */

/* out (2 nv): the coordinates that lead from one state to another. */
static void change_of(const myr_model *m, const double *from, const double *to, double *out) {
    apart(m, from, to, out);
    for (int k = 0; k < m->nv; k++) out[m->nv + k] = to[m->nq + k] - from[m->nq + k];
}

/* Do the same contacts and joint rows act in both environments? */
static int acts_otherwise(const differing *d, int64_t plus, int64_t minus) {
    const myr_model *m = d->model;
    for (int s = 0; s < m->n_slots; s++)
        if ((d->impulse[(plus * m->n_slots + s) * 3 + 2] > 0) != (d->impulse[(minus * m->n_slots + s) * 3 + 2] > 0)) return 1;
    for (int r = 0; r < m->n_rows; r++)
        if ((d->row_impulse[plus * m->n_rows + r] != 0) != (d->row_impulse[minus * m->n_rows + r] != 0)) return 1;
    return 0;
}

/* The derivatives of both sides differ by more than a hundredth of the larger one: a gap that closes has a kink whose contact acts on both
 * sides. A column that is nearly zero, but for rounding, is not a bent one. */
static int is_bent(const differing *d, const double *plus, const double *minus) {
    double most = 0, off = 0;
    change_of(d->model, d->step, plus, d->ahead);
    change_of(d->model, minus, d->step, d->behind);
    for (int k = 0; k < 2 * d->model->nv; k++) {
        most = fmax(most, fmax(fabs(d->ahead[k]), fabs(d->behind[k])));
        off = fmax(off, fabs(d->ahead[k] - d->behind[k]));
    }
    return off > 0.01 * most && off > 1e-3 * d->eps;
}

static int is_faulted(const myr_batch *b, int64_t env) {
    return b->metas[env / b->layout.lanes].quarantine[env % b->layout.lanes] != MYR_HEALTHY;
}

/* Column c of state i, whose plus is in environment `plus` and minus in the one behind it. */
static void take_column(const differing *d, int64_t i, int c, int64_t plus) {
    const int nv = d->model->nv, nu = d->model->nu;
    const myr_linearization *of = d->of;
    const double *ahead = d->out + plus * d->state, *behind = ahead + d->state;
    const int faulted = is_faulted(d->batch, plus) || is_faulted(d->batch, plus + 1) || isnan(d->step[0]);
    double *to = c < 2 * nv ? of->A : of->B;
    const int wide = c < 2 * nv ? 2 * nv : nu, place = c < 2 * nv ? c : c - 2 * nv;
    change_of(d->model, behind, ahead, d->change);
    for (int k = 0; to && k < 2 * nv; k++) to[(i * 2 * nv + k) * wide + place] = faulted ? NAN : d->change[k] / (2 * d->eps);
    if (of->kinked) of->kinked[i * d->columns + c] = (uint8_t)(faulted || acts_otherwise(d, plus, plus + 1) || is_bent(d, ahead, behind));
}

static void take(const differing *d, int64_t first, int64_t end) {
    for (int64_t e = 0; first + e < end; e++) {
        const int64_t i = (first + e) / sides(d), side = (first + e) % sides(d);
        if (side == 0) {
            memcpy(d->step, d->out + e * d->state, (size_t)d->state * sizeof *d->step);
            for (int k = 0; k < d->state && is_faulted(d->batch, e); k++) d->step[k] = NAN;
            if (d->of->next) memcpy(d->of->next + i * d->state, d->step, (size_t)d->state * sizeof *d->step);
        } else if (side % 2) {
            take_column(d, i, column_of(side), e);
        }
    }
}

/* Sides first .. end - 1, one in each environment; the others do what the first one does. */
static myr_status chunk(const differing *d, int64_t first, int64_t end) {
    myr_batch *b = d->batch;
    const int64_t n = b->envs;
    for (int64_t t = 0; t < b->tiles; t++) {
        myr_plan_start_rows(&d->start, b, myr_batch_tile(b, t));
        myr_plan_start_meta(&d->start, b, &b->metas[t]);
    }
    for (int64_t e = 0; e < n; e++) put_side(d, first + e < end ? first + e : first, e);
    WANT(myr_batch_set(b, MYR_Q, NULL, n, MYR_F64, d->q));
    WANT(myr_batch_set(b, MYR_V, NULL, n, MYR_F64, d->v));
    const myr_rollout rollout = {
        .steps = 1, .type = MYR_F64, .control_field = d->of->control_field, .control = d->model->nu ? d->u : NULL, .state = d->out};
    WANT(myr_batch_rollout(b, &rollout));
    if (d->model->n_slots) WANT(myr_batch_get(b, MYR_IMPULSE, NULL, n, MYR_F64, d->impulse));
    if (d->model->n_rows) WANT(myr_batch_get(b, MYR_ROW_IMPULSE, NULL, n, MYR_F64, d->row_impulse));
    take(d, first, end);
    return MYR_OK;
}

/* As many sides at a time as there are environments, and no pair apart. */
static myr_status all_chunks(const differing *d) {
    const int64_t each = sides(d), total = d->of->n * each;
    for (int64_t first = 0, end; first < total; first = end) {
        end = first + d->batch->envs < total ? first + d->batch->envs : total;
        if (end < total && end % each && end % each % 2 == 0) end--;
        WANT(chunk(d, first, end));
    }
    return MYR_OK;
}

/* ---- the call --------------------------------------------------------------------------------------------------------------- */

static myr_status all_finite(const char *name, const double *x, int64_t n, int64_t wide) {
    for (int64_t k = 0; k < n * wide; k++)
        if (!isfinite(x[k]))
            return myr_fail(MYR_E_ARG, "%s: %s of state %lld, number %lld, is not finite", CALL, name, (long long)(k / wide),
                            (long long)(k % wide));
    return MYR_OK;
}

static myr_status check(const myr_batch *b, const myr_linearization *of) {
    if (!of) return myr_fail(MYR_E_ARG, "%s: of is NULL", CALL);
    WANT(myr_want_whole(CALL, "n", of->n, 0, INT32_MAX));
    if (of->n > 0 && (!of->q || !of->v)) return myr_fail(MYR_E_ARG, "%s: %s is NULL", CALL, of->q ? "v" : "q");
    if (of->control_field != MYR_TARGET && of->control_field != MYR_TORQUE && of->control_field != MYR_CONTROL)
        return myr_fail(MYR_E_ARG, "%s: control_field is %d, but must be MYR_TARGET, MYR_TORQUE or MYR_CONTROL", CALL,
                        (int)of->control_field);
    WANT(myr_want_real(CALL, "eps", of->eps, 0, 0, 0.1));
    WANT(myr_want_real(CALL, "tolerance", of->tolerance, 0, 0, 1));
    if (b->envs < 2)
        return myr_fail(MYR_E_ARG, "%s: the batch has %lld environments, but a column has two sides", CALL, (long long)b->envs);
    if (b->layout.precision == 4) return myr_fail(MYR_E_ARG, "%s: the batch computes in float32, but differences need float64", CALL);
    if (b->options.task->over || b->options.task->drive)
        return myr_fail(MYR_E_STATE, "%s: the task '%s' sets targets or begins anew by itself", CALL, b->options.task->name);
    if (is_faulted(b, 0)) return myr_fail(MYR_E_STATE, "%s: environment 0 is quarantined", CALL);
    WANT(all_finite("q", of->q, of->n, b->model.nq));
    WANT(all_finite("v", of->v, of->n, b->model.nv));
    return of->u ? all_finite("u", of->u, of->n, b->model.nu) : MYR_OK;
}

static double *numbers(double **at, int64_t count) {
    double *mine = *at;
    *at += count;
    return mine;
}

/* Environment 0, out of the batch for the rest. */
static void open_start(differing *d, double *rows) {
    const myr_layout *layout = &d->batch->layout;
    d->start.rows = rows;
    myr_plan_start_take(&d->start, d->batch, 0, d->batch);
    memset(rows + layout->first[MYR_ROWS_impulse], 0, (size_t)layout->count[MYR_ROWS_impulse] * sizeof *rows);
    memset(rows + layout->first[MYR_ROWS_row_impulse], 0, (size_t)layout->count[MYR_ROWS_row_impulse] * sizeof *rows);
}

myr_status myr_linearize(myr_batch *batch, const myr_linearization *of) {
    MYR_OWN_ARITHMETIC;
    WANT(myr_batch_check(batch, CALL));
    WANT(check(batch, of));
    const myr_model *m = &batch->model;
    const int64_t n = batch->envs;
    differing d = {.batch = batch, .of = of, .model = m, .columns = 2 * m->nv + m->nu, .state = m->nq + m->nv};
    d.eps = of->eps > 0 ? of->eps : 1e-6;
    const int64_t wide = m->nq + m->nv + m->nu + d.state + 3 * m->n_slots + m->n_rows;
    const int64_t count = n * wide + d.state + 6 * m->nv + batch->layout.rows + (int64_t)myr_record_bytes(batch, MYR_RECORD_ALL) / 8;
    double *room = myr_allocate((size_t)count * sizeof *room, 64), *at = room;
    if (!room) return myr_fail(MYR_E_MEMORY, "%s: no memory for %lld environments", CALL, (long long)n);
    d.q = numbers(&at, n * m->nq), d.v = numbers(&at, n * m->nv), d.u = numbers(&at, n * m->nu), d.out = numbers(&at, n * d.state);
    d.impulse = numbers(&at, 3 * n * m->n_slots), d.row_impulse = numbers(&at, n * m->n_rows);
    d.step = numbers(&at, d.state), d.change = numbers(&at, 2 * m->nv), d.ahead = numbers(&at, 2 * m->nv),
    d.behind = numbers(&at, 2 * m->nv);
    open_start(&d, numbers(&at, batch->layout.rows));
    const myr_solve_options solve = batch->options.solve;
    const unsigned varied = batch->options.varied;
    myr_record_get(batch, MYR_RECORD_ALL, 0, at);
    batch->options.solve.tolerance = of->tolerance > 0 ? of->tolerance : 1e-12;
    batch->options.solve.relative = 0;
    if (solve.max_sweeps < 10000) batch->options.solve.max_sweeps = 10000;
    const myr_status status = all_chunks(&d);
    batch->options.solve = solve, batch->options.varied = varied;
    myr_record_set(batch, MYR_RECORD_ALL, 0, at);
    myr_release(room);
    return status;
}
