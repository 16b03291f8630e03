#include "contact_solvers.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 113 bits: energies near a minimum differ by the square of the distance */
#if __LDBL_MANT_DIG__ == 113
typedef long double quad;
#else
__extension__ typedef __float128 quad;
#endif

typedef struct sweep_problem {
    int n, m;
    const double *G, *c, *mu;
    double *impulse;
} sweep_problem;

static double entry(const sweep_problem *p, int row, int column) { return p->G[row * p->m + column]; }

static double velocity(const sweep_problem *p, int row) {
    double w = p->c[row];
    for (int k = 0; k < p->m; k++) w += entry(p, row, k) * p->impulse[k];
    return w;
}

/* ---- Hwangbo 2018 Algorithm 2 --------------------------------------------------------------------------------------------------- */

/* x = -A^-1 b by elimination with pivoting. */
static void solve3(const double A[9], const double b[3], double x[3]) {
    double a[3][4];
    for (int r = 0; r < 3; r++) {
        for (int k = 0; k < 3; k++) a[r][k] = A[3 * r + k];
        a[r][3] = -b[r];
    }
    for (int k = 0; k < 3; k++) {
        int best = k;
        for (int r = k + 1; r < 3; r++)
            if (fabs(a[r][k]) > fabs(a[best][k])) best = r;
        for (int e = 0; e < 4; e++) {
            const double swap = a[k][e];
            a[k][e] = a[best][e], a[best][e] = swap;
        }
        for (int r = 0; r < 3; r++) {
            if (r == k || a[k][k] == 0) continue;
            const double f = a[r][k] / a[k][k];
            for (int e = k; e < 4; e++) a[r][e] -= f * a[k][e];
        }
    }
    for (int k = 0; k < 3; k++) x[k] = a[k][3] / a[k][k];
}

/* A slipping contact: its block, free velocity, coefficient and lambda_v0. */
typedef struct slip_task {
    double G[9], c[3], mu, stop[3];
} slip_task;

/* The impulse in the direction of angle theta, (13) and (14); r < 0: not on the branch. */
static double on_conic(const slip_task *s, double theta, double impulse[3]) {
    const double r = -s->mu * s->c[2] / (s->G[8] + s->mu * (s->G[6] * cos(theta) + s->G[7] * sin(theta)));
    impulse[0] = r * cos(theta), impulse[1] = r * sin(theta);
    impulse[2] = -(s->c[2] + s->G[6] * impulse[0] + s->G[7] * impulse[1]) / s->G[8];
    return r;
}

/* 1/2 l' G l + c' l, in quadruple precision, at the direction of an angle in extended precision. */
static quad energy_at(const slip_task *s, long double theta) {
    quad x = cosl(theta), y = sinl(theta), l[3], sum = 0;
    for (int k = 0; k < 3; k++) { /* to unit length */
        const quad scale = (3 - (x * x + y * y)) / 2;
        x *= scale, y *= scale;
    }
    const quad r = -(quad)s->mu * s->c[2] / (s->G[8] + s->mu * (s->G[6] * x + s->G[7] * y));
    l[0] = r * x, l[1] = r * y, l[2] = -(s->c[2] + s->G[6] * l[0] + s->G[7] * l[1]) / s->G[8];
    for (int a = 0; a < 3; a++) {
        sum += s->c[a] * l[a];
        for (int b = 0; b < 3; b++) sum += l[a] * s->G[3 * a + b] * l[b] / 2;
    }
    return sum;
}

/* Is the point of the conic at theta on the branch r >= 0 and in sight of lambda_v0? It is where the cone's outward normal there looks
 * towards lambda_v0. */
static int in_sight(const slip_task *s, double theta) {
    double l[3];
    if (!(on_conic(s, theta, l) >= 0)) return 0;
    return cos(theta) * s->stop[0] + sin(theta) * s->stop[1] - s->mu * s->stop[2] >= 0;
}

/* Where sight ends between an angle that is in sight and one that is not. */
static double end_of_sight(const slip_task *s, double in, double out) {
    for (int k = 0; k < 200; k++) {
        const double middle = 0.5 * (in + out);
        if (in_sight(s, middle))
            in = middle;
        else
            out = middle;
    }
    return in;
}

static void slip_golden(const slip_task *s, double impulse[3]) {
    const double pi = 3.14159265358979323846, start = atan2(s->stop[1], s->stop[0]), fine = 0.02;
    double turn = fine;
    while (turn < pi && in_sight(s, start + turn)) turn += fine;
    long double high = turn < pi ? end_of_sight(s, start + turn - fine, start + turn) : start + pi;
    turn = fine;
    while (turn < pi && in_sight(s, start - turn)) turn += fine;
    long double low = turn < pi ? end_of_sight(s, start - turn + fine, start - turn) : start - pi;
    const long double ratio = (sqrtl(5.0L) - 1) / 2;
    for (int k = 0; k < 90; k++) {
        const long double left = high - ratio * (high - low), right = low + ratio * (high - low);
        if (energy_at(s, left) < energy_at(s, right))
            high = right;
        else
            low = left;
    }
    on_conic(s, (double)((low + high) / 2), impulse);
}

/* Stationary directions of the energy by the tangent of half the angle from one in which it is not stationary, all roots by Durand and
 * Kerner; the real one of least energy on the branch. */
static void slip_quartic(const slip_task *s, double impulse[3]) {
    const double from = atan2(s->stop[1], s->stop[0]) + 1.1;
    double slope[5], matrix[5][6];
    for (int k = 0; k < 5; k++) { /* dE/dtheta n^3 (1 + t^2)^2 is a polynomial of degree 4: through five points */
        const double t = -1.2 + 0.6 * k, theta = from + 2 * atan(t);
        const double n = s->G[8] + s->mu * (s->G[6] * cos(theta) + s->G[7] * sin(theta)), k0 = -s->mu * s->c[2];
        const double dn = s->mu * (s->G[7] * cos(theta) - s->G[6] * sin(theta));
        const double dx = (-sin(theta) * n - cos(theta) * dn), dy = (cos(theta) * n - sin(theta) * dn); /* n^2 / k0 times dl/dtheta */
        const double x = k0 * cos(theta), y = k0 * sin(theta), z = -(s->c[2] * n + s->G[6] * x + s->G[7] * y) / s->G[8]; /* n l */
        const double wx = s->c[0] * n + s->G[0] * x + s->G[1] * y + s->G[2] * z, wy = s->c[1] * n + s->G[3] * x + s->G[4] * y + s->G[5] * z;
        slope[k] = (wx * dx + wy * dy) * (1 + t * t) * (1 + t * t);
        for (int e = 0; e < 5; e++) matrix[k][e] = pow(t, e);
        matrix[k][5] = slope[k];
    }
    for (int k = 0; k < 5; k++) {
        int best = k;
        for (int r = k + 1; r < 5; r++)
            if (fabs(matrix[r][k]) > fabs(matrix[best][k])) best = r;
        for (int e = 0; e < 6; e++) {
            const double swap = matrix[k][e];
            matrix[k][e] = matrix[best][e], matrix[best][e] = swap;
        }
        for (int r = 0; r < 5; r++) {
            const double f = r == k ? 0 : matrix[r][k] / matrix[k][k];
            for (int e = k; e < 6 && r != k; e++) matrix[r][e] -= f * matrix[k][e];
        }
    }
    double complex a[5], root[4];
    for (int k = 0; k < 5; k++) a[k] = matrix[k][5] / matrix[k][k];
    for (int k = 0; k < 4; k++) root[k] = cpow(0.4 + 0.9 * I, k);
    for (int sweep = 0; sweep < 500; sweep++)
        for (int k = 0; k < 4; k++) {
            double complex value = 0, others = a[4];
            for (int e = 4; e >= 0; e--) value = value * root[k] + a[e];
            for (int j = 0; j < 4; j++)
                if (j != k) others *= root[k] - root[j];
            root[k] -= value / others;
        }
    quad least = 0;
    int found = 0;
    for (int k = 0; k < 4; k++) {
        double l[3];
        const double theta = from + 2 * atan(creal(root[k]));
        if (fabs(cimag(root[k])) > 1e-6 * (1 + cabs(root[k])) || !(on_conic(s, theta, l) >= 0)) continue;
        const quad energy = energy_at(s, theta);
        if (found && energy >= least) continue;
        least = energy, found = 1;
        memcpy(impulse, l, sizeof l);
    }
}

static void solve_blocks(const sweep_problem *p, const reference_sweeps *how, void (*slip)(const slip_task *, double[3])) {
    double alpha = how->alpha;
    for (int sweep = 0; sweep < how->sweeps; sweep++) {
        for (int i = 0; i < p->n; i++) {
            slip_task s = {.mu = p->mu[i]};
            double *l = p->impulse + 3 * i, best[3] = {0};
            for (int r = 0; r < 3; r++) {
                s.c[r] = velocity(p, 3 * i + r);
                for (int k = 0; k < 3; k++) {
                    s.G[3 * r + k] = entry(p, 3 * i + r, 3 * i + k);
                    s.c[r] -= s.G[3 * r + k] * l[k];
                }
            }
            solve3(s.G, s.c, s.stop);
            if (s.c[2] <= 0) {
                if (s.stop[2] >= 0 && hypot(s.stop[0], s.stop[1]) <= s.mu * s.stop[2])
                    memcpy(best, s.stop, sizeof best);
                else
                    slip(&s, best);
            }
            for (int k = 0; k < 3; k++) l[k] = alpha * best[k] + (1 - alpha) * l[k];
        }
        alpha = how->alpha_min + how->gamma * (alpha - how->alpha_min);
    }
}

/* ---- projected Gauss-Seidel and the prox iteration ---------------------------------------------------------------------- */

typedef enum { DISC, BOX, CONE } shape;

static void project(shape onto, double mu, double l[3]) {
    const double t = hypot(l[0], l[1]);
    if (onto == CONE) {
        if (t <= mu * l[2]) return;
        const double z = mu * t <= -l[2] ? 0 : (mu * t + l[2]) / (1 + mu * mu);
        for (int k = 0; k < 2; k++) l[k] *= t > 0 ? mu * z / t : 0;
        l[2] = z;
        return;
    }
    l[2] = l[2] > 0 ? l[2] : 0;
    for (int k = 0; k < 2; k++) {
        if (onto == DISC && t > mu * l[2]) l[k] *= mu * l[2] / t;
        if (onto == BOX && fabs(l[k]) > mu * l[2]) l[k] = copysign(mu * l[2], l[k]);
    }
}

/* `step` of a contact along tangent and normal, from the diagonal of its block. */
static void solve_projected(const sweep_problem *p, int sweeps, shape onto, void (*step)(const double diagonal[3], double out[2]),
                            double scale, double relaxation) {
    for (int sweep = 0; sweep < sweeps; sweep++)
        for (int i = 0; i < p->n; i++) {
            double *l = p->impulse + 3 * i, d[3], s[2], next[3];
            for (int k = 0; k < 3; k++) d[k] = entry(p, 3 * i + k, 3 * i + k);
            step(d, s);
            for (int k = 0; k < 3; k++) next[k] = l[k] - scale * s[k == 2] * velocity(p, 3 * i + k);
            project(onto, p->mu[i], next);
            for (int k = 0; k < 3; k++) l[k] = relaxation * next[k] + (1 - relaxation) * l[k];
        }
}

static double inverse(double x) { return x > 0 ? 1 / x : 1; }
static void step_hwangbo(const double d[3], double s[2]) { s[0] = inverse(fmax(d[0], d[1])), s[1] = inverse(d[2]); }
static void step_lelidec(const double d[3], double s[2]) {
    s[0] = inverse(fmin(d[0], d[1]) > 0 ? fmin(d[0], d[1]) : fmax(d[0], d[1])), s[1] = inverse(d[2]);
}
static void step_trace(const double d[3], double s[2]) { s[0] = s[1] = inverse((d[0] + d[1] + d[2]) / 3); }

static void solve_prox(const sweep_problem *p, const reference_sweeps *how) {
    double *next = malloc((size_t)p->m * sizeof *next);
    if (!next) abort();
    for (int sweep = 0; sweep < how->sweeps; sweep++) {
        for (int k = 0; k < p->m; k++) next[k] = p->impulse[k] - how->r * (velocity(p, k) + how->zeta * p->impulse[k]);
        for (int i = 0; i < p->n; i++) project(DISC, p->mu[i], next + 3 * i);
        memcpy(p->impulse, next, (size_t)p->m * sizeof *next);
    }
    free(next);
}

/* ---- Le Lidec 2024 Algorithm 7 ------------------------------------------------------------------------------------------------------ */

/* Each half to the end of double precision, by sweeps small enough to be sure. */
static void solve_halves(const sweep_problem *p, const reference_sweeps *how) {
    enum { INNER = 3000 };
    for (int turn = 0; turn < how->sweeps; turn++) {
        for (int sweep = 0; sweep < INNER; sweep++)
            for (int i = 0; i < p->n; i++) {
                double *l = &p->impulse[3 * i + 2];
                *l = fmax(0, *l - velocity(p, 3 * i + 2) * inverse(entry(p, 3 * i + 2, 3 * i + 2)));
            }
        for (int sweep = 0; sweep < INNER; sweep++)
            for (int i = 0; i < p->n; i++) {
                double *l = p->impulse + 3 * i, w[2];
                const double step = inverse(entry(p, 3 * i, 3 * i) + entry(p, 3 * i + 1, 3 * i + 1));
                for (int k = 0; k < 2; k++) w[k] = velocity(p, 3 * i + k);
                for (int k = 0; k < 2; k++) l[k] -= step * w[k];
                const double t = hypot(l[0], l[1]), limit = p->mu[i] * l[2];
                for (int k = 0; k < 2 && t > limit; k++) l[k] *= limit / t;
            }
    }
}

int reference_solve(const char *solver, int n, const double *G, const double *c, const double *mu, const reference_sweeps *how,
                    double *impulse) {
    const sweep_problem p = {n, 3 * n, G, c, mu, impulse};
    if (strcmp(solver, "golden") == 0)
        solve_blocks(&p, how, slip_golden);
    else if (strcmp(solver, "quartic") == 0)
        solve_blocks(&p, how, slip_quartic);
    else if (strcmp(solver, "pgs") == 0)
        solve_projected(&p, how->sweeps, DISC, step_hwangbo, how->pgs_alpha, 1);
    else if (strcmp(solver, "pgs-lelidec") == 0)
        solve_projected(&p, how->sweeps, DISC, step_lelidec, 1, how->relaxation);
    else if (strcmp(solver, "pgs-lcp") == 0)
        solve_projected(&p, how->sweeps, BOX, step_lelidec, 1, how->relaxation);
    else if (strcmp(solver, "pgs-ccp") == 0)
        solve_projected(&p, how->sweeps, CONE, step_trace, 1, how->relaxation);
    else if (strcmp(solver, "prox") == 0)
        solve_prox(&p, how);
    else if (strcmp(solver, "staggered") == 0)
        solve_halves(&p, how);
    else
        return 0;
    return 1;
}

/* ---- Lu 2015 (13) --------------------------------------------------------------------------------------------------------------- */

double reference_prox_determinant(int n, const double *G, const double *mu, double x) {
    const int size = 6 * n, m = 3 * n;
    static const double direction[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    double *A = calloc((size_t)(size * size), sizeof *A), determinant = 1;
    if (!A) abort();
    for (int i = 0; i < n; i++) { /* unknowns of a contact: p_n, four of p_f, s */
        for (int j = 0; j < n; j++)
            for (int a = 0; a < 5; a++)
                for (int b = 0; b < 5; b++) {
                    const double row[3] = {a ? direction[a - 1][0] : 0, a ? direction[a - 1][1] : 0, a == 0};
                    const double column[3] = {b ? direction[b - 1][0] : 0, b ? direction[b - 1][1] : 0, b == 0};
                    double *to = &A[(6 * i + a) * size + 6 * j + b];
                    for (int r = 0; r < 3; r++)
                        for (int q = 0; q < 3; q++) *to += row[r] * G[(3 * i + r) * m + 3 * j + q] * column[q];
                }
        A[(6 * i + 5) * size + 6 * i] = mu[i];
        for (int a = 1; a < 5; a++) A[(6 * i + a) * size + 6 * i + 5] = 1, A[(6 * i + 5) * size + 6 * i + a] = -1;
    }
    for (int k = 0; k < size; k++) A[k * size + k] -= x;
    for (int k = 0; k < size; k++) {
        int best = k;
        for (int r = k + 1; r < size; r++)
            if (fabs(A[r * size + k]) > fabs(A[best * size + k])) best = r;
        if (best != k) determinant = -determinant;
        for (int e = 0; e < size; e++) {
            const double swap = A[k * size + e];
            A[k * size + e] = A[best * size + e], A[best * size + e] = swap;
        }
        determinant *= A[k * size + k];
        for (int r = k + 1; r < size; r++) {
            const double f = A[k * size + k] != 0 ? A[r * size + k] / A[k * size + k] : 0;
            for (int e = k; e < size; e++) A[r * size + e] -= f * A[k * size + e];
        }
    }
    free(A);
    return determinant;
}
