/* How near something must be to be touched within the step (setting landing).
 *
 * A slot is a contact where it could be reached: where its gap is no more than its normal velocity covers in dt, by the free velocity. To
 * cost little a coarser test comes first: a bound on how far any point of a body goes by the velocity before the step, one number for each,
 * and what SPARE_SPEED covers beside it. Only what is nearer than that is asked for its own velocity. What is near and not reached is
 * noted: a solve may throw it onto the surface all the same (constraints/recheck.lane.h). A blow that throws something through a surface
 * from farther away is seen in the next step (constraints/lift.lane.h). Tried: to look for those, too, by a bound on what the solve
 * changes. It is so loose that robots with strong motors were looked at in every second step, and none was found. */
#ifndef MYR_ROBOT_WINDOW_LANE_H
#define MYR_ROBOT_WINDOW_LANE_H

#include "place.lane.h"

/* How much faster than before the step something may become and still be asked [m/s]. */
#define SPARE_SPEED 0.5

/* How much more than the strongest blow a solve may change a velocity by and still be looked at [m/s] (window_likely). */
#define BLOW_SPEED 0.25

/* A contact no farther open than this is closed [m]: some roundings of a position. Without it what rests would be moved by them. */
#define SKIN (MYR_DOUBLE ? 1e-10 : 1e-6)

static inline real window_skin(const part *p) { return p->options->landing && !p->options->maximal ? (real)SKIN : 0; }

static inline vf length_of(const vf *v, int stride) {
    return vf_sqrt(vf_fma(v[0], v[0], vf_fma(v[stride], v[stride], v[2 * stride] * v[2 * stride])));
}

/* A bound on the speed of each body's points at the generalized velocity v, its numbers `stride` apart [m/s]. */
static inline void window_speeds(const part *p, const vf *v, int stride, vf *out) {
    const lane_body *b = p->r->bodies, *end = b + p->r->n_bodies;
    vf last = vf_zero(); /* of the body before */
    for (vf *to = out; b < end; b++, to++) {
        const vf *own = v + stride * b->v, above = b->follows ? last : b->parent < 0 ? vf_zero() : out[b->parent], sweep = vf_set(b->sweep);
        if (b->joint == MYR_JOINT_REVOLUTE)
            last = vf_fma(sweep, vf_abs(own[0]), above);
        else if (b->joint == MYR_JOINT_PRISMATIC)
            last = vf_abs(own[0]) + above;
        else if (b->joint == MYR_JOINT_BALL)
            last = vf_fma(sweep, length_of(own, stride), above);
        else
            last = length_of(own, stride) + vf_fma(sweep, length_of(own + 3 * stride, stride), above);
        *to = last;
    }
}

/* What is within reach of each body, by the velocity before the step. */
static inline void window_open(const part *p) {
    workspace *w = p->w;
    w->tries = w->candidates = 0;
    w->closed = w->spare = vf_set((real)p->options->terms.gap);
    if (!p->options->landing) {
        for (int i = 0; i < p->r->n_bodies; i++) w->speed[i] = vf_zero();
        return;
    }
    const vf *g = field_rows(p, MYR_ROWS_gravity);
    w->closed = vf_max(w->closed, vf_fma(vf_set(p->dt * p->dt), length_of(g, PARTS), vf_set((real)SKIN)));
    w->spare = w->closed + vf_set((real)(SPARE_SPEED * p->options->dt_s));
    window_speeds(p, field_rows(p, MYR_ROWS_v), PARTS, w->speed);
}

/* How near the ground a body must be for one of its slots to be asked. With landing 0 what is not closed is not near. */
static inline vf window_of(const part *p, int body) { return vf_fma(vf_set(p->dt), p->w->speed[body], p->w->spare); }

/* What a solve takes deeper than this is solved again (recheck.lane.h) [m]. Less is what rounding and residuals within the tolerance leave
 * in some steps. */
static inline double window_deep(const part *p) {
    const double most = 8e-6, least = MYR_DOUBLE ? 8e-8 : most, solves = 80 * p->options->dt_s * p->options->solve.tolerance;
    return solves < least ? least : solves > most ? most : solves;
}

/* Velocity along n (base axes) of the point x (base frame) of a body, by the velocity u in base axes. */
static inline vf point_velocity(const part *p, const vf *u, int body, v3 x, v3 n) {
    const robot *r = p->r;
    const workspace *w = p->w;
    vf sum = vf_zero();
    for (int i = body; i >= 0;) {
        const lane_body *b = &r->bodies[i];
        const vf *rate = u + b->v, *axis = w->axis + 3 * b->v, *origin = w->p + 3 * i;
        if (b->joint == MYR_JOINT_FREE) return sum + (v3_dot(n, v3_load(rate)) + v3_dot(v3_cross(x, n), v3_load(rate + 3)));
        if (b->hinges) {
            for (int k = b->hinges; k > 0; k--, rate--, axis -= 3, origin -= 3)
                sum = vf_fma(*rate, v3_dot(v3_load(axis), v3_cross(v3_sub(x, v3_load(origin)), n)), sum);
            i = b->above;
            continue;
        }
        const v3 along = b->joint == MYR_JOINT_PRISMATIC ? n : v3_cross(v3_sub(x, v3_load(origin)), n);
        for (int k = 0; k < b->nv; k++) sum = vf_fma(rate[k], v3_dot(v3_load(axis + 3 * k), along), sum);
        i = b->parent;
    }
    return sum;
}

/* v_N of a slot at the velocity u: of its body's point less that of the other body's, if it has one. */
static inline vf slot_nears(const part *p, const vf *u, const lane_slot *slot, const window_place *at) {
    const robot *r = p->r;
    const vf *R0 = p->w->R0 + 9 * r->bodies[slot->body].tree;
    if (slot->pair < 0) return point_velocity(p, u, slot->body, at->x, v3_load(R0 + 6));
    const vf nears = point_velocity(p, u, slot->body, at->x, m3_mul_t(R0, at->normal));
    if (slot->other_body < 0) return nears;
    R0 = p->w->R0 + 9 * r->bodies[slot->other_body].tree;
    return nears - point_velocity(p, u, slot->other_body, at->y, m3_mul_t(R0, at->normal));
}

/* The same of an occupied slot. */
static inline vf occupied_nears(const part *p, const vf *u, int n) {
    const workspace *w = p->w;
    const lane_slot *slot = &p->r->slots[w->slot[n]];
    const v3 x = v3_load(w->slot_x + 3 * n);
    window_place at;
    at.x = x;
    if (slot->pair >= 0) at.normal = v3_load(w->slot_frame + 9 * n + 6), at.y = v3_load(w->slot_other_x + 3 * n);
    return slot_nears(p, u, slot, &at);
}

/* The free velocity, L^-1 z: the first of `tried`. */
static inline void window_free(const part *p, const vf *z) {
    workspace *w = p->w;
    for (int k = 0; k < p->r->nv; k++) w->tried[k] = z[k];
    p->r->variant->solve_l(p->r, w, NULL, w->tried);
    w->tries = 1;
}

/* Of the lanes `may` those in which a velocity that was solved in this step takes slot s deep. */
static __attribute__((noinline)) vm window_thrown(const part *p, int s, vm may, vf gap, const window_place *at) {
    const workspace *w = p->w;
    const vf dt = vf_set(p->dt), deep = vf_set(-(real)window_deep(p));
    vm thrown = vm_none();
    for (int k = 1; k < w->tries; k++)
        thrown = vm_or(thrown, vm_lt(vf_fma(dt, slot_nears(p, w->tried + k * p->r->nv, &p->r->slots[s], at), gap), deep));
    return vm_and(may, thrown);
}

/* Of the lanes `may`, where slot s is near, those in which it is reached: by the free velocity; by more than a step's errors, with one that
 * was solved in this step. The others are noted. `pair`, a constant: it is one of a pair. */
INLINE vm window_look(const part *p, int s, vm may, vf gap, const window_place *at, const int pair) {
    workspace *w = p->w;
    const lane_slot *slot = &p->r->slots[s];
    if (!w->tries) window_free(p, w->z);
    const vf *u = w->tried, *R0 = w->R0 + 9 * p->r->bodies[slot->body].tree;
    const vf nears = pair ? slot_nears(p, u, slot, at) : point_velocity(p, u, slot->body, at->x, v3_load(R0 + 6));
    const vf left = vf_fma(vf_set(p->dt), nears, gap);
    vm reached = vm_and(may, vm_le(left, vf_set((real)SKIN)));
    if (w->tries > 1) reached = vm_or(reached, window_thrown(p, s, may, gap, at));
    const vm missed = vm_andnot(may, reached);
    if (!vm_any(missed)) return reached;
    if (w->candidates < CANDIDATES) {
        candidate *to = w->candidate + w->candidates;
        to->slot = s, to->may = vf_select(missed, vf_set(1), vf_zero()), to->gap = gap, to->left = left, to->at.x = at->x;
        if (pair) to->at = *at;
    }
    w->candidates++;
    return reached;
}

static __attribute__((noinline)) vm window_reached_pair(const part *p, int s, vm may, vf gap, const window_place *at) {
    return window_look(p, s, may, gap, at, 1);
}

/* Against the ground; x, y, z: the slot's lowest point in the base frame, each a number of its own, which goes in a register. */
static __attribute__((noinline)) vm window_reached_ground(const part *p, int s, vm may, vf gap, vf x, vf y, vf z) {
    window_place at;
    at.x = (v3){x, y, z};
    return window_look(p, s, may, gap, &at, 0);
}

/* Of the candidates those that a blow may throw onto the surface stay on the list: its gap at the end of the step, without impulses, is no
 * more than what the strongest contact of the lane takes away from a velocity covers, and BLOW_SPEED beside it. How many stay.
 *
 * Measured on four tasks at 1, 5 and 20 ms: a fifth of the list stays, and of those that the solve does throw down 1 in 30 is not among
 * them. Twice the blow finds as many and asks for a third more; a fixed speed of 0.5 m/s misses 1 in 6 at 20 ms. */
static inline int window_likely(const part *p) {
    workspace *w = p->w;
    const problem *c = &w->contact;
    const vf zero = vf_zero();
    if (!w->candidates || w->candidates > CANDIDATES) return w->candidates;
    vf blow = zero;
    for (int t = 0; t < c->n; t++) blow = vf_max(blow, vf_select(vm_gt(c->active[t], zero), -c->c[3 * t + 2], zero));
    const vf most = vf_set(p->dt) * (blow + vf_set((real)BLOW_SPEED));
    int n = 0;
    for (int i = 0; i < w->candidates; i++) {
        const vm likely = vm_and(vm_gt(w->candidate[i].may, zero), vm_le(w->candidate[i].left, most));
        if (!vm_any(likely)) continue;
        if (n < i) w->candidate[n] = w->candidate[i];
        w->candidate[n++].may = vf_select(likely, vf_set(1), zero);
    }
    return w->candidates = n;
}

/* Lanes in which a candidate goes deep at the velocity u. */
static inline vm window_passed(const part *p, const vf *u) {
    const workspace *w = p->w;
    const vf dt = vf_set(p->dt), zero = vf_zero(), deep = vf_set(-(real)window_deep(p));
    vm passed = w->candidates > CANDIDATES ? vm_all() : vm_none();
    for (int i = 0; i < w->candidates && i < CANDIDATES; i++) {
        const candidate *is = &w->candidate[i];
        const vf end = vf_fma(dt, slot_nears(p, u, &p->r->slots[is->slot], &is->at), is->gap);
        passed = vm_or(passed, vm_and(vm_gt(is->may, zero), vm_lt(end, deep)));
    }
    return passed;
}

#endif
