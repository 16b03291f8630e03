#include "terrain_file_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the largest piece of memory that a call asked for ---------------------------------------------------------------------------- */

static size_t largest;

static void *watch(size_t bytes, size_t alignment, void *user) {
    (void)user;
    if (bytes > largest) largest = bytes;
    void *memory = NULL;
    return posix_memalign(&memory, alignment < sizeof memory ? sizeof memory : alignment, bytes ? bytes : 1) ? NULL : memory;
}
static void release(void *memory, void *user) {
    (void)user;
    free(memory);
}

void terrain_watch_begin(void) { largest = 0; }
size_t terrain_watch_largest(void) { return largest; }

void terrain_watch_memory(void) {
    const myr_allocator allocator = {watch, release, NULL};
    myr_set_allocator(&allocator);
}

/* ---- shared ------------------------------------------------------------------------------------------------------------------------ */

myr_terrain *terrain_of_levels(myr_terrain_def def, int floats, int (*level)(int i, int k)) {
    static int16_t steps[TERRAIN_MOST];
    static float heights[TERRAIN_MOST];
    assert_true(def.nx * def.ny <= TERRAIN_MOST);
    for (int i = 0; i < def.nx * def.ny; i++)
        steps[i] = (int16_t)level(i / def.ny, i % def.ny), heights[i] = (float)(def.step_m * steps[i] / 3);
    if (floats)
        def.heights_m = heights;
    else
        def.steps = steps;
    myr_terrain *t;
    MUST(myr_terrain_create(&def, &t));
    return t;
}

myr_terrain_read_options terrain_options_of(double cell, double low, double high) {
    myr_terrain_read_options options = myr_terrain_read_options_default();
    options.cell_m = cell, options.low_m = low, options.high_m = high;
    return options;
}

myr_terrain *terrain_read_map(const char *name, const myr_terrain_read_options *options) {
    myr_terrain *t = NULL;
    if (myr_terrain_read(mesh_path(name), options, &t)) fail_msg("%s", myr_message());
    return t;
}

myr_terrain_info terrain_info_of(const myr_terrain *t) {
    myr_terrain_info info;
    myr_terrain_get_info(t, &info);
    return info;
}

/* The file is refused, its name and the words are in the message, and no room was made for what it claims. */
void terrain_refused(const char *name, const myr_terrain_read_options *options, myr_status status, const char *words) {
    myr_terrain *t = (myr_terrain *)&largest;
    largest = 0;
    const myr_status got = myr_terrain_read(mesh_path(name), options, &t);
    if (got != status || !strstr(myr_message(), words) || !strstr(myr_message(), name))
        fail_msg("%s: status %d and `%s`, not %d and `%s`", name, (int)got, got ? myr_message() : "", (int)status, words);
    assert_null(t);
    if (largest > 1 << 20) fail_msg("%s: %zu bytes were asked for", name, largest);
}

void terrain_samples_are(const myr_terrain *t, const double *wanted, double tolerance) {
    const myr_terrain_info info = terrain_info_of(t);
    float got[4096];
    assert_true(info.nx * info.ny <= 4096);
    MUST(myr_terrain_samples(t, got));
    for (int i = 0; i < info.nx * info.ny; i++)
        if (!(fabs((double)got[i] - wanted[i]) <= tolerance))
            fail_msg("sample (%d, %d) is %.9g, not %.9g", i / info.ny, i % info.ny, (double)got[i], wanted[i]);
}
