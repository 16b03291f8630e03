/* One contact of a large problem, the others held, solved exactly under the law of Signorini and Coulomb: what nsgs does in lanes
 * (single.lane.h, nsgs.lane.h have the formulas and the reasons) for one contact in scalar double. */
#ifndef MYR_KERNELS_CONTACT_LARGE_LOCAL_H
#define MYR_KERNELS_CONTACT_LARGE_LOCAL_H

#include <float.h>
#include <string.h>

#include "law.h"

/* A diagonal block, prepared. Indices: xx, yy, zz, xy, xz, yz of the inverse; tilt = (G_zx, G_zy, 1) / G_zz; bar = xx, xy, yy of Gbar. */
typedef struct local_block {
    double inverse[6], tilt[3], bar[3], ridge;
} local_block;

static inline void local_prepare(const double *g, local_block *out) {
    const double xx = g[0], yy = g[4], zz = g[8], xy = g[1], xz = g[2], yz = g[5], third = (xx + yy + zz) / 3;
    const double a = yy * zz - yz * yz, b = xz * yz - xy * zz, c = xy * yz - xz * yy, det = xx * a + xy * b + xz * c;
    double *inverse = out->inverse;
    out->ridge = 0;
    if (det > 1e-12 * third * third * third) {
        const double s = 1 / det;
        inverse[0] = s * a, inverse[1] = s * (xx * zz - xz * xz), inverse[2] = s * (xx * yy - xy * xy);
        inverse[3] = s * b, inverse[4] = s * c, inverse[5] = s * (xy * xz - xx * yz);
    } else { /* nearly singular: of the impulses that the law allows, the one nearest to the present */
        const double ridge = max2(1e-10 * third, 1e-290), k = 1 / (zz + ridge), tx = k * xz, ty = k * yz;
        const double bx = xx - tx * xz + ridge, bxy = xy - tx * yz, by = yy - ty * yz + ridge;
        const double d = 1 / (bx * by - bxy * bxy), ix = d * by, iy = d * bx, ixy = -(d * bxy);
        const double nx = -(ix * tx + ixy * ty), ny = -(ixy * tx + iy * ty);
        inverse[0] = ix, inverse[1] = iy, inverse[2] = k - nx * tx - ny * ty;
        inverse[3] = ixy, inverse[4] = nx, inverse[5] = ny;
        out->ridge = ridge;
    }
    const double k = 1 / (zz > 0 ? zz : 1);
    out->tilt[0] = k * xz, out->tilt[1] = k * yz, out->tilt[2] = k;
    out->bar[0] = xx - out->tilt[0] * xz + out->ridge;
    out->bar[1] = xy - out->tilt[0] * yz;
    out->bar[2] = yy - out->tilt[1] * yz + out->ridge;
}

/* Open, stick or slide against its impulse, each within the bound; impulses are allowed `scale` times as much. */
static inline int local_obeyed(double mu, const double l[3], const double w[3], double bound, double scale) {
    const double wt2 = w[0] * w[0] + w[1] * w[1], lt2 = l[0] * l[0] + l[1] * l[1], wide = bound * scale;
    if (lt2 + l[2] * l[2] <= 0) return w[2] >= -bound;
    const double limit = mu * l[2], most = limit + wide, least = max2(limit - wide, 0);
    if (!(l[2] >= 0 && lt2 <= most * most)) return 0;
    if (wt2 + w[2] * w[2] <= bound * bound) return 1;
    if (!(fabs(w[2]) <= bound && lt2 >= least * least)) return 0;
    const double along = l[0] * w[0] + l[1] * w[1], across = l[0] * w[1] - l[1] * w[0];
    return (along <= 0 && across * across <= bound * bound * lt2) || wt2 <= bound * bound;
}

/* A slipping contact: lambda_T = -(Gbar + a)^-1 cbar where t(a) = m D + k.N meets s(a) = |N|. */
typedef struct local_slip {
    double m, kx, ky, cx, cy, nx, ny, xx, xy, yy, trace, det, kc;
} local_slip;

static inline local_slip local_slip_open(const local_block *b, double mu, const double c[3]) {
    const double tx = b->tilt[0], ty = b->tilt[1];
    local_slip q = {.m = -(mu * (c[2] * b->tilt[2])), .kx = mu * tx, .ky = mu * ty, .cx = c[0] - tx * c[2], .cy = c[1] - ty * c[2]};
    q.xx = b->bar[0], q.xy = b->bar[1], q.yy = b->bar[2];
    q.trace = q.xx + q.yy, q.det = q.xx * q.yy - q.xy * q.xy;
    q.nx = q.yy * q.cx - q.xy * q.cy, q.ny = q.xx * q.cy - q.xy * q.cx;
    q.kc = q.kx * q.cx + q.ky * q.cy;
    return q;
}

/* One of Newton's steps from a; *right: the root lies left of a. */
static inline double local_newton(const local_slip *q, double a, int *right) {
    const double nx = a * q->cx + q->nx, ny = a * q->cy + q->ny, D = a * (a + q->trace) + q->det;
    const double s2 = nx * nx + ny * ny, s = sqrt(s2), t = q->m * D + (q->kx * nx + q->ky * ny);
    const double slope = (q->m * (2 * a + q->trace) + q->kc) * s2 - t * (nx * q->cx + ny * q->cy);
    *right = t > s;
    return a - (t - s) * (s2 / slope);
}

/* The impulse of a, as a correction of the present one. */
static inline void local_impulse(const double *g, const local_block *b, const local_slip *q, const double l[3], const double w[3], double a,
                                 double out[3]) {
    const double D = a * (a + q->trace) + q->det, rx = a * l[0] + (w[0] - b->tilt[0] * w[2]), ry = a * l[1] + (w[1] - b->tilt[1] * w[2]);
    double x = -l[0], y = -l[1];
    if (q->m > 0) { /* else there is no friction */
        const double scale = -1 / (D > 0 ? D : 1);
        x = scale * ((q->yy + a) * rx - q->xy * ry), y = scale * ((q->xx + a) * ry - q->xy * rx);
    }
    out[0] = l[0] + x, out[1] = l[1] + y;
    out[2] = max2(l[2] - (g[2] * x + (g[5] * y + w[2])) * b->tilt[2], 0);
}

/* Mostly the contact slips already: one step from the a of its impulse and velocity, where that is a short one; else steps in a bracket. */
static inline void local_solve_slip(const double *g, const local_block *b, double mu, const double c[3], const double l[3],
                                    const double w[3], int steps, double out[3]) {
    const local_slip q = local_slip_open(b, mu, c);
    const double size2 = l[0] * l[0] + l[1] * l[1], along = -(l[0] * w[0] + l[1] * w[1]);
    const int known = size2 > 0 && along > 0;
    int right;
    double a = known ? along / size2 : 0;
    const double next = local_newton(&q, a, &right);
    if (known && next > 0.2 * a && next < 5 * a) {
        local_impulse(g, b, &q, l, w, next, out);
        return;
    }
    const double length = length2(q.cx, q.cy), pull = 1 + length2(q.kx, q.ky), over_m = 1 / (q.m > 0 ? q.m : 1);
    const double least = 4 * DBL_EPSILON * q.trace;
    double low = least, high = max2(least, min2(pull * length * over_m, 1e150));
    a = min2(high, max2(low, known ? a : length * over_m - 0.5 * q.trace));
    for (int step = 0; step < steps; step++) {
        const double here = local_newton(&q, a, &right);
        if (right)
            high = a;
        else
            low = a;
        if (here >= low && here <= high) /* false for NaN */
            a = here;
        else
            a = here < low && low == least ? least : 0.5 * (low + high);
    }
    local_impulse(g, b, &q, l, w, a, out);
}

/* The impulse under which the contact obeys, from its present impulse l and velocity w. Returns 1 where it opens. */
static inline int local_solve(const double *g, const local_block *b, double mu, const double l[3], const double w[3], int steps,
                              double out[3]) {
    double c[3];
    for (int a = 0; a < 3; a++) c[a] = w[a] - (g[3 * a] * l[0] + g[3 * a + 1] * l[1] + g[3 * a + 2] * l[2]);
    if (b->ridge > 0) c[0] -= b->ridge * l[0], c[1] -= b->ridge * l[1];
    const double *v = b->inverse;
    if (c[2] > 0) {
        memset(out, 0, 3 * sizeof *out);
        return 1;
    }
    out[0] = l[0] - v[0] * w[0] - v[3] * w[1] - v[4] * w[2];
    out[1] = l[1] - v[3] * w[0] - v[1] * w[1] - v[5] * w[2];
    out[2] = l[2] - v[4] * w[0] - v[5] * w[1] - v[2] * w[2];
    const double limit = mu * out[2];
    if (out[2] >= 0 && out[0] * out[0] + out[1] * out[1] <= limit * limit) return 0;
    local_solve_slip(g, b, mu, c, l, w, steps, out);
    return 0;
}

#endif
