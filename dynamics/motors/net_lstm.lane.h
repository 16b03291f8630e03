/* net_lstm: layers of long short-term memory (Hochreiter and Schmidhuber 1997), a step of dt each, then one linear sum. Of each unit
 *     c+ = sigmoid(f) c + sigmoid(i) tanh(g)      h+ = sigmoid(o) tanh(c+)
 * with the gates i, f, g, o sums over the layer's inputs and the outputs h of its units in the last step. h and c are 0 at reset. */
#ifndef MYR_DYNAMICS_MOTORS_NET_LSTM_LANE_H
#define MYR_DYNAMICS_MOTORS_NET_LSTM_LANE_H

#include "dynamics/motors/net.lane.h"

/* The gates of one unit, and its cell; the output. Two divisions for five bends: those of a sum have one. */
INLINE vf net_cell(const vf gate[4], vf cell, vf *next) {
    const vf_ratio i = vf_sigmoid_ratio(gate[0]), f = vf_sigmoid_ratio(gate[1]), g = vf_tanh_ratio(gate[2]), o = vf_sigmoid_ratio(gate[3]);
    const vf below = i.below * g.below;
    *next = vf_fma(f.above * cell, below, i.above * g.above * f.below) / (f.below * below);
    const vf_ratio t = vf_tanh_ratio(*next);
    return o.above * t.above / (o.below * t.below);
}

static inline actuation motor_net_lstm(const part *p, const lane_actuator *a, const actuator_state *d) {
    const myr_motor_net *net = a->motor->net;
    const real *weights = net_blocks(net);
    const vf *was = field_rows(p, MYR_ROWS_activation) + PARTS * (a->net + net->n_readings);
    vf *next = p->w->activation + a->net + net->n_readings;
    vf input[MYR_MOTOR_NET_INPUTS], *x = input;
    net_inputs(p, a, d, x);
    int n = 2 * net->def.n_history;
    for (int l = 0; l < net->def.n_layers; l++) {
        const int units = net->def.units[l];
        for (int u = 0; u < units; u += 2) {
            vf sum[MYR_MOTOR_NET_BLOCK];
            weights = net_biases(weights, sum);
            weights = net_sums(weights, x, 1, n, sum);
            weights = net_sums(weights, was, PARTS, units, sum);
            next[u] = net_cell(sum, was[PARTS * (units + u)], &next[units + u]);
            if (u + 1 < units) next[u + 1] = net_cell(sum + 4, was[PARTS * (units + u + 1)], &next[units + u + 1]);
        }
        x = next, n = units;
        next += 2 * units, was += PARTS * 2 * units;
    }
    return net_force(a, d, weights, x, n);
}

#endif
