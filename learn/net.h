/* How the numbers of a network lie in memory. A layer's weights are (in x wide), outputs in lanes; `wide` is the number of outputs
 * rounded up to rows of 16, and what lies beyond is zero and stays zero. So does every row of activations: (samples x wide). */
#ifndef MYR_LEARN_NET_H
#define MYR_LEARN_NET_H

#include <stddef.h>
#include <stdint.h>

#include "myriapod/learn.h"

enum {
    MYR_NET_ROW = 16, /* numbers of a row, whatever the register holds */
    MYR_NET_LAYERS = MYR_LEARN_HIDDEN + 1,
    MYR_NET_BLOCK = 96, /* samples that go through the networks together: a gradient's chain of sums is of these */
};

static inline int myr_net_wide(int n) { return (n + MYR_NET_ROW - 1) / MYR_NET_ROW * MYR_NET_ROW; }

typedef struct myr_net_layer {
    int in, out, wide;
    size_t weight, bias; /* places in the parameters: (in x wide), (wide) */
    size_t turned;       /* place in the turned weights: (out x in rounded up) */
} myr_net_layer;

typedef struct myr_net {
    int layers;
    myr_activation activation;
    myr_net_layer layer[MYR_NET_LAYERS];
    size_t begin, end; /* of its parameters */
} myr_net;

/* Room of one worker for a block: what each layer gives, and the gradients of the loss by that. */
typedef struct myr_net_room {
    float *output[MYR_NET_LAYERS]; /* (BLOCK x wide) */
    float *slope[MYR_NET_LAYERS];
} myr_net_room;

/* A policy's view of one block, and what it leaves. Arrays of the samples are dense. */
typedef struct myr_loss_block {
    int samples, actions;
    const float *mean, *value; /* (samples x wide of the networks' last layers) */
    int mean_wide, value_wide;
    float *mean_slope, *value_slope;             /* out, the same shapes */
    const float *action, *old_mean;              /* (samples, actions) */
    const float *advantage, *old_value, *wanted; /* (samples) */
    const float *deviation, *old_deviation;      /* (actions) */
    float share;                                 /* 1 / samples of the minibatch */
    float clip, value_weight;
    float log_narrower;     /* sum of log(old deviation / deviation) */
    float *deviation_slope; /* (actions x 16) sums, lane by lane */
    float *sums;            /* (3 x 16): surrogate, value loss, divergence without what is the same for all samples */
} myr_loss_block;

/* Lane code of the learner: one table per instruction set (units/). */
typedef struct myr_learn_kernels {
    const char *isa;
    void (*forward)(const myr_net *net, const float *parameters, const float *input, int samples, const myr_net_room *room);
    /* slope[last] in; adds to the gradient, which lies as the parameters. */
    void (*backward)(const myr_net *net, const float *turned, const float *input, int samples, const myr_net_room *room, float *gradient);
    void (*loss)(const myr_loss_block *block);
    /* Actions drawn about the means (samples x wide): noise of environments first ... at this step of the seed. Means are kept dense. */
    void (*draw)(int samples, int actions, const float *mean, int wide, const float *deviation, uint64_t seed, int64_t first, uint64_t step,
                 float *action, float *kept_mean);
} myr_learn_kernels;

/* NULL where this library has no learner for the instruction set. */
const myr_learn_kernels *myr_learn_kernels_get(const char *isa);

#endif
