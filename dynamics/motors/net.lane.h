/* What motors that are nets have in common: inputs from readings of this step and of steps before, sums of a layer's rows, and a force of
 * what comes out. One robot per lane: weights are the same in all lanes, and those of a block of rows lie one behind the other
 * (model/motor_net.h). Each sum is one chain of fused products in the order of its inputs: bits do not depend on how wide lanes are. */
#ifndef MYR_DYNAMICS_MOTORS_NET_LANE_H
#define MYR_DYNAMICS_MOTORS_NET_LANE_H

#include "dynamics/motors/sloped.lane.h"
#include "kernels/bends.lane.h"
#include "model/motor_net.h"

static inline const real *net_blocks(const myr_motor_net *net) {
#if MYR_DOUBLE
    return net->blocks_f64;
#else
    return net->blocks_f32;
#endif
}

/* Readings of this step and of those before it; before the episode's first one there was as much as then. What is kept of them waits in
 * w->activation, as what is late does (input.lane.h). */
static inline void net_inputs(const part *p, const lane_actuator *a, const actuator_state *d, vf *x) {
    const myr_motor_net *net = a->motor->net;
    const myr_motor_net_def *def = &net->def;
    const int back = net->back, n = def->n_history;
    const vf *was = field_rows(p, MYR_ROWS_activation) + PARTS * a->net;
    vf *next = p->w->activation + a->net;
    const vm begun = back ? vm_gt(was[0], vf_zero()) : vm_none();
    if (back) *next++ = vf_set(1), was += PARTS;
    const vf now[2] = {d->target - d->length, d->rate}, scale[2] = {vf_set((real)def->position_scale), vf_set((real)def->velocity_scale)};
    for (int kind = 0; kind < 2; kind++, was += PARTS * back, next += back) {
        for (int k = 0; k < back; k++) next[k] = k ? vf_select(begun, was[PARTS * (k - 1)], now[kind]) : now[kind];
        for (int i = 0; i < n; i++) {
            const int k = def->history[i] - 1;
            x[kind * n + i] = scale[kind] * (k < 0 ? now[kind] : vf_select(begun, was[PARTS * k], now[kind]));
        }
    }
}

/* Sums of the next block of rows over n inputs; the first ones are biases, or what was summed before. */
INLINE const real *net_sums(const real *weights, const vf *x, int step, int n, vf sum[MYR_MOTOR_NET_BLOCK]) {
    for (int k = 0; k < n; k++, x += step, weights += MYR_MOTOR_NET_BLOCK) {
        const vf input = *x;
        UNROLL for (int r = 0; r < MYR_MOTOR_NET_BLOCK; r++) sum[r] = vf_fma(vf_set(weights[r]), input, sum[r]);
    }
    return weights;
}
INLINE const real *net_biases(const real *weights, vf sum[MYR_MOTOR_NET_BLOCK]) {
    UNROLL for (int r = 0; r < MYR_MOTOR_NET_BLOCK; r++) sum[r] = vf_set(weights[r]);
    return weights + MYR_MOTOR_NET_BLOCK;
}

/* The last layer, and the force of its one sum: explicit, of the rate before the step. A NaN passes the limits. */
INLINE actuation net_force(const lane_actuator *a, const actuator_state *d, const real *weights, const vf *x, int n) {
    vf sum = vf_set(weights[0]);
    for (int k = 0; k < n; k++) sum = vf_fma(vf_set(weights[k + 1]), x[k], sum);
    const vf force = vf_fma(d->strength * vf_set((real)a->motor->net->def.torque_scale), sum, d->push);
    vf upper = d->upper, lower = d->lower;
    if (a->motor->parameters[0] > 0) {
        const sloped_limits l = sloped_limits_of(a, d);
        upper = l.upper, lower = l.lower;
    }
    return (actuation){vf_min(upper, vf_max(lower, force)), vf_zero()};
}

#endif
