/* Inside of the reference in maximal coordinates: what its files share, and what its tests look into. */
#ifndef MYR_TESTS_REFERENCE_MAXIMAL_PARTS_H
#define MYR_TESTS_REFERENCE_MAXIMAL_PARTS_H

#include "maximal.h"

typedef struct pose {
    double x[3], q[4], R[9];
} pose;

/* One scalar row of a joint: its value, and its derivative by translation (world axes) and rotation vector (body axes) of both bodies. */
typedef struct joint_row {
    double value, parent[6], child[6];
} joint_row;

/* Two unit vectors across a joint's axis and the axis, in axes of the child, and seen from the parent where the coordinate is 0. */
typedef struct joint_axes {
    double child[3][3], parent[3][3], offset[9]; /* q_offset as a matrix */
} joint_axes;

/* The unknowns of a contact, or a direction in them: gamma with the slack s of its distance, and the pair of friction.
 *   LINEAR  a = (beta_0..3, psi), b = (eta_0..3, s_psi): a_i b_i = mu, Brüdigam 2021 (26g, h)
 *   SOC     a = (b0, bx, by), b = (t0, tx, ty) on the cone: their Jordan product is (mu, 0, 0) */
typedef struct contact_unknown {
    double gamma, s, a[5], b[5];
} contact_unknown;

/* Residuals of a contact. Products are kept without mu, which is taken off where they are used. */
typedef struct contact_residual {
    double distance, distance_product;
    double linear[5]; /* LINEAR: (26c) four times, (26d). SOC: b0 = mu gamma, tx, ty */
    double product[5];
} contact_residual;

typedef struct contact_constants {
    double C[3][6]; /* rows of the triad at z2: how an impulse acts, and what v_T is of (v, w) */
    double V[3][6]; /* derivative of (v_T, phi(z3)/dt) by (v, w) at the present iterate */
} contact_constants;

/* A point of Newton's method, and all that is computed of it. */
typedef struct iterate {
    double (*body)[6];  /* v, w */
    double (*joint)[6]; /* multipliers */
    contact_unknown *contact;
    pose *z3;
    double (*body_residual)[6], (*joint_residual)[6];
    contact_residual *contact_residual;
    double squares; /* sum of squares of all residuals but the products */
} iterate;

/* A node of the graph of (25) in the order of elimination. `later` are the nodes it is connected to and that leave after it. */
typedef struct ldu_node {
    int size, body, joint; /* body or joint: -1 where it is the other */
    int droppable;         /* joints that close a loop: rows that say the same twice are left out of the pivot */
    int first, count;      /* its edges */
    double pivot[36];      /* rows of 6, then its factor */
    double inverse[6];     /* of the factor's diagonal */
    int row_of[6], column_of[6], rank;
} ldu_node;

typedef struct ldu_edge {
    int node;                    /* the later one */
    int fill;                    /* 1: not in the matrix */
    double upper[36], lower[36]; /* F(this, later), F(later, this): rows of 6 */
} ldu_edge;

typedef struct ldu {
    int n_nodes, n_edges, fill_ins;
    ldu_node *nodes;
    ldu_edge *edges;
    int *of_body, *of_joint;
} ldu;

struct maximal_workspace {
    ldu factor;
    iterate now, trial;
    double (*body_step)[6], (*joint_step)[6];
    contact_unknown *contact_step;
    contact_constants *contacts;
    pose *z2;
    double (*turn)[9];        /* of each body: derivative of the rotation of z3 (body axes) by dt w */
    double (*before)[6];      /* m v1 + dt (m g + f), pi-(w1) + dt tau: what a body brings into the interval */
    joint_row (*rows2)[6];    /* at z2: how multipliers act */
    double (*coordinate2)[2]; /* of a driven joint at z2: coordinate and rate of the last interval */
    joint_axes *across;
    double *rhs; /* 6 per node */
    void *memory[32];
    int n_memory;
};

/* maximal.c */
void pose_of_body(const maximal_body *body, pose *z);
int pose_after(const pose *z2, const double velocity[6], double dt, pose *z3); /* (9); 0 where |w| >= 2/dt */
void interval_momenta(const double inertia[9], const double w[3], double dt, double at_start[3], double at_end[3]);

/* maximal_joints.c */
int joint_size(const maximal_joint *joint);
int joint_rows(const maximal *m, int joint, const pose *z, joint_row rows[6]); /* without the motor's; their number */
void joint_coordinate(const maximal *m, int joint, const pose *z, joint_row *row);
double joint_motor_residual(const maximal *m, int joint, double value3, double impulse); /* its row, after those of (26b) */
double joint_motor_slope(const maximal *m, int joint);                                   /* of it by dt dcoordinate/dt */

/* maximal_contacts.c */
void contact_begin(const maximal *m, int contact);
void contact_at(const maximal *m, int contact, const pose *z3, const double turn[9]);
contact_unknown contact_start(const maximal *m, int contact);
void contact_impulse(const maximal *m, int contact, const contact_unknown *u, double impulse[3]);
contact_residual contact_law(const maximal *m, int contact, const contact_unknown *u, const double velocity[3], double *squares);
double contact_products(const maximal *m, int contact, const contact_residual *r, double mu); /* sum of squares */
void contact_stiffness(const maximal *m, int contact, const contact_unknown *u, double K[9]);
contact_unknown contact_direction(const maximal *m, int contact, const contact_unknown *u, const contact_residual *r, double mu,
                                  const double velocity_step[3]);
double contact_room(const maximal *m, int contact, const contact_unknown *u, const contact_unknown *step); /* largest step inside */
int contact_inside(const maximal *m, int contact, const contact_unknown *u);

/* maximal_ldu.c */
int ldu_open(ldu *f, const maximal *m);
void ldu_close(ldu *f);
ldu_edge *ldu_between(ldu *f, int node, int later); /* NULL where there is none */
int ldu_factor(ldu *f);                             /* 0 where a pivot is singular */
void ldu_solve(const ldu *f, double *rhs);          /* 6 numbers per node, 0 where it has fewer */

/* maximal_step.c */
void maximal_begin(maximal *m);
int maximal_residual(const maximal *m, iterate *at); /* 0 outside of the domain or not finite */
double maximal_norm(const maximal *m, const iterate *at, double mu);
void maximal_blocks(maximal *m, double mu);   /* F and -r of (25) at work->now, contacts eliminated, into work->factor and work->rhs */
int maximal_direction(maximal *m, double mu); /* of Newton into work->*_step */

#endif
