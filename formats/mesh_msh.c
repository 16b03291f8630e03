/* MuJoCo's own old format, binary: numbers of points, normals, texture coordinates and triangles; points; normals and texture coordinates,
 * which are passed over; triangles. Without these the mesh is the hull of its points. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "mesh.h"

enum { HEADER = 16 }; /* bytes */

static int32_t read_word(const char *at) {
    const unsigned char *b = (const unsigned char *)at;
    const uint32_t bits = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    int32_t word;
    memcpy(&word, &bits, sizeof word);
    return word;
}

static myr_status read_point(const char *label, const char *text, size_t at, myr_mesh *out) {
    double point[3];
    for (size_t k = 0; k < 3; k++) {
        const int32_t word = read_word(text + at + 4 * k);
        float value;
        memcpy(&value, &word, sizeof value);
        if (!isfinite(value)) return myr_fail(MYR_E_FORMAT, "%.1000s: byte %zu: a coordinate is not finite", label, at + 4 * k);
        point[k] = (double)value;
    }
    return myr_mesh_add_point(out, label, point);
}

static myr_status read_triangle(const char *label, const char *text, size_t at, myr_mesh *out) {
    int32_t corner[3];
    for (size_t k = 0; k < 3; k++) {
        corner[k] = read_word(text + at + 4 * k);
        if (corner[k] < 0 || corner[k] >= out->n_points)
            return myr_fail(MYR_E_FORMAT, "%.1000s: byte %zu: there is no point %ld; the file has 0 to %d", label, at + 4 * k,
                            (long)corner[k], out->n_points - 1);
    }
    return myr_mesh_add_triangle(out, label, corner[0], corner[1], corner[2]);
}

myr_status myr_mesh_read_msh(const char *label, const char *text, size_t length, myr_mesh *out) {
    int64_t n[4]; /* points, normals, texture coordinates, triangles */
    myr_status status = MYR_OK;
    if (length < HEADER) return myr_fail(MYR_E_FORMAT, "%.1000s: byte 0: %zu bytes are too few for an MSH file of MuJoCo", label, length);
    for (size_t k = 0; k < 4; k++) n[k] = read_word(text + 4 * k);
    if (n[0] < 4 || n[3] < 0 || (n[1] != 0 && n[1] != n[0]) || (n[2] != 0 && n[2] != n[0]))
        return myr_fail(MYR_E_FORMAT,
                        "%.1000s: byte 0: %ld points, %ld normals, %ld texture coordinates, %ld triangles: not an MSH file of MuJoCo",
                        label, (long)n[0], (long)n[1], (long)n[2], (long)n[3]);
    const int64_t wanted = HEADER + 12 * n[0] + 12 * n[1] + 8 * n[2] + 12 * n[3];
    if (wanted < 0 || (uint64_t)wanted != length)
        return myr_fail(MYR_E_FORMAT, "%.1000s: byte 0: %ld points and %ld triangles take %lld bytes, and the file has %zu", label,
                        (long)n[0], (long)n[3], (long long)wanted, length);
    size_t at = HEADER;
    for (int64_t i = 0; i < n[0] && !status; i++, at += 12) status = read_point(label, text, at, out);
    at += (size_t)(12 * n[1] + 8 * n[2]);
    for (int64_t i = 0; i < n[3] && !status; i++, at += 12) status = read_triangle(label, text, at, out);
    return status;
}
