/* Height fields in MuJoCo's binary format: int32 rows, int32 columns, rows x columns float32; the first row is the smallest y. */
#include <math.h>
#include <string.h>

#include "files.h"
#include "base/memory.h"

enum { HEADER = 8 };

myr_status myr_hfield_read(const myr_bytes *file, int *rows, int *columns, float **data) {
    *data = NULL;
    if (file->length < HEADER)
        return myr_fail(MYR_E_FORMAT, "%.1000s: %zu bytes; a height field begins with 8: rows, columns", file->label, file->length);
    const int64_t nrow = (int32_t)myr_read_u32(file->at), ncol = (int32_t)myr_read_u32(file->at + 4);
    const myr_status status = myr_terrain_check_size(file->label, "byte 0: rows (y) and columns (x)", ncol, nrow);
    if (status) return status;
    const size_t n = (size_t)(nrow * ncol);
    if (file->length != HEADER + 4 * n)
        return myr_fail(MYR_E_FORMAT, "%.1000s: byte 0: %lld rows of %lld take %zu bytes, and the file has %zu", file->label,
                        (long long)nrow, (long long)ncol, HEADER + 4 * n, file->length);
    if (!(*data = myr_allocate_array(n, sizeof **data))) return myr_fail(MYR_E_MEMORY, "%.1000s: out of memory", file->label);
    memcpy(*data, file->at + HEADER, 4 * n);
    for (size_t i = 0; i < n; i++)
        if (!isfinite((*data)[i]))
            return myr_fail(MYR_E_FORMAT, "%.1000s: byte %zu: row %zu, column %zu is not finite", file->label, HEADER + 4 * i,
                            i / (size_t)ncol, i % (size_t)ncol);
    *rows = (int)nrow, *columns = (int)ncol;
    return MYR_OK;
}

void myr_hfield_normalise(float *data, size_t n) {
    float least = data[0], most = data[0];
    for (size_t i = 1; i < n; i++) least = fminf(least, data[i]), most = fmaxf(most, data[i]);
    const double range = (double)most - (double)least;
    for (size_t i = 0; i < n; i++) data[i] = range > 0 ? (float)(((double)data[i] - (double)least) / range) : 0;
}

myr_status myr_terrain_read_hfield(const myr_bytes *file, const myr_terrain_read_options *options, myr_terrain **out) {
    myr_terrain_def def;
    float *data = NULL, *heights = NULL;
    myr_status status = myr_terrain_begin_def(file->label, options, &def);
    const double low = options->low_m, range = options->high_m - low;
    if (!status && !(range > 0 && range <= 2e4))
        status = myr_fail(MYR_E_ARG,
                          "%.1000s: low_m is %g and high_m %g: heights of the least and of the largest number, the first below the second",
                          file->label, low, options->high_m);
    if (!status) status = myr_hfield_read(file, &def.ny, &def.nx, &data);
    if (!status && !(heights = myr_allocate_array((size_t)def.nx * (size_t)def.ny, sizeof *heights)))
        status = myr_fail(MYR_E_MEMORY, "%.1000s: out of memory", file->label);
    if (!status) {
        const size_t nx = (size_t)def.nx, ny = (size_t)def.ny;
        myr_hfield_normalise(data, nx * ny);
        for (size_t i = 0; i < nx; i++)
            for (size_t k = 0; k < ny; k++) heights[i * ny + k] = (float)(low + range * (double)data[k * nx + i]);
        def.heights_m = heights;
        status = myr_terrain_finish_def(file->label, options, &def, out);
    }
    myr_release(data), myr_release(heights);
    return status;
}
