/* A mesh becomes a map of fields: its height at each sample, and how far the two surfaces are from each other between samples.
 *
 * A mesh is a ground where its triangles cover its rectangle once. Three things are looked at: all triangles face the same side (none is a
 * wall), their areas seen from above add up to the rectangle's, and no sample finds two heights. Work is counted, so that a mesh of many
 * long triangles cannot hold a call up. */
#include <math.h>
#include <string.h>

#include "files.h"
#include "base/memory.h"
#include "formats/mesh.h"

#define SLACK 1e-6 /* what rounding may do: of a cell, of the rectangle's area, of the mesh's height */
static const int64_t most_visits = INT64_C(1) << 32;

typedef struct sampler {
    const char *label;
    const myr_mesh *mesh;
    double cell, low[3], high[3];
    int first[2], n[2]; /* of samples along x and y: number of the first, from x = y = 0, and how many */
    float *heights;     /* NaN: not found yet */
    int64_t visits;
} sampler;

static const double *corner(const sampler *s, int triangle, int c) {
    return s->mesh->points + 3 * (size_t)s->mesh->triangles[3 * (size_t)triangle + (size_t)c];
}

static myr_status count(sampler *s, double visits) {
    s->visits += (int64_t)fmin(visits, 1e15) + 1;
    return s->visits <= most_visits ? MYR_OK
                                    : myr_fail(MYR_E_LIMIT, "%.1000s: its triangles and cells of %g m are more work than %lld visits",
                                               s->label, s->cell, (long long)most_visits);
}

/* ---- is it a ground? ----------------------------------------------------------------------------------------------------------- */

/* Twice the area seen from above, by the sign of its side. */
static double area_from_above(const sampler *s, int t) {
    const double *a = corner(s, t, 0), *b = corner(s, t, 1), *c = corner(s, t, 2);
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static myr_status find_rectangle(sampler *s, myr_terrain_def *def) {
    const myr_mesh *mesh = s->mesh;
    for (int k = 0; k < 3; k++) s->low[k] = INFINITY, s->high[k] = -INFINITY;
    for (int i = 0; i < 3 * mesh->n_triangles; i++)
        for (int k = 0; k < 3; k++) {
            const double x = mesh->points[3 * (size_t)mesh->triangles[i] + (size_t)k];
            s->low[k] = fmin(s->low[k], x), s->high[k] = fmax(s->high[k], x);
        }
    int64_t n[2];
    for (int a = 0; a < 2; a++) {
        const double first = ceil(s->low[a] / s->cell - SLACK), last = floor(s->high[a] / s->cell + SLACK);
        if (!(fabs(first) < 1e9 && fabs(last) < 1e9))
            return myr_fail(MYR_E_LIMIT, "%.1000s: it goes from %g to %g m along %c, and cells are %g m", s->label, s->low[a], s->high[a],
                            'x' + a, s->cell);
        s->first[a] = (int)first, n[a] = (int64_t)last - (int64_t)first + 1;
    }
    const myr_status status = myr_terrain_check_size(s->label, "its rectangle by cell_m", n[0], n[1]);
    if (status) return status;
    s->n[0] = def->nx = (int)n[0], s->n[1] = def->ny = (int)n[1];
    int *const origin[2] = {&def->origin_i, &def->origin_k};
    for (int a = 0; a < 2; a++)
        if (*origin[a] < 0 && s->first[a] <= 0 && -s->first[a] < s->n[a]) *origin[a] = -s->first[a];
    return MYR_OK;
}

static myr_status check_cover(const sampler *s) {
    const double rectangle = 2 * (s->high[0] - s->low[0]) * (s->high[1] - s->low[1]);
    double sum = 0;
    int side = 0;
    for (int t = 0; t < s->mesh->n_triangles; t++) {
        const double *a = corner(s, t, 0), *b = corner(s, t, 1), *c = corner(s, t, 2), area = area_from_above(s, t);
        double u[3], v[3];
        for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = c[k] - a[k];
        const double wall = hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2]);
        if (fabs(area) <= 1e-9 * wall && wall > 0)
            return myr_fail(MYR_E_FORMAT,
                            "%.1000s: triangle %d is a wall: a vertical line meets it more than once; columns of a map have walls",
                            s->label, t + 1);
        if (area == 0) continue; /* a point or a line: it has no inside */
        if (side && (area > 0) != (side > 0))
            return myr_fail(MYR_E_FORMAT,
                            "%.1000s: triangle %d faces the other side than the ones before: a vertical line meets the mesh twice",
                            s->label, t + 1);
        side = area > 0 ? 1 : -1;
        sum += fabs(area);
    }
    if (!(fabs(sum - rectangle) <= SLACK * rectangle))
        return myr_fail(MYR_E_FORMAT, "%.1000s: seen from above its triangles have %.4g times the area of its rectangle: %s", s->label,
                        sum / rectangle,
                        sum > rectangle ? "a vertical line meets the mesh twice" : "it has a hole, or it is not a rectangle");
    return MYR_OK;
}

/* ---- heights ------------------------------------------------------------------------------------------------------------------- */

/* Where the line x = at crosses a triangle: its two ends in y, and their heights. */
static void cut(const sampler *s, int t, double at, double y[2], double z[2]) {
    y[0] = INFINITY, y[1] = -INFINITY, z[0] = z[1] = 0;
    for (int e = 0; e < 3; e++) {
        const double *a = corner(s, t, e), *b = corner(s, t, (e + 1) % 3);
        if ((a[0] > at && b[0] > at) || (a[0] < at && b[0] < at)) continue;
        for (int end = 0; end < 2; end++) { /* an edge along the line has two */
            const double f = a[0] == b[0] ? end : (at - a[0]) / (b[0] - a[0]);
            const double v = a[1] + f * (b[1] - a[1]), h = a[2] + f * (b[2] - a[2]);
            if (v < y[0]) y[0] = v, z[0] = h;
            if (v > y[1]) y[1] = v, z[1] = h;
        }
    }
}

static myr_status put(sampler *s, int i, int k, double height) {
    float *at = &s->heights[(size_t)i * (size_t)s->n[1] + (size_t)k];
    if (!isnan(*at) && fabs((double)*at - height) > SLACK * (s->high[2] - s->low[2] + s->cell + fabs(height)))
        return myr_fail(MYR_E_FORMAT, "%.1000s: at x %g, y %g a vertical line meets it twice, at %g and %g m", s->label,
                        (s->first[0] + i) * s->cell, (s->first[1] + k) * s->cell, (double)*at, height);
    *at = (float)height;
    return MYR_OK;
}

static int clamp(double x, int most) { return x < 0 ? 0 : x > most ? most : (int)x; }

/* All samples below or above one triangle; those on its border by the nearest point of it. */
static myr_status sample_triangle(sampler *s, int t) {
    const double *a = corner(s, t, 0), *b = corner(s, t, 1), *c = corner(s, t, 2);
    const double left = fmin(a[0], fmin(b[0], c[0])), right = fmax(a[0], fmax(b[0], c[0]));
    if (area_from_above(s, t) == 0) return MYR_OK;
    const int begin = clamp(ceil(left / s->cell - SLACK) - s->first[0], s->n[0]);
    const int end = clamp(floor(right / s->cell + SLACK) - s->first[0] + 1, s->n[0]);
    myr_status status = count(s, end - begin);
    for (int i = begin; i < end && !status; i++) {
        double y[2], z[2];
        cut(s, t, fmin(fmax((s->first[0] + i) * s->cell, left), right), y, z);
        if (!(y[0] <= y[1])) continue;
        const int from = clamp(ceil(y[0] / s->cell - SLACK) - s->first[1], s->n[1]);
        const int to = clamp(floor(y[1] / s->cell + SLACK) - s->first[1] + 1, s->n[1]);
        status = count(s, to - from);
        for (int k = from; k < to && !status; k++) {
            const double at = fmin(fmax((s->first[1] + k) * s->cell, y[0]), y[1]);
            const double f = y[1] > y[0] ? (at - y[0]) / (y[1] - y[0]) : 0;
            status = put(s, i, k, z[0] + f * (z[1] - z[0]));
        }
    }
    return status;
}

/* ---- how far the surfaces are from each other ----------------------------------------------------------------------------------- */

/* The map's height in cells (u, v) from its first sample; places beyond the last sample by its border. */
static double map_height(const sampler *s, double u, double v) {
    u = fmin(fmax(u, 0), s->n[0] - 1), v = fmin(fmax(v, 0), s->n[1] - 1);
    const int i = clamp(floor(u), s->n[0] - 2), k = clamp(floor(v), s->n[1] - 2);
    const float *at = &s->heights[(size_t)i * (size_t)s->n[1] + (size_t)k];
    const double x = u - i, y = v - k, h = (double)at[0], far = (double)at[s->n[1] + 1];
    const double middle = x >= y ? (double)at[s->n[1]] : (double)at[1];
    return x >= y ? h + (middle - h) * x + (far - middle) * y : h + (far - middle) * x + (middle - h) * y;
}

/* Both surfaces are flat between the places where edges of the two cross, so the largest difference is at a corner of the mesh, or where
 * one of its edges crosses one of the map's: along x, along y, or along the diagonal of a cell. */
static myr_status compare_edge(sampler *s, const double *a, const double *b, double *worst) {
    double from[3], to[3];
    for (int k = 0; k < 2; k++) from[k] = a[k] / s->cell - s->first[k], to[k] = b[k] / s->cell - s->first[k];
    from[2] = from[0] - from[1], to[2] = to[0] - to[1];
    *worst = fmax(*worst, fabs(a[2] - map_height(s, from[0], from[1])));
    for (int line = 0; line < 3; line++) {
        const double low = fmin(from[line], to[line]), high = fmax(from[line], to[line]);
        if (!(high > low)) continue;
        const myr_status status = count(s, high - low);
        if (status) return status;
        for (double at = ceil(low); at <= high; at++) {
            const double f = (at - from[line]) / (to[line] - from[line]);
            const double u = from[0] + f * (to[0] - from[0]), v = from[1] + f * (to[1] - from[1]);
            *worst = fmax(*worst, fabs(a[2] + f * (b[2] - a[2]) - map_height(s, u, v)));
        }
    }
    return MYR_OK;
}

static myr_status sample_all(sampler *s, double *worst) {
    myr_status status = MYR_OK;
    const size_t n = (size_t)s->n[0] * (size_t)s->n[1];
    if (!(s->heights = myr_allocate_array(n, sizeof *s->heights))) return myr_fail(MYR_E_MEMORY, "%.1000s: out of memory", s->label);
    for (size_t i = 0; i < n; i++) s->heights[i] = NAN;
    for (int t = 0; t < s->mesh->n_triangles && !status; t++) status = sample_triangle(s, t);
    for (size_t i = 0; i < n && !status; i++)
        if (isnan(s->heights[i]))
            status = myr_fail(MYR_E_FORMAT, "%.1000s: at x %g, y %g there is a hole in it", s->label,
                              (s->first[0] + (int)(i / (size_t)s->n[1])) * s->cell, (s->first[1] + (int)(i % (size_t)s->n[1])) * s->cell);
    *worst = 0;
    for (int t = 0; t < s->mesh->n_triangles && !status; t++)
        for (int e = 0; e < 3 && !status; e++) status = compare_edge(s, corner(s, t, e), corner(s, t, (e + 1) % 3), worst);
    return status;
}

myr_status myr_terrain_resample(const char *label, const myr_mesh *mesh, const myr_terrain_read_options *options, myr_terrain **out) {
    myr_terrain_def def;
    double worst = 0;
    sampler s = {.label = label, .mesh = mesh, .cell = options->cell_m};
    myr_status status = myr_terrain_begin_def(label, options, &def);
    if (!status) status = find_rectangle(&s, &def);
    if (!status) status = check_cover(&s);
    if (!status) status = sample_all(&s, &worst);
    def.heights_m = s.heights;
    if (!status) status = myr_terrain_finish_def(label, options, &def, out);
    if (!status) (*out)->resampled = worst;
    myr_release(s.heights);
    return status;
}

myr_status myr_terrain_read_mesh(const myr_bytes *file, const myr_terrain_read_options *options, myr_terrain **out) {
    const char *label = file->label, *text = (const char *)file->at;
    myr_mesh mesh = {.points = NULL};
    if (options->columns) return myr_fail(MYR_E_ARG, "%.1000s: columns is %d; a mesh is read as a field", label, options->columns);
    myr_status status = myr_terrain_ends_in(label, ".obj") ? myr_mesh_read_obj(label, text, file->length, &mesh)
                                                           : myr_mesh_read_stl(label, text, file->length, &mesh);
    if (!status && !mesh.n_triangles) status = myr_fail(MYR_E_FORMAT, "%.1000s: there is no triangle in it", label);
    if (!status) status = myr_terrain_resample(label, &mesh, options, out);
    myr_mesh_free(&mesh);
    return status;
}
