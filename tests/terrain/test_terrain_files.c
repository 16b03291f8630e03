/* Ground maps in files of NumPy: saved and read with one hash; what is refused, in which words, and without room for what a file only
 * claims. Images, height fields and meshes: test_terrain_shapes.c. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "support/terrain_file_scene.h"

static int files_in_folder(void) {
    int n = 0;
    DIR *folder = opendir(mesh_folder());
    assert_non_null(folder);
    while (readdir(folder)) n++;
    closedir(folder);
    return n;
}

/* ---- .npz -------------------------------------------------------------------------------------------------------------------------- */

enum { NX = 13, NY = 21, BLOCKS = 6 };

static int scattered(int i, int k) { return (i * NY + k) * 7919 % 60001 - 30000; }

static myr_terrain *some_map(int floats, int friction) {
    static const uint8_t kinds[BLOCKS] = {0, 1, 1, 0, 0, 1}, factors[BLOCKS] = {128, 64, 32, 200, 255, 0};
    myr_terrain_def def = myr_terrain_def_default();
    def.nx = NX, def.ny = NY, def.cell_m = 0.1, def.step_m = 0.003, def.origin_i = 4, def.origin_k = 17, def.columns = kinds;
    if (friction) def.friction = factors;
    return terrain_of_levels(def, floats, scattered);
}

static void saved_and_read(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        myr_terrain *t = some_map(kind & 1, kind & 2);
        const int before = files_in_folder() + (kind == 0);
        MUST(myr_terrain_save(t, mesh_path("map.npz"))); /* over that of the last kind */
        assert_int_equal(files_in_folder(), before);
        myr_terrain *again = terrain_read_map("map.npz", NULL);
        const myr_terrain_info a = terrain_info_of(t), b = terrain_info_of(again);
        assert_true(a.hash == b.hash);
        assert_memory_equal(&a, &b, sizeof a);
        float one[NX * NY], other[NX * NY];
        MUST(myr_terrain_samples(t, one));
        MUST(myr_terrain_samples(again, other));
        assert_memory_equal(one, other, sizeof one);
        uint8_t kinds[BLOCKS];
        MUST(myr_terrain_kinds(again, kinds));
        assert_int_equal(kinds[0], 0), assert_int_equal(kinds[1], 1), assert_int_equal(kinds[5], 1);
        myr_terrain_free(t), myr_terrain_free(again);
    }
}

static void large_map(void **state) {
    (void)state;
    enum { N = 1500 };
    static float heights[N * N];
    for (int i = 0; i < N * N; i++) heights[i] = (float)sin(i * 0.37) * 3;
    myr_terrain_def def = myr_terrain_def_default();
    def.nx = def.ny = N, def.cell_m = 0.05, def.heights_m = heights;
    myr_terrain *t;
    MUST(myr_terrain_create(&def, &t));
    MUST(myr_terrain_save(t, mesh_path("large.npz")));
    myr_terrain *again = terrain_read_map("large.npz", NULL);
    assert_true(terrain_info_of(t).hash == terrain_info_of(again).hash);
    myr_terrain_free(t), myr_terrain_free(again);
}

/* A seed of the fuzzer, less its first byte, which says the format. */
static void take_seed(const char *seed, const char *name) {
    char path[500], bytes[1 << 14];
    const char *source = getenv("MYRIAPOD_SOURCE");
    snprintf(path, sizeof path, "%s/tests/fuzz/terrain/%s", source ? source : ".", seed);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot open %s", path);
    const size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(n > 1 && n < sizeof bytes);
    mesh_write(name, bytes + 1, n - 1);
}

/* These were written by numpy.savez_compressed and numpy.savez: steps 3 i + k k - 7. */
static void of_numpy(void **state) {
    (void)state;
    double wanted[99];
    uint8_t kinds[4];
    take_seed("numpy_npz", "numpy.npz");
    myr_terrain *t = terrain_read_map("numpy.npz", NULL);
    myr_terrain_info info = terrain_info_of(t);
    assert_int_equal(info.nx, 9), assert_int_equal(info.ny, 11);
    assert_int_equal(info.origin_i, 2), assert_int_equal(info.origin_k, 3);
    assert_true(info.cell_m == 0.25 && info.step_m == 0.01 && info.is_whole);
    for (int i = 0; i < 99; i++) wanted[i] = 0.01 * (3 * (i / 11) + (i % 11) * (i % 11) - 7);
    terrain_samples_are(t, wanted, 1e-6);
    MUST(myr_terrain_kinds(t, kinds));
    assert_int_equal(kinds[1] + 2 * kinds[2] + 4 * kinds[0] + 4 * kinds[3], 3);
    myr_terrain_free(t);
    take_seed("numpy_stored_npz", "stored.npz");
    t = terrain_read_map("stored.npz", NULL);
    info = terrain_info_of(t);
    assert_true(!info.is_whole && info.origin_i == 4 && info.origin_k == 5 && !info.has_columns);
    for (int i = 0; i < 99; i++) wanted[i] *= 50;
    terrain_samples_are(t, wanted, 1e-6);
    myr_terrain_free(t);
}

/* A member of an archive that is written by hand. */
typedef struct part {
    const char *name, *head; /* of the array, in Python's words */
    const void *data;
    size_t length;
} part;

static size_t array_of(unsigned char *out, const part *p) {
    const size_t n = strlen(p->head);
    memcpy(out, "\x93NUMPY\1\0", 8);
    out[8] = (unsigned char)n, out[9] = (unsigned char)(n >> 8);
    memcpy(out + 10, p->head, n);
    if (p->length) memcpy(out + 10 + n, p->data, p->length);
    return 10 + n + p->length;
}

static void put_number(unsigned char *at, uint64_t value, int bytes) {
    for (int k = 0; k < bytes; k++) at[k] = (unsigned char)(value >> 8 * k);
}

/* What is written wrongly on purpose. */
static struct {
    int flags, method, sum, members;
    uint32_t size, packed, local, directory; /* 0: the right one */
} lie;

static size_t archive_bytes(unsigned char *out, const part *parts, int n) {
    static unsigned char directory[4096];
    size_t at = 0, used = 0;
    memset(directory, 0, sizeof directory);
    for (int k = 0; k < n; k++) {
        unsigned char *local = out + at, *entry = directory + used;
        const size_t name = strlen(parts[k].name);
        memset(local, 0, 30);
        const size_t size = array_of(local + 30 + name, &parts[k]);
        memcpy(local, "PK\3\4", 4), memcpy(local + 30, parts[k].name, name);
        put_number(local + 26, name, 2);
        memcpy(entry, "PK\1\2", 4), memcpy(entry + 46, parts[k].name, name);
        put_number(entry + 8, (uint64_t)lie.flags, 2), put_number(entry + 10, (uint64_t)lie.method, 2);
        put_number(entry + 16, crc32(0, local + 30 + name, (unsigned)size) + (unsigned)lie.sum, 4);
        put_number(entry + 20, lie.packed ? lie.packed : size, 4), put_number(entry + 24, lie.size ? lie.size : size, 4);
        put_number(entry + 28, name, 2), put_number(entry + 42, lie.local ? lie.local : at, 4);
        at += 30 + name + size, used += 46 + name;
    }
    memcpy(out + at, directory, used);
    unsigned char *end = out + at + used;
    memset(end, 0, 22), memcpy(end, "PK\5\6", 4);
    put_number(end + 8, (uint64_t)(n + lie.members), 2), put_number(end + 10, (uint64_t)(n + lie.members), 2);
    put_number(end + 12, used, 4), put_number(end + 16, lie.directory ? lie.directory : at, 4);
    return at + used + 22;
}

#define FLOATS "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n"
#define SCALAR "{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n"
static const float six[6] = {0, 1, 2, 3, 4, 5};
static const double tenth = 0.1;
static const part good_heights = {"heights_m.npy", FLOATS, six, sizeof six}, good_cell = {"cell_m.npy", SCALAR, &tenth, sizeof tenth};

/* An archive of these, and then of a good `cell_m`; members may be NULL. */
static void refuse_archive(const part *a, const part *b, myr_status status, const char *words) {
    static unsigned char bytes[1 << 16];
    part parts[3];
    int n = 0;
    if (a) parts[n++] = *a;
    if (b) parts[n++] = *b;
    mesh_write("hand.npz", bytes, archive_bytes(bytes, parts, n));
    terrain_refused("hand.npz", NULL, status, words);
    memset(&lie, 0, sizeof lie);
}

static part heights_of(const char *head, const void *data, size_t length) { return (part){"heights_m.npy", head, data, length}; }

static void npz_refused(void **state) {
    (void)state;
    static unsigned char bytes[1 << 16];
    const part both[2] = {good_heights, good_cell};
    const size_t whole = archive_bytes(bytes, both, 2);
    mesh_write("hand.npz", bytes, whole); /* what all that follows differs from */
    myr_terrain_free(terrain_read_map("hand.npz", NULL));
    for (size_t n = 0; n < whole; n++) { /* truncated anywhere */
        mesh_write("short.npz", bytes, n);
        terrain_refused("short.npz", NULL, MYR_E_FORMAT, "not a whole archive");
    }
    mesh_write("short.npz", bytes + 40, whole - 40); /* its front is missing */
    terrain_refused("short.npz", NULL, MYR_E_FORMAT, "directory");
    const part pickle = heights_of("{'descr': '|O', 'fortran_order': False, 'shape': (2, 3), }\n", six, 24);
    refuse_archive(&pickle, &good_cell, MYR_E_FORMAT, "pickles");
    const part fortran = heights_of("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n", six, 24);
    refuse_archive(&fortran, &good_cell, MYR_E_FORMAT, "Fortran");
    const part big_endian = heights_of("{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3), }\n", six, 24);
    refuse_archive(&big_endian, &good_cell, MYR_E_FORMAT, "little endian");
    const part complex = heights_of("{'descr': '<c8', 'fortran_order': False, 'shape': (1, 3), }\n", six, 24);
    refuse_archive(&complex, &good_cell, MYR_E_FORMAT, "its type is");
    const part record = heights_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3), }\n", six, 24);
    refuse_archive(&record, &good_cell, MYR_E_FORMAT, "its type is");
    const part whole_heights = heights_of("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }\n", six, 24);
    refuse_archive(&whole_heights, &good_cell, MYR_E_FORMAT, "must be <f4 or <f8");
    const part cube = heights_of("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 1), }\n", six, 24);
    refuse_archive(&cube, &good_cell, MYR_E_FORMAT, "more than 2 dimensions");
    const part line = heights_of("{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }\n", six, 24);
    refuse_archive(&line, &good_cell, MYR_E_FORMAT, "at least 2");
    const part row = heights_of("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 6), }\n", six, 24);
    refuse_archive(&row, &good_cell, MYR_E_FORMAT, "at least 2");
    const part empty = heights_of("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 6), }\n", six, 0);
    refuse_archive(&empty, &good_cell, MYR_E_FORMAT, "dimension 0 of its shape is 0");
    const part wrong = heights_of("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }\n", six, 24);
    refuse_archive(&wrong, &good_cell, MYR_E_FORMAT, "its shape takes");
    const part huge = heights_of("{'descr': '<f4', 'fortran_order': False, 'shape': (16384, 16384), }\n", six, 24);
    refuse_archive(&huge, &good_cell, MYR_E_FORMAT, "its shape takes 1073741");
    const part endless = heights_of("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999, 9), }\n", six, 24);
    refuse_archive(&endless, &good_cell, MYR_E_LIMIT, "too large");
    const float broken[6] = {0, 1, NAN, 3, 4, 5}, high[6] = {0, 1, 2, 3, 2e4f, 5};
    const part nan = heights_of(FLOATS, broken, 24), far = heights_of(FLOATS, high, 24);
    refuse_archive(&nan, &good_cell, MYR_E_FORMAT, "sample (0, 2) is nan");
    refuse_archive(&far, &good_cell, MYR_E_FORMAT, "sample (1, 1) is 20000");
    const double zero = 0;
    const part no_cell = {"cell_m.npy", SCALAR, &zero, sizeof zero};
    refuse_archive(&good_heights, &no_cell, MYR_E_FORMAT, "cell_m is 0");
    refuse_archive(&good_heights, NULL, MYR_E_FORMAT, "`cell_m` is missing");
    refuse_archive(&good_cell, NULL, MYR_E_FORMAT, "neither");
    refuse_archive(&good_heights, &good_heights, MYR_E_FORMAT, "two arrays `heights_m`");
    const part other = {"heigths_m.npy", FLOATS, six, 24};
    refuse_archive(&other, &good_cell, MYR_E_FORMAT, "did you mean `heights_m`?");
    const double two = 2;
    const part next = {"version.npy", SCALAR, &two, sizeof two};
    const part kinds = {"columns.npy", "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2), }\n", "\0\1", 2};
    const part kind = {"columns.npy", "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1), }\n", "\2", 1};
    const part place = {"origin.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n", (const double[]){0.5, 0}, 16};
    const part *const thirds[] = {&next, &kinds, &kind, &place};
    static const char *const words[] = {"`version` is 2", "its shape has 2 dimensions, 1 x 2; it must have 2, 1 x 1", "block (0, 0) is 2",
                                        "0.5"};
    for (int k = 0; k < 4; k++) {
        const part three[3] = {good_heights, good_cell, *thirds[k]};
        mesh_write("three.npz", bytes, archive_bytes(bytes, three, 3));
        terrain_refused("three.npz", NULL, MYR_E_FORMAT, words[k]);
    }
}

static void archives_that_lie(void **state) {
    (void)state;
    lie.flags = 1;
    refuse_archive(&good_heights, &good_cell, MYR_E_FORMAT, "encrypted");
    lie.method = 14;
    refuse_archive(&good_heights, &good_cell, MYR_E_FORMAT, "method 14");
    lie.sum = 1;
    refuse_archive(&good_heights, &good_cell, MYR_E_FORMAT, "its sum (CRC)");
    lie.members = 1;
    refuse_archive(&good_heights, &good_cell, MYR_E_FORMAT, "directory ends too early");
    lie.members = 400;
    refuse_archive(&good_heights, &good_cell, MYR_E_LIMIT, "402 members");
    lie.size = 1u << 31;
    refuse_archive(&good_heights, &good_cell, MYR_E_FORMAT, "claims 2147483648 bytes");
    lie.method = 8, lie.size = 1u << 30;
    refuse_archive(&good_heights, &good_cell, MYR_E_FORMAT, "cannot give");
    lie.method = 8; /* its bytes are not what deflate makes */
    refuse_archive(&good_heights, &good_cell, MYR_E_FORMAT, "is broken");
    lie.packed = lie.size = 1u << 20;
    refuse_archive(&good_heights, &good_cell, MYR_E_FORMAT, "ends behind the file");
    lie.size = UINT32_MAX;
    refuse_archive(&good_heights, &good_cell, MYR_E_LIMIT, "4 GiB");
    lie.local = 7;
    refuse_archive(&good_heights, &good_cell, MYR_E_FORMAT, "does not begin where");
    lie.local = UINT32_MAX;
    refuse_archive(&good_heights, &good_cell, MYR_E_FORMAT, "does not begin where");
    lie.directory = UINT32_MAX;
    refuse_archive(&good_heights, &good_cell, MYR_E_FORMAT, "begins behind the file");
}

/* ---- .npy -------------------------------------------------------------------------------------------------------------------------- */

static void write_array(const char *name, const char *head, const void *data, size_t length) {
    static unsigned char bytes[1 << 14];
    const part p = {"", head, data, length};
    mesh_write(name, bytes, array_of(bytes, &p));
}

static void plain_arrays(void **state) {
    (void)state;
    const int16_t i2[6] = {-32768, 1, 2, 3, 4, 32767};
    const int32_t i4[6] = {-32768, 1, 2, 3, 4, 32767};
    const float f4[6] = {0.5f, 1, 2, 3, 4, -5};
    const double f8[6] = {0.5, 1, 2, 3, 4, -5}, whole[6] = {-327.68, 0.01, 0.02, 0.03, 0.04, 327.67};
    myr_terrain_read_options options = terrain_options_of(0.2, 0, 0);
    options.step_m = 0.01, options.origin_k = 2;
    write_array("i2.npy", "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }\n", i2, sizeof i2);
    write_array("i4.npy", "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }\n", i4, sizeof i4);
    write_array("f4.npy", FLOATS, f4, sizeof f4);
    write_array("f8.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n", f8, sizeof f8);
    static const char *const names[] = {"i2.npy", "i4.npy", "f4.npy", "f8.npy"};
    for (int k = 0; k < 4; k++) {
        options.columns = k & 1;
        myr_terrain *t = terrain_read_map(names[k], &options);
        const myr_terrain_info info = terrain_info_of(t);
        assert_int_equal(info.nx, 2), assert_int_equal(info.ny, 3);
        assert_int_equal(info.origin_i, 0), assert_int_equal(info.origin_k, 2);
        assert_int_equal(info.is_whole, k < 2), assert_int_equal(info.has_columns, k & 1);
        terrain_samples_are(t, k < 2 ? whole : f8, 2e-5);
        myr_terrain_free(t);
    }
    options = terrain_options_of(0.2, 0, 0);
    const int32_t wide[6] = {0, 0, 0, 0, 32768, 0};
    write_array("wide.npy", "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }\n", wide, sizeof wide);
    terrain_refused("wide.npy", &options, MYR_E_FORMAT, "sample (1, 1) is 32768 steps");
    write_array("long.npy", "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }\n", f8, sizeof f8);
    terrain_refused("long.npy", &options, MYR_E_FORMAT, "not <i8");
    write_array("short.npy", FLOATS, f4, sizeof f4 - 1);
    terrain_refused("short.npy", &options, MYR_E_FORMAT, "take 24 bytes, and the file has 23");
    write_array("longer.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n", f4, sizeof f4);
    terrain_refused("longer.npy", &options, MYR_E_FORMAT, "take 16 bytes, and the file has 24");
    write_array("no_shape.npy", "{'descr': '<f4', 'fortran_order': False, }\n", f4, sizeof f4);
    terrain_refused("no_shape.npy", &options, MYR_E_FORMAT, "does not say its shape");
    write_array("signs.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (-2, -3), }\n", f4, sizeof f4);
    terrain_refused("signs.npy", &options, MYR_E_FORMAT, "not a list of whole numbers");
    write_array("no_order.npy", "{'descr': '<f4', 'shape': (2, 3), }\n", f4, sizeof f4);
    terrain_refused("no_order.npy", &options, MYR_E_FORMAT, "Fortran");
    mesh_write("words.npy", "hello, this is text", 19);
    terrain_refused("words.npy", &options, MYR_E_FORMAT, "does not begin as");
    mesh_write("head.npy", "\x93NUMPY\1\0\xff\x0f{'descr'", 18);
    terrain_refused("head.npy", &options, MYR_E_FORMAT, "its header ends behind the file");
    mesh_write("version.npy", "\x93NUMPY\4\0\4\0    ", 14);
    terrain_refused("version.npy", &options, MYR_E_FORMAT, "version 4");
}

/* ---- options and places ------------------------------------------------------------------------------------------------------------ */

static void options_refused(void **state) {
    (void)state;
    write_array("map.npy", FLOATS, six, sizeof six);
    myr_terrain_read_options options = terrain_options_of(0, 0, 0);
    terrain_refused("map.npy", &options, MYR_E_ARG, "cell_m is 0");
    terrain_refused("map.npy", NULL, MYR_E_ARG, "cell_m is 0");
    options = terrain_options_of(NAN, 0, 0);
    terrain_refused("map.npy", &options, MYR_E_ARG, "cell_m is nan");
    options = terrain_options_of(0.1, 0, 0), options.step_m = 0;
    terrain_refused("map.npy", &options, MYR_E_ARG, "step_m is 0");
    options = terrain_options_of(0.1, 0, 0), options.origin_k = 3;
    terrain_refused("map.npy", &options, MYR_E_ARG, "origin_k 3");
    options = terrain_options_of(0.1, 0, 0), options.origin_i = -2;
    terrain_refused("map.npy", &options, MYR_E_ARG, "origin_i is -2");
    options = terrain_options_of(0.1, 0, 0), options.columns = 2;
    terrain_refused("map.npy", &options, MYR_E_ARG, "columns is 2");
    terrain_refused("map.tif", NULL, MYR_E_ARG, ".npz, .npy, .png, .bin, .obj, .stl");
    terrain_refused(".npy", NULL, MYR_E_FILE, "cannot open");
    terrain_refused("missing.npz", NULL, MYR_E_FILE, "No such file");
    assert_int_equal(mkdir(mesh_path("folder.npz"), 0700), 0);
    terrain_refused("folder.npz", NULL, MYR_E_FILE, "is not a file");
    assert_int_equal(mkfifo(mesh_path("pipe.npz"), 0600), 0);
    terrain_refused("pipe.npz", NULL, MYR_E_FILE, "is not a file");
    mesh_write("empty.npz", "", 0);
    terrain_refused("empty.npz", NULL, MYR_E_FORMAT, "not a whole archive");
    myr_terrain *t = some_map(0, 0);
    assert_int_equal(myr_terrain_save(t, mesh_path("map.npy")), MYR_E_ARG);
    assert_non_null(strstr(myr_message(), ".npz"));
    assert_int_equal(myr_terrain_save(t, mesh_path("nowhere/map.npz")), MYR_E_FILE);
    assert_non_null(strstr(myr_message(), "nowhere/map.npz"));
    assert_int_equal(myr_terrain_save(t, mesh_path("folder.npz")), MYR_E_FILE);
    assert_int_equal(myr_terrain_save(NULL, mesh_path("a.npz")), MYR_E_ARG);
    assert_int_equal(myr_terrain_save(t, NULL), MYR_E_ARG);
    myr_terrain_free(t);
    assert_int_equal(myr_terrain_read(NULL, NULL, &t), MYR_E_ARG);
    assert_null(t);
    assert_int_equal(myr_terrain_read("a.npz", NULL, NULL), MYR_E_ARG);
}

int main(void) {
    terrain_watch_memory();
    const struct CMUnitTest tests[] = {cmocka_unit_test(saved_and_read),    cmocka_unit_test(large_map),
                                       cmocka_unit_test(of_numpy),          cmocka_unit_test(npz_refused),
                                       cmocka_unit_test(archives_that_lie), cmocka_unit_test(plain_arrays),
                                       cmocka_unit_test(options_refused)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mesh_clean();
    return failed;
}
