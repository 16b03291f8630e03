#include "reference/scan.h"

#include <math.h>

static int clamped(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

static double sample(const ref_scan_map *m, int i, int k) { return m->height[clamped(i, m->nx) * m->ny + clamped(k, m->ny)]; }

static double nearest(const ref_scan_map *m, double u, double v) { return sample(m, (int)floor(u + 0.5), (int)floor(v + 0.5)); }

static int is_columns(const ref_scan_map *m, double u, double v) {
    const int i = clamped((int)floor(u + 0.5), m->nx), k = clamped((int)floor(v + 0.5), m->ny);
    return m->columns[i / m->block * m->blocks_y + k / m->block];
}

double ref_scan_height(const ref_scan_map *m, ref_scan_kind kind, double x, double y) {
    const double u = x / m->cell, v = y / m->cell;
    if (kind == REF_NEAREST || (kind == REF_EXACT && is_columns(m, u, v))) return nearest(m, u, v);
    const int i = (int)floor(u), k = (int)floor(v);
    const double a = u - i, b = v - k;
    const double h = sample(m, i, k), along = sample(m, i + 1, k), across = sample(m, i, k + 1), far = sample(m, i + 1, k + 1);
    if (kind == REF_MIN3) return fmin(h, fmin(along, across));
    if (kind == REF_BILINEAR) return (1 - a) * ((1 - b) * h + b * across) + a * ((1 - b) * along + b * far);
    return a >= b ? h + a * (along - h) + b * (far - along) : h + a * (far - across) + b * (across - h);
}

void ref_scan_heading(const double q[4], double heading[2]) {
    const double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    const double x = 1 - 2 * (q[2] * q[2] + q[3] * q[3]) / n, y = 2 * (q[1] * q[2] + q[0] * q[3]) / n, length = hypot(x, y);
    heading[0] = length > 1e-9 ? x / length : 1, heading[1] = length > 1e-9 ? y / length : 0;
}
