/* Rigid bodies in maximal coordinates the way Brüdigam 2021 prints it: every body has its own position and quaternion, joints are
 * equations of position, contacts are hard at position level, and an interior point solves all of it by Newton's method with a sparse
 * factor in depth-first order. Scalar double, one mechanism at a time: the truth that lanes are compared with, and the program of the
 * paper's figures. It shares nothing with the library.
 *
 * A state is (z2, z1dot): where the bodies are, and the velocity that brought them there. A step ends in (z3, z2dot). SI units. Quaternions
 * are (w x y z), body to world; w is in body axes; positions are those of the centres of mass. Index -1 is the world.
 *
 * Where the print is wrong or silent, the code says what it takes instead. */
#ifndef MYR_TESTS_REFERENCE_MAXIMAL_H
#define MYR_TESTS_REFERENCE_MAXIMAL_H

typedef struct maximal_body {
    double mass, inertia[9]; /* about the centre of mass, body axes, row-major */
    double x[3], q[4], v[3], w[3];
    double force[3], torque[3]; /* from outside, during every step until changed: world axes [N]; body axes at z2 [N m] */
} maximal_body;

typedef enum maximal_kind {
    MAXIMAL_FIXED,     /* 3 translations, 3 turns */
    MAXIMAL_BALL,      /* 3 translations */
    MAXIMAL_REVOLUTE,  /* 3 translations, 2 turns across the axis */
    MAXIMAL_PRISMATIC, /* 2 translations across the axis, 3 turns */
    MAXIMAL_PIN2       /* 2 translations across the axis: closes planar loops without rows that say the same twice */
} maximal_kind;

/* What drives the coordinate of a hinge or slider [rad or m]. All but `effort` act on the coordinate at z3, implicitly. */
typedef struct maximal_motor {
    double kp, kd, damping, armature, target, effort;
} maximal_motor;

typedef struct maximal_joint {
    maximal_kind kind;
    int parent, child;
    double p_parent[3], p_child[3]; /* anchor, from each centre of mass in its body's axes */
    double axis[3];                 /* unit, axes of the child */
    double q_offset[4];             /* q_child = q_parent q_offset where the coordinate is 0 */
    int driven;                     /* 1: a hinge's or slider's coordinate has `motor`, as one more row */
    maximal_motor motor;
    double impulse[6]; /* multipliers of the last step in the order of the rows, the motor's last [N s, N m s] */
} maximal_joint;

/* A sphere about a point of a body meets the ground z = 0. */
typedef struct maximal_contact {
    int body;
    double p[3], radius, mu;
    double impulse[3]; /* (x, y, normal) of the last step [N s] */
    double distance;   /* phi(z3) of the last step [m] */
} maximal_contact;

/* LINEAR is the diamond |x| + |y| <= mu n of Brüdigam 2021 (3), SOC the cone itself. */
typedef enum maximal_cone { MAXIMAL_NONE, MAXIMAL_LINEAR, MAXIMAL_SOC } maximal_cone;

typedef struct maximal_workspace maximal_workspace;

/* Everything here may be read and changed between steps, except which bodies a joint or contact holds, its kind and `driven`. */
typedef struct maximal {
    double dt, gravity[3];
    maximal_cone cone;
    int n_bodies, n_joints, n_contacts;
    maximal_body *bodies;
    maximal_joint *joints;
    maximal_contact *contacts;
    int blocks, fill_ins; /* of the factor: all, and those that the matrix does not have (0 for trees) */
    maximal_workspace *work;
} maximal;

/* iterations of Newton's method, and the norm of what is left of (24); INFINITY and nothing moved where |w| >= 2/dt or a number is not
 * finite. */
typedef struct maximal_end {
    int iterations;
    double residual;
} maximal_end;

/* Copies the arrays and orders the graph. NULL when out of memory or an index does not exist. Defaults: dt 1 ms, gravity -9.81 m/s^2,
 * LINEAR. */
maximal *maximal_open(int n_bodies, const maximal_body *bodies, int n_joints, const maximal_joint *joints, int n_contacts,
                      const maximal_contact *contacts);
void maximal_close(maximal *m);

/* One step, allocating nothing. A step that ends above the tolerance has taken its last iterate: the caller decides. */
maximal_end maximal_step(maximal *m, double tolerance);

/* Kinetic energy of (v, w) and potential energy of z2 [J]. */
double maximal_energy(const maximal *m);

/* Largest violation of a joint at z2 [m or rad]. */
double maximal_gap(const maximal *m);

/* Coordinate and rate of a hinge or slider at the beginning of the next step, the rate being that of the last interval. */
void maximal_coordinate(const maximal *m, int joint, double *value, double *rate);

#endif
