/* How near something must be to be touched within the step (setting landing).
 *
 * A slot is a contact where it could be reached: where its gap is no more than its normal velocity before the step covers in dt, and
 * SPARE_SPEED (batch/options.c) beside it. It need not be reached: one that stays open carries no impulse. To cost little a coarser test
 * comes first: a bound on how far any point of a body goes by that velocity, one number for each body. A blow that throws something farther
 * than SPARE_SPEED foresees is seen in the next step (constraints/lift.lane.h).
 *
 * Tried: contacts by the free velocity alone, those beside them noted, and lanes solved again in which one of these was passed. It has a
 * twentieth fewer contacts, takes longer for all it looks at, and needs a second way through the step. And contacts by the bound alone:
 * a third more of them where robots tumble. */
#ifndef MYR_ROBOT_WINDOW_LANE_H
#define MYR_ROBOT_WINDOW_LANE_H

#include "place.lane.h"

/* A contact no farther open than this is closed [m]: some roundings of a position. Without it what rests would be moved by them. */
#define SKIN (MYR_DOUBLE ? 1e-10 : 1e-6)

static inline real window_skin(const part *p) { return p->options->landing && !p->options->maximal ? (real)SKIN : 0; }

static inline vf length_of(const vf *v, int stride) {
    return vf_sqrt(vf_fma(v[0], v[0], vf_fma(v[stride], v[stride], v[2 * stride] * v[2 * stride])));
}

/* A bound on the speed of each body's points at the generalized velocity v, its numbers `stride` apart [m/s]. */
static inline void window_speeds(const part *p, const vf *v, int stride, vf *out) {
    const lane_body *b = p->r->bodies;
    vf sum = vf_zero();
    for (int i = 0; i < p->r->n_bodies; i++, b++) {
        const vf *own = v + stride * b->v, sweep = vf_set(b->sweep);
        if (!b->follows) sum = b->parent < 0 ? vf_zero() : out[b->parent];
        if (b->nv == 1)
            sum = vf_fma(sweep, vf_abs(own[0]), sum);
        else if (b->joint == MYR_JOINT_BALL)
            sum = vf_fma(sweep, length_of(own, stride), sum);
        else
            sum = vf_fma(sweep, length_of(own + 3 * stride, stride), sum + length_of(own, stride));
        out[i] = sum;
    }
}

/* What is within reach of each body. */
static inline void window_open(const part *p) {
    workspace *w = p->w;
    w->closed = w->spare = vf_set((real)p->options->terms.gap);
    if (!p->options->landing) {
        for (int i = 0; i < p->r->n_bodies; i++) w->speed[i] = vf_zero();
        return;
    }
    const vf *g = field_rows(p, MYR_ROWS_gravity);
    w->closed = vf_max(w->closed, vf_fma(vf_set(p->dt * p->dt), length_of(g, PARTS), vf_set((real)SKIN)));
    w->spare = w->closed + vf_set((real)(p->options->spare_speed * p->options->dt_s));
    window_speeds(p, field_rows(p, MYR_ROWS_v), PARTS, w->speed);
}

/* How near the ground a body must be for one of its slots to be asked. With landing 0 what is not closed is not near. */
static inline vf window_of(const part *p, int body) { return vf_fma(vf_set(p->dt), p->w->speed[body], p->w->spare); }

/* What is deeper than this is lifted (constraints/lift.lane.h) [m]. Less is what rounding and residuals within the tolerance leave in some
 * steps. */
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

/* Of the lanes `may`, where slot s is near, those in which it may be reached. */
static __attribute__((noinline)) vm window_reached_pair(const part *p, int s, vm may, vf gap, const window_place *at) {
    return vm_and(may, vm_le(vf_fma(vf_set(p->dt), slot_nears(p, p->w->u, &p->r->slots[s], at), gap), p->w->spare));
}

/* Against the ground; x, y, z: the slot's lowest point in the base frame, each a number of its own, which goes in a register. */
static __attribute__((noinline)) vm window_reached_ground(const part *p, int body, vm may, vf gap, vf x, vf y, vf z) {
    const v3 up = v3_load(p->w->R0 + 9 * p->r->bodies[body].tree + 6);
    return vm_and(may, vm_le(vf_fma(vf_set(p->dt), point_velocity(p, p->w->u, body, (v3){x, y, z}, up), gap), p->w->spare));
}

#endif
