/* Joint rows: position limits and dry friction of joints as scalar rows of the problem (kernels/contact/rows.lane.h). Row k has the
 * Jacobian `length` at its dof, so that its velocity is that of what the joint moves farthest [m/s]:
 *
 *     f = friction dt / length,   lo = length (lower - q) / dt,   hi = length (upper - q) / dt
 *
 * lo and hi are what would bring the joint onto its limit in this step: it lands there, and does not sink in. A joint that is found beyond
 * its limit comes back by `limit-correction` of the way, at BACK_SPEED at most: a robot that is put down half a radian beyond a limit
 * would else be thrown across the room.
 *
 * A row exists in a lane where the joint has dry friction, where its limit acted in the last step, or where the limit is within reach:
 * nearer than the velocity before the step or the free velocity goes in dt, and NEAR_SPEED for what contacts and other rows may add. To
 * cost nothing where nothing is near, a coarser test comes first, without the free velocity, and only rows that some lane passes get their
 * Y. A lane has a row only where it passes both tests itself: what its neighbours do must not show. */
#ifndef MYR_CONSTRAINTS_JOINT_ROWS_LANE_H
#define MYR_CONSTRAINTS_JOINT_ROWS_LANE_H

#include "kernels/contact/rows.lane.h"
#include "bundle.lane.h"
#include "pack.lane.h"
#include "row_terms.lane.h"

/* A limit nearer than this goes in dt is within reach: contacts and other rows may push that hard [rad/s, m/s]; and the change of velocity
 * that the coarse test allows in a step [rad/s^2, m/s^2]. */
#define NEAR_SPEED 10.0
#define NEAR_ACCELERATION 2000.0
#define BACK_SPEED 1.0 /* [rad/s, m/s] */

/* The parameters of a row. With joint-friction=implicit friction is not part of the row (dynamics/joint_friction.lane.h). */
static inline stairs joint_row_limits(const part *p, int k) {
    const lane_row *r = &p->r->rows[k];
    const real share = (real)(1 - p->options->friction_damped * (k < p->r->n_joint_rows)); /* a branch costs every step of every robot */
    if (!(p->options->varied & MYR_VARIED_ROWS)) return (stairs){vf_set(share * r->friction), vf_set(r->lower), vf_set(r->upper)};
    const vf f = vf_set(share) * field(p, MYR_ROWS_dry_friction, k);
    return (stairs){f, field(p, MYR_ROWS_lower, k), field(p, MYR_ROWS_upper, k)};
}

/* The larger of what it was and how far `at` is beyond these limits. */
static inline vf farther_beyond(vf beyond, stairs s, vf at) { return vf_max(beyond, vf_max(s.lo - at, at - s.hi)); }

/* How far the joints of living lanes are beyond their limits now, the largest of each lane [rad, m]. */
static inline vf joint_rows_beyond(const part *p) {
    vf beyond = vf_zero();
    for (int k = 0; k < p->r->n_rows; k++) {
        const stairs s = joint_row_limits(p, k);
        beyond = farther_beyond(beyond, s, row_position(p, &p->r->rows[k]));
    }
    return vf_select(vm_from_bits(p->alive), beyond, vf_zero());
}

/* What a joint may go in dt beyond what its velocity says. */
static inline vf joint_rows_slack(const part *p) { return vf_set(p->dt * (real)(NEAR_SPEED + NEAR_ACCELERATION * p->options->dt_s)); }

/* The coarse test of row r at the position `at`, moving at v, whose last impulse was `last`. */
static inline vm joint_row_near(const part *p, const lane_row *r, stairs s, vf at, vf v, vf last) {
    const vf zero = vf_zero(), slack = vf_set(r->reach) * joint_rows_slack(p);
    const vf reach = vf_fma(vf_set(p->dt), vf_abs(v), slack), room = vf_min(at - s.lo, s.hi - at);
    return vm_or(vm_lt(room, reach), vm_or(vm_gt(s.f, zero), vm_not(vm_eq(last, zero))));
}

/* Does any row pass the coarse test in any lane? Mostly none does, and every step of every robot asks: hence once for all rows, without a
 * branch for each. `varied`: the parameters are the environment's own. */
static inline __attribute__((always_inline)) vm joint_rows_some(const part *p, vm alive, const int varied) {
    const robot *r = p->r;
    const vf *q = field_rows(p, MYR_ROWS_q), *v = field_rows(p, MYR_ROWS_v), *last = field_rows(p, MYR_ROWS_row_impulse);
    const vf *lower = field_rows(p, MYR_ROWS_lower), *upper = field_rows(p, MYR_ROWS_upper), *rubs = field_rows(p, MYR_ROWS_dry_friction);
    const vf zero = vf_zero(), slack = joint_rows_slack(p), dt = vf_set(p->dt);
    vf least = vf_set((real)__builtin_inf()), acted = zero;
    vm some = vm_none();
    for (int k = 0; k < r->n_joint_rows; k++, last += PARTS) {
        const lane_row *row_k = &r->rows[k];
        const vf at = q[PARTS * row_k->q], low = varied ? lower[PARTS * k] : vf_set(row_k->lower),
                 high = varied ? upper[PARTS * k] : vf_set(row_k->upper);
        const vf room = vf_min(at - low, high - at);
        some = vm_or(some, vm_lt(room, vf_fma(dt, vf_abs(v[PARTS * row_k->dof]), slack)));
        acted = vf_max(acted, vf_abs(*last));
        if (varied) acted = vf_max(acted, rubs[PARTS * k]);
        least = vf_min(least, room);
    }
    for (int k = r->n_joint_rows; k < r->n_rows; k++, last += PARTS) {
        const stairs s = joint_row_limits(p, k);
        const vf at = row_position(p, &r->rows[k]);
        some = vm_or(some, joint_row_near(p, &r->rows[k], s, at, row_rate(&r->rows[k], v, PARTS), *last));
        least = vf_min(least, vf_min(at - s.lo, s.hi - at));
    }
    p->w->beyond = vf_select(alive, vf_max(-least, zero), zero);
    return vm_and(alive, vm_or(some, vm_gt(acted, zero)));
}

/* The coarse test of all: w->near rows, listed in w->row. */
static void joint_rows_near(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const vf *v = field_rows(p, MYR_ROWS_v);
    const vm alive = vm_from_bits(p->alive);
    const int varied = (p->options->varied & MYR_VARIED_ROWS) != 0;
    int *near = (int *)(size_t)w->row;
    w->near = 0;
    if (!w->recheck) {
        const vm some = varied ? joint_rows_some(p, alive, 1) : joint_rows_some(p, alive, 0);
        if (!vm_any(some) && (varied || !r->rubs)) return;
    }
    for (int k = 0; k < r->n_rows; k++) {
        const lane_row *row_k = &r->rows[k];
        vm has = joint_row_near(p, row_k, joint_row_limits(p, k), row_position(p, row_k), row_rate(row_k, v, PARTS), *row(p, row_k->row));
        if (w->recheck) has = vm_or(has, vm_gt(w->row_passed[k], vf_zero()));
        if (vm_any(vm_and(alive, has))) near[w->near++] = k;
    }
}

/* J u-, law and start of row k as the n-th of the problem. Returns the lanes that have it. */
static inline vm joint_row_open(const part *p, int k, int n, vf free) {
    const lane_row *r = &p->r->rows[k];
    scalar_rows *to = &p->w->contact.rows;
    const stairs s = joint_row_limits(p, k);
    const vf zero = vf_zero(), dt = vf_set(p->dt), per_dt = vf_set((real)1 / p->dt), length = vf_set(r->length);
    const vf at = row_position(p, r), v = row_rate(r, field_rows(p, MYR_ROWS_v), PARTS), last = *row(p, r->row),
             inverse = vf_set(r->inverse_length);
    const vf after = inverse * free, slack = vf_set(r->reach * (p->dt * (real)NEAR_SPEED));
    const vf down = vf_fnma(dt, vf_min(vf_min(v, after), zero), slack), up = vf_fma(dt, vf_max(vf_max(v, after), zero), slack);
    const vm low = vm_lt(at - s.lo, down), high = vm_lt(s.hi - at, up), acted = vm_not(vm_eq(last, zero));
    const vm near = vm_and(vm_from_bits(p->alive), joint_row_near(p, r, s, at, v, last));
    vm has = vm_and(near, vm_or(vm_or(low, high), vm_or(acted, vm_gt(s.f, zero))));
    if (p->w->recheck) has = vm_or(has, vm_gt(p->w->row_passed[k], zero));
    const vf correction = vf_set((real)p->options->limit_correction), f = (inverse * dt) * s.f;
    const vf lo = length * ((s.lo - at) * per_dt), hi = length * ((s.hi - at) * per_dt);
    to->c[n] = free;
    to->f[n] = f;
    const vf back = length * vf_set(r->reach * (real)BACK_SPEED);
    to->lo[n] = vf_select(vm_gt(lo, zero), vf_min(correction * lo, back), lo);
    to->hi[n] = vf_select(vm_lt(hi, zero), vf_max(correction * hi, -back), hi);
    to->active[n] = vf_select(has, vf_set(1), zero);
    to->R[n] = zero;
    /* a limit's last impulse is not a start where the limit is out of reach */
    const vf start = inverse * last, most = vf_select(low, vf_max(start, f), f), least = vf_select(high, vf_min(start, -f), -f);
    const vm warm = p->options->solve.warm_start ? has : vm_none();
    to->lambda[n] = vf_select(warm, vf_max(least, vf_min(most, start)), zero);
    return has;
}

/* Y = L^-T J^T of row k, and its free velocity, J times that of the joint. */
static inline vf joint_row_y(const part *p, const lane_row *r, vf *y) {
    const int *path = r->path, *m_row = p->r->m_row, last = r->path_length - 1;
    const vf *M = p->w->M, *z = p->w->z;
    const vf *own = M + m_row[path[last]];
    y[last] = vf_set(r->length);
    vf free = y[last] * z[path[last]];
    for (int e = last - 1; e >= 0; e--) {
        vf sum = -(own[e] * y[last]);
        for (int k = last - 1; k > e; k--) sum = vf_fnma(M[m_row[path[k]] + e], y[k], sum);
        y[e] = sum;
        free = vf_fma(sum, z[path[e]], free);
    }
    return free;
}

/* Row k as the n-th of the problem: its Y, its law, D^-1 Y by dof. 0 where no lane has it. */
static int joint_row_begin(const part *p, int k, int n) {
    const robot *r = p->r;
    workspace *w = p->w;
    const lane_row *mine = &r->rows[k];
    vf *y = w->row_y + n * r->max_path, *scaled = w->row_scaled;
    if (!vm_any(joint_row_open(p, k, n, mine->n_terms ? row_terms_y(p, mine, y, scaled) : joint_row_y(p, mine, y)))) return 0;
    for (int j = 0; j < r->nv; j++) scaled[j] = vf_zero();
    for (int j = 0; j < mine->path_length; j++) scaled[mine->path[j]] = w->dinv[mine->path[j]] * y[j];
    return 1;
}

/* What it shares in G with the rows before it, and with itself. */
static void joint_row_blocks(const part *p, int k, int n) {
    const robot *r = p->r;
    const workspace *w = p->w;
    const lane_row *mine = &r->rows[k];
    const int stride = r->max_path;
    const vf *scaled = w->row_scaled;
    vf *G = problem_row_G(&w->contact, n) + 3 * w->contact.n;
    for (int i = 0; i <= n; i++) {
        const lane_row *other = i == n ? mine : &r->rows[w->row[i]];
        const vf *other_y = w->row_y + i * stride;
        vf sum = vf_zero();
        for (int j = 0; j < other->path_length; j++) sum = vf_fma(scaled[other->path[j]], other_y[j], sum);
        G[i] = sum;
    }
}

/* Row k of any tree. 0 where no lane has it. */
static int joint_row_tree(const part *p, int k, int n) {
    const workspace *w = p->w;
    vf *G = problem_row_G(&w->contact, n);
    if (!joint_row_begin(p, k, n)) return 0;
    for (int i = 0; i < w->bundles; i++) bundle_velocities(p, &w->bundle[i], w->row_scaled, G + 3 * w->bundle[i].first);
    joint_row_blocks(p, k, n);
    return 1;
}

/* The near rows that some lane has, into the problem; w->row lists them. After the contacts. */
static void joint_rows(const part *p) {
    workspace *w = p->w;
    int *exist = (int *)(size_t)w->row, n = 0;
    for (int i = 0; i < w->near; i++) {
        const int k = w->row[i];
        if (p->r->variant->joint_row(p, k, n)) exist[n++] = k;
    }
    w->contact.rows.n = n;
}

/* t += Y lambda of the rows. */
static inline void joint_rows_push(const part *p, vf *t) {
    const workspace *w = p->w;
    for (int n = 0; n < w->contact.rows.n; n++) {
        const lane_row *r = &p->r->rows[w->row[n]];
        const vf *y = w->row_y + n * p->r->max_path, l = w->contact.rows.lambda[n];
        for (int j = 0; j < r->path_length; j++) t[r->path[j]] = vf_fma(y[j], l, t[r->path[j]]);
    }
}

/* c += Y' x of the rows; x by dof. */
static inline void joint_rows_pull(const part *p, const vf *x, vf *c) {
    const workspace *w = p->w;
    for (int n = 0; n < w->contact.rows.n; n++) {
        const lane_row *r = &p->r->rows[w->row[n]];
        const vf *y = w->row_y + n * p->r->max_path;
        for (int j = 0; j < r->path_length; j++) c[n] = vf_fma(y[j], x[r->path[j]], c[n]);
    }
}

/* Impulses of the rows into the tile, in units of the joint. The others have none; where none was near they had none before. */
static inline __attribute__((always_inline)) void joint_rows_keep(const part *p, vm good, const int all) {
    const workspace *w = p->w;
    int n = 0;
    if (!w->near) return;
    for (int k = 0; k < p->r->n_rows; k++) {
        const lane_row *r = &p->r->rows[k];
        const int exists = n < w->contact.rows.n && w->row[n] == k;
        keep_impulse(row(p, r->row), exists ? vf_set(r->length) * w->contact.rows.lambda[n] : vf_zero(), good, all);
        n += exists;
    }
}

#endif
