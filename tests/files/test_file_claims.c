/* What the head of a file claims costs no memory before the file is known to be long enough: a recording of some hundred bytes that
 * claims frames of gigabytes opens as one without frames, and a saved batch that ends early is refused first. */
#include "support/batch_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/checksum.h"

static char path[] = "/tmp/myriapod-claims-XXXXXX";

/* ---- how much is asked for ------------------------------------------------------------------------------------------ */

static size_t taken; /* of all allocations together */

static void *count_allocate(size_t bytes, size_t alignment, void *user) {
    (void)user;
    taken += bytes;
    return taken < (size_t)1 << 30 ? aligned_alloc(alignment, bytes) : NULL; /* a test must not take gigabytes */
}

static void count_release(void *memory, void *user) {
    (void)user;
    free(memory);
}

static const myr_allocator counting = {count_allocate, count_release, NULL};

static void write_file(const void *bytes, size_t n) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

/* ---- recordings ----------------------------------------------------------------------------------------------------- */

/* A head that is all right, of 16 environments with 20 million numbers each, then `rest` bytes of its first frame. */
static size_t write_claim(size_t rest) {
    static char file[4096];
    const int64_t envs = 16;
    const double frame_s = 0.01;
    size_t n = (size_t)snprintf(file, sizeof file,
                                "MYRIAPOD RECORDING 1\nlibrary 0.1.0\nmath SLEEF 3.5.1\nmodel claims\nmodel-hash 0123456789abcdef\n"
                                "first-env 0\ntype f64\nenvs %lld\nfield q 16777216\nfield v 3222784\nend\n",
                                (long long)envs);
    memcpy(file + n, &frame_s, sizeof frame_s), n += sizeof frame_s;
    for (int64_t i = 0; i < envs; i++, n += sizeof i) memcpy(file + n, &i, sizeof i);
    const uint64_t checksum = myr_checksum(MYR_CHECKSUM_START, file, n);
    memcpy(file + n, &checksum, sizeof checksum), n += sizeof checksum;
    memset(file + n, 0, rest);
    write_file(file, n + rest);
    return n + rest;
}

static void a_recording_takes_no_more_than_it_has(void **state) {
    (void)state;
    static const size_t rests[] = {0, 100, 3000};
    for (int i = 0; i < 3; i++) {
        const size_t bytes = write_claim(rests[i]);
        myr_recording *recording = NULL;
        myr_recording_info info;
        double number;
        taken = 0;
        myr_set_allocator(&counting);
        MUST(myr_recording_open(path, &recording));
        if (taken > 300000 + 100 * bytes) fail_msg("a file of %zu bytes took %zu bytes of memory", bytes, taken);
        myr_recording_get_info(recording, &info);
        assert_int_equal(info.frames, 0);
        assert_int_equal(info.complete, 0);
        assert_int_equal(info.envs, 16);
        MUST_FAIL(myr_recording_read(recording, 0, 0, 1, MYR_F64, &number), MYR_E_ARG, path);
        MUST(myr_recording_read(recording, 0, 0, 0, MYR_F64, NULL));
        MUST(myr_recording_close(recording));
        myr_set_allocator(NULL);
    }
}

/* ---- saved batches -------------------------------------------------------------------------------------------------- */

static void a_batch_is_not_copied_for_a_short_file(void **state) {
    (void)state;
    enum { ENVS = 5000 };
    static char head[1 << 14];
    const myr_settings settings = scene_settings("threads", "1", NULL);
    myr_model *model = scene_model();
    myr_batch *batch = NULL;
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    MUST(myr_batch_save(batch, path));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
    fclose(file);
    write_file(head, sizeof head); /* the head and the first environments */
    taken = 0;
    myr_set_allocator(&counting);
    MUST_FAIL(myr_batch_restore(batch, path), MYR_E_FORMAT, path);
    MUST_FAIL(myr_batch_restore(batch, path), MYR_E_FORMAT, "ends before its last environment");
    if (taken > 10000) fail_msg("a file of %zu bytes took %zu bytes of memory", sizeof head, taken);
    myr_set_allocator(NULL);
    myr_batch_free(batch);
    myr_model_free(model);
}

int main(void) {
    assert_true(close(mkstemp(path)) == 0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_recording_takes_no_more_than_it_has),
                                       cmocka_unit_test(a_batch_is_not_copied_for_a_short_file)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
