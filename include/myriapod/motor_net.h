/* Nets behind motors: small networks that give an actuator's force, learnt from a real motor (docs/actuators.md).
 *
 *     myr_motor_net_read("anydrive.json", &net)
 *     motor.kind = MYR_MOTOR_NET_LSTM, motor.net = net
 *     myr_builder_motor(builder, "*", &motor)      the builder and its models hold references of their own
 *
 * A net reads the error e = target - length and the rate of its actuator, at some steps of dt back, and gives one number:
 *     input = position_scale e at each of `history`, then velocity_scale rate at each of `history`; before the first step of
 *             an episode both were what they are in it
 *     force = strength torque_scale output + torque, between the limits
 * Threads: any may read a net; none may write one. */
#ifndef MYRIAPOD_MOTOR_NET_H
#define MYRIAPOD_MOTOR_NET_H

#include <stdint.h>

#include "motor.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    MYR_MOTOR_NET_LAYERS = 4,   /* before the last one, at most */
    MYR_MOTOR_NET_UNITS = 128,  /* of a layer, at most */
    MYR_MOTOR_NET_HISTORY = 16, /* readings that a net looks at, at most */
    MYR_MOTOR_NET_BACK = 64     /* steps of dt that a reading lies back, at most */
};

/* What a unit of a net_mlp makes of its sum x. */
typedef enum myr_net_activation {
    MYR_NET_TANH,
    MYR_NET_ELU,      /* x above 0, e^x - 1 below */
    MYR_NET_SOFTSIGN, /* x / (1 + |x|) */
    MYR_NET_RELU,     /* x above 0, 0 below */
    MYR_NET_ACTIVATIONS
} myr_net_activation;

/* What a net is made of. Fill with myr_motor_net_def_default() first. Arrays are copied; inputs are the fast index.
 * A layer of a net_lstm has the rows of PyTorch's nn.LSTM: those of all its units for the gate i, then f, g, o. */
typedef struct myr_motor_net_def {
    myr_motor_kind kind;                   /* MYR_MOTOR_NET_MLP or MYR_MOTOR_NET_LSTM */
    int n_layers;                          /* before the last one, which is linear and has one row: 1 .. MYR_MOTOR_NET_LAYERS */
    int units[MYR_MOTOR_NET_LAYERS];       /* of each: 1 .. MYR_MOTOR_NET_UNITS */
    myr_net_activation activation;         /* of a net_mlp; a net_lstm has its own, and this must be MYR_NET_TANH */
    int n_history;                         /* readings that it looks at: 1 .. MYR_MOTOR_NET_HISTORY */
    int history[MYR_MOTOR_NET_HISTORY];    /* steps of dt back of each, 0: this step's; 0 .. MYR_MOTOR_NET_BACK */
    double position_scale, velocity_scale; /* of the inputs */
    double torque_scale;                   /* of the output [N m | N] */
    const double
        *weights[MYR_MOTOR_NET_LAYERS + 1]; /* (rows, inputs) of each layer, the last one behind them; rows: units, net_lstm: 4 units */
    const double *recurrent[MYR_MOTOR_NET_LAYERS];  /* net_lstm: (4 units, units) of each layer, by what its units gave in the last step */
    const double *biases[MYR_MOTOR_NET_LAYERS + 1]; /* (rows) of each layer and the last one; both of PyTorch's, added */
} myr_motor_net_def;

/* A net_mlp of no layers yet that reads this step alone, of tanh, with scales of 1. */
MYR_API myr_motor_net_def myr_motor_net_def_default(void);

/* A net. On failure *out is NULL; MYR_E_ARG names the array and the number that is not finite, or beyond 1e30. Free with
 * myr_motor_net_free; builders and models with motors of it hold references of their own. */
MYR_API myr_status myr_motor_net_create(const myr_motor_net_def *def, myr_motor_net **out);
/* The same from a file, whose format docs/actuators.md says. MYR_E_FORMAT names line and element. */
MYR_API myr_status myr_motor_net_read(const char *path, myr_motor_net **out);
MYR_API void myr_motor_net_free(myr_motor_net *net); /* NULL is fine */

/* What it was made of; its arrays are those of the net. All 0 where net is NULL. */
MYR_API void myr_motor_net_get(const myr_motor_net *net, myr_motor_net_def *def);
/* Of all that shows in forces: nets of one hash are one net. 0 where net is NULL. */
MYR_API uint64_t myr_motor_net_hash(const myr_motor_net *net);
/* Numbers that an actuator keeps for it from step to step, in MYR_ACTIVATION; 0 where net is NULL. */
MYR_API int myr_motor_net_states(const myr_motor_net *net);

#ifdef __cplusplus
}
#endif
#endif
