/* Convex hulls by qhull: corners, and the triangles between them. */
#include "hull.h"

#include <libqhull_r/qhull_ra.h>

#include "base/memory.h"

/* One run of qhull. */
typedef struct run {
    qhT state;
    double *copy;
    FILE *nowhere; /* qhull writes what it thinks of its input */
    int opened;
} run;

static myr_status check_points(const char *name, const double *points, int n) {
    if (!points) return myr_fail(MYR_E_ARG, "geom `%s`: a hull needs points_m", name);
    if (n < 4 || n > MYR_MAX_POINTS) return myr_fail(MYR_E_ARG, "geom `%s`: n_points is %d; a hull has 4 to %d", name, n, MYR_MAX_POINTS);
    for (int i = 0; i < 3 * n; i++)
        if (!isfinite(points[i]) || fabs(points[i]) > 1e100)
            return myr_fail(MYR_E_ARG, "geom `%s`: point %d has a coordinate %g", name, i / 3, points[i]);
    return MYR_OK;
}

static myr_status start(run *r, const char *name, const double *points, int n, const char *options) {
    char words[32];
    memset(r, 0, sizeof *r);
    r->copy = myr_allocate_array(3 * (size_t)n, sizeof *r->copy);
    r->nowhere = fopen("/dev/null", "w");
    if (!r->copy || !r->nowhere) return myr_fail(MYR_E_MEMORY, "out of memory for geom `%s`", name);
    memcpy(r->copy, points, 3 * (size_t)n * sizeof *r->copy);
    snprintf(words, sizeof words, "%s", options);
    r->opened = 1;
    if (qh_new_qhull(&r->state, 3, n, r->copy, 0, words, r->nowhere, r->nowhere))
        return myr_fail(MYR_E_ARG, "geom `%s`: its %d points have no convex hull with a volume: they lie in a plane, or nearly", name, n);
    return MYR_OK;
}

static void finish(run *r) {
    int kept, total;
    if (r->opened) {
        qh_freeqhull(&r->state, !qh_ALL);
        qh_memfreeshort(&r->state, &kept, &total);
    }
    if (r->nowhere) fclose(r->nowhere);
    myr_release(r->copy);
}

/* Numbers of the points that are corners, ascending, so that slots follow them. */
static myr_status take_corners(qhT *qh, const char *name, int n, int **corners, int *n_corners) {
    char *is_corner = myr_allocate_array((size_t)n, 1);
    vertexT *vertex, **vertexp; /* the names that qhull's macro wants */
    int count = 0, *out = NULL;
    (void)vertexp;
    if (is_corner) {
        FORALLvertices { is_corner[qh_pointid(qh, vertex->point)] = 1; }
        for (int i = 0; i < n; i++) count += is_corner[i];
        out = myr_allocate_array((size_t)count + 1, sizeof *out);
    }
    for (int i = 0, k = 0; i < n && out; i++)
        if (is_corner[i]) out[k++] = i;
    myr_release(is_corner);
    *corners = out;
    *n_corners = count;
    return out ? MYR_OK : myr_fail(MYR_E_MEMORY, "out of memory for geom `%s`", name);
}

/* Counterclockwise from outside. */
static myr_status take_triangles(qhT *qh, const char *name, const double *points, int **triangles, int *n_triangles) {
    facetT *facet;
    vertexT *vertex, **vertexp;
    int *out = myr_allocate_array(3 * (size_t)qh->num_facets + 3, sizeof *out), n = 0;
    if (!out) return myr_fail(MYR_E_MEMORY, "out of memory for geom `%s`", name);
    FORALLfacets {
        int corner[3] = {0, 0, 0}, k = 0;
        double a[3], b[3], normal[3];
        FOREACHvertex_(facet->vertices) {
            if (k < 3) corner[k] = qh_pointid(qh, vertex->point);
            k++;
        }
        if (k != 3) continue;
        const double *p = points + 3 * (size_t)corner[0], *q = points + 3 * (size_t)corner[1], *s = points + 3 * (size_t)corner[2];
        for (int e = 0; e < 3; e++) a[e] = q[e] - p[e], b[e] = s[e] - p[e];
        myr_cross3(normal, a, b);
        const int turned = myr_dot3(normal, facet->normal) < 0.0;
        out[3 * n] = corner[0], out[3 * n + 1] = corner[turned ? 2 : 1], out[3 * n + 2] = corner[turned ? 1 : 2];
        n++;
    }
    *triangles = out;
    *n_triangles = n;
    return MYR_OK;
}

myr_status myr_hull_triangles(const char *name, const double *points, int n, int **triangles, int *n_triangles) {
    run r;
    myr_status status = check_points(name, points, n);
    if (status) return status;
    status = start(&r, name, points, n, "qhull Qt");
    if (!status) status = take_triangles(&r.state, name, points, triangles, n_triangles);
    finish(&r);
    return status;
}

static myr_status find_corners(const char *name, const double *points, int n, int **corners, int *n_corners) {
    run r;
    myr_status status = start(&r, name, points, n, "qhull");
    if (!status) status = take_corners(&r.state, name, n, corners, n_corners);
    finish(&r);
    return status;
}

myr_status myr_convex_hull(const char *name, const double *points, int n, int most, double **corners, int *n_corners, double *error) {
    int *which = NULL, count = 0;
    double *all = NULL;
    *error = 0.0;
    myr_status status = check_points(name, points, n);
    if (!status) status = find_corners(name, points, n, &which, &count);
    if (status) return status;
    if (!most && count > MYR_MAX_CORNERS)
        status =
            myr_fail(MYR_E_LIMIT, "geom `%s`: its convex hull has %d corners; at most %d, or say to how many it is reduced (hull_corners)",
                     name, count, MYR_MAX_CORNERS);
    if (!status && !(all = myr_allocate_array(3 * (size_t)count, sizeof *all)))
        status = myr_fail(MYR_E_MEMORY, "out of memory for geom `%s`", name);
    for (int i = 0; i < count && !status; i++) memcpy(all + 3 * (size_t)i, points + 3 * (size_t)which[i], 3 * sizeof *all);
    if (!status && most && count > most) status = myr_hull_reduce(name, all, count, most, &count, error);
    myr_release(which);
    if (status) {
        myr_release(all);
        return status;
    }
    *corners = all;
    *n_corners = count;
    return MYR_OK;
}
