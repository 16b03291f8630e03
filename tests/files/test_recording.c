/* A recording holds what the batch had, frame by frame; stops early without harm; and is refused where it is damaged. */
#include "support/batch_scene.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENVS = 21, FRAMES = 4, CHOSEN = 3, MOST = 400 };

static char directory[] = "/tmp/myriapod-recording-XXXXXX";
static char path[300], changed[300];
static const int64_t chosen[CHOSEN] = {20, 0, 7};
static const myr_field fields[] = {MYR_V, MYR_Q, MYR_ITERATIONS, MYR_BODY_POSE};
enum { FIELDS = sizeof fields / sizeof *fields };

static myr_recording_plan plan_of(myr_type type) {
    return (myr_recording_plan){.ids = chosen, .n = CHOSEN, .fields = fields, .n_fields = FIELDS, .type = type, .frame_s = 0.002};
}

static myr_batch *open_batch(const myr_model *model) {
    myr_settings settings = scene_settings("threads", "1", "first-env", "100", NULL);
    myr_batch *batch = NULL;
    settings.sense_bodies = 1;
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    scene_disturb(batch, model, 3);
    return batch;
}

static double seen[FRAMES][FIELDS][CHOSEN * MOST];

/* Records FRAMES frames and keeps what the batch said. */
static void record(const myr_model *model, myr_type type) {
    myr_batch *batch = open_batch(model);
    const myr_recording_plan plan = plan_of(type);
    myr_recording *recording = NULL;
    MUST(myr_recording_create(batch, path, &plan, &recording));
    for (int frame = 0; frame < FRAMES; frame++) {
        MUST(myr_batch_step(batch, 2));
        MUST(myr_recording_append(recording, batch));
        for (int f = 0; f < FIELDS; f++) {
            assert_true(myr_batch_components(batch, fields[f]) <= MOST);
            MUST(myr_batch_get(batch, fields[f], chosen, CHOSEN, MYR_F64, seen[frame][f]));
        }
    }
    MUST(myr_recording_close(recording));
    myr_batch_free(batch);
}

static void assert_frames(myr_recording *recording, int64_t frames) {
    for (int f = 0; f < FIELDS; f++) {
        int components;
        MUST(myr_recording_get_field(recording, f, NULL, &components));
        const size_t each = (size_t)components * CHOSEN;
        double *all = malloc((FRAMES * each + 1) * sizeof *all);
        assert_non_null(all);
        MUST(myr_recording_read(recording, f, 0, frames, MYR_F64, all));
        for (int64_t frame = 0; frame < frames; frame++)
            assert_memory_equal(all + (size_t)frame * each, seen[frame][f], each * sizeof *all);
        free(all);
    }
}

static void what_is_read_is_what_was(void **state) {
    (void)state;
    myr_model *model = scene_model();
    const myr_type types[] = {MYR_F32, MYR_F64};
    for (int t = 0; t < 2; t++) {
        record(model, types[t]);
        myr_recording *recording = NULL;
        MUST(myr_recording_open(path, &recording));
        myr_recording_info info;
        myr_recording_get_info(recording, &info);
        assert_int_equal(info.frames, FRAMES);
        assert_int_equal(info.envs, CHOSEN);
        assert_int_equal(info.n_fields, FIELDS);
        assert_int_equal(info.type, types[t]);
        assert_int_equal(info.first_env, 100);
        assert_true(info.complete && info.frame_s == 0.002);
        assert_memory_equal(info.ids, chosen, sizeof chosen);
        assert_string_equal(info.library, myr_version());
        assert_int_equal(strlen(info.model_hash), 16);
        const char *const names[] = {"v", "q", "iterations", "body_pose"};
        for (int f = 0; f < FIELDS; f++) {
            const char *name;
            MUST(myr_recording_get_field(recording, f, &name, NULL));
            assert_string_equal(name, names[f]);
        }
        assert_frames(recording, FRAMES); /* the batch computes in f32: both types hold its numbers exactly */
        float one[CHOSEN * MOST];
        MUST(myr_recording_read(recording, 1, 2, 1, MYR_F32, one));
        assert_true((double)one[1] == seen[2][1][1]);
        MUST(myr_recording_close(recording));
    }
    myr_model_free(model);
}

static size_t load(unsigned char **content) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    *content = malloc(1 << 20);
    assert_non_null(*content);
    const size_t bytes = fread(*content, 1, 1 << 20, file);
    fclose(file);
    assert_true(bytes > 100 && bytes < 1 << 20);
    return bytes;
}

/* Reading all of a file: MYR_OK only if no frame is refused. */
static myr_status read_all(const char *file, int64_t *frames) {
    myr_recording *recording = NULL;
    myr_status status = myr_recording_open(file, &recording);
    if (status != MYR_OK) {
        assert_null(recording);
        return status;
    }
    myr_recording_info info;
    myr_recording_get_info(recording, &info);
    *frames = info.frames;
    double *out = malloc((size_t)(info.frames * info.envs * MOST + 1) * sizeof *out);
    assert_non_null(out);
    status = myr_recording_read(recording, 0, 0, info.frames, MYR_F64, out);
    free(out);
    MUST(myr_recording_close(recording));
    return status;
}

static void damage_is_found_wherever_it_is(void **state) {
    (void)state;
    myr_model *model = scene_model();
    record(model, MYR_F32);
    unsigned char *content;
    const size_t bytes = load(&content);
    const int file = open(changed, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, content, bytes, 0), bytes);
    int64_t frames;
    assert_int_equal(read_all(changed, &frames), MYR_OK);
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char wrong = (unsigned char)(content[i] ^ (1u << i % 8));
        assert_int_equal(pwrite(file, &wrong, 1, (off_t)i), 1);
        MUST_FAIL(read_all(changed, &frames), MYR_E_FORMAT, changed);
        assert_int_equal(pwrite(file, &content[i], 1, (off_t)i), 1);
    }
    assert_int_equal(pwrite(file, content, 9, (off_t)bytes), 9);
    MUST_FAIL(read_all(changed, &frames), MYR_E_FORMAT, "end");
    close(file);
    free(content);
    myr_model_free(model);
}

/* However early it stops: no head, and it is refused; else the whole frames are there. */
static void a_crash_leaves_the_whole_frames(void **state) {
    (void)state;
    myr_model *model = scene_model();
    record(model, MYR_F32);
    unsigned char *content;
    const size_t bytes = load(&content);
    const int file = open(changed, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, content, bytes, 0), bytes);
    int64_t frames = FRAMES, last = FRAMES, kinds = 0;
    for (size_t length = bytes; length-- > 0;) {
        assert_int_equal(ftruncate(file, (off_t)length), 0);
        myr_recording *recording = NULL;
        const myr_status status = myr_recording_open(changed, &recording);
        if (status != MYR_OK) {
            assert_int_equal(status, MYR_E_FORMAT);
            assert_int_equal(last, 0); /* only where not one frame was left */
            continue;
        }
        myr_recording_info info;
        myr_recording_get_info(recording, &info);
        frames = info.frames;
        assert_false(info.complete);
        assert_true(frames == last || frames == last - 1);
        kinds += frames < last;
        last = frames;
        if (length % 16 == 0) assert_frames(recording, frames);
        MUST(myr_recording_close(recording));
    }
    assert_int_equal(kinds, FRAMES);
    close(file);
    free(content);
    myr_model_free(model);
}

static void an_open_recording_can_be_read(void **state) {
    (void)state;
    myr_model *model = scene_model();
    myr_batch *batch = open_batch(model);
    const myr_recording_plan plan = plan_of(MYR_F32);
    myr_recording *writer = NULL, *reader = NULL;
    MUST(myr_recording_create(batch, path, &plan, &writer));
    MUST(myr_recording_append(writer, batch));
    MUST(myr_recording_open(path, &reader));
    myr_recording_info info;
    myr_recording_get_info(reader, &info);
    assert_true(info.frames == 1 && !info.complete);
    double out[CHOSEN * MOST];
    MUST_FAIL(myr_recording_append(reader, batch), MYR_E_STATE, "to be read");
    MUST_FAIL(myr_recording_read(writer, 0, 0, 1, MYR_F64, out), MYR_E_STATE, "being written");
    MUST_FAIL(myr_recording_read(reader, 0, 1, 1, MYR_F64, out), MYR_E_ARG, "has 1");
    MUST_FAIL(myr_recording_read(reader, 0, -1, 1, MYR_F64, out), MYR_E_ARG, "-1");
    MUST_FAIL(myr_recording_read(reader, FIELDS, 0, 1, MYR_F64, out), MYR_E_ARG, "field is 4");
    MUST_FAIL(myr_recording_read(reader, 0, 0, 1, MYR_I64, out), MYR_E_ARG, "type");
    MUST(myr_recording_close(reader));
    const pid_t child = fork();
    if (child == 0) _exit(myr_recording_append(writer, batch) == MYR_E_FORK && myr_recording_close(writer) == MYR_OK ? 0 : 1);
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    MUST(myr_recording_append(writer, batch));
    MUST(myr_recording_close(writer));
    int64_t frames;
    assert_int_equal(read_all(path, &frames), MYR_OK);
    assert_int_equal(frames, 2);
    myr_batch_free(batch);
    myr_model_free(model);
}

static void a_full_disk_leaves_whole_frames(void **state) {
    (void)state;
    myr_model *model = scene_model();
    myr_batch *batch = open_batch(model);
    const myr_recording_plan plan = plan_of(MYR_F64);
    myr_recording *recording = NULL;
    MUST(myr_recording_create(batch, path, &plan, &recording));
    MUST(myr_recording_append(recording, batch));
    struct stat before, after;
    assert_int_equal(stat(path, &before), 0);
    struct rlimit limit, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = (rlim_t)before.st_size + 100; /* part of a frame */
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    MUST_FAIL(myr_recording_append(recording, batch), MYR_E_FILE, path);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(after.st_size, before.st_size);
    MUST(myr_recording_append(recording, batch));
    MUST(myr_recording_close(recording));
    int64_t frames;
    assert_int_equal(read_all(path, &frames), MYR_OK);
    assert_int_equal(frames, 2);
    myr_batch_free(batch);
    myr_model_free(model);
}

static void wrong_plans_and_places(void **state) {
    (void)state;
    myr_model *model = scene_model(), *other = NULL;
    MUST(myr_model_load("cube", MYR_ROOT_AUTO, &other));
    myr_batch *batch = open_batch(model), *foreign = NULL;
    myr_settings settings = myr_settings_default();
    settings.sense_bodies = 1;
    MUST(myr_batch_create(other, ENVS, &settings, &foreign));
    const myr_recording_plan good = plan_of(MYR_F32);
    myr_recording *recording = NULL;
    myr_recording_plan bad = good;
    unlink(path);
    bad.type = MYR_I64;
    MUST_FAIL(myr_recording_create(batch, path, &bad, &recording), MYR_E_ARG, "type");
    bad = good, bad.frame_s = 0;
    MUST_FAIL(myr_recording_create(batch, path, &bad, &recording), MYR_E_ARG, "frame_s");
    bad = good, bad.n = 0;
    MUST_FAIL(myr_recording_create(batch, path, &bad, &recording), MYR_E_ARG, "n is 0");
    bad = good, bad.ids = (const int64_t[]){0, ENVS, 1};
    MUST_FAIL(myr_recording_create(batch, path, &bad, &recording), MYR_E_ARG, "ids[1] is 21");
    bad = good, bad.n_fields = 0;
    MUST_FAIL(myr_recording_create(batch, path, &bad, &recording), MYR_E_ARG, "no field");
    bad = good, bad.fields = (const myr_field[]){MYR_Q, MYR_ACCELERATION, MYR_V, MYR_KP};
    MUST_FAIL(myr_recording_create(batch, path, &bad, &recording), MYR_E_STATE, "acceleration");
    bad = good, bad.fields = (const myr_field[]){MYR_Q, MYR_V, MYR_Q, MYR_KP};
    MUST_FAIL(myr_recording_create(batch, path, &bad, &recording), MYR_E_ARG, "twice");
    bad = good, bad.fields = (const myr_field[]){MYR_Q, MYR_FIELD_COUNT};
    MUST_FAIL(myr_recording_create(batch, path, &bad, &recording), MYR_E_ARG, "no field");
    MUST_FAIL(myr_recording_create(batch, "/dev/null", &good, &recording), MYR_E_FILE, "regular");
    MUST_FAIL(myr_recording_create(batch, "", &good, &recording), MYR_E_ARG, "no file");
    char gone[400];
    snprintf(gone, sizeof gone, "%s/gone/file", directory);
    MUST_FAIL(myr_recording_create(batch, gone, &good, &recording), MYR_E_FILE, gone);
    MUST_FAIL(myr_recording_open(gone, &recording), MYR_E_FILE, gone);
    MUST_FAIL(myr_recording_open(directory, &recording), MYR_E_FILE, directory);
    assert_null(recording);
    assert_int_not_equal(access(path, F_OK), 0); /* nothing was made */

    MUST(myr_recording_create(batch, path, &good, &recording));
    MUST_FAIL(myr_recording_append(recording, foreign), MYR_E_ARG, "not the model");
    MUST_FAIL(myr_recording_append(NULL, batch), MYR_E_ARG, "NULL");
    MUST(myr_recording_close(recording));
    int64_t frames;
    assert_int_equal(read_all(path, &frames), MYR_OK);
    assert_int_equal(frames, 0);
    MUST(myr_batch_save(batch, path));
    MUST_FAIL(myr_recording_open(path, &recording), MYR_E_FORMAT, "not a recording");
    MUST(myr_recording_close(NULL));
    myr_batch_free(batch);
    myr_batch_free(foreign);
    myr_model_free(model);
    myr_model_free(other);
}

static int make_directory(void **state) {
    (void)state;
    if (!mkdtemp(directory)) return -1;
    snprintf(path, sizeof path, "%s/recording", directory);
    snprintf(changed, sizeof changed, "%s/changed", directory);
    return 0;
}

/* Only files that were asked for are left: nothing temporary. */
static int remove_directory(void **state) {
    (void)state;
    unlink(path);
    unlink(changed);
    return rmdir(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_is_what_was),        cmocka_unit_test(damage_is_found_wherever_it_is),
        cmocka_unit_test(a_crash_leaves_the_whole_frames), cmocka_unit_test(an_open_recording_can_be_read),
        cmocka_unit_test(a_full_disk_leaves_whole_frames), cmocka_unit_test(wrong_plans_and_places),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
