/* Vectors and rotations of three dimensions, in double, for loading. Matrices are row-major; a rotation matrix R
 * takes components in its own frame to components in the frame outside: x_out = R x. */
#ifndef MYR_BASE_ROTATION_H
#define MYR_BASE_ROTATION_H

#include <math.h>
#include <string.h>

static inline double myr_dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void myr_copy3(double out[3], const double a[3]) { memcpy(out, a, 3 * sizeof *a); }

static inline void myr_identity3(double out[9]) {
    memset(out, 0, 9 * sizeof *out);
    out[0] = out[4] = out[8] = 1.0;
}

/* out = a x b; out may be a or b */
static inline void myr_cross3(double out[3], const double a[3], const double b[3]) {
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    out[0] = x, out[1] = y, out[2] = z;
}

/* out = R a; out may be a */
static inline void myr_rotate(double out[3], const double R[9], const double a[3]) {
    const double x = myr_dot3(R, a), y = myr_dot3(R + 3, a), z = myr_dot3(R + 6, a);
    out[0] = x, out[1] = y, out[2] = z;
}

/* out = A B; out may be A or B */
static inline void myr_multiply3(double out[9], const double A[9], const double B[9]) {
    double product[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) product[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
    memcpy(out, product, sizeof product);
}

static inline void myr_transpose3(double out[9], const double A[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[3 * i + j] = A[3 * j + i];
}

/* Pose of a frame seen from outside: x_out = position + rotation x. */
typedef struct myr_pose {
    double position[3], rotation[9];
} myr_pose;

static inline myr_pose myr_pose_identity(void) {
    myr_pose pose = {{0.0, 0.0, 0.0}, {0.0}};
    myr_identity3(pose.rotation);
    return pose;
}

/* inner seen from where outer is seen from */
static inline myr_pose myr_pose_compose(const myr_pose *outer, const myr_pose *inner) {
    myr_pose pose;
    myr_rotate(pose.position, outer->rotation, inner->position);
    for (int k = 0; k < 3; k++) pose.position[k] += outer->position[k];
    myr_multiply3(pose.rotation, outer->rotation, inner->rotation);
    return pose;
}

/* From a unit quaternion w x y z. */
static inline void myr_rotation_from_quaternion(double R[9], const double q[4]) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    R[0] = 1.0 - 2.0 * (y * y + z * z), R[1] = 2.0 * (x * y - w * z), R[2] = 2.0 * (x * z + w * y);
    R[3] = 2.0 * (x * y + w * z), R[4] = 1.0 - 2.0 * (x * x + z * z), R[5] = 2.0 * (y * z - w * x);
    R[6] = 2.0 * (x * z - w * y), R[7] = 2.0 * (y * z + w * x), R[8] = 1.0 - 2.0 * (x * x + y * y);
}

/* The unit quaternion w x y z of a rotation matrix, by its largest component, which is positive. */
static inline void myr_quaternion_from_rotation(double q[4], const double R[9]) {
    const double trace = R[0] + R[4] + R[8];
    const double square[4] = {1.0 + trace, 1.0 + 2.0 * R[0] - trace, 1.0 + 2.0 * R[4] - trace, 1.0 + 2.0 * R[8] - trace};
    const double across[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]}; /* 4 w x, 4 w y, 4 w z */
    const double along[3] = {R[5] + R[7], R[2] + R[6], R[1] + R[3]};  /* 4 y z, 4 x z, 4 x y */
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (square[i] > square[k]) k = i;
    const double largest = 0.5 * sqrt(square[k]), factor = 0.25 / largest;
    for (int i = 0; i < 4; i++) {
        if (i == k)
            q[i] = largest;
        else if (i == 0 || k == 0)
            q[i] = across[(i + k) - 1] * factor;
        else
            q[i] = along[6 - i - k - 1] * factor;
    }
}

#endif
