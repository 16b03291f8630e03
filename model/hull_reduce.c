/* A hull of many corners becomes one of few, inside of it: in turn the corner comes in that is farthest outside of what is kept. Of 157
 * collision meshes 32 corners leave out 2 mm as the median, 64 corners a third of a millimetre. */
#include <math.h>
#include <string.h>

#include "hull.h"
#include "base/memory.h"

typedef struct planes {
    int n;
    int *triangles;
    double (*normal)[3], *offset; /* unit, outward; of its plane */
} planes;

typedef struct reduction {
    const char *name;
    const double *corners;
    int n, most, kept;
    int *order;     /* kept ones, as they came */
    double *points; /* their coordinates */
    char *inside;   /* corners that are kept, or no longer outside */
} reduction;

static const double *corner(const reduction *r, int i) { return r->corners + 3 * (size_t)i; }

static void keep(reduction *r, int i) {
    memcpy(r->points + 3 * r->kept, corner(r, i), 3 * sizeof *r->points);
    r->order[r->kept++] = i;
    r->inside[i] = 1;
}

/* The corner that is farthest from the point, line or plane of those kept so far. */
static int farthest(const reduction *r) {
    const double *o = r->points;
    double along[3] = {0.0}, normal[3] = {0.0}, most = -1.0;
    int best = 0;
    if (r->kept > 1)
        for (int k = 0; k < 3; k++) along[k] = r->points[3 + k] - o[k];
    if (r->kept > 2) {
        double second[3];
        for (int k = 0; k < 3; k++) second[k] = r->points[6 + k] - o[k];
        myr_cross3(normal, along, second);
    }
    for (int i = 0; i < r->n; i++) {
        double d[3], across[3], square;
        for (int k = 0; k < 3; k++) d[k] = corner(r, i)[k] - o[k];
        if (r->kept == 2) myr_cross3(across, along, d);
        square = r->kept == 1 ? myr_dot3(d, d) : r->kept == 2 ? myr_dot3(across, across) : fabs(myr_dot3(normal, d));
        if (square > most) most = square, best = i;
    }
    return best;
}

static void forget(planes *p) {
    myr_release(p->triangles);
    myr_release(p->normal);
    myr_release(p->offset);
    *p = (planes){.n = 0};
}

static myr_status find_planes(const reduction *r, planes *p) {
    *p = (planes){.n = 0};
    myr_status status = myr_hull_triangles(r->name, r->points, r->kept, &p->triangles, &p->n);
    if (status) return status;
    p->normal = myr_allocate_array((size_t)p->n + 1, sizeof *p->normal);
    p->offset = myr_allocate_array((size_t)p->n + 1, sizeof *p->offset);
    if (!p->normal || !p->offset) {
        forget(p);
        return myr_fail(MYR_E_MEMORY, "out of memory for geom `%s`", r->name);
    }
    for (int t = 0; t < p->n; t++) {
        const double *a = r->points + 3 * p->triangles[3 * t], *b = r->points + 3 * p->triangles[3 * t + 1],
                     *c = r->points + 3 * p->triangles[3 * t + 2];
        double u[3], v[3];
        for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = c[k] - a[k];
        myr_cross3(p->normal[t], u, v);
        const double length = sqrt(myr_dot3(p->normal[t], p->normal[t]));
        for (int k = 0; k < 3; k++) p->normal[t][k] = length > 0.0 ? p->normal[t][k] / length : 0.0;
        p->offset[t] = length > 0.0 ? myr_dot3(p->normal[t], a) : INFINITY;
    }
    return MYR_OK;
}

/* How far a point is above the plane that it is highest above; *which: that plane. */
static double above(const planes *p, const double x[3], int *which) {
    double most = -INFINITY;
    for (int t = 0; t < p->n; t++) {
        const double height = myr_dot3(p->normal[t], x) - p->offset[t];
        if (height > most) most = height, *which = t;
    }
    return most;
}

static double clamp01(double t) { return t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t; }

/* Squared distance from a segment. */
static double from_edge(const double x[3], const double a[3], const double b[3]) {
    double along[3], d[3];
    for (int k = 0; k < 3; k++) along[k] = b[k] - a[k], d[k] = x[k] - a[k];
    const double length2 = myr_dot3(along, along), t = length2 > 0.0 ? clamp01(myr_dot3(along, d) / length2) : 0.0;
    for (int k = 0; k < 3; k++) d[k] -= t * along[k];
    return myr_dot3(d, d);
}

/* Squared distance from triangle t. */
static double from_triangle(const reduction *r, const planes *p, int t, const double x[3]) {
    const double *v[3];
    double least = INFINITY;
    int over = 1;
    for (int e = 0; e < 3; e++) v[e] = r->points + 3 * p->triangles[3 * t + e];
    for (int e = 0; e < 3; e++) {
        double side[3], out[3], d[3];
        for (int k = 0; k < 3; k++) side[k] = v[(e + 1) % 3][k] - v[e][k], d[k] = x[k] - v[e][k];
        myr_cross3(out, side, p->normal[t]);
        over &= myr_dot3(out, d) <= 0.0;
        least = fmin(least, from_edge(x, v[e], v[(e + 1) % 3]));
    }
    const double height = myr_dot3(p->normal[t], x) - p->offset[t];
    return over && isfinite(height) ? height * height : least;
}

/* The distance from a hull is largest at a corner of the larger one. */
static double largest_distance(const reduction *r, const planes *p) {
    double worst = 0.0;
    for (int i = 0; i < r->n; i++) {
        int near = 0;
        if (above(p, corner(r, i), &near) <= 0.0 || from_triangle(r, p, near, corner(r, i)) <= worst) continue;
        double least = INFINITY;
        for (int t = 0; t < p->n && least > worst; t++) least = fmin(least, from_triangle(r, p, t, corner(r, i)));
        if (least > worst) worst = least;
    }
    return sqrt(worst);
}

static myr_status choose(reduction *r, double *error) {
    planes p;
    keep(r, 0); /* then what is farthest from it stands in for it */
    const int first = farthest(r);
    r->inside[0] = 0, r->kept = 0;
    keep(r, first);
    while (r->kept < 4) keep(r, farthest(r));
    myr_status status = find_planes(r, &p);
    if (status) return status;
    const double size = sqrt(from_edge(r->points, r->points + 3, r->points + 3)), least = 1e-12 * size;
    while (r->kept < r->most) {
        double most = least;
        int best = -1;
        for (int i = 0; i < r->n; i++) {
            int which;
            if (r->inside[i]) continue;
            const double height = above(&p, corner(r, i), &which);
            if (height <= 0.0) r->inside[i] = 1; /* for good: what is kept only grows */
            if (height > most) most = height, best = i;
        }
        if (best < 0) break;
        keep(r, best);
        forget(&p);
        if ((status = find_planes(r, &p))) return status;
    }
    *error = largest_distance(r, &p);
    forget(&p);
    return MYR_OK;
}

myr_status myr_hull_reduce(const char *name, double *corners, int n, int most, int *kept, double *error) {
    reduction r = {.name = name, .corners = corners, .n = n, .most = most};
    r.order = myr_allocate_array((size_t)most, sizeof *r.order);
    r.points = myr_allocate_array(3 * (size_t)most, sizeof *r.points);
    r.inside = myr_allocate_array((size_t)n, 1);
    myr_status status = r.order && r.points && r.inside ? choose(&r, error) : myr_fail(MYR_E_MEMORY, "out of memory for geom `%s`", name);
    if (!status) {
        memset(r.inside, 0, (size_t)n);
        for (int k = 0; k < r.kept; k++) r.inside[r.order[k]] = 1;
        *kept = 0;
        for (int i = 0; i < n; i++)
            if (r.inside[i]) memmove(corners + 3 * (size_t)(*kept)++, corners + 3 * (size_t)i, 3 * sizeof *corners);
    }
    myr_release(r.order);
    myr_release(r.points);
    myr_release(r.inside);
    return status;
}
