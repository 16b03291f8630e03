/* The task locomotion the scalar way: one environment, doubles, from the documentation alone (include/myriapod/act.h,
 * episode.def, docs/tasks.md, and legged_gym where these say "legged_gym's"). It shares nothing with the lane code but the settings
 * and the model: rotations by matrices of reference/rigid_body.h, noise by Random123's own Philox. */
#ifndef MYR_TESTS_REFERENCE_LOCOMOTION_H
#define MYR_TESTS_REFERENCE_LOCOMOTION_H

#include <stdint.h>

#include "model/model.h"
#include "myriapod/settings.h"

enum { REFERENCE_NV = 32, REFERENCE_NQ = 40, REFERENCE_SLOTS = 64, REFERENCE_SEEN = 12 + 3 * REFERENCE_NV };

/* Reward terms, in the order of docs/tasks.md, and their names. */
enum {
    REFERENCE_tracking_linear,
    REFERENCE_tracking_angular,
    REFERENCE_linear_z,
    REFERENCE_angular_xy,
    REFERENCE_orientation,
    REFERENCE_height,
    REFERENCE_torque,
    REFERENCE_joint_speed,
    REFERENCE_joint_acceleration,
    REFERENCE_action_rate,
    REFERENCE_collision,
    REFERENCE_air_time,
    REFERENCE_stand_still,
    REFERENCE_foot_force,
    REFERENCE_joint_limit,
    REFERENCE_torque_limit,
    REFERENCE_termination,
    REFERENCE_TERMS
};
extern const char *const reference_terms[REFERENCE_TERMS];

/* Numbers of the task, as the settings have them. */
typedef struct reference_numbers {
    double weight[REFERENCE_TERMS], tracking_width, base_height, air_time_wanted, foot_force_limit, soft_limit;
} reference_numbers;

/* What a batch shows of one environment. */
typedef struct reference_shown {
    double q[REFERENCE_NQ], v[REFERENCE_NV], impulse[3 * REFERENCE_SLOTS], target[REFERENCE_NV], torque[REFERENCE_NV];
    double kp[REFERENCE_NV], kd[REFERENCE_NV], strength[REFERENCE_NV], encoder_bias[REFERENCE_NV], command[3], action[REFERENCE_NV];
    double clock, episode, delay;
    int64_t id; /* global */
} reference_shown;

/* What one environment remembers between control steps. */
typedef struct reference_walk {
    double air[4];                            /* time in the air of each foot [s] */
    int touched[4];                           /* in the last control step */
    double action[REFERENCE_NV];              /* the last one */
    double sums[REFERENCE_TERMS], total;      /* over the episode */
    int64_t length;                           /* control steps of the episode */
    double speeds[REFERENCE_NV], command[3];  /* v and command when the control step began */
    double target[REFERENCE_NV];              /* PD targets that it must end with */
    double terms[REFERENCE_TERMS], reward;    /* of the last control step */
    int terminated, truncated, torso, tilted; /* likewise; the two reasons of a fall */
} reference_walk;

reference_numbers reference_numbers_of(const myr_settings *settings);
/* A new episode. */
void reference_walk_start(reference_walk *walk);
/* Before a control step, and after it with the action that was given: `shown` before anything is pushed, commanded anew or reset. */
void reference_walk_before(reference_walk *walk, const reference_shown *shown);
void reference_walk_after(reference_walk *walk, const myr_model *model, const myr_settings *settings, const reference_numbers *numbers,
                          const reference_shown *shown, const double *action);

/* 12 + 3 nu numbers. */
void reference_observe(const myr_model *model, const myr_settings *settings, const reference_shown *shown, double *seen);

#endif
