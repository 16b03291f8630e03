/* A network forward and backward, a block of samples at a time. */
#ifndef MYR_LEARN_NETWORK_LANE_H
#define MYR_LEARN_NETWORK_LANE_H

#include "kernels/bends.lane.h"
#include "learn/net.h"
#include "learn/product.lane.h"

static const float network_zeros[MYR_LEARN_WIDEST] = {0}, network_one = 1;

static inline vf activate(vf x, myr_activation kind) {
    const vf zero = vf_zero();
    if (kind == MYR_ACTIVATION_RELU) return vf_max(x, zero);
    if (kind == MYR_ACTIVATION_ELU) return vf_select(vm_gt(x, zero), x, vf_expm1_below(vf_min(x, zero)));
    const vf e = vf_expm1_below(vf_set(-2) * vf_abs(x)), t = -e / (e + vf_set(2)); /* tanh |x| */
    return vf_select(vm_lt(x, zero), -t, t);
}

/* Its derivative, by what it gave. */
static inline vf activate_slope(vf y, myr_activation kind) {
    const vf one = vf_set(1);
    if (kind == MYR_ACTIVATION_RELU) return vf_select(vm_gt(y, vf_zero()), one, vf_zero());
    if (kind == MYR_ACTIVATION_ELU) return vf_select(vm_gt(y, vf_zero()), one, y + one);
    return vf_fnma(y, y, one);
}

static void activate_all(float *y, size_t count, myr_activation kind) {
    switch (kind) { /* so that the loops know theirs */
    case MYR_ACTIVATION_ELU:
        for (size_t i = 0; i < count; i += VN) store(y + i, activate(load(y + i), MYR_ACTIVATION_ELU));
        break;
    case MYR_ACTIVATION_RELU:
        for (size_t i = 0; i < count; i += VN) store(y + i, activate(load(y + i), MYR_ACTIVATION_RELU));
        break;
    default:
        for (size_t i = 0; i < count; i += VN) store(y + i, activate(load(y + i), MYR_ACTIVATION_TANH));
        break;
    }
}

static void activate_slope_all(const float *y, float *slope, size_t count, myr_activation kind) {
    for (size_t i = 0; i < count; i += VN) store(slope + i, load(slope + i) * activate_slope(load(y + i), kind));
}

static void network_forward(const myr_net *net, const float *parameters, const float *input, int samples, const myr_net_room *room) {
    for (int k = 0; k < net->layers; k++) {
        const myr_net_layer *l = &net->layer[k];
        for (int i = 0; i < l->pieces; i++) {
            const myr_net_piece *is = &l->piece[i];
            const product p = {.rows = samples,
                               .depth = is->inputs,
                               .a = (k ? room->output[k - 1] : input) + is->from,
                               .a_row = k ? net->layer[k - 1].wide : l->in,
                               .a_step = 1,
                               .b = parameters + l->weight + is->from * l->wide + is->column,
                               .b_step = l->wide,
                               .start = (is->adds ? room->output[k] : parameters + l->bias) + is->column,
                               .start_row = is->adds ? l->wide : 0,
                               .c = room->output[k] + is->column,
                               .c_row = l->wide};
            product_all(&p, is->columns);
        }
        if (k + 1 < net->layers) activate_all(room->output[k], (size_t)samples * (size_t)l->wide, net->activation);
    }
}

static void network_backward(const myr_net *net, const float *turned, const float *input, int samples, const myr_net_room *room, int fresh,
                             float *gradient) {
    for (int k = net->layers - 1; k >= 0; k--) {
        const myr_net_layer *l = &net->layer[k];
        for (int i = 0; i < l->pieces; i++) {
            const myr_net_piece *is = &l->piece[i];
            float *slopes = gradient + l->weight + is->from * l->wide + is->column;
            const product by_weight = {.rows = is->inputs,
                                       .depth = samples,
                                       .a = (k ? room->output[k - 1] : input) + is->from,
                                       .a_row = 1,
                                       .a_step = k ? net->layer[k - 1].wide : l->in,
                                       .b = room->slope[k] + is->column,
                                       .b_step = l->wide,
                                       .start = fresh ? network_zeros : slopes,
                                       .start_row = fresh ? 0 : l->wide,
                                       .c = slopes,
                                       .c_row = l->wide};
            product_all(&by_weight, is->columns);
        }
        const product by_bias = {.rows = 1,
                                 .depth = samples,
                                 .a = &network_one,
                                 .a_row = 0,
                                 .a_step = 0,
                                 .b = room->slope[k],
                                 .b_step = l->wide,
                                 .start = fresh ? network_zeros : gradient + l->bias,
                                 .start_row = 0,
                                 .c = gradient + l->bias,
                                 .c_row = 0};
        product_all(&by_bias, l->wide);
        if (k == 0) break;
        const int before = net->layer[k - 1].wide;
        const product by_input = {.rows = samples,
                                  .depth = l->out,
                                  .a = room->slope[k],
                                  .a_row = l->wide,
                                  .a_step = 1,
                                  .b = turned + l->turned,
                                  .b_step = before,
                                  .start = network_zeros,
                                  .start_row = 0,
                                  .c = room->slope[k - 1],
                                  .c_row = before};
        product_all(&by_input, before);
        activate_slope_all(room->output[k - 1], room->slope[k - 1], (size_t)samples * (size_t)before, net->activation);
    }
}

#endif
