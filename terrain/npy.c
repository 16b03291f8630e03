/* NumPy's .npy: a line of Python that says type, order and shape, then the numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "files.h"
#include "base/memory.h"

static const struct type {
    const char *word; /* NumPy's */
    size_t size;
} types[] = {[MYR_NPY_U8] = {"|u1", 1},  [MYR_NPY_I16] = {"<i2", 2}, [MYR_NPY_I32] = {"<i4", 4},
             [MYR_NPY_I64] = {"<i8", 8}, [MYR_NPY_F32] = {"<f4", 4}, [MYR_NPY_F64] = {"<f8", 8}};
enum { TYPES = sizeof types / sizeof *types, PREAMBLE = 10 };
static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
static const int64_t most_numbers = INT64_C(1) << 40;

/* What stands behind 'KEY': in the header; NULL: the key is missing. */
static const char *value_of(const char *header, const char *key) {
    char quoted[40];
    snprintf(quoted, sizeof quoted, "'%s':", key);
    const char *at = strstr(header, quoted);
    if (!at) return NULL;
    at += strlen(quoted);
    return at + strspn(at, " ");
}

static myr_status read_type(const char *label, const char *header, myr_npy *out) {
    const char *at = value_of(header, "descr");
    if (!at || (*at != '\'' && *at != '['))
        return myr_fail(MYR_E_FORMAT, "%.1000s: byte %d: the header does not say the type (`descr`) of its numbers", label, PREAMBLE);
    const size_t length = *at == '\'' ? strcspn(at + 1, "'") : 0;
    for (int k = 0; k < TYPES; k++)
        if (length == 3 && !strncmp(at + 1, types[k].word, 3)) {
            out->type = (myr_npy_type)k, out->size = types[k].size;
            return MYR_OK;
        }
    if (length && at[1 + (length > 1 && strchr("<>|=", at[1]))] == 'O')
        return myr_fail(MYR_E_FORMAT, "%.1000s: its type is objects (`%.*s`): they are pickles, which are programs, and are not read",
                        label, (int)length, at + 1);
    return myr_fail(MYR_E_FORMAT, "%.1000s: its type is %.40s; read are <i2, <i4, <f4 and <f8 (little endian), and |u1 for kinds", label,
                    at);
}

static myr_status read_shape(const char *label, const char *header, myr_npy *out) {
    const char *at = value_of(header, "shape");
    int64_t numbers = 1;
    out->shape[0] = out->shape[1] = 1, out->dimensions = 0;
    if (!at || *at++ != '(') return myr_fail(MYR_E_FORMAT, "%.1000s: byte %d: the header does not say its shape", label, PREAMBLE);
    for (at += strspn(at, " "); *at >= '0' && *at <= '9'; at += strspn(at, " ,")) {
        int64_t n = 0;
        for (; *at >= '0' && *at <= '9'; at++) n = n > most_numbers ? n : 10 * n + (*at - '0');
        if (out->dimensions == MYR_NPY_DIMENSIONS)
            return myr_fail(MYR_E_FORMAT, "%.1000s: its shape has more than %d dimensions", label, MYR_NPY_DIMENSIONS);
        if (n < 1 || n > most_numbers / numbers)
            return myr_fail(n < 1 ? MYR_E_FORMAT : MYR_E_LIMIT, "%.1000s: dimension %d of its shape is %s", label, out->dimensions,
                            n < 1 ? "0" : "too large");
        out->shape[out->dimensions++] = n, numbers *= n;
    }
    return *at == ')' ? MYR_OK : myr_fail(MYR_E_FORMAT, "%.1000s: byte %d: its shape is not a list of whole numbers", label, PREAMBLE);
}

myr_status myr_npy_parse(const char *label, const unsigned char *bytes, size_t length, myr_npy *out) {
    char header[MYR_NPY_HEADER + 1];
    if (length < PREAMBLE || memcmp(bytes, magic, sizeof magic) != 0)
        return myr_fail(MYR_E_FORMAT, "%.1000s: byte 0: it does not begin as NumPy's arrays do", label);
    const int wide = bytes[6] > 1; /* versions 2 and 3 have a longer count */
    if (bytes[6] < 1 || bytes[6] > 3) return myr_fail(MYR_E_FORMAT, "%.1000s: byte 6: version %d of NumPy's arrays", label, bytes[6]);
    const size_t preamble = PREAMBLE + 2 * (size_t)wide;
    const size_t n = length < preamble ? MYR_NPY_HEADER : wide ? myr_read_u32(bytes + 8) : myr_read_u16(bytes + 8);
    if (n >= MYR_NPY_HEADER - preamble || preamble + n > length)
        return myr_fail(MYR_E_FORMAT, "%.1000s: byte 8: its header ends behind the file, or has more than %d bytes", label,
                        MYR_NPY_HEADER - (int)preamble);
    memcpy(header, bytes + preamble, n);
    header[n] = '\0';
    out->header = preamble + n;
    const char *order = value_of(header, "fortran_order");
    myr_status status = read_type(label, header, out);
    if (!status) status = read_shape(label, header, out);
    if (!status && (!order || strncmp(order, "False", 5) != 0))
        status = myr_fail(MYR_E_FORMAT, "%.1000s: it lies in Fortran order; numpy.ascontiguousarray turns it into C order", label);
    return status;
}

void myr_npy_header(unsigned char *bytes, size_t *header, myr_npy_type type, int dimensions, const int64_t *shape) {
    char line[200], size[64] = "()";
    if (dimensions == 1) snprintf(size, sizeof size, "(%lld,)", (long long)shape[0]);
    if (dimensions == 2) snprintf(size, sizeof size, "(%lld, %lld)", (long long)shape[0], (long long)shape[1]);
    const int used = snprintf(line, sizeof line, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", types[type].word, size);
    const size_t whole = (PREAMBLE + (size_t)used + 1 + 63) / 64 * 64; /* NumPy's alignment: blanks, then the end of the line */
    memcpy(bytes, magic, sizeof magic);
    bytes[6] = 1, bytes[7] = 0;
    bytes[8] = (unsigned char)((whole - PREAMBLE) & 0xff), bytes[9] = (unsigned char)((whole - PREAMBLE) >> 8);
    memset(bytes + PREAMBLE, ' ', whole - PREAMBLE);
    memcpy(bytes + PREAMBLE, line, (size_t)used);
    bytes[whole - 1] = '\n';
    *header = whole;
}

double myr_npy_number(const myr_npy *array, const unsigned char *data, size_t i) {
    int16_t i16;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
    data += i * array->size;
    switch (array->type) { /* little endian, as are the machines that this is built for */
    case MYR_NPY_U8: return *data;
    case MYR_NPY_I16: return memcpy(&i16, data, sizeof i16), (double)i16;
    case MYR_NPY_I32: return memcpy(&i32, data, sizeof i32), (double)i32;
    case MYR_NPY_I64: return memcpy(&i64, data, sizeof i64), (double)i64;
    case MYR_NPY_F32: return memcpy(&f32, data, sizeof f32), (double)f32;
    case MYR_NPY_F64: return memcpy(&f64, data, sizeof f64), f64;
    }
    return NAN;
}

myr_status myr_npy_heights(const char *label, const myr_npy *array, const unsigned char *data, myr_terrain_def *def, void **memory) {
    const int whole = array->type == MYR_NPY_I16 || array->type == MYR_NPY_I32;
    if (!whole && array->type != MYR_NPY_F32 && array->type != MYR_NPY_F64)
        return myr_fail(MYR_E_FORMAT, "%.1000s: heights are <i2, <i4, <f4 or <f8, not %s", label, types[array->type].word);
    if (array->dimensions != 2) return myr_fail(MYR_E_FORMAT, "%.1000s: its shape has %d dimensions, not 2", label, array->dimensions);
    const myr_status status = myr_terrain_check_size(label, "its shape", array->shape[0], array->shape[1]);
    if (status) return status;
    const size_t n = (size_t)array->shape[0] * (size_t)array->shape[1];
    if (!(*memory = myr_allocate_array(n, whole ? sizeof(int16_t) : sizeof(float))))
        return myr_fail(MYR_E_MEMORY, "%.1000s: out of memory for %zu samples", label, n);
    def->nx = (int)array->shape[0], def->ny = (int)array->shape[1];
    for (size_t i = 0; i < n; i++) {
        const double value = myr_npy_number(array, data, i);
        if (whole && (value < INT16_MIN || value > INT16_MAX))
            return myr_fail(MYR_E_FORMAT, "%.1000s: sample (%zu, %zu) is %.0f steps; they go from %d to %d, and floats are in metres",
                            label, i / (size_t)def->ny, i % (size_t)def->ny, value, INT16_MIN, INT16_MAX);
        if (!whole && !(fabs(value) <= 1e30)) /* a float can hold it; what a map can is said by myr_terrain_create */
            return myr_fail(MYR_E_FORMAT, "%.1000s: sample (%zu, %zu) is %g", label, i / (size_t)def->ny, i % (size_t)def->ny, value);
        if (whole)
            ((int16_t *)*memory)[i] = (int16_t)value;
        else
            ((float *)*memory)[i] = (float)value;
    }
    def->steps = whole ? *memory : NULL, def->heights_m = whole ? NULL : *memory;
    return MYR_OK;
}

myr_status myr_terrain_read_npy(const myr_bytes *file, const myr_terrain_read_options *options, myr_terrain **out) {
    myr_terrain_def def;
    myr_npy array;
    void *memory = NULL;
    myr_status status = myr_terrain_begin_def(file->label, options, &def);
    if (!status) status = myr_npy_parse(file->label, file->at, file->length, &array);
    if (status) return status;
    const uint64_t wanted = (uint64_t)array.shape[0] * (uint64_t)array.shape[1] * array.size;
    if (wanted != file->length - array.header)
        return myr_fail(MYR_E_FORMAT, "%.1000s: byte %zu: numbers of its shape take %llu bytes, and the file has %zu", file->label,
                        array.header, (unsigned long long)wanted, file->length - array.header);
    status = myr_npy_heights(file->label, &array, file->at + array.header, &def, &memory);
    if (!status) status = myr_terrain_finish_def(file->label, options, &def, out);
    myr_release(memory);
    return status;
}
