#include "frames.h"

#include <math.h>
#include <string.h>

#include "base/rotation.h"

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

void myr_body_motion_rotation(myr_body_motion *motion) {
    double *p = motion->quaternion;
    const double n = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int k = 0; k < 4; k++) p[k] /= n;
    myr_rotation_from_quaternion(motion->rotation, p);
}

/* Quaternion of a rotation matrix, from its largest component so that nothing cancels. */
static void rotation_quaternion(const double R[9], double q[4]) {
    const double square[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8], 1 - R[0] - R[4] + R[8]};
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (square[i] > square[k]) k = i;
    const double a = sqrt(square[k]), b = 0.5 / a;
    const double x = R[7] - R[5], y = R[2] - R[6], z = R[3] - R[1]; /* 4 w times the vector part */
    const double xy = R[1] + R[3], xz = R[2] + R[6], yz = R[5] + R[7];
    const double quaternions[4][4] = {{0.5 * a, b * x, b * y, b * z},
                                      {b * x, 0.5 * a, b * xy, b * xz},
                                      {b * y, b * xy, 0.5 * a, b * yz},
                                      {b * z, b * xz, b * yz, 0.5 * a}};
    memcpy(q, quaternions[k], sizeof quaternions[k]);
}

static void quaternion_product(const double a[4], const double b[4], double out[4]) {
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* What the joint of `body` does to a point that hangs on it: columns of its dofs. */
static void joint_columns(const myr_model *model, const myr_body_motion *bodies, int body, const double point[3], double *jacobian) {
    const myr_body *b = &model->bodies[body];
    const double *R = bodies[body].rotation;
    const int nv = model->nv;
    const double arm[3] = {point[0] - bodies[body].position[0], point[1] - bodies[body].position[1], point[2] - bodies[body].position[2]};
    double axis[3], column[3];
    if (b->joint == MYR_JOINT_FREE)
        for (int k = 0; k < 3; k++) jacobian[k * nv + b->v + k] = 1; /* world axes */
    if (b->joint == MYR_JOINT_FREE || b->joint == MYR_JOINT_BALL) {  /* three rates in body axes */
        const int dof = b->joint == MYR_JOINT_FREE ? b->v + 3 : b->v;
        for (int k = 0; k < 3; k++) {
            for (int r = 0; r < 3; r++) axis[r] = R[3 * r + k];
            cross(axis, arm, column);
            for (int r = 0; r < 3; r++) jacobian[r * nv + dof + k] = column[r];
        }
        return;
    }
    myr_rotate(axis, R, b->axis_user); /* the joint's motion leaves its axis where it is */
    cross(axis, arm, column);
    for (int r = 0; r < 3; r++) jacobian[r * nv + b->v] = b->joint == MYR_JOINT_REVOLUTE ? column[r] : axis[r];
}

void myr_frame_motion(const myr_model *model, const myr_body_motion *bodies, int frame, double *position, double *quaternion,
                      double *velocity, double *jacobian) {
    const myr_frame *f = &model->frames[frame];
    double own[4];
    rotation_quaternion(f->rotation, own);
    if (velocity) memset(velocity, 0, 6 * sizeof(double));
    if (jacobian) memset(jacobian, 0, 3 * (size_t)model->nv * sizeof(double));
    if (f->body < 0) {
        if (position) memcpy(position, f->position, sizeof f->position);
        if (quaternion) memcpy(quaternion, own, sizeof own);
        return;
    }
    const myr_body_motion *body = &bodies[f->body];
    double arm[3], point[3], spin[3];
    myr_rotate(arm, body->rotation, f->position);
    for (int k = 0; k < 3; k++) point[k] = body->position[k] + arm[k];
    if (position) memcpy(position, point, sizeof point);
    if (quaternion) quaternion_product(body->quaternion, own, quaternion);
    if (velocity) {
        cross(body->angular, arm, spin);
        for (int k = 0; k < 3; k++) {
            velocity[k] = body->linear[k] + spin[k];
            velocity[3 + k] = body->angular[k];
        }
    }
    if (jacobian)
        for (int i = f->body; i >= 0; i = model->bodies[i].parent) joint_columns(model, bodies, i, point, jacobian);
}
