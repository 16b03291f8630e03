/* Kinds of patches that are triangles between samples. */
#include <math.h>
#include <stdlib.h>

#include "heights.h"
#include "base/memory.h"
#include "base/trigonometry.h"

myr_status myr_raise_flat(myr_heights *p) {
    (void)p;
    return MYR_OK;
}

/* The samples inside a rim: how many on a side, which must leave something. */
static myr_status inside(const myr_heights *p, int *n, int *rim) {
    const myr_status status = myr_need(p, "border_m", p->kind->border_m, 0, (p->n / 2 - 2) * p->cell);
    *rim = status ? 0 : myr_in_cells(p, p->kind->border_m), *n = p->n - 2 * *rim;
    return status;
}

/* A pyramid: the product of two tents, cut at the height of the platform's corner. */
static void pyramid(myr_heights *p, int n, int rim) {
    const int middle = n / 2, platform = myr_whole(p->kind->platform_m / p->cell / 2), corner = platform < middle ? middle - platform : 0;
    const int64_t top = myr_whole(p->measure * (n * p->cell) / 2 / p->step), square = (int64_t)middle * middle;
    const int64_t cut = top * corner * corner / square;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const int64_t h = top * (middle - abs(middle - i)) * (middle - abs(middle - k)) / square; /* towards 0, exact */
            p->h[(i + rim) * p->n + k + rim] = (int32_t)(top < 0 ? (h < cut ? cut : h) : (h > cut ? cut : h));
        }
}

myr_status myr_raise_slope(myr_heights *p) {
    int n, rim;
    myr_status status = inside(p, &n, &rim);
    if (!status) status = myr_need(p, "platform_m", p->kind->platform_m, 0, n * p->cell);
    if (!status) status = myr_need(p, "the slope", p->measure, -10, 10);
    if (!status) pyramid(p, n, rim);
    return status;
}

/* Random levels on a lattice that spans the patch, linear along x and y between them, to the nearest step; added to a slope. */
myr_status myr_raise_rough(myr_heights *p) {
    const myr_terrain_kind *kind = p->kind;
    myr_status status = myr_raise_slope(p);
    if (!status) status = myr_need(p, "range_m[0]", kind->range_m[0], -100, MYR_HIGHEST * p->step);
    if (!status) status = myr_need(p, "range_m[1]", kind->range_m[1], kind->range_m[0], MYR_HIGHEST * p->step);
    if (!status) status = myr_need(p, "noise_step_m", kind->noise_step_m, p->step, 2 * MYR_HIGHEST * p->step);
    if (!status) status = myr_need(p, "lattice_m", kind->lattice_m, p->cell, p->n * p->cell / 2);
    int n, rim;
    if (!status) status = inside(p, &n, &rim);
    if (status) return status;
    const int least = myr_in_steps(p, kind->range_m[0]), step = myr_in_steps(p, kind->noise_step_m);
    const int levels = (myr_in_steps(p, kind->range_m[1]) - least) / step + 1;
    const int wide = myr_whole(n * p->cell / kind->lattice_m), places = wide < 2 ? 2 : wide > n ? n : wide;
    int32_t *noise = myr_allocate_array((size_t)(places * places), sizeof *noise);
    if (!noise) return myr_fail(MYR_E_MEMORY, "out of memory for a patch of %d x %d samples", p->n, p->n);
    for (int place = 0; place < places * places; place++) noise[place] = least + step * myr_next_below(p, levels);
    const int64_t whole = n - 1, square = whole * whole; /* a lattice's cell is `whole` parts wide: the weights are whole numbers */
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const int at_i = i * (places - 1), at_k = k * (places - 1);
            const int a = at_i / (n - 1) < places - 1 ? at_i / (n - 1) : places - 2,
                      b = at_k / (n - 1) < places - 1 ? at_k / (n - 1) : places - 2;
            const int64_t u = at_i - a * whole, v = at_k - b * whole;
            const int32_t *near = &noise[a * places + b], *far = near + places;
            const int64_t sum = ((whole - u) * near[0] + u * far[0]) * (whole - v) + ((whole - u) * near[1] + u * far[1]) * v;
            const int64_t doubled = 2 * sum + square, quotient = doubled / (2 * square); /* to the nearest, halves up */
            p->h[(i + rim) * p->n + k + rim] += (int32_t)(quotient - (doubled % (2 * square) < 0));
        }
    myr_release(noise);
    return MYR_OK;
}

/* A cosine along y and a sine along x, to the nearest step. */
myr_status myr_raise_waves(myr_heights *p) {
    int n, rim;
    myr_status status = inside(p, &n, &rim);
    if (!status) status = myr_need(p, "count", p->kind->count, 1, n / 2);
    if (!status) status = myr_need(p, "the height", p->measure, 0, MYR_HIGHEST * p->step);
    if (status) return status;
    const int amplitude = myr_in_steps(p, p->measure / 2);
    const double turn = 6.283185307179586 * p->kind->count / n; /* myr_sincos has the same bits on every machine */
    for (int i = 0; i < n; i++) {
        double sine, cosine, unused;
        myr_sincos(turn * i, &sine, &unused);
        for (int k = 0; k < n; k++) {
            myr_sincos(turn * k, &unused, &cosine);
            p->h[(i + rim) * p->n + k + rim] = (int32_t)floor(amplitude * (cosine + sine) + 0.5);
        }
    }
    return MYR_OK;
}
