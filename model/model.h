/* The compiled model as the other rooms see it. Immutable after model/compile.c made it.
 *
 * Two frames per body. USER frame: as the description says (the body frame of myr_body_def). ALIGNED frame:
 * the same origin, turned so that at q = 0 it is parallel to the frame of the tree's root (the root body of a
 * floating tree, the world for a fixed one). In aligned frames every constant joint rotation is the identity,
 * so that a joint whose axis lies along x, y or z is a pure rotation about that axis. `align` turns user
 * into aligned components: x_aligned = align * x_user. For a floating root, and for the world, align = 1. */
#ifndef MYR_MODEL_MODEL_H
#define MYR_MODEL_MODEL_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/message.h"
#include "machine/machine.h"
#include "myriapod/model.h"
#include "myriapod/sensor.h"

typedef enum { MYR_AXIS_X = 0, MYR_AXIS_Y = 1, MYR_AXIS_Z = 2, MYR_AXIS_GENERAL = 3 } myr_axis_class;

typedef struct myr_body { /* body i hangs on joint i */
    char *name, *joint_name;
    int parent;                      /* body id, -1: world; always < own id */
    int tree;                        /* id of its tree; trees are contiguous ranges of bodies */
    myr_joint_type joint;            /* never FIXED */
    int q, v, nq, nv;                /* first indices and counts */
    int u;                           /* the first actuator that acts on it, -1: none */
    double position[3];              /* USER: joint frame in the parent's body frame */
    double rotation[9];              /* USER: joint frame -> parent's body frame, row-major */
    double axis_user[3];             /* unit, in the joint frame */
    double align[9];                 /* row-major, user -> aligned */
    double offset[3];                /* ALIGNED: joint origin in the parent's aligned frame (world frame for roots) */
    double axis[3];                  /* ALIGNED: unit axis */
    myr_axis_class axis_class;       /* X, Y, Z: axis is +-e_k exactly */
    double axis_sign;                /* +1 or -1 for X, Y, Z; +1 for GENERAL */
    double mass, com[3], inertia[6]; /* USER: about the com, body axes: xx yy zz xy xz yz; merged bodies included */
    double damping, dry_friction, armature, lower, upper, effort_limit, velocity_limit;
    double shared_limit;             /* of what several actuators give it together, its own; infinity: one at most acts on it */
    double stiffness, spring_rest;   /* of a joint of one dof */
    double held_mass, held_first[3]; /* what of it is held against gravity, and that times its centre; ALIGNED; merged bodies included */
    int has_home;                    /* it is given where the joint starts */
    double home[7];                  /* then: nq numbers */
} myr_body;

/* A face of a hull, for what it touches: in the geom's frame, counterclockwise from outside (model/hull_faces.c). */
enum { MYR_FACE_CORNERS = 8 };
typedef struct myr_face {
    double normal[3], offset;
    double corner[MYR_FACE_CORNERS][3];
    int n;
} myr_face;

typedef struct myr_geom {
    char *name;
    int body; /* -1: fixed to the world (gets no slots of its own) */
    myr_geom_type type;
    double position[3], rotation[9]; /* USER body frame: centre; geom -> body, row-major */
    double size[3];
    double *points; /* hull: its corners, geom frame */
    int n_points;
    double hull_error; /* the largest distance from a corner that was left out [m] */
    myr_face *faces;   /* of hulls that are in pairs */
    int n_faces;
    double friction;
    int friction_group; /* from 1; 0: none */
    int slot, n_slots;  /* against the ground */
    int world;          /* which of those fixed to the world, -1: it moves */
    int pinned;         /* fixed to the world, and some pair of it was dropped for where it is: it may not be elsewhere */
} myr_geom;

/* A ball on the rim of a cylinder goes where the rim is lowest: around the cap at `center`; or a third of a turn to the left or right of
 * there on the lower cap, `center` being the middle of the cylinder. Where the axis stands upright `side` counts as lowest. */
typedef enum { MYR_RIM_NONE, MYR_RIM_CAP, MYR_RIM_LEFT, MYR_RIM_RIGHT } myr_rim;
#define MYR_RIM_UPRIGHT 1e-4 /* sine of the lean up to which it does */

/* A hull of more corners than MYR_HULL_CORNERS against the ground: MYR_HULL_SLOTS slots, which are at corners that the step chooses. */
enum { MYR_HULL_CORNERS = 8, MYR_HULL_SLOTS = 5 };
typedef struct myr_hull {
    int n;
    double *corners;          /* (n, 3), ALIGNED frame of the body, from the body origin */
    double turn[9];           /* geom -> ALIGNED, row-major */
    double center[3], radius; /* of a ball that holds them */
    double far[3];            /* the corner that is farthest from the body origin */
} myr_hull;

/* Slots that are there on a map alone, behind those of their geom that are on a plane, too (terrain/on.c): the second place where the ball
 * of the slot before it may touch; where a capsule touches between its ends; where vertices of the map stick into a flat solid; more of the
 * same as the slot before. */
typedef enum { MYR_SLOT_ANYWHERE, MYR_SLOT_SECOND, MYR_SLOT_MIDDLE, MYR_SLOT_SPIKES, MYR_SLOT_MORE } myr_map_slot;
enum { MYR_MIDDLE_SLOTS = 2, MYR_SPIKE_SLOTS = 4 };

/* A flat solid on a map: a box, cylinder or hull, about the middle of a box that holds it (terrain/flats.c). */
typedef struct myr_flat {
    int geom;
    double center[3], turn[9]; /* ALIGNED: from the body origin; its axes, row-major */
    double half[3];            /* of the box around it, its axes; of a cylinder radius, radius, half its length */
    double (*planes)[4];       /* hull: of its faces, normal and distance from the middle */
    int n_planes;
} myr_flat;

/* One place where a contact may appear: a ball of `radius` around `center` against the ground (a box corner is a ball of
 * radius 0), or a feature of a pair of geoms, which has neither. Those of pairs come after all others. */
typedef struct myr_slot {
    int geom, other; /* other: the second geom of a pair, -1: the ground */
    int feature;
    int body, other_body; /* that carry them; other_body -1: ground, or fixed to the world */
    double center[3];     /* ALIGNED frame of the body, from the body origin */
    double radius;
    myr_rim rim;                               /* cylinders: the ball (of radius 0) is on a rim */
    double axis[3], side[3], rim_radius, half; /* then: unit axis and a direction across it, ALIGNED; sizes */
    int hull;                                  /* from 1: its place is one of that one's corners; 0: it is fixed */
    double friction;                           /* of the geom against the ground, or of the pair */
    myr_map_slot twin;                         /* MYR_SLOT_ANYWHERE: it is on a plane, too */
    int flat;                                  /* on a map: from 1: it is of this flat solid */
} myr_slot;

/* Two geoms that may touch; impulses act on the first, whose body moves. */
typedef struct myr_pair {
    int geom[2];
    int slot, n_slots;
} myr_pair;

/* Two geoms that the filters let through and that do not touch all the same. */
typedef struct myr_dropped_pair {
    int geom[2];
    myr_drop_reason reason;
    double gap, share; /* [m] the least that was seen; of the poses tried in which they overlapped */
} myr_dropped_pair;

/* A scalar row: position limits and dry friction in one (kernels/contact/rows.lane.h), of a joint, or of a tendon. */
typedef struct myr_joint_row {
    int body, q, dof;    /* of a tendon: those of its first joint */
    double lower, upper; /* -+infinity: no limit */
    double friction;     /* [N m | N] */
    double length;       /* [m] by which a hinge's row is scaled: the farthest that it moves; 1 for sliders */
    int n_terms;         /* 0: of a joint */
    int joint[MYR_COUPLED_JOINTS];
    double coefficient[MYR_COUPLED_JOINTS];
    const char *name; /* of the tendon, in the model's description */
} myr_joint_row;

/* Two bodies that stay together, or joints that depend on each other (myr_loop_def, myr_coupling_def). */
typedef struct myr_loop {
    char *name;
    myr_loop_type type;
    int row, n_rows;     /* of the rows of all loops */
    int body[2];         /* joint ids; -1: the world. Not of couplings */
    double at[2][3];     /* ALIGNED: the anchor on each (of the world: world frame) */
    double turn[2][9];   /* the loop's axes -> ALIGNED, row-major; rows are taken along them */
    double length;       /* [m] by which rows that turn are scaled */
    int n_terms, driver; /* couplings: body ids, driver -1: none */
    int joint[MYR_COUPLED_JOINTS];
    double coefficient[MYR_COUPLED_JOINTS], polynomial[5];
} myr_loop;

/* A frame fixed to a body, in its ALIGNED axes; body -1: the world. */
typedef struct myr_fixed_frame {
    int body;
    double at[3], turn[9]; /* turn: frame -> ALIGNED, row-major */
} myr_fixed_frame;

/* myr_actuator_def; joints are bodies. */
typedef struct myr_actuator {
    char *name;
    int n, joint[MYR_COUPLED_JOINTS];
    double moment[MYR_COUPLED_JOINTS];
    double kp, kd, lower, upper;
    myr_controls controls;
    double scale, bias, control_lower, control_upper;
    int has_home; /* it is given with which control an episode begins; else it holds the home pose */
    double home;
    myr_motor motor;
    int pushes; /* a frame, and no joint */
    myr_fixed_frame frame;
    double position[3], rotation[9]; /* of that, USER body frame */
    double gear[6];
    int state, n_states; /* of the rows of the field `activation` */
} myr_actuator;

typedef struct myr_friction_group {
    char *name;
} myr_friction_group;

typedef struct myr_keyframe {
    char *name;
    double *q;       /* nq */
    double *control; /* nu, in the memory of q; NULL: none */
} myr_keyframe;

typedef struct myr_frame { /* a name for a pose fixed to a body */
    char *name;
    int body;                        /* -1: world */
    double position[3], rotation[9]; /* USER body frame */
} myr_frame;

/* When a sensor is asked (sensors.def). */
typedef enum { MYR_SENSED_AFTER, MYR_SENSED_OVER, MYR_SENSED_EVERY } myr_sensed;
enum { MYR_CONTACT_KEPT = 17 }; /* numbers of a single contact within a step (sensors/contact.lane.h) */
/* The volume in which a touch sensor counts contacts; `vector` of it: radius; radius and half length; semi-axes; half extents. */
typedef enum {
    MYR_VOLUME_NONE,
    MYR_VOLUME_SPHERE,
    MYR_VOLUME_CAPSULE,
    MYR_VOLUME_ELLIPSOID,
    MYR_VOLUME_CYLINDER,
    MYR_VOLUME_BOX
} myr_sensed_volume;

/* Of what a sensor's body carries: a whole moving body, or what is fixed to one and is only part of it (numbers in its USER frame). */
typedef struct myr_piece {
    int body, whole;
    double mass, com[3], inertia[6];
} myr_piece;

/* A body as a fluid drags at it: the box that turns as it does, and what that weighs. A moving body has several, where others are fixed to
 * it. */
typedef struct myr_drag {
    myr_fixed_frame of;  /* the centre of mass, the principal axes */
    double side[3];      /* of the box [m] */
    double lightness[6]; /* 1 / mass, thrice, and 1 / principal moments */
} myr_drag;

typedef struct myr_sensor {
    char *name;
    myr_sensor_kind kind;
    myr_sensed when;
    int row, n_rows, kept, n_kept; /* of the field `sensors`; of what it keeps within a step */
    myr_fixed_frame of, ref;
    int joint, actuator; /* joint: a body id */
    myr_piece *pieces;   /* of the frame's body and all below it */
    int n_pieces;
    unsigned char *shapes; /* per geom: 1 where it is the sensor's; behind them the ground */
    unsigned char *others; /* likewise: of single contacts the second shapes; NULL: another sensor */
    int contacts;
    unsigned from, data;
    myr_sensor_reduce reduce;
    myr_sensed_volume volume;
    double vector[3], threshold, cutoff, scale;
    myr_sensor_signal signal;
    myr_sensor_look look;
    double *rays; /* rays: origin and unit direction of each, its frame's axes; height_scan: x and y of each point */
    int n_rays;
    unsigned char *hidden;                   /* per geom: 1: rays pass through it; NULL: through none for being of the frame's body */
    int n_terms, joints[MYR_COUPLED_JOINTS]; /* of a tendon: body ids */
    double coefficients[MYR_COUPLED_JOINTS];
    int size;   /* numbers of a reading */
    int memory; /* of the field `sensor_memory`, where its rows begin (sensors/signal.lane.h); -1: it shows what it reads */
} myr_sensor;

/* What the quadruped tasks need; found from the structure of the tree (model/quadruped.c). */
typedef struct myr_quadruped {
    int valid;
    int heading_y;         /* forward is the root's +y and left its -x, not +x and +y */
    int joint[4][3];       /* body ids: hip abduction, hip flexion, knee; legs LF RF LH RH; [k][0] = -1 for 2-dof legs */
    int foot_geom[4];      /* the lowest sphere of each leg */
    int torso_geom;        /* largest box on the root body, -1: none */
    double foot_end[4][3]; /* ALIGNED frame of the last link: where the leg ends */
    double leg_length;     /* [m] thigh and shank, mean of the legs */
    double home[4][3];     /* joint angles of the standing pose */
    double backwards[4];   /* +-1: the direction of hip flexion that swings the foot back */
    double kp, kd;         /* gains, ANYmal's scaled, raised until it stands (stance.c): docs/tasks.md */
} myr_quadruped;

#define MYR_HIGHEST_GROUND 1e6 /* [m] */

struct myr_model {
    atomic_int references;
    char *name;
#define MYR_COMPILED(kind, array, count, owned)                                                                                            \
    myr_##kind *array;                                                                                                                     \
    int count;
#include "objects.def"
    int nq, nv, n_loop_rows, n_trees, n_warnings, n_world; /* n_world: geoms fixed to the world */
    int *tree_root;                                        /* n_trees: first body of each tree */
    myr_self_collision self_collision;                     /* never BY_FILE */
    int n_self_candidates, n_self_pairs;
    int own_actuators;       /* each acts on a joint of its own, with the moment 1 and as much both ways: `u` tells all of a joint */
    int plain_actuators;     /* and the motor of each is a pd at once */
    int own_gains;           /* some have gains of their own */
    int n_activation;        /* states of all */
    int n_pushing;           /* actuators that push frames */
    int described_actuators; /* they were described */
    int n_sensor_rows, n_sensor_kept, n_sensor_memory;
    int senses_bodies; /* some sensor asks for poses */
    int sees_shapes;   /* some sensor has rays that look for geoms */
    char **warnings;
    int *dof_body;                         /* nv: the body whose joint owns the dof */
    int *dof_parent;                       /* nv: next dof towards the root, -1: none */
    int *dof_depth;                        /* nv: number of dofs above it on the way to the root */
    double mass;                           /* of everything described */
    double anchored_mass, anchored_com[3]; /* of what is fixed to the world (world frame): part of mass, com and potential energy alone */
    double gravity[3];                     /* world [m/s^2] */
    double timestep;                       /* [s]; 0: not given */
    myr_fluid fluid;
    double *home;             /* nq */
    double floor;             /* world z of the ground, unless a batch has it elsewhere [m] */
    double lowest_at_home;    /* of all that can touch the ground [m]; infinity: nothing can */
    myr_builder *description; /* what it was compiled from, for models that it is put into */
    int hangs_below;          /* fixed to the world, and lower than the ground would be at home */
    myr_quadruped quadruped;
    struct myr_terrain *terrain; /* the map that it stands on; NULL: a plane */
    myr_model *shares;           /* on a map: the model that owns all but geoms, slots, pairs, flats and terrain */
};

/* Of what sensors keep from step to step: kinds, rows, signals. They are not in the model's own hash, as they change no trajectory. */
uint64_t myr_sensors_hash(const myr_model *model);
/* Actuators (model/actuators.c): length at q; what an episode begins with; what a control becomes, of its field. */
double myr_actuator_length(const myr_model *model, int actuator, const double *q);
void myr_actuator_start(const myr_model *model, int actuator, double *target, double *torque);

/* Rows of an actuator's states, in their order; 0 rows where it is not late, or does not lag. Those of its net come behind them. */
static inline int myr_motor_late_rows(const myr_motor *motor) { return motor->delay_max ? motor->delay_max + 2 : 0; }
static inline int myr_motor_lag_rows(const myr_motor *motor) { return motor->lag != MYR_LAG_NONE; }
/* Is its force known from the state alone? That of any other motor is what acted in the last step. */
static inline int myr_motor_acts_at_once(const myr_motor *motor) {
    return motor->kind == MYR_MOTOR_PD && !myr_motor_late_rows(motor) && !myr_motor_lag_rows(motor);
}
static inline int myr_motor_input_rows(const myr_motor *motor) { return myr_motor_late_rows(motor) + myr_motor_lag_rows(motor); }

/* NULL is fine (model/motor_net.c). */
myr_motor_net *myr_motor_net_retain(const myr_motor_net *net);

/* What a control becomes, in the field that it controls. */
static inline double myr_actuator_set(const myr_actuator *a, double control) {
    const double bounded = control < a->control_lower ? a->control_lower : control > a->control_upper ? a->control_upper : control;
    return a->scale * bounded + a->bias;
}

/* 1: every joint of one dof has an actuator of its own: what walks needs no more. */
int myr_all_driven(const myr_model *model);

myr_model *myr_model_retain(const myr_model *model);

/* Slots of a geom that are at corners which the step chooses: all of them, or none. */
static inline int myr_moving_slots(const myr_geom *g) { return g->n_points > MYR_HULL_CORNERS && g->body >= 0 ? MYR_HULL_SLOTS : 0; }

/* The farthest from the body's origin that a slot against the ground can be. */
static inline const double *myr_slot_far(const myr_model *model, const myr_slot *slot) {
    return slot->hull ? model->hulls[slot->hull - 1].far : slot->center;
}

/* 1: a leaf hinge whose body is round about its axis (model/wheel.c). */
int myr_is_wheel(const myr_model *model, int body);

#endif
