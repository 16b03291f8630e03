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
    MYR_NET_BLOCK = 64, /* samples that go through the networks together: a gradient's chain of sums is of these */
};

static inline int myr_net_wide(int n) { return (n + MYR_NET_ROW - 1) / MYR_NET_ROW * MYR_NET_ROW; }

/* A block of a layer's weights: so many inputs from `from` on by so many outputs, whole rows of them, from `column` on. */
typedef struct myr_net_piece {
    int from, inputs, column, columns;
    int adds; /* a piece before it has the same outputs */
} myr_net_piece;

/* Weights outside the pieces are zero and stay zero. A layer is one piece, but for the first of a network with an encoder: its last outputs
 * see the encoded inputs alone, the others those before and those behind them. The policy that comes out is an ordinary one, with zeros. */
typedef struct myr_net_layer {
    int in, out, wide;
    int pieces;
    myr_net_piece piece[3];
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
    float *seen, *mean; /* of a learner: a block of what is observed, and of mean actions, (BLOCK x wide) each */
} myr_net_room;

/* The losses of one block, and what they leave: slopes of the shape of what the networks gave, and sums that the block is added to, kept by
 * a sample's place modulo 16. Arrays of the samples are dense. */
typedef struct myr_policy_loss {
    int samples, actions, wide;
    const float *mean;                        /* (samples x wide) of the policy's last layer */
    float *slope;                             /* out (samples x wide) */
    const float *action, *old_mean;           /* (samples, actions) */
    const float *advantage;                   /* (samples) */
    const float *deviation, *old_deviation;   /* (actions) */
    float log_narrower;                       /* sum of log(old deviation / deviation) */
    float share, clip;                        /* share: 1 / samples of the minibatch */
    float *sum, *moved_sum, *deviation_slope; /* (16) surrogate, (16) divergence but for what all samples share, (actions x 16) */
} myr_policy_loss;

typedef struct myr_value_loss {
    int samples, wide;
    const float *value;              /* (samples x wide) of the value's last layer */
    float *slope;                    /* out (samples x wide) */
    const float *old_value, *wanted; /* (samples) */
    float share, clip, weight;
    float *sum; /* (16) */
} myr_value_loss;

/* A step of Adam: the gradient times `scale`; running means of it and of its square; the step size and 1 / sqrt(1 - square's beta^t). */
typedef struct myr_adam {
    float scale, keep_mean, new_mean, keep_square, new_square, step, root, least;
} myr_adam;

/* Lane code of the learner: one table per instruction set. */
typedef struct myr_learn_kernels {
    const char *isa;
    void (*forward)(const myr_net *net, const float *parameters, const float *input, int samples, const myr_net_room *room);
    /* slope[last] in; the gradient lies as the parameters, and it is added to but where `fresh`. */
    void (*backward)(const myr_net *net, const float *turned, const float *input, int samples, const myr_net_room *room, int fresh,
                     float *gradient);
    void (*policy_loss)(const myr_policy_loss *loss);
    void (*value_loss)(const myr_value_loss *loss);
    void (*add)(size_t count, const float *from, float *to); /* to += from; a multiple of 16 */
    void (*adam_step)(const myr_adam *adam, size_t count, const float *gradient, float *mean, float *square, float *weights);
    /* Actions drawn about the means (samples x wide): noise of environments first ... at this step of the seed. Means are kept dense. */
    void (*draw)(int samples, int actions, const float *mean, int wide, const float *deviation, uint64_t seed, int64_t first, uint64_t step,
                 float *action, float *kept_mean);
} myr_learn_kernels;

/* NULL where this library has no learner for the instruction set. */
const myr_learn_kernels *myr_learn_kernels_get(const char *isa);

#endif
