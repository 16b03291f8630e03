/* A net as the other rooms see it. Immutable after motor_net.c made it. */
#ifndef MYR_MODEL_MOTOR_NET_H
#define MYR_MODEL_MOTOR_NET_H

#include <stdatomic.h>

#include "model.h"
#include "myriapod/motor_net.h"

/* Rows of a layer lie in blocks of so many, a sum each; units of an LSTM in pairs, two units times four gates. */
enum { MYR_MOTOR_NET_BLOCK = 8, MYR_MOTOR_NET_INPUTS = 2 * MYR_MOTOR_NET_HISTORY };

struct myr_motor_net {
    atomic_int references;
    myr_motor_net_def def; /* arrays: in `numbers` */
    int back;              /* steps of the reading that lies farthest back */
    int n_readings;        /* states: where back > 0, 1 once it has read; then errors, then rates, 1 .. back steps ago */
    int n_states;          /* those, then of each layer of an LSTM its outputs, then its cells */
    uint64_t hash;
    double *numbers;
    /* Layer by layer, block by block, as dynamics/motors/net.lane.h reads them: the biases of its rows, then for each input a weight of
     * each row; of an LSTM the outputs of its units in the last step are the inputs behind the others. Rows that fill a block up are 0.
     * The last layer: its bias, then its weights. */
    double *blocks_f64;
    float *blocks_f32;
    size_t n_blocks; /* numbers of them */
};

/* myr_motor_net_create; `label` begins what it says, with MYR_E_FORMAT where it is a file's. */
myr_status myr_motor_net_make(const char *label, int is_file, const myr_motor_net_def *def, myr_motor_net **out);
/* A net from the text of a file; a 0 lies behind it. */
myr_status myr_motor_net_parse(const char *label, const char *text, size_t length, myr_motor_net **out);

/* Rows and inputs of layer l; the last one is number n_layers. */
static inline int myr_motor_net_rows(const myr_motor_net_def *d, int l) {
    return l == d->n_layers ? 1 : d->kind == MYR_MOTOR_NET_LSTM ? 4 * d->units[l] : d->units[l];
}
static inline int myr_motor_net_columns(const myr_motor_net_def *d, int l) { return l ? d->units[l - 1] : 2 * d->n_history; }

static inline int myr_motor_has_net(const myr_motor *motor) {
    return motor->kind == MYR_MOTOR_NET_MLP || motor->kind == MYR_MOTOR_NET_LSTM;
}

#endif
