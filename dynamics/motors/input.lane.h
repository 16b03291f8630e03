/* What reaches a motor of what was set: late by some steps, then slowly. The states are rows of the field `activation`; what they are after
 * the step waits in w->activation until the step is good (integrate.lane.h), so that a step that is only looked at changes nothing. */
#ifndef MYR_DYNAMICS_MOTORS_INPUT_LANE_H
#define MYR_DYNAMICS_MOTORS_INPUT_LANE_H

#include "kernels/math.lane.h"
#include "robot/actuator_state.lane.h"

/* What was set `delay` steps ago; what was set first, until that is so long ago. Rows: delay, age, what was set 1, 2, .. steps ago. */
static inline vf input_late(const part *p, const lane_actuator *a, vf input) {
    const int most = a->motor->delay_max;
    const vf *is = field_rows(p, MYR_ROWS_activation) + PARTS * a->late;
    vf *next = p->w->activation + a->late;
    const vf delay = is[0], age = is[PARTS], back = vf_min(delay, age);
    vf late = input;
    for (int k = 1; k <= most; k++) late = vf_select(vm_eq(back, vf_set((real)k)), is[PARTS * (1 + k)], late);
    next[0] = delay, next[1] = vf_min(age + vf_set(1), vf_set((real)most)), next[2] = input;
    for (int k = 2; k <= most; k++) next[1 + k] = is[PARTS * k];
    return late;
}

static inline vf input_lagging(const part *p, const lane_actuator *a, vf input) {
    const myr_motor *motor = a->motor;
    const vf dt = vf_set(p->dt), x = field(p, MYR_ROWS_activation, a->lag), time = vf_set((real)motor->lag_s);
    vf y;
    switch (motor->lag) {
    case MYR_LAG_EXACT: y = vf_fma(vf_set(1) - vf_exp(-dt / time), input - x, x); break;
    case MYR_LAG_EULER: y = vf_fma(dt / time, input - x, x); break;
    case MYR_LAG_INTEGRATOR: y = vf_fma(dt, input - vf_set(a->bias), x); break;
    default: y = input; break;
    }
    y = vf_max(vf_min(y, vf_set((real)motor->lag_upper)), vf_set((real)motor->lag_lower));
    p->w->activation[a->lag] = y;
    return motor->lag_behind ? x : y;
}

/* Of an actuator that is late, lags or both. */
static inline void motor_input(const part *p, const lane_actuator *a, actuator_state *d) {
    vf *input = a->torqued ? &d->push : &d->target;
    if (a->late >= 0) *input = input_late(p, a, *input);
    if (a->lag >= 0) *input = input_lagging(p, a, *input);
}

#endif
