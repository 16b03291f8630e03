/* Rows of joints, Brüdigam 2021 (6) and (13), and the motor on a joint's coordinate. The Jacobian is by a rotation vector, 6 columns per
 * body. */
#include <math.h>
#include <string.h>

#include "maximal_parts.h"
#include "small.h"

static const pose at_world = {.q = {1, 0, 0, 0}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static void back3(const double R[9], const double x[3], double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
}

/* Where the joint is: e = anchor of the child less that of the parent, axes of the parent; rho = q_offset* q_parent* q_child. */
typedef struct placement {
    const pose *parent, *child;
    double e[3], lever[3]; /* lever: e + p_parent */
    double rho[4];
} placement;

static placement place(const maximal *m, int j, const pose *z) {
    const maximal_joint *joint = &m->joints[j];
    placement at = {.parent = joint->parent < 0 ? &at_world : &z[joint->parent], .child = &z[joint->child]};
    double anchor[3];
    mul3(at.child->R, joint->p_child, anchor);
    for (int k = 0; k < 3; k++) anchor[k] += at.child->x[k] - at.parent->x[k];
    back3(at.parent->R, anchor, at.lever);
    for (int k = 0; k < 3; k++) at.e[k] = at.lever[k] - joint->p_parent[k];
    const double *a = at.parent->q, *b = at.child->q, *o = joint->q_offset;
    const double ab[4] = {a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2],
                          a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1], a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0]};
    at.rho[0] = o[0] * ab[0] + o[1] * ab[1] + o[2] * ab[2] + o[3] * ab[3];
    at.rho[1] = o[0] * ab[1] - o[1] * ab[0] - o[2] * ab[3] + o[3] * ab[2];
    at.rho[2] = o[0] * ab[2] + o[1] * ab[3] - o[2] * ab[0] - o[3] * ab[1];
    at.rho[3] = o[0] * ab[3] - o[1] * ab[2] + o[2] * ab[1] - o[3] * ab[0];
    return at;
}

/* a.e, with `a` in axes of the parent. */
static void translation_row(const maximal_joint *joint, const placement *at, const double a[3], joint_row *row) {
    double along[3], in_child[3];
    mul3(at->parent->R, a, along);
    back3(at->child->R, along, in_child);
    row->value = dot(a, at->e);
    for (int k = 0; k < 3; k++) row->child[k] = along[k], row->parent[k] = -along[k];
    cross(joint->p_child, in_child, row->child + 3);
    cross(a, at->lever, row->parent + 3);
}

/* 2 c.Vec(rho), with `c` in axes of the child. */
static void turn_row(const joint_axes *axes, const placement *at, const double c[3], joint_row *row) {
    const double *v = at->rho + 1;
    double turned[3], in_parent[3];
    cross(c, v, turned);
    row->value = 2 * dot(c, v);
    double left[3];
    for (int k = 0; k < 3; k++) {
        row->child[k] = row->parent[k] = 0;
        row->child[3 + k] = at->rho[0] * c[k] + turned[k];
        left[k] = at->rho[0] * c[k] - turned[k];
    }
    mul3(axes->offset, left, in_parent);
    for (int k = 0; k < 3; k++) row->parent[3 + k] = -in_parent[k];
}

/* The angle 2 atan2(u.Vec(rho), rho_w) of a hinge about its axis u. */
static void angle_row(const joint_axes *axes, const placement *at, joint_row *row) {
    const double *u = axes->child[2], *v = at->rho + 1, w = at->rho[0], along = dot(u, v), square = w * w + along * along;
    double turned[3], left[3], in_parent[3];
    cross(u, v, turned);
    row->value = 2 * atan2(along, w);
    for (int k = 0; k < 3; k++) {
        row->child[k] = row->parent[k] = 0;
        row->child[3 + k] = (w * (w * u[k] + turned[k]) + along * v[k]) / square;
        left[k] = (w * (w * u[k] - turned[k]) + along * v[k]) / square;
    }
    mul3(axes->offset, left, in_parent);
    for (int k = 0; k < 3; k++) row->parent[3 + k] = -in_parent[k];
}

int joint_size(const maximal_joint *joint) {
    static const int sizes[] = {
        [MAXIMAL_FIXED] = 6, [MAXIMAL_BALL] = 3, [MAXIMAL_REVOLUTE] = 5, [MAXIMAL_PRISMATIC] = 5, [MAXIMAL_PIN2] = 2};
    return sizes[joint->kind] + (joint->driven != 0);
}

int joint_rows(const maximal *m, int j, const pose *z, joint_row rows[6]) {
    static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const maximal_joint *joint = &m->joints[j];
    const joint_axes *axes = &m->work->across[j];
    const placement at = place(m, j, z);
    const int across = joint->kind == MAXIMAL_PRISMATIC || joint->kind == MAXIMAL_PIN2;
    const int turns = joint->kind == MAXIMAL_REVOLUTE ? 2 : joint->kind == MAXIMAL_FIXED || joint->kind == MAXIMAL_PRISMATIC ? 3 : 0;
    int n = 0;
    for (int k = 0; k < (across ? 2 : 3); k++) translation_row(joint, &at, across ? axes->parent[k] : unit[k], &rows[n++]);
    for (int k = 0; k < turns; k++) turn_row(axes, &at, turns == 2 ? axes->child[k] : unit[k], &rows[n++]);
    return n;
}

void joint_coordinate(const maximal *m, int j, const pose *z, joint_row *row) {
    const placement at = place(m, j, z);
    if (m->joints[j].kind == MAXIMAL_PRISMATIC)
        translation_row(&m->joints[j], &at, m->work->across[j].parent[2], row);
    else
        angle_row(&m->work->across[j], &at, row);
}

/* Of the turns that are the same for an angle, the one that is nearest to another. */
static double nearest(const maximal_joint *joint, double value, double to) {
    return joint->kind == MAXIMAL_PRISMATIC ? value : to + remainder(value - to, 2 * acos(-1.0));
}

void maximal_coordinate(const maximal *m, int j, double *value, double *rate) {
    const maximal_joint *joint = &m->joints[j];
    pose *z = m->work->trial.z3;
    const int both[2] = {joint->parent, joint->child};
    joint_row row;
    double before;
    for (int k = 0; k < 2; k++) { /* the pose that dt v and dt w have led from */
        if (both[k] < 0) continue;
        const maximal_body *b = &m->bodies[both[k]];
        pose now;
        const double velocity[6] = {b->v[0], b->v[1], b->v[2], b->w[0], b->w[1], b->w[2]};
        pose_of_body(b, &now);
        if (!pose_after(&now, velocity, -m->dt, &z[both[k]])) z[both[k]] = now;
    }
    joint_coordinate(m, j, z, &row);
    before = row.value;
    for (int k = 0; k < 2; k++)
        if (both[k] >= 0) pose_of_body(&m->bodies[both[k]], &z[both[k]]);
    joint_coordinate(m, j, z, &row);
    *value = nearest(joint, row.value, 0);
    *rate = (*value - nearest(joint, before, *value)) / m->dt;
}

double joint_motor_residual(const maximal *m, int j, double value3, double impulse) {
    const maximal_motor *motor = &m->joints[j].motor;
    const double value2 = m->work->coordinate2[j][0], rate2 = m->work->coordinate2[j][1];
    const double value = nearest(&m->joints[j], value3, value2), rate = (value - value2) / m->dt;
    return m->dt * (motor->effort + motor->kp * (motor->target - value) - (motor->kd + motor->damping) * rate) -
           motor->armature * (rate - rate2) - impulse;
}

double joint_motor_slope(const maximal *m, int j) {
    const maximal_motor *motor = &m->joints[j].motor;
    return -(m->dt * m->dt * motor->kp + m->dt * (motor->kd + motor->damping) + motor->armature);
}
