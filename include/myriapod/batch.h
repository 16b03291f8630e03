/* A batch: N independent copies (environments) of one model, stepped together.
 *
 * Arrays at this interface are row-major (environment, component), in f32 or f64 whatever the batch computes
 * in. `ids` lists local environment numbers 0..N-1 in any order; NULL means 0..n-1. Shapes, pointers and
 * settings are arguments: a wrong one is an error and nothing changes. The CONTENTS of arrays are data: a NaN
 * in a torque, or a friction below zero, quarantines that environment and no other.
 * Threads: one call per batch at a time. The caller's affinity and floating-point state are as before after
 * every call. After fork() the child gets MYR_E_FORK. */
#ifndef MYRIAPOD_BATCH_H
#define MYRIAPOD_BATCH_H

#include <stdint.h>

#include "model.h"
#include "settings.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct myr_batch myr_batch;

typedef enum myr_type { MYR_F32 = 4, MYR_F64 = 8, MYR_I64 = 64 } myr_type;

/* What can be read or written per environment; shape after the name. R: read only.
 * Frames and units as in model.h; contact frames: z = normal, from the ground (or the second geom) into the first geom,
 * x = world x along the plane (world y if |normal x| > 0.9); what slot is what: myr_model_get_slot. */
typedef enum myr_field {
    MYR_Q = 0,          /* (nq) joint by joint: of a free joint x y z of the body origin [m, world], quaternion w x y z (body -> world);
                           of a ball joint its quaternion (child -> joint frame); of a hinge [rad]; of a slider [m] */
    MYR_V,              /* (nv) joint by joint: of a free joint the body origin's linear velocity in WORLD axes [m/s], angular velocity
                           in BODY axes [rad/s]; of a ball joint that in the child's axes [rad/s]; of a hinge [rad/s]; of a slider [m/s] */
    MYR_IMPULSE,        /* (n_slots, 3) [N s] contact frame; the warm start of the next step */
    MYR_TARGET,         /* (nu) reference of an actuator's length: of its joint's position [rad | m] */
    MYR_TORQUE,         /* (nu) feed-forward torque [N m | N] */
    MYR_KP,             /* (nu) PD stiffness [N m/rad | N/m] */
    MYR_KD,             /* (nu) PD damping [N m s/rad | N s/m] */
    MYR_DAMPING,        /* (nv) viscous joint damping [N m s/rad | N s/m] */
    MYR_ARMATURE,       /* (nv) rotor inertia [kg m^2 | kg] */
    MYR_FRICTION,       /* (1) factor on every slot's coefficient, 1 unless set; the coefficient itself is the model's, or the setting
                           `friction` */
    MYR_GRAVITY,        /* (3) [m/s^2], world */
    MYR_MASS,           /* (n_bodies) [kg] */
    MYR_COM,            /* (n_bodies, 3) [m], body frame */
    MYR_INERTIA,        /* (n_bodies, 6) [kg m^2] about the com, body axes: xx yy zz xy xz yz */
    MYR_WRENCH,         /* (n_bodies, 6) external force [N], torque [N m] at the body origin, world axes; kept until changed */
    MYR_ACCELERATION,   /* (nv) R, of the last step; needs the setting sense-acceleration */
    MYR_BODY_POSE,      /* (n_bodies, 7) R, world position, quaternion */
    MYR_BODY_VELOCITY,  /* (n_bodies, 6) R, world: linear of the origin [m/s], angular [rad/s] */
    MYR_CONTACT_POINT,  /* (n_slots, 3) R, world, of the last step; NaN-free, zero where open */
    MYR_CONTACT_NORMAL, /* (n_slots, 3) R */
    MYR_CONTACT_DEPTH,  /* (n_slots) R [m], overlap where the last step began; below 0: apart, met in the step */
    MYR_ITERATIONS,     /* (1) R, sweeps of the last step's contact solve */
    MYR_RESIDUAL,       /* (1) R, violation of the solver's own model in the last step [N s, m/s]; infinite where it is NaN */
    MYR_RESIDUAL_NCP,   /* (1) R, violation of the full Coulomb-Signorini law */
    MYR_SOLVE_STATUS,   /* (1) R, a myr_solve_status; MYR_I64 welcome */
    MYR_CLOCK,          /* (1) control steps of the task since the episode began */
    MYR_COMMAND,        /* (3) task locomotion: commanded velocity forward, to the left [m/s], yaw rate [rad/s]; base axes */
    MYR_ACTION,         /* (n) tasks of control steps (act.h): the last action, nu numbers unless the task's table says how many */
    MYR_DELAY,          /* (1) the same: steps of dt by which actions come late */
    MYR_TIME,           /* (1) R [s] since the last reset */
    MYR_EPISODE,        /* (1) R, resets so far */
    MYR_QUARANTINED,    /* (1) R, a myr_quarantine: 0 healthy, 1 not finite, 2 speed limit, 3 action not finite, 4 illegal parameter,
                           5 rotation, 6 too many contacts, 7 off the map, from 64 on: an output of the task is not a number;
                           myr_quarantine_text says it in words, docs/batch.md what to do */
    MYR_ROW_IMPULSE,    /* (n_rows) [N m s | N s] of joint limits and dry friction; the warm start of the next step */
    MYR_LOWER,          /* (n_rows) lower position limit of each joint row [rad | m]; -INFINITY: none */
    MYR_UPPER,          /* (n_rows) upper position limit [rad | m], not below the lower one; INFINITY: none */
    MYR_DRY_FRICTION,   /* (n_rows) dry friction of each joint row [N m | N] */
    MYR_LOOP_IMPULSE, /* (n_loop_rows) R, impulses that kept the loops closed in the last step, on their first body, along the loop's axes;
                         redundant rows have none [N s | N m s] */
    MYR_CONTROL, /* (nu) the same numbers as MYR_TARGET or MYR_TORQUE, of each actuator what its file calls control (myr_actuator_def): kept
                    in its range, scaled and shifted when written, and back when read */
    MYR_GROUND_AT, /* (3) on a map: where on it x = y = 0 of this environment lies, and the height of the map that is its 0 [m]; written, it
                      goes to the nearest sample, and to the nearest whole height on a map of whole steps; MYR_Q is relative to it */
    MYR_PATCH,     /* (2) on a generated map: level and column of the patch that it stands on; written, MYR_GROUND_AT goes to its middle */
    MYR_WORLD_AT, /* (n_world, 3) where each geom fixed to the world is [m], in the frame of MYR_Q: what myr_geom_info says of its position,
                     unless set; MYR_GROUND_AT does not move it */
    MYR_STRENGTH, /* (nu) factor on an actuator's gains and limits; 1 unless set */
    MYR_ENCODER_BIAS, /* (nu) what its motor measures of an actuator's length beyond what it is [rad | m]; 0 unless set */
    MYR_ACTIVATION,   /* (n) what motors that are late, lag or are nets keep, actuator by actuator: of a late one its delay [steps of dt],
                         the steps since the reset up to delay_max, then what was set 1, 2, .. delay_max steps ago; of one that lags x;
                         of a net that looks back 1 once it has read, then its errors, then its rates, 1, 2, .. steps ago; of each layer of an
                         LSTM its   outputs, then its cells */
    MYR_SENSORS, /* (n) R, what sensors read, one behind the other: myr_model_get_sensor says where each is; of the last step of the last
                   control step, or of the start of the episode */
    MYR_GROUP_FRICTION, /* (friction_groups) factor on the coefficients of each friction group, 1 unless set (friction.h) */
    MYR_MEMORY,  /* (n) what a task that is a table keeps from one control step to the next: myr_batch_get_memory says which numbers are
                    whose */
    MYR_HISTORY, /* (n) what a task that is a table has observed before. The first number is 1 where the rest is known, 0 where an episode
                    has begun and it is not yet; then, part by part that has a history, what was seen in its last control steps, the oldest
                    first. Who sets the first number to 0 begins all histories anew */
    MYR_FIELD_COUNT
} myr_field;

typedef enum myr_solve_status {
    MYR_CONVERGED = 0,
    MYR_STALLED,         /* all that moves is rounding */
    MYR_ITERATION_LIMIT, /* too slow */
    MYR_NOT_FINITE,
    MYR_NO_SOLUTION /* and there is a proof of it (solver `hybrid`) */
} myr_solve_status;
typedef enum myr_quarantine {
    MYR_HEALTHY = 0,
    MYR_QUARANTINE_NOT_FINITE, /* a step gave no finite state */
    MYR_QUARANTINE_SPEED,      /* a step went past the setting speed-limit */
    MYR_QUARANTINE_ACTION,     /* tasks of control steps: the action is not finite */
    MYR_QUARANTINE_PARAMETER,  /* a parameter is not a legal number (docs/batch.md): judged by the next call that steps, before it steps */
    MYR_QUARANTINE_ROTATION,   /* dynamics=maximal: a body would turn by 2.5 rad or more in one step, against the world */
    MYR_QUARANTINE_CONTACTS,   /* more contacts at once than the setting contacts */
    MYR_QUARANTINE_MAP,        /* on a map: a root farther than MYR_TERRAIN_RANGE_M from the environment's origin, along x or y */
    MYR_QUARANTINE_OUTPUT = 64 /* from here on: an output of a task's programs is not a number; myr_batch_fault_name says which (task.h) */
} myr_quarantine;

/* Make a batch of `envs` copies of a model. What a step also writes for the caller, at a cost in time and memory, the settings sense-* say.
 * settings->first_env is the global id of environment 0: random streams and hashes are keyed by global id, so
 * that splitting a batch changes nothing. The settings are copied. All environments start at the model's home
 * (or the task's reset). On success *out is the caller's until myr_batch_free; on failure it is NULL. */
MYR_API myr_status myr_batch_create(const myr_model *model, int64_t envs, const myr_settings *settings, myr_batch **out);
/* Free a batch, and its reference to the model. NULL is accepted. */
MYR_API void myr_batch_free(myr_batch *batch);
/* The model that is stepped: the one it was made of, or that one on a map where the setting `terrain` puts it there. It is the batch's, and
 * NULL where that is. */
MYR_API const myr_model *myr_batch_model(const myr_batch *batch);

/* Advance every environment by `steps` control steps (each settings.decimation steps of dt). Allocates nothing.
 * Same bits for any thread count and instruction set. */
MYR_API myr_status myr_batch_step(myr_batch *batch, int64_t steps);

/* Roll out from an array of controls. n is the number of environments of the batch; each takes its own row.
 * control: (n, nsteps, nu) PD targets or torques, or controls, by `control_field` (MYR_TARGET, MYR_TORQUE or MYR_CONTROL); NULL: hold.
 * state: (n, nsteps, nq + nv); NULL: not wanted. type: MYR_F32 or MYR_F64, of both arrays.
 * A stride says how many numbers lie between the rows of one environment and the next; zero: dense. So a long rollout may be
 * done in pieces over the same arrays: the array from the first step of the piece, the stride of the whole. */
typedef struct myr_rollout {
    int64_t steps;
    myr_field control_field;
    myr_type type;
    const void *control;
    void *state;
    int64_t control_stride, state_stride; /* numbers; 0: steps * nu, steps * (nq + nv), and never less */
} myr_rollout;
MYR_API myr_status myr_batch_rollout(myr_batch *batch, const myr_rollout *rollout);

/* Components of a field per environment (e.g. nq), 0 if this batch does not keep it. */
MYR_API int myr_batch_components(const myr_batch *batch, myr_field field);
/* Read a field of n environments: out is the caller's, (n, components) of `type`, MYR_F32 or MYR_F64 (MYR_I64 for whole numbers).
 * MYR_E_ARG: an id or the type does not fit. MYR_E_STATE: the batch does not keep this field. */
MYR_API myr_status myr_batch_get(const myr_batch *batch, myr_field field, const int64_t *ids, int64_t n, myr_type type, void *out);
/* Write a field of n environments, (n, components), with the errors of myr_batch_get; MYR_E_ARG also where it is read only. */
MYR_API myr_status myr_batch_set(myr_batch *batch, myr_field field, const int64_t *ids, int64_t n, myr_type type, const void *in);

/* Size of the full state of an environment: q, v, warm start, actuator and task state, counters, episode, time, quarantine. */
MYR_API size_t myr_batch_state_bytes(const myr_batch *batch);
/* Read full states, as saved: n times myr_batch_state_bytes opaque bytes, that any batch of the same model and precision accepts. */
MYR_API myr_status myr_batch_get_state(const myr_batch *batch, const int64_t *ids, int64_t n, void *out);
/* Put full states back. MYR_E_ARG: one was taken from another model, precision or version; the message says which. */
MYR_API myr_status myr_batch_set_state(myr_batch *batch, const int64_t *ids, int64_t n, const void *in);

/* Move the positions of environments ids[i] (NULL: 0 .. n - 1) until their loops and couplings close, all dofs weighted equally. For use
 * after myr_batch_set of MYR_Q with poses that leave them open. Velocities stay. open (n, nullable): how far open each then is [m, rad].
 * MYR_E_STATE where one does not close from where it is; it stays as it was. A reset does this by itself. */
MYR_API myr_status myr_batch_close_loops(myr_batch *batch, const int64_t *ids, int64_t n, double *open);

/* Reset environments to the task's start (a new episode: its random stream moves on); clears quarantine. Parameters stay (those that the
 * task draws are drawn anew): one that is still no legal number quarantines its environment again in the next call that steps.
 * mask: (envs) bytes, nonzero = reset; NULL: all. */
MYR_API myr_status myr_batch_reset(myr_batch *batch, const uint8_t *mask);
/* Begin anew: every environment starts episode 0 of this seed (>= 0), as in a batch created with it. Parameters that were set stay. */
MYR_API myr_status myr_batch_restart(myr_batch *batch, int64_t seed);
/* Bring body_pose and body_velocity of all environments up to date with q and v, without a step: after myr_batch_set of q or v. A reset
 * does it by itself. In a batch that does not keep them there is nothing to do. */
MYR_API myr_status myr_batch_refresh(myr_batch *batch);
/* Copy full state and parameters of environment from[i] to to[i], i = 0..n-1 in order. */
MYR_API myr_status myr_batch_copy(myr_batch *batch, const int64_t *from, const int64_t *to, int64_t n);

/* Say which geoms of this batch may touch the ground: mask (n_geoms) bytes. All may at first (the task may say otherwise). */
MYR_API myr_status myr_batch_set_collision(myr_batch *batch, const uint8_t *geom_mask);

/* Write everything to a file, which is whole or absent. A saved batch restored anywhere goes on with the same bits. */
MYR_API myr_status myr_batch_save(const myr_batch *batch, const char *path);
/* Take over a saved batch, or of a larger one the environments that this batch has, by their global ids. The file carries the model's hash,
 * the versions, the precision and the settings. A mismatch is MYR_E_FORMAT, and the message says which. */
MYR_API myr_status myr_batch_restore(myr_batch *batch, const char *path);
/* Take over those environments that both have: of the files of a job's processes one after the other, say. MYR_E_FORMAT: there is none. */
MYR_API myr_status myr_batch_restore_part(myr_batch *batch, const char *path);

/* A hash of the batch: FNV-1a-64 per environment over (global id as u64, q, v; little-endian, in the batch's precision), stirred by the
 * end of SplitMix64, summed modulo 2^64: independent of order and splitting. */
MYR_API uint64_t myr_batch_hash(const myr_batch *batch);

/* The environments of process `rank` of `ranks` that share `envs` of them: first, which is its batch's settings.first_env, and count.
 * Shards lie one behind the other, begin at multiples of 16, differ by 16 at most (the last one that is not empty may have up to 15 fewer
 * still), and the larger come first. Ranks beyond the tiles of 16: first = envs, count = 0. Without such a process, or with envs below 0,
 * both are 0. */
MYR_API void myr_shard(int64_t envs, int rank, int ranks, int64_t *first, int64_t *count);

/* Read-only view of the tiles: no copy is made. Scalar (env, component) of a field lies at
 * data + (env / lanes) * tile_stride + component * row_stride + (env % lanes) * lane_stride. Valid until the batch is freed. */
typedef struct myr_view {
    const void *data;
    myr_type type;
    int64_t envs, components, lanes, tile_stride, row_stride, lane_stride;
} myr_view;
MYR_API myr_status myr_batch_view(const myr_batch *batch, myr_field field, myr_view *view);

/* What the steps since the last clear cost and reached. Figures over environment-steps with an active slot unless said. Stage times and
 * percentiles are sampled: they come from one step in 16 of each tile of environments, however short the calls. The first step and the
 * first contact always count, so a run of one step has them too; sums, means, maxima and counts are of all steps. */
#define MYR_STAGE_LIST(X) X(actuate) X(kinematics) X(collide) X(dynamics) X(free) X(delassus) X(solve) X(integrate) X(sense)
enum {
#define MYR_STAGE_ENUM(name) MYR_STAGE_##name,
    MYR_STAGE_LIST(MYR_STAGE_ENUM)
#undef MYR_STAGE_ENUM
        MYR_STAGE_COUNT
};
typedef struct myr_stats {
    int64_t robot_steps; /* environments x steps of dt */
    double wall_s;       /* inside myr_batch_step */
    int threads;
    double stage_ns[MYR_STAGE_COUNT]; /* per robot-step and core, sampled */
    double task_ns;                   /* per robot-step and core, outside the stages: what myr_batch_act adds to the physics */
    double contacts_mean;             /* active slots per robot-step (all of them) */
    double iterations_mean;
    int64_t iterations_p99, iterations_max;
    double solves_mean; /* contact solves per environment-step that had any; 1 but for dynamics=maximal, 0: no step had */
    int64_t solves_p99, solves_max;
    double residual_p50, residual_p99, residual_max; /* these six: NaN where no solve was met, which is not a residual of 0 */
    double residual_ncp_p50, residual_ncp_p99, residual_ncp_max;
    double limit_violation_max; /* farthest that a joint was beyond its position limit before a step or after the last [rad | m]; NaN: there
                                   are none */
    double loop_error_max;      /* farthest that a loop or coupling was open, likewise [m | rad]; NaN: there are none */
    int64_t active_steps;       /* environment-steps with an active slot or joint row */
    int64_t not_converged;      /* of those, how many ended otherwise than converged: */
    int64_t stalled,
        unsolvable;        /* of these, those that rounding alone keeps open, and those that have no solution; the rest was too slow */
    double lane_occupancy; /* lanes not yet done and with an active slot, over W x sweeps */
    int64_t quarantined;   /* environments now in quarantine */
} myr_stats;
MYR_API void myr_batch_stats(const myr_batch *batch, myr_stats *stats);
/* Start the statistics anew. */
MYR_API void myr_batch_clear_stats(myr_batch *batch);

/* How a batch computes, on what, and its memory. Strings and arrays belong to the batch. */
typedef struct myr_batch_info {
    int64_t envs;
    int precision; /* 4 or 8 bytes */
    int lanes;     /* W */
    const char *isa;
    int threads;
    int n_cpus;
    const int *cpus; /* logical processor of each worker, -1: not pinned */
    size_t bytes;    /* memory of the batch, without reserved_bytes */
    double bytes_per_env;
    double dt_s;
    const char *task;
    /* Room of the threads for as many contacts as the setting `contacts` allows. The system gives memory for it as robots have so many
     * at once, and mostly never (a caller's allocator may do so at once). */
    size_t reserved_bytes;
    double command_s; /* time between two commands of its task [s]; 0: it has none, or one for an episode */
} myr_batch_info;
MYR_API void myr_batch_get_info(const myr_batch *batch, myr_batch_info *info);
/* Warning 0, 1, ... of its creation: what is odd but does not prevent simulation; NULL past them. The task hold: most of its robots would
 * fall without action. The text is the batch's. */
MYR_API const char *myr_batch_warning(const myr_batch *batch, int warning);

/* Name of a stage of the step, MYR_STAGE_*; "unknown" past them. */
MYR_API const char *myr_stage_name(int stage);
/* How a contact solve ended, in words. */
MYR_API const char *myr_solve_status_text(myr_solve_status status);
/* Why an environment is in quarantine, in words; "healthy" where it is not. */
MYR_API const char *myr_quarantine_text(myr_quarantine reason);

#ifdef __cplusplus
}
#endif
#endif
