/* How near something must be to be touched within the step (setting landing).
 *
 * A slot is a contact where it could be reached: where its gap is no more than its normal velocity before the step covers in dt, and
 * SPARE_SPEED (batch/options.c) beside it. It need not be reached: one that stays open carries no impulse. A blow that throws something
 * farther than SPARE_SPEED foresees is seen in the next step (constraints/lift.lane.h).
 *
 * Tried: contacts by the free velocity alone, those beside them noted, and lanes solved again in which one of these was passed. It has 3
 * to 10 % fewer contacts, takes longer for all it looks at, and needs a second way through the step. And contacts by a bound on the speed
 * of each body's points: a third more of them where robots tumble. Pairs have such a bound, too, for most of them are far apart. */
#ifndef MYR_ROBOT_WINDOW_LANE_H
#define MYR_ROBOT_WINDOW_LANE_H

#include "contact_frame.lane.h"
#include "place.lane.h"

/* What rests is no farther open than this [m]: some roundings of a position. */
#define SKIN (MYR_DOUBLE ? 1e-10 : 1e-6)
#define OUT_OF_REACH (-1e30) /* [m] */

/* The gap that a step goes by, of something `gap` away: what rests is closed, else it would be moved by roundings. farthest: the largest
 * gap of all that moves with it. Corners of one foot rest together or not at all: where each went by its own gap, those a rounding above
 * SKIN and those below were asked for velocities of no plane, and a G1 on its feet took 1.6 times as long. Tried beside it: a law that is
 * continuous at SKIN, or SKIN = 0. An ANYmal that stands then has a tenth more sweeps, and what slides is braked by 5e-5 less. */
INLINE vf window_rests(const part *p, vf gap, vf farthest) {
    const vf skin = vf_set(p->options->rests ? (real)SKIN : 0);
    return vf_select(vm_le(farthest, skin), vf_min(gap, vf_zero()), gap);
}

/* The same of two shapes that touch at few places, and continuous: from SKIN to twice that the gap grows from 0 to what it is. A capsule
 * between two pads drifts from one of them by the solver's tolerance. Where its gap jumped from 0 to SKIN, the law let go of that end from
 * one step to the next: in float a grip turned by a right angle after 24 s (bench/contact_yardstick, grip-40 at 2 ms). Tried: gap less
 * SKIN. What lands then lands SKIN / dt too slowly. */
INLINE vf window_rests_pair(const part *p, vf gap) {
    const vf skin = vf_set(p->options->rests ? (real)SKIN : 0), beyond = gap - skin;
    return vf_select(vm_le(gap, skin), vf_min(gap, vf_zero()), vf_min(gap, beyond + beyond));
}

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

/* Gaps that are contacts, and with the bounds of pairs (collision/pairs.lane.h) what is looked at. */
static inline void window_open(const part *p) {
    workspace *w = p->w;
    w->closed = vf_set((real)p->options->terms.gap);
    w->spare = vf_set((real)OUT_OF_REACH);
    if (p->options->landing) {
        const vf *g = field_rows(p, MYR_ROWS_gravity);
        w->closed = vf_max(w->closed, vf_fma(vf_set(p->dt * p->dt), length_of(g, PARTS), vf_set((real)SKIN)));
        w->spare = w->closed + vf_set((real)(p->options->spare_speed * p->options->dt_s));
    }
    if (p->r->n_pairs) window_speeds(p, field_rows(p, MYR_ROWS_v), PARTS, w->speed);
}

/* Of a point x of a body (base frame), along n (base axes): its velocity before the step. */
INLINE vf twist_along(const part *p, int body, v3 x, v3 n) {
    const vf *twist = p->w->twist + 6 * body;
    const v3 arm = v3_sub(x, v3_load(p->w->p + 3 * body));
    return v3_dot(n, v3_cross_add(v3_load(twist), arm, v3_load(twist + 3)));
}

/* How far something `gap` away that moves apart at v_N is at the end of the step, if nothing stops it. */
INLINE vf window_ends(const part *p, vf gap, vf apart) { return vf_fma(vf_set(p->dt), apart, gap); }

/* Where it may be reached. */
INLINE vm window_reached(const part *p, vf gap, vf ends) { return vm_or(vm_le(gap, p->w->closed), vm_le(ends, p->w->spare)); }

/* How near the ground the ball around a body's slots must be for one of them to be reached; `at`: its centre. */
static inline vf window_of(const part *p, int body, v3 at) {
    const lane_body *b = &p->r->bodies[body];
    const v3 up = v3_load(p->w->R0 + 9 * b->tree + 6);
    const vf turns = vf_set((real)1.0001 * b->ball_radius) * length_of(p->w->twist + 6 * body, 1);
    return vf_max(p->w->closed, vf_fma(vf_set(p->dt), turns - twist_along(p, body, at, up), p->w->spare));
}

/* v_N of a pair's slot before the step; z: its normal, world axes; x, y: where it is, in the base frames of its bodies. */
static inline vf window_apart(const part *p, const lane_slot *slot, v3 z, v3 x, v3 y) {
    const lane_body *bodies = p->r->bodies;
    const vf *R0 = p->w->R0;
    vf apart = twist_along(p, slot->body, x, m3_mul_t(R0 + 9 * bodies[slot->body].tree, z));
    if (slot->other_body >= 0) apart = apart - twist_along(p, slot->other_body, y, m3_mul_t(R0 + 9 * bodies[slot->other_body].tree, z));
    return apart;
}

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

/* v_N of occupied slot n at the velocity u: of its body's point less that of the other body's, if it has one. */
static inline vf occupied_nears(const part *p, const vf *u, int n) {
    const workspace *w = p->w;
    const lane_slot *slot = &p->r->slots[w->slot[n]];
    const lane_body *bodies = p->r->bodies;
    const vf *R0 = w->R0 + 9 * bodies[slot->body].tree;
    const v3 x = v3_load(w->slot_x + 3 * n);
    const vf nears = point_velocity(p, u, slot->body, x, contact_axis_in_base(p, n, 2, R0));
    if (slot->other_body < 0) return nears;
    R0 = w->R0 + 9 * bodies[slot->other_body].tree;
    return nears - point_velocity(p, u, slot->other_body, v3_load(w->slot_other_x + 3 * n), contact_axis_in_base(p, n, 2, R0));
}

#endif
