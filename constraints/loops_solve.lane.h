/* Loops eliminated from the step's problem. With Y_b of the loops' rows, B = Y_b' D^-1 Y_b, c_b = Y_b' z - c_ref, and Y_a of contacts and
 * joint rows,
 *
 *     w_b = Y_b' D^-1 Y_a l_a + B l_b + c_b = 0     for whatever l_a
 *
 * so z <- z - D^-1 Y_b B^-1 c_b closes the loops without contacts, everything that is then assembled from z is right already, and
 * G <- G - E' E with E = C^-1 Y_b' D^-1 Y_a, B = C C', is what the contacts feel. Once they are solved, l_b follows from w_b = 0.
 *
 * Redundant rows are normal: a planar loop closed by a ball has three rows of rank two. B is factored as C D C' without square roots, and a
 * pivot that is below its share of what its row has on the diagonal is dropped: the row does nothing, and what it asked for follows from
 * the others or cannot be had. Where rows depend on each other in a general direction rounding blurs the pivot, and the share must be
 * larger than that: hence its size. A share of the own diagonal, not of the loop's: a loop may hold a gram along one axis and a ton along
 * the other. Only what is negligible beside the loop's other rows is rounding by itself.
 *
 * c_ref = -loop-correction gap / dt, at LOOP_SPEED at most: a robot that is put down with a loop torn open would else explode. */
#ifndef MYR_CONSTRAINTS_LOOPS_SOLVE_LANE_H
#define MYR_CONSTRAINTS_LOOPS_SOLVE_LANE_H

#include "bundle.lane.h"
#include "mixed.lane.h"
#include "kernels/contact/rows.lane.h"
#include "loops.lane.h"

#define LOOP_SPEED 1.0                         /* [m/s], scaled rows too */
#define LOOP_PIVOT (MYR_DOUBLE ? 1e-11 : 3e-5) /* of the row's own diagonal */
#define LOOP_ROW (MYR_DOUBLE ? 1e-22 : 1e-9)   /* of the mean diagonal of a loop's rows */

static inline vf *loop_factor_row(const part *p, int k) { return p->w->loop_B + k * (k + 1) / 2; }

/* x <- C^-1 x */
static inline void loops_forward(const part *p, vf *x) {
    for (int k = 1; k < p->r->n_loop_rows; k++) {
        const vf *l = loop_factor_row(p, k);
        vf sum = x[k];
        for (int i = 0; i < k; i++) sum = vf_fnma(l[i], x[i], sum);
        x[k] = sum;
    }
}

/* x <- B^-1 x */
static inline void loops_divide(const part *p, vf *x) {
    const int n = p->r->n_loop_rows;
    loops_forward(p, x);
    for (int k = 0; k < n; k++) x[k] = p->w->loop_pivot[k] * x[k];
    for (int k = n - 1; k > 0; k--) {
        const vf *l = loop_factor_row(p, k);
        for (int i = 0; i < k; i++) x[i] = vf_fnma(l[i], x[k], x[i]);
    }
}

/* B of the loops' Y, factored in place: C below the diagonal, w->loop_pivot = 1 / D or 0. */
static void loops_factor(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const int nv = r->nv;
    vf *row_of = w->loop_x; /* C D of the row at work */
    for (const lane_loop *loop = r->loops, *end = loop + r->n_loops; loop < end; loop++) {
        vf trace = vf_zero();
        for (int k = loop->first; k < loop->first + loop->n; k++) {
            const vf *y = loop_y(p, k);
            vf *scaled = w->loop_scaled + k * nv, *B = loop_factor_row(p, k);
            for (int j = 0; j < loop->path_length; j++) scaled[loop->path[j]] = w->dinv[loop->path[j]] * y[loop->path[j]];
            for (int i = 0; i <= k; i++) {
                const vf *other = loop_y(p, i);
                vf sum = vf_zero();
                for (int j = 0; j < loop->path_length; j++) sum = vf_fma(scaled[loop->path[j]], other[loop->path[j]], sum);
                B[i] = sum;
            }
            trace = trace + B[k];
        }
        const vf nothing = vf_set((real)(LOOP_ROW / loop->n)) * trace;
        for (int k = loop->first; k < loop->first + loop->n; k++) {
            vf *B = loop_factor_row(p, k), pivot = B[k];
            const vf least = vf_max(nothing, vf_set((real)LOOP_PIVOT) * pivot);
            for (int i = 0; i < k; i++) {
                const vf *l = loop_factor_row(p, i);
                vf sum = B[i];
                for (int j = 0; j < i; j++) sum = vf_fnma(row_of[j], l[j], sum);
                row_of[i] = sum;
                B[i] = w->loop_pivot[i] * sum;
                pivot = vf_fnma(B[i], sum, pivot);
            }
            const vm kept = vm_gt(pivot, least);
            w->loop_pivot[k] = vf_select(kept, vf_set(1) / vf_select(kept, pivot, vf_set(1)), vf_zero());
        }
    }
}

/* Y_b' x of all rows into out, over the dofs of their loops; x by dof. */
static inline void loops_velocity(const part *p, const vf *x, vf *out) {
    for (const lane_loop *loop = p->r->loops, *end = loop + p->r->n_loops; loop < end; loop++)
        for (int k = loop->first; k < loop->first + loop->n; k++) {
            const vf *y = loop_y(p, k);
            vf sum = vf_zero();
            for (int j = 0; j < loop->path_length; j++) sum = vf_fma(y[loop->path[j]], x[loop->path[j]], sum);
            out[k] = sum;
        }
}

/* t += Y_b x, of `from` = loop_Y or loop_scaled. */
static inline void loops_push(const part *p, const vf *from, const vf *x, vf *t) {
    for (const lane_loop *loop = p->r->loops, *end = loop + p->r->n_loops; loop < end; loop++)
        for (int k = loop->first; k < loop->first + loop->n; k++) {
            const vf *y = from + k * p->r->nv;
            for (int j = 0; j < loop->path_length; j++) t[loop->path[j]] = vf_fma(y[loop->path[j]], x[k], t[loop->path[j]]);
        }
}

/* z, closed; w->loop_x gets the impulses. */
static void loops_close_free(const part *p) {
    workspace *w = p->w;
    loops_velocity(p, w->z, w->loop_x);
    for (int k = 0; k < p->r->n_loop_rows; k++) w->loop_x[k] = w->loop_ref[k] - w->loop_x[k];
    loops_divide(p, w->loop_x);
    loops_push(p, w->loop_scaled, w->loop_x, w->z);
}

/* Before anything is assembled: Y, B, and z closed. */
static void loops_open(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const vf most = vf_set((real)LOOP_SPEED), per_dt = vf_set((real)(p->options->loop_correction / p->options->dt_s));
    loops_look(p, 1);
    loops_factor(p);
    vf scale = vf_zero();
    for (const lane_loop *loop = r->loops, *end = loop + r->n_loops; loop < end; loop++)
        for (int k = loop->first; k < loop->first + loop->n; k++) {
            w->loop_ref[k] = vf_max(-most, vf_min(most, -(per_dt * w->loop_gap[k])));
            const vf *y = loop_y(p, k);
            for (int j = 0; j < loop->path_length; j++) scale = vf_max(scale, vf_abs(y[loop->path[j]] * w->z[loop->path[j]]));
        }
    w->loop_bound = vf_fma(vf_set((real)p->options->solve.relative), scale, vf_set((real)p->options->solve.tolerance));
    w->torn = w->loop_error;
    loops_close_free(p);
    for (int k = 0; k < r->n_loop_rows; k++) w->loop_first[k] = w->loop_x[k];
}

/* ---- what contacts and joint rows feel of them ---------------------------------------------------- */

/* A column of E: C^-1 Y_b' D^-1 y for a y over a path. */
static inline void loops_column(const part *p, const vf *y, const int *path, int length, vf *out) {
    const int nv = p->r->nv;
    for (int k = 0; k < p->r->n_loop_rows; k++) {
        const vf *scaled = p->w->loop_scaled + k * nv;
        vf sum = vf_zero();
        for (int j = 0; j < length; j++) sum = vf_fma(scaled[path[j]], y[j], sum);
        out[k] = sum;
    }
    loops_forward(p, out);
}

/* Columns of E of a bundle's contacts, three to each, from those of its rows, of which it has no more than its contacts. */
static inline void loops_bundle(const part *p, const bundle *b, vf *out) {
    const lane_slot *slot = &p->r->slots[p->w->slot[b->first]];
    const int nb = p->r->n_loop_rows, stride = p->r->max_path;
    const vf *y = p->w->Y + 3 * b->first * stride;
    for (int a = 0; a < (b->n > 1 ? 6 : 3); a++) loops_column(p, y + a * stride, slot->path, slot->path_length, out + a * nb);
    for (int k = 0; k < nb; k++, out++) {
        const v3 lin = {out[0], out[nb], out[2 * nb]}, ang = b->n > 1 ? (v3){out[3 * nb], out[4 * nb], out[5 * nb]} : lin;
        for (int n = 1; n < b->n; n++) {
            const v3 x = bundle_at(p->w, b->first + n, lin, ang);
            vf *to = out + 3 * n * nb;
            to[0] = x.x, to[nb] = x.y, to[2 * nb] = x.z;
        }
    }
}

/* Of a joint row whose joint the loops hold, and of a contact whose normal they hold, nothing is left but rounding: it can do nothing, and
 * is left out. Divided by that rounding, what it asks for would be an impulse without bound. `own`: its mobility; n: impulses that it has.
 */
static inline void loops_lock(vf *own, vf before, vf *active, vf *lambda, int n) {
    const vm locked = vm_not(vm_gt(*own, vf_set((real)LOOP_PIVOT) * before));
    *own = vf_select(locked, before, *own);
    *active = vf_select(locked, vf_zero(), *active);
    for (int i = 0; i < n; i++) lambda[i] = vf_select(locked, vf_zero(), lambda[i]);
}

/* Columns of E of contact t of a mixed robot. */
static inline void loops_mixed(const part *p, int t, vf *out) {
    const int nb = p->r->n_loop_rows, nv = p->r->nv;
    const vf *y = mixed_y(p, t, 0);
    for (int a = 0; a < 3; a++, out += nb, y += nv) {
        for (int k = 0; k < nb; k++) {
            vf sum = vf_zero();
            const vf *scaled = p->w->loop_scaled + k * nv;
            MIXED_DOFS(p, p->w->mix[t].runs, d) sum = vf_fma(scaled[d], y[d], sum);
            out[k] = sum;
        }
        loops_forward(p, out);
    }
}

/* G <- G - E' E, after contacts and joint rows are assembled. Robots with legs and loops do not pack their contacts: occupied slots are the
 * contacts. */
static void loops_reduce(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    problem *c = &w->contact;
    const int nb = r->n_loop_rows, contacts = c->n;
    vf *E = w->loop_E;
    for (int i = 0; i < w->bundles; i++) loops_bundle(p, &w->bundle[i], E + 3 * w->bundle[i].first * nb);
    for (int t = 0; t < contacts && r->mixed; t++) loops_mixed(p, t, E + 3 * t * nb);
    for (int k = 0; k < c->rows.n; k++) {
        const lane_row *row_k = &r->rows[w->row[k]];
        loops_column(p, w->row_y + k * r->max_path, row_k->path, row_k->path_length, E + (3 * contacts + k) * nb);
    }
    for (int i = 0; i < contacts; i++)
        for (int k = 0; k <= i; k++) {
            vf *G = problem_block(c, i, k);
            const vf before = G[8];
            for (int b = 0; b < nb; b++)
                UNROLL for (int e = 0; e < 9; e++) G[e] =
                    vf_fnma(w->loop_pivot[b] * E[(3 * i + e / 3) * nb + b], E[(3 * k + e % 3) * nb + b], G[e]);
            if (k < i) continue;
            UNROLL for (int e = 0; e < 9; e += 4) G[e] = vf_max(G[e], vf_zero()); /* rounding must not make it negative */
            loops_lock(G + 8, before, c->active + i, c->lambda + 3 * i, 3);
        }
    for (int k = 0; k < c->rows.n; k++) {
        vf *G = problem_row_G(c, k);
        const vf *mine = E + (3 * contacts + k) * nb, before = G[3 * contacts + k];
        for (int j = 0; j <= 3 * contacts + k; j++)
            for (int b = 0; b < nb; b++) G[j] = vf_fnma(w->loop_pivot[b] * mine[b], E[j * nb + b], G[j]);
        loops_lock(G + 3 * contacts + k, before, c->rows.active + k, c->rows.lambda + k, 1);
    }
}

/* ---- after the solve ------------------------------------------------------------------------------ */

/* y = z + D^-1 t, the new velocity times L. */
static inline void loops_seen(const part *p, const vf *t, vf *y) {
    for (int k = 0; k < p->r->nv; k++) y[k] = vf_fma(p->w->dinv[k], t[k], p->w->z[k]);
}

/* t gets the impulses that keep the loops closed whatever the contacts gave: once, and once more for what rounding left. What is left then
 * counts in the residuals. A row that was dropped should have what the others make of their reference velocities; that it moves faster than
 * all of them together says that rounding hid what it asked for, and counts, too. */
static void loops_close(const part *p, vf *t) {
    enum { TIMES = 2 };
    const robot *r = p->r;
    workspace *w = p->w;
    vf *y = w->loop_seen;
    for (int k = 0; k < r->n_loop_rows; k++) w->loop_lambda[k] = w->loop_first[k];
    for (int time = 0; time <= TIMES; time++) {
        loops_seen(p, t, y);
        loops_velocity(p, y, w->loop_x);
        for (int k = 0; k < r->n_loop_rows; k++) w->loop_x[k] = w->loop_ref[k] - w->loop_x[k];
        if (time == TIMES) break;
        loops_divide(p, w->loop_x);
        loops_push(p, w->loop_Y, w->loop_x, t);
        for (int k = 0; k < r->n_loop_rows; k++) w->loop_lambda[k] = w->loop_lambda[k] + w->loop_x[k];
    }
    vf left = vf_zero(), wanted = vf_zero();
    vm known = vm_all();
    for (int k = 0; k < r->n_loop_rows; k++) wanted = wanted + vf_abs(w->loop_ref[k]);
    for (int k = 0; k < r->n_loop_rows; k++) {
        const vm kept = vm_gt(w->loop_pivot[k], vf_zero());
        left = vf_max(left, vf_select(kept, vf_abs(w->loop_x[k]), vf_abs(w->loop_ref[k] - w->loop_x[k]) - wanted));
        known = vm_and(known, vm_eq(w->loop_x[k], w->loop_x[k]));
    }
    problem *c = &w->contact;
    left = vf_select(known, left, vf_set((real)__builtin_inf()));
    const vm some = vm_from_bits(p->alive), open = vm_and(some, vm_not(vm_le(left, w->loop_bound)));
    c->residual = vf_select(some, vf_max(c->residual, left), c->residual);
    c->residual_ncp = vf_select(some, vf_max(c->residual_ncp, left), c->residual_ncp);
    c->status = vf_select(vm_and(open, vm_eq(c->status, vf_set(MYR_CONVERGED))), vf_set(MYR_STALLED), c->status);
}

/* Impulses of the loops into the tile, rows that turn in units of the joint. */
static inline void loops_keep(const part *p, vm good) {
    vf *to = field_rows(p, MYR_ROWS_loop_impulse);
    for (const lane_loop *loop = p->r->loops, *end = loop + p->r->n_loops; loop < end; loop++)
        for (int k = 0; k < loop->n; k++) {
            const int turns = k >= 3 || loop->type == MYR_LOOP_COUPLING, row = loop->first + k;
            const vf l = p->w->loop_lambda[row];
            keep_impulse(to + PARTS * row, turns ? vf_set(loop->length) * l : l, good, 0);
        }
}

#endif
