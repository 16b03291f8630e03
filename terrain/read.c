/* A map from a file: the format by its name's ending, and what all formats share. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "files.h"
#include "base/file.h"
#include "base/memory.h"

myr_terrain_read_options myr_terrain_read_options_default(void) {
    const myr_terrain_read_options options = {.step_m = 0.005, .origin_i = -1, .origin_k = -1};
    return options;
}

int myr_terrain_ends_in(const char *name, const char *ending) {
    const size_t length = strlen(name), end = strlen(ending);
    return length > end && !strcasecmp(name + length - end, ending);
}

uint32_t myr_read_u32(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

myr_status myr_terrain_check_size(const char *label, const char *of, int64_t nx, int64_t ny) {
    const long long x = nx, y = ny;
    if (x < 2 || y < 2)
        return myr_fail(MYR_E_FORMAT, "%.1000s: %s: %lld x %lld samples; a map has at least 2 along each axis", label, of, x, y);
    if (x > MYR_TERRAIN_SIDE || y > MYR_TERRAIN_SIDE || x * y > MYR_TERRAIN_SAMPLES)
        return myr_fail(MYR_E_LIMIT, "%.1000s: %s: %lld x %lld samples; a map has at most %d along each axis, and %d in all", label, of, x,
                        y, MYR_TERRAIN_SIDE, MYR_TERRAIN_SAMPLES);
    return MYR_OK;
}

myr_status myr_terrain_made(const char *label, const myr_terrain_def *def, myr_terrain **out) {
    const myr_status status = myr_terrain_create(def, out);
    return status ? myr_fail(status == MYR_E_ARG ? MYR_E_FORMAT : status, "%.1000s: %s", label, myr_message()) : MYR_OK;
}

myr_status myr_terrain_begin_def(const char *label, const myr_terrain_read_options *options, myr_terrain_def *def) {
    *def = myr_terrain_def_default();
    if (!(options->cell_m >= 1e-3 && options->cell_m <= 100))
        return myr_fail(MYR_E_ARG, "%.1000s: cell_m is %g: this format does not say how far samples are from each other; 0.001 to 100 m",
                        label, options->cell_m);
    if (options->columns != 0 && options->columns != 1)
        return myr_fail(MYR_E_ARG, "%.1000s: columns is %d; 0: fields, 1: columns", label, options->columns);
    if (options->origin_i < -1 || options->origin_k < -1)
        return myr_fail(MYR_E_ARG, "%.1000s: origin_%c is %d; samples begin with 0, and -1 is the middle", label,
                        options->origin_i < -1 ? 'i' : 'k', options->origin_i < -1 ? options->origin_i : options->origin_k);
    if (!(options->step_m >= 1e-6 && options->step_m <= 1))
        return myr_fail(MYR_E_ARG, "%.1000s: step_m is %g; it must be from 1e-6 to 1 m", label, options->step_m);
    def->cell_m = options->cell_m, def->step_m = options->step_m;
    def->origin_i = options->origin_i, def->origin_k = options->origin_k;
    return MYR_OK;
}

myr_status myr_terrain_finish_def(const char *label, const myr_terrain_read_options *options, myr_terrain_def *def, myr_terrain **out) {
    enum { BLOCK = MYR_TERRAIN_BLOCK };
    const size_t blocks = (size_t)((def->nx + BLOCK - 1) / BLOCK) * (size_t)((def->ny + BLOCK - 1) / BLOCK);
    uint8_t *kinds = NULL;
    if (def->origin_i >= def->nx || def->origin_k >= def->ny)
        return myr_fail(MYR_E_ARG, "%.1000s: origin_i is %d and origin_k %d; the file has %d x %d samples", label, def->origin_i,
                        def->origin_k, def->nx, def->ny);
    if (options->columns) {
        if (!(kinds = myr_allocate(blocks, 1))) return myr_fail(MYR_E_MEMORY, "%.1000s: out of memory", label);
        memset(kinds, 1, blocks);
    }
    def->columns = kinds;
    const myr_status status = myr_terrain_made(label, def, out);
    def->columns = NULL;
    myr_release(kinds);
    return status;
}

static const char formats[] = ".npz, .npy, .png, .bin, .obj, .stl";

static int is_read(const char *name) {
    static const char *const endings[] = {".npz", ".npy", ".png", ".bin", ".obj", ".stl"};
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
        if (myr_terrain_ends_in(name, endings[k])) return 1;
    return 0;
}

myr_status myr_terrain_from_bytes(const myr_bytes *file, const myr_terrain_read_options *options, myr_terrain **out) {
    if (myr_terrain_ends_in(file->label, ".npz")) return myr_terrain_read_npz(file, out);
    if (myr_terrain_ends_in(file->label, ".npy")) return myr_terrain_read_npy(file, options, out);
    if (myr_terrain_ends_in(file->label, ".png")) return myr_terrain_read_png(file, options, out);
    if (myr_terrain_ends_in(file->label, ".bin")) return myr_terrain_read_hfield(file, options, out);
    return myr_terrain_read_mesh(file, options, out);
}

myr_status myr_terrain_read(const char *path, const myr_terrain_read_options *options, myr_terrain **out) {
    MYR_OWN_ARITHMETIC;
    if (out) *out = NULL;
    if (!path || !out) return myr_fail(MYR_E_ARG, "myr_terrain_read: `%s` is NULL", path ? "out" : "path");
    const myr_terrain_read_options usual = myr_terrain_read_options_default();
    char *text = NULL;
    myr_bytes file = {.label = path};
    if (!is_read(path)) return myr_fail(MYR_E_ARG, "%.1000s: the ending says the format of a map; these are read: %s", path, formats);
    myr_status status = myr_read_whole(path, &text, &file.length);
    file.at = (const unsigned char *)text;
    if (!status) status = myr_terrain_from_bytes(&file, options ? options : &usual, out);
    myr_release(text);
    return status;
}
