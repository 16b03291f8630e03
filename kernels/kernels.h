/* The table of lane code: one per (instruction set, precision), made by its units. Everything here works on
 * one tile and knows neither threads nor files. */
#ifndef MYR_KERNELS_KERNELS_H
#define MYR_KERNELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "layouts/layout.h"
#include "myriapod/act.h"
#include "myriapod/batch.h"
#include "myriapod/contact.h"

typedef enum {
#define MYR_SOLVER(id, name, function, law, sweeps, room) MYR_SOLVER_##id,
#include "kernels/contact/solvers.def"
#undef MYR_SOLVER
    MYR_SOLVER_COUNT
} myr_solver;

/* The models of docs/contact.md: Hwangbo's per-contact maximum dissipation, the full law, the convex one without Gamma, and the full
 * law with a pyramid for a cone, once with its sides along the axes of the tangents (box), once with its edges there (diamond). */
typedef enum { MYR_LAW_DISSIPATION, MYR_LAW_NCP, MYR_LAW_CCP, MYR_LAW_BOX, MYR_LAW_DIAMOND, MYR_LAW_COUNT } myr_law;

typedef struct myr_solver_info {
    const char *name; /* for users */
    myr_law law;      /* whose violation is the solver's own residual */
    int sweeps;       /* cap where the settings leave it to the solver */
} myr_solver_info;
extern const myr_solver_info myr_solvers[MYR_SOLVER_COUNT];

/* Whether it solves with a compliance of its own, which it then leaves on the diagonal of G. */
static inline int myr_solver_softens(myr_solver solver) {
    return solver == MYR_SOLVER_NEWTON_DIAG || solver == MYR_SOLVER_NEWTON_COMPLIANT;
}

/* Scratch that a solver wants beside the problem, in rows of lanes, for problems of up to n contacts and m scalar rows. */
size_t myr_solver_room(myr_solver solver, int n, int m, size_t v);
/* Bytes for a problem out of its lanes, from any address on (contact/whole/). */
static inline size_t myr_whole_bytes(int n, int m) {
    const size_t d = 3 * (size_t)n + (size_t)m;
    return ((2 * d + 24) * (d + 12) + 8) * sizeof(double);
}
/* The scratch of `admm-ccp`: its own, and behind it a problem out of its lanes with what an interior point holds (contact/whole/convex.h).
 */
enum { MYR_CONVEX_CONTACT = 46, MYR_CONVEX_ROW = 27 }; /* doubles of the latter */
static inline size_t myr_convex_room(int n, int m, int own, size_t v) {
    const size_t more = MYR_CONVEX_CONTACT * (size_t)n + MYR_CONVEX_ROW * (size_t)m + 8; /* from a line of memory on */
    return (size_t)own + (myr_whole_bytes(n, m) + more * sizeof(double)) / v + 1;
}
/* The scratch of `hybrid`, in rows of v bytes: the sweeps' packed rows (packed_rows.lane.h), and behind them what else the sweeps hold, or
 * after these a problem out of its lanes. */
static inline size_t myr_hybrid_room(int n, int m, size_t sweeps, size_t v) {
    const size_t rows = (size_t)m, packed = 3 * (size_t)n * rows + rows * (rows + 1) / 2 + 9 * rows, whole = myr_whole_bytes(n, m) / v + 1;
    const size_t plan = 8 * (size_t)n + (size_t)m + 1; /* patch_plan_room, and patch_settle */
    return plan + packed + (sweeps - packed > whole ? sweeps - packed : whole);
}

typedef struct myr_task myr_task;                   /* tasks/task.h */
typedef struct myr_task_instance myr_task_instance; /* tasks/instance.h */
typedef struct myr_scheme myr_scheme;               /* robot/scheme.h */
typedef struct myr_scan_job myr_scan_job;           /* robot/scan.h */
typedef struct myr_ray_job myr_ray_job;             /* robot/rays.h */

/* Settings of a contact solve, resolved from myr_settings. */
typedef struct myr_solve_options {
    myr_solver solver;
    double tolerance, relative; /* residual bound: tolerance + relative * scale of the problem */
    int max_sweeps, slip_steps, warm_start;
    double alpha, alpha_min, gamma, pgs_alpha, beta1, beta2, beta3, slip_tolerance;
    double relaxation;        /* of the sweeps of Le Lidec 2024 */
    double prox_r, prox_zeta; /* in units of the mobility; prox_r 0: by rule */
    int prox_paper;           /* rule of r: Lu's eigenvalues, else the Delassus matrix's */
    double admm_rho, admm_eta, admm_relaxation, admm_ratio, admm_power;
    double newton_alpha;
    int exact_search; /* Newton's line search: 1 exact, 0 Armijo */
} myr_solve_options;

/* Near-rigid compliance of newton-compliant, times tr G_ii / 3: beta^2 / (4 pi^2) with beta = 0.1 along the normal, and sigma. */
#define MYR_NEAR_RIGID_N 2.5330295910584444e-4
#define MYR_NEAR_RIGID_T 1e-3

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

enum { MYR_ITERATION_BINS = 256, MYR_RESIDUAL_BINS = 640 };

/* What the steps cost and reached; one per worker, merged by adding (kernels/tally.c). */
typedef struct myr_tally {
    uint64_t stage_ticks[MYR_STAGE_COUNT], sampled_robot_steps; /* ticks of the time stamp counter */
    uint64_t task_ticks;                                        /* of myr_batch_act outside the stages; all of them */
    uint64_t robot_steps, active_slots, active_steps, iterations, not_converged, stalled, unsolvable;
    uint64_t counted_steps; /* of the active steps those in the bins below: the sampled ones */
    uint64_t lanes_busy, lanes_run;
    uint64_t iterations_max;
    uint64_t solves, solves_max;             /* dynamics=maximal: contact solves that the steps took */
    uint64_t solve_bins[MYR_ITERATION_BINS]; /* the same, of the counted steps */
    double residual_max, residual_ncp_max;
    double limit_violation_max, loop_error_max;                                      /* joints beyond their limits, loops open [rad, m] */
    uint64_t iteration_bins[MYR_ITERATION_BINS];                                     /* myr_tally_iteration_bin */
    uint64_t residual_bins[MYR_RESIDUAL_BINS], residual_ncp_bins[MYR_RESIDUAL_BINS]; /* myr_tally_residual_bin */
} myr_tally;

/* Statistics that cost something come from one step in 16 of each tile, however long the calls are. A step is sampled where the tile's
 * phase is in the first sixteenth of its turn, and each step moves the phase by a golden part of a turn: no period of a task, of a call or
 * of the number of tiles keeps to that, so each tile and each moment of a gait gets its share. */
#define MYR_SAMPLE_TURN UINT64_C(0x9e3779b97f4a7c15)
#define MYR_SAMPLE_SHARE (UINT64_C(1) << 60)

/* Slots of a tile that may hold an impulse, or show a contact, in order; the others do not. n -1: any may. With hundreds of slots, of which
 * a step touches a dozen, a call of few steps would else spend its time on rows of zeros. */
enum { MYR_TILE_HAD = 191 };
typedef struct myr_had_slots {
    int16_t n;
    uint16_t slot[MYR_TILE_HAD]; /* indices into robot->slots */
} myr_had_slots;

/* Per-environment things that are not lanes' arithmetic; arrays of W, beside the tile. Whole cache lines: every call writes them, and the
 * next tile's may be another worker's. */
typedef struct myr_tile_meta {
    _Alignas(MYR_ROW_BYTES) int64_t global_id; /* of lane 0 */
    int lanes_used;                            /* lanes beyond are padding: never active, never counted */
    uint64_t sample_phase;                     /* of the tile's next step, in 2^-64 turns */
    int64_t step[16];                          /* steps of dt since the reset */
    uint64_t episode[16];
    uint32_t draws[16]; /* random blocks used in this episode */
    uint8_t quarantine[16];
    uint16_t changed;            /* bit per lane: parameters may have been written since they were last judged (batch/legal.h) */
    uint8_t ended[16];           /* the episode is over and the next one has not begun (autoreset other than same-step) */
    uint8_t pause[16], wait[16]; /* of the lane's solves: kernels/contact/pause.lane.h */
    int32_t iterations[16];
    uint8_t solve_status[16];
    double residual[16], residual_ncp[16];
    myr_had_slots had;
} myr_tile_meta;

/* A call other than a step has written impulses, or begun an episode: which slots have impulses is unknown. */
static inline void myr_impulses_changed(myr_tile_meta *meta) { meta->had.n = -1; }

/* Steps of one tile. Of the arrays of `rollout` and `act`, which are the caller's, the tile's first environment is row `first_row`, and the
 * job's first control step their `first_step`. */
typedef struct myr_tile_job {
    const void *robot; /* made by robot_build */
    void *workspace;   /* workspace_bytes, 64-byte aligned, one per worker */
    void *programs;    /* rows of the task's programs, likewise; NULL: it has none */
    void *tile;
    const void *next_tile; /* the worker's next one, NULL: none */
    myr_tile_meta *meta;
    const myr_step_options *options;
    myr_tally *tally;
    int64_t steps; /* control steps; at most what rollout->steps or act->steps leaves */
    int64_t first_row, first_step;
    const myr_rollout *rollout; /* NULL: the controls are what the fields hold, and states are not asked for */
    const myr_act *act;         /* control steps of the task; NULL: steps as they are */
    /* Instead of act->action, NULL: that one. Number k for a lane of the tile in a control step of the job is
     * action[lane * action_lane + step * action_step + k * action_number]. */
    const float *action;
    int64_t action_lane, action_step, action_number;
    /* (lanes of the tile): what each control step pays is taken off it. Not NULL: these are samples of a plan, to which no new command, no
     * push and no end of time comes. */
    double *cost;
} myr_tile_job;

/* One tile of states in (rows q, v of the layout; tau in the rows below), all quantities out, in rows of the tile's
 * precision: out is n_rows x W, see myr_eval_rows. */
typedef struct myr_eval_rows {
    int tau, M, bias, acceleration, kinetic, potential, com, pose, velocity,
        total; /* first row of each; M dense nv x nv; pose 7, velocity 6 per body (user frames, world) */
} myr_eval_rows;

/* One tile of bare problems, all with room for n contacts and k scalar rows, behind the 3n numbers of the contacts: rows of W scalars. */
typedef struct myr_problem_tile {
    int contacts, rows;                                  /* n, k: the largest of the tile */
    void *G;                                             /* (3n + k)^2 rows, row-major */
    void *c, *mu;                                        /* 3n + k, n rows */
    void *stairs;                                        /* 3k rows: f, lo, hi of each scalar row */
    void *active;                                        /* n + k rows: 1.0 or 0.0 */
    void *patch;                                         /* n rows: contacts of one patch have the same number; NULL: each is by itself */
    void *impulse;                                       /* 3n + k rows: start in, answer out */
    void *R;                                             /* 3n + k rows: compliance, the diagonal of R; NULL: none */
    void *velocity;                                      /* 3n + k rows out: G impulse + c */
    void *residual, *residual_ncp, *iterations, *status; /* 1 row each, out */
} myr_problem_tile;

typedef struct myr_kernels {
    const char *isa;
    int precision;
    const myr_task *const *tasks; /* NULL after the last */
    const myr_task *table_task;   /* of which the task of a table is made (tasks/instance.h) */
    const myr_scheme *schemes;    /* without a name after the last */
    size_t (*robot_bytes)(const myr_model *model);
    void (*robot_build)(void *robot, const myr_model *model, const myr_layout *layout, const uint8_t *geom_mask, int most_contacts);
    size_t (*workspace_bytes)(const void *robot, const myr_scheme *scheme, myr_solver solver); /* scheme NULL: for no steps */
    /* Of these the first so many, which every step uses; they are zero before the first. How far a step goes into the others depends on
     * its contacts, and nothing in them is read that it has not written. */
    size_t (*workspace_used_bytes)(const void *robot);
    void (*step_tile)(const myr_tile_job *job);
    void (*observe_tile)(const myr_tile_job *job); /* of act only steps, observation and type are looked at */
    void (*refresh_tile)(const void *robot, void *workspace, void *tile, const myr_tile_meta *meta, const myr_step_options *options,
                         unsigned lane_mask);
    /* Moves the poses of lanes until their loops close, and says how far open [m, rad] each lane is then; NULL: not asked for. */
    void (*settle_tile)(const void *robot, void *workspace, void *tile, const myr_step_options *options, unsigned lane_mask, double *open);
    void (*reset_lanes)(const void *robot, const myr_model *model, void *tile, myr_tile_meta *meta, const myr_step_options *options,
                        void *programs, unsigned lanes);
    void (*eval_rows)(const myr_model *model, myr_eval_rows *rows);
    void (*eval_tile)(const void *robot, void *workspace, void *tile, void *out);
    /* The same of the forces that give accelerations: nv rows of them in, nv rows of forces out. */
    void (*inverse_tile)(const void *robot, void *workspace, void *tile, void *rates, void *tau);
    /* And 6 x nv rows: the Jacobian, linear and angular, of a point of a body (-1: the world), `at` in its aligned axes. */
    void (*jacobian_tile)(const void *robot, void *workspace, void *tile, int body, const double at[3], void *out);
    /* The ground below points about the base or a frame, of lanes of the tile; of these the first is row `first_row` of the job's output.
     */
    void (*scan_tile)(const void *robot, void *workspace, void *tile, const myr_step_options *options, unsigned lane_mask,
                      const myr_scan_job *job, int64_t first_row);
    /* Rays of lanes of the tile, which are these rows of the job's arrays; room: myr_ray_room bytes of the worker, aligned to 64. */
    void (*rays_tile)(const void *robot, void *workspace, void *room, void *tile, const myr_step_options *options, unsigned lane_mask,
                      const myr_ray_job *job, const int64_t *rows);
    /* What the next step solves in one lane, without that step, of a scheme that solves a problem: tile and meta of the job are copies,
     * which the task may change. Nothing is written but out->contacts where that is more than out->room. */
    void (*problem_of_lane)(const myr_tile_job *job, int lane, myr_problem_room *out);
    size_t (*problem_workspace_bytes)(int contacts, int rows, myr_solver solver);
    void (*solve_tile)(const myr_problem_tile *problem, void *workspace, const myr_solve_options *options);
} myr_kernels;

/* isa: "auto" ($MYRIAPOD_ISA overrides it) or a name of isas.def; precision 4 or 8. Asking for what the processor or the system lacks is
 * MYR_E_ISA, never a fallback. */
myr_status myr_kernels_get(const char *isa, int precision, const myr_kernels **out);
/* Built, and runs here. */
int myr_isa_present(const char *isa);
/* A table of this build, to read and not to run: the processor may lack what it needs. */
const myr_kernels *myr_kernels_any(void);

int myr_tally_residual_bin(double residual);
double myr_tally_residual_value(int bin);
int myr_tally_iteration_bin(uint64_t iterations);
uint64_t myr_tally_iteration_value(int bin);
void myr_tally_add(myr_tally *into, const myr_tally *from);

#endif
