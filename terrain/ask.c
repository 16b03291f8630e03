/* Asking a map: what it is, how high it is, its samples. */
#include <math.h>
#include <string.h>

#include "terrain.h"

enum { EDGE = MYR_TERRAIN_EDGE, BLOCK = MYR_TERRAIN_BLOCK };

void myr_terrain_get_info(const myr_terrain *t, myr_terrain_info *info) {
    if (!info) return;
    memset(info, 0, sizeof *info);
    if (!t) return;
    info->nx = t->nx, info->ny = t->ny, info->origin_i = t->origin_i, info->origin_k = t->origin_k;
    info->blocks_x = (t->nx + BLOCK - 1) / BLOCK, info->blocks_y = (t->ny + BLOCK - 1) / BLOCK;
    info->is_whole = t->steps != NULL, info->has_fields = t->has_fields, info->has_columns = t->has_columns;
    info->cell_m = t->cell, info->step_m = t->steps ? t->step : 0;
    info->lowest_m = t->lowest, info->highest_m = t->highest;
    info->hash = t->hash, info->bytes = t->bytes, info->resampled_m = t->resampled;
    info->patch_levels = t->levels, info->patch_columns = t->patch_columns;
}

void myr_terrain_place(const myr_terrain *t, double at[3]) {
    const int first[2] = {t->origin_i, t->origin_k};
    for (int a = 0; a < 2; a++) at[a] = fmax(fmin(floor(at[a] / t->cell + 0.5) + first[a], 1e6), -1e6) + 0 * at[a];
    at[2] = t->steps ? floor(at[2] / t->step + 0.5) : (double)(float)at[2];
}

void myr_terrain_metres(const myr_terrain *t, double at[3]) {
    at[0] = (at[0] - t->origin_i) * t->cell, at[1] = (at[1] - t->origin_k) * t->cell, at[2] *= t->step;
}

double myr_terrain_highest(const myr_terrain *t, int i, int k, int half) {
    double highest = -INFINITY;
    for (int u = i - half; u <= i + half; u++)
        for (int v = k - half; v <= k + half; v++) {
            const int row = u < 0 ? 0 : u < t->nx ? u : t->nx - 1, column = v < 0 ? 0 : v < t->ny ? v : t->ny - 1;
            highest = fmax(highest, myr_terrain_unit(t, myr_terrain_at(t, row, column)));
        }
    return highest;
}

/* The whole part of a place in cells, with the edges for all that is beyond. */
static int clamped(double cells, int n) { return cells < 1 - EDGE ? 1 - EDGE : cells > n + EDGE - 2 ? n + EDGE - 2 : (int)cells; }

static double sample(const myr_terrain *t, int i, int k) { return t->step * myr_terrain_unit(t, myr_terrain_at(t, i, k)); }

/* Of the triangle below: slopes per cell. */
static double field_height(const myr_terrain *t, double u, double v, double slope[2]) {
    const int i = clamped(floor(u), t->nx), k = clamped(floor(v), t->ny);
    const double x = u - floor(u), y = v - floor(v), h = sample(t, i, k), far = sample(t, i + 1, k + 1);
    const double middle = x >= y ? sample(t, i + 1, k) : sample(t, i, k + 1);
    slope[0] = x >= y ? middle - h : far - middle, slope[1] = x >= y ? far - middle : middle - h;
    return h + slope[0] * x + slope[1] * y;
}

myr_status myr_terrain_height(const myr_terrain *t, int64_t n, const double *xy, double *height, double *normal) {
    MYR_OWN_ARITHMETIC;
    if (!t || !xy || !height) return myr_fail(MYR_E_ARG, "myr_terrain_height: `%s` is NULL", !t ? "terrain" : !xy ? "xy" : "height");
    for (int64_t p = 0; p < n; p++) {
        const double u = xy[2 * p] / t->cell + t->origin_i, v = xy[2 * p + 1] / t->cell + t->origin_k;
        if (!isfinite(u) || !isfinite(v))
            return myr_fail(MYR_E_ARG, "myr_terrain_height: place %lld is (%g, %g)", (long long)p, xy[2 * p], xy[2 * p + 1]);
        double slope[2] = {0, 0};
        const int i = clamped(floor(u + 0.5), t->nx), k = clamped(floor(v + 0.5), t->ny);
        height[p] = t->columns[myr_terrain_block(t, i, k)] ? sample(t, i, k) : field_height(t, u, v, slope);
        if (!normal) continue;
        const double a = slope[0] / t->cell, b = slope[1] / t->cell, length = sqrt(1 + a * a + b * b);
        normal[3 * p] = 0 - a / length, normal[3 * p + 1] = 0 - b / length, normal[3 * p + 2] = 1 / length;
    }
    return MYR_OK;
}

myr_status myr_terrain_samples(const myr_terrain *t, float *out) {
    MYR_OWN_ARITHMETIC;
    if (!t || !out) return myr_fail(MYR_E_ARG, "myr_terrain_samples: `%s` is NULL", t ? "out" : "terrain");
    for (int i = 0; i < t->nx; i++)
        for (int k = 0; k < t->ny; k++) *out++ = (float)sample(t, i, k);
    return MYR_OK;
}

myr_status myr_terrain_kinds(const myr_terrain *t, uint8_t *out) {
    MYR_OWN_ARITHMETIC;
    if (!t || !out) return myr_fail(MYR_E_ARG, "myr_terrain_kinds: `%s` is NULL", t ? "out" : "terrain");
    for (int i = 0; i < t->nx; i += BLOCK)
        for (int k = 0; k < t->ny; k += BLOCK) *out++ = t->columns[myr_terrain_block(t, i, k)];
    return MYR_OK;
}
