/* Sensors of a body and all below it: its centre of mass, its momentum, and what holds it. */
#ifndef MYR_SENSORS_SUBTREE_LANE_H
#define MYR_SENSORS_SUBTREE_LANE_H

#include "dynamics/inertia.lane.h"
#include "sensors/contacts.lane.h"

/* Of all parts together, world axes, about a point: mass, mass times the way to its centre, momentum, angular momentum. */
typedef struct subtree_motion {
    vf mass;
    v3 first, linear, angular;
} subtree_motion;

static subtree_motion subtree_of(const sensing *x, const lane_sensor *s, v3 about) {
    const part *p = x->p;
    subtree_motion sum = {vf_zero(), v3_zero(), v3_zero(), v3_zero()};
    for (int k = 0; k < s->n_parts; k++) {
        const lane_piece *piece = &s->pieces[k];
        const lane_body *b = &p->r->bodies[piece->body];
        const vf *R0 = p->w->R0 + 9 * b->tree, *R = p->w->R + 9 * piece->body, *moves = x->velocity + 6 * piece->body;
        const real *u = piece->own;
        const inertia fixed = {vf_set(u[0]), v3_uniform(u + 1), vf_set(u[4]), vf_set(u[5]),
                               vf_set(u[6]), vf_set(u[7]),      vf_set(u[8]), vf_set(u[9])};
        const inertia own = piece->whole ? inertia_own(p, b) : fixed;
        const v3 v = v3_load(moves), w = v3_load(moves + 3), h = m3_mul(R, own.h);
        const v3 P = v3_cross_add(w, h, v3_scale(own.m, v)), L = v3_cross_add(h, v, m3_mul(R, inertia_mul(&own, m3_mul_t(R, w))));
        const v3 arm = v3_sub(v3_add(tree_position(p, b->tree), m3_mul(R0, v3_load(p->w->p + 3 * piece->body))), about);
        const v3 linear = m3_mul(R0, P);
        sum.mass = sum.mass + own.m;
        sum.first = v3_add(sum.first, v3_fma(own.m, arm, m3_mul(R0, h)));
        sum.linear = v3_add(sum.linear, linear);
        sum.angular = v3_add(sum.angular, v3_cross_add(arm, linear, m3_mul(R0, L)));
    }
    return sum;
}

static void sensor_subtreecom(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    const frame_motion is = frame_of(x, &s->of);
    const subtree_motion sum = subtree_of(x, s, is.at);
    (void)kept;
    v3_store(out, v3_fma(vf_set(1) / sum.mass, sum.first, is.at));
}

static void sensor_subtreelinvel(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    const frame_motion is = frame_of(x, &s->of);
    const subtree_motion sum = subtree_of(x, s, is.at);
    (void)kept;
    v3_store(out, v3_scale(vf_set(1) / sum.mass, sum.linear));
}

static void sensor_subtreeangmom(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    const frame_motion is = frame_of(x, &s->of);
    const subtree_motion sum = subtree_of(x, s, is.at);
    (void)kept;
    v3_store(out, v3_sub(sum.angular, v3_cross(v3_scale(vf_set(1) / sum.mass, sum.first), sum.linear)));
}

/* ---- what holds it ----------------------------------------------------------------------------------- */

/* Kept from before the step: the frame's origin, the momentum about it, the way to the centre of mass times the mass; then the impulses of
 * contacts and of the caller's wrenches, about that origin. */
enum { AT = 0, LINEAR = 3, ANGULAR = 6, FIRST = 9, PUSH = 12, SPIN = 15 };

static void hold_begin(const sensing *x, const lane_sensor *s, vf *kept) {
    const part *p = x->p;
    const frame_motion is = frame_of(x, &s->of);
    const subtree_motion sum = subtree_of(x, s, is.at);
    v3 push = v3_zero(), spin = v3_zero();
    for (int k = 0; k < s->n_parts && (p->options->varied & MYR_VARIED_WRENCH); k++) {
        const int i = s->pieces[k].body, tree = p->r->bodies[i].tree;
        if (!s->pieces[k].whole) continue;
        const v3 f = {field(p, MYR_ROWS_wrench, 6 * i), field(p, MYR_ROWS_wrench, 6 * i + 1), field(p, MYR_ROWS_wrench, 6 * i + 2)},
                 n = {field(p, MYR_ROWS_wrench, 6 * i + 3), field(p, MYR_ROWS_wrench, 6 * i + 4), field(p, MYR_ROWS_wrench, 6 * i + 5)};
        const v3 arm = v3_sub(v3_add(tree_position(p, tree), m3_mul(p->w->R0 + 9 * tree, v3_load(p->w->p + 3 * i))), is.at);
        push = v3_fma(x->dt, f, push), spin = v3_fma(x->dt, v3_cross_add(arm, f, n), spin);
    }
    v3_store(kept + AT, is.at), v3_store(kept + LINEAR, sum.linear), v3_store(kept + ANGULAR, sum.angular);
    v3_store(kept + FIRST, sum.first), v3_store(kept + PUSH, push), v3_store(kept + SPIN, spin);
}

/* Contact points are those at which the step solved: the poses are still those before it. */
static void hold_touch(const sensing *x, const lane_sensor *s, vf *kept) {
    const part *p = x->p;
    const v3 about = v3_load(kept + AT);
    v3 push = v3_load(kept + PUSH), spin = v3_load(kept + SPIN);
    EACH_CONTACT(p, s, n, mine, sign, const v3 at = contact_place(p, n); const v3 impulse = contact_impulse(p, n, mine, sign);
                 push = v3_add(push, impulse); spin = v3_add(spin, v3_select(mine, v3_cross(v3_sub(at, about), impulse), v3_zero()));)
    v3_store(kept + PUSH, push), v3_store(kept + SPIN, spin);
}

/* Force and torque by which what carries the body holds it, about the frame's origin after the step, world axes:
 * change of momentum by time, less gravity, contacts and wrenches. */
static void held_by(const sensing *x, const lane_sensor *s, const frame_motion *is, const vf *kept, v3 *force, v3 *torque) {
    const v3 g = gravity_of(x->p);
    const subtree_motion now = subtree_of(x, s, is->at);
    if (x->moment == SENSE_SHOWN) {
        *force = v3_scale(-now.mass, g), *torque = v3_cross(g, now.first);
        return;
    }
    const vf rate = vf_set(1) / x->dt;
    const v3 moved = v3_sub(v3_load(kept + AT), is->at), P0 = v3_load(kept + LINEAR), push = v3_load(kept + PUSH);
    const v3 L0 = v3_cross_add(moved, P0, v3_load(kept + ANGULAR)), spin = v3_cross_add(moved, push, v3_load(kept + SPIN));
    const v3 first = v3_fma(now.mass, moved, v3_load(kept + FIRST));
    *force = v3_fma(-now.mass, g, v3_scale(rate, v3_sub(v3_sub(now.linear, P0), push)));
    *torque = v3_cross_add(g, first, v3_scale(rate, v3_sub(v3_sub(now.angular, L0), spin)));
}

static inline void sense_hold(const sensing *x, const lane_sensor *s, vf *kept, vf *out, int turns) {
    if (x->moment == SENSE_BEFORE) hold_begin(x, s, kept);
    if (x->moment == SENSE_TOUCHED) hold_touch(x, s, kept);
    if (x->moment == SENSE_BEFORE || x->moment == SENSE_TOUCHED) return;
    const frame_motion is = frame_of(x, &s->of);
    v3 force, torque;
    held_by(x, s, &is, kept, &force, &torque);
    v3_store(out, frame_in(&is, turns ? torque : force));
}
static void sensor_force(const sensing *x, const lane_sensor *s, vf *kept, vf *out) { sense_hold(x, s, kept, out, 0); }
static void sensor_torque(const sensing *x, const lane_sensor *s, vf *kept, vf *out) { sense_hold(x, s, kept, out, 1); }

#endif
