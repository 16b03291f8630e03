#include "reference/rays.h"

#include <math.h>

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static ref_ray_hit nothing(void) { return (ref_ray_hit){INFINITY, {0, 0, 0}}; }

/* The nearer of what there is and a hit at t with a normal that need not be of length 1. */
static void take(ref_ray_hit *hit, double t, double x, double y, double z) {
    const double length = sqrt(x * x + y * y + z * z);
    if (!(t >= 0 && t < hit->distance)) return;
    *hit = (ref_ray_hit){t, {x / length, y / length, z / length}};
}

ref_ray_hit ref_ray_plane_hit(const double at[3], const double normal[3], const ref_ray *ray) {
    ref_ray_hit hit = nothing();
    const double from[3] = {at[0] - ray->origin[0], at[1] - ray->origin[1], at[2] - ray->origin[2]};
    const double into = dot(ray->direction, normal);
    if (into < 0) take(&hit, dot(from, normal) / into, normal[0], normal[1], normal[2]);
    return hit;
}

/* ---- shapes, in their own axes ---------------------------------------------------------------------- */

/* Roots of a t^2 + 2 b t + c. Returns how many. */
static int roots(double a, double b, double c, double t[2]) {
    const double square = b * b - a * c;
    if (!(a > 0) || square < 0) return 0;
    const double q = -(b + copysign(sqrt(square), b));
    t[0] = q / a, t[1] = q != 0 ? c / q : t[0];
    return 2;
}

/* A ball about (0, 0, z): all of it, or the side of the plane through its middle that `half` says. */
static void on_ball(const ref_ray *r, double radius, double z, int half, ref_ray_hit *hit) {
    const double from[3] = {r->origin[0], r->origin[1], r->origin[2] - z}, *d = r->direction;
    /* what the way to the middle leaves across the direction: b^2 - c would cancel */
    const double along = -dot(from, d) / dot(d, d);
    double across[3];
    for (int k = 0; k < 3; k++) across[k] = from[k] + along * d[k];
    const double square = radius * radius - dot(across, across);
    if (square < 0) return;
    for (int side = -1; side <= 1; side += 2) {
        const double t = along + side * sqrt(square / dot(d, d));
        const double at[3] = {from[0] + t * d[0], from[1] + t * d[1], from[2] + t * d[2]};
        if (half * at[2] >= 0) take(hit, t, at[0], at[1], at[2]);
    }
}

static void on_tube(const ref_ray *r, double radius, double half, ref_ray_hit *hit) {
    const double *o = r->origin, *d = r->direction;
    double t[2];
    const int n = roots(d[0] * d[0] + d[1] * d[1], o[0] * d[0] + o[1] * d[1], o[0] * o[0] + o[1] * o[1] - radius * radius, t);
    for (int k = 0; k < n; k++)
        if (fabs(o[2] + t[k] * d[2]) <= half) take(hit, t[k], o[0] + t[k] * d[0], o[1] + t[k] * d[1], 0);
}

static void on_caps(const ref_ray *r, double radius, double half, ref_ray_hit *hit) {
    for (int side = -1; side <= 1; side += 2) {
        const double t = (side * half - r->origin[2]) / r->direction[2];
        if (r->direction[2] != 0 && hypot(r->origin[0] + t * r->direction[0], r->origin[1] + t * r->direction[1]) <= radius)
            take(hit, t, 0, 0, side);
    }
}

/* Of a convex solid between planes: where it is entered, or left where the ray begins inside. */
static void between(const double (*planes)[4], int n, const ref_ray *r, ref_ray_hit *hit) {
    double in = -INFINITY, out = INFINITY;
    int first = -1, last = -1;
    for (int f = 0; f < n; f++) {
        const double into = dot(planes[f], r->direction), over = dot(planes[f], r->origin) - planes[f][3], t = -over / into;
        if (into == 0 && over > 0) return;
        if (into < 0 && t > in) in = t, first = f;
        if (into > 0 && t < out) out = t, last = f;
    }
    if (in > out) return;
    if (first >= 0) take(hit, in, planes[first][0], planes[first][1], planes[first][2]);
    if (last >= 0) take(hit, out, planes[last][0], planes[last][1], planes[last][2]);
}

static void on_box(const ref_ray *r, const double half[3], ref_ray_hit *hit) {
    double planes[6][4] = {{0}};
    for (int f = 0; f < 6; f++) planes[f][f / 2] = f % 2 ? -1 : 1, planes[f][3] = half[f / 2];
    between((const double(*)[4])planes, 6, r, hit);
}

ref_ray_hit ref_ray_shape_hit(const ref_ray_shape *s, const ref_ray *ray) {
    ref_ray own;
    for (int k = 0; k < 3; k++) {
        own.origin[k] = own.direction[k] = 0;
        for (int j = 0; j < 3; j++) {
            own.origin[k] += s->turn[3 * j + k] * (ray->origin[j] - s->at[j]);
            own.direction[k] += s->turn[3 * j + k] * ray->direction[j];
        }
    }
    ref_ray_hit hit = nothing(), out;
    switch (s->type) {
    case REF_RAY_SPHERE: on_ball(&own, s->size[0], 0, 0, &hit); break;
    case REF_RAY_CAPSULE:
        on_ball(&own, s->size[0], s->size[1], 1, &hit), on_ball(&own, s->size[0], -s->size[1], -1, &hit);
        on_tube(&own, s->size[0], s->size[1], &hit);
        break;
    case REF_RAY_CYLINDER: on_tube(&own, s->size[0], s->size[1], &hit), on_caps(&own, s->size[0], s->size[1], &hit); break;
    case REF_RAY_BOX: on_box(&own, s->size, &hit); break;
    case REF_RAY_HULL: between(s->planes, s->n_planes, &own, &hit); break;
    }
    out = hit;
    for (int k = 0; k < 3; k++)
        out.normal[k] = s->turn[3 * k] * hit.normal[0] + s->turn[3 * k + 1] * hit.normal[1] + s->turn[3 * k + 2] * hit.normal[2];
    return out;
}

/* ---- faces of a hull: any three points that have all others on one side ------------------------------ */

static int face_of(const double *points, int n, const int corner[3], double plane[4]) {
    double e[2][3];
    for (int k = 0; k < 3; k++) {
        e[0][k] = points[3 * corner[1] + k] - points[3 * corner[0] + k];
        e[1][k] = points[3 * corner[2] + k] - points[3 * corner[0] + k];
    }
    for (int k = 0; k < 3; k++) plane[k] = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
    const double length = sqrt(dot(plane, plane));
    if (length < 1e-12) return 0;
    for (int k = 0; k < 3; k++) plane[k] /= length;
    plane[3] = dot(plane, points + 3 * corner[0]);
    double low = 0, high = 0;
    for (int i = 0; i < n; i++) {
        const double over = dot(plane, points + 3 * i) - plane[3];
        low = fmin(low, over), high = fmax(high, over);
    }
    if (low < -1e-12 && high > 1e-12) return 0;
    for (int k = 0; k < 4 && high > 1e-12; k++) plane[k] = -plane[k];
    return 1;
}

int ref_ray_planes(const double *points, int n, double planes[REF_RAY_PLANES][4]) {
    int faces = 0;
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++)
            for (int c = b + 1; c < n && faces < REF_RAY_PLANES; c++) faces += face_of(points, n, (int[3]){a, b, c}, planes[faces]);
    return faces;
}

/* ---- a map: every triangle, top and wall along the way ----------------------------------------------- */

static int clamped(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

static double sample(const ref_ray_map *m, int i, int k) { return m->height[clamped(i, m->nx) * m->ny + clamped(k, m->ny)]; }

static int is_columns(const ref_ray_map *m, int i, int k) {
    return m->columns[clamped(i, m->nx) / m->block * m->blocks_y + clamped(k, m->ny) / m->block];
}

/* The plane of half 0 (lower right) or 1 of cell (i, k), in cells and metres: height = low + a u + b v. */
static void triangle(const ref_ray_map *m, int i, int k, int half, double *low, double *a, double *b) {
    const double side = half ? sample(m, i, k + 1) : sample(m, i + 1, k), far = sample(m, i + 1, k + 1);
    *low = sample(m, i, k);
    *a = half ? far - side : side - *low, *b = half ? side - *low : far - side;
}

/* Height at a place in cells as the nearest sample (i, k) has it; the place may lie on the border of its square. */
static double height_of(const ref_ray_map *m, int i, int k, double u, double v) {
    if (is_columns(m, i, k)) return sample(m, i, k);
    const int left = (int)floor(u), below = (int)floor(v);
    double low, a, b;
    triangle(m, left, below, u - left < v - below, &low, &a, &b);
    return low + a * (u - left) + b * (v - below);
}

typedef struct way {
    const ref_ray_map *m;
    const ref_ray *ray;
    double o[2], d[2]; /* in cells */
    ref_ray_hit hit;
} way;

static const double close = 1e-11; /* [cells]: a line between two of them belongs to both */

static void on_triangle(way *w, int i, int k, int half) {
    double low, a, b;
    triangle(w->m, i, k, half, &low, &a, &b);
    const double into = w->ray->direction[2] - a * w->d[0] - b * w->d[1];
    const double t = (low + a * (w->o[0] - i) + b * (w->o[1] - k) - w->ray->origin[2]) / into;
    if (!(into < 0)) return;
    const double u = w->o[0] + t * w->d[0] - i, v = w->o[1] + t * w->d[1] - k;
    if (u < -close || v < -close || u > 1 + close || v > 1 + close || (half ? v - u : u - v) < -close) return;
    if (!is_columns(w->m, (int)floor(u + i + 0.5), (int)floor(v + k + 0.5))) take(&w->hit, t, -a / w->m->cell, -b / w->m->cell, 1);
}

static void on_top(way *w, int i, int k) {
    const double t = (sample(w->m, i, k) - w->ray->origin[2]) / w->ray->direction[2];
    if (!(w->ray->direction[2] < 0) || !is_columns(w->m, i, k)) return;
    if (fabs(w->o[0] + t * w->d[0] - i) <= 0.5 + close && fabs(w->o[1] + t * w->d[1] - k) <= 0.5 + close) take(&w->hit, t, 0, 0, 1);
}

/* The wall that the ray meets between sample (i, k) and the one behind it along an axis. */
static void on_wall(way *w, int i, int k, int axis) {
    const int ahead = w->d[axis] > 0, from[2] = {i, k};
    if (w->d[axis] == 0) return;
    int to[2] = {i, k};
    to[axis] += ahead ? 1 : -1;
    const double t = (from[axis] + (ahead ? 0.5 : -0.5) - w->o[axis]) / w->d[axis], z = w->ray->origin[2] + t * w->ray->direction[2];
    double at[2] = {w->o[0] + t * w->d[0], w->o[1] + t * w->d[1]};
    at[axis] = from[axis] + (ahead ? 0.5 : -0.5);
    if (!(is_columns(w->m, i, k) || is_columns(w->m, to[0], to[1])) || fabs(at[!axis] - from[!axis]) > 0.5 + close) return;
    const double side = ahead ? -1 : 1;
    if (z >= height_of(w->m, i, k, at[0], at[1]) && z <= height_of(w->m, to[0], to[1], at[0], at[1]))
        take(&w->hit, t, axis ? 0 : side, axis ? side : 0, 0);
}

ref_ray_hit ref_ray_map_hit(const ref_ray_map *m, const ref_ray *ray, double range) {
    way w = {m,
             ray,
             {(ray->origin[0] - m->x0) / m->cell, (ray->origin[1] - m->y0) / m->cell},
             {ray->direction[0] / m->cell, ray->direction[1] / m->cell},
             nothing()};
    double low = INFINITY, high = -INFINITY, from = 0, to = range;
    for (int n = 0; n < m->nx * m->ny; n++) low = fmin(low, m->height[n]), high = fmax(high, m->height[n]);
    const double z = ray->origin[2], rise = ray->direction[2];
    if (rise < 0) from = fmax(0, (high + 1e-9 - z) / rise), to = fmin(range, (low - 1e-9 - z) / rise);
    if (rise > 0) to = fmin(range, (high + 1e-9 - z) / rise);
    if (!(to >= from)) return w.hit;
    const double ends[2] = {w.o[0] + from * w.d[0], w.o[0] + to * w.d[0]};
    for (int i = (int)floor(fmin(ends[0], ends[1])) - 2; i <= (int)ceil(fmax(ends[0], ends[1])) + 2; i++) {
        /* the part of the way that lies within two cells of this row */
        double a = from, b = to;
        if (w.d[0] != 0) {
            const double t[2] = {(i - 2 - w.o[0]) / w.d[0], (i + 2 - w.o[0]) / w.d[0]};
            a = fmax(a, fmin(t[0], t[1])), b = fmin(b, fmax(t[0], t[1]));
        }
        if (a > b) continue;
        const double side[2] = {w.o[1] + a * w.d[1], w.o[1] + b * w.d[1]};
        for (int k = (int)floor(fmin(side[0], side[1])) - 2; k <= (int)ceil(fmax(side[0], side[1])) + 2; k++) {
            on_triangle(&w, i, k, 0), on_triangle(&w, i, k, 1), on_top(&w, i, k);
            on_wall(&w, i, k, 0), on_wall(&w, i, k, 1);
        }
    }
    if (w.hit.distance > range) return nothing();
    return w.hit;
}
