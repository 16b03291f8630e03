/* explicit: pd with the force at the velocity before the step, and nothing implicit: Isaac Lab's IdealPDActuator, MuJoCo's Euler with its
 * damping of actuators explicit. It is unstable where dt kd is beyond twice the inertia. */
#ifndef MYR_DYNAMICS_MOTORS_EXPLICIT_LANE_H
#define MYR_DYNAMICS_MOTORS_EXPLICIT_LANE_H

#include "dynamics/motors/motor.lane.h"

INLINE actuation motor_explicit(const part *p, const lane_actuator *a, const actuator_state *d) {
    (void)p, (void)a;
    return (actuation){vf_max(vf_min(actuator_wish(d), d->upper), d->lower), vf_zero()};
}

#endif
