/* What a step is told: made of a batch's settings (batch/options.c), read by lane code. */
#ifndef MYR_KERNELS_STEP_OPTIONS_H
#define MYR_KERNELS_STEP_OPTIONS_H

#include <stdint.h>

#include "kernels/solver.h"
#include "model/model.h"
#include "myriapod/settings.h"

typedef struct myr_task myr_task;                   /* tasks/task.h */
typedef struct myr_task_instance myr_task_instance; /* tasks/instance.h */
typedef struct myr_scheme myr_scheme;               /* robot/scheme.h */

/* Parameters that are as the model says in every environment are read as one scalar for all lanes, not as rows: the same
 * bits, a third of the cache. What has ever been set is read from the rows. */
enum {
    MYR_VARIED_WRENCH = 1,
    MYR_VARIED_INERTIAL = 2,
    MYR_VARIED_JOINT = 4 /* damping, armature */,
    MYR_VARIED_TORQUE = 8,
    MYR_VARIED_GAINS = 16 /* kp, kd */,
    MYR_VARIED_ROWS = 32 /* limits and dry friction of joints */,
    MYR_VARIED_MOTOR = 64 /* strength, encoder bias */,
    MYR_VARIED_ALL = 127
};

/* Stages of the step that not every batch has (batch/step.c): what a batch has is asked of one number, each step. */
enum {
    MYR_WITH_SENSORS = 1, /* sensors of the model */
    MYR_WITH_PUSH = 2,    /* what is held, rotors, a fluid */
    MYR_WITH_PROBLEM = 4, /* M and a contact problem: not in linear time */
    MYR_WITH_LIFT = 8,    /* depth is taken out of positions */
    MYR_WITH_INPUTS = 16, /* motors that are late, lag or are nets */
    MYR_WITH_SHOWN = 32   /* something is shown beside state and impulses */
};

/* What contacts are asked for beyond not to penetrate (constraints/terms.lane.h). */
typedef struct myr_contact_terms {
    double restitution, restitution_speed, baumgarte; /* restitution_speed [m/s] */
    double gap;                                       /* contacts within it act [m] */
    double compliance_N, compliance_T;                /* diagonal of R [1/kg] */
} myr_contact_terms;

/* Which actuators keep gains of their own: none; those that have some; those that have a stiffness, so that a motor takes the task's. */
typedef enum { MYR_OWN_NONE, MYR_OWN_GIVEN, MYR_OWN_STIFF } myr_own_gains;

typedef struct myr_step_options {
    double dt_s, speed_limit, spin_damping;
    double ground, raised;   /* world z of the ground [m], -INFINITY: none; by how much that is above the model's, and home poses with it */
    double limit_correction; /* of joint limits */
    double loop_correction;
    int loop_projection;    /* steps of Newton's method on the positions after each step */
    double friction_damped; /* 1 where dry friction of joints is a damper, not a row's, else 0 */
    int limit_recheck;      /* limits that a solve passes unseen are solved again */
    double spare_speed;     /* how much faster than before the step something may near and still be foreseen [m/s] (robot/window.lane.h) */
    int working_sets;       /* problems begin with some contacts of a patch (collision/working_set.lane.h) */
    int landing, lift;      /* what could be reached in the step is a contact; depth is taken out of positions */
    int rests;              /* a gap of some roundings counts as closed (robot/window.lane.h) */
    const myr_scheme *scheme;
    int passes;     /* solves of a step at most, of a scheme that repeats them until its equation holds; 0: it makes one */
    int full_poses; /* kinematics keeps all of each body's pose: the scheme asks for it, a sensor, a rotor, a ray */
    myr_contact_terms terms;
    double kp, kd;           /* gains of every actuator until one is set, */
    myr_own_gains own_gains; /* but for some that have their own */
    const double *gains;     /* of each actuator kp, kd, where the task names some: instead of these. NULL: it does not */
    int decimation;
    unsigned undrawn; /* MYR_DRAWN_*: what episodes no longer draw, since a number of the task changed (tasks/varied.h) */
    unsigned varied;  /* MYR_VARIED_*: what the caller has set for some environment; the rest is read from the model */
    unsigned stages;  /* MYR_WITH_*: those of the step that not every batch has */
    const myr_task *task;
    const myr_task_instance *instance; /* the task with this robot and these settings */
    uint64_t seed;
    myr_solve_options solve;
    const struct myr_ray_shapes *ray_shapes; /* geoms as the rays of sensors see them; NULL: none is looked for */
    const myr_settings *settings;            /* the batch's: the keys of the tasks */
} myr_step_options;

/* The gains that an actuator begins with. */
static inline void myr_start_gains(const myr_model *m, int u, const myr_step_options *o, double *kp, double *kd) {
    const myr_actuator *a = &m->actuators[u];
    const int own = o->own_gains == MYR_OWN_GIVEN || (o->own_gains == MYR_OWN_STIFF && a->kp > 0);
    *kp = o->settings->kp >= 0 ? o->kp : o->gains ? o->gains[2 * u] : own && a->kp >= 0 ? a->kp : o->kp;
    *kd = o->settings->kd >= 0 ? o->kd : o->gains ? o->gains[2 * u + 1] : own && a->kd >= 0 ? a->kd : o->kd;
}

#endif
