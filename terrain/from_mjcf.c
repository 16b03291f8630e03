/* The height field of an MJCF as a map. A row of it is one y and a column one x; its first row is the largest y where it is an image or
 * stands in the file, and the smallest where it is binary. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "files.h"
#include "base/file.h"
#include "base/memory.h"
#include "formats/mesh.h"
#include "formats/mjcf_field.h"

#define SQUARE 1e-6 /* of a cell: what is nearer is the same */

/* The field as numbers: the first row is the smallest y. */
typedef struct grid {
    const myr_mjcf_field *field;
    int rows, columns, cut_bits; /* cut_bits: MuJoCo reads less of its image */
    float *data;
    double cell[2]; /* [m] along x and y */
    char *note;
} grid;

static void say(grid *g, const char *words) {
    const size_t used = strlen(g->note);
    snprintf(g->note + used, MYR_TERRAIN_NOTE - used, "%s%s", used ? "; " : "", words);
}

static myr_status read_image(grid *g, const myr_bytes *file) {
    myr_grey image;
    const myr_status status = myr_png_read(file, &image);
    if (status) return status;
    const size_t nx = (size_t)image.width, ny = (size_t)image.height;
    g->rows = image.height, g->columns = image.width, g->cut_bits = image.most > 255;
    if ((g->data = myr_allocate_array(nx * ny, sizeof *g->data)))
        for (size_t i = 0; i < nx * ny; i++) g->data[i] = image.values[(ny - 1 - i / nx) * nx + i % nx];
    myr_release(image.values);
    return g->data ? MYR_OK : myr_fail(MYR_E_MEMORY, "%.1000s: out of memory", file->label);
}

static myr_status read_data_file(grid *g) {
    char *text = NULL;
    myr_bytes file = {.label = g->field->file};
    myr_status status = myr_read_whole(g->field->file, &text, &file.length);
    file.at = (const unsigned char *)text;
    if (!status) status = g->field->is_png ? read_image(g, &file) : myr_hfield_read(&file, &g->rows, &g->columns, &g->data);
    myr_release(text);
    return status ? myr_fail(status, "%.400s: %s", g->field->label, myr_message()) : MYR_OK;
}

static myr_status take_elevation(grid *g) {
    const myr_mjcf_field *f = g->field;
    const myr_status status = myr_terrain_check_size(f->label, "ncol and nrow", f->columns, f->rows);
    if (status) return status;
    const size_t nx = (size_t)f->columns, ny = (size_t)f->rows;
    g->rows = f->rows, g->columns = f->columns;
    if (!(g->data = myr_allocate_array(nx * ny, sizeof *g->data))) return myr_fail(MYR_E_MEMORY, "%.1000s: out of memory", f->label);
    for (size_t i = 0; i < nx * ny && f->elevation; i++) {
        const double value = f->elevation[(ny - 1 - i / nx) * nx + i % nx];
        if (!(fabs(value) <= 1e30)) return myr_fail(MYR_E_FORMAT, "%.1000s: elevation: %g is too large", f->label, value);
        g->data[i] = (float)value;
    }
    return MYR_OK;
}

static double height_of(const grid *g, int row, int column) {
    return g->field->position[2] + g->field->size[2] * (double)g->data[(size_t)row * (size_t)g->columns + (size_t)column];
}

/* x of column 0, or y of row 0. */
static double first_of(const grid *g, int axis) { return g->field->position[axis] - g->field->size[axis]; }

/* Where x = y = 0 is, in samples from the first. */
static myr_status find_origin(const grid *g, double at[2]) {
    const int n[2] = {g->columns, g->rows};
    for (int a = 0; a < 2; a++) {
        at[a] = -first_of(g, a) / g->cell[a];
        if (!(at[a] >= -SQUARE && at[a] <= n[a] - 1 + SQUARE))
            return myr_fail(MYR_E_FORMAT, "%.1000s: it goes from %g to %g m along %c; a map must hold the world's x = y = 0",
                            g->field->label, first_of(g, a), first_of(g, a) + 2 * g->field->size[a], 'x' + a);
    }
    return MYR_OK;
}

/* As it is, but for a move that brings the sample next to x = y = 0 there. */
static myr_status take_square(grid *g, const double at[2], myr_terrain **out) {
    const size_t nx = (size_t)g->columns, ny = (size_t)g->rows;
    float *heights = myr_allocate_array(nx * ny, sizeof *heights);
    if (!heights) return myr_fail(MYR_E_MEMORY, "%.1000s: out of memory", g->field->label);
    for (size_t i = 0; i < nx; i++)
        for (size_t k = 0; k < ny; k++) heights[i * ny + k] = (float)height_of(g, (int)k, (int)i);
    myr_terrain_def def = myr_terrain_def_default();
    def.nx = g->columns, def.ny = g->rows, def.cell_m = g->cell[0], def.heights_m = heights;
    def.origin_i = (int)floor(at[0] + 0.5), def.origin_k = (int)floor(at[1] + 0.5);
    if (def.origin_i >= def.nx) def.origin_i = def.nx - 1;
    if (def.origin_k >= def.ny) def.origin_k = def.ny - 1;
    const double move[2] = {(at[0] - def.origin_i) * g->cell[0], (at[1] - def.origin_k) * g->cell[1]};
    const myr_status status = myr_terrain_made(g->field->label, &def, out);
    if (!status && fmax(fabs(move[0]), fabs(move[1])) > SQUARE * g->cell[0]) {
        char words[160];
        snprintf(words, sizeof words, "it is moved by %.6g m along x and %.6g m along y, so that a sample lies at x = y = 0", move[0],
                 move[1]);
        say(g, words);
    }
    myr_release(heights);
    return status;
}

static myr_status make_mesh(const grid *g, myr_mesh *mesh) {
    const char *label = g->field->label;
    myr_status status = MYR_OK;
    for (int c = 0; c < g->columns && !status; c++)
        for (int r = 0; r < g->rows && !status; r++) {
            const double point[3] = {first_of(g, 0) + c * g->cell[0], first_of(g, 1) + r * g->cell[1], height_of(g, r, c)};
            status = myr_mesh_add_point(mesh, label, point);
        }
    for (int c = 0; c + 1 < g->columns && !status; c++)
        for (int r = 0; r + 1 < g->rows && !status; r++) {
            const int a = c * g->rows + r, b = a + g->rows;
            status = myr_mesh_add_triangle(mesh, label, a, b, b + 1);
            if (!status) status = myr_mesh_add_triangle(mesh, label, a, b + 1, a + 1);
        }
    return status;
}

/* Cells that are not square: the surface at samples that are. */
static myr_status take_oblong(grid *g, myr_terrain **out) {
    myr_mesh mesh = {.points = NULL};
    myr_terrain_read_options options = myr_terrain_read_options_default();
    options.cell_m = fmin(g->cell[0], g->cell[1]);
    myr_status status = make_mesh(g, &mesh);
    if (!status) status = myr_terrain_resample(g->field->label, &mesh, &options, out);
    if (!status) {
        char words[200];
        snprintf(words, sizeof words, "its cells of %.6g m along x and %.6g m along y are resampled at %.6g m, within %.3g m of height",
                 g->cell[0], g->cell[1], options.cell_m, (*out)->resampled);
        say(g, words);
    }
    myr_mesh_free(&mesh);
    return status;
}

static myr_status make(grid *g, myr_terrain **out) {
    double at[2];
    myr_status status = *g->field->file ? read_data_file(g) : take_elevation(g);
    if (status) return status;
    myr_hfield_normalise(g->data, (size_t)g->rows * (size_t)g->columns);
    g->cell[0] = 2 * g->field->size[0] / (g->columns - 1), g->cell[1] = 2 * g->field->size[1] / (g->rows - 1);
    if (g->cut_bits) say(g, "MuJoCo reads 8 of the 16 bits of its image");
    if ((status = find_origin(g, at))) return status;
    status = fabs(g->cell[0] - g->cell[1]) <= SQUARE * g->cell[0] ? take_square(g, at, out) : take_oblong(g, out);
    if (!status && *g->field->others) say(g, g->field->others);
    return status;
}

myr_status myr_terrain_from_mjcf(const char *path, char note[MYR_TERRAIN_NOTE], myr_terrain **out) {
    MYR_OWN_ARITHMETIC;
    char own[MYR_TERRAIN_NOTE];
    if (out) *out = NULL;
    grid g = {.note = note ? note : own};
    *g.note = '\0';
    if (!path || !out) return myr_fail(MYR_E_ARG, "myr_terrain_from_mjcf: `%s` is NULL", path ? "out" : "path");
    myr_mjcf_field *field = myr_allocate(sizeof *field, 64);
    if (!field) return myr_fail(MYR_E_MEMORY, "%.1000s: out of memory", path);
    myr_status status = myr_mjcf_find_field(path, field);
    g.field = field;
    if (!status) status = make(&g, out);
    myr_release(g.data);
    myr_mjcf_field_free(field);
    myr_release(field);
    return status;
}
