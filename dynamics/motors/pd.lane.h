/* pd: force = kp (target - length) - kd rate + push between the limits. While it is not at a limit it acts on the velocity at the end of
 * the step: kd + dt kp joins the diagonal of M with dt, and the force is taken at v-. Limits are judged at the rate before the step. */
#ifndef MYR_DYNAMICS_MOTORS_PD_LANE_H
#define MYR_DYNAMICS_MOTORS_PD_LANE_H

#include "dynamics/motors/motor.lane.h"

INLINE actuation motor_pd(const part *p, const lane_actuator *a, const actuator_state *d) {
    const vf spring = actuator_spring(d), wish = actuator_wish(d), implicit = vf_fma(vf_set(p->dt), d->kp, d->kd);
    (void)a;
    const vm high = vm_ge(wish, d->upper), low = vm_ge(d->lower, wish); /* a limit of 0 is a joint without a motor, at rest too */
    return (actuation){vf_select(high, d->upper, vf_select(low, d->lower, vf_fnma(implicit, d->rate, spring))),
                       vf_select(vm_or(high, low), vf_zero(), implicit)};
}

#endif
