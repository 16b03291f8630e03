/* What an actuator has before it in a step: gains, error, rate, limits. The laws that make a force of it: dynamics/motors/. */
#ifndef MYR_ROBOT_ACTUATOR_STATE_LANE_H
#define MYR_ROBOT_ACTUATOR_STATE_LANE_H

#include "robot/workspace.lane.h"

typedef struct actuator_state {
    vf kp, kd;
    vf target, length, rate; /* the length as its encoder measures it, and its rate */
    vf push;                 /* feed-forward force */
    vf lower, upper;
    vf strength; /* in gains and limits already */
} actuator_state;

/* Length of an actuator (of one joint alone its position), and its rate. */
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

static inline actuator_state actuator_state_of(const part *p, int u) {
    const lane_actuator *a = &p->r->actuators[u];
    const int gains = (p->options->varied & MYR_VARIED_GAINS) != 0, pushed = (p->options->varied & MYR_VARIED_TORQUE) != 0;
    actuator_state d = {.kp = gains ? field(p, MYR_ROWS_kp, u) : vf_set((real)p->options->kp),
                        .kd = gains ? field(p, MYR_ROWS_kd, u) : vf_set((real)p->options->kd),
                        .target = field(p, MYR_ROWS_target, u),
                        .length = actuator_length(p, u),
                        .rate = actuator_rate(p, u),
                        .push = pushed ? field(p, MYR_ROWS_torque, u) : vf_zero(),
                        .lower = vf_set(a->lower),
                        .upper = vf_set(a->upper),
                        .strength = vf_set(1)};
    if (p->options->varied & MYR_VARIED_MOTOR) {
        const vf strength = field(p, MYR_ROWS_strength, u);
        d.kp = strength * d.kp, d.kd = strength * d.kd, d.lower = strength * d.lower, d.upper = strength * d.upper;
        d.length = d.length + field(p, MYR_ROWS_encoder_bias, u), d.strength = strength;
    }
    return d;
}

/* kp (target - length) + push, and what damping takes of it: the force that is asked for at this rate. */
static inline vf actuator_spring(const actuator_state *d) { return vf_fma(d->kp, d->target - d->length, d->push); }
static inline vf actuator_wish(const actuator_state *d) { return vf_fnma(d->kd, d->rate, actuator_spring(d)); }

/* What acted in the step that ended, with what of it was implicit. Of an actuator on several joints to first order in dt: each joint has a
 * share of its own of what is implicit (dynamics/actuators.lane.h). */
static inline vf actuator_acted(const part *p, int u) {
    const vf *acts = p->w->acts + 3 * u;
    return vf_fnma(acts[1], actuator_rate(p, u) - acts[2], acts[0]);
}

#endif
