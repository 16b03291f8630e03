/* Readers and writers of maps. Each reader gets all bytes of a file, with a 0 behind them, and `label`, which stands for the file in
 * messages. What it returns is checked; a claim of the file is believed only after it was compared with the limits and with the bytes that
 * are there, and memory is taken after that. */
#ifndef MYR_TERRAIN_FILES_H
#define MYR_TERRAIN_FILES_H

#include "terrain.h"

typedef struct myr_bytes {
    const char *label;
    const unsigned char *at;
    size_t length;
} myr_bytes;

/* A map from the bytes of a file; its format is that of the label's ending. */
myr_status myr_terrain_from_bytes(const myr_bytes *file, const myr_terrain_read_options *options, myr_terrain **out);
/* Does the name end so, whatever its capitals? */
int myr_terrain_ends_in(const char *name, const char *ending);

/* May a map have so many samples? `of`: what claims it, for the message. */
myr_status myr_terrain_check_size(const char *label, const char *of, int64_t nx, int64_t ny);
/* myr_terrain_create with the file's name in front of what it says. */
myr_status myr_terrain_made(const char *label, const myr_terrain_def *def, myr_terrain **out);
/* What options say of a map that is read sample by sample: cell and origin. */
myr_status myr_terrain_begin_def(const char *label, const myr_terrain_read_options *options, myr_terrain_def *def);
/* A map of heights from the def above; the kinds are those of the options. */
myr_status myr_terrain_finish_def(const char *label, const myr_terrain_read_options *options, myr_terrain_def *def, myr_terrain **out);

/* Unsigned and signed numbers, little endian. */
uint32_t myr_read_u32(const unsigned char *at);
static inline uint16_t myr_read_u16(const unsigned char *at) { return (uint16_t)(at[0] | at[1] << 8); }

/* ---- NumPy's arrays (npy.c) ---------------------------------------------------------------------------------------------------------- */

typedef enum { MYR_NPY_U8, MYR_NPY_I16, MYR_NPY_I32, MYR_NPY_I64, MYR_NPY_F32, MYR_NPY_F64 } myr_npy_type;
enum { MYR_NPY_DIMENSIONS = 2, MYR_NPY_HEADER = 4096 /* bytes of one at most */ };

typedef struct myr_npy {
    myr_npy_type type;
    int dimensions;
    int64_t shape[MYR_NPY_DIMENSIONS]; /* 1 where there is no such dimension */
    size_t header, size;               /* bytes of the header, and of one number */
} myr_npy;

/* The header in the first bytes of an array; `label` names it. More dimensions, Fortran order, pickled objects and other types are
 * refused. A shape may be up to 2^40 numbers: the caller compares it with what is there. */
myr_status myr_npy_parse(const char *label, const unsigned char *bytes, size_t length, myr_npy *out);
/* A header of a whole array, its length in `header`; `bytes` has room for MYR_NPY_HEADER. shape: `dimensions` numbers. */
void myr_npy_header(unsigned char *bytes, size_t *header, myr_npy_type type, int dimensions, const int64_t *shape);
/* Number i of an array as a double. */
double myr_npy_number(const myr_npy *array, const unsigned char *data, size_t i);
myr_status myr_terrain_read_npy(const myr_bytes *file, const myr_terrain_read_options *options, myr_terrain **out);
/* Heights or steps of an array into the def; *memory is what holds them, the caller's whatever the status. */
myr_status myr_npy_heights(const char *label, const myr_npy *array, const unsigned char *data, myr_terrain_def *def, void **memory);

/* ---- archives (zip.c), and the map in one (npz.c) --------------------------------------------------------------------------------------
 */

typedef struct myr_zip_member {
    char name[64]; /* longer ones are cut */
    int method;    /* 0: as it is, 8: deflated */
    uint32_t crc;
    uint64_t packed, size; /* bytes in the file, and of the member */
    const unsigned char *data;
} myr_zip_member;

/* The members, at most `most`; names and sizes lie within the file, and no member claims more than its packed bytes can give. */
myr_status myr_zip_list(const myr_bytes *file, myr_zip_member *members, int most, int *n);
/* The first `length` bytes of a member; all of it: its sum is checked, too. */
myr_status myr_zip_unpack(const char *label, const myr_zip_member *member, unsigned char *out, size_t length);

/* An archive that grows in memory. */
typedef struct myr_zip {
    unsigned char *bytes, *directory;
    size_t length, capacity, directory_length, directory_capacity;
    int n;
} myr_zip;
/* A member of two parts, deflated. 0: out of memory. */
int myr_zip_add(myr_zip *zip, const char *name, const void *head, size_t head_length, const void *data, size_t length);
int myr_zip_finish(myr_zip *zip);
void myr_zip_free(myr_zip *zip);

myr_status myr_terrain_read_npz(const myr_bytes *file, myr_terrain **out);

/* ---- others
 * ------------------------------------------------------------------------------------------------------------------------------ */

/* A grey image: its values from 0 to `most`, row by row, released by the caller (png.c). */
typedef struct myr_grey {
    int width, height, most;
    uint16_t *values;
} myr_grey;
myr_status myr_png_read(const myr_bytes *file, myr_grey *out);
myr_status myr_terrain_read_png(const myr_bytes *file, const myr_terrain_read_options *options, myr_terrain **out);

/* MuJoCo's binary: *data points into a copy that the caller releases, the first row is the smallest y (hfield.c). */
myr_status myr_hfield_read(const myr_bytes *file, int *rows, int *columns, float **data);
/* Makes the least 0 and the largest 1, as MuJoCo does; all 0 where they are one. */
void myr_hfield_normalise(float *data, size_t n);
myr_status myr_terrain_read_hfield(const myr_bytes *file, const myr_terrain_read_options *options, myr_terrain **out);

myr_status myr_terrain_read_mesh(const myr_bytes *file, const myr_terrain_read_options *options, myr_terrain **out); /* (resample.c) */
/* The same of a mesh that is read already. */
struct myr_mesh;
myr_status myr_terrain_resample(const char *label, const struct myr_mesh *mesh, const myr_terrain_read_options *options, myr_terrain **out);

/* Level rectangles of the pillars (boxes.c): samples i .. i_end - 1, k .. k_end - 1. *n: how many there are; -1: more than `most`. */
typedef struct myr_rectangle {
    int i, i_end, k, k_end;
} myr_rectangle;
myr_status myr_terrain_rectangles(const myr_terrain *t, int most, myr_rectangle *out, int *n);

/* All bytes into a file that is whole or not there (write.c). */
myr_status myr_write_whole(const char *path, const void *bytes, size_t length);

#endif
