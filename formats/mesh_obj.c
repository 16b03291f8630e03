/* Wavefront OBJ: points (`v`) and faces (`f`); normals, textures, groups, materials and lines are passed over. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "mesh.h"
#include "xml.h"

typedef struct reader {
    const char *label, *at; /* at: in the present line */
    long line;
    myr_mesh *mesh;
    int largest; /* index of a point, and where it stands: points may come after the faces */
    long largest_line;
} reader;

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static const char *skip(const char *at) {
    while (is_blank(*at)) at++;
    return at;
}

static int word_length(const char *at) {
    int n = 0;
    while (at[n] && at[n] != '\n' && !is_blank(at[n]) && n < 40) n++;
    return n;
}

static myr_status read_point(reader *r) {
    double point[3];
    for (int k = 0; k < 3; k++) {
        r->at = skip(r->at);
        const char *word = r->at;
        if (*word == '\n' || !*word) return myr_fail(MYR_E_FORMAT, "%.1000s:%ld: `v` has %d numbers, not 3", r->label, r->line, k);
        if (!myr_xml_number(&r->at, &point[k]))
            return myr_fail(MYR_E_FORMAT, "%.1000s:%ld: `v`: `%.*s` is not a number", r->label, r->line, word_length(word), word);
        if (!(fabs(point[k]) <= 1e100))
            return myr_fail(MYR_E_FORMAT, "%.1000s:%ld: `v`: `%.*s` is too large", r->label, r->line, word_length(word), word);
    }
    return myr_mesh_add_point(r->mesh, r->label, point);
}

/* 3, 3/1, 3//2, 3/1/2: the point's number alone counts. From 1; negative ones count back from the last point. */
static myr_status read_index(reader *r, int *out) {
    const char *word = r->at, *at = word + (*word == '-');
    long long value = 0;
    int digits = 0;
    for (; *at >= '0' && *at <= '9'; at++, digits++) value = value > INT_MAX ? value : 10 * value + (*at - '0');
    if (!digits || (*at && *at != '/' && *at != '\n' && !is_blank(*at)))
        return myr_fail(MYR_E_FORMAT, "%.1000s:%ld: `f`: `%.*s` is not the number of a point", r->label, r->line, word_length(word), word);
    const long long index = *word == '-' ? r->mesh->n_points - value : value - 1;
    if (value == 0 || index < 0 || index >= MYR_MAX_MESH)
        return myr_fail(MYR_E_FORMAT, "%.1000s:%ld: `f`: there is no point %.*s", r->label, r->line, word_length(word), word);
    *out = (int)index;
    if (*out > r->largest) r->largest = *out, r->largest_line = r->line;
    while (*at && *at != '\n' && !is_blank(*at)) at++;
    r->at = at;
    return MYR_OK;
}

/* A fan of triangles around the first corner. */
static myr_status read_face(reader *r) {
    int corner[3] = {0, 0, 0}, n = 0;
    for (r->at = skip(r->at); *r->at && *r->at != '\n' && *r->at != '#'; r->at = skip(r->at), n++) {
        myr_status status = read_index(r, &corner[n < 2 ? n : 2]);
        if (!status && n >= 2) {
            status = myr_mesh_add_triangle(r->mesh, r->label, corner[0], corner[1], corner[2]);
            corner[1] = corner[2];
        }
        if (status) return status;
    }
    return MYR_OK;
}

myr_status myr_mesh_read_obj(const char *label, const char *text, size_t length, myr_mesh *out) {
    reader r = {.label = label, .mesh = out, .largest = -1};
    const char *line = text, *end = text + length;
    if (memchr(text, 0, length))
        return myr_fail(MYR_E_FORMAT, "%.1000s: byte %td is 0: this is not an OBJ file", label,
                        (const char *)memchr(text, 0, length) - text);
    while (line < end) {
        myr_status status = MYR_OK;
        r.line++;
        r.at = skip(line);
        const char kind = r.at[0], *next;
        if ((kind == 'v' || kind == 'f') && is_blank(r.at[1])) {
            r.at++;
            status = kind == 'v' ? read_point(&r) : read_face(&r);
        }
        if (status) return status;
        next = memchr(line, '\n', (size_t)(end - line));
        line = next ? next + 1 : end;
    }
    if (r.largest >= out->n_points)
        return myr_fail(MYR_E_FORMAT, "%.1000s:%ld: `f`: there is no point %d; the file has %d", label, r.largest_line, r.largest + 1,
                        out->n_points);
    return MYR_OK;
}
