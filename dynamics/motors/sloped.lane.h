/* Limits that fall with the speed, as the torque of a motor does: at most stall (1 - rate / speed) forwards, at least
 * -stall (1 + rate / speed) backwards, and never beyond the force's own limits; the rate counts up to where a limit has gone through zero
 * to the other one (Isaac Lab's DCMotor). */
#ifndef MYR_DYNAMICS_MOTORS_SLOPED_LANE_H
#define MYR_DYNAMICS_MOTORS_SLOPED_LANE_H

#include "dynamics/motors/motor.lane.h"

typedef struct sloped_limits {
    vf stall, speed, forwards, backwards; /* forwards, backwards: rates up to which the rate counts */
    vf most, least;                       /* by the slope alone */
    vf upper, lower;                      /* of all */
} sloped_limits;

INLINE sloped_limits sloped_limits_of(const lane_actuator *a, const actuator_state *d) {
    const vf one = vf_set(1), stall = d->strength * vf_set((real)a->motor->parameters[0]), speed = vf_set((real)a->motor->parameters[1]);
    const vf forwards = speed * (one + d->upper / stall), backwards = -(speed * (one - d->lower / stall));
    const vf share = vf_max(vf_min(d->rate, forwards), backwards) / speed;
    const vf most = stall * (one - share), least = -(stall * (one + share));
    return (sloped_limits){stall, speed, forwards, backwards, most, least, vf_min(d->upper, most), vf_max(d->lower, least)};
}

#endif
