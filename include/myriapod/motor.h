/* Motors: what makes an actuator's force, and how a control reaches it (docs/actuators.md). */
#ifndef MYRIAPOD_MOTOR_H
#define MYRIAPOD_MOTOR_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What makes an actuator's force of its gains, target and torque; motors.def says each kind's law. */
typedef enum myr_motor_kind {
#define MYR_MOTOR(NAME, name, parameters, doc) MYR_MOTOR_##NAME,
#include "motors.def"
#undef MYR_MOTOR
    MYR_MOTOR_KINDS
} myr_motor_kind;
enum { MYR_MOTOR_PARAMETERS = 4 };

typedef struct myr_motor_net myr_motor_net; /* motor_net.h */

/* How what it is given (its target, or its torque, as `controls` says) follows what is set. */
typedef enum myr_lag {
    MYR_LAG_NONE = 0,  /* at once */
    MYR_LAG_EXACT,     /* x += (1 - exp(-dt / lag_s)) (u - x); MuJoCo's filterexact */
    MYR_LAG_EULER,     /* x += dt / lag_s (u - x); MuJoCo's filter */
    MYR_LAG_INTEGRATOR /* x += dt (u - what a control of 0 sets): controls are rates */
} myr_lag;

/* The motor behind an actuator, and how a control reaches it: first late, then slowly, then by the law. */
typedef struct myr_motor {
    myr_motor_kind kind;
    double parameters[MYR_MOTOR_PARAMETERS]; /* torque at rest [N m | N] and speed at which none is left [rad/s | m/s], of the length; of a
                                                net both may be 0: its force falls with the speed by itself */
    int delay_min, delay_max;                /* steps of dt by which controls come late, drawn when an episode begins; 0, 0: at once */
    myr_lag lag;
    double lag_s;                /* time constant, above 0 */
    int lag_behind;              /* 1: a step acts by x before it follows, as MuJoCo without `actearly` */
    double lag_lower, lag_upper; /* between which x stays; infinities: no bounds */
    const myr_motor_net *net;    /* of net_mlp and net_lstm; NULL: others. What myr_model_get_actuator says is the model's */
} myr_motor;
enum { MYR_MOST_DELAY = 64 };

/* A pd at once, without bounds on what lags. */
MYR_API myr_motor myr_motor_default(void);
/* Name of a kind of motor; NULL past the last. */
MYR_API const char *myr_motor_name(myr_motor_kind kind);
/* The words of its parameters, with bars between them. */
MYR_API const char *myr_motor_parameters(myr_motor_kind kind);
/* What its law is. */
MYR_API const char *myr_motor_doc(myr_motor_kind kind);

#ifdef __cplusplus
}
#endif
#endif
