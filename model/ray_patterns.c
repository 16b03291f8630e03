/* Rays as sensors have them. */
#include <math.h>

#include "machine/machine.h"
#include "model/model.h"
#include "base/trigonometry.h"
#include "myriapod/rays.h"

#define PI 3.14159265358979323846

myr_ray_pattern myr_ray_pattern_default(myr_ray_kind kind) {
    return (myr_ray_pattern){.kind = kind,
                             .nx = 17,
                             .ny = 11,
                             .cell_m = 0.1,
                             .n = 6,
                             .radius_m = 0.03,
                             .rows = 16,
                             .columns = 360,
                             .elevation = {-PI / 12, PI / 12},
                             .azimuth = {-PI, PI},
                             .width = 32,
                             .height = 24,
                             .fovy = PI / 3};
}

/* Rays along the slow and the fast index. */
static void sides(const myr_ray_pattern *p, int *slow, int *fast) {
    *slow = 1, *fast = 0;
    switch (p->kind) {
    case MYR_RAYS_GRID: *slow = p->nx, *fast = p->ny; break;
    case MYR_RAYS_RING: *fast = p->n; break;
    case MYR_RAYS_LIDAR: *slow = p->rows, *fast = p->columns; break;
    case MYR_RAYS_PINHOLE: *slow = p->height, *fast = p->width; break;
    }
}

int myr_ray_pattern_count(const myr_ray_pattern *pattern) {
    int slow, fast;
    if (!pattern) return 0;
    sides(pattern, &slow, &fast);
    if (slow < 1 || fast < 1 || slow > MYR_RAYS_MOST || fast > MYR_RAYS_MOST / slow) return 0;
    return slow * fast;
}

static myr_status check(const myr_ray_pattern *p, const char *call) {
    if (p->kind < MYR_RAYS_GRID || p->kind > MYR_RAYS_PINHOLE)
        return myr_fail(MYR_E_ARG, "%s: kind is %d, but must be MYR_RAYS_GRID, _RING, _LIDAR or _PINHOLE", call, (int)p->kind);
    if (!myr_ray_pattern_count(p)) {
        int slow, fast;
        sides(p, &slow, &fast);
        return myr_fail(MYR_E_ARG, "%s: it has %d x %d rays, but must have 1 to %d", call, slow, fast, MYR_RAYS_MOST);
    }
    const double size = p->kind == MYR_RAYS_GRID ? p->cell_m : p->radius_m;
    if (p->kind <= MYR_RAYS_RING && !(size > 0 && size <= MYR_RAYS_FARTHEST))
        return myr_fail(MYR_E_ARG, "%s: %s is %g, but must be above 0 and at most %d m", call,
                        p->kind == MYR_RAYS_GRID ? "cell_m" : "radius_m", size, MYR_RAYS_FARTHEST);
    if (p->kind == MYR_RAYS_GRID && !(fabs(p->x_m) <= MYR_RAYS_FARTHEST && fabs(p->y_m) <= MYR_RAYS_FARTHEST))
        return myr_fail(MYR_E_ARG, "%s: the middle is (%g, %g), but must be within %d m", call, p->x_m, p->y_m, MYR_RAYS_FARTHEST);
    const double turn = fmax(fabs(p->azimuth[0]), fabs(p->azimuth[1])), up = fmax(fabs(p->elevation[0]), fabs(p->elevation[1]));
    if (p->kind == MYR_RAYS_LIDAR && !(isfinite(p->elevation[0] + p->elevation[1]) && up <= PI / 2))
        return myr_fail(MYR_E_ARG, "%s: elevation is %g .. %g, but must be within pi / 2", call, p->elevation[0], p->elevation[1]);
    if (p->kind == MYR_RAYS_LIDAR && !(isfinite(p->azimuth[0] + p->azimuth[1]) && turn <= 4 * PI))
        return myr_fail(MYR_E_ARG, "%s: azimuth is %g .. %g, but must be within 4 pi", call, p->azimuth[0], p->azimuth[1]);
    if (p->kind == MYR_RAYS_PINHOLE && !(p->fovy > 0 && p->fovy < PI))
        return myr_fail(MYR_E_ARG, "%s: fovy is %g, but must be above 0 and below pi", call, p->fovy);
    return MYR_OK;
}

/* Ray (slow index i, fast index j). */
static void ray_of(const myr_ray_pattern *p, int i, int j, double o[3], double d[3]) {
    double s, c, t, u;
    o[0] = o[1] = o[2] = d[0] = d[1] = 0, d[2] = -1;
    switch (p->kind) {
    case MYR_RAYS_GRID: o[0] = p->x_m + p->cell_m * (i - 0.5 * (p->nx - 1)), o[1] = p->y_m + p->cell_m * (j - 0.5 * (p->ny - 1)); break;
    case MYR_RAYS_RING:
        myr_sincos(2 * PI * j / p->n, &s, &c);
        o[0] = p->radius_m * c, o[1] = p->radius_m * s;
        break;
    case MYR_RAYS_LIDAR: {
        const double share = p->rows > 1 ? (double)i / (p->rows - 1) : 0.5;
        myr_sincos(p->elevation[0] + share * (p->elevation[1] - p->elevation[0]), &s, &c);
        myr_sincos(p->azimuth[0] + (p->azimuth[1] - p->azimuth[0]) * j / p->columns, &t, &u);
        d[0] = c * u, d[1] = c * t, d[2] = s;
        break;
    }
    case MYR_RAYS_PINHOLE: {
        myr_sincos(p->fovy / 2, &s, &c);
        const double x = (2 * j + 1 - p->width) * (s / c) / p->height, y = (p->height - 1 - 2 * i) * (s / c) / p->height;
        const double length = sqrt(x * x + y * y + 1);
        d[0] = x / length, d[1] = y / length, d[2] = -1 / length;
        break;
    }
    }
}

myr_status myr_ray_pattern_rays(const myr_ray_pattern *pattern, double *origin, double *direction) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_ray_pattern_rays";
    if (!pattern || !direction) return myr_fail(MYR_E_ARG, "%s: `%s` is NULL", call, pattern ? "direction" : "pattern");
    const myr_status status = check(pattern, call);
    if (status != MYR_OK) return status;
    int slow, fast;
    sides(pattern, &slow, &fast);
    for (int64_t ray = 0; ray < (int64_t)slow * fast; ray++) {
        double o[3];
        ray_of(pattern, (int)(ray / fast), (int)(ray % fast), o, direction + 3 * ray);
        for (int k = 0; origin && k < 3; k++) origin[3 * ray + k] = o[k];
    }
    return MYR_OK;
}
