/* Contacts of Brüdigam 2021 (26c) to (26i): what is left of their law, and how they leave Newton's system. Each contact touches one body
 * alone, so its unknowns are eliminated into that body's block as a 3 x 3 matrix K: impulse step = k0 - K (step of v_T, of phi(z3)/dt).
 *
 * LINEAR is the paper's: directions (x, -x, y, -y). B of (4) is B_x' of (18), and a'b = mu of (26) must be a_i b_i = mu. beta is its own
 * slack s_eta of (26e). SOC puts the cone in place of (26c, d): b0 = mu gamma, t = (t0, v_T), b and t on the cone with b o t = 0 (Jordan's
 * product), which gives the impulse against v_T and t0 = |v_T|. */
#include <math.h>
#include <string.h>

#include "maximal_parts.h"
#include "small.h"

/* Row of a direction d of the world at the body's point p: d.(v + R (w x p)). */
static void point_row(const pose *z, const double p[3], const double d[3], double row[6]) {
    double in_body[3];
    for (int k = 0; k < 3; k++) in_body[k] = z->R[k] * d[0] + z->R[3 + k] * d[1] + z->R[6 + k] * d[2];
    memcpy(row, d, 3 * sizeof *row);
    cross(p, in_body, row + 3);
}

static int rubs(const maximal *m, int c) { return m->contacts[c].mu > 0; }

/* Frames and levers are those of z2, (24c): the lever ends on the sphere, (14) with the normal that it lacks. */
void contact_begin(const maximal *m, int c) {
    static const double triad[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const maximal_contact *contact = &m->contacts[c];
    const pose *z = &m->work->z2[contact->body];
    double lever[3];
    for (int k = 0; k < 3; k++) lever[k] = contact->p[k] - contact->radius * z->R[6 + k];
    for (int k = 0; k < 3; k++) point_row(z, lever, triad[k], m->work->contacts[c].C[k]);
    memcpy(m->work->contacts[c].V, m->work->contacts[c].C, sizeof m->work->contacts[c].V);
}

/* Derivative of phi(z3)/dt by (v, w); `turn` is that of the rotation of z3 by dt w. */
void contact_at(const maximal *m, int c, const pose *z3, const double turn[9]) {
    static const double up[3] = {0, 0, 1};
    double row[6], *V = m->work->contacts[c].V[2];
    point_row(z3, m->contacts[c].p, up, row);
    for (int k = 0; k < 3; k++) {
        V[k] = row[k];
        V[3 + k] = row[3] * turn[k] + row[4] * turn[3 + k] + row[5] * turn[6 + k];
    }
}

/* All unknowns at 1, on the axis of the cone. */
contact_unknown contact_start(const maximal *m, int c) {
    contact_unknown u = {.gamma = 1, .s = 1};
    const int ones = !rubs(m, c) ? 0 : m->cone == MAXIMAL_LINEAR ? 5 : 1;
    for (int k = 0; k < ones; k++) u.a[k] = u.b[k] = 1;
    return u;
}

void contact_impulse(const maximal *m, int c, const contact_unknown *u, double impulse[3]) {
    const int linear = m->cone == MAXIMAL_LINEAR;
    impulse[0] = linear ? u->a[0] - u->a[1] : u->a[1];
    impulse[1] = linear ? u->a[2] - u->a[3] : u->a[2];
    impulse[2] = u->gamma;
    if (!rubs(m, c)) impulse[0] = impulse[1] = 0;
}

/* Pairs of friction: 5 of numbers, or one of the cone in 3 numbers. */
static int pairs(const maximal *m, int c) { return !rubs(m, c) ? 0 : m->cone == MAXIMAL_LINEAR ? 5 : 3; }

/* velocity: v_T and phi(z3)/dt. */
contact_residual contact_law(const maximal *m, int c, const contact_unknown *u, const double velocity[3], double *squares) {
    const double *a = u->a, *b = u->b, mu = m->contacts[c].mu;
    contact_residual r = {.distance = velocity[2] - u->s, .distance_product = u->gamma * u->s};
    if (rubs(m, c) && m->cone == MAXIMAL_LINEAR) {
        for (int k = 0; k < 4; k++) r.linear[k] = (k % 2 ? -1 : 1) * velocity[k / 2] + a[4] - b[k]; /* (26c) */
        r.linear[4] = mu * u->gamma - (a[0] + a[1] + a[2] + a[3]) - b[4];                           /* (26d) */
        for (int k = 0; k < 5; k++) r.product[k] = a[k] * b[k];
    } else if (rubs(m, c)) {
        r.linear[0] = mu * u->gamma - a[0];
        for (int k = 1; k < 3; k++) r.linear[k] = velocity[k - 1] - b[k];
        r.product[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        for (int k = 1; k < 3; k++) r.product[k] = a[0] * b[k] + b[0] * a[k];
    }
    *squares += r.distance * r.distance;
    for (int k = 0; k < 5; k++) *squares += r.linear[k] * r.linear[k];
    return r;
}

/* Brüdigam 2021 (26g) to (26i) ask for mu in every product; Jordan's asks for it in the first of three. */
static double wanted(const maximal *m, int k, double mu) { return m->cone == MAXIMAL_LINEAR || k == 0 ? mu : 0; }

double contact_products(const maximal *m, int c, const contact_residual *r, double mu) {
    double sum = (r->distance_product - mu) * (r->distance_product - mu);
    for (int k = 0; k < pairs(m, c); k++) {
        const double off = r->product[k] - wanted(m, k, mu);
        sum += off * off;
    }
    return sum;
}

/* The cone's M = t0 I - b_T t_T'/b0, inverted: what turns the rest of b o t into a step of b_T. */
static void arrow_inverse(const double *a, const double *b, double inverse[4]) {
    const double M[4] = {b[0] - a[1] * b[1] / a[0], -a[1] * b[2] / a[0], -a[2] * b[1] / a[0], b[0] - a[2] * b[2] / a[0]};
    const double determinant = b[0] * (b[0] - (a[1] * b[1] + a[2] * b[2]) / a[0]);
    inverse[0] = M[3] / determinant, inverse[1] = -M[1] / determinant;
    inverse[2] = -M[2] / determinant, inverse[3] = M[0] / determinant;
}

void contact_stiffness(const maximal *m, int c, const contact_unknown *u, double K[9]) {
    const double *a = u->a, *b = u->b, mu = m->contacts[c].mu, normal = u->gamma / u->s;
    memset(K, 0, 9 * sizeof *K);
    K[8] = normal;
    if (!rubs(m, c)) return;
    if (m->cone == MAXIMAL_LINEAR) {
        double D[4], sum = b[4] / a[4];
        for (int k = 0; k < 4; k++) D[k] = a[k] / b[k], sum += D[k];
        const double f[2] = {D[0] - D[1], D[2] - D[3]};
        for (int i = 0; i < 2; i++) {
            for (int k = 0; k < 2; k++) K[3 * i + k] = (i == k) * (D[2 * i] + D[2 * i + 1]) - f[i] * f[k] / sum;
            K[3 * i + 2] = f[i] * mu * normal / sum;
        }
        return;
    }
    double inverse[4], along[2];
    arrow_inverse(a, b, inverse);
    for (int k = 0; k < 2; k++) along[k] = (a[1 + k] * b[0] / a[0] - b[1 + k]) * mu * normal;
    for (int i = 0; i < 2; i++) {
        const double *row = inverse + 2 * i;
        for (int k = 0; k < 2; k++) K[3 * i + k] = a[0] * row[k] - (row[0] * a[1] + row[1] * a[2]) * a[1 + k] / a[0];
        K[3 * i + 2] = row[0] * along[0] + row[1] * along[1];
    }
}

contact_unknown contact_direction(const maximal *m, int c, const contact_unknown *u, const contact_residual *r, double mu,
                                  const double velocity_step[3]) {
    const double *a = u->a, *b = u->b, friction = m->contacts[c].mu;
    contact_unknown d = {.s = velocity_step[2] + r->distance};
    d.gamma = (mu - r->distance_product - u->gamma * d.s) / u->s;
    if (!rubs(m, c)) return d;
    if (m->cone == MAXIMAL_LINEAR) {
        double known = 0, sum = b[4] / a[4];
        for (int k = 0; k < 4; k++) {
            const double D = a[k] / b[k];
            d.b[k] = (k % 2 ? -1 : 1) * velocity_step[k / 2] + r->linear[k]; /* psi's step is still to come */
            known += (r->product[k] - mu) / b[k] + D * d.b[k];
            sum += D;
        }
        d.a[4] = ((mu - r->product[4]) / a[4] - r->linear[4] - friction * d.gamma - known) / sum;
        d.b[4] = friction * d.gamma + r->linear[4];
        for (int k = 0; k < 4; k++) {
            d.b[k] += d.a[4];
            d.a[k] = (mu - r->product[k] - a[k] * d.b[k]) / b[k];
            d.b[4] -= d.a[k];
        }
        return d;
    }
    double inverse[4], rest[2];
    arrow_inverse(a, b, inverse);
    d.a[0] = friction * d.gamma + r->linear[0];
    for (int k = 1; k < 3; k++) d.b[k] = velocity_step[k - 1] + r->linear[k];
    const double first = mu - r->product[0] - b[0] * d.a[0] - a[1] * d.b[1] - a[2] * d.b[2]; /* a0 db0 + b_T.da_T is to be this */
    for (int k = 1; k < 3; k++) rest[k - 1] = -r->product[k] - a[0] * d.b[k] - b[k] * d.a[0] - a[k] * first / a[0];
    for (int k = 0; k < 2; k++) d.a[1 + k] = inverse[2 * k] * rest[0] + inverse[2 * k + 1] * rest[1];
    d.b[0] = (first - b[1] * d.a[1] - b[2] * d.a[2]) / a[0];
    return d;
}

static double least(double a, double b) { return b < a ? b : a; }

static double room_of_number(double x, double step) { return step < 0 ? -x / step : INFINITY; }

/* First root of |x_T + t step_T| = x_0 + t step_0. */
static double room_of_cone(const double x[3], const double step[3]) {
    const double tangent = sqrt(x[1] * x[1] + x[2] * x[2]), along = sqrt(step[1] * step[1] + step[2] * step[2]);
    const double A = (step[0] - along) * (step[0] + along), B = x[0] * step[0] - x[1] * step[1] - x[2] * step[2];
    const double C = (x[0] - tangent) * (x[0] + tangent), square = B * B - A * C;
    if (!(square >= 0)) return INFINITY;
    if (B < 0) return C / (sqrt(square) - B);
    return A < 0 ? -(B + sqrt(square)) / A : INFINITY;
}

double contact_room(const maximal *m, int c, const contact_unknown *u, const contact_unknown *step) {
    double room = least(room_of_number(u->gamma, step->gamma), room_of_number(u->s, step->s));
    const int n = pairs(m, c);
    if (n == 3) return least(room, least(room_of_cone(u->a, step->a), room_of_cone(u->b, step->b)));
    for (int k = 0; k < n; k++) room = least(room, least(room_of_number(u->a[k], step->a[k]), room_of_number(u->b[k], step->b[k])));
    return room;
}

int contact_inside(const maximal *m, int c, const contact_unknown *u) {
    int inside = u->gamma > 0 && u->s > 0;
    const int n = pairs(m, c);
    if (n == 3)
        return inside && u->a[0] * u->a[0] > u->a[1] * u->a[1] + u->a[2] * u->a[2] && u->a[0] > 0 &&
               u->b[0] * u->b[0] > u->b[1] * u->b[1] + u->b[2] * u->b[2] && u->b[0] > 0;
    for (int k = 0; k < n; k++) inside = inside && u->a[k] > 0 && u->b[k] > 0;
    return inside;
}
