/* Sensors of joints and actuators. */
#ifndef MYR_SENSORS_JOINTS_LANE_H
#define MYR_SENSORS_JOINTS_LANE_H

#include "sensors/sensor.lane.h"

static void sensor_jointpos(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    (void)kept;
    *out = field(x->p, MYR_ROWS_q, s->q);
}
static void sensor_jointvel(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    (void)kept;
    *out = field(x->p, MYR_ROWS_v, s->v);
}
static void sensor_ballquat(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    (void)kept;
    for (int k = 0; k < 4; k++) out[k] = field(x->p, MYR_ROWS_q, s->q + k);
}
static void sensor_ballangvel(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    (void)kept;
    for (int k = 0; k < 3; k++) out[k] = field(x->p, MYR_ROWS_v, s->v + k);
}

static void sensor_actuatorpos(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    (void)kept;
    *out = actuator_length(x->p, s->actuator);
}
static void sensor_actuatorvel(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    (void)kept;
    *out = actuator_rate(x->p, s->actuator);
}

static inline vf tendon_of(const sensing *x, const lane_sensor *s, myr_rows field_, int rate) {
    const myr_sensor *given = s->given;
    vf sum = vf_zero();
    for (int i = 0; i < given->n_terms; i++) {
        const myr_body *b = &x->p->r->model->bodies[given->joints[i]];
        sum = vf_fma(vf_set((real)given->coefficients[i]), field(x->p, field_, rate ? b->v : b->q), sum);
    }
    return sum;
}
static void sensor_tendonpos(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    (void)kept, *out = tendon_of(x, s, MYR_ROWS_q, 0);
}
static void sensor_tendonvel(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    (void)kept, *out = tendon_of(x, s, MYR_ROWS_v, 1);
}

/* The velocity is the new one at TOUCHED already: what acted is known then. */
static void sensor_actuatorfrc(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    if (x->moment == SENSE_TOUCHED) *kept = actuator_acted(x->p, s->actuator);
    if (x->moment == SENSE_AFTER) *out = *kept;
    if (x->moment == SENSE_SHOWN) *out = vf_zero();
}
static void sensor_jointactuatorfrc(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    const robot *r = x->p->r;
    if (x->moment == SENSE_TOUCHED) {
        vf sum = vf_zero();
        for (int u = 0; u < r->nu; u++)
            for (int i = 0; i < r->actuators[u].n; i++)
                if (r->joints[r->actuators[u].joint[i]].v == s->v)
                    sum = vf_fma(vf_set(r->actuators[u].moment[i]), actuator_acted(x->p, u), sum);
        *kept = sum;
    }
    if (x->moment == SENSE_AFTER) *out = *kept;
    if (x->moment == SENSE_SHOWN) *out = vf_zero();
}

#endif
