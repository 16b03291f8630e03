#include "convex_problem.h"

#include <math.h>
#include <string.h>

const char *const convex_families[CONVEX_FAMILIES] = {"low-rank", "crowd", "stack", "hand", "parallel", "legs", "wedge", "scales"};

enum { COLUMNS = 3 * CONVEX_CONTACTS + 8 };

/* What a problem is made of: J, the inverse masses of its columns, the velocities before the solve. */
typedef struct making {
    random_source source;
    int contacts, columns;
    double J[CONVEX_ROWS][COLUMNS], inverse[COLUMNS], speed[COLUMNS];
    double lift; /* of s: how far inside the dual cones, at most; 0: c is in the range of G */
} making;

static double draw(making *m, double low, double high) { return random_uniform(&m->source, low, high); }
static double log_draw(making *m, double low, double high) { return exp(draw(m, log(low), log(high))); }
static int draw_below(making *m, int n) { return random_below(&m->source, n); }

static void cross(const double a[3], const double b[3], double c[3]) {
    for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}
static void unit(double a[3]) {
    const double size = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int k = 0; k < 3; k++) a[k] /= size;
}

/* Axes of a contact with this normal: two tangents, then the normal. */
static void axes_of(const double normal[3], double axes[3][3]) {
    memcpy(axes[2], normal, sizeof axes[2]);
    unit(axes[2]);
    const double other[3] = {fabs(axes[2][0]) > 0.9 ? 0 : 1, fabs(axes[2][0]) > 0.9 ? 1 : 0, 0};
    cross(axes[2], other, axes[1]);
    unit(axes[1]);
    cross(axes[1], axes[2], axes[0]);
}

/* Contact i moves as the point r of the body whose six columns begin at `column`. */
static void point_rows(making *m, int i, int column, double sign, const double r[3], double axes[3][3]) {
    for (int a = 0; a < 3; a++) {
        double turn[3];
        cross(r, axes[a], turn);
        for (int k = 0; k < 3; k++) m->J[3 * i + a][column + k] += sign * axes[a][k], m->J[3 * i + a][column + 3 + k] += sign * turn[k];
    }
}

/* A body's six columns. */
static int body(making *m, double mass, double size, double speed, double spin) {
    const int first = m->columns;
    for (int k = 0; k < 6; k++) {
        m->inverse[first + k] = k < 3 ? 1 / mass : 1 / (mass * size * size * draw(m, 0.1, 0.6));
        m->speed[first + k] = k < 3 ? draw(m, -speed, speed) : draw(m, -spin, spin);
    }
    m->columns += 6;
    return first;
}

static void random_direction(making *m, double n[3]) {
    do
        for (int k = 0; k < 3; k++) n[k] = draw(m, -1, 1);
    while (n[0] * n[0] + n[1] * n[1] + n[2] * n[2] < 0.01);
    unit(n);
}

static void low_rank(making *m) {
    m->contacts = 2 + draw_below(m, CONVEX_CONTACTS - 1);
    m->columns = 1 + draw_below(m, 3 * m->contacts - 1);
    for (int k = 0; k < m->columns; k++) m->inverse[k] = 1, m->speed[k] = draw(m, -1, 1);
    for (int i = 0; i < 3 * m->contacts; i++)
        for (int k = 0; k < m->columns; k++) m->J[i][k] = draw(m, -1, 1);
}

static void crowd(making *m) {
    const double mass = log_draw(m, 1e-2, 1e2), size = log_draw(m, 0.01, 1);
    m->contacts = 4 + draw_below(m, CONVEX_CONTACTS - 3);
    const int own = body(m, mass, size, log_draw(m, 0.1, 30), 1 / size), others = draw_below(m, 3);
    m->speed[own + 2] = -fabs(m->speed[own + 2]);
    for (int i = 0; i < m->contacts; i++) {
        const double r[3] = {draw(m, -size, size), draw(m, -size, size), -size}, aside = draw(m, -size, size);
        double normal[3] = {0, 0, 1}, axes[3][3];
        if (i < others) normal[0] = draw(m, -1, 1), normal[1] = draw(m, -1, 1), normal[2] = draw(m, 0, 1);
        axes_of(normal, axes);
        point_rows(m, i, own, 1, i < others ? (double[3]){aside, r[1], r[0]} : r, axes);
    }
}

static void stack(making *m) {
    const int boxes = 2 + draw_below(m, 2);
    const double ratio = log_draw(m, 1, 1e6), slide = draw_below(m, 2) ? 0.1 : log_draw(m, 0.1, 30);
    double half[3][3];
    for (int b = 0; b < boxes; b++) {
        const int own = body(m, draw_below(m, 2) ? log_draw(m, 1, ratio) : draw_below(m, 2) ? ratio : 1, 0.3, slide, 0.1);
        m->speed[own + 2] = draw(m, -0.2, 0);
        for (int a = 0; a < 3; a++) half[b][a] = draw(m, 0.1, 0.5);
        const double *under = half[b > 0 ? b - 1 : 0], x = fmin(half[b][0], under[0]), y = fmin(half[b][1], under[1]);
        double axes[3][3];
        axes_of((double[3]){0, 0, 1}, axes);
        const int points = 4 + draw_below(m, boxes == 2 ? 5 : 2);
        for (int k = 0; k < points && m->contacts < CONVEX_CONTACTS; k++) {
            const double px = k < 4 ? (k & 1 ? x : -x) : draw(m, -x, x), py = k < 4 ? (k & 2 ? y : -y) : draw(m, -y, y);
            point_rows(m, m->contacts, own, 1, (double[3]){px, py, -half[b][2]}, axes);
            if (b > 0) point_rows(m, m->contacts, own - 6, -1, (double[3]){px, py, under[2]}, axes);
            m->contacts++;
        }
    }
}

static void hand(making *m) {
    const double radius = log_draw(m, 0.01, 0.1), mass = log_draw(m, 1e-2, 10);
    const int object = body(m, mass, radius, 1, 1 / radius), fingers = 2 + draw_below(m, 5);
    for (int f = 0; f < fingers; f++) {
        const int still = draw_below(m, 4) == 0, joints = 1 + draw_below(m, 3), first = m->columns;
        const double inertia = log_draw(m, 1e-3, 1) * mass;
        for (int k = 0; k < (still ? 0 : joints); k++) m->inverse[m->columns] = 1 / inertia, m->speed[m->columns++] = draw(m, -1, 1);
        double centre[3];
        random_direction(m, centre);
        const int tips = 1 + draw_below(m, 4);
        for (int tip = 0; tip < tips && m->contacts < CONVEX_CONTACTS; tip++, m->contacts++) {
            double normal[3], at[3], axes[3][3];
            for (int k = 0; k < 3; k++) normal[k] = -centre[k] + draw(m, -0.2, 0.2);
            axes_of(normal, axes);
            for (int k = 0; k < 3; k++) at[k] = -radius * axes[2][k];
            point_rows(m, m->contacts, object, 1, at, axes);
            for (int a = 0; a < 3; a++)
                for (int k = first; k < m->columns; k++) m->J[3 * m->contacts + a][k] = draw(m, -1, 1);
        }
    }
}

static void parallel(making *m) {
    const double apart = log_draw(m, 1e-6, 1e-1), size = 0.2;
    const int bodies = 1 + draw_below(m, 2), first = m->columns;
    for (int b = 0; b < bodies; b++) body(m, log_draw(m, 0.1, 10), size, 1, 1);
    m->contacts = 3 + draw_below(m, CONVEX_CONTACTS - 2);
    for (int i = 0; i < m->contacts; i++) {
        const int own = first + 6 * draw_below(m, bodies);
        double axes[3][3];
        axes_of((double[3]){apart * draw(m, -1, 1), apart * draw(m, -1, 1), 1}, axes);
        point_rows(m, i, own, 1, (double[3]){draw(m, -size, size), draw(m, -size, size), -size + apart * draw(m, -1, 1)}, axes);
        if (bodies > 1 && draw_below(m, 2))
            point_rows(m, i, 2 * first + 6 - own, -1, (double[3]){draw(m, -size, size), draw(m, -size, size), size}, axes);
    }
}

static void legs(making *m) {
    m->contacts = 2 + draw_below(m, 9);
    const double coupling = log_draw(m, 1e-2, 1e2);
    for (int k = 0; k < 6; k++) m->inverse[m->columns] = coupling, m->speed[m->columns++] = draw(m, -1, 1) / sqrt(coupling);
    for (int i = 0; i < m->contacts; i++) {
        const int joints = 1 + draw_below(m, 2);
        for (int k = 0; k < joints; k++) m->inverse[m->columns + k] = 1, m->speed[m->columns + k] = draw(m, -1, 1);
        for (int a = 0; a < 3; a++) {
            for (int k = 0; k < 6; k++) m->J[3 * i + a][k] = draw(m, -1, 1);
            for (int k = 0; k < joints; k++) m->J[3 * i + a][m->columns + k] = draw(m, -1, 1);
        }
        m->columns += joints;
    }
}

static void wedge(making *m) {
    const double size = 0.1, angle = draw(m, 0, 0.5);
    const int bodies = 1 + draw_below(m, 2), first = m->columns;
    for (int b = 0; b < bodies; b++) body(m, log_draw(m, 0.01, 10), size, 1, 3);
    m->contacts = 2 + draw_below(m, CONVEX_CONTACTS - 1);
    for (int i = 0; i < m->contacts; i++) {
        const int own = first + 6 * draw_below(m, bodies), side = i % 2 ? 1 : -1;
        const double y = draw(m, -size, size), z = draw(m, -size, size);
        double axes[3][3];
        axes_of((double[3]){-side * cos(angle), 0, sin(angle)}, axes);
        point_rows(m, i, own, 1, (double[3]){side * size, y, z}, axes);
        if (bodies > 1 && draw_below(m, 3) == 0) point_rows(m, i, 2 * first + 6 - own, -1, (double[3]){-side * size, y, z}, axes);
    }
}

static void scales(making *m) {
    low_rank(m);
    const double ratio = log_draw(m, 1e1, 1e3);
    for (int i = 0; i < m->contacts; i++) {
        const double by = log_draw(m, 1 / ratio, 1);
        for (int a = 0; a < 3; a++)
            for (int k = 0; k < m->columns; k++) m->J[3 * i + a][k] *= by;
    }
}

/* The same for all, or each its own: none, hardly any, as of rubber on stone, up to 10. */
static double friction(making *m, int kind) {
    switch (kind) {
    case 0: return 0;
    case 1: return log_draw(m, 1e-6, 1e-2);
    case 2: return draw(m, 0.1, 1.2);
    default: return draw(m, 1, 10);
    }
}

void convex_problem_new(convex_problem *p, convex_family family, uint64_t seed) {
    static void (*const make[CONVEX_FAMILIES])(making *) = {low_rank, crowd, stack, hand, parallel, legs, wedge, scales};
    making m = {.source = {seed * CONVEX_FAMILIES + (uint64_t)family}};
    make[family](&m);
    memset(p, 0, sizeof *p);
    p->contacts = m.contacts, p->rank = m.columns;
    const int rows = 3 * m.contacts, kind = draw_below(&m, 6); /* of friction; 4, 5: mixed */
    const double scale = log_draw(&m, 1e-6, 1e6), mobility = log_draw(&m, 1e-6, 1e6);
    const double common = friction(&m, kind);
    for (int i = 0; i < m.contacts; i++)
        p->mu[i] = kind < 4 ? (draw_below(&m, 2) ? common : friction(&m, kind)) : friction(&m, draw_below(&m, 4));
    /* c outside of the range: some contacts open as they are */
    const double lift = draw_below(&m, 3) == 0 ? log_draw(&m, 1e-3, 1) : 0;
    for (int i = 0; i < rows; i++) {
        double c = 0;
        for (int k = 0; k < m.columns; k++) c += m.J[i][k] * m.speed[k];
        p->c[i] = c;
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < m.columns; k++) sum += m.J[i][k] * m.inverse[k] * m.J[j][k];
            p->G[i * rows + j] = p->G[j * rows + i] = mobility * sum;
        }
    }
    for (int i = 0; lift > 0 && i < m.contacts; i++) {
        const double x = draw(&m, -lift, lift), y = draw(&m, -lift, lift);
        p->c[3 * i] += x, p->c[3 * i + 1] += y,
            p->c[3 * i + 2] += p->mu[i] * sqrt(x * x + y * y) + (draw_below(&m, 2) ? draw(&m, 0, lift) : 0);
    }
    for (int i = 0; i < rows; i++) p->c[i] *= scale;
}

myr_contact_problem convex_problem_of(const convex_problem *p) {
    return (myr_contact_problem){.contacts = p->contacts, .G = p->G, .c = p->c, .mu = p->mu};
}

/* Distance of (t, z) from the cone t <= mu z. */
static long double from_cone(long double mu, long double t, long double z) {
    if (t <= mu * z) return 0;
    if (mu * t + z <= 0) return sqrtl(t * t + z * z);
    return (t - mu * z) / sqrtl(1 + mu * mu);
}

double convex_problem_distance(const convex_problem *p) {
    const int rows = 3 * p->contacts;
    long double impulse = 0, velocity = 0, mobility = 0, far = 0;
    for (int i = 0; i < rows; i++) {
        if (!isfinite(p->impulse[i])) return INFINITY;
        impulse = fmaxl(impulse, fabsl(p->impulse[i])), velocity = fmaxl(velocity, fabsl(p->c[i]));
    }
    for (int i = 0; i < rows; i += 3)
        mobility = fmaxl(mobility, ((long double)p->G[i * rows + i] + p->G[(i + 1) * rows + i + 1] + p->G[(i + 2) * rows + i + 2]) / 3);
    impulse = fmaxl(impulse, velocity / mobility);
    for (int i = 0; i < rows; i += 3) {
        long double l[3], w[3];
        for (int a = 0; a < 3; a++) {
            long double sum = p->c[i + a];
            for (int k = 0; k < rows; k++) sum += (long double)p->G[(i + a) * rows + k] * p->impulse[k];
            l[a] = p->impulse[i + a] / impulse, w[a] = sum / velocity;
        }
        const long double mu = p->mu[i / 3], lt = hypotl(l[0], l[1]), wt = hypotl(w[0], w[1]);
        const long double larger = fmaxl(hypotl(lt, l[2]), hypotl(wt, w[2]));
        /* the dual cone mu |w_T| <= w_N is that of 1 / mu; from_cone may not divide by zero */
        const long double under = mu * wt <= w[2] ? 0 : wt + mu * w[2] <= 0 ? hypotl(wt, w[2]) : (mu * wt - w[2]) / sqrtl(1 + mu * mu);
        const long double product = larger > 0 ? fabsl(l[0] * w[0] + l[1] * w[1] + l[2] * w[2]) / larger : 0;
        far = fmaxl(far, fmaxl(fmaxl(from_cone(mu, lt, l[2]), under), product));
    }
    return (double)far;
}
