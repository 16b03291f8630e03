/* Pillars as few boxes: the largest step along x, then along y, of samples that have one height. */
#include <string.h>

#include "files.h"
#include "base/memory.h"

static int row_is(const myr_terrain *t, const uint8_t *taken, int i, int k, int k_end, double height) {
    for (; k < k_end; k++)
        if (taken[(size_t)i * (size_t)t->ny + (size_t)k] || myr_terrain_unit(t, myr_terrain_at(t, i, k)) != height) return 0;
    return 1;
}

/* From (i, k) as far as it goes along y, then along x. */
static myr_rectangle grow(const myr_terrain *t, uint8_t *taken, int i, int k) {
    const double height = myr_terrain_unit(t, myr_terrain_at(t, i, k));
    myr_rectangle r = {i, i + 1, k, k + 1};
    while (r.k_end < t->ny && row_is(t, taken, i, r.k_end, r.k_end + 1, height)) r.k_end++;
    while (r.i_end < t->nx && row_is(t, taken, r.i_end, k, r.k_end, height)) r.i_end++;
    for (int u = r.i; u < r.i_end; u++) memset(taken + (size_t)u * (size_t)t->ny + (size_t)k, 1, (size_t)(r.k_end - k));
    return r;
}

myr_status myr_terrain_rectangles(const myr_terrain *t, int most, myr_rectangle *out, int *n) {
    uint8_t *taken = myr_allocate_array((size_t)t->nx * (size_t)t->ny, 1);
    if (!taken) return myr_fail(MYR_E_MEMORY, "out of memory for the rectangles of a map");
    *n = 0;
    for (int i = 0; i < t->nx && *n >= 0; i++)
        for (int k = 0; k < t->ny && *n >= 0; k++) {
            if (taken[(size_t)i * (size_t)t->ny + (size_t)k]) continue;
            if (*n == most)
                *n = -1;
            else
                out[(*n)++] = grow(t, taken, i, k);
        }
    myr_release(taken);
    return MYR_OK;
}
