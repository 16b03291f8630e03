/* How robots move, as tasks judge and observe it. */
#ifndef MYR_TASKS_MOTION_LANE_H
#define MYR_TASKS_MOTION_LANE_H

#include "robot/workspace.lane.h"

static inline vf *field_row(const part *p, myr_rows f, int i) { return row(p, p->r->layout.first[f] + i); }
static inline vf square(vf a) { return a * a; }

/* The base as its rider sees it: base axes, x forward. */
typedef struct rider {
    v3 linear, angular, down;
} rider;

/* Robots that head along their own +y have their left at -x. */
static inline v3 rider_axes(const part *p, v3 a) { return p->r->model->quadruped.heading_y ? (v3){a.y, -a.x, a.z} : a; }

static inline rider rider_get(const part *p) {
    const vf w = field(p, MYR_ROWS_q, 3), x = field(p, MYR_ROWS_q, 4), y = field(p, MYR_ROWS_q, 5), z = field(p, MYR_ROWS_q, 6);
    const vf one = vf_set(1), two = vf_set(2);
    const vf R[9] = {
        /* base -> world */
        vf_fnma(two, vf_fma(y, y, z * z), one), two * vf_fms(x, y, w * z), two * vf_fma(x, z, w * y), two * vf_fma(x, y, w * z),
        vf_fnma(two, vf_fma(x, x, z * z), one), two * vf_fms(y, z, w * x), two * vf_fms(x, z, w * y), two * vf_fma(y, z, w * x),
        vf_fnma(two, vf_fma(x, x, y * y), one)};
    const v3 linear = {field(p, MYR_ROWS_v, 0), field(p, MYR_ROWS_v, 1), field(p, MYR_ROWS_v, 2)};
    const v3 angular = {field(p, MYR_ROWS_v, 3), field(p, MYR_ROWS_v, 4), field(p, MYR_ROWS_v, 5)};
    return (rider){rider_axes(p, m3_mul_t(R, linear)), rider_axes(p, angular), rider_axes(p, (v3){-R[6], -R[7], -R[8]})};
}

/* Length of an actuator (of one joint alone its position), the rate of it, and its force in the present state. */
static inline vf actuator_length(const part *p, int u) {
    const lane_actuator *a = &p->r->actuators[u];
    vf length = vf_zero();
    for (int i = 0; i < a->n; i++) length = vf_fma(vf_set(a->moment[i]), field(p, MYR_ROWS_q, p->r->joints[a->joint[i]].q), length);
    return length;
}
static inline vf actuator_rate(const part *p, int u) {
    const lane_actuator *a = &p->r->actuators[u];
    vf rate = vf_zero();
    for (int i = 0; i < a->n; i++) rate = vf_fma(vf_set(a->moment[i]), field(p, MYR_ROWS_v, p->r->joints[a->joint[i]].v), rate);
    return rate;
}
static inline vf actuator_force(const part *p, int u) {
    const lane_actuator *a = &p->r->actuators[u];
    const int gains = (p->options->varied & MYR_VARIED_GAINS) != 0, pushed = (p->options->varied & MYR_VARIED_TORQUE) != 0;
    const vf kp = gains ? field(p, MYR_ROWS_kp, u) : vf_set((real)p->options->kp),
             kd = gains ? field(p, MYR_ROWS_kd, u) : vf_set((real)p->options->kd);
    const vf spring = vf_fma(kp, field(p, MYR_ROWS_target, u) - actuator_length(p, u), pushed ? field(p, MYR_ROWS_torque, u) : vf_zero());
    return vf_max(vf_min(vf_fnma(kd, actuator_rate(p, u), spring), vf_set(a->upper)), vf_set(a->lower));
}

#endif
