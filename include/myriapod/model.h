/* A model: one robot or scene, compiled and immutable. From a URDF or MJCF file, a shipped name or C calls.
 *
 * Units SI, world z up, quaternions (w, x, y, z). Joints are numbered depth first from each root,
 * children in document order (MuJoCo's order). Free joint: q = position of the body origin in world,
 * quaternion body -> world; v = linear velocity of the body origin in WORLD axes, angular velocity in
 * BODY axes. Ball joint: q = quaternion child -> parent-side joint frame, v = relative angular velocity
 * in CHILD axes. Revolute, prismatic: one number each [rad | m]. */
#ifndef MYRIAPOD_MODEL_H
#define MYRIAPOD_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "fluid.h"
#include "motor.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct myr_model myr_model;

typedef enum myr_joint_type {
    MYR_JOINT_FIXED = 0, /* merged into its parent when compiled; its frame is kept by name */
    MYR_JOINT_REVOLUTE,  /* also URDF "continuous": no position limits */
    MYR_JOINT_PRISMATIC,
    MYR_JOINT_BALL,
    MYR_JOINT_FREE /* only directly under the world */
} myr_joint_type;

/* geoms.def lists them with their names. */
typedef enum myr_geom_type {
    MYR_GEOM_SPHERE = 0,
    MYR_GEOM_BOX,
    MYR_GEOM_CAPSULE,
    MYR_GEOM_CYLINDER,
    MYR_GEOM_HULL /* convex hull of points */
} myr_geom_type;

/* What holds two bodies together beyond the tree, and joints to each other; eliminated from each step's problem (docs/contact.md). */
typedef enum myr_loop_type {
    MYR_LOOP_BALL = 0, /* a point of each stays with the other's: 3 rows */
    MYR_LOOP_REVOLUTE, /* and an axis with the other's: 5 rows */
    MYR_LOOP_FIXED,    /* a weld: 6 rows */
    MYR_LOOP_COUPLING  /* positions of joints depend on each other: 1 row */
} myr_loop_type;

/* Joints of one coupling, the driver not counted. */
#define MYR_COUPLED_JOINTS 8

/* What a control of an actuator becomes (myr_actuator_def). */
typedef enum myr_controls {
    MYR_CONTROLS_TARGET = 0, /* MYR_TARGET */
    MYR_CONTROLS_TORQUE      /* MYR_TORQUE */
} myr_controls;

/* auto: fixed if the root link is called `world`, if it weighs nothing, touches nothing and carries one joint, or if the file has a
 * floating joint; else floating. */
typedef enum myr_root { MYR_ROOT_AUTO = 0, MYR_ROOT_FLOATING, MYR_ROOT_FIXED } myr_root;

/* ---- loading ---------------------------------------------------------------------------------- */

/* How meshes are treated. */
typedef enum myr_meshes {
    MYR_MESHES_LOAD = 0, /* read; one that is missing is an error */
    MYR_MESHES_SKIP      /* left out, with a warning that names what is lost */
} myr_meshes;

/* Whether links of a robot touch each other: all shapes between which no free joint lies. Never those of one body, nor of parent and child
 * (in MJCF the world does not count as a parent), nor what masks and exclusions take out; a pair that is asked for by name does in any
 * case. */
typedef enum myr_self_collision {
    MYR_SELF_BY_FILE = 0, /* auto for an MJCF, off for a URDF */
    MYR_SELF_OFF,
    MYR_SELF_AUTO, /* those pairs that can meet: what never comes near in poses tried when loading is dropped, and what overlaps by design
                    */
    MYR_SELF_ALL   /* every pair */
} myr_self_collision;

/* How a description is read. Fill with myr_load_options_default() first. */
typedef struct myr_load_options {
    myr_root root;
    myr_meshes meshes;
    int strict;            /* 1: what acts in the file's own simulator and would be left out here is an error, not a warning */
    const char *mesh_path; /* where else meshes are looked for: folders separated by ':', NULL: nowhere else (docs/models.md, Meshes) */
    int hull_corners;      /* to how many corners the hull of a mesh is reduced, 4 .. 64 */
    myr_self_collision self_collision;
    const char *keyframe; /* the one that is home, with its controls; NULL: the model's own choice */
    const double *home;   /* (n_home) the home pose, whatever the file says, as q; moved until loops close. NULL: the model's own */
    int n_home;
    const char *feet; /* names of shapes separated by ',', `*` and `?` as in a shell: of what moves these alone touch the ground and other
                         shapes, which may be a small part of the cost; NULL: all. Of files; not of chain-N, stack-N, hand-ball */
} myr_load_options;

/* root auto, meshes read, not strict, no other folders, hulls of 32 corners, self-collision by file. */
MYR_API myr_load_options myr_load_options_default(void);

/* Load a robot. path_or_name: a file, or a shipped robot (`anymal`, `solo12`, `hopper`, `sphere`, `cube`,
 * `double-pendulum`, `chain-N`, `stack-N`, `stack-N-RATIO`, `hand-ball`), found where docs/models.md says ($MYRIAPOD_ROBOTS first). A path
 * is what contains a '/' or ends in ".urdf" or ".xml". What the file is, its root element says. On success *out is owned by the caller
 * (myr_model_free). On failure *out is NULL and the message names file, line and element. Oddities that do not prevent simulation are
 * collected as warnings. options NULL: the default. */
MYR_API myr_status myr_model_open(const char *path_or_name, const myr_load_options *options, myr_model **out);

/* The same with the default options and this root. */
MYR_API myr_status myr_model_load(const char *path_or_name, myr_root root, myr_model **out);

/* The same from text in memory; label stands for the file name in messages, and files that it names are looked for from where the label
 * would be. */
MYR_API myr_status myr_model_open_text(const char *text, size_t length, const char *label, const myr_load_options *options,
                                       myr_model **out);
/* The same with the default options and this root. */
MYR_API myr_status myr_model_load_text(const char *text, size_t length, const char *label, myr_root root, myr_model **out);

/* Free a model. NULL is accepted. A batch holds its own reference: a model may be freed while batches of it live. */
MYR_API void myr_model_free(myr_model *model);

/* ---- building from C -------------------------------------------------------------------------- */

typedef struct myr_builder myr_builder;

/* One body and the joint that carries it. Fill with myr_body_def_default() first. Numbers are in the
 * body's own frame unless said otherwise; the body frame is the joint frame after the joint's motion. */
typedef struct myr_body_def {
    const char *name; /* unique, not empty */
    int parent;       /* id of a body added before, or -1: the world */
    myr_joint_type joint;
    const char *joint_name; /* NULL: the body's name */
    double position_m[3];   /* joint frame in the parent's body frame (ignored for free joints) */
    double quaternion[4];   /* w x y z, joint frame -> parent's body frame; normalized on entry */
    double axis[3];         /* revolute, prismatic: in the joint frame; normalized on entry */
    double mass_kg;         /* >= 0 */
    double com_m[3];        /* centre of mass */
    double inertia_kgm2[6]; /* about the centre of mass, body axes: xx yy zz xy xz yz */
    double damping;         /* viscous [N m s/rad | N s/m], implicit */
    double dry_friction;    /* [N m | N]; acts as the setting joint-friction says */
    double armature;        /* rotor inertia added to the diagonal [kg m^2 | kg] */
    double lower, upper;    /* position limits [rad | m]; lower > upper: none */
    double effort_limit;    /* |torque| [N m | N]; infinity: none */
    double velocity_limit;  /* [rad/s | m/s]; kept, does not act */
    double stiffness;       /* of a spring at a joint of one dof [N m/rad | N/m], implicit */
    double spring_rest;     /* where it is slack [rad | m] */
    double gravity_held;    /* share of its weight that something not described holds up; 1: it floats */
} myr_body_def;

typedef struct myr_geom_def {
    const char *name; /* NULL: made from the body's name */
    int body;         /* id from myr_builder_body */
    myr_geom_type type;
    double position_m[3]; /* centre in the body frame */
    double quaternion[4]; /* geom -> body axes */
    double size_m[3]; /* sphere: radius; box: half extents; capsule: radius, half length of the cylinder (axis z); cylinder: radius, half
                         length (axis z) */
    double friction;  /* coefficient mu >= 0; default 0.8; of two geoms the larger one counts (myr_builder_pair_friction) */
    const double *points_m; /* hull: (n_points, 3) in the geom's frame, copied. Else not looked at */
    int n_points;
    int hull_corners; /* hull: if it has more corners than so many (4 .. 64) it is reduced to them; 0: one of more than 64 is refused */
} myr_geom_def;

/* Two bodies that are to stay together though no joint of the tree carries the one on the other. */
typedef struct myr_loop_def {
    const char *name;
    myr_loop_type type;                              /* ball, revolute or fixed */
    int body, other;                                 /* ids from myr_builder_body; other -1: the world */
    double position_m[3], quaternion[4];             /* the loop's frame in the first body's; w x y z, normalized on entry */
    double other_position_m[3], other_quaternion[4]; /* the same frame in the other body's, or in the world */
    double axis[3];                                  /* revolute: in the loop's frame; normalized on entry */
} myr_loop_def;

/* Joints of one degree of freedom whose positions depend on each other:
 *
 *     sum of coefficients[i] q(joints[i]) = p0 + p1 x + .. + p4 x^4,   x = q(driver), or 0 without one
 *
 * A joint that mimics another is one term and a driver; a fixed tendon of constant length is several terms and p0. */
typedef struct myr_coupling_def {
    const char *name;
    int n;                          /* terms, 1 .. MYR_COUPLED_JOINTS */
    int joints[MYR_COUPLED_JOINTS]; /* ids of the bodies that the joints carry, none twice */
    double coefficients[MYR_COUPLED_JOINTS];
    int driver; /* likewise, none of the joints; -1: none */
    double polynomial[5];
} myr_coupling_def;

/* A tendon over joints of one degree of freedom, of the length  sum of coefficients[i] q(joints[i]),  which stays between lower and upper,
 * and along which friction acts. One row beside those of the joints' own limits (docs/contact.md, Joint rows). Fill with
 * myr_tendon_def_default() first. */
typedef struct myr_tendon_def {
    const char *name;
    int n;                          /* terms, 1 .. MYR_COUPLED_JOINTS */
    int joints[MYR_COUPLED_JOINTS]; /* ids of the bodies that the joints carry, none twice */
    double coefficients[MYR_COUPLED_JOINTS];
    double lower, upper; /* of the length; infinities: none */
    double dry_friction; /* >= 0 [N, or what times the coefficients is N m] */
} myr_tendon_def;

/* What drives joints of one degree of freedom, one or several as a tendon does:
 *
 *     force = kp (target - length) - kd d(length)/dt + torque,   length = sum of moments[i] q(joints[i])
 *
 * between lower and upper; joint i gets moments[i] times the force. target, torque, kp and kd are the batch's fields of these names; for
 * one joint with the moment 1 they are the joint's. A control c (MYR_CONTROL) is what a file calls so: within its range, target or torque
 * = control_scale c + control_bias. One that pushes a frame acts by its force times `gear`, and has no length. Fill with
 * myr_actuator_def_default() first. */
typedef struct myr_actuator_def {
    const char *name;               /* NULL: the first joint's */
    int n;                          /* joints, 1 .. MYR_COUPLED_JOINTS */
    int joints[MYR_COUPLED_JOINTS]; /* ids of the bodies that the joints carry, none twice */
    double moments[MYR_COUPLED_JOINTS];
    double kp, kd;       /* gains that a batch starts with; below 0: as its settings say */
    double lower, upper; /* of the force [N m | N], lower <= 0 <= upper; infinities: none */
    myr_controls controls;
    double control_scale, control_bias;
    double control_lower, control_upper; /* infinities: any control */
    myr_motor motor;
    const char *frame; /* rotors: the frame (site, body) that it pushes instead of joints; n and gains are 0 then, and controls torque */
    double gear[6];    /* then: force along x, y, z of the frame and torque about them, of a force of 1 */
} myr_actuator_def;

/* A body without mass on a fixed joint at the world's origin; no limits, no damping; joint axis x. */
MYR_API myr_body_def myr_body_def_default(void);
/* A sphere on no body yet, of no size, with friction 0.8. */
MYR_API myr_geom_def myr_geom_def_default(void);

/* A ball at the origins of no two bodies yet; axis x. */
MYR_API myr_loop_def myr_loop_def_default(void);
/* No terms and no driver. */
MYR_API myr_coupling_def myr_coupling_def_default(void);

/* No terms, no limits, no friction. */
MYR_API myr_tendon_def myr_tendon_def_default(void);

/* The joint's moment is 1, the force is not limited, gains are the batch's, a control is the target, and the motor is a pd at once. */
MYR_API myr_actuator_def myr_actuator_def_default(void);

/* Begin a model of this name. On success *out is the caller's (myr_builder_free), on failure it is NULL. */
MYR_API myr_status myr_builder_create(const char *name, myr_builder **out);
/* Free a builder; models compiled by it stay. NULL is accepted. */
MYR_API void myr_builder_free(myr_builder *builder);
/* Add a body and its joint; strings are copied. id (nullable) receives 0, 1, 2, ... in the order of calls. MYR_E_ARG says what is wrong. */
MYR_API myr_status myr_builder_body(myr_builder *builder, const myr_body_def *def, int *id);
/* Add a collision shape to a body, likewise. */
MYR_API myr_status myr_builder_geom(myr_builder *builder, const myr_geom_def *def, int *id);
/* Add a named frame fixed to a body (every body's name is a frame already). */
MYR_API myr_status myr_builder_frame(myr_builder *builder, const char *name, int body, const double position_m[3],
                                     const double quaternion[4]);
/* Add a loop. Its bodies must not be one and the same. Compiling moves the home pose until every loop closes, and refuses a model whose
 * loops cannot. */
MYR_API myr_status myr_builder_loop(myr_builder *builder, const myr_loop_def *def);
/* Add a coupling of joints, likewise; its numbers are at most 1e15. */
MYR_API myr_status myr_builder_coupling(myr_builder *builder, const myr_coupling_def *def);
/* Add a tendon, likewise; it must have a limit or friction, and its coefficients are at most 1e15. */
MYR_API myr_status myr_builder_tendon(myr_builder *builder, const myr_tendon_def *def);
/* Add an actuator, likewise. Unless it or myr_builder_passive is called, every joint of one degree of freedom has one of its own, in their
 * order; after such a call only those that were added, in the order of calls. A joint's own effort_limit bounds what acts on it. */
MYR_API myr_status myr_builder_actuator(myr_builder *builder, const myr_actuator_def *def);
/* No joint has an actuator but those that myr_builder_actuator names. */
MYR_API myr_status myr_builder_passive(myr_builder *builder);
/* Give actuators that are there another motor: those of the names, separated by ',', `*` and `?` as in a shell. Joints without a word on
 * what drives them get an actuator each first, as myr_builder_add_model says; so a robot of a file gets motors by: create, add_model, this,
 * compile. A name that no actuator has is MYR_E_ARG. */
MYR_API myr_status myr_builder_motor(myr_builder *builder, const char *names, const myr_motor *motor);
/* Where a body on a free joint starts (myr_model_home): position of its origin in the world and quaternion body -> world, normalized on
 * entry. Unless said: at x = y = 0, not turned, its tree's lowest geom on the ground. */
MYR_API myr_status myr_builder_home(myr_builder *builder, int body, const double position_m[3], const double quaternion[4]);
/* Say whether two geoms may touch (touch 1) or not (0); the last word on a pair counts. Unless said, geoms of two trees may where at
 * least one of the trees is free, and geoms of a free tree may touch those fixed to the world; geoms of one tree, and of trees that are
 * all fixed to the world, may not. Not two geoms of one body, or both fixed to the world: that is found by myr_builder_compile. geom_b -1:
 * the ground, which everything touches unless said. */
MYR_API myr_status myr_builder_pair(myr_builder *builder, int geom_a, int geom_b, int touch);
/* Friction of two geoms where they touch, whatever their own is; geom_b -1: of a geom and the ground. The last word on a pair counts. */
MYR_API myr_status myr_builder_pair_friction(myr_builder *builder, int geom_a, int geom_b, double friction);
/* Whether links of the model touch each other; until this is called, off. MYR_SELF_BY_FILE is off, too. It holds for all that is there and
 * what is added one by one; models put in later bring their own. */
MYR_API myr_status myr_builder_self_collision(myr_builder *builder, myr_self_collision self_collision);

/* Where and how a model is put into another one. Fill with myr_placement_default() first. */
typedef struct myr_placement {
    const char *prefix;                  /* before each of its names; NULL: none */
    double position_m[3], quaternion[4]; /* of its world in that of the builder, or in the body's frame; w x y z, normalized on entry */
    int body;                            /* on which it hangs, from myr_builder_body or myr_builder_find_body; -1: the world */
    myr_root root; /* auto: as the model has it. fixed: what floats stays where it is at home. floating: its one root is let go */
} myr_placement;
/* No prefix, at the world's origin, not turned, root auto. */
MYR_API myr_placement myr_placement_default(void);
/* Put all that a model was described by into a builder: several robots and objects in one model. Its home pose, moved by the placement, is
 * where it starts; its keyframes leave what else there is at home. Where one of builder and model says what drives its joints and the other
 * does not, each joint of the other's gets an actuator of its own, and joints added later none. Gravity, the height of the ground, the
 * timestep and the fluid are those of what came first; a warning names a later one that differs. placement NULL: the default. A name that
 * is there already is MYR_E_ARG; on failure the builder is as it was. The model may go. */
MYR_API myr_status myr_builder_add_model(myr_builder *builder, const myr_model *model, const myr_placement *placement);
/* The id of a body by its name, for what came by myr_builder_add_model; *body is -1 where there is none. */
MYR_API myr_status myr_builder_find_body(const myr_builder *builder, const char *name, int *body);
/* A geom's; MYR_E_ARG also where several have the name. */
MYR_API myr_status myr_builder_find_geom(const myr_builder *builder, const char *name, int *geom);
/* Check and compile; the builder stays usable and the caller's. A model in which geoms touch each other has at most 15000 slots. */
MYR_API myr_status myr_builder_compile(const myr_builder *builder, myr_model **out);

/* ---- asking ----------------------------------------------------------------------------------- */

typedef struct myr_model_info {
    const char *name;
    int nq, nv, nu; /* positions, velocities, actuators */
    int n_bodies;   /* moving bodies, world excluded */
    int n_joints;   /* = n_bodies */
    int n_geoms, n_slots, n_frames, n_trees, n_warnings;
    int n_rows;      /* joints with position limits or dry friction, their own or of joints that follow them in proportion; then tendons */
    int n_loops;     /* loops and couplings of joints */
    int n_loop_rows; /* their rows together: numbers of MYR_LOOP_IMPULSE */
    int n_pairs;     /* pairs of geoms that may touch each other */
    int n_world;     /* geoms fixed to the world, of the n_geoms, in their order: those of MYR_WORLD_AT */
    myr_self_collision self_collision; /* off, auto or all */
    int n_self_candidates;             /* pairs of one robot's own shapes that the filters let through; 0 if off */
    int n_self_pairs;                  /* of these, those that may touch; they are among the n_pairs */
    int n_dropped;                     /* the others: */
    int n_far, n_overlapping;          /* as myr_drop_reason says */
    int n_keyframes;                   /* poses that the file names */
    int n_sensors, n_sensor_rows;      /* sensors; their numbers together: those of MYR_SENSORS */
    int n_free;                        /* trees that a free joint carries; the others are fixed to the world */
    int is_quadruped;                  /* 1: the stand, trot, hang, drop and random tasks apply */
    double mass_kg;                    /* of all bodies */
    double lowest_m;                   /* of what can touch the ground, at home, world z; infinity: nothing can */
    double floor_m;    /* where the ground is with the setting ground=auto, world z: 0 unless an MJCF has its level plane elsewhere */
    int hangs_below;   /* 1: fixed to the world and lower than that by more than 1 mm there: the setting ground=auto is off */
    double gravity[3]; /* world [m/s^2]; a batch may have another */
    double timestep_s; /* what its file says of the length of a step, for the setting dt=0; 0: nothing */
    myr_fluid fluid;
} myr_model_info;

typedef struct myr_joint_info {
    const char *name, *body;
    myr_joint_type type;
    int parent;  /* joint id, -1: world */
    int q, v, u; /* first index into q, v; u: the first actuator that acts on it, -1: none */
    int nq, nv;
    double lower, upper;
    double effort_limit; /* its own, and no more than its actuators can give; 0 without one */
    double velocity_limit, damping, armature;
    double dry_friction, stiffness, spring_rest; /* as in myr_body_def */
    double position_m[3], quaternion[4]; /* joint frame in the parent's body frame, or in the world; free joints: none, 0 and identity */
    double axis[3];                      /* revolute, prismatic: unit, in the joint frame; else 0 */
} myr_joint_info;

/* A moving body, with all that is fixed to it. Its frame is the joint's after the joint's motion. */
typedef struct myr_body_info {
    const char *name;
    int parent;                                /* body that it hangs on, -1: world */
    int tree;                                  /* which of the n_trees */
    double mass_kg, com_m[3], inertia_kgm2[6]; /* about the centre of mass, body axes: xx yy zz xy xz yz */
} myr_body_info;

/* A name for a pose fixed to a body: every link of the description, moving or not, and named points. */
typedef struct myr_frame_info {
    const char *name;
    int body;                            /* that carries it, -1: world */
    double position_m[3], quaternion[4]; /* in the body's frame, or in the world; frame -> body axes */
} myr_frame_info;

/* An actuator, as myr_actuator_def says; gains below 0: as a batch's settings say. Its force's limits have those of its joint in them,
 * where it acts on one that no other acts on. */
typedef struct myr_actuator_info {
    const char *name;
    int n;
    int joints[MYR_COUPLED_JOINTS]; /* joint ids */
    double moments[MYR_COUPLED_JOINTS];
    double kp, kd, lower, upper;
    myr_controls controls;
    double control_scale, control_bias, control_lower, control_upper;
    double home_target, home_torque; /* what an episode begins with */
    myr_motor motor;
    int pushes, body; /* pushes: a frame, fixed to that body (-1: the world), there; n is 0 then */
    double position_m[3], quaternion[4], gear[6];
} myr_actuator_info;

typedef struct myr_geom_info {
    const char *name;
    int body; /* joint id of the body that carries it */
    myr_geom_type type;
    int slot, n_slots; /* against the ground: slot .. slot + n_slots - 1; those of pairs: myr_model_get_slot */
    double friction;
    double position_m[3], quaternion[4]; /* centre in the body frame (body -1: world); geom -> body axes */
    double size_m[3];                    /* as in myr_geom_def; 0 where a type has fewer numbers */
    const double *points_m;              /* hull: (n_points, 3) corners in the geom's frame, in the order given; else NULL */
    int n_points;
    double hull_error_m; /* hull: the largest distance from a corner that was left out to what is kept; 0: all are there */
} myr_geom_info;

/* What a contact slot is: a place of a geom that may touch the ground, or one of the places where two geoms may touch. The contact
 * frame's z is the normal, from `other` (or the ground) into `geom`; impulses act on `body`, and reversed on `other_body`. */
typedef struct myr_slot_info {
    int geom, other;      /* other -1: the ground */
    int body, other_body; /* joint ids of what carries them; other_body -1: ground, or fixed to the world */
    int feature;          /* which of the places: docs/models.md, Slots */
    double friction;
} myr_slot_info;

/* Two geoms that may touch each other. */
typedef struct myr_pair_info {
    int geom, other;
    int slot, n_slots; /* slot .. slot + n_slots - 1 */
    double friction;
} myr_pair_info;

/* Why two geoms that the filters let through do not touch. */
typedef enum myr_drop_reason {
    MYR_DROPPED_FAR = 0, /* in no pose that was tried were they within 1 cm */
    MYR_DROPPED_OVERLAP  /* they overlap at home and in more than 95 % of the poses: they are drawn so */
} myr_drop_reason;

typedef struct myr_dropped_info {
    int geom, other;
    myr_drop_reason reason;
    double gap_m; /* the least that was seen; of what overlaps: minus by how much at home */
    double share; /* of the poses tried in which they overlapped */
} myr_dropped_info;

/* What a joint row is: the position limits and the dry friction of one joint, or of a tendon (docs/contact.md). */
typedef struct myr_row_info {
    int joint;           /* id; of a tendon: its first joint */
    double lower, upper; /* [rad | m]; -INFINITY, INFINITY: no limit */
    double dry_friction; /* [N m | N] */
    double length_m;     /* by which a hinge's row is scaled: the distance of the farthest thing that it moves; 1 for sliders */
    const char *tendon;  /* its name; NULL: the row is a joint's */
    int n_joints;        /* a tendon's terms, as in myr_tendon_def; 0 of a joint */
    int joints[MYR_COUPLED_JOINTS];
    double coefficients[MYR_COUPLED_JOINTS];
} myr_row_info;

/* What a loop is. */
typedef struct myr_loop_info {
    const char *name;
    myr_loop_type type;
    int body, other; /* joint ids of what carries its ends; -1: the world. Couplings: the first joint, and the driver (-1: none) */
    int row, n_rows; /* its rows: row .. row + n_rows - 1 */
    double length_m; /* by which rows that turn are scaled: the distance from the loop of the farthest joint that moves it */
    double position_m[3], quaternion[4];             /* the loop's frame in `body`'s; its z is the axis of a revolute loop */
    double other_position_m[3], other_quaternion[4]; /* the same frame in `other`'s, or in the world. Couplings: all four are 0 */
    int n_joints, joints[MYR_COUPLED_JOINTS];        /* couplings: as in myr_coupling_def, else 0 */
    double coefficients[MYR_COUPLED_JOINTS], polynomial[5];
} myr_loop_info;

/* A pose that the file names. */
typedef struct myr_keyframe_info {
    const char *name;
    const double *q;       /* (nq) */
    const double *control; /* (nu) as MYR_CONTROL; NULL: the file gives none */
} myr_keyframe_info;

/* Name, sizes and mass of a model. Strings of all these belong to the model. */
MYR_API void myr_model_get_info(const myr_model *model, myr_model_info *info);
/* Joint 0 .. n_joints - 1 and the body it carries; MYR_E_ARG past them. */
MYR_API myr_status myr_model_get_joint(const myr_model *model, int joint, myr_joint_info *info);
/* Actuator 0 .. nu - 1; MYR_E_ARG past them. */
MYR_API myr_status myr_model_get_actuator(const myr_model *model, int actuator, myr_actuator_info *info);
/* Body 0 .. n_bodies - 1, the one that joint of this number carries; MYR_E_ARG past them. */
MYR_API myr_status myr_model_get_body(const myr_model *model, int body, myr_body_info *info);
/* Geom 0 .. n_geoms - 1; MYR_E_ARG past them. */
MYR_API myr_status myr_model_get_geom(const myr_model *model, int geom, myr_geom_info *info);
/* Slot 0 .. n_slots - 1; MYR_E_ARG past them. */
MYR_API myr_status myr_model_get_slot(const myr_model *model, int slot, myr_slot_info *info);
/* Joint row 0 .. n_rows - 1, as in MYR_ROW_IMPULSE of batches that leave none out; MYR_E_ARG past them. */
MYR_API myr_status myr_model_get_row(const myr_model *model, int row, myr_row_info *info);
/* Loop 0 .. n_loops - 1; MYR_E_ARG past them. */
MYR_API myr_status myr_model_get_loop(const myr_model *model, int loop, myr_loop_info *info);
/* Keyframe 0 .. n_keyframes - 1; MYR_E_ARG past them. */
MYR_API myr_status myr_model_get_keyframe(const myr_model *model, int keyframe, myr_keyframe_info *info);
/* Pair of geoms 0 .. n_pairs - 1; MYR_E_ARG past them. */
MYR_API myr_status myr_model_get_pair(const myr_model *model, int pair, myr_pair_info *info);
/* Dropped pair 0 .. n_dropped - 1; MYR_E_ARG past them. */
MYR_API myr_status myr_model_get_dropped(const myr_model *model, int dropped, myr_dropped_info *info);
/* Frame 0 .. n_frames - 1; MYR_E_ARG past them. */
MYR_API myr_status myr_model_get_frame(const myr_model *model, int frame, myr_frame_info *info);
/* Name of frame 0 .. n_frames - 1; NULL past them. */
MYR_API const char *myr_model_frame_name(const myr_model *model, int frame);
/* From a name to a number: *joint, *body, *geom, *frame is -1 where there is none of the name, or more than one: MYR_E_ARG, and the message
 * says which are near, or which bear it. Names are those of the description, letter by letter. What is fixed to another body is not a body:
 * its frame has its name. Where a joint's numbers are in q and v: myr_model_get_joint. */
MYR_API myr_status myr_model_find_joint(const myr_model *model, const char *name, int *joint);
/* The same of a body. */
MYR_API myr_status myr_model_find_body(const myr_model *model, const char *name, int *body);
/* The same of a geom. */
MYR_API myr_status myr_model_find_geom(const myr_model *model, const char *name, int *geom);
/* The same of an actuator. */
MYR_API myr_status myr_model_find_actuator(const myr_model *model, const char *name, int *actuator);
/* The same of a frame. */
MYR_API myr_status myr_model_find_frame(const myr_model *model, const char *name, int *frame);
/* Warning 0 .. n_warnings - 1: what is odd but does not prevent simulation; NULL past them. */
MYR_API const char *myr_model_warning(const myr_model *model, int warning);
/* The configuration at which the robot stands (quadrupeds: home pose, lowest foot on the ground) or the
 * zero configuration, moved until loops close, each free tree at the height where its lowest geom just touches the ground; q has nq
 * entries. */
MYR_API void myr_model_home(const myr_model *model, double *q);
/* A hash of everything in the model that changes trajectories: two models of one hash move alike. It is in saved batches and recordings,
 * as 16 hexadecimal digits. */
MYR_API uint64_t myr_model_hash(const myr_model *model);

#ifdef __cplusplus
}
#endif
#endif
