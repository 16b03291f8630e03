/* A map from arrays: what may be wrong with them, the edges around them, what is the highest where, and the hash. */
#include "terrain.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

#define HIGHEST 1e4 /* [m] */

enum { EDGE = MYR_TERRAIN_EDGE, FRAME = MYR_TERRAIN_FRAME, BLOCK = MYR_TERRAIN_BLOCK };

myr_terrain_def myr_terrain_def_default(void) {
    const myr_terrain_def def = {.step_m = 0.005, .origin_i = -1, .origin_k = -1};
    return def;
}

static int blocks(int samples) { return (samples + BLOCK - 1) / BLOCK; }

static myr_status check(const myr_terrain_def *def) {
    const int n[2] = {def->nx, def->ny}, origin[2] = {def->origin_i, def->origin_k};
    if (!def->steps == !def->heights_m)
        return myr_fail(MYR_E_ARG, "terrain: %s of `steps` and `heights_m` may be given", def->steps ? "only one" : "one");
    for (int a = 0; a < 2; a++) {
        if (n[a] < 2) return myr_fail(MYR_E_ARG, "terrain: n%c is %d, but a map has at least 2 samples along each axis", 'x' + a, n[a]);
        if (n[a] > MYR_TERRAIN_SIDE)
            return myr_fail(MYR_E_LIMIT, "terrain: n%c is %d; a map has at most %d samples along each axis", 'x' + a, n[a],
                            MYR_TERRAIN_SIDE);
        if (origin[a] < -1 || origin[a] >= n[a])
            return myr_fail(MYR_E_ARG, "terrain: origin_%c is %d; samples go from 0 to %d, and -1 is the middle", a ? 'k' : 'i', origin[a],
                            n[a] - 1);
    }
    if ((int64_t)def->nx * def->ny > MYR_TERRAIN_SAMPLES)
        return myr_fail(MYR_E_LIMIT, "terrain: %d x %d samples; a map has at most %d", def->nx, def->ny, MYR_TERRAIN_SAMPLES);
    if (!(def->cell_m >= 1e-3 && def->cell_m <= 100))
        return myr_fail(MYR_E_ARG, "terrain: cell_m is %g; it must be from 0.001 to 100 m", def->cell_m);
    if (def->steps && !(def->step_m >= 1e-6 && def->step_m <= 1))
        return myr_fail(MYR_E_ARG, "terrain: step_m is %g; it must be from 1e-6 to 1 m", def->step_m);
    for (int i = 0; def->heights_m && i < def->nx; i++)
        for (int k = 0; k < def->ny; k++) {
            const float h = def->heights_m[(size_t)i * (size_t)def->ny + (size_t)k];
            if (!(fabsf(h) <= (float)HIGHEST))
                return myr_fail(MYR_E_ARG, "terrain: the height of sample (%d, %d) is %g; it must be within %g m", i, k, (double)h,
                                HIGHEST);
        }
    return MYR_OK;
}

/* Rows of `count` with items of `size` bytes into a frame that repeats their border. */
static void framed(void *to, int stride, int edge_x, int edge_y, int end, const void *from, int nx, int ny, size_t size) {
    for (int i = -edge_x; i < end; i++) {
        const int row = i < 0 ? 0 : i < nx ? i : nx - 1;
        char *out = (char *)to + (size_t)(i + edge_x) * (size_t)stride * size;
        for (int k = -edge_y; k < stride - edge_y; k++) {
            const int column = k < 0 ? 0 : k < ny ? k : ny - 1;
            memcpy(out + (size_t)(k + edge_y) * size, (const char *)from + ((size_t)row * (size_t)ny + (size_t)column) * size, size);
        }
    }
}

static void widen(float range[2], const float by[2]) {
    range[0] = by[0] < range[0] ? by[0] : range[0], range[1] = by[1] > range[1] ? by[1] : range[1];
}

/* The lowest and the highest of each block, then of it and its neighbours. */
static int find_range_of_blocks(myr_terrain *t) {
    const int bx = blocks(t->nx) + 2 * FRAME, by = t->block_stride;
    float(*own)[2] = myr_allocate_array((size_t)bx * (size_t)by, sizeof *own);
    if (!own) return 0;
    for (int b = 0; b < bx * by; b++) own[b][0] = INFINITY, own[b][1] = -INFINITY;
    for (int i = -EDGE; i < t->nx + EDGE; i++)
        for (int k = -EDGE; k < t->ny + EDGE; k++) {
            const float h = (float)myr_terrain_unit(t, myr_terrain_at(t, i, k));
            widen(own[myr_terrain_block(t, i, k)], (const float[2]){h, h});
        }
    for (int i = 0; i < bx; i++)
        for (int k = 0; k < by; k++) {
            float *range = t->range[i * by + k];
            range[0] = INFINITY, range[1] = -INFINITY;
            for (int u = i - 1; u <= i + 1; u++)
                for (int v = k - 1; v <= k + 1; v++)
                    if (u >= 0 && u < bx && v >= 0 && v < by) widen(range, own[u * by + v]);
        }
    myr_release(own);
    return 1;
}

/* The lowest and the highest around each sample. */
static void find_around(myr_terrain *t, int rows) {
    int16_t(*steps)[2] = t->steps ? t->around : NULL;
    float(*heights)[2] = t->around;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < t->stride; k++) {
            double low = INFINITY, high = -INFINITY;
            for (int u = i ? i - 1 : 0; u <= i + 1 && u < rows; u++)
                for (int v = k ? k - 1 : 0; v <= k + 1 && v < t->stride; v++) {
                    const double h = myr_terrain_unit(t, u * t->stride + v);
                    low = h < low ? h : low, high = h > high ? h : high;
                }
            const size_t at = (size_t)i * (size_t)t->stride + (size_t)k;
            if (steps)
                steps[at][0] = (int16_t)low, steps[at][1] = (int16_t)high;
            else
                heights[at][0] = (float)low, heights[at][1] = (float)high;
        }
}

static void add(uint64_t *hash, const void *data, size_t bytes) { /* FNV-1a-64 by words: a map has millions of samples */
    const unsigned char *from = data;
    while (bytes) {
        uint64_t word = 0;
        const size_t n = bytes < sizeof word ? bytes : sizeof word;
        memcpy(&word, from, n);
        *hash = (*hash ^ word) * UINT64_C(0x100000001b3);
        *hash ^= *hash >> 32;
        from += n, bytes -= n;
    }
}

/* Of the map alone: what is around it repeats it. */
static void find_hash(myr_terrain *t) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const int64_t sizes[] = {t->nx, t->ny, t->origin_i, t->origin_k, t->steps != NULL};
    const double scales[] = {t->cell, t->step};
    add(&hash, sizes, sizeof sizes);
    add(&hash, scales, sizeof scales);
    for (int i = 0; i < t->nx; i++) {
        const size_t at = (size_t)myr_terrain_at(t, i, 0), n = (size_t)t->ny;
        if (t->steps)
            add(&hash, t->steps + at, n * sizeof *t->steps);
        else
            add(&hash, t->heights + at, n * sizeof *t->heights);
    }
    for (int i = 0; i < t->nx; i += BLOCK) {
        const size_t at = (size_t)myr_terrain_block(t, i, 0), n = (size_t)blocks(t->ny);
        add(&hash, t->columns + at, n);
        if (t->friction) add(&hash, t->friction + at, n);
    }
    t->hash = hash;
}

static void find_range(myr_terrain *t) {
    t->lowest = INFINITY, t->highest = -INFINITY;
    for (int i = 0; i < t->nx; i++)
        for (int k = 0; k < t->ny; k++) {
            const double h = t->step * myr_terrain_unit(t, myr_terrain_at(t, i, k));
            t->lowest = h < t->lowest ? h : t->lowest, t->highest = h > t->highest ? h : t->highest;
        }
    for (int i = 0; i < blocks(t->nx); i++)
        for (int k = 0; k < blocks(t->ny); k++)
            *(t->columns[(i + FRAME) * t->block_stride + k + FRAME] ? &t->has_columns : &t->has_fields) = 1;
}

myr_status myr_terrain_create(const myr_terrain_def *def, myr_terrain **out) {
    MYR_OWN_ARITHMETIC;
    if (out) *out = NULL;
    if (!def || !out) return myr_fail(MYR_E_ARG, "myr_terrain_create: `%s` is NULL", def ? "out" : "def");
    const myr_status status = check(def);
    if (status) return status;
    const int bx = blocks(def->nx), by = blocks(def->ny);
    /* whole blocks, and a few samples behind the last one for loads of several at once */
    const size_t rows = (size_t)(bx + 2 * FRAME) * BLOCK, stride = (size_t)(by + 2 * FRAME) * BLOCK, samples = rows * stride, spare = 8;
    const size_t n_blocks = (size_t)(bx + 2 * FRAME) * (size_t)(by + 2 * FRAME);
    myr_terrain *t = myr_allocate_array(1, sizeof *t);
    if (!t) return myr_fail(MYR_E_MEMORY, "out of memory for a map of %d x %d samples", def->nx, def->ny);
    atomic_init(&t->references, 1);
    t->nx = def->nx, t->ny = def->ny, t->cell = def->cell_m, t->step = def->steps ? def->step_m : 1;
    t->origin_i = def->origin_i < 0 ? (def->nx - 1) / 2 : def->origin_i,
    t->origin_k = def->origin_k < 0 ? (def->ny - 1) / 2 : def->origin_k;
    t->stride = (int)stride, t->block_stride = by + 2 * FRAME;
    const size_t size = def->steps ? sizeof *t->steps : sizeof *t->heights;
    void *heights = myr_allocate((samples + spare) * size, 64);
    t->columns = myr_allocate(n_blocks, 64), t->range = myr_allocate(n_blocks * sizeof *t->range, 64);
    t->around = myr_allocate(samples * 2 * size, 64);
    t->friction = def->friction ? myr_allocate(n_blocks, 64) : NULL;
    t->spiky = myr_allocate(n_blocks, 64), t->sharp = myr_allocate(samples / 8 + 1, 64); /* two bytes are read */
    *(def->steps ? (void **)&t->steps : (void **)&t->heights) = heights;
    t->bytes = sizeof *t + (3 * samples + spare) * size + n_blocks * (2 + sizeof *t->range + (def->friction != NULL)) + samples / 8;
    if (!heights || !t->columns || !t->around || !t->range || !t->spiky || !t->sharp || (def->friction && !t->friction)) {
        myr_terrain_free(t);
        return myr_fail(MYR_E_MEMORY, "out of memory for a map of %d x %d samples", def->nx, def->ny);
    }
    framed(heights, t->stride, EDGE, EDGE, (int)rows - EDGE, def->steps ? (const void *)def->steps : def->heights_m, def->nx, def->ny,
           size);
    if (def->columns) framed(t->columns, t->block_stride, FRAME, FRAME, bx + FRAME, def->columns, bx, by, 1);
    for (size_t b = 0; b < n_blocks; b++) t->columns[b] = t->columns[b] != 0;
    if (def->friction) framed(t->friction, t->block_stride, FRAME, FRAME, bx + FRAME, def->friction, bx, by, 1);
    if (!find_range_of_blocks(t)) {
        myr_terrain_free(t);
        return myr_fail(MYR_E_MEMORY, "out of memory for a map of %d x %d samples", def->nx, def->ny);
    }
    find_around(t, (int)rows);
    myr_terrain_find_sharp(t, (int)rows);
    find_hash(t);
    find_range(t);
    *out = t;
    return MYR_OK;
}

myr_terrain *myr_terrain_retain(const myr_terrain *terrain) {
    myr_terrain *shared = (myr_terrain *)terrain; /* the count is the one thing in a map that changes */
    atomic_fetch_add_explicit(&shared->references, 1, memory_order_relaxed);
    return shared;
}

void myr_terrain_free(myr_terrain *t) {
    if (!t || atomic_fetch_sub_explicit(&t->references, 1, memory_order_acq_rel) != 1) return;
    myr_release(t->steps), myr_release(t->heights), myr_release(t->columns), myr_release(t->around), myr_release(t->friction),
        myr_release(t->range), myr_release(t->spiky), myr_release(t->sharp);
    myr_release(t->patches);
    myr_release(t);
}
