/* Grey images of 8 and 16 bits, by libpng. */
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "files.h"
#include "base/memory.h"

/* What libpng does not take back is held here: it leaves through longjmp. */
typedef struct reader {
    const myr_bytes *file;
    size_t at;
    char words[200]; /* of its last error */
    png_structp png;
    png_infop info;
    myr_status status; /* of what is said here, not by libpng */
    myr_grey *out;
    unsigned char *bytes, **rows;
} reader;

static void on_error(png_structp png, png_const_charp words) {
    reader *r = png_get_error_ptr(png);
    snprintf(r->words, sizeof r->words, "%s", words);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp words) { (void)png, (void)words; }

static void next_bytes(png_structp png, png_bytep out, size_t length) {
    reader *r = png_get_io_ptr(png);
    if (length > r->file->length - r->at) png_error(png, "the file ends too early");
    memcpy(out, r->file->at + r->at, length);
    r->at += length;
}

static png_voidp take(png_structp png, png_alloc_size_t size) {
    (void)png;
    return myr_allocate(size, 16);
}
static void give(png_structp png, png_voidp memory) {
    (void)png;
    myr_release(memory);
}

/* The header: size and kind, before room is made for them. */
static myr_status look(reader *r) {
    const char *label = r->file->label;
    const int depth = png_get_bit_depth(r->png, r->info), color = png_get_color_type(r->png, r->info);
    const uint32_t width = png_get_image_width(r->png, r->info), height = png_get_image_height(r->png, r->info);
    if (color != PNG_COLOR_TYPE_GRAY || (depth != 8 && depth != 16))
        return myr_fail(MYR_E_FORMAT, "%.1000s: it has %d bits of kind %d (%s); a map is grey, of 8 or 16 bits", label, depth, color,
                        color == PNG_COLOR_TYPE_GRAY         ? "grey"
                        : color == PNG_COLOR_TYPE_GRAY_ALPHA ? "grey with transparency"
                        : color == PNG_COLOR_TYPE_PALETTE    ? "palette"
                                                             : "colours");
    const myr_status status = myr_terrain_check_size(label, "width and height", width, height);
    if (status) return status;
    const uint64_t wanted = (uint64_t)width * height * (unsigned)(depth / 8);
    if (wanted / 1032 > r->file->length)
        return myr_fail(MYR_E_FORMAT, "%.1000s: %u x %u values cannot come out of %zu bytes", label, width, height, r->file->length);
    r->out->width = (int)width, r->out->height = (int)height, r->out->most = depth == 8 ? 255 : 65535;
    r->bytes = myr_allocate((size_t)wanted, 16), r->rows = myr_allocate_array(height, sizeof *r->rows);
    r->out->values = myr_allocate_array((size_t)width * height, sizeof *r->out->values);
    if (!r->bytes || !r->rows || !r->out->values)
        return myr_fail(MYR_E_MEMORY, "%.1000s: out of memory for %u x %u values", label, width, height);
    for (uint32_t y = 0; y < height; y++) r->rows[y] = r->bytes + (size_t)y * width * (size_t)(depth / 8);
    return MYR_OK;
}

/* Between setjmp and longjmp no local variable changes. */
static myr_status decode(reader *r) {
    if (setjmp(png_jmpbuf(r->png))) return myr_fail(MYR_E_FORMAT, "%.1000s: %s", r->file->label, r->words);
    png_set_read_fn(r->png, r, next_bytes);
    png_set_user_limits(r->png, 0x7fffffff, 0x7fffffff); /* `look` says what is too large, in words of a map */
    png_set_chunk_malloc_max(r->png, 1 << 20);
    png_set_chunk_cache_max(r->png, 64);
    png_set_keep_unknown_chunks(r->png, PNG_HANDLE_CHUNK_NEVER, NULL, 0);
    png_read_info(r->png, r->info);
    if ((r->status = look(r))) return r->status;
    png_set_interlace_handling(r->png);
    png_read_image(r->png, r->rows);
    png_read_end(r->png, NULL); /* the sums of what is behind the image */
    return MYR_OK;
}

myr_status myr_png_read(const myr_bytes *file, myr_grey *out) {
    reader r = {.file = file, .out = out};
    *out = (myr_grey){.values = NULL};
    r.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &r, on_error, on_warning, NULL, take, give);
    r.info = r.png ? png_create_info_struct(r.png) : NULL;
    myr_status status = r.info ? decode(&r) : myr_fail(MYR_E_MEMORY, "%.1000s: out of memory", file->label);
    const size_t n = (size_t)out->width * (size_t)out->height;
    for (size_t i = 0; i < n && !status; i++) /* 16 bits come with the high byte first */
        out->values[i] = (uint16_t)(out->most == 255 ? r.bytes[i] : r.bytes[2 * i] << 8 | r.bytes[2 * i + 1]);
    png_destroy_read_struct(&r.png, &r.info, NULL);
    myr_release(r.bytes), myr_release(r.rows);
    if (!status) return MYR_OK;
    myr_release(out->values);
    out->values = NULL;
    return status;
}

myr_status myr_terrain_read_png(const myr_bytes *file, const myr_terrain_read_options *options, myr_terrain **out) {
    myr_terrain_def def;
    myr_grey image = {.values = NULL};
    float *heights = NULL;
    myr_status status = myr_terrain_begin_def(file->label, options, &def);
    const double low = options->low_m, range = options->high_m - low;
    if (!status && !(range > 0 && range <= 2e4))
        status =
            myr_fail(MYR_E_ARG, "%.1000s: low_m is %g and high_m %g: heights of value 0 and of the largest one, the first below the second",
                     file->label, low, options->high_m);
    if (!status) status = myr_png_read(file, &image);
    const size_t nx = (size_t)image.width, ny = (size_t)image.height;
    if (!status && !(heights = myr_allocate_array(nx * ny, sizeof *heights)))
        status = myr_fail(MYR_E_MEMORY, "%.1000s: out of memory", file->label);
    if (!status) {
        for (size_t i = 0; i < nx; i++)
            for (size_t k = 0; k < ny; k++) heights[i * ny + k] = (float)(low + range * image.values[(ny - 1 - k) * nx + i] / image.most);
        def.nx = image.width, def.ny = image.height, def.heights_m = heights;
        status = myr_terrain_finish_def(file->label, options, &def, out);
    }
    myr_release(image.values), myr_release(heights);
    return status;
}
