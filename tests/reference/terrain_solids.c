#include "reference/terrain_solids.h"

#include <math.h>
#include <string.h>

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void cross(const double a[3], const double b[3], double out[3]) {
    for (int c = 0; c < 3; c++) out[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}
static double between(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

static double sample(const ref_terrain *t, int i, int k) {
    const int u = i < 0 ? 0 : i >= t->nx ? t->nx - 1 : i, v = k < 0 ? 0 : k >= t->ny ? t->ny - 1 : k;
    return t->height[u * t->ny + v];
}

/* An edge of the map. */
typedef struct edge {
    double from[3], along[3];
} edge;

enum { FIELD_EDGES = 3, PILLAR_EDGES = 2 };

/* Edge `way` of a field from sample (i, k): along x, y, both; of columns between pillar (i, k) and the next along x, along y. Returns 0
 * where there is none. */
static int edge_of(const ref_terrain *t, int i, int k, int way, edge *e) {
    const double near = sample(t, i, k), far = sample(t, i + (way != 1), k + (way != 0));
    *e = (edge){{t->x0 + t->cell * i, t->y0 + t->cell * k, near}, {way != 1 ? t->cell : 0, way != 0 ? t->cell : 0, far - near}};
    if (!t->columns) return 1;
    const double next = sample(t, i + (way == 0), k + (way == 1)), half = 0.5 * t->cell;
    *e = (edge){{t->x0 + t->cell * i + (way ? -half : half), t->y0 + t->cell * k + (way ? half : -half), fmax(near, next)},
                {way ? t->cell : 0, way ? 0 : t->cell, 0}};
    return near != next;
}

/* Cells around a segment. */
static void cells_around(const ref_terrain *t, const double a[3], const double b[3], double reach, int low[2], int high[2]) {
    const double origin[2] = {t->x0, t->y0};
    for (int c = 0; c < 2; c++) {
        low[c] = (int)floor((fmin(a[c], b[c]) - reach - origin[c]) / t->cell) - 2;
        high[c] = (int)ceil((fmax(a[c], b[c]) + reach - origin[c]) / t->cell) + 2;
    }
}

/* Closest points of a segment from a along d and an edge, as shares of both. */
static void closest(const double a[3], const double d[3], const edge *e, double *t, double *s) {
    double r[3], n[3];
    for (int c = 0; c < 3; c++) r[c] = a[c] - e->from[c];
    cross(d, e->along, n);
    const double dd = dot(d, d), de = dot(d, e->along), ee = dot(e->along, e->along), dr = dot(d, r), er = dot(e->along, r), nn = dot(n, n);
    *t = nn > 1e-14 * dd * ee ? between((de * er - ee * dr) / nn) : 0;
    *s = between((de * *t + er) / ee);
    *t = between((de * *s - dr) / dd);
}

/* By how much the segment is above the edge where it crosses it, seen from above, at *t; returns 0 where it does not. */
static int over(const double a[3], const double d[3], const edge *e, double *t, double *clearance) {
    const double turn = d[0] * e->along[1] - d[1] * e->along[0], x = e->from[0] - a[0], y = e->from[1] - a[1];
    if (turn == 0) return 0;
    *t = (x * e->along[1] - y * e->along[0]) / turn;
    const double s = (x * d[1] - y * d[0]) / turn;
    *clearance = a[2] + *t * d[2] - e->from[2] - s * e->along[2];
    return *t >= 0 && *t <= 1 && s >= 0 && s <= 1;
}

#define EACH_EDGE(t, low, high, i, k, way)                                                                                                 \
    for (int i = (low)[0]; i <= (high)[0]; i++)                                                                                            \
        for (int k = (low)[1]; k <= (high)[1]; k++)                                                                                        \
            for (int way = 0; way < ((t)->columns ? PILLAR_EDGES : FIELD_EDGES); way++)

int ref_terrain_middle(const ref_terrain *t, const double a[3], const double b[3], int half, ref_middle *out) {
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, margin = 1e-4 * sqrt(dot(d, d));
    const double ends[2] = {a[2] - ref_terrain_height(t, a[0], a[1], NULL), b[2] - ref_terrain_height(t, b[0], b[1], NULL)};
    double least = INFINITY;
    edge best = {{0}, {0}};
    int low[2], high[2], found = 0;
    cells_around(t, a, b, 0, low, high);
    EACH_EDGE(t, low, high, i, k, way) {
        edge e;
        double at, clearance;
        if (!edge_of(t, i, k, way, &e) || !over(a, d, &e, &at, &clearance) || (at >= 0.5) != half || clearance >= least) continue;
        if (clearance >= ends[0] + at * (ends[1] - ends[0]) - margin) continue;
        least = clearance, best = e, found = 1;
    }
    if (!found) return 0;
    double s, n[3], r[3];
    closest(a, d, &best, &out->share, &s);
    cross(d, best.along, n);
    const double length = copysign(sqrt(dot(n, n)), n[2]), at = out->share;
    for (int c = 0; c < 3; c++) n[c] /= length, r[c] = a[c] - best.from[c];
    out->distance = dot(n, r);
    memcpy(out->normal, n, sizeof n);
    if (least < 0) return 1;
    if (at <= 0 || at >= 1) return 0;
    if (s > 0 && s < 1) return 1;
    for (int c = 0; c < 3; c++) r[c] += at * d[c] - s * best.along[c];
    out->distance = sqrt(dot(r, r));
    for (int c = 0; c < 3; c++) out->normal[c] = r[c] / out->distance;
    return 1;
}

double ref_terrain_rod(const ref_terrain *t, const double a[3], const double b[3]) {
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    double best = fmin(ref_terrain_sphere(t, a, 0).distance, ref_terrain_sphere(t, b, 0).distance);
    int low[2], high[2];
    cells_around(t, a, b, fabs(best), low, high);
    EACH_EDGE(t, low, high, i, k, way) {
        edge e;
        double share, s, r[3];
        if (!edge_of(t, i, k, way, &e)) continue;
        closest(a, d, &e, &share, &s);
        for (int c = 0; c < 3; c++) r[c] = a[c] + share * d[c] - e.from[c] - s * e.along[c];
        best = fmin(best, sqrt(dot(r, r)));
    }
    return best;
}
