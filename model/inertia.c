#include "inertia.h"

#include <math.h>

static void unpack(double I[9], const double six[6]) {
    I[0] = six[0], I[4] = six[1], I[8] = six[2];
    I[1] = I[3] = six[3], I[2] = I[6] = six[4], I[5] = I[7] = six[5];
}

static void pack(double six[6], const double I[9]) {
    six[0] = I[0], six[1] = I[4], six[2] = I[8];
    six[3] = I[1], six[4] = I[2], six[5] = I[5];
}

myr_inertia myr_inertia_move(const myr_inertia *body, const myr_pose *pose) {
    myr_inertia moved = {.mass = body->mass};
    myr_rotate(moved.com, pose->rotation, body->com);
    for (int k = 0; k < 3; k++) moved.com[k] += pose->position[k];
    double I[9], back[9];
    unpack(I, body->about_com);
    myr_transpose3(back, pose->rotation);
    myr_multiply3(I, pose->rotation, I);
    myr_multiply3(I, I, back);
    pack(moved.about_com, I);
    return moved;
}

static int is_nothing(const myr_inertia *body) {
    int nothing = body->mass == 0.0;
    for (int k = 0; k < 6; k++) nothing = nothing && body->about_com[k] == 0.0;
    return nothing;
}

myr_inertia myr_inertia_add(const myr_inertia *a, const myr_inertia *b) {
    if (is_nothing(b)) return *a;
    if (is_nothing(a)) return *b;
    myr_inertia sum = {.mass = a->mass + b->mass};
    const double share = sum.mass > 0.0 ? b->mass / sum.mass : 0.0, reduced = a->mass * share;
    double d[3];
    for (int k = 0; k < 3; k++) {
        d[k] = b->com[k] - a->com[k];
        sum.com[k] = a->com[k] + share * d[k];
    }
    const double square = myr_dot3(d, d);
    for (int k = 0; k < 3; k++) sum.about_com[k] = a->about_com[k] + b->about_com[k] + reduced * (square - d[k] * d[k]);
    sum.about_com[3] = a->about_com[3] + b->about_com[3] - reduced * d[0] * d[1];
    sum.about_com[4] = a->about_com[4] + b->about_com[4] - reduced * d[0] * d[2];
    sum.about_com[5] = a->about_com[5] + b->about_com[5] - reduced * d[1] * d[2];
    return sum;
}

void myr_inertia_about_point(const myr_inertia *body, const double point[3], double six[6]) {
    const double d[3] = {body->com[0] - point[0], body->com[1] - point[1], body->com[2] - point[2]};
    const double square = myr_dot3(d, d);
    for (int k = 0; k < 3; k++) six[k] = body->about_com[k] + body->mass * (square - d[k] * d[k]);
    six[3] = body->about_com[3] - body->mass * d[0] * d[1];
    six[4] = body->about_com[4] - body->mass * d[0] * d[2];
    six[5] = body->about_com[5] - body->mass * d[1] * d[2];
}

/* Jacobi's rotations: three by three, a handful of sweeps reach rounding level. A becomes diagonal, V A V' is what it was. */
static void diagonalize(double A[9], double V[9]) {
    myr_identity3(V);
    for (int sweep = 0; sweep < 30; sweep++) {
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                if (A[3 * p + q] == 0.0) continue;
                const double theta = (A[4 * q] - A[4 * p]) / (2.0 * A[3 * p + q]);
                const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
                const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                double J[9], back[9];
                myr_identity3(J);
                J[4 * p] = J[4 * q] = c, J[3 * p + q] = s, J[3 * q + p] = -s;
                myr_transpose3(back, J);
                myr_multiply3(A, A, J);
                myr_multiply3(A, back, A);
                myr_multiply3(V, V, J);
                A[3 * p + q] = A[3 * q + p] = 0.0;
            }
        }
    }
}

void myr_inertia_principal(const double about_com[6], double moments[3]) {
    double A[9], V[9];
    unpack(A, about_com);
    diagonalize(A, V);
    for (int k = 0; k < 3; k++) moments[k] = A[4 * k];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2 - i; k++)
            if (moments[k] > moments[k + 1]) {
                const double larger = moments[k];
                moments[k] = moments[k + 1], moments[k + 1] = larger;
            }
}

void myr_inertia_axes(const double about_com[6], double moments[3], double axes[9]) {
    double A[9], V[9], across[3];
    int order[3] = {0, 1, 2};
    unpack(A, about_com);
    const double rounding = 1e-12 * (fabs(A[0]) + fabs(A[4]) + fabs(A[8]));
    for (int k = 0; k < 9; k++) /* of a cube rounding alone would turn the axes */
        if (k % 4 && fabs(A[k]) < rounding) A[k] = 0.0;
    diagonalize(A, V);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2 - i; k++)
            if (A[4 * order[k]] + rounding < A[4 * order[k + 1]]) {
                const int lesser = order[k];
                order[k] = order[k + 1], order[k + 1] = lesser;
            }
    double axis[3][3];
    for (int k = 0; k < 3; k++) {
        moments[k] = A[4 * order[k]];
        for (int i = 0; i < 3; i++) axis[k][i] = V[3 * i + order[k]];
    }
    myr_cross3(across, axis[0], axis[1]);
    const double hand = myr_dot3(across, axis[2]) < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 3; i++) axes[3 * i] = axis[0][i], axes[3 * i + 1] = axis[1][i], axes[3 * i + 2] = hand * axis[2][i];
}

void myr_inertia_turn(const double moments[3], const double axes[9], double about_com[6]) {
    double I[9] = {moments[0], 0.0, 0.0, 0.0, moments[1], 0.0, 0.0, 0.0, moments[2]}, back[9];
    myr_transpose3(back, axes);
    myr_multiply3(I, axes, I);
    myr_multiply3(I, I, back);
    pack(about_com, I);
}
