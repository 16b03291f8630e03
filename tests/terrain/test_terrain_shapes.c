/* Ground maps from images, MuJoCo's height fields and meshes: which way rows and columns lie, heights, and what is refused. The map that is
 * written is 1000 i + k, so that no turn and no mirror of it is the same. */
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "support/terrain_file_scene.h"

enum { NX = 5, NY = 3 };

/* ---- images ------------------------------------------------------------------------------------------------------------------------ */

/* An image as libpng writes it; value(column, row). */
static void write_image(const char *name, int width, int height, int depth, int color, int interlace, int (*value)(int, int)) {
    FILE *file = fopen(mesh_path(name), "wb");
    assert_non_null(file);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, depth, color, interlace, 0, 0);
    const png_color black = {0, 0, 0};
    if (color == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, &black, 1);
    png_write_info(png, info);
    unsigned char row[256];
    const int channels = png_get_channels(png, info), bytes = depth / 8;
    for (int pass = interlace ? png_set_interlace_handling(png) : 1; pass > 0; pass--)
        for (int y = 0; y < height; y++) {
            memset(row, 0, sizeof row);
            for (int x = 0; x < width && bytes; x++) {
                const int v = value(x, y);
                unsigned char *at = row + x * bytes * channels;
                if (bytes == 2) *at++ = (unsigned char)(v >> 8);
                *at = (unsigned char)v;
            }
            png_write_row(png, row);
        }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    assert_int_equal(fclose(file), 0);
}

/* The first row is the largest y. */
static int wide_value(int x, int row) { return 1000 * x + (NY - 1 - row) + (x == NX - 1 ? 60000 : 0); }
static int narrow_value(int x, int row) { return 50 * x + (NY - 1 - row); }
static int nothing(int x, int row) { return 0 * x * row; }

static void images(void **state) {
    (void)state;
    double wanted[NX * NY];
    for (int interlace = 0; interlace < 2; interlace++)
        for (int depth = 8; depth <= 16; depth += 8) {
            const double most = depth == 8 ? 255 : 65535;
            for (int i = 0; i < NX; i++)
                for (int k = 0; k < NY; k++)
                    wanted[i * NY + k] = -2 + 3 * (depth == 8 ? narrow_value(i, NY - 1 - k) : wide_value(i, NY - 1 - k)) / most;
            write_image("grey.png", NX, NY, depth, PNG_COLOR_TYPE_GRAY, interlace, depth == 8 ? narrow_value : wide_value);
            myr_terrain_read_options options = terrain_options_of(0.3, -2, 1);
            options.columns = interlace;
            myr_terrain *t = terrain_read_map("grey.png", &options);
            const myr_terrain_info info = terrain_info_of(t);
            assert_int_equal(info.nx, NX), assert_int_equal(info.ny, NY);
            assert_int_equal(info.has_columns, interlace);
            terrain_samples_are(t, wanted, 1e-6);
            /* the corner at the image's upper right is that of the largest x and y */
            const double corner[2] = {0.3 * (NX - 1 - info.origin_i), 0.3 * (NY - 1 - info.origin_k)};
            double height;
            MUST(myr_terrain_height(t, 1, corner, &height, NULL));
            assert_true(fabs(height - wanted[NX * NY - 1]) < 1e-6);
            myr_terrain_free(t);
        }
}

static void big(unsigned char *at, uint32_t value) {
    for (int k = 0; k < 4; k++) at[k] = (unsigned char)(value >> 8 * (3 - k));
}

/* A whole header, right sum included, and a little data behind it. */
static void write_claim(const char *name, uint32_t width, uint32_t height, int depth, int color) {
    unsigned char bytes[100] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    big(bytes + 16, width), big(bytes + 20, height);
    bytes[24] = (unsigned char)depth, bytes[25] = (unsigned char)color;
    big(bytes + 29, (uint32_t)crc32(0, bytes + 12, 17));
    memcpy(bytes + 33, "\0\0\0\x20IDAT", 8);
    big(bytes + 73, (uint32_t)crc32(0, bytes + 37, 36));
    mesh_write(name, bytes, 77);
}

static void images_refused(void **state) {
    (void)state;
    const myr_terrain_read_options options = terrain_options_of(0.3, -2, 1);
    const struct {
        int depth, color;
        const char *words;
    } kinds[] = {{8, PNG_COLOR_TYPE_RGB, "colours"},
                 {16, PNG_COLOR_TYPE_GRAY_ALPHA, "transparency"},
                 {8, PNG_COLOR_TYPE_PALETTE, "palette"},
                 {4, PNG_COLOR_TYPE_GRAY, "4 bits"}};
    for (int k = 0; k < 4; k++) {
        write_image("kind.png", NX, NY, kinds[k].depth, kinds[k].color, 0, nothing);
        terrain_refused("kind.png", &options, MYR_E_FORMAT, kinds[k].words);
    }
    write_claim("huge.png", 16384, 16384, 8, 0);
    terrain_refused("huge.png", &options, MYR_E_LIMIT, "16384 x 16384 samples");
    write_claim("endless.png", 0x7fffffff, 0x7fffffff, 16, 0);
    terrain_refused("endless.png", &options, MYR_E_LIMIT, "2147483647 x 2147483647");
    write_claim("empty.png", 8000, 8000, 16, 0);
    terrain_refused("empty.png", &options, MYR_E_FORMAT, "cannot come out of 77 bytes");
    write_claim("broken.png", 8, 8, 16, 0);
    terrain_refused("broken.png", &options, MYR_E_FORMAT, "broken.png: ");
    write_image("row.png", NX, 1, 8, PNG_COLOR_TYPE_GRAY, 0, nothing);
    terrain_refused("row.png", &options, MYR_E_FORMAT, "at least 2");
    write_image("whole.png", NX, NY, 16, PNG_COLOR_TYPE_GRAY, 0, wide_value);
    unsigned char bytes[1000];
    FILE *file = fopen(mesh_path("whole.png"), "rb");
    const size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(n > 60 && n < sizeof bytes);
    for (size_t k = 0; k < n; k++) {
        mesh_write("short.png", bytes, k);
        terrain_refused("short.png", &options, MYR_E_FORMAT, k < 8 ? "short.png: " : "the file ends too early");
    }
    bytes[n - 20] ^= 1; /* in the data, or its sum */
    mesh_write("flipped.png", bytes, n);
    terrain_refused("flipped.png", &options, MYR_E_FORMAT, "flipped.png: ");
    const myr_terrain_read_options flat = terrain_options_of(0.3, 1, 1), endless = terrain_options_of(0.3, 0, INFINITY),
                                   wrong = terrain_options_of(0.3, NAN, 1), far = terrain_options_of(0.3, 9999, 12000);
    terrain_refused("whole.png", &flat, MYR_E_ARG, "low_m is 1 and high_m 1");
    terrain_refused("whole.png", &endless, MYR_E_ARG, "high_m inf");
    terrain_refused("whole.png", &wrong, MYR_E_ARG, "low_m is nan");
    terrain_refused("whole.png", &far, MYR_E_FORMAT, "within 10000 m");
}

/* ---- MuJoCo's binary ---------------------------------------------------------------------------------------------------------------- */

static size_t field_bytes(unsigned char *out, int rows, int columns) {
    memcpy(out, &rows, 4), memcpy(out + 4, &columns, 4);
    for (int r = 0; r < NY; r++)
        for (int c = 0; c < NX; c++) {
            const float value = (float)(1000 * c + r + 17); /* the first row is the smallest y */
            memcpy(out + 8 + 4 * (r * NX + c), &value, sizeof value);
        }
    return 8 + 4 * NX * NY;
}

static void height_fields(void **state) {
    (void)state;
    unsigned char bytes[8 + 4 * NX * NY];
    double wanted[NX * NY];
    const myr_terrain_read_options options = terrain_options_of(0.3, -1, 2);
    mesh_write("field.bin", bytes, field_bytes(bytes, NY, NX));
    myr_terrain *t = terrain_read_map("field.bin", &options);
    for (int i = 0; i < NX; i++)
        for (int k = 0; k < NY; k++) wanted[i * NY + k] = -1 + 3 * (1000 * i + k) / (1000.0 * (NX - 1) + NY - 1);
    terrain_samples_are(t, wanted, 1e-6);
    myr_terrain_free(t);
    const float same = 7; /* one height everywhere is the low one */
    for (int i = 0; i < NX * NY; i++) memcpy(bytes + 8 + 4 * i, &same, sizeof same), wanted[i] = -1;
    mesh_write("flat.bin", bytes, sizeof bytes);
    t = terrain_read_map("flat.bin", &options);
    terrain_samples_are(t, wanted, 0);
    myr_terrain_free(t);

    const float wrong = NAN;
    const size_t n = field_bytes(bytes, NY, NX);
    mesh_write("short.bin", bytes, n - 1);
    terrain_refused("short.bin", &options, MYR_E_FORMAT, "take 68 bytes, and the file has 67");
    mesh_write("tiny.bin", bytes, 7);
    terrain_refused("tiny.bin", &options, MYR_E_FORMAT, "7 bytes");
    memcpy(bytes + 8 + 4 * (NX + 2), &wrong, sizeof wrong);
    mesh_write("nan.bin", bytes, n);
    terrain_refused("nan.bin", &options, MYR_E_FORMAT, "row 1, column 2 is not finite");
    const int claims[][2] = {{1, 15}, {-3, -5}, {16384, 16384}, {0x7fffffff, 0x7fffffff}, {8000, 8000}};
    const myr_status as[] = {MYR_E_FORMAT, MYR_E_FORMAT, MYR_E_LIMIT, MYR_E_LIMIT, MYR_E_FORMAT};
    static const char *const words[] = {"at least 2", "-5 x -3", "at most", "2147483647", "take 256000008 bytes"};
    for (int k = 0; k < 5; k++) {
        mesh_write("claim.bin", bytes, field_bytes(bytes, claims[k][0], claims[k][1]));
        terrain_refused("claim.bin", &options, as[k], words[k]);
    }
    const myr_terrain_read_options upside = terrain_options_of(0.3, 2, -1);
    terrain_refused("field.bin", &upside, MYR_E_ARG, "low_m is 2 and high_m -1");
}

/* ---- meshes ------------------------------------------------------------------------------------------------------------------------ */

static double surface(int i, int k) { return 0.1 * i * i - 0.07 * k + 0.03 * i * k; }

/* Points (i, k) cell, i and k from first on, n of them each; each square cut along the diagonal of fields (0) or the other one (1). */
static char *mesh_text(int first, int n, double cell, int other_diagonal, double lift) {
    static char text[1 << 14];
    int at = 0;
    for (int i = first; i < first + n; i++)
        for (int k = first; k < first + n; k++)
            at += snprintf(text + at, sizeof text - (size_t)at, "v %.17g %.17g %.17g\n", cell * i, cell * k,
                           surface(i, k) + (i == 1 && k == 1 ? lift : 0));
    for (int i = 0; i + 1 < n; i++)
        for (int k = 0; k + 1 < n; k++) {
            const int a = i * n + k + 1, b = a + n, c = b + 1, d = a + 1;
            if (other_diagonal)
                at += snprintf(text + at, sizeof text - (size_t)at, "f %d %d %d\nf %d %d %d\n", a, b, d, b, c, d);
            else
                at += snprintf(text + at, sizeof text - (size_t)at, "f %d %d %d\nf %d %d %d\n", a, b, c, a, c, d);
        }
    return text;
}

static void meshes(void **state) {
    (void)state;
    double wanted[36];
    myr_terrain_read_options options = terrain_options_of(0.3, 0, 0);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) wanted[6 * i + k] = surface(i - 2, k - 2);
    mesh_write_text("same.obj", mesh_text(-2, 6, 0.3, 0, 0));
    myr_terrain *t = terrain_read_map("same.obj", &options);
    myr_terrain_info info = terrain_info_of(t);
    assert_int_equal(info.nx, 6), assert_int_equal(info.ny, 6);
    assert_int_equal(info.origin_i, 2), assert_int_equal(info.origin_k, 2); /* where its x and y are 0 */
    terrain_samples_are(t, wanted, 1e-6);
    assert_true(info.resampled_m < 1e-6);
    myr_terrain_free(t);
    /* cut the other way, the two surfaces are 0.03 / 2 from each other in the middle of each cell: all is exact but 0.03 i k */
    mesh_write_text("cut.obj", mesh_text(-2, 6, 0.3, 1, 0));
    t = terrain_read_map("cut.obj", &options);
    terrain_samples_are(t, wanted, 1e-6);
    assert_true(fabs(terrain_info_of(t).resampled_m - 0.015) < 1e-6);
    myr_terrain_free(t);
    /* a peak that no sample finds */
    options.cell_m = 0.6, options.origin_i = 1;
    mesh_write_text("peak.obj", mesh_text(-2, 7, 0.3, 0, 5));
    t = terrain_read_map("peak.obj", &options);
    info = terrain_info_of(t);
    assert_int_equal(info.nx, 4), assert_int_equal(info.origin_i, 1), assert_int_equal(info.origin_k, 1);
    const double middle = 5 + surface(1, 1) - 0.5 * (surface(0, 0) + surface(2, 2));
    assert_true(fabs(info.resampled_m - middle) < 1e-6);
    myr_terrain_free(t);
    /* far from x = y = 0 the middle is the origin */
    options = terrain_options_of(0.3, 0, 0);
    mesh_write_text("far.obj", mesh_text(100, 6, 0.3, 0, 0));
    t = terrain_read_map("far.obj", &options);
    assert_int_equal(terrain_info_of(t).origin_i, 2), assert_int_equal(terrain_info_of(t).nx, 6);
    myr_terrain_free(t);
    /* a square of two triangles, seen from below, as text STL */
    mesh_write_text("below.stl",
                    "solid s\nfacet normal 0 0 1\nouter loop\nvertex -1 -1 0\nvertex 1 1 2\nvertex 1 -1 1\nendloop\nendfacet\n"
                    "facet normal 0 0 1\nouter loop\nvertex -1 -1 0\nvertex -1 1 1\nvertex 1 1 2\nendloop\nendfacet\nendsolid\n");
    options = terrain_options_of(0.25, 0, 0);
    t = terrain_read_map("below.stl", &options);
    info = terrain_info_of(t);
    assert_int_equal(info.nx, 9), assert_int_equal(info.ny, 9);
    const double places[4] = {0.3, -0.2, -0.9, 0.8};
    double height[2];
    MUST(myr_terrain_height(t, 2, places, height, NULL));
    assert_true(fabs(height[0] - 1.05) < 1e-6 && fabs(height[1] - 0.95) < 1e-6);
    assert_true(info.resampled_m < 1e-6);
    myr_terrain_free(t);
}

#define SQUARE "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\n"

static void meshes_refused(void **state) {
    (void)state;
    const myr_terrain_read_options options = terrain_options_of(1, 0, 0);
    const struct {
        const char *text, *words;
    } cases[] = {
        {SQUARE "f 1 2 3\n", "0.5 times the area of its rectangle: it has a hole"},
        {SQUARE "f 1 2 3\nf 1 2 4\n", "hole in it"}, /* its area is right: once too much, once missing */
        {SQUARE "f 1 2 3 4\nf 4 3 2 1\n", "faces the other side"},
        {SQUARE "f 1 2 3 4\nf 1 2 3 4\n", "2 times the area of its rectangle: a vertical line meets the mesh twice"},
        {SQUARE "v 4 4 3\nf 1 2 3 4\nf 2 3 5\n", "triangle 3 is a wall"},
        {SQUARE "", "no triangle"},
        {SQUARE "f 1 2 9\n", "no point 9"},
        {"v 0 0 0\nv 4 0 0\nv 4 0.5 0\nv 0 0.5 0\nf 1 2 3 4\n", "5 x 1 samples"},
        {"v 0 0 0\nv 4 0 nan\nv 4 4 0\nv 0 4 0\nf 1 2 3 4\n", "not a number"},
        {"v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 99999\nf 1 2 3 4\n", "within 10000 m"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mesh_write_text("wrong.obj", cases[k].text);
        terrain_refused("wrong.obj", &options, MYR_E_FORMAT, cases[k].words);
    }
    /* two sheets side by side, at different heights: the line where they meet is met twice */
    mesh_write_text("torn.obj", "v 0 0 0\nv 2 0 0\nv 2 4 0\nv 0 4 0\nv 2 0 1\nv 4 0 1\nv 4 4 1\nv 2 4 1\nf 1 2 3 4\nf 5 6 7 8\n");
    terrain_refused("torn.obj", &options, MYR_E_FORMAT, "meets it twice");
    mesh_write_text("wide.obj", "v 0 0 0\nv 40000 0 0\nv 40000 4 0\nv 0 4 0\nf 1 2 3 4\n");
    terrain_refused("wide.obj", &options, MYR_E_LIMIT, "40001 x 5 samples");
    mesh_write_text("wider.obj", "v 0 0 0\nv 1e99 0 0\nv 1e99 4 0\nv 0 4 0\nf 1 2 3 4\n");
    terrain_refused("wider.obj", &options, MYR_E_LIMIT, "1e+99");
    myr_terrain_read_options columns = options;
    columns.columns = 1;
    terrain_refused("torn.obj", &columns, MYR_E_ARG, "a mesh is read as a field");
    mesh_write_text("words.stl", "neither");
    terrain_refused("words.stl", &options, MYR_E_FORMAT, "words.stl");
}

int main(void) {
    terrain_watch_memory();
    const struct CMUnitTest tests[] = {cmocka_unit_test(images), cmocka_unit_test(images_refused), cmocka_unit_test(height_fields),
                                       cmocka_unit_test(meshes), cmocka_unit_test(meshes_refused)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mesh_clean();
    return failed;
}
