#include "inertial.h"

/* In aligned axes with centre of mass c, mass m and inertia I about c, the rows hold
 *     m,  h = m c,  I_o = I + m (|c|^2 1 - c c')
 * because these are linear in everything the dynamics stage sums up. Below, S(c) = |c|^2 1 - c c' as xx yy zz xy xz yz. */
enum { XX, YY, ZZ, XY, XZ, YZ };

static void steiner(const double c[3], double S[6]) {
    S[XX] = c[1] * c[1] + c[2] * c[2];
    S[YY] = c[0] * c[0] + c[2] * c[2];
    S[ZZ] = c[0] * c[0] + c[1] * c[1];
    S[XY] = -c[0] * c[1];
    S[XZ] = -c[0] * c[2];
    S[YZ] = -c[1] * c[2];
}

/* y = R x, or R' x. */
static void turn(const double R[9], int transposed, const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++) {
        y[i] = 0;
        for (int j = 0; j < 3; j++) y[i] += (transposed ? R[3 * j + i] : R[3 * i + j]) * x[j];
    }
}

/* out = R in R', or R' in R, for symmetric matrices. */
static void turn_inertia(const double R[9], int transposed, const double in[6], double out[6]) {
    const double full[9] = {in[XX], in[XY], in[XZ], in[XY], in[YY], in[YZ], in[XZ], in[YZ], in[ZZ]};
    double half[9], done[9];
    for (int j = 0; j < 3; j++) { /* the columns, then the rows */
        const double column[3] = {full[j], full[3 + j], full[6 + j]};
        double turned[3];
        turn(R, transposed, column, turned);
        for (int i = 0; i < 3; i++) half[3 * i + j] = turned[i];
    }
    for (int i = 0; i < 3; i++) turn(R, transposed, half + 3 * i, done + 3 * i);
    out[XX] = done[0];
    out[YY] = done[4];
    out[ZZ] = done[8];
    out[XY] = done[1];
    out[XZ] = done[2];
    out[YZ] = done[5];
}

/* Centre of mass in aligned axes. A body without mass has none: its origin stands for it. */
static void aligned_com(const double rows[MYR_INERTIAL_ROWS], double c[3]) {
    for (int k = 0; k < 3; k++) c[k] = rows[0] != 0 ? rows[1 + k] / rows[0] : 0;
}

void myr_inertial_pack(const myr_body *body, double mass, const double com[3], const double inertia[6], double rows[MYR_INERTIAL_ROWS]) {
    double c[3], S[6], I[6];
    turn(body->align, 0, com, c);
    turn_inertia(body->align, 0, inertia, I);
    steiner(c, S);
    rows[0] = mass;
    for (int k = 0; k < 3; k++) rows[1 + k] = mass * c[k];
    for (int k = 0; k < 6; k++) rows[4 + k] = I[k] + mass * S[k];
}

double myr_inertial_mass(const double rows[MYR_INERTIAL_ROWS]) { return rows[0]; }

void myr_inertial_com(const myr_body *body, const double rows[MYR_INERTIAL_ROWS], double com[3]) {
    double c[3];
    aligned_com(rows, c);
    turn(body->align, 1, c, com);
}

void myr_inertial_inertia(const myr_body *body, const double rows[MYR_INERTIAL_ROWS], double inertia[6]) {
    double c[3], S[6], I[6];
    aligned_com(rows, c);
    steiner(c, S);
    for (int k = 0; k < 6; k++) I[k] = rows[4 + k] - rows[0] * S[k];
    turn_inertia(body->align, 1, I, inertia);
}

void myr_inertial_set_mass(double mass, double rows[MYR_INERTIAL_ROWS]) {
    double c[3], S[6];
    aligned_com(rows, c);
    steiner(c, S);
    /* by the difference: taking the old m S off and putting the new one on would round twice */
    for (int k = 0; k < 6; k++) rows[4 + k] += (mass - rows[0]) * S[k];
    for (int k = 0; k < 3; k++) rows[1 + k] = mass * c[k];
    rows[0] = mass;
}

void myr_inertial_set_com(const myr_body *body, const double com[3], double rows[MYR_INERTIAL_ROWS]) {
    double old[3], c[3], before[6], after[6];
    aligned_com(rows, old);
    turn(body->align, 0, com, c);
    steiner(old, before);
    steiner(c, after);
    for (int k = 0; k < 6; k++) rows[4 + k] += rows[0] * (after[k] - before[k]);
    for (int k = 0; k < 3; k++) rows[1 + k] = rows[0] * c[k];
}

void myr_inertial_set_inertia(const myr_body *body, const double inertia[6], double rows[MYR_INERTIAL_ROWS]) {
    double c[3], S[6], I[6];
    aligned_com(rows, c);
    steiner(c, S);
    turn_inertia(body->align, 0, inertia, I);
    for (int k = 0; k < 6; k++) rows[4 + k] = I[k] + rows[0] * S[k];
}

/* e^x of -1 .. 1 to some roundings. libm's would not have the same bits on every machine. */
static double exponential(double x) {
    double term = 1, sum = 1;
    for (int k = 1; k < 20; k++) term *= x / k, sum += term;
    return sum;
}

void myr_inertial_change(const myr_body *body, const double change[MYR_PSEUDO_CHANGES], double rows[MYR_INERTIAL_ROWS]) {
    const double a = exponential(change[0]), *d = change + 1, *s = change + 4, *t = change + 7;
    const double U[4][4] = {{a * exponential(d[0]), a * s[0], a * s[2], a * t[0]},
                            {0, a * exponential(d[1]), a * s[1], a * t[1]},
                            {0, 0, a * exponential(d[2]), a * t[2]},
                            {0, 0, 0, a}};
    double c[3], I[6], S[6], half[4][4], P[4][4] = {0};
    myr_inertial_com(body, rows, c);
    myr_inertial_inertia(body, rows, I);
    steiner(c, S);
    for (int k = 0; k < 6; k++) I[k] += rows[0] * S[k];
    for (int i = 0; i < 3; i++) {
        P[i][i] = (I[XX] + I[YY] + I[ZZ]) / 2 - I[i];
        P[i][3] = P[3][i] = rows[0] * c[i];
    }
    P[0][1] = P[1][0] = -I[XY], P[0][2] = P[2][0] = -I[XZ], P[1][2] = P[2][1] = -I[YZ], P[3][3] = rows[0];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            half[i][j] = 0;
            for (int k = i; k < 4; k++) half[i][j] += U[i][k] * P[k][j];
        }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            P[i][j] = 0;
            for (int k = j; k < 4; k++) P[i][j] += half[i][k] * U[j][k];
        }
    const double mass = P[3][3], trace = P[0][0] + P[1][1] + P[2][2];
    for (int i = 0; i < 3; i++) c[i] = mass != 0 ? P[i][3] / mass : 0;
    steiner(c, S);
    for (int i = 0; i < 3; i++) I[i] = trace - P[i][i] - mass * S[i];
    I[XY] = -P[0][1] - mass * S[XY], I[XZ] = -P[0][2] - mass * S[XZ], I[YZ] = -P[1][2] - mass * S[YZ];
    myr_inertial_pack(body, mass, c, I, rows);
}
