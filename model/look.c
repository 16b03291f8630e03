#include "look.h"

#include <math.h>

#include "description.h"
#include "base/memory.h"

static myr_status flag(const char *name, const char *what, int value, int most) {
    if (value >= 0 && value <= most) return MYR_OK;
    return myr_fail(MYR_E_ARG, "sensor `%s`: look.%s is %d, but must be 0 to %d", name, what, value, most);
}

/* Points of a height_scan are x and y of a pattern of parallel rays. */
static myr_status check_scan(const char *name, const myr_sensor_look *look) {
    const myr_ray_pattern *p = &look->pattern;
    myr_status status = flag(name, "scan", (int)look->scan, MYR_SCAN_NEAREST);
    if (!status) status = flag(name, "value", (int)look->value, MYR_SCAN_CLEARANCE);
    if (!status) status = flag(name, "least", look->least, 1);
    if (status) return status;
    if (p->kind != MYR_RAYS_GRID && p->kind != MYR_RAYS_RING)
        return myr_fail(MYR_E_ARG, "sensor `%s`: look.pattern of a height_scan must be a grid or a ring", name);
    return MYR_OK;
}

static myr_status check_rays(const char *name, myr_sensor_kind kind, const myr_sensor_look *look) {
    myr_status status = flag(name, "axes", (int)look->axes, MYR_RAYS_HEADING_AXES);
    if (!status) status = flag(name, "exclude", (int)look->exclude, MYR_RAYS_EXCLUDE_TREE);
    if (!status) status = flag(name, "ground", look->ground, 1);
    if (!status) status = flag(name, "shapes", look->shapes, 1);
    if (!status) status = flag(name, "depth", look->depth, 1);
    if (!status && look->depth && (kind == MYR_SENSOR_RANGEFINDER || look->pattern.kind == MYR_RAYS_LIDAR))
        return myr_fail(MYR_E_ARG, "sensor `%s`: look.depth is along -z, where all rays must go: of a grid, a ring or a pinhole", name);
    if (status || (look->range_m > 0 && look->range_m <= MYR_RAYS_FARTHEST)) return status;
    return myr_fail(MYR_E_ARG, "sensor `%s`: look.range_m is %g, but must be above 0 and at most %d", name, look->range_m,
                    MYR_RAYS_FARTHEST);
}

myr_status myr_check_look(const char *name, myr_sensor_kind kind, const myr_sensor_look *look) {
    const int scans = kind == MYR_SENSOR_HEIGHT_SCAN, most = MYR_SCAN_MOST;
    if (!myr_looks(kind)) return MYR_OK;
    myr_status status = scans ? check_scan(name, look) : check_rays(name, kind, look);
    if (status || kind == MYR_SENSOR_RANGEFINDER) return status;
    const int n = myr_ray_pattern_count(&look->pattern);
    if (n < 1 || n > most) return myr_fail(MYR_E_ARG, "sensor `%s`: look.pattern must have 1 to %d rays or points", name, most);
    double *rays = myr_allocate_array((size_t)n * 6, sizeof *rays);
    if (!rays) return myr_fail(MYR_E_MEMORY, "out of memory for sensor `%s`", name);
    status = myr_ray_pattern_rays(&look->pattern, rays, rays + 3 * n); /* its own message says what is out of range */
    for (int k = 0; k < n && !status && scans; k++)
        if (!(fabs(rays[3 * k]) <= MYR_SCAN_FARTHEST && fabs(rays[3 * k + 1]) <= MYR_SCAN_FARTHEST))
            status = myr_fail(MYR_E_ARG, "sensor `%s`: a point of look.pattern is farther away than %d m", name, MYR_SCAN_FARTHEST);
    myr_release(rays);
    return status;
}

/* As the model keeps them: of a scan x and y, else origin and direction. */
static void keep_rays(myr_sensor *s, const double *origin, const double *direction) {
    const int scans = s->kind == MYR_SENSOR_HEIGHT_SCAN;
    for (int k = 0; k < s->n_rays; k++)
        for (int i = 0; i < 3; i++)
            if (!scans)
                s->rays[6 * k + i] = origin[3 * k + i], s->rays[6 * k + 3 + i] = direction[3 * k + i];
            else if (i < 2)
                s->rays[2 * k + i] = origin[3 * k + i];
}

myr_status myr_find_look(const myr_builder *b, int body, myr_sensor *s, myr_model *m) {
    const myr_sensor_look *look = &s->look;
    const int scans = s->kind == MYR_SENSOR_HEIGHT_SCAN, one = s->kind == MYR_SENSOR_RANGEFINDER;
    const int hides = !scans && look->exclude == MYR_RAYS_EXCLUDE_BODY;
    s->n_rays = one ? 1 : myr_ray_pattern_count(&look->pattern), s->size = scans && look->least ? 1 : s->n_rays;
    m->sees_shapes |= !scans && look->shapes;
    const size_t numbers = 6 * (size_t)s->n_rays;
    s->rays = myr_allocate_array(numbers, sizeof *s->rays);
    s->hidden = hides ? myr_allocate_array((size_t)m->n_geoms + 1, sizeof *s->hidden) : NULL;
    double *made = myr_allocate_array(numbers, sizeof *made);
    myr_status status =
        s->rays && made && (s->hidden || !hides) ? MYR_OK : myr_fail(MYR_E_MEMORY, "out of memory for sensor `%s`", s->name);
    for (int g = 0; g < b->n_geoms && !status && hides; g++) s->hidden[g] = b->geoms[g].body == body;
    if (!status && one)
        s->rays[5] = 1; /* along z */
    else if (!status && (status = myr_ray_pattern_rays(&look->pattern, made, made + 3 * s->n_rays)) == MYR_OK)
        keep_rays(s, made, made + 3 * s->n_rays);
    myr_release(made);
    return status;
}
