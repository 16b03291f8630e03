/* dc: a pd whose limits fall with the speed (sloped.lane.h). Where the sloped limit acts its slope is implicit: the force is that at the
 * rate after the step, which is stable at any dt, and never drives the motor past `speed`. Which limit acts is judged at the rate before
 * the step: one that begins below the corner of the two limits may pass the sloped one once, by dt limit / inertia. */
#ifndef MYR_DYNAMICS_MOTORS_DC_LANE_H
#define MYR_DYNAMICS_MOTORS_DC_LANE_H

#include "dynamics/motors/sloped.lane.h"

INLINE actuation motor_dc(const part *p, const lane_actuator *a, const actuator_state *d) {
    const sloped_limits l = sloped_limits_of(a, d);
    const vf zero = vf_zero();
    const vf spring = actuator_spring(d), wish = actuator_wish(d), implicit = vf_fma(vf_set(p->dt), d->kp, d->kd),
             slope = l.stall / l.speed;
    const vm high = vm_ge(wish, l.upper), low = vm_ge(l.lower, wish);
    const vm counts = vm_and(vm_lt(d->rate, l.forwards), vm_lt(l.backwards, d->rate));
    const vf at_high = vf_select(vm_and(counts, vm_lt(l.most, d->upper)), slope, zero),
             at_low = vf_select(vm_and(counts, vm_lt(d->lower, l.least)), slope, zero);
    return (actuation){vf_select(high, l.upper, vf_select(low, l.lower, vf_fnma(implicit, d->rate, spring))),
                       vf_select(high, at_high, vf_select(low, at_low, implicit))};
}

#endif
