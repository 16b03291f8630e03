/* The faces of a hull: its triangles, those in one plane as one polygon. Outlines of more corners than MYR_FACE_CORNERS lose those that
 * cost the least area; the plane stays. */
#include <math.h>
#include <string.h>

#include "hull.h"
#include "base/memory.h"
#include "base/trigonometry.h"

#define SAME_PLANE 1e-6  /* of the hull's radius */
#define ROUNDING 0x1p-48 /* of how far away it is: a plane is not known better */

/* Corners around a face, counterclockwise from outside. */
typedef struct outline {
    int n, corner[MYR_MAX_CORNERS];
} outline;

typedef struct search {
    const double *corners;
    int n, n_triangles;
    int *triangles;
    double *area;
    char *taken;
    double thick;
} search;

static const double *at(const search *s, int i) { return s->corners + 3 * (size_t)i; }

static void area_of(const double a[3], const double b[3], const double c[3], double out[3]) {
    double u[3], v[3];
    for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = c[k] - a[k];
    myr_cross3(out, u, v);
}

static int unit(double v[3]) {
    const double length = sqrt(myr_dot3(v, v));
    for (int k = 0; k < 3; k++) v[k] = length > 0.0 ? v[k] / length : 0.0;
    return length > 0.0;
}

static int is_in(const search *s, const double normal[3], double offset, int corner) {
    return fabs(myr_dot3(normal, at(s, corner)) - offset) <= s->thick;
}

/* Narrower than what counts as one plane: rounding says where such a triangle looks. Those beside it hold its corners. */
static int is_sliver(const search *s, const int *t, const double across[3]) {
    double longest2 = 0.0;
    for (int i = 0; i < 3; i++) {
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = at(s, t[(i + 1) % 3])[k] - at(s, t[i])[k];
        longest2 = fmax(longest2, myr_dot3(d, d));
    }
    return myr_dot3(across, across) <= s->thick * s->thick * longest2;
}

/* The corners in the plane, by their angle about the middle of them. */
static void go_around(const search *s, const double normal[3], double offset, outline *o) {
    double middle[3] = {0.0}, u[3] = {0.0}, v[3], angle[MYR_MAX_CORNERS];
    o->n = 0;
    for (int i = 0; i < s->n && o->n < MYR_MAX_CORNERS; i++)
        if (is_in(s, normal, offset, i)) o->corner[o->n++] = i;
    for (int i = 0; i < o->n; i++)
        for (int k = 0; k < 3; k++) middle[k] += at(s, o->corner[i])[k] / o->n;
    for (int k = 0; k < 3; k++) u[k] = at(s, o->corner[0])[k] - middle[k];
    const double up = myr_dot3(u, normal);
    for (int k = 0; k < 3; k++) u[k] -= up * normal[k];
    unit(u);
    myr_cross3(v, normal, u);
    for (int i = 0; i < o->n; i++) {
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = at(s, o->corner[i])[k] - middle[k];
        const int corner = o->corner[i];
        const double here = i ? myr_atan2(myr_dot3(d, v), myr_dot3(d, u)) : 0.0;
        int j = i;
        for (; j > 0 && angle[j - 1] > here; j--) angle[j] = angle[j - 1], o->corner[j] = o->corner[j - 1];
        angle[j] = here, o->corner[j] = corner;
    }
}

/* Take out the corner that spans the least area with its neighbours; those that span none anyway. */
static void simplify(const search *s, const double normal[3], outline *o) {
    while (o->n > 3) {
        int least = 0;
        double least_area = INFINITY, whole = 0.0;
        for (int i = 0; i < o->n; i++) {
            double across[3];
            area_of(at(s, o->corner[(i + o->n - 1) % o->n]), at(s, o->corner[i]), at(s, o->corner[(i + 1) % o->n]), across);
            const double area = myr_dot3(across, normal);
            whole += fabs(area);
            if (area < least_area) least_area = area, least = i;
        }
        if (o->n <= MYR_FACE_CORNERS && least_area > 1e-6 * whole) return;
        memmove(o->corner + least, o->corner + least + 1, (size_t)(o->n - 1 - least) * sizeof *o->corner);
        o->n--;
    }
}

static void take_face(search *s, int largest, myr_face *face) {
    const int *t = s->triangles + 3 * largest;
    outline o;
    area_of(at(s, t[0]), at(s, t[1]), at(s, t[2]), face->normal);
    unit(face->normal);
    const double offset = myr_dot3(face->normal, at(s, t[0]));
    for (int i = 0; i < s->n_triangles; i++) {
        const int *other = s->triangles + 3 * i;
        double normal[3];
        area_of(at(s, other[0]), at(s, other[1]), at(s, other[2]), normal);
        const int same = is_in(s, face->normal, offset, other[0]) && is_in(s, face->normal, offset, other[1]) &&
                         is_in(s, face->normal, offset, other[2]);
        if (same && myr_dot3(normal, face->normal) >= 0.0) s->taken[i] = 1;
    }
    s->taken[largest] = 1;
    go_around(s, face->normal, offset, &o);
    if (o.n > 3) { /* the mean over all of it is better than the one triangle */
        double sum[3] = {0.0};
        for (int i = 1; i + 1 < o.n; i++) {
            double part[3];
            area_of(at(s, o.corner[0]), at(s, o.corner[i]), at(s, o.corner[i + 1]), part);
            for (int k = 0; k < 3; k++) sum[k] += part[k];
        }
        if (unit(sum)) myr_copy3(face->normal, sum);
    }
    face->offset = -INFINITY; /* all corners are below it */
    for (int i = 0; i < s->n; i++) face->offset = fmax(face->offset, myr_dot3(face->normal, at(s, i)));
    simplify(s, face->normal, &o);
    face->n = o.n;
    for (int i = 0; i < o.n; i++) myr_copy3(face->corner[i], at(s, o.corner[i]));
}

myr_status myr_hull_faces(const char *name, const double *corners, int n, myr_face **faces, int *n_faces) {
    search s = {.corners = corners, .n = n};
    double size2 = 0.0, far2 = 0.0;
    *faces = NULL, *n_faces = 0;
    myr_status status = myr_hull_triangles(name, corners, n, &s.triangles, &s.n_triangles);
    if (status) return status;
    for (int i = 0; i < n; i++) {
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = at(&s, i)[k] - corners[k];
        size2 = fmax(size2, myr_dot3(d, d));
        far2 = fmax(far2, myr_dot3(at(&s, i), at(&s, i)));
    }
    s.thick = SAME_PLANE * sqrt(size2) + ROUNDING * sqrt(far2);
    s.area = myr_allocate_array((size_t)s.n_triangles + 1, sizeof *s.area);
    s.taken = myr_allocate_array((size_t)s.n_triangles + 1, 1);
    *faces = myr_allocate_array((size_t)s.n_triangles + 1, sizeof **faces);
    if (!s.area || !s.taken || !*faces) status = myr_fail(MYR_E_MEMORY, "out of memory for geom `%s`", name);
    for (int i = 0; i < s.n_triangles && !status; i++) {
        double across[3];
        const int *t = s.triangles + 3 * i;
        area_of(at(&s, t[0]), at(&s, t[1]), at(&s, t[2]), across);
        s.area[i] = is_sliver(&s, t, across) ? 0.0 : sqrt(myr_dot3(across, across));
    }
    while (!status) {
        int largest = -1;
        for (int i = 0; i < s.n_triangles; i++)
            if (!s.taken[i] && s.area[i] > s.thick * s.thick && (largest < 0 || s.area[i] > s.area[largest])) largest = i;
        if (largest < 0) break;
        take_face(&s, largest, &(*faces)[(*n_faces)++]);
    }
    /* A needle has none that counts, and what looks for the face along a direction begins with the first. */
    if (!status && *n_faces < 2)
        status =
            myr_fail(MYR_E_ARG, "geom `%s`: its points are nearly on a line: no face of its hull is wider than 1e-6 of its length", name);
    myr_release(s.triangles);
    myr_release(s.area);
    myr_release(s.taken);
    if (status) {
        myr_release(*faces);
        *faces = NULL, *n_faces = 0;
    }
    return status;
}

myr_status myr_hull_planes(const myr_geom *g, const double middle[3], double (**planes)[4], int *n_planes) {
    myr_face *faces = g->faces, *own = NULL;
    int n = g->n_faces;
    *planes = NULL, *n_planes = 0;
    if (!faces) {
        const myr_status status = myr_hull_faces(g->name, g->points, g->n_points, &own, &n);
        if (status == MYR_E_ARG) return MYR_OK;
        if (status) return status;
        faces = own;
    }
    *planes = myr_allocate_array((size_t)n, sizeof **planes);
    for (int i = 0; i < n && *planes; i++) {
        memcpy((*planes)[i], faces[i].normal, sizeof faces[i].normal);
        (*planes)[i][3] = faces[i].offset - myr_dot3(faces[i].normal, middle);
    }
    *n_planes = n;
    myr_release(own);
    return *planes ? MYR_OK : myr_fail(MYR_E_MEMORY, "out of memory for geom `%s`", g->name);
}
