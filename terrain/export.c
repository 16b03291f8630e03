/* A map as an MJCF: boxes where it is few level pillars, else a height field beside it. MuJoCo reads 8 bits of a PNG's 16, so heights go
 * into its binary format, which has floats. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* uselocale */
#endif
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "files.h"
#include "base/memory.h"

enum { ENDING = 4, LINE = 400 };

/* A text that grows. */
typedef struct text {
    char *at;
    size_t length, room;
    int failed;
} text;

static void say(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(text *t, const char *format, ...) {
    va_list arguments;
    char *larger;
    if (t->room - t->length < LINE + PATH_MAX) {
        const size_t room = 2 * t->room + 2 * (LINE + PATH_MAX);
        if (!(larger = myr_allocate(room, 1))) {
            t->failed = 1;
            return;
        }
        if (t->length) memcpy(larger, t->at, t->length);
        myr_release(t->at);
        t->at = larger, t->room = room;
    }
    va_start(arguments, format);
    const int n = vsnprintf(t->at + t->length, t->room - t->length, format, arguments);
    va_end(arguments);
    if (n < 0 || (size_t)n >= t->room - t->length)
        t->failed = 1;
    else
        t->length += (size_t)n;
}

/* A name in quotes of XML. */
static void quote(text *t, const char *name) {
    for (; *name; name++) {
        const char *as = *name == '&' ? "&amp;" : *name == '<' ? "&lt;" : *name == '"' ? "&quot;" : NULL;
        if (as)
            say(t, "%s", as);
        else
            say(t, "%c", *name);
    }
}

/* The place of a sample, and of what lies between two. */
static double along(double sample, int origin, double cell) { return (sample - origin) * cell; }

static void say_boxes(const myr_terrain *t, const myr_rectangle *rectangles, int n, text *out) {
    const double bottom = floor(t->lowest) - 1;
    say(out, "  <worldbody>\n");
    for (int b = 0; b < n; b++) {
        const myr_rectangle *r = &rectangles[b];
        const double top = t->step * myr_terrain_unit(t, myr_terrain_at(t, r->i, r->k));
        say(out, "    <geom type=\"box\" pos=\"%.17g %.17g %.17g\" size=\"%.17g %.17g %.17g\"/>\n",
            along(0.5 * (r->i + r->i_end - 1), t->origin_i, t->cell), along(0.5 * (r->k + r->k_end - 1), t->origin_k, t->cell),
            0.5 * (top + bottom), 0.5 * (r->i_end - r->i) * t->cell, 0.5 * (r->k_end - r->k) * t->cell, 0.5 * (top - bottom));
    }
    say(out, "  </worldbody>\n");
}

static void say_field(const myr_terrain *t, const char *file, text *out) {
    const double range = t->highest - t->lowest;
    say(out, "  <asset>\n    <hfield name=\"ground\" content_type=\"image/vnd.mujoco.hfield\" file=\"");
    quote(out, file);
    say(out, "\" size=\"%.17g %.17g %.17g 1\"/>\n  </asset>\n", 0.5 * (t->nx - 1) * t->cell, 0.5 * (t->ny - 1) * t->cell,
        range > 0 ? range : 1);
    say(out, "  <worldbody>\n    <geom name=\"ground\" type=\"hfield\" hfield=\"ground\" pos=\"%.17g %.17g %.17g\"/>\n  </worldbody>\n",
        along(0.5 * (t->nx - 1), t->origin_i, t->cell), along(0.5 * (t->ny - 1), t->origin_k, t->cell), t->lowest);
}

/* From 0 at the lowest to 1 at the highest sample, which MuJoCo makes of it anyway; the first row is the smallest y. */
static myr_status write_heights(const myr_terrain *t, const char *path) {
    const size_t n = (size_t)t->nx * (size_t)t->ny;
    const double range = t->highest - t->lowest;
    const int32_t sizes[2] = {t->ny, t->nx};
    char *bytes = myr_allocate(sizeof sizes + n * sizeof(float), 16);
    if (!bytes) return myr_fail(MYR_E_MEMORY, "%.1000s: out of memory while writing a map", path);
    memcpy(bytes, sizes, sizeof sizes);
    for (int k = 0; k < t->ny; k++)
        for (int i = 0; i < t->nx; i++) {
            const double height = t->step * myr_terrain_unit(t, myr_terrain_at(t, i, k)) - t->lowest;
            const float value = range > 0 ? (float)(height / range) : 0;
            memcpy(bytes + sizeof sizes + ((size_t)k * (size_t)t->nx + (size_t)i) * sizeof value, &value, sizeof value);
        }
    const myr_status status = myr_write_whole(path, bytes, sizeof sizes + n * sizeof(float));
    myr_release(bytes);
    return status;
}

static void say_losses(const myr_terrain *t, int boxes, char note[MYR_TERRAIN_NOTE]) {
    const char *walls = t->has_columns && !boxes ? "vertical walls of columns are slopes over one cell" : "";
    const char *friction = t->friction ? "factors on friction are left out" : "";
    snprintf(note, MYR_TERRAIN_NOTE, "%s%s%s", walls, *walls && *friction ? "; " : "", friction);
}

/* Of a path its file's name, less the ending. */
static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static myr_status export_to(const myr_terrain *t, const char *path, char note[MYR_TERRAIN_NOTE], const myr_rectangle *boxes, int n) {
    char beside[PATH_MAX];
    text out = {.at = NULL};
    myr_status status = MYR_OK;
    const int stem = (int)strlen(path) - ENDING;
    if (snprintf(beside, sizeof beside, "%.*s.bin", stem, path) >= (int)sizeof beside)
        return myr_fail(MYR_E_FILE, "%.200s...: the name is too long", path);
    say_losses(t, n > 0, note);
    /* numbers with a point, whatever the caller's locale */
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), callers = plain ? uselocale(plain) : (locale_t)0;
    if (!plain) return myr_fail(MYR_E_MEMORY, "%.1000s: out of memory while writing a map", path);
    say(&out, "<mujoco model=\"ground\">\n  <!-- %d x %d samples, cells of %g m%s%s -->\n", t->nx, t->ny, t->cell, *note ? ". Lost: " : "",
        note);
    if (n > 0)
        say_boxes(t, boxes, n, &out);
    else
        say_field(t, base_of(beside), &out);
    say(&out, "</mujoco>\n");
    uselocale(callers), freelocale(plain);
    if (out.failed) status = myr_fail(MYR_E_MEMORY, "%.1000s: out of memory while writing a map", path);
    if (!status && n <= 0) status = write_heights(t, beside); /* before the file that names it */
    if (!status) status = myr_write_whole(path, out.at, out.length);
    myr_release(out.at);
    return status;
}

myr_status myr_terrain_export_mjcf(const myr_terrain *t, const char *path, char note[MYR_TERRAIN_NOTE]) {
    MYR_OWN_ARITHMETIC;
    char own[MYR_TERRAIN_NOTE];
    if (!note) note = own;
    *note = '\0';
    if (!t || !path) return myr_fail(MYR_E_ARG, "myr_terrain_export_mjcf: `%s` is NULL", t ? "path" : "terrain");
    if (!myr_terrain_ends_in(path, ".xml")) return myr_fail(MYR_E_ARG, "%.1000s: an MJCF is written, and its name ends in .xml", path);
    myr_rectangle *boxes = NULL;
    int n = -1;
    myr_status status = MYR_OK;
    if (!t->has_fields) {
        if (!(boxes = myr_allocate_array(MYR_TERRAIN_BOXES, sizeof *boxes)))
            return myr_fail(MYR_E_MEMORY, "%.1000s: out of memory while writing a map", path);
        status = myr_terrain_rectangles(t, MYR_TERRAIN_BOXES, boxes, &n);
    }
    if (!status) status = export_to(t, path, note, boxes, n);
    myr_release(boxes);
    return status;
}
