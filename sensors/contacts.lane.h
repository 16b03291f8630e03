/* Sensors of contacts: forces on shapes, and how long they have been in contact or in the air. Forces are impulses of the step by dt. */
#ifndef MYR_SENSORS_CONTACTS_LANE_H
#define MYR_SENSORS_CONTACTS_LANE_H

#include "sensors/sensor.lane.h"

/* Calls body(n, mine, sign) for each contact n of the step that is of the sensor's shapes: in the lanes `mine`; sign 1: the impulse acts on
 * the shapes, -1: its reaction does. */
#define EACH_CONTACT(p, s, n, mine, sign, body)                                                                                            \
    for (int t_ = 0; t_ < (p)->w->touched; t_++) {                                                                                         \
        const slot_touch *is_ = &(p)->w->touch[t_];                                                                                        \
        const int sign = (s)->slots[is_->slot];                                                                                            \
        for (int n = is_->first; n < is_->end && sign; n++) {                                                                              \
            const vm mine = contact_lanes((p)->w, t_, n);                                                                                  \
            body                                                                                                                           \
        }                                                                                                                                  \
    }

/* Impulse of contact n in the lanes that have it, world axes; 0 in the others. */
static inline v3 contact_impulse(const part *p, int n, vm mine, int sign) {
    const v3 world = contact_to_world(p, n, v3_load(p->w->slot_lambda + 3 * n));
    return v3_select(mine, sign > 0 ? world : v3_scale(vf_set(-1), world), v3_zero());
}

static inline v3 impulse_on(const part *p, const lane_sensor *s) {
    v3 sum = v3_zero();
    EACH_CONTACT(p, s, n, mine, sign, sum = v3_add(sum, contact_impulse(p, n, mine, sign));)
    return sum;
}

static void sensor_contact_force(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    if (x->moment == SENSE_TOUCHED) v3_store(kept, impulse_on(x->p, s));
    if (x->moment == SENSE_AFTER) v3_store(out, v3_scale(vf_set(1) / x->dt, v3_load(kept)));
    if (x->moment == SENSE_SHOWN) v3_store(out, v3_zero());
}

/* A point of the world in a frame's axes: the poses are still those before the step. */
static inline v3 place_in(const part *p, const lane_frame *f, v3 at) {
    const workspace *w = p->w;
    vf R[9];
    for (int k = 0; k < 9; k++) R[k] = vf_set(f->R[k]);
    if (f->body < 0) return m3_mul_t(R, v3_sub(at, v3_uniform(f->at)));
    const int tree = p->r->bodies[f->body].tree;
    const v3 in_base = m3_mul_t(w->R0 + 9 * tree, v3_sub(at, v3_load(w->tree_at + 3 * tree)));
    const v3 in_body = m3_mul_t(w->R + 9 * f->body, v3_sub(in_base, v3_load(w->p + 3 * f->body)));
    return m3_mul_t(R, v3_sub(in_body, v3_uniform(f->at)));
}

/* Is a point of the frame's axes in the volume? */
static inline vm within(const lane_sensor *s, v3 a) {
    const vf one = vf_set(1), x = vf_set(s->vector[0]), y = vf_set(s->vector[1]), z = vf_set(s->vector[2]);
    const vf flat = vf_fma(a.x, a.x, a.y * a.y);
    switch (s->volume) {
    case MYR_VOLUME_SPHERE: return vm_le(vf_fma(a.z, a.z, flat), x * x);
    case MYR_VOLUME_CAPSULE: {
        const vf beyond = vf_max(vf_abs(a.z) - y, vf_zero());
        return vm_le(vf_fma(beyond, beyond, flat), x * x);
    }
    case MYR_VOLUME_ELLIPSOID: {
        const vf u = a.x / x, v = a.y / y, t = a.z / z;
        return vm_le(vf_fma(u, u, vf_fma(v, v, t * t)), one);
    }
    case MYR_VOLUME_CYLINDER: return vm_and(vm_le(flat, x * x), vm_le(vf_abs(a.z), y));
    case MYR_VOLUME_BOX: return vm_and(vm_le(vf_abs(a.x), x), vm_and(vm_le(vf_abs(a.y), y), vm_le(vf_abs(a.z), z)));
    default: return vm_all();
    }
}

static void sensor_touch(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    const part *p = x->p;
    if (x->moment == SENSE_TOUCHED) {
        vf sum = vf_zero();
        EACH_CONTACT(p, s, n, mine, sign, vm counts = mine;
                     if (s->volume) counts = vm_and(mine, within(s, place_in(p, &s->of, contact_place(p, n))));
                     sum = sum + vf_select(counts, p->w->slot_lambda[3 * n + 2], vf_zero());)
        *kept = sum;
    }
    if (x->moment == SENSE_AFTER) *out = *kept / x->dt;
    if (x->moment == SENSE_SHOWN) *out = vf_zero();
}

/* Rows: time in the air so far, the last time in the air, time in contact so far, the last time in contact, contact began in this control
 * step. In contact: the net force is above the threshold. The rows are state: what a step finds there it goes on from. */
static void sensor_air_time(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    const vf zero = vf_zero(), one = vf_set(1);
    if (x->moment == SENSE_TOUCHED) v3_store(kept, impulse_on(x->p, s));
    if (x->moment != SENSE_AFTER) return;
    const v3 force = v3_scale(one / x->dt, v3_load(kept));
    const vm touches = vm_gt(v3_dot(force, force), vf_set(s->threshold * s->threshold));
    const vf air = out[0], contact = out[2];
    out[1] = vf_select(vm_and(touches, vm_gt(air, zero)), air, out[1]);
    out[3] = vf_select(vm_andnot(vm_gt(contact, zero), touches), contact, out[3]);
    out[0] = vf_select(touches, zero, air + x->dt);
    out[2] = vf_select(touches, contact + x->dt, zero);
    const vf control = vf_set((real)(x->p->options->dt_s * (x->p->options->decimation + 0.5)));
    out[4] = vf_select(vm_and(touches, vm_lt(out[2], control)), one, zero);
}

#endif
