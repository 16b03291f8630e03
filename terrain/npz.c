/* A map in an archive of NumPy's arrays: their names, types and shapes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "files.h"
#include "base/memory.h"

enum { VERSION = 1, BLOCK = MYR_TERRAIN_BLOCK };
typedef enum { STEPS, HEIGHTS, CELL, STEP, ORIGIN, COLUMNS, FRICTION, VERSIONED, ARRAYS } array_id;
static const char *const names[ARRAYS] = {"steps", "heights_m", "cell_m", "step_m", "origin", "columns", "friction", "version"};

/* An array of the archive while it is read. */
typedef struct member {
    char label[1200]; /* "FILE: `NAME`" */
    int given;
    myr_npy array;
    const myr_zip_member *zip;
    unsigned char *bytes; /* all of it, header included; NULL: not read yet */
} member;

typedef struct reader {
    const char *label;
    member of[ARRAYS];
    void *heights;
    double number[2];
} reader;

/* ---- reading --------------------------------------------------------------------------------------------------------------------- */

/* Its header, and whether its size is what the shape asks for. */
static myr_status open_member(reader *r, const myr_zip_member *zip) {
    unsigned char header[MYR_NPY_HEADER];
    const size_t length = strlen(zip->name), first = zip->size < sizeof header ? (size_t)zip->size : sizeof header;
    int id = 0;
    while (id < ARRAYS && (length != strlen(names[id]) + 4 || strncmp(zip->name, names[id], length - 4) != 0 ||
                           strcmp(zip->name + length - 4, ".npy") != 0))
        id++;
    if (id == ARRAYS) {
        char wrong[64];
        snprintf(wrong, sizeof wrong, "%.*s", (int)(length > 4 ? length - 4 : length), zip->name);
        const char *near = myr_nearest(wrong, names, ARRAYS);
        return myr_fail(MYR_E_FORMAT, "%.1000s: a map has no array `%s`%s%s%s", r->label, wrong, near ? "; did you mean `" : "",
                        near ? near : "", near ? "`?" : "");
    }
    member *m = &r->of[id];
    if (m->given) return myr_fail(MYR_E_FORMAT, "%.1000s: it has two arrays `%s`", r->label, names[id]);
    m->given = 1, m->zip = zip;
    snprintf(m->label, sizeof m->label, "%.1000s: `%s`", r->label, names[id]);
    myr_status status = myr_zip_unpack(r->label, zip, header, first);
    if (!status) status = myr_npy_parse(m->label, header, first, &m->array);
    if (status) return status;
    const uint64_t wanted = m->array.header + (uint64_t)m->array.shape[0] * (uint64_t)m->array.shape[1] * m->array.size;
    if (wanted != zip->size)
        return myr_fail(MYR_E_FORMAT, "%.1000s: its shape takes %llu bytes, and it has %llu", m->label, (unsigned long long)wanted,
                        (unsigned long long)zip->size);
    return MYR_OK;
}

/* All of an array of this shape. */
static myr_status unpack(member *m, int dimensions, int64_t nx, int64_t ny) {
    const myr_npy *a = &m->array;
    if (a->dimensions != dimensions || a->shape[0] != nx || a->shape[1] != ny)
        return myr_fail(MYR_E_FORMAT, "%.1000s: its shape has %d dimensions, %lld x %lld; it must have %d, %lld x %lld", m->label,
                        a->dimensions, (long long)a->shape[0], (long long)a->shape[1], dimensions, (long long)nx, (long long)ny);
    if (!(m->bytes = myr_allocate((size_t)m->zip->size, 64))) return myr_fail(MYR_E_MEMORY, "%.1000s: out of memory", m->label);
    return myr_zip_unpack(m->label, m->zip, m->bytes, (size_t)m->zip->size);
}

/* A few numbers, as doubles; not given: `usual`. */
static myr_status numbers(reader *r, array_id id, int count, double usual) {
    member *m = &r->of[id];
    for (int k = 0; k < count; k++) r->number[k] = usual;
    if (!m->given) return MYR_OK;
    const myr_status status = unpack(m, count > 1, count, 1);
    for (int k = 0; k < count && !status; k++) r->number[k] = myr_npy_number(&m->array, m->bytes + m->array.header, (size_t)k);
    return status;
}

static myr_status origins(reader *r, myr_terrain_def *def) {
    const myr_status status = numbers(r, ORIGIN, 2, -1);
    if (status) return status;
    for (int a = 0; a < 2; a++)
        if (!(r->number[a] == floor(r->number[a]) && fabs(r->number[a]) <= MYR_TERRAIN_SIDE))
            return myr_fail(MYR_E_FORMAT, "%.1000s: `origin`: %g is not the number of a sample", r->label, r->number[a]);
    def->origin_i = (int)r->number[0], def->origin_k = (int)r->number[1];
    return MYR_OK;
}

/* A byte for each block; *out stays NULL where it is not given. */
static myr_status bytes_of_blocks(reader *r, array_id id, const myr_terrain_def *def, const uint8_t **out) {
    member *m = &r->of[id];
    if (!m->given) return MYR_OK;
    if (m->array.type != MYR_NPY_U8) return myr_fail(MYR_E_FORMAT, "%.1000s: its type must be |u1", m->label);
    const myr_status status = unpack(m, 2, (def->nx + BLOCK - 1) / BLOCK, (def->ny + BLOCK - 1) / BLOCK);
    if (status) return status;
    *out = m->bytes + m->array.header;
    for (int64_t b = 0; b < m->array.shape[0] * m->array.shape[1] && id == COLUMNS; b++)
        if ((*out)[b] > 1)
            return myr_fail(MYR_E_FORMAT, "%.1000s: block (%lld, %lld) is %d; 0: a field, 1: columns", m->label,
                            (long long)(b / m->array.shape[1]), (long long)(b % m->array.shape[1]), (*out)[b]);
    return MYR_OK;
}

static myr_status read_all(reader *r, myr_terrain_def *def) {
    const array_id id = r->of[STEPS].given ? STEPS : HEIGHTS;
    member *m = &r->of[id];
    if (r->of[STEPS].given == r->of[HEIGHTS].given)
        return myr_fail(MYR_E_FORMAT, "%.1000s: it has %s of the arrays `steps` and `heights_m`; one is a map", r->label,
                        r->of[STEPS].given ? "both" : "neither");
    if (!r->of[CELL].given) return myr_fail(MYR_E_FORMAT, "%.1000s: the array `cell_m` is missing", r->label);
    myr_status status = numbers(r, VERSIONED, 1, VERSION);
    if (!status && r->number[0] != VERSION)
        status = myr_fail(MYR_E_FORMAT, "%.1000s: `version` is %g; this library reads version %d", r->label, r->number[0], VERSION);
    if (!status && m->array.type != MYR_NPY_I16 && m->array.type != MYR_NPY_I32 && id == STEPS)
        status = myr_fail(MYR_E_FORMAT, "%.1000s: its type must be <i2 or <i4", m->label);
    if (!status && m->array.type != MYR_NPY_F32 && m->array.type != MYR_NPY_F64 && id == HEIGHTS)
        status = myr_fail(MYR_E_FORMAT, "%.1000s: its type must be <f4 or <f8", m->label);
    if (!status) status = myr_terrain_check_size(r->label, names[id], m->array.shape[0], m->array.shape[1]);
    if (!status) status = unpack(m, 2, m->array.shape[0], m->array.shape[1]);
    if (!status) status = myr_npy_heights(m->label, &m->array, m->bytes + m->array.header, def, &r->heights);
    if (!status) status = numbers(r, CELL, 1, 0);
    if (!status) def->cell_m = r->number[0];
    if (!status) status = numbers(r, STEP, 1, def->step_m);
    if (!status) def->step_m = r->number[0];
    if (!status) status = origins(r, def);
    if (!status) status = bytes_of_blocks(r, COLUMNS, def, &def->columns);
    if (!status) status = bytes_of_blocks(r, FRICTION, def, &def->friction);
    return status;
}

myr_status myr_terrain_read_npz(const myr_bytes *file, myr_terrain **out) {
    myr_zip_member members[ARRAYS];
    int n = 0;
    reader *r = myr_allocate(sizeof *r, 64);
    if (!r) return myr_fail(MYR_E_MEMORY, "%.1000s: out of memory", file->label);
    r->label = file->label;
    myr_terrain_def def = myr_terrain_def_default();
    myr_status status = myr_zip_list(file, members, ARRAYS, &n);
    for (int k = 0; k < n && !status; k++) status = open_member(r, &members[k]);
    if (!status) status = read_all(r, &def);
    if (!status) status = myr_terrain_made(file->label, &def, out);
    for (int k = 0; k < ARRAYS; k++) myr_release(r->of[k].bytes);
    myr_release(r->heights);
    myr_release(r);
    return status;
}

/* ---- writing --------------------------------------------------------------------------------------------------------------------- */

static int add(myr_zip *zip, array_id id, myr_npy_type type, int dimensions, int64_t nx, int64_t ny, const void *data, size_t size) {
    unsigned char header[MYR_NPY_HEADER];
    char name[40];
    size_t length;
    const int64_t shape[2] = {nx, ny};
    myr_npy_header(header, &length, type, dimensions, shape);
    snprintf(name, sizeof name, "%s.npy", names[id]);
    return myr_zip_add(zip, name, header, length, data, (size_t)(nx * ny) * size);
}

/* Items of `size` bytes without the frame around them. */
static void *unframed(const void *from, int stride, int edge, int nx, int ny, size_t size) {
    char *out = myr_allocate_array((size_t)nx * (size_t)ny, size);
    for (int i = 0; i < nx && out; i++)
        memcpy(out + (size_t)i * (size_t)ny * size, (const char *)from + ((size_t)(i + edge) * (size_t)stride + (size_t)edge) * size,
               (size_t)ny * size);
    return out;
}

static int add_framed(myr_zip *zip, array_id id, myr_npy_type type, const void *from, int stride, int edge, int nx, int ny, size_t size) {
    void *items = unframed(from, stride, edge, nx, ny, size);
    const int ok = items && add(zip, id, type, 2, nx, ny, items, size);
    myr_release(items);
    return ok;
}

static int add_all(myr_zip *zip, const myr_terrain *t) {
    const int32_t version = VERSION, origin[2] = {t->origin_i, t->origin_k};
    const int bx = (t->nx + BLOCK - 1) / BLOCK, by = (t->ny + BLOCK - 1) / BLOCK, edge = MYR_TERRAIN_EDGE;
    return add(zip, VERSIONED, MYR_NPY_I32, 0, 1, 1, &version, sizeof version) &&
           (t->steps ? add_framed(zip, STEPS, MYR_NPY_I16, t->steps, t->stride, edge, t->nx, t->ny, sizeof *t->steps)
                     : add_framed(zip, HEIGHTS, MYR_NPY_F32, t->heights, t->stride, edge, t->nx, t->ny, sizeof *t->heights)) &&
           add(zip, CELL, MYR_NPY_F64, 0, 1, 1, &t->cell, sizeof t->cell) &&
           (!t->steps || add(zip, STEP, MYR_NPY_F64, 0, 1, 1, &t->step, sizeof t->step)) &&
           add(zip, ORIGIN, MYR_NPY_I32, 1, 2, 1, origin, sizeof *origin) &&
           add_framed(zip, COLUMNS, MYR_NPY_U8, t->columns, t->block_stride, MYR_TERRAIN_FRAME, bx, by, 1) &&
           (!t->friction || add_framed(zip, FRICTION, MYR_NPY_U8, t->friction, t->block_stride, MYR_TERRAIN_FRAME, bx, by, 1)) &&
           myr_zip_finish(zip);
}

myr_status myr_terrain_save(const myr_terrain *t, const char *path) {
    MYR_OWN_ARITHMETIC;
    if (!t || !path) return myr_fail(MYR_E_ARG, "myr_terrain_save: `%s` is NULL", t ? "path" : "terrain");
    if (!myr_terrain_ends_in(path, ".npz")) return myr_fail(MYR_E_ARG, "%.1000s: a map is saved as .npz, and its name ends so", path);
    myr_zip zip = {.bytes = NULL};
    myr_status status = add_all(&zip, t) ? MYR_OK : myr_fail(MYR_E_MEMORY, "%.1000s: out of memory while saving a map", path);
    if (!status) status = myr_write_whole(path, zip.bytes, zip.length);
    myr_zip_free(&zip);
    return status;
}
