/* A state that is taken, saved, restored or copied goes on with the same bits; a file that is damaged or foreign is refused,
 * says what differs, and changes nothing. */
#include "support/batch_scene.h"
#include "support/isas.h"
#include "kernels/kernels.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"

enum { ENVS = 21 };

static char directory[] = "/tmp/myriapod-state-XXXXXX";
static char saved[300], changed[300];

static myr_batch *open_batch(const myr_model *model, int64_t envs, const myr_settings *settings) {
    myr_batch *batch = NULL;
    MUST(myr_batch_create(model, envs, settings, &batch));
    return batch;
}

/* Environments with parameters of their own, stepped, two of them in their second episode. */
static myr_batch *lived_batch(const myr_model *model, int64_t envs, const myr_settings *settings) {
    myr_batch *batch = open_batch(model, envs, settings);
    uint8_t mask[ENVS] = {0};
    mask[0] = mask[envs - 1] = 1;
    scene_disturb(batch, model, 21);
    MUST(myr_batch_step(batch, 3));
    MUST(myr_batch_reset(batch, mask));
    MUST(myr_batch_step(batch, 3));
    return batch;
}

/* ---- opaque states -------------------------------------------------------------------------------------------------- */

static void a_state_goes_on_with_the_same_bits(void **state) {
    (void)state;
    myr_model *model = scene_model();
    const char *const precisions[] = {"f32", "f64"};
    for (int p = 0; p < 2; p++) {
        const myr_settings settings = scene_settings("precision", precisions[p], NULL);
        myr_batch *batch = lived_batch(model, ENVS, &settings);
        const size_t bytes = myr_batch_state_bytes(batch);
        char *states = malloc(ENVS * bytes), *reversed = malloc(ENVS * bytes);
        assert_true(states && reversed);
        int64_t backwards[ENVS];
        for (int i = 0; i < ENVS; i++) backwards[i] = ENVS - 1 - i;
        MUST(myr_batch_get_state(batch, backwards, ENVS, states));
        MUST(myr_batch_step(batch, 4));
        size_t count;
        double *then = scene_snapshot(batch, &count);
        const uint64_t hash = myr_batch_hash(batch);
        MUST(myr_batch_step(batch, 9));
        assert_true(myr_batch_hash(batch) != hash);
        for (size_t i = 0; i < ENVS; i++) memcpy(reversed + i * bytes, states + (ENVS - 1 - i) * bytes, bytes);
        MUST(myr_batch_set_state(batch, NULL, ENVS, reversed));
        MUST(myr_batch_step(batch, 4));
        scene_assert_unchanged(batch, then, count);
        free(then);
        free(states);
        free(reversed);
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

static void a_state_of_another_robot_is_refused(void **state) {
    (void)state;
    myr_model *model = scene_model(), *chain = NULL;
    MUST(myr_model_load("chain-3", MYR_ROOT_AUTO, &chain));
    const myr_settings f32 = scene_settings("precision", "f32", NULL), f64 = scene_settings("precision", "f64", NULL);
    myr_batch *batch = lived_batch(model, ENVS, &f32), *wide = open_batch(model, 2, &f64), *long_one = open_batch(chain, 2, &f32);
    const size_t bytes = myr_batch_state_bytes(batch);
    char *states = calloc(4, bytes + myr_batch_state_bytes(wide) + myr_batch_state_bytes(long_one));
    assert_non_null(states);
    size_t count;
    double *before = scene_snapshot(batch, &count);
    MUST(myr_batch_get_state(wide, NULL, 2, states));
    MUST_FAIL(myr_batch_set_state(batch, NULL, 2, states), MYR_E_ARG, "state 0");
    MUST(myr_batch_get_state(long_one, NULL, 2, states));
    MUST_FAIL(myr_batch_set_state(batch, NULL, 1, states), MYR_E_ARG, "state 0");
    const int64_t ids[] = {7, 9, 11};
    MUST(myr_batch_get_state(batch, ids, 3, states));
    states[2 * bytes] ^= 1;
    MUST_FAIL(myr_batch_set_state(batch, NULL, 3, states), MYR_E_ARG, "state 2");
    MUST_FAIL(myr_batch_set_state(batch, NULL, 3, NULL), MYR_E_ARG, "NULL");
    MUST_FAIL(myr_batch_get_state(batch, (const int64_t[]){ENVS}, 1, states), MYR_E_ARG, "ids[0] is 21");
    scene_assert_unchanged(batch, before, count);
    free(before);
    free(states);
    myr_batch_free(batch);
    myr_batch_free(wide);
    myr_batch_free(long_one);
    myr_model_free(model);
    myr_model_free(chain);
}

static void a_copy_lives_like_its_original(void **state) {
    (void)state;
    myr_model *model = scene_model();
    const myr_settings settings = scene_settings("precision", "f32", NULL);
    myr_batch *batch = lived_batch(model, ENVS, &settings);
    const int64_t from[] = {3, 18, 17}, to[] = {18, 4, 17}; /* in order: 4 becomes a copy of the copy */
    MUST(myr_batch_copy(batch, from, to, 3));
    for (int round = 0; round < 2; round++) {
        for (int f = 0; f < MYR_FIELD_COUNT; f++) {
            double seen[3][200];
            const int64_t ids[] = {3, 18, 4};
            const int c = myr_batch_components(batch, (myr_field)f);
            assert_true(c <= 200);
            for (int i = 0; i < 3; i++)
                if (c > 0) MUST(myr_batch_get(batch, (myr_field)f, &ids[i], 1, MYR_F64, seen[i]));
            assert_memory_equal(seen[0], seen[1], (size_t)c * sizeof(double));
            assert_memory_equal(seen[0], seen[2], (size_t)c * sizeof(double));
        }
        MUST(myr_batch_step(batch, 5));
    }
    size_t count;
    double *before = scene_snapshot(batch, &count);
    const int64_t over[] = {1, ENVS};
    MUST_FAIL(myr_batch_copy(batch, over, to, 2), MYR_E_ARG, "from");
    MUST_FAIL(myr_batch_copy(batch, from, over, 2), MYR_E_ARG, "to");
    MUST_FAIL(myr_batch_copy(batch, NULL, to, 2), MYR_E_ARG, "from is NULL");
    MUST_FAIL(myr_batch_copy(batch, from, to, -2), MYR_E_ARG, "-2");
    scene_assert_unchanged(batch, before, count);
    free(before);
    myr_batch_free(batch);
    myr_model_free(model);
}

/* ---- files ---------------------------------------------------------------------------------------------------------- */

static void a_saved_batch_goes_on_anywhere(void **state) {
    (void)state;
    myr_model *model = scene_model();
    const char *const precisions[] = {"f32", "f64"};
    for (int p = 0; p < 2; p++) {
        const myr_settings here = scene_settings("precision", precisions[p], "threads", "1", "first-env", "77", NULL);
        const char *other = isa_at(isa_count() - 1);
        const myr_settings there = scene_settings("precision", precisions[p], "threads", "3", "first-env", "77", "isa", other, NULL);
        myr_batch *batch = lived_batch(model, ENVS, &here), *twin = open_batch(model, ENVS, &there);
        myr_model_info size;
        myr_model_get_info(model, &size);
        uint8_t mask[32];
        assert_in_range(size.n_geoms, 2, 32);
        for (int g = 0; g < size.n_geoms; g++) mask[g] = g != 1;
        MUST(myr_batch_set_collision(batch, mask));
        MUST(myr_batch_save(batch, saved));
        MUST(myr_batch_restore(twin, saved));
        size_t count;
        double *then = scene_snapshot(batch, &count);
        scene_assert_unchanged(twin, then, count);
        free(then);
        MUST(myr_batch_step(batch, 20));
        MUST(myr_batch_step(twin, 20));
        then = scene_snapshot(batch, &count);
        scene_assert_unchanged(twin, then, count);
        assert_int_equal(myr_batch_hash(batch), myr_batch_hash(twin));
        MUST(myr_batch_save(twin, changed)); /* the collision mask has come along */
        MUST(myr_batch_restore(batch, changed));
        scene_assert_unchanged(batch, then, count);
        free(then);
        myr_batch_free(batch);
        myr_batch_free(twin);
    }
    myr_model_free(model);
}

static unsigned char *read_file(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    unsigned char *content = malloc(1 << 20);
    assert_non_null(content);
    *bytes = fread(content, 1, 1 << 20, file);
    assert_true(*bytes > 0 && *bytes < 1 << 20);
    fclose(file);
    return content;
}

static void write_file(const char *path, const unsigned char *content, size_t bytes) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static void damage_is_found_wherever_it_is(void **state) {
    (void)state;
    myr_model *model = scene_model();
    const myr_settings settings = scene_settings("precision", "f32", "threads", "1", NULL);
    myr_batch *batch = lived_batch(model, 2, &settings), *target = lived_batch(model, 2, &settings);
    MUST(myr_batch_save(batch, saved));
    MUST(myr_batch_step(target, 1));
    size_t count, bytes;
    double *before = scene_snapshot(target, &count);
    unsigned char *content = read_file(saved, &bytes);
    const int file = open(changed, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, content, bytes, 0), bytes);
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char wrong = (unsigned char)(content[i] ^ (1u << i % 8));
        assert_int_equal(pwrite(file, &wrong, 1, (off_t)i), 1);
        MUST_FAIL(myr_batch_restore(target, changed), MYR_E_FORMAT, changed);
        assert_int_equal(pwrite(file, &content[i], 1, (off_t)i), 1);
    }
    for (size_t length = bytes; length-- > 0;) {
        assert_int_equal(ftruncate(file, (off_t)length), 0);
        MUST_FAIL(myr_batch_restore(target, changed), MYR_E_FORMAT, changed);
    }
    close(file);
    content = realloc(content, bytes + 1);
    assert_non_null(content);
    content[bytes] = 0;
    write_file(changed, content, bytes + 1);
    MUST_FAIL(myr_batch_restore(target, changed), MYR_E_FORMAT, "after its end");
    scene_assert_unchanged(target, before, count);
    MUST(myr_batch_restore(target, saved));
    free(content);
    free(before);
    myr_batch_free(batch);
    myr_batch_free(target);
    myr_model_free(model);
}

/* Words of a saved batch's head, and the checksum made right. `content` has room. */
static void reword(unsigned char *content, size_t *bytes, const char *now, const char *old) {
    char *at = strstr((char *)content, now);
    assert_non_null(at);
    const size_t after = (size_t)(at - (char *)content) + strlen(now);
    memmove(at + strlen(old), content + after, *bytes - after);
    memcpy(at, old, strlen(old));
    *bytes += strlen(old) - strlen(now);
    const uint64_t sum = myr_checksum(MYR_CHECKSUM_START, content, *bytes - sizeof sum);
    memcpy(content + *bytes - sizeof sum, &sum, sizeof sum);
}

/* The batch, saved, stepped and restored from the file with old words, is as it was. */
static void restores_by(myr_batch *batch, const char *const words[][2], int n) {
    size_t bytes, count;
    MUST(myr_batch_save(batch, saved));
    unsigned char *content = read_file(saved, &bytes);
    for (int k = 0; k < n; k++) reword(content, &bytes, words[k][0], words[k][1]);
    write_file(changed, content, bytes);
    double *before = scene_snapshot(batch, &count);
    MUST(myr_batch_step(batch, 3));
    MUST(myr_batch_restore(batch, changed));
    scene_assert_unchanged(batch, before, count);
    free(content);
    free(before);
}

/* A file of a version that called the solver by its old name goes on; so does one in which the scheme was a solver. */
static void renamed_words_restore(void **state) {
    (void)state;
    static const char *const solver[][2] = {{"\nsolver pgs-lelidec\n", "\nsolver pgs-004\n"}},
                             *const scheme[][2] = {{"\ndynamics maximal-tree\n", "\ndynamics maximal\n"},
                                                   {"\nsolver hybrid\n", "\nsolver ipm-tree\n"}};
    myr_model *model = scene_model();
    myr_settings settings = scene_settings("solver", "pgs-lelidec", NULL);
    myr_batch *batch = lived_batch(model, ENVS, &settings);
    restores_by(batch, solver, 1);
    myr_batch_free(batch);
    myr_model_free(model);
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    settings = scene_settings("dynamics", "maximal-tree", "task", "trot", NULL);
    batch = open_batch(model, ENVS, &settings);
    MUST(myr_batch_step(batch, 3));
    restores_by(batch, scheme, 2);
    /* one of the two lines alone is of another batch */
    size_t bytes;
    unsigned char *content = read_file(saved, &bytes);
    reword(content, &bytes, scheme[0][0], scheme[0][1]);
    write_file(changed, content, bytes);
    MUST_FAIL(myr_batch_restore(batch, changed), MYR_E_FORMAT, "dynamics 'maximal', and this batch has 'maximal-tree'");
    free(content);
    myr_batch_free(batch);
    myr_model_free(model);
}

/* A batch of these settings must refuse the file and say what differs. */
static void refuse_foreign(const myr_model *model, int64_t envs, const char *key, const char *value, const char *word) {
    const myr_settings settings = scene_settings(key, value, NULL);
    myr_batch *batch = open_batch(model, envs, &settings);
    size_t count;
    double *before = scene_snapshot(batch, &count);
    MUST_FAIL(myr_batch_restore(batch, saved), MYR_E_FORMAT, word);
    MUST_FAIL(myr_batch_restore(batch, saved), MYR_E_FORMAT, saved);
    scene_assert_unchanged(batch, before, count);
    free(before);
    myr_batch_free(batch);
}

static void foreign_files_say_what_differs(void **state) {
    (void)state;
    myr_model *model = scene_model(), *chain = NULL;
    MUST(myr_model_load("chain-3", MYR_ROOT_AUTO, &chain));
    const myr_settings settings = myr_settings_default();
    myr_batch *batch = lived_batch(model, ENVS, &settings);
    MUST(myr_batch_save(batch, saved));
    refuse_foreign(chain, ENVS, NULL, NULL, "model-hash");
    refuse_foreign(model, ENVS + 1, NULL, NULL, "environments 0 to 20, and this batch has 0 to 21");
    refuse_foreign(model, ENVS, "precision", "f64", "precision 'f32', and this batch has 'f64'");
    refuse_foreign(model, ENVS, "dt", "2e-3", "dt '0.001', and this batch has '0.002'");
    refuse_foreign(model, ENVS, "seed", "2", "seed");
    refuse_foreign(model, ENVS, "first-env", "1", "environments 0 to 20, and this batch has 1 to 21");
    refuse_foreign(model, ENVS, "tolerance", "1e-6", "tolerance");
    refuse_foreign(model, ENVS, "warm-start", "0", "warm-start");
    size_t bytes;
    unsigned char *content = read_file(saved, &bytes);
    char *version = strstr((char *)content, "library ");
    assert_non_null(version);
    version[strlen("library ")] = '9';
    write_file(changed, content, bytes);
    MUST_FAIL(myr_batch_restore(batch, changed), MYR_E_FORMAT, "library '9");
    memcpy(content, "MYRIAPOD BATCH 7", 16);
    write_file(changed, content, bytes);
    MUST_FAIL(myr_batch_restore(batch, changed), MYR_E_FORMAT, "format '7'");
    write_file(changed, (const unsigned char *)"{\"a\": 1}\n", 9);
    MUST_FAIL(myr_batch_restore(batch, changed), MYR_E_FORMAT, "not a saved batch");
    free(content);
    myr_batch_free(batch);
    myr_model_free(model);
    myr_model_free(chain);
}

static void files_that_cannot_be(void **state) {
    (void)state;
    myr_model *model = scene_model();
    const myr_settings settings = myr_settings_default();
    myr_batch *batch = lived_batch(model, ENVS, &settings);
    char path[400], link[400];
    snprintf(path, sizeof path, "%s/gone/file", directory);
    MUST_FAIL(myr_batch_save(batch, path), MYR_E_FILE, path);
    MUST_FAIL(myr_batch_restore(batch, path), MYR_E_FILE, path);
    MUST_FAIL(myr_batch_save(batch, directory), MYR_E_FILE, directory);
    MUST_FAIL(myr_batch_restore(batch, directory), MYR_E_FILE, directory);
    MUST_FAIL(myr_batch_save(batch, ""), MYR_E_ARG, "no file");
    MUST_FAIL(myr_batch_restore(batch, NULL), MYR_E_ARG, "no file");
    MUST_FAIL(myr_batch_save(batch, "/dev/full"), MYR_E_FILE, "/dev/full");
    struct stat info;
    assert_int_equal(stat("/dev/full", &info), 0);
    assert_true(S_ISCHR(info.st_mode)); /* not replaced by a file */

    MUST(myr_batch_save(batch, saved));
    assert_int_equal(chmod(saved, 0640), 0);
    snprintf(link, sizeof link, "%s/link", directory);
    unlink(link);
    assert_int_equal(symlink(saved, link), 0);
    MUST(myr_batch_step(batch, 1));
    MUST(myr_batch_save(batch, link));
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode)); /* a link stays one, */
    assert_int_equal(stat(saved, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640); /* and what it points to keeps its mode */
    const uint64_t hash = myr_batch_hash(batch);
    MUST(myr_batch_reset(batch, NULL));
    MUST(myr_batch_restore(batch, saved));
    assert_int_equal(myr_batch_hash(batch), hash);
    myr_batch_free(batch);
    myr_model_free(model);
}

static int make_directory(void **state) {
    (void)state;
    if (!mkdtemp(directory)) return -1;
    snprintf(saved, sizeof saved, "%s/saved", directory);
    snprintf(changed, sizeof changed, "%s/changed", directory);
    return 0;
}

/* Only files that were asked for are left: nothing temporary. */
static int remove_directory(void **state) {
    (void)state;
    char link[400];
    snprintf(link, sizeof link, "%s/link", directory);
    unlink(saved);
    unlink(changed);
    unlink(link);
    return rmdir(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_goes_on_with_the_same_bits), cmocka_unit_test(a_state_of_another_robot_is_refused),
        cmocka_unit_test(a_copy_lives_like_its_original),     cmocka_unit_test(a_saved_batch_goes_on_anywhere),
        cmocka_unit_test(damage_is_found_wherever_it_is),     cmocka_unit_test(renamed_words_restore),
        cmocka_unit_test(foreign_files_say_what_differs),     cmocka_unit_test(files_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
