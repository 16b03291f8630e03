/* What a model is made of before it is compiled: the builder of model.h, filled by C calls or by the URDF reader. */
#ifndef MYR_MODEL_DESCRIPTION_H
#define MYR_MODEL_DESCRIPTION_H

#include <limits.h>

#include "model.h"
#include "base/rotation.h"

/* Counts are limited so that a hostile file costs neither hours nor memory. */
enum {
    MYR_MAX_LINKS = 4096,
    MYR_MAX_GEOMS = 16384,
    MYR_MAX_FRAMES = 16384,
    MYR_MAX_ACTUATORS = 4096,
    MYR_MAX_WARNINGS = 256,
    MYR_MAX_ASKED = 1 << 20,
    MYR_MAX_PAIRS = 1 << 17, /* before they are pruned */
    MYR_MAX_SLOTS = 15000,   /* of models with pairs; blocks of G are counted in an int (batch/batch.c) */
    MYR_MAX_CORNERS = 64,
    MYR_MAX_LOOP_ROWS = 64,
    MYR_UNLIMITED = INT_MAX
};

typedef struct myr_described_body {
    char *name, *joint_name;
    int parent; /* described body, -1: world */
    myr_joint_type joint;
    myr_pose pose;  /* joint frame in the parent's body frame; identity for free joints */
    double axis[3]; /* unit */
    double mass, com[3], inertia[6];
    double damping, dry_friction, armature, lower, upper, effort_limit, velocity_limit, stiffness, spring_rest, gravity_held;
    int is_part;     /* of the next one: a file's body of several joints is a chain of bodies here */
    int has_inertia; /* 0: the file gives none, and that has been said already */
    int line;        /* of its link in the file, 0: from C calls */
    int has_home;    /* where the joint starts: position and quaternion, a quaternion, or one number */
    double home[7];
} myr_described_body;

typedef struct myr_described_geom {
    char *name;
    int body;
    myr_geom_type type;
    myr_pose pose;
    double size[3], friction; /* friction: against the ground */
    double own_friction;      /* against other geoms: the larger of both, unless `priority` or a pair's own friction says otherwise */
    int priority;             /* the geom of the higher one decides */
    int slides;               /* condim 1: frictionless, unless the other geom has higher priority, or equal priority and friction */
    int off_ground;           /* it does not touch the ground */
    int on_world;             /* of the world itself, not of something fixed to it */
    myr_self_collision self;  /* of a model that was put into this one: as that one had it; BY_FILE: as the builder has it */
    int friction_group;       /* from 1; 0: none */
    int contype, conaffinity; /* geoms touch where either's first shares a bit with the other's second */
    double *points;           /* corners of a hull */
    int n_points;
    double hull_error;
} myr_described_geom;

typedef struct myr_described_friction_group {
    char *name;
} myr_described_friction_group;

typedef struct myr_described_frame {
    char *name;
    int body;
    myr_pose pose;
} myr_described_frame;

/* Two geoms of which the description says whether they may touch. */
typedef struct myr_described_pair {
    int geom[2], touch;
} myr_described_pair;

/* Two geoms with a friction of their own; geom[0] -1: the ground. */
typedef struct myr_described_friction {
    int geom[2];
    double friction;
} myr_described_friction;

/* A loop or a coupling; the frames are poses, in the bodies as described. */
typedef struct myr_described_loop {
    char *name;
    myr_loop_type type;
    int line; /* in the file, 0: from C calls */
    int body, other;
    myr_pose pose[2];
    double axis[3]; /* unit */
    int n, joints[MYR_COUPLED_JOINTS], driver;
    double coefficients[MYR_COUPLED_JOINTS], polynomial[5];
} myr_described_loop;

typedef struct myr_described_tendon {
    char *name;
    myr_tendon_def def; /* but for its name */
} myr_described_tendon;

typedef struct myr_described_actuator {
    char *name;
    myr_actuator_def def; /* but for its name */
    int has_home;         /* the control with which an episode begins */
    double home;
    int pushes, body; /* 1: a frame of the body, and no joint; body -1: the world */
    myr_pose pose;
} myr_described_actuator;

/* myr_sensor_def, its names found: the frame in a body (-1: the world), a joint (the body that it carries), an actuator, geoms. */
enum { MYR_SENSED_GEOMS = 64, MYR_MOST_SENSORS = 4096, MYR_MOST_SENSOR_ROWS = 65536 };
typedef struct myr_described_sensor {
    char *name;
    myr_sensor_kind kind;
    int body, ref, has_ref; /* has_ref 0: it is seen from the world, wherever the model is put */
    myr_pose pose, ref_pose;
    int joint, actuator; /* -1: none; of a joint that has an actuator of its own unsaid, the joint */
    int n_geoms, geoms[MYR_SENSED_GEOMS];
    int n_others, others[MYR_SENSED_GEOMS]; /* of single contacts: the second shapes */
    int ground, other_ground;               /* likewise: the ground is of the first, of the second */
    int any_first, any_other;               /* likewise: everything is */
    int contacts;
    unsigned from, data;
    myr_sensor_reduce reduce;
    myr_sensed_volume volume; /* of the frame */
    double vector[3], threshold, cutoff;
    myr_sensor_signal signal;
    myr_sensor_look look;
    int n_terms, joints[MYR_COUPLED_JOINTS]; /* of a tendon: */
    double coefficients[MYR_COUPLED_JOINTS];
    double scale; /* on readings: MuJoCo's lengths of actuators have their gear in them */
} myr_described_sensor;

/* A pose that a file names, and the controls of the actuators described before it. */
typedef struct myr_described_keyframe {
    char *name;
    double *q, *control; /* one piece of memory; control NULL: none */
    int n;
    int first_body, n_bodies, first_actuator, n_actuators; /* of these alone, everything else being at home; n_bodies -1: of all */
} myr_described_keyframe;

/* Self-contact of a file whose reader is told nothing. The one place where this is decided. */
static const myr_self_collision myr_self_of_mjcf = MYR_SELF_AUTO, myr_self_of_urdf = MYR_SELF_OFF;

/* What is done about a home pose that lies in the ground. */
typedef enum myr_sunk {
    MYR_SUNK_TOLD,   /* a warning: these numbers were given */
    MYR_SUNK_RAISED, /* and it is lifted out: a file says so, which may have counted on contacts that give way */
    MYR_SUNK_LATER   /* nothing: another home pose follows */
} myr_sunk;

typedef struct myr_texts {
    char **items;
    int count, capacity;
} myr_texts;

struct myr_builder {
    char *name, *label; /* label: the file, NULL: from C calls */
#define MYR_OBJECT(kind, kinds, what, most, owned, ids)                                                                                    \
    myr_described_##kind *kinds;                                                                                                           \
    int n_##kinds, kind##_capacity;
#include "objects.def"
    myr_self_collision self_collision; /* never BY_FILE */
    int no_kin_in_world;               /* what hangs on the world touches it */
    int keeps_kin;                     /* what hangs on a body touches it */
    int passive;                       /* joints have no actuators but those described */
    myr_texts warnings;
    myr_sunk sunk;
    double floor; /* world z of the ground [m] */
    int has_gravity;
    double gravity[3]; /* world */
    double timestep;   /* [s]; 0: not given */
    myr_fluid fluid;
};

/* Add an item, which has got all that it owns, to its list. 0: there is no memory, for the list or for what the item owns; that is
 * released. */
#define MYR_OBJECT(kind, kinds, what, most, owned, ids) int myr_push_##kind(myr_builder *builder, const myr_described_##kind *item);
#include "objects.def"
/* Does a fluid do anything? */
static inline int myr_drags(const myr_fluid *fluid) { return fluid->density > 0.0 || fluid->viscosity > 0.0; }
/* Is there one of this name? */
#define MYR_NAMED(kind, kinds, what, most, owned, ids) int myr_has_##kind(const myr_builder *builder, const char *name);
#include "objects.def"

/* Add one formatted text; what exceeds MYR_MAX_WARNINGS is counted in a last one. MYR_E_MEMORY: nothing changed. */
myr_status myr_texts_add(myr_texts *texts, const char *format, ...) __attribute__((format(printf, 2, 3)));
void myr_texts_clear(myr_texts *texts);

/* "FILE:LINE: link `NAME`" or "body `NAME`", for messages; returns buffer. */
const char *myr_describe_body(const myr_builder *builder, int body, char *buffer, size_t bytes);

/* "FILE:LINE: loop `NAME`", likewise. */
const char *myr_describe_loop(const myr_builder *builder, int loop, char *buffer, size_t bytes);
/* Numbers that the builder's calls share: a unit vector or quaternion, and a pose; `name` and `what` are for the message. */
myr_status myr_unit_vector(double *out, const double *in, int count, const char *name, const char *what);
myr_status myr_make_pose(myr_pose *pose, const double position[3], const double quaternion[4], const char *name);

/* The load option `feet` (model/feet.c). */
myr_status myr_keep_feet(myr_builder *builder, const char *feet);

/* MYR_E_ARG where one of them does not exist. */
myr_status myr_check_load_options(const myr_load_options *options);

/* Keyframes (model/keyframes.c): another one for a builder, after its actuators; those of a compiled model; and the home pose that the
 * options ask for. */
myr_status myr_add_keyframe(myr_builder *builder, const char *name, const double *q, int n, const double *control);
myr_status myr_keep_keyframes(const myr_builder *builder, myr_model *model, const int *described);
myr_status myr_choose_home(myr_model *model, const myr_load_options *options);

/* A shipped chain of n cylinders (model/chain.c), 1 <= n <= 64. */
myr_status myr_chain_build(int n, myr_self_collision self_collision, myr_model **out);
/* Shipped scenes of bodies that touch each other (model/scenes.c): stack-N, stack-N-RATIO, hand-ball. 0 where the name is of none of
 * them; else *status and *out are what myr_model_load gives back. */
int myr_scene_load(const char *name, const myr_load_options *options, myr_model **out, myr_status *status);

/* The parts of a compiled model that follow from the others. Warnings go to `warnings`; described[i] is the described
 * body that became body i. */
myr_status myr_check_inertias(const myr_builder *builder, const myr_model *model, const int *described, myr_texts *warnings);
/* A warning where a tree floats and carries nothing that can touch. */
myr_status myr_check_touch(const myr_builder *builder, const myr_model *model, const int *described, myr_texts *warnings);
/* A body or a frame of this name: the body that has it, and where on it. 0: there is none. */
int myr_place_of(const myr_builder *builder, const char *name, int *body, myr_pose *pose);
/* Sensors; places: where each described body ended up. After geoms and actuators. */
struct myr_carried;
myr_status myr_find_friction_groups(const myr_builder *builder, myr_model *model);
myr_status myr_find_sensors(const myr_builder *builder, myr_model *model, const struct myr_carried *places);
/* The boxes that the builder's fluid drags at (fluid.c). */
myr_status myr_find_drags(const myr_builder *builder, myr_model *model, const struct myr_carried *places);
myr_status myr_find_quadruped(myr_model *model, myr_texts *warnings);
myr_status myr_find_home(const myr_builder *builder, myr_model *model, myr_texts *warnings);
/* Free trees whose shapes lie in the ground at home. Then finds how low the model is there. */
myr_status myr_home_in_ground(myr_model *model, myr_sunk sunk, myr_texts *warnings);
/* Where a joint of one dof is at home unless another pose is given: at 0, or at the limit that is nearest to it. */
static inline double myr_rest(const myr_body *body) {
    if (body->lower > body->upper) return 0.0;
    return body->lower > 0.0 ? body->lower : body->upper < 0.0 ? body->upper : 0.0;
}
/* Where a described body ended up. */
typedef struct myr_carried {
    int body;      /* the moving body that carries it, -1: the world */
    myr_pose pose; /* of its frame in the carrier's USER frame */
} myr_carried;
/* Where a frame of a described body ended up, -1: of the world; and the same in the aligned axes of the body that carries it. */
myr_carried myr_carry(const myr_carried *places, int described, const myr_pose *pose);
myr_fixed_frame myr_fix_frame(const myr_model *model, const myr_carried *frame);
/* What a described body weighs, there, added to a mass, its centre and its inertia about that. Zero mass keeps the centre at the origin: it
 * means nothing there. */
void myr_add_inertia(const myr_described_body *from, const myr_pose *pose, double *mass, double com[3], double inertia[6]);
/* A joint of one dof that `kind` `name` may speak of; `what` is its part in it. */
myr_status myr_check_joint(const myr_builder *builder, const char *kind, const char *name, int body, const char *what);
/* The next name of "a,b,c" into `name`; what follows it, or NULL after the last one. */
enum { MYR_NAME_BYTES = 256 };
const char *myr_next_name(const char *list, char name[MYR_NAME_BYTES]);
/* myr_builder_actuator; body and pose: where the frame is that it pushes, NULL: found by its name. */
myr_status myr_add_actuator(myr_builder *builder, const myr_actuator_def *def, const int *body, const myr_pose *pose);
/* An actuator for every joint of one degree of freedom that the builder has, where nothing says what drives them. */
myr_status myr_drive_joints(myr_builder *builder);
/* Do the numbers of an actuator's motor make sense? */
myr_status myr_check_motor(const char *name, const myr_actuator_def *def);
/* Rows of a loop of a type. */
int myr_loop_rows(myr_loop_type type);
/* Does the joint of body `above` carry `body`, itself included? -1, the world, is carried by none. */
static inline int myr_carries(const myr_model *model, int above, int body) {
    while (body > above) body = model->bodies[body].parent;
    return body == above;
}
/* Loops, from those described (model/loops.c); after the dofs are numbered, before the home pose. */
myr_status myr_find_loops(const myr_builder *builder, myr_model *model, const myr_carried *places);
/* Move the home pose until they close, by Newton's method; *left: what is open after it, scaled [m], of loop *worst. `clamp`: within limits
 * (model/loop_home.c). */
myr_status myr_close_home(myr_model *model, int clamp, double *left, int *worst);
/* The lengths of loops, at home. */
myr_status myr_find_loop_lengths(myr_model *model);
/* How far from a hinge's axis the farthest thing is that it moves; 1 for sliders (model/rows.c). */
double myr_row_length(const myr_model *model, int joint, const myr_pose *poses);
/* Actuators, those described or one for each joint; after the dofs are numbered (model/actuators.c). */
myr_status myr_find_actuators(const myr_builder *builder, myr_model *model, const myr_carried *places);
/* Joint rows, from limits and dry friction (model/rows.c); after the home pose. */
myr_status myr_find_rows(const myr_builder *builder, myr_model *model, const myr_carried *places);
/* The rows of tendons that are not `folded` into a joint's, behind those of joints; poses at home (model/tendons.c). */
void myr_find_tendons(const myr_builder *builder, myr_model *model, const myr_carried *places, const myr_pose *poses,
                      const unsigned char *folded);
/* Their names, once the model has a description of its own. */
void myr_name_tendons(myr_model *model, const myr_builder *builder);
/* Raises a quadruped's gains until it stands at home (model/stance.c). */
myr_status myr_find_gains(myr_model *model, myr_texts *warnings);
/* Hulls whose slots move, after the slots against the ground are placed (model/hulls.c). */
myr_status myr_find_hulls(myr_model *model);
/* Pairs of geoms and their slots, after those against the ground and after the home pose. */
myr_status myr_find_pairs(const myr_builder *builder, myr_model *model, const int *described, myr_texts *warnings);
/* What was said of a geom and the ground: may it touch (model/pair_words.c)? */
myr_status myr_say_of_ground(myr_builder *builder, int geom, int touch);
/* Friction of all slots, after the pairs. */
void myr_find_frictions(const myr_builder *builder, myr_model *model);

/* The corners of the convex hull of n points, in their order; *corners is the caller's. `name` is the geom's, for messages. More than
 * `most` are reduced to so many; *error: the largest distance from one left out to the rest. most 0: more than 64 are refused
 * (model/hull.c). */
myr_status myr_convex_hull(const char *name, const double *points, int n, int most, double **corners, int *n_corners, double *error);

/* World poses of all bodies' ALIGNED frames at q. poses: n_bodies. */
void myr_model_poses(const myr_model *model, const double *q, myr_pose *poses);
/* That of one body, from its parent's in the same array. */
void myr_model_place(const myr_model *model, int body, const double *q, myr_pose *poses);
/* Lowest point of the slots of a geom [m], world z, at these poses; +infinity without slots. */
double myr_lowest_point(const myr_model *model, int geom, const myr_pose *poses);

#endif
