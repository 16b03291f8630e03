/* An MJCF between its text and its description: what MuJoCo's compiler makes a table of, in the order in which it numbers things
 * (mujoco.readthedocs.io, XML reference). formats/mjcf_build.c makes the description of it. Angles in radians, all frames in the parent's.
 */
#ifndef MYR_FORMATS_MJCF_H
#define MYR_FORMATS_MJCF_H

#include "mesh.h"
#include "model/name_list.h"
#include "xml.h"

typedef struct myr_mjcf_class {
    const char *name;
    int parent; /* -1: none */
} myr_mjcf_class;

/* One <default> element; a class may have several, the last one counts. */
typedef struct myr_mjcf_default {
    int class_id;
    const myr_xml_node *node;
} myr_mjcf_default;

typedef struct myr_mjcf_frame {
    double position[3], quaternion[4];
} myr_mjcf_frame;

/* An element on its way through the readers: where its attributes come from. */
typedef struct myr_mjcf_element {
    const myr_xml_node *node;
    int class_id;
} myr_mjcf_element;

typedef enum { MYR_MJCF_FREE, MYR_MJCF_BALL, MYR_MJCF_SLIDE, MYR_MJCF_HINGE } myr_mjcf_joint_type;
/* How many numbers a joint has in q and in v. */
static inline int myr_mjcf_positions(myr_mjcf_joint_type type) { return type == MYR_MJCF_FREE ? 7 : type == MYR_MJCF_BALL ? 4 : 1; }
static inline int myr_mjcf_dofs(myr_mjcf_joint_type type) { return type == MYR_MJCF_FREE ? 6 : type == MYR_MJCF_BALL ? 3 : 1; }

typedef enum {
    MYR_MJCF_PLANE,
    MYR_MJCF_HFIELD,
    MYR_MJCF_SPHERE,
    MYR_MJCF_CAPSULE,
    MYR_MJCF_ELLIPSOID,
    MYR_MJCF_CYLINDER,
    MYR_MJCF_BOX,
    MYR_MJCF_MESH
} myr_mjcf_geom_type;

typedef struct myr_mjcf_body {
    const char *name; /* "" where the file gives none */
    const myr_xml_node *node;
    int parent;                                           /* -1: the world, which is not a body here */
    double position[3], quaternion[4], given_position[3]; /* the last without the <frame> around it */
    myr_inertia inertia;                                  /* in the body's frame */
    int n_axes;                                           /* geoms that could give them */
    int knows_axes;                                       /* the file says along which axes, else MuJoCo chooses them */
    double inertial[4];                                   /* those axes, in the body's frame */
    int has_inertial, mocap;
    int leaves_world; /* an <exclude> takes the ground and the world's shapes from it */
    int without_mesh; /* of its geoms that would weigh: meshes that are not read */
    double gravcomp;
    int first_joint, n_joints;
} myr_mjcf_body;

typedef struct myr_mjcf_joint {
    const char *name;
    const myr_xml_node *node;
    int body;
    myr_mjcf_joint_type type;
    double position[3], axis[3], range[2], force_range[2];
    int limited, force_limited;
    double stiffness, spring_reference, reference, damping, friction, armature;
    double spring_time, spring_ratio; /* `springdamper`, 0: none */
} myr_mjcf_joint;

typedef struct myr_mjcf_geom {
    const char *name;
    const myr_xml_node *node;
    int body; /* -1: the world */
    myr_mjcf_geom_type type;
    double position[3], quaternion[4], size[3];
    int collides, contype, conaffinity, condim, priority, group; /* collides: by its masks or in a pair */
    int made;                                                    /* the builder's geom, -1: none */
    int is_ground;                                               /* what the plane or the map stands for */
    double friction[3], margin, mass, density;
    int has_mass; /* else by density */
    const char *hfield;
    const char *mesh; /* its own, or what it is still to be fitted to; NULL: none */
    double fit_scale;
} myr_mjcf_geom;

typedef struct myr_mjcf_site {
    const char *name;
    const myr_xml_node *node;
    int body; /* -1: the world */
    double position[3], quaternion[4], size[3];
    int type; /* sphere, capsule, ellipsoid, cylinder, box: a myr_sensed_volume less 1 */
} myr_mjcf_site;

typedef enum { MYR_MJCF_TO_JOINT, MYR_MJCF_TO_TENDON, MYR_MJCF_TO_SITE, MYR_MJCF_TO_OTHER } myr_mjcf_transmission;

/* What a <dcmotor> and the classes above it say (mjcf_dcmotor.c). */
enum { MYR_MJCF_POS = 1, MYR_MJCF_VEL = 2, MYR_MJCF_FF = 4, MYR_MJCF_VOLTAGE = 8 }; /* its inputs */
enum { MYR_MJCF_DC_EFFECTS = 4 };
typedef struct myr_mjcf_dcmotor {
    double constant, resistance, torque, damping, controller[6]; /* controller: kp, ki, kd, slewmax, Imax, Vmax */
    int limited, inputs;                   /* limited: `saturation` says what force it has at most, `torque`; 0: as much as it likes */
    const char *lost[MYR_MJCF_DC_EFFECTS]; /* effects that do not act; NULL: it has none */
} myr_mjcf_dcmotor;

/* Force = gain ctrl + bias[0] + bias[1] length + bias[2] velocity, length and velocity being gear times the joint's. */
typedef struct myr_mjcf_actuator {
    const char *name, *target, *dropped; /* dropped: why it does not act, NULL: it does */
    const myr_xml_node *node;
    myr_mjcf_transmission transmission;
    double gear, gears[6], gain, bias[3], control_range[2], force_range[2], damping_ratio, armature, damping;
    double inherited_range; /* share of its target's, 0: none */
    int control_limited, force_limited;
    double stall, speed; /* of a motor whose torque falls with its speed; 0: of one whose torque does not */
    char lost[120];      /* what of it does not act; "": all does */
    int passive;         /* it has no control, and what it does is the joint's */
    int n_controls;      /* numbers of it in `ctrl` */
    myr_lag lag;         /* its activation: how it follows the control */
    double lag_s, lag_range[2];
    int lag_limited, lag_early;
} myr_mjcf_actuator;

typedef enum { MYR_MJCF_CONNECT, MYR_MJCF_WELD, MYR_MJCF_COUPLE_JOINTS, MYR_MJCF_COUPLE_TENDONS } myr_mjcf_equality_type;

typedef struct myr_mjcf_equality {
    const char *name, *first, *second; /* bodies, sites, joints or tendons; second NULL: the world, or a constant */
    const myr_xml_node *node;
    myr_mjcf_equality_type type;
    int by_sites, has_relative_pose;
    double anchor[3], relative_pose[7], polynomial[5];
} myr_mjcf_equality;

typedef struct myr_mjcf_tendon {
    const char *name;
    const myr_xml_node *node;
    int is_fixed, limited, n; /* joints; those past MYR_COUPLED_JOINTS are counted alone */
    const char *joint[MYR_COUPLED_JOINTS];
    double coefficient[MYR_COUPLED_JOINTS], range[2], stiffness, damping, friction, armature;
} myr_mjcf_tendon;

/* Two names: bodies that do not touch, or geoms that do. */
typedef struct myr_mjcf_contact {
    const char *first, *second;
    const myr_xml_node *node;
    int is_pair, geom[2], condim; /* of pairs, as are all that follow */
    double friction[5], margin, gap;
} myr_mjcf_contact;

typedef struct myr_mjcf_key {
    const char *name;
    const myr_xml_node *node;
    double *position; /* nq, NULL: none */
    double *control;  /* one of each actuator, likewise */
    int n;
} myr_mjcf_key;

typedef struct myr_mjcf_mesh {
    const char *name, *file, *vertex, *face; /* vertex: its points, where they stand in the XML, and face its triangles, NULL: none */
    const myr_xml_node *node;
    double scale[3], reference_position[3], reference_quaternion[4];
    myr_mesh_weighing weighing;
    double *points; /* NULL: not read yet; turned, moved and scaled */
    int n_points, weighs;
    myr_inertia weight; /* of density 1; weighs 0: it has no volume */
    double volume;      /* that its triangles hold [m^3]; negative: it has points alone */
} myr_mjcf_mesh;

/* What is read and does not act; each a line of mjcf_words.c's table. */
typedef enum {
    MYR_MJCF_LOST_MESHES,
    MYR_MJCF_LOST_CORNERS,
    MYR_MJCF_LOST_HOLLOWS,
    MYR_MJCF_LOST_MASSES,
    MYR_MJCF_LOST_SHAPES,
    MYR_MJCF_LOST_PLANES,
    MYR_MJCF_LOST_SOFTNESS,
    MYR_MJCF_LOST_TORSION,
    MYR_MJCF_LOST_MARGINS,
    MYR_MJCF_LOST_ACTUATORS,
    MYR_MJCF_LOST_TENDONS,
    MYR_MJCF_LOST_SPRINGS,
    MYR_MJCF_LOST_DAMPERS,
    MYR_MJCF_LOST_EQUALITIES,
    MYR_MJCF_LOST_PAIRS,
    MYR_MJCF_LOST_DIRECTIONS,
    MYR_MJCF_LOST_FLUID,
    MYR_MJCF_LOST_LIMITS,
    MYR_MJCF_LOST_SIDES,
    MYR_MJCF_LOST_MOCAP,
    MYR_MJCF_LOST_PLUGINS,
    MYR_MJCF_LOST_SENSORS,
    MYR_MJCF_LOST_ATTRIBUTES,
    MYR_MJCF_LOST_METHODS,
    MYR_MJCF_LOST_UNKNOWN,
    MYR_MJCF_LOST_ELLIPSOIDS,
    MYR_MJCF_LOST_FIELDS,
    MYR_MJCF_LOSSES
} myr_mjcf_loss;

#define MYR_MJCF_ARRAY(type, name)                                                                                                         \
    type *name;                                                                                                                            \
    int n_##name, name##_capacity

typedef struct myr_mjcf {
    myr_xml *xml;
    const myr_load_options *options;
    myr_texts files;              /* labels of the included ones */
    MYR_MJCF_ARRAY(char *, made); /* names of copies */
    MYR_MJCF_ARRAY(myr_mjcf_class, classes);
    MYR_MJCF_ARRAY(myr_mjcf_default, sections);
    MYR_MJCF_ARRAY(myr_mjcf_body, bodies);
    MYR_MJCF_ARRAY(myr_mjcf_joint, joints);
    MYR_MJCF_ARRAY(myr_mjcf_geom, geoms);
    MYR_MJCF_ARRAY(myr_mjcf_site, sites);
    MYR_MJCF_ARRAY(myr_mjcf_actuator, actuators);
    MYR_MJCF_ARRAY(myr_mjcf_equality, equalities);
    MYR_MJCF_ARRAY(myr_mjcf_tendon, tendons);
    MYR_MJCF_ARRAY(myr_mjcf_contact, contacts);
    MYR_MJCF_ARRAY(myr_mjcf_key, keys);
    MYR_MJCF_ARRAY(myr_mjcf_mesh, meshes);
    /* <compiler>, <option> */
    int fits_around; /* `fitaabb` */
    int keeps_kin;   /* filterparent="disable" */
    int degrees, auto_limits, balance_inertia;
    int inertia_from_geoms; /* 0 never, 1 where there is no <inertial>, 2 always */
    int inertia_groups[2];
    long visited; /* children of bodies and copies that were looked at: copies of copies cost no more than so many */
    char euler[4];
    double total_mass, least_mass, least_inertia, gravity[3], magnetic[3], timestep;
    myr_fluid fluid;
    const char *mesh_folder;
    myr_mesh_shelf shelf;
    myr_name_list lost[MYR_MJCF_LOSSES];
    const myr_xml_node *first_lost[MYR_MJCF_LOSSES];
} myr_mjcf;

/* Describe the robot of xml->root, a <mujoco>. */
myr_status myr_mjcf_read(myr_xml *xml, const myr_load_options *options, myr_builder *builder);
/* The same up to the table; the caller frees it whatever came of it. */
myr_status myr_mjcf_table(myr_mjcf *m, myr_xml *xml, const myr_load_options *options);
void myr_mjcf_free(myr_mjcf *m);

/* A copy of an item at the end of an array. */
myr_status myr_mjcf_add(const myr_mjcf *m, void **items, int *count, int *capacity, const void *item, size_t size);
#define MYR_MJCF_ADD(m, array, item)                                                                                                       \
    myr_mjcf_add(m, (void **)&(m)->array, &(m)->n_##array, &(m)->array##_capacity, &(item), sizeof *(m)->array)

/* <include> becomes what it includes (mjcf_include.c). */
myr_status myr_mjcf_include(myr_mjcf *m);
/* Attributes that do not act, or that MJCF has not (mjcf_attributes.c). */
myr_status myr_mjcf_check_attributes(myr_mjcf *m);

/* ---- classes and attributes (mjcf_defaults.c) ------------------------------------------------- */

myr_status myr_mjcf_read_defaults(myr_mjcf *m);
/* The class of an element: its own, or `nearest` of the bodies around it. */
myr_status myr_mjcf_element_of(const myr_mjcf *m, const myr_xml_node *node, int nearest, myr_mjcf_element *out);
/* The class that an attribute names; `usual` where it is absent. */
myr_status myr_mjcf_class_of(const myr_mjcf *m, const myr_xml_node *node, const char *attribute, int usual, int *out);
/* The node that has the attribute: the element's own, else that of its class, of the class above, ... NULL: none says. */
const myr_xml_node *myr_mjcf_who(const myr_mjcf *m, const myr_mjcf_element *e, const char *attribute);
const char *myr_mjcf_text(const myr_mjcf *m, const myr_mjcf_element *e, const char *attribute);
const char *myr_mjcf_name(const myr_xml_node *node); /* "" for none */
/* What is not said stays. */
myr_status myr_mjcf_numbers(const myr_mjcf *m, const myr_mjcf_element *e, const char *attribute, double *out, int count);
myr_status myr_mjcf_range(const myr_mjcf *m, const myr_mjcf_element *e, const char *attribute, double out[2]); /* may be infinite */
myr_status myr_mjcf_some_numbers(const myr_mjcf *m, const myr_mjcf_element *e, const char *attribute, double *out, int most, int *found);
myr_status myr_mjcf_integer(const myr_mjcf *m, const myr_mjcf_element *e, const char *attribute, int *out);
/* One of words separated by '|'; *out is its number. */
myr_status myr_mjcf_word(const myr_mjcf *m, const myr_mjcf_element *e, const char *attribute, const char *words, int *out);
/* false | true | auto; auto: limited where the range is not 0 0. */
myr_status myr_mjcf_limit(const myr_mjcf *m, const myr_mjcf_element *e, const char *attribute, const char *range, const double limits[2],
                          int *limited);
/* The same, and the range. */
myr_status myr_mjcf_limited(const myr_mjcf *m, const myr_mjcf_element *e, const char *attribute, const char *range, double limits[2],
                            int *limited);
/* pos, and quat, axisangle, xyaxes, zaxis or euler. */
myr_status myr_mjcf_pose(const myr_mjcf *m, const myr_mjcf_element *e, double position[3], double quaternion[4]);
/* `fromto`: the middle, the turn of z along it, and the length; of no length the turn stays. */
myr_status myr_mjcf_ends(const myr_mjcf *m, const myr_mjcf_element *e, double position[3], double quaternion[4], double *length);
/* By `eulerseq`, in the file's unit. */
void myr_mjcf_turn_euler(const myr_mjcf *m, const double angles[3], double out[4]);
/* A pose seen from where `outer` is seen from. */
void myr_mjcf_within(const myr_mjcf_frame *outer, double position[3], double quaternion[4]);
/* The shortest turn of z into a direction. */
void myr_mjcf_turn_z(const double direction[3], double quaternion[4]);

/* ---- sections --------------------------------------------------------------------------------- */

myr_status myr_mjcf_read_settings(myr_mjcf *m); /* <compiler>, <option> (mjcf_settings.c) */
myr_status myr_mjcf_read_assets(myr_mjcf *m);   /* meshes (mjcf_geoms.c) */
myr_status myr_mjcf_read_bodies(myr_mjcf *m);   /* <worldbody> (mjcf_bodies.c) */
myr_status myr_mjcf_read_geom(myr_mjcf *m, myr_mjcf_element e, int body, const myr_mjcf_frame *frame,
                              const char *name); /* (mjcf_geoms.c) */
/* A level height field of the world, not turned: the ground, where it is the first (mjcf_field.c). */
int myr_mjcf_is_ground_field(const myr_mjcf_geom *g);
/* Does a geom's mesh act? What has no such name is an error of the calls below, which read it (mjcf_mesh.c). */
int myr_mjcf_mesh_acts(const myr_mjcf *m, const myr_mjcf_geom *g);
myr_status myr_mjcf_mesh_of(myr_mjcf *m, const myr_mjcf_geom *g, const myr_mjcf_mesh **out);
/* The share of its convex hull that its triangles do not fill; 0 of points alone. */
myr_status myr_mjcf_mesh_hollow(const myr_mjcf_mesh *mesh, double *hollow);
/* Points and triangles that stand in the file (mjcf_mesh_inline.c); what was read before an error is the caller's, too. */
myr_status myr_mjcf_mesh_inline(const myr_mjcf *m, const myr_mjcf_mesh *mesh, myr_mesh *out);
/* A shape that is as large as a mesh; fitting makes it one like any other (mjcf_fit.c). */
int myr_mjcf_is_fitted(const myr_mjcf_geom *g);
myr_status myr_mjcf_fit(myr_mjcf *m, myr_mjcf_geom *g);
/* What the geom weighs, in the mesh's frame. */
myr_status myr_mjcf_mesh_inertia(myr_mjcf *m, const myr_mjcf_geom *g, myr_inertia *out);
myr_status myr_mjcf_weigh(myr_mjcf *m);                                     /* inertias from geoms (mjcf_weigh.c) */
myr_status myr_mjcf_read_actuators(myr_mjcf *m);                            /* (mjcf_actuators.c) */
int myr_mjcf_controls(const myr_mjcf *m, int actuator);                     /* numbers of those before it in `ctrl` */
myr_status myr_mjcf_lose_actuator(myr_mjcf *m, const myr_mjcf_actuator *a); /* says why */
myr_status myr_mjcf_read_dcmotor(const myr_mjcf *m, const myr_mjcf_element *e, myr_mjcf_dcmotor *d); /* goes on from what d says */
myr_status myr_mjcf_dcmotor_law(const myr_mjcf *m, const myr_mjcf_dcmotor *d, myr_mjcf_actuator *a);
int myr_mjcf_is_actuator(const myr_xml_node *node); /* (mjcf_defaults.c) */
/* Ranges of controls, once those of joints and tendons are known. */
myr_status myr_mjcf_limit_controls(myr_mjcf *m);
myr_status myr_mjcf_read_contacts(myr_mjcf *m);    /* <contact> (mjcf_contacts.c) */
myr_status myr_mjcf_read_constraints(myr_mjcf *m); /* equality, tendon, keyframe (mjcf_constraints.c) */
/* What MuJoCo derives from the mass matrix: dampers of joints and actuators (mjcf_mass.c). */
myr_status myr_mjcf_damp(myr_mjcf *m);

/* The first element of this name under the root, or the next one after `last`. */
const myr_xml_node *myr_mjcf_section(const myr_mjcf *m, const char *name, const myr_xml_node *last);

/* ---- losses (mjcf_words.c) -------------------------------------------------------------------- */

/* A loss by the name of what is lost. With strict an error. */
myr_status myr_mjcf_lose(myr_mjcf *m, myr_mjcf_loss loss, const myr_xml_node *node, const char *name);
/* Elements that are refused, and those that MJCF does not have. */
myr_status myr_mjcf_check_words(myr_mjcf *m);
/* A warning for each kind of loss. */
myr_status myr_mjcf_warn(myr_mjcf *m);

/* ---- the description (mjcf_build.c, mjcf_build_contact.c, mjcf_build_loops.c) -----------------------------------------------------------
 */

/* Where an MJCF body ended up: the builder's body, and where its frame is in that one's; turned as that is. */
typedef struct myr_mjcf_host {
    int body; /* -1: the world */
    double shift[3];
    myr_pose world; /* of the MJCF body where no joint has moved */
} myr_mjcf_host;

myr_status myr_mjcf_build(myr_mjcf *m, myr_builder *builder);
myr_status myr_mjcf_build_geoms(myr_mjcf *m, myr_builder *builder, const myr_mjcf_host *hosts);
/* May a geom touch `other` by a <pair>? What they say of friction, once the geoms are made; `floor`: the ground's geom (mjcf_contacts.c).
 */
int myr_mjcf_paired(const myr_mjcf *m, const myr_mjcf_geom *g, const myr_mjcf_geom *other);
myr_status myr_mjcf_build_pairs(myr_mjcf *m, myr_builder *builder, const myr_mjcf_geom *floor);
/* NULL: there is no such tendon. */
const myr_mjcf_tendon *myr_mjcf_find_tendon(const myr_mjcf *m, const char *name);
/* key: of the home pose, NULL: none. */
myr_status myr_mjcf_build_actuators(myr_mjcf *m, myr_builder *builder, const myr_mjcf_host *hosts, const int *links,
                                    const myr_mjcf_key *key);
myr_status myr_mjcf_build_keyframes(myr_mjcf *m, myr_builder *builder);
/* joints: the builder's body of each joint. */
myr_status myr_mjcf_build_loops(myr_mjcf *m, myr_builder *builder, const myr_mjcf_host *hosts, const int *joints);
/* A <contact> of <sensor>: its shapes; *lost: why it is left out (mjcf_sensed_contacts.c). */
myr_status myr_mjcf_find_contacts(myr_mjcf *m, const myr_mjcf_host *hosts, const myr_xml_node *node, myr_described_sensor *to,
                                  const char **lost);
/* <sensor>, of a builder that has all else; hosts: the links of bodies, links: those of joints (mjcf_sensors.c). */
myr_status myr_mjcf_build_sensors(myr_mjcf *m, myr_builder *builder, const myr_mjcf_host *hosts, const int *links);
/* Body i, seen from the world while no joint has moved; `parent`: that of its parent, not looked at for bodies of the world. */
void myr_mjcf_place(const myr_mjcf *m, int i, const myr_pose *parent, myr_pose *out);
/* By how much an actuator moves with joint k: its gear, times the joint's part of a tendon; 0: not at all. */
double myr_mjcf_moment(const myr_mjcf *m, const myr_mjcf_actuator *a, int k);
/* -1: none of this name. */
int myr_mjcf_find_body(const myr_mjcf *m, const char *name);
int myr_mjcf_find_joint(const myr_mjcf *m, const char *name);
/* The failure for one of these that there is none of. */
myr_status myr_mjcf_no_joint(const myr_mjcf *m, const myr_xml_node *node, const char *name);
int myr_mjcf_find_site(const myr_mjcf *m, const char *name);
/* A pose in MJCF body i (-1: the world) becomes one in the builder's body that it is part of, which *link receives. */
void myr_mjcf_hosted(const myr_mjcf_host *hosts, int i, const double position[3], const double quaternion[4], int *link, myr_pose *pose);
/* What a builder's call said, with the place in the file in front. */
myr_status myr_mjcf_blame(const myr_mjcf *m, const myr_xml_node *node, myr_status status);

#endif
