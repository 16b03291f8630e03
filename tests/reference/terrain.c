#include "reference/terrain.h"

#include <math.h>
#include <string.h>

typedef struct triangle {
    double corner[3][3];
} triangle;

static int clamped(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

static double sample(const ref_terrain *t, int i, int k) { return t->height[clamped(i, t->nx) * t->ny + clamped(k, t->ny)]; }

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Which sample, or which cell where `shift` is 0, a coordinate is at. */
static int place(double x, double x0, double cell, double shift) { return (int)floor((x - x0) / cell + shift); }

double ref_terrain_height(const ref_terrain *t, double x, double y, double normal[3]) {
    double slope[2] = {0, 0}, height;
    if (t->columns) {
        height = sample(t, place(x, t->x0, t->cell, 0.5), place(y, t->y0, t->cell, 0.5));
    } else {
        const int i = place(x, t->x0, t->cell, 0), k = place(y, t->y0, t->cell, 0);
        const double a = (x - t->x0) / t->cell - i, b = (y - t->y0) / t->cell - k;
        const double low = sample(t, i, k), far = sample(t, i + 1, k + 1);
        const double side = a >= b ? sample(t, i + 1, k) : sample(t, i, k + 1);
        const double rises[2] = {a >= b ? side - low : far - side, a >= b ? far - side : side - low};
        height = low + a * rises[0] + b * rises[1];
        slope[0] = rises[0] / t->cell, slope[1] = rises[1] / t->cell;
    }
    if (normal) {
        const double length = sqrt(1 + slope[0] * slope[0] + slope[1] * slope[1]);
        normal[0] = -slope[0] / length, normal[1] = -slope[1] / length, normal[2] = 1 / length;
    }
    return height;
}

/* ---- fields ------------------------------------------------------------------------------------- */

/* Half 0 or 1 of cell (i, k). */
static triangle triangle_of(const ref_terrain *t, int i, int k, int half) {
    const int at[3][2] = {{i, k}, {half ? i : i + 1, half ? k + 1 : k}, {i + 1, k + 1}};
    triangle out;
    for (int c = 0; c < 3; c++) {
        out.corner[c][0] = t->x0 + t->cell * at[c][0], out.corner[c][1] = t->y0 + t->cell * at[c][1];
        out.corner[c][2] = sample(t, at[c][0], at[c][1]);
    }
    return out;
}

/* The closest point of a segment. */
static void on_edge(const double a[3], const double b[3], const double x[3], double out[3]) {
    double e[3], d[3];
    for (int c = 0; c < 3; c++) e[c] = b[c] - a[c], d[c] = x[c] - a[c];
    const double along = dot(e, d) / dot(e, e), share = along < 0 ? 0 : along > 1 ? 1 : along;
    for (int c = 0; c < 3; c++) out[c] = a[c] + share * e[c];
}

/* The normal of a triangle, upwards; returns how high x is over its plane, and whether the foot of x on it lies inside. */
static double over_face(const triangle *t, const double x[3], double normal[3], int *inside) {
    double e[2][3], d[3];
    for (int c = 0; c < 3; c++)
        e[0][c] = t->corner[1][c] - t->corner[0][c], e[1][c] = t->corner[2][c] - t->corner[0][c], d[c] = x[c] - t->corner[0][c];
    for (int c = 0; c < 3; c++) normal[c] = e[0][(c + 1) % 3] * e[1][(c + 2) % 3] - e[0][(c + 2) % 3] * e[1][(c + 1) % 3];
    const double length = copysign(sqrt(dot(normal, normal)), normal[2]);
    for (int c = 0; c < 3; c++) normal[c] /= length;
    const double aa = dot(e[0], e[0]), ab = dot(e[0], e[1]), bb = dot(e[1], e[1]), ad = dot(e[0], d), bd = dot(e[1], d);
    const double det = aa * bb - ab * ab, u = (bb * ad - ab * bd) / det, v = (aa * bd - ab * ad) / det;
    *inside = u >= 0 && v >= 0 && u + v <= 1;
    return dot(normal, d);
}

static void on_triangle(const triangle *t, const double x[3], double out[3]) {
    double normal[3], best = INFINITY;
    int inside;
    const double over = over_face(t, x, normal, &inside);
    for (int c = 0; c < 3; c++) out[c] = x[c] - over * normal[c];
    if (inside) return;
    for (int edge = 0; edge < 3; edge++) {
        double at[3], d[3];
        on_edge(t->corner[edge], t->corner[(edge + 1) % 3], x, at);
        for (int c = 0; c < 3; c++) d[c] = at[c] - x[c];
        if (dot(d, d) >= best) continue;
        best = dot(d, d);
        memcpy(out, at, sizeof at);
    }
}

/* Cells or pillars that lie within `reach` of a coordinate. */
static int from_place(double x, double x0, double cell, double reach) { return place(x - reach, x0, cell, 0) - 1; }
static int to_place(double x, double x0, double cell, double reach) { return place(x + reach, x0, cell, 0) + 1; }

#define EACH_PLACE(t, x, reach, i, k)                                                                                                      \
    for (int i = from_place((x)[0], (t)->x0, (t)->cell, reach); i <= to_place((x)[0], (t)->x0, (t)->cell, reach); i++)                     \
        for (int k = from_place((x)[1], (t)->y0, (t)->cell, reach); k <= to_place((x)[1], (t)->y0, (t)->cell, reach); k++)

/* ---- columns ------------------------------------------------------------------------------------ */

/* Of a centre that is free, the closest point of pillar (i, k); of one that is in a pillar, the closest free point over it. */
static void on_pillar(const ref_terrain *t, int i, int k, const double x[3], int buried, double out[3]) {
    const double middle[2] = {t->x0 + t->cell * i, t->y0 + t->cell * k}, half = t->cell / 2, height = sample(t, i, k);
    for (int c = 0; c < 2; c++) {
        const double d = x[c] - middle[c];
        out[c] = d > half ? middle[c] + half : d < -half ? middle[c] - half : x[c];
    }
    out[2] = buried ? fmax(height, x[2]) : fmin(height, x[2]);
}

/* ---- both --------------------------------------------------------------------------------------- */

ref_ground_contact ref_terrain_sphere(const ref_terrain *t, const double center[3], double radius) {
    const double over = center[2] - ref_terrain_height(t, center[0], center[1], NULL), reach = fabs(over) + 1e-9;
    const int buried = over < 0;
    double best = INFINITY, at[3] = {center[0], center[1], center[2] - over};
    EACH_PLACE(t, center, reach, i, k) {
        for (int half = 0; half < (t->columns ? 1 : 2); half++) {
            double x[3], d[3];
            if (t->columns) {
                on_pillar(t, i, k, center, buried, x);
            } else {
                const triangle face = triangle_of(t, i, k, half);
                on_triangle(&face, center, x);
            }
            for (int c = 0; c < 3; c++) d[c] = x[c] - center[c];
            if (dot(d, d) >= best) continue;
            best = dot(d, d);
            memcpy(at, x, sizeof at);
        }
    }
    const double distance = sqrt(best), out = buried ? 1 : -1;
    ref_ground_contact found = {(buried ? -distance : distance) - radius, {0, 0, 1}};
    if (distance > 0)
        for (int c = 0; c < 3; c++) found.normal[c] = out * (at[c] - center[c]) / distance;
    else
        ref_terrain_height(t, center[0], center[1], found.normal);
    return found;
}

int ref_terrain_second(const ref_terrain *t, const double center[3], double radius, const double first[3], ref_ground_contact *second) {
    static const double apart = 0.883; /* square of the cosine of 20 degrees */
    double best = radius;
    int found = 0;
    EACH_PLACE(t, center, radius, i, k)
    for (int half = 0; half < 2; half++) {
        const triangle face = triangle_of(t, i, k, half);
        double normal[3];
        int inside;
        const double over = over_face(&face, center, normal, &inside), cosine = dot(normal, first);
        if (!inside || fabs(over) > radius || (cosine >= 0 && cosine * cosine >= apart) || (found && over >= best)) continue;
        best = over, found = 1;
        second->distance = over - radius;
        memcpy(second->normal, normal, sizeof normal);
    }
    return found;
}
