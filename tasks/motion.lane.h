/* How robots move, as tasks judge and observe it. */
#ifndef MYR_TASKS_MOTION_LANE_H
#define MYR_TASKS_MOTION_LANE_H

#include "robot/actuator_state.lane.h"

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

/* The control of an actuator, as the robot's file has it, within its range. */
static inline void control_set(const part *p, int u, vf asked, vm lanes) {
    const myr_actuator *a = &p->r->model->actuators[u];
    const vf bounded = vf_min(vf_max(asked, vf_set((real)a->control_lower)), vf_set((real)a->control_upper));
    vf *to = row(p, myr_control_row(&p->r->layout, a, u));
    *to = vf_select(lanes, vf_fma(vf_set((real)a->scale), bounded, vf_set((real)a->bias)), *to);
}

/* A length as its encoder shows it: the motor works by the same number. */
static inline vf encoded(const part *p, int u, vf length) {
    return p->options->varied & MYR_VARIED_MOTOR ? length + field(p, MYR_ROWS_encoder_bias, u) : length;
}

/* Force of an actuator: of a pd at once what its gains ask for in the present state, of any other motor what acted in the last step. */
static inline vf actuator_force(const part *p, int u) {
    const lane_actuator *a = &p->r->actuators[u];
    if (!myr_motor_acts_at_once(a->motor)) return actuator_acted(p, u);
    const actuator_state d = actuator_state_of(p, u);
    return vf_max(vf_min(actuator_wish(&d), d.upper), d.lower);
}

#endif
