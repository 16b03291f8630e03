/* net_mlp: a network of the errors and rates of this step and of some before it, layer by layer. */
#ifndef MYR_DYNAMICS_MOTORS_NET_MLP_LANE_H
#define MYR_DYNAMICS_MOTORS_NET_MLP_LANE_H

#include "dynamics/motors/net.lane.h"

INLINE vf net_bend(vf x, myr_net_activation kind) { /* a NaN stays one: it is the second of min and max */
    switch (kind) {
    case MYR_NET_ELU: return vf_select(vm_gt(x, vf_zero()), x, vf_expm1_below(vf_min(vf_zero(), x)));
    case MYR_NET_SOFTSIGN: return x / (vf_set(1) + vf_abs(x));
    case MYR_NET_RELU: return vf_max(vf_zero(), x);
    default: return vf_tanh(x);
    }
}

static inline actuation motor_net_mlp(const part *p, const lane_actuator *a, const actuator_state *d) {
    const myr_motor_net_def *def = &a->motor->net->def;
    const real *weights = net_blocks(a->motor->net);
    vf layers[2][MYR_MOTOR_NET_UNITS], *x = layers[0], *y = layers[1];
    net_inputs(p, a, d, x);
    int n = 2 * def->n_history;
    for (int l = 0; l < def->n_layers; l++) {
        for (int first = 0; first < def->units[l]; first += MYR_MOTOR_NET_BLOCK) {
            vf sum[MYR_MOTOR_NET_BLOCK];
            weights = net_biases(weights, sum);
            weights = net_sums(weights, x, 1, n, sum);
            UNROLL for (int r = 0; r < MYR_MOTOR_NET_BLOCK; r++) y[first + r] = net_bend(sum[r], def->activation);
        }
        vf *const last = x;
        x = y, y = last, n = def->units[l];
    }
    return net_force(a, d, weights, x, n);
}

#endif
