/* What a mesh weighs, by tetrahedra between its triangles and a point in its middle (MuJoCo's rules). */
#include <math.h>

#include "mesh.h"

typedef struct triangle {
    const double *v[3];
    double center[3], normal[3]; /* normal: of the length of its area */
    double area;
} triangle;

static triangle take(const double *points, const int *corners) {
    triangle t;
    double a[3], b[3];
    for (int e = 0; e < 3; e++) t.v[e] = points + 3 * (size_t)corners[e];
    for (int k = 0; k < 3; k++) {
        a[k] = t.v[1][k] - t.v[0][k], b[k] = t.v[2][k] - t.v[0][k];
        t.center[k] = (t.v[0][k] + t.v[1][k] + t.v[2][k]) / 3.0;
    }
    myr_cross3(t.normal, a, b);
    for (int k = 0; k < 3; k++) t.normal[k] *= 0.5;
    t.area = sqrt(myr_dot3(t.normal, t.normal));
    return t;
}

/* Volume of the tetrahedron to `from`, of a shell the area. */
static double share(const triangle *t, const double from[3], myr_mesh_weighing how) {
    double d[3];
    if (how == MYR_WEIGH_SHELL) return t->area;
    for (int k = 0; k < 3; k++) d[k] = t->center[k] - from[k];
    const double volume = myr_dot3(d, t->normal) / 3.0;
    return how == MYR_WEIGH_LEGACY ? fabs(volume) : volume;
}

/* The middle of the faces by their areas. */
static double find_middle(const double *points, const int *triangles, int n, double middle[3]) {
    double area = 0.0;
    middle[0] = middle[1] = middle[2] = 0.0;
    for (int i = 0; i < n; i++) {
        const triangle t = take(points, triangles + 3 * (size_t)i);
        area += t.area;
        for (int k = 0; k < 3; k++) middle[k] += t.area * t.center[k];
    }
    for (int k = 0; k < 3 && area > 0.0; k++) middle[k] /= area;
    return area;
}

double myr_mesh_volume(const double *points, const int *triangles, int n_triangles) {
    double middle[3], sum = 0.0;
    find_middle(points, triangles, n_triangles, middle);
    for (int i = 0; i < n_triangles; i++) {
        const triangle t = take(points, triangles + 3 * (size_t)i);
        sum += share(&t, middle, MYR_WEIGH_EXACT);
    }
    return sum;
}

/* Second moments about the centre: of a triangle or tetrahedron whose last corner is there, sum over its corners. */
static void add_moments(const triangle *t, const double center[3], double mass, int shell, double second[6]) {
    static const int first[6] = {0, 1, 2, 0, 0, 1}, last[6] = {0, 1, 2, 1, 2, 2};
    double d[3][3], sum[3] = {0.0, 0.0, 0.0};
    for (int e = 0; e < 3; e++)
        for (int k = 0; k < 3; k++) d[e][k] = t->v[e][k] - center[k], sum[k] += d[e][k];
    for (int m = 0; m < 6; m++) {
        double squares = 0.0;
        for (int e = 0; e < 3; e++) squares += d[e][first[m]] * d[e][last[m]];
        second[m] += mass / (shell ? 12.0 : 20.0) * (squares + sum[first[m]] * sum[last[m]]);
    }
}

int myr_mesh_weigh(const double *points, const int *triangles, int n_triangles, myr_mesh_weighing how, myr_inertia *out) {
    double middle[3], second[6] = {0.0}, whole = 0.0;
    *out = (myr_inertia){.mass = 0.0};
    if (!(find_middle(points, triangles, n_triangles, middle) > 0.0)) return 0;
    for (int i = 0; i < n_triangles; i++) {
        const triangle t = take(points, triangles + 3 * (size_t)i);
        const double mass = share(&t, middle, how), part = how == MYR_WEIGH_SHELL ? 1.0 : 0.75;
        out->mass += mass;
        for (int k = 0; k < 3; k++) out->com[k] += mass * (part * t.center[k] + (1.0 - part) * middle[k]);
    }
    if (!(out->mass > 0.0) || !isfinite(out->mass)) return 0;
    for (int k = 0; k < 3; k++) out->com[k] /= out->mass;
    for (int i = 0; i < n_triangles; i++) {
        const triangle t = take(points, triangles + 3 * (size_t)i);
        const double mass = share(&t, out->com, how);
        add_moments(&t, out->com, mass, how == MYR_WEIGH_SHELL, second);
        whole += mass;
    }
    out->mass = whole; /* of what is not convex, counted as filled, the volume from here is another one */
    out->about_com[0] = second[1] + second[2], out->about_com[1] = second[0] + second[2], out->about_com[2] = second[0] + second[1];
    for (int m = 3; m < 6; m++) out->about_com[m] = -second[m];
    return out->mass > 0.0;
}
