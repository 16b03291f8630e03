#include "contact_ipm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;

enum { CONE = 7, DIAMOND = 12, ROW = 7 };

/* Unknowns: of each contact first the impulse or its parts, then slacks; of each row three impulses and four slacks. */
typedef struct point {
    const reference_ipm_problem *p;
    int diamond, wide, size; /* unknowns of a contact; all of them */
    real speed;
} point;

static real entry(const point *t, int row, int column) {
    return t->p->G[(size_t)row * (size_t)(3 * t->p->contacts + t->p->rows) + (size_t)column];
}
static real mobility(const point *t, int i) {
    if (i >= 3 * t->p->contacts) return entry(t, i, i);
    const int d = i - i % 3;
    return (entry(t, d, d) + entry(t, d + 1, d + 1) + entry(t, d + 2, d + 2)) / 3;
}
static int has_lower(const point *t, int k) { return isfinite(t->p->stairs[3 * k + 1]); }
static int has_upper(const point *t, int k) { return isfinite(t->p->stairs[3 * k + 2]); }

static void impulses(const point *t, const real *z, real *l) {
    for (int i = 0; i < t->p->contacts; i++, z += t->wide, l += 3) {
        l[0] = t->diamond ? z[0] - z[2] : z[0];
        l[1] = t->diamond ? z[1] - z[3] : z[1];
        l[2] = t->diamond ? z[4] : z[2];
    }
    for (int k = 0; k < t->p->rows; k++, z += ROW) *l++ = z[0] + z[1] - z[2];
}

static void velocities(const point *t, const real *l, real *w) {
    const int m = 3 * t->p->contacts + t->p->rows;
    for (int i = 0; i < m; i++) {
        w[i] = t->p->c[i];
        for (int k = 0; k < m; k++) w[i] += entry(t, i, k) * l[k];
    }
}

/* The equations at sigma. Of pairs that a row does not have both numbers are held. */
static void equations(const point *t, const real *z, real sigma, real *F) {
    const int n = t->p->contacts, m = 3 * n + t->p->rows;
    real *l = malloc(2 * (size_t)m * sizeof *l), *w = l + m;
    if (!l) abort();
    impulses(t, z, l);
    velocities(t, l, w);
    for (int i = 0; i < n; i++, z += t->wide, F += t->wide) {
        const real mu = t->p->mu[i], *v = w + 3 * i, goal = sigma * t->speed * t->speed / mobility(t, 3 * i);
        if (t->diamond) { /* beta 4, gamma, eta 4, psi, s_psi, s_gamma */
            for (int k = 0; k < 4; k++) {
                const real along = (k < 2 ? 1 : -1) * v[k % 2];
                F[k] = along + z[9] - z[5 + k];
                F[4 + k] = z[k] * z[5 + k] - mu * goal;
            }
            F[8] = mu * z[4] - (z[0] + z[1] + z[2] + z[3]) - z[10];
            F[9] = z[9] * z[10] - mu * goal;
            F[10] = v[2] - z[11];
            F[11] = z[4] * z[11] - goal;
        } else { /* lambda 3, t 3, s_gamma */
            const real b0 = mu * z[2];
            for (int k = 0; k < 2; k++) F[k] = v[k] - z[4 + k], F[2 + k] = b0 * z[4 + k] + z[3] * z[k];
            F[4] = b0 * z[3] + z[0] * z[4] + z[1] * z[5] - mu * goal;
            F[5] = v[2] - z[6];
            F[6] = z[2] * z[6] - goal;
        }
    }
    for (int k = 0; k < t->p->rows; k++, z += ROW, F += ROW) { /* a, b, c, slacks of lo and hi, velocities of f - a and f + a */
        const real *v = w + 3 * n + k, goal = sigma * t->speed * t->speed / mobility(t, 3 * n + k), rub = sigma * t->speed;
        const real f = t->p->stairs[3 * k], lo = t->p->stairs[3 * k + 1], hi = t->p->stairs[3 * k + 2];
        F[0] = f > 0 ? *v - (z[6] - z[5]) : z[0];
        F[1] = f > 0 ? z[5] * (f - z[0]) - rub * f : z[5] - 1;
        F[2] = f > 0 ? z[6] * (f + z[0]) - rub * f : z[6] - 1;
        F[3] = has_lower(t, k) ? *v - lo - z[3] : z[1];
        F[4] = has_lower(t, k) ? z[1] * z[3] - goal : z[3] - 1;
        F[5] = has_upper(t, k) ? hi - *v - z[4] : z[2];
        F[6] = has_upper(t, k) ? z[2] * z[4] - goal : z[4] - 1;
    }
    free(l);
}

/* Is everything positive that must be, and inside the cones? */
static int inside(const point *t, const real *z) {
    for (int i = 0; i < t->p->contacts; i++, z += t->wide) {
        if (t->diamond) {
            for (int k = 0; k < DIAMOND; k++)
                if (!(z[k] > 0)) return 0;
        } else if (!(z[2] > 0 && z[6] > 0 && t->p->mu[i] * z[2] > hypotl(z[0], z[1]) && z[3] > hypotl(z[4], z[5])))
            return 0;
    }
    for (int k = 0; k < t->p->rows; k++, z += ROW) {
        const real f = t->p->stairs[3 * k];
        if (f > 0 && !(z[5] > 0 && z[6] > 0 && z[0] < f && z[0] > -f)) return 0;
        if (has_lower(t, k) && !(z[1] > 0 && z[3] > 0)) return 0;
        if (has_upper(t, k) && !(z[2] > 0 && z[4] > 0)) return 0;
    }
    return 1;
}

/* Mean of the products in units of their goals. */
static real mean(const point *t, const real *z) {
    real sum = 0, *F = malloc((size_t)t->size * sizeof *F), *one = malloc((size_t)t->size * sizeof *one);
    int count = 0;
    if (!F || !one) abort();
    equations(t, z, 0, F);
    equations(t, z, 1, one);
    for (int k = 0; k < t->size; k++)
        if (F[k] != one[k]) sum += F[k] / (F[k] - one[k]), count++;
    free(F), free(one);
    return count ? sum / count : 0;
}

static void start(const point *t, real *z, real depth) {
    const int n = t->p->contacts, m = 3 * n + t->p->rows;
    real *l = calloc(2 * (size_t)m, sizeof *l), *w = l + m, *at = z;
    if (!l) abort();
    for (int i = 0; i < n; i++) l[3 * i + 2] = depth * t->speed / mobility(t, 3 * i);
    velocities(t, l, w);
    for (int i = 0; i < n; i++, at += t->wide) {
        const real *v = w + 3 * i, gamma = l[3 * i + 2], s = fmaxl(v[2], 0) + depth * t->speed, most = fmaxl(fabsl(v[0]), fabsl(v[1]));
        if (t->diamond) {
            for (int k = 0; k < 4; k++) {
                at[k] = t->p->mu[i] * gamma / 8;
                at[5 + k] = (k < 2 ? 1 : -1) * v[k % 2] + most + depth * t->speed;
            }
            at[4] = gamma, at[9] = most + depth * t->speed, at[10] = t->p->mu[i] * gamma / 2, at[11] = s;
        } else {
            at[0] = at[1] = 0, at[2] = gamma, at[3] = hypotl(v[0], v[1]) + depth * t->speed;
            at[4] = v[0], at[5] = v[1], at[6] = s;
        }
    }
    for (int k = 0; k < t->p->rows; k++, at += ROW) {
        const real v = w[3 * n + k], near = depth * t->speed, push = near / mobility(t, 3 * n + k);
        at[0] = 0, at[5] = fmaxl(-v, 0) + near, at[6] = fmaxl(v, 0) + near;
        at[3] = has_lower(t, k) ? fmaxl(v - t->p->stairs[3 * k + 1], 0) + near : 1;
        at[4] = has_upper(t, k) ? fmaxl(t->p->stairs[3 * k + 2] - v, 0) + near : 1;
        at[1] = has_lower(t, k) ? push * fminl(1, near / at[3]) : 0;
        at[2] = has_upper(t, k) ? push * fminl(1, near / at[4]) : 0;
        if (!(t->p->stairs[3 * k] > 0)) at[5] = at[6] = 1;
    }
    free(l);
}

/* x <- A^-1 x, by elimination with the largest pivot of each column. */
static void eliminate(real *A, real *x, int n) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int r = k + 1; r < n; r++)
            if (fabsl(A[r * n + k]) > fabsl(A[best * n + k])) best = r;
        for (int e = 0; e < n && best != k; e++) {
            const real swap = A[k * n + e];
            A[k * n + e] = A[best * n + e], A[best * n + e] = swap;
        }
        const real swap = x[k];
        x[k] = x[best], x[best] = swap;
        for (int r = k + 1; r < n; r++) {
            const real f = A[r * n + k] / A[k * n + k];
            for (int e = k; e < n && f != 0; e++) A[r * n + e] -= f * A[k * n + e];
            x[r] -= f * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int e = k + 1; e < n; e++) x[k] -= A[k * n + e] * x[e];
        x[k] /= A[k * n + k];
    }
}

static void along(const point *t, const real *z, const real *d, real step, real *out) {
    for (int k = 0; k < t->size; k++) out[k] = z[k] + step * d[k];
}

/* d: the step to sigma; `first`: the predictor's, whose part of second order the corrector takes off, or NULL. `room`: 4 vectors and a
 * matrix. */
static void direction(const point *t, const real *z, real sigma, const real *first, real *d, real *room) {
    const int n = t->size;
    real *high = room, *low = room + n, *moved = room + 2 * n, *A = room + 4 * n;
    for (int k = 0; k < n; k++) {
        for (int side = 0; side < 2; side++) {
            memcpy(moved, z, (size_t)n * sizeof *z);
            moved[k] += side ? -1 : 1;
            equations(t, moved, sigma, side ? low : high);
        }
        for (int r = 0; r < n; r++) A[r * n + k] = (high[r] - low[r]) / 2;
    }
    equations(t, z, sigma, d);
    if (first) { /* of F(z + d) + F(z - d) - 2 F(z) half is what a step d leaves */
        along(t, z, first, 1, moved);
        equations(t, moved, sigma, high);
        along(t, z, first, -1, moved);
        equations(t, moved, sigma, low);
        for (int r = 0; r < n; r++) d[r] += (high[r] + low[r] - 2 * d[r]) / 2;
    }
    for (int r = 0; r < n; r++) d[r] = -d[r];
    eliminate(A, d, n);
}

/* The step that ends at a boundary, 1e6 at most: what lies inside is convex. */
static real reach(const point *t, const real *z, const real *d, real *moved) {
    real low = 0, high = 1e6L;
    for (int k = 0; k < 200; k++) {
        const real middle = k ? (low + high) / 2 : high;
        along(t, z, d, middle, moved);
        if (inside(t, moved))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* From one start: the steps it took, 0 where they became too short. */
static int descend(const point *t, real *z, real sigma, real depth, real *room) {
    enum { MOST = 100 };
    const int n = t->size;
    real *first = room, *second = room + n, *moved = room + 2 * n, *more = room + 3 * n, last = 1;
    start(t, z, depth);
    for (int step = 1; step <= MOST; step++) {
        const real now = mean(t, z);
        direction(t, z, 0, NULL, first, more);
        along(t, z, first, fminl(1, reach(t, z, first, moved)), more);
        const real left = fminl(1, mean(t, more) / now), goal = last < 0.3L ? now : left * left * left * now;
        direction(t, z, goal, first, second, more);
        last = fminl(1, 0.995L * reach(t, z, second, moved));
        along(t, z, second, last, z);
        if (mean(t, z) <= sigma) return step;
        if (last < 1e-6L) return 0;
    }
    return 0;
}

int reference_ipm(const reference_ipm_problem *given, int diamond, double sigma, double *impulse) {
    static const real depths[] = {1, 100, 10, 0.1L, 1000};
    const size_t n = (size_t)given->contacts, rows = (size_t)given->rows, m = 3 * n + rows;
    const int wide = diamond ? DIAMOND : CONE;
    double speed = 0, most = 0, *G = calloc(m * m + m + 3 * rows + 1, sizeof *G), *c = G + m * m, *stairs = c + m;
    reference_ipm_problem p = {given->contacts, given->rows, G, c, given->mu, stairs};
    point t = {&p, diamond, wide, wide * given->contacts + ROW * given->rows, 1};
    real *z = calloc((size_t)t.size * (size_t)t.size + 12 * (size_t)t.size + m + 1, sizeof *z), *l = z + t.size, *room = l + m;
    int steps = 0;
    if (!G || !z) abort();
    for (size_t i = 0; i < m; i++) speed = fmax(speed, fabs(given->c[i])), most = fmax(most, given->G[i * m + i]);
    for (size_t i = 0; i < m; i++) { /* velocities and mobilities of 1: differences are taken over a step of 1 */
        c[i] = given->c[i] / speed;
        for (size_t k = 0; k < m; k++) G[i * m + k] = given->G[i * m + k] / most;
    }
    for (size_t k = 0; k < 3 * rows; k++) stairs[k] = given->stairs[k] / speed * (k % 3 ? 1 : most);
    for (int k = 0; k < 5 && !steps && speed > 0; k++) steps = descend(&t, z, sigma, depths[k], room);
    impulses(&t, z, l);
    for (size_t i = 0; i < m; i++) impulse[i] = (double)l[i] * speed / most;
    free(G), free(z);
    return steps;
}
