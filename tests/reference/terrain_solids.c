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

/* ---- vertices and flat solids ------------------------------------------------------------------------------------------ */

static void place(const ref_terrain *t, int i, int k, double out[3]) {
    out[0] = t->x0 + t->cell * i, out[1] = t->y0 + t->cell * k, out[2] = sample(t, i, k);
}

/* The edge from (i, k) to (i + di, k + dk) between the triangles to (i + left[0], ..) and (i + right[0], ..). */
static int is_convex(const ref_terrain *t, int i, int k, const int to[2], const int left[2], const int right[2]) {
    double a[3], b[3], l[3], r[3], along[3], n[2][3];
    place(t, i, k, a), place(t, i + to[0], k + to[1], b);
    place(t, i + left[0], k + left[1], l), place(t, i + right[0], k + right[1], r);
    for (int c = 0; c < 3; c++) along[c] = b[c] - a[c], l[c] -= a[c], r[c] -= a[c];
    cross(along, l, n[0]), cross(r, along, n[1]);
    for (int side = 0; side < 2; side++) {
        const double length = copysign(sqrt(dot(n[side], n[side])), n[side][2]);
        for (int c = 0; c < 3; c++) n[side][c] /= length;
    }
    return dot(n[0], r) < 0 && dot(n[0], n[1]) < cos(5 * M_PI / 180);
}

int ref_terrain_sharp(const ref_terrain *t, int i, int k) {
    static const int edges[3][3][2] = {{{1, 0}, {1, 1}, {0, -1}}, {{0, 1}, {1, 1}, {-1, 0}}, {{1, 1}, {1, 0}, {0, 1}}};
    if (t->columns) {
        const double h = sample(t, i, k);
        return sample(t, i + 1, k) != h || sample(t, i, k + 1) != h || sample(t, i + 1, k + 1) != h;
    }
    for (int e = 0; e < 3; e++) {
        const int *to = edges[e][0];
        if (is_convex(t, i, k, to, edges[e][1], edges[e][2])) return 1;
        if (is_convex(t, i - to[0], k - to[1], to, edges[e][1], edges[e][2])) return 1;
    }
    return 0;
}

double ref_flat_distance(const ref_flat *flat, const double x[3], double normal[3]) {
    double q[3], n[3] = {0}, distance = -INFINITY;
    for (int c = 0; c < 3; c++) {
        q[c] = 0;
        for (int e = 0; e < 3; e++) q[c] += flat->turn[3 * e + c] * (x[e] - flat->center[e]);
    }
    if (flat->kind == REF_HULL) {
        for (int i = 0; i < flat->n_planes; i++) {
            const double d = dot(flat->planes[i], q) - flat->planes[i][3];
            if (d > distance) distance = d, memcpy(n, flat->planes[i], sizeof n);
        }
    } else { /* in the plane or space of what is measured: how far over each extent */
        const double around = hypot(q[0], q[1]);
        const int box = flat->kind == REF_BOX, sizes = box ? 3 : 2;
        const double over[3] = {box ? fabs(q[0]) - flat->half[0] : around - flat->half[0],
                                box ? fabs(q[1]) - flat->half[1] : fabs(q[2]) - flat->half[2], fabs(q[2]) - flat->half[2]};
        double out = 0, m[3] = {0};
        int most = 0;
        for (int c = 0; c < sizes; c++) {
            if (over[c] > over[most]) most = c;
            if (over[c] > 0) out += over[c] * over[c], m[c] = over[c];
        }
        distance = out > 0 ? sqrt(out) : over[most];
        if (!(out > 0)) m[most] = 1;
        const double length = out > 0 ? distance : 1;
        for (int c = 0; c < 3; c++) n[c] = copysign(m[c] / length, q[c]);
        if (!box) n[0] = m[0] / length * q[0] / around, n[1] = m[0] / length * q[1] / around, n[2] = copysign(m[1] / length, q[2]);
    }
    for (int c = 0; c < 3; c++) normal[c] = flat->turn[3 * c] * n[0] + flat->turn[3 * c + 1] * n[1] + flat->turn[3 * c + 2] * n[2];
    return distance;
}

void ref_terrain_spikes(const ref_terrain *t, const ref_flat *flat, double reach, ref_spike out[4]) {
    const double *R = flat->turn, *c = flat->center, shift = t->columns ? 0.5 * t->cell : 0;
    int upright = 2, low[2], high[2];
    for (int e = 0; e < 2; e++)
        if (fabs(R[6 + e]) > fabs(R[6 + upright])) upright = e;
    double extent[3];
    for (int e = 0; e < 3; e++)
        extent[e] = fabs(R[3 * e]) * flat->half[0] + fabs(R[3 * e + 1]) * flat->half[1] + fabs(R[3 * e + 2]) * flat->half[2];
    cells_around(t, c, c, fmax(extent[0], extent[1]), low, high);
    memset(out, 0, 4 * sizeof *out);
    for (int i = low[0]; i <= high[0]; i++)
        for (int k = low[1]; k <= high[1]; k++) {
            double x[3], n[3], q[2] = {0};
            place(t, i, k, x);
            x[0] += shift, x[1] += shift;
            if (t->columns) x[2] = fmax(fmax(x[2], sample(t, i + 1, k)), fmax(sample(t, i, k + 1), sample(t, i + 1, k + 1)));
            if (fabs(x[0] - c[0]) > extent[0] || fabs(x[1] - c[1]) > extent[1] || x[2] < c[2] - extent[2] - reach) continue;
            if (!ref_terrain_sharp(t, i, k)) continue;
            const double distance = ref_flat_distance(flat, x, n);
            if (!(-n[2] > 1e-3)) continue;
            for (int e = 0; e < 3; e++)
                for (int a = 0; a < 2; a++) q[a] += R[3 * e + (upright + 1 + a) % 3] * (x[e] - c[e]);
            ref_spike *s = &out[(q[0] > 0) + 2 * (q[1] > 0)];
            if (s->has && s->distance <= distance) continue;
            s->has = 1, s->distance = distance;
            memcpy(s->vertex, x, sizeof x);
            for (int e = 0; e < 3; e++) s->normal[e] = -n[e];
        }
}
