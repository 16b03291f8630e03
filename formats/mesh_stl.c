/* STL, binary or text. It lists the corners of each triangle; those that are equal to the bit become one point. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "mesh.h"
#include "xml.h"

enum { HEADER = 84, TRIANGLE = 50 }; /* bytes */

/* The points so far, by their bits: 0 free, else 1 + number. */
typedef struct reader {
    const char *label;
    myr_mesh *mesh;
    int *table;
    size_t mask; /* one less than its length, a power of two */
} reader;

static uint64_t bits_of(const double point[3]) {
    uint64_t h = 0;
    for (int k = 0; k < 3; k++) {
        uint64_t bits;
        memcpy(&bits, &point[k], sizeof bits);
        h = (h ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return h;
}

static size_t find_place(const reader *r, const double point[3]) {
    size_t at = (size_t)bits_of(point) & r->mask;
    while (r->table[at] && memcmp(r->mesh->points + 3 * (size_t)(r->table[at] - 1), point, 3 * sizeof *point) != 0) at = (at + 1) & r->mask;
    return at;
}

static int make_room(reader *r) {
    if (r->table && (size_t)r->mesh->n_points * 2 < r->mask) return 1;
    int *before = r->table;
    const size_t length = before ? 2 * (r->mask + 1) : 1 << 10;
    if (!(r->table = myr_allocate_array(length, sizeof *r->table))) {
        r->table = before;
        return 0;
    }
    myr_release(before);
    r->mask = length - 1;
    for (int i = 0; i < r->mesh->n_points; i++) r->table[find_place(r, r->mesh->points + 3 * (size_t)i)] = i + 1;
    return 1;
}

static myr_status number_of(reader *r, double point[3], int *number) {
    for (int k = 0; k < 3; k++) point[k] += 0.0; /* -0 and 0 are one place */
    if (!make_room(r)) return myr_fail(MYR_E_MEMORY, "%.1000s: out of memory", r->label);
    const size_t at = find_place(r, point);
    myr_status status = MYR_OK;
    if (!r->table[at] && !(status = myr_mesh_add_point(r->mesh, r->label, point))) r->table[at] = r->mesh->n_points;
    *number = r->table[at] - 1;
    return status;
}

/* ---- binary ----------------------------------------------------------------------------------- */

static uint32_t read_word(const char *at) {
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static myr_status read_binary(reader *r, const char *text, size_t length) {
    const uint32_t count = read_word(text + 80);
    const uint64_t wanted = HEADER + (uint64_t)TRIANGLE * count;
    if (wanted > length)
        return myr_fail(MYR_E_FORMAT, "%.1000s: byte 80: %lu triangles take %llu bytes, and the file has %zu", r->label,
                        (unsigned long)count, (unsigned long long)wanted, length);
    for (uint32_t i = 0; i < count; i++) {
        int corner[3];
        for (int c = 0; c < 3; c++) {
            const size_t at = HEADER + (size_t)TRIANGLE * i + 12 + 12 * (size_t)c;
            double point[3];
            for (int k = 0; k < 3; k++) {
                const uint32_t word = read_word(text + at + 4 * (size_t)k);
                float value;
                memcpy(&value, &word, sizeof value);
                if (!isfinite(value))
                    return myr_fail(MYR_E_FORMAT, "%.1000s: byte %zu: a coordinate of triangle %lu is not finite", r->label,
                                    at + 4 * (size_t)k, (unsigned long)i + 1);
                point[k] = (double)value;
            }
            const myr_status status = number_of(r, point, &corner[c]);
            if (status) return status;
        }
        const myr_status status = myr_mesh_add_triangle(r->mesh, r->label, corner[0], corner[1], corner[2]);
        if (status) return status;
    }
    return MYR_OK;
}

/* ---- text ------------------------------------------------------------------------------------- */

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static int starts_with(const char *at, const char *word) {
    const size_t n = strlen(word);
    return !strncasecmp(at, word, n) && (!at[n] || at[n] == '\n' || is_blank(at[n]));
}

static myr_status read_vertex(reader *r, long line, const char *at, int *number) {
    double point[3];
    for (int k = 0; k < 3; k++) {
        while (is_blank(*at)) at++;
        if (*at == '\n' || !*at) return myr_fail(MYR_E_FORMAT, "%.1000s:%ld: `vertex` has %d numbers, not 3", r->label, line, k);
        if (!myr_xml_number(&at, &point[k]) || !(fabs(point[k]) <= 1e100))
            return myr_fail(MYR_E_FORMAT, "%.1000s:%ld: `vertex`: coordinate %d is not a number, or is too large", r->label, line, k + 1);
    }
    return number_of(r, point, number);
}

/* Normals are passed over, whatever they are: tools write `nan` there. */
static myr_status read_line(reader *r, long line, const char *at, int corner[3], int *n) {
    static const char *const others[] = {"solid", "facet", "outer", "endfacet", "endsolid"};
    if (starts_with(at, "vertex")) {
        if (*n == 3) return myr_fail(MYR_E_FORMAT, "%.1000s:%ld: a fourth `vertex` of one facet", r->label, line);
        return read_vertex(r, line, at + strlen("vertex"), &corner[(*n)++]);
    }
    if (starts_with(at, "endloop")) {
        if (*n != 3) return myr_fail(MYR_E_FORMAT, "%.1000s:%ld: a facet with %d `vertex`, not 3", r->label, line, *n);
        *n = 0;
        return myr_mesh_add_triangle(r->mesh, r->label, corner[0], corner[1], corner[2]);
    }
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (starts_with(at, others[k])) return MYR_OK;
    int length = 0;
    while (at[length] > ' ' && length < 40) length++;
    return myr_fail(MYR_E_FORMAT, "%.1000s:%ld: `%.*s` is not STL", r->label, line, length, at);
}

static myr_status read_text(reader *r, const char *text, size_t length) {
    const char *at = text, *end = text + length;
    const char *zero = memchr(text, 0, length);
    int corner[3] = {0, 0, 0}, n = 0;
    if (zero) return myr_fail(MYR_E_FORMAT, "%.1000s: byte %td is 0: neither binary STL nor its text", r->label, zero - text);
    for (long line = 1; at < end; line++) {
        while (is_blank(*at)) at++;
        const myr_status status = *at && *at != '\n' ? read_line(r, line, at, corner, &n) : MYR_OK;
        if (status) return status;
        const char *next = memchr(at, '\n', (size_t)(end - at));
        at = next ? next + 1 : end;
    }
    if (n) return myr_fail(MYR_E_FORMAT, "%.1000s: it ends within a facet", r->label);
    return MYR_OK;
}

/* Binary is what has the length that its own count of triangles asks for: some of these begin with `solid`, too. */
static int is_binary(const char *text, size_t length) {
    if (length < HEADER) return 0;
    if (HEADER + (uint64_t)TRIANGLE * read_word(text + 80) == length) return 1;
    return strncasecmp(text, "solid", 5) != 0;
}

myr_status myr_mesh_read_stl(const char *label, const char *text, size_t length, myr_mesh *out) {
    reader r = {.label = label, .mesh = out};
    myr_status status;
    if (is_binary(text, length))
        status = read_binary(&r, text, length);
    else if (!strncasecmp(text, "solid", 5))
        status = read_text(&r, text, length);
    else
        status = myr_fail(MYR_E_FORMAT, "%.1000s: byte 0: %zu bytes that do not begin with `solid` are not STL", label, length);
    if (!status && !out->n_triangles) status = myr_fail(MYR_E_FORMAT, "%.1000s: there is no triangle in it", label);
    myr_release(r.table);
    return status;
}
