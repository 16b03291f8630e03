/* dc: a pd whose limits fall with the speed, as the torque of a motor does: at most stall (1 - rate / speed) forwards, at least
 * -stall (1 + rate / speed) backwards, and never beyond the force's own limits; the rate counts up to where a limit has gone through zero
 * to the other one (Isaac Lab's DCMotor). Where the sloped limit acts its slope is implicit: the force is that at the rate after the step,
 * which is stable at any dt, and never drives the motor past `speed`. Which limit acts is judged at the rate before the step: one that
 * begins below the corner of the two limits may pass the sloped one once, by dt limit / inertia. */
#ifndef MYR_DYNAMICS_MOTORS_DC_LANE_H
#define MYR_DYNAMICS_MOTORS_DC_LANE_H

#include "dynamics/motors/motor.lane.h"

INLINE actuation motor_dc(const part *p, const lane_actuator *a, const actuator_state *d) {
    const vf one = vf_set(1), zero = vf_zero(), stall = d->strength * vf_set((real)a->motor->parameters[0]),
             speed = vf_set((real)a->motor->parameters[1]);
    const vf forwards = speed * (one + d->upper / stall), backwards = -(speed * (one - d->lower / stall));
    const vf share = vf_max(vf_min(d->rate, forwards), backwards) / speed;
    const vf most = stall * (one - share), least = -(stall * (one + share));
    const vf upper = vf_min(d->upper, most), lower = vf_max(d->lower, least);
    const vf spring = actuator_spring(d), wish = actuator_wish(d), implicit = vf_fma(vf_set(p->dt), d->kp, d->kd), slope = stall / speed;
    const vm high = vm_ge(wish, upper), low = vm_ge(lower, wish);
    const vm counts = vm_and(vm_lt(d->rate, forwards), vm_lt(backwards, d->rate));
    const vf at_high = vf_select(vm_and(counts, vm_lt(most, d->upper)), slope, zero),
             at_low = vf_select(vm_and(counts, vm_lt(d->lower, least)), slope, zero);
    return (actuation){vf_select(high, upper, vf_select(low, lower, vf_fnma(implicit, d->rate, spring))),
                       vf_select(high, at_high, vf_select(low, at_low, implicit))};
}

#endif
