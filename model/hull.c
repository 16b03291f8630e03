/* The corners of a convex hull, by qhull. */
#include <libqhull_r/qhull_ra.h>

#include "description.h"
#include "memory.h"

enum { MYR_MAX_POINTS = 1000000 };

static myr_status check_points(const char *name, const double *points, int n) {
    if (!points) return myr_fail(MYR_E_ARG, "geom `%s`: a hull needs points_m", name);
    if (n < 4 || n > MYR_MAX_POINTS) return myr_fail(MYR_E_ARG, "geom `%s`: n_points is %d; a hull has 4 to %d", name, n, MYR_MAX_POINTS);
    for (int i = 0; i < 3 * n; i++)
        if (!isfinite(points[i]) || fabs(points[i]) > 1e100)
            return myr_fail(MYR_E_ARG, "geom `%s`: point %d has a coordinate %g", name, i / 3, points[i]);
    return MYR_OK;
}

/* In ascending order of the points, so that slots follow them. */
static myr_status take_corners(qhT *qh, const char *name, const double *points, int n, double **corners, int *n_corners) {
    char *is_corner = myr_allocate_array((size_t)n, 1);
    double *out = myr_allocate_array(3 * MYR_MAX_CORNERS, sizeof *out);
    myr_status status = is_corner && out ? MYR_OK : myr_fail(MYR_E_MEMORY, "out of memory for geom `%s`", name);
    int count = 0;
    vertexT *vertex, **vertexp; /* the names that qhull's macro wants */
    (void)vertexp;
    if (!status) FORALLvertices {
            is_corner[qh_pointid(qh, vertex->point)] = 1;
        }
    for (int i = 0; i < n && !status; i++) {
        if (!is_corner[i]) continue;
        if (count < MYR_MAX_CORNERS) memcpy(out + 3 * count, points + 3 * i, 3 * sizeof *out);
        count++;
    }
    if (!status && count > MYR_MAX_CORNERS)
        status = myr_fail(MYR_E_LIMIT, "geom `%s`: its convex hull has %d corners, each a contact slot; at most %d: give a coarser one",
                          name, count, MYR_MAX_CORNERS);
    myr_release(is_corner);
    if (status) {
        myr_release(out);
        return status;
    }
    *corners = out;
    *n_corners = count;
    return MYR_OK;
}

myr_status myr_convex_hull(const char *name, const double *points, int n, double **corners, int *n_corners) {
    myr_status status = check_points(name, points, n);
    if (status) return status;
    double *copy = myr_allocate_array(3 * (size_t)n, sizeof *copy);
    FILE *nowhere = fopen("/dev/null", "w"); /* qhull writes what it thinks of its input */
    if (copy && nowhere) {
        memcpy(copy, points, 3 * (size_t)n * sizeof *copy);
        qhT state;
        int kept, total;
        char options[] = "qhull";
        memset(&state, 0, sizeof state);
        const int failed = qh_new_qhull(&state, 3, n, copy, 0, options, nowhere, nowhere);
        if (failed)
            status =
                myr_fail(MYR_E_ARG, "geom `%s`: its %d points have no convex hull with a volume: they lie in a plane, or nearly", name, n);
        else
            status = take_corners(&state, name, points, n, corners, n_corners);
        qh_freeqhull(&state, !qh_ALL);
        qh_memfreeshort(&state, &kept, &total);
    } else {
        status = myr_fail(MYR_E_MEMORY, "out of memory for geom `%s`", name);
    }
    if (nowhere) fclose(nowhere);
    myr_release(copy);
    return status;
}
