#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch/batch.h"
#include "base/checksum.h"
#include "batch/record.h"
#include "files/save_header.h"
#include "base/target.h"

/* A file is: the magic line, the lines of save_header.h, `collide` with one digit per geom, `end`; then envs records of
 * record.h; then 8 bytes, the checksum of everything before. Little-endian. */

typedef struct writer {
    FILE *file;
    uint64_t checksum;
    int failed;
} writer;

static void put(writer *w, const void *bytes, size_t n) {
    w->checksum = myr_checksum(w->checksum, bytes, n);
    if (n > 0 && !w->failed && fwrite(bytes, n, 1, w->file) != 1) w->failed = errno ? errno : EIO;
}

static void put_text(writer *w, const char *text) { put(w, text, strlen(text)); }

static void put_header(writer *w, const myr_batch *batch) {
    myr_save_line line;
    put_text(w, MYR_SAVE_MAGIC "\n");
    for (int i = 0; myr_save_line_get(batch, i, &line); i++) {
        put_text(w, line.key);
        put_text(w, " ");
        put_text(w, line.value);
        put_text(w, "\n");
    }
    put_text(w, "collide ");
    for (int g = 0; g < batch->model.n_geoms; g++) put_text(w, batch->geom_mask[g] ? "1" : "0");
    put_text(w, "\n" MYR_SAVE_END "\n");
}

/* errno, or 0 when every byte went out. */
static int write_batch(const myr_batch *batch, FILE *file, char *record) {
    writer w = {file, MYR_CHECKSUM_START, 0};
    const size_t bytes = myr_record_bytes(batch, MYR_RECORD_ALL);
    put_header(&w, batch);
    for (int64_t env = 0; env < batch->envs && !w.failed; env++) {
        myr_record_get(batch, MYR_RECORD_ALL, env, record);
        put(&w, record, bytes);
    }
    const uint64_t checksum = w.checksum;
    put(&w, &checksum, sizeof checksum);
    if (!w.failed && fflush(file) != 0) w.failed = errno;
    return w.failed;
}

myr_status myr_batch_save(const myr_batch *batch, const char *path) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_batch_save";
    myr_status status = myr_batch_check(batch, call);
    if (status != MYR_OK) return status;
    if (!path || !*path) return myr_fail(MYR_E_ARG, "%s: no file is named", call);
    myr_target target;
    status = myr_target_choose(path, &target);
    if (status != MYR_OK) return status;
    char *record = myr_allocate(myr_record_bytes(batch, MYR_RECORD_ALL), MYR_ROW_BYTES);
    if (!record) return myr_fail(MYR_E_MEMORY, "%s: no memory for one environment", call);
    const int beside = target.temporary[0] != '\0';
    FILE *file = fopen(beside ? target.temporary : target.file, beside ? "wbxe" : "wbe");
    int error = file ? write_batch(batch, file, record) : errno;
    if (file && beside && !error && fsync(fileno(file)) != 0) error = errno;
    if (file && beside && !error && target.mode && fchmod(fileno(file), target.mode) != 0) error = errno;
    if (file && fclose(file) != 0 && !error) error = errno;
    if (beside && !error && rename(target.temporary, target.file) != 0) error = errno;
    if (beside && error && file) unlink(target.temporary);
    myr_release(record);
    return error ? myr_fail(MYR_E_FILE, "cannot save to '%s': %s", path, strerror(error)) : MYR_OK;
}

/* ---- restoring ------------------------------------------------------------------------------------------------------ */

typedef struct reader {
    FILE *file;
    const char *path;
    uint64_t checksum;
    int64_t first, envs; /* global ids in the file: from `first` on */
    int part;            /* 1: those that both have are enough */
} reader;

/* One line without its end; longer ones, control characters and ends of file are damage. 0: damaged. */
static int get_line(reader *r, char *line, size_t room) {
    size_t n = 0;
    for (int c = getc(r->file); c != EOF && n < room; c = getc(r->file)) {
        const char byte = (char)c;
        r->checksum = myr_checksum(r->checksum, &byte, 1);
        if (c == '\n') {
            line[n] = '\0';
            return 1;
        }
        if (c < 0x20 || c == 0x7f) return 0;
        line[n++] = byte;
    }
    return 0;
}

static myr_status damaged(const reader *r, const char *where) {
    if (ferror(r->file)) return myr_fail(MYR_E_FILE, "cannot read '%s': %s", r->path, strerror(errno ? errno : EIO));
    return myr_fail(MYR_E_FORMAT, "'%s' is damaged: %s", r->path, where);
}

static myr_status differs(const reader *r, const char *key, const char *was, const char *is) {
    return myr_fail(MYR_E_FORMAT, "'%s' was saved with %s '%s', and this batch has '%s'", r->path, key, was, is);
}

static int read_count(const char *word, int64_t *number) {
    char *end;
    errno = 0;
    const long long n = strtoll(word, &end, 10);
    *number = n;
    return end != word && !*end && !errno && n >= 0 && n <= INT64_MAX / 2; /* two of them can be added */
}

static int64_t batch_first(const myr_batch *batch) { return batch->settings.first_env; }

/* Environments are known by their global ids: a batch may take its part of a larger one's file. */
static myr_status check_ids(const reader *r, const myr_batch *batch) {
    const int64_t first = batch_first(batch), end = first + batch->envs, file_end = r->first + r->envs;
    const int all = r->first <= first && file_end >= end, some = r->first < end && file_end > first;
    if (all || (r->part && (some || !batch->envs || !r->envs))) return MYR_OK;
    return myr_fail(MYR_E_FORMAT, "'%s' was saved with environments %lld to %lld, and this batch has %lld to %lld", r->path,
                    (long long)r->first, (long long)file_end - 1, (long long)first, (long long)end - 1);
}

/* Every line must be the one that this batch would write, or have said the same by names of before: a word that is another key's by now
 * comes behind that key's line. */
static myr_status check_header(reader *r, const myr_batch *batch) {
    char line[MYR_SAVE_KEY_BYTES + MYR_SAVE_VALUE_BYTES + 2], scheme[MYR_SAVE_VALUE_BYTES] = "";
    const size_t product = strlen("MYRIAPOD BATCH ");
    if (!get_line(r, line, sizeof line) || strncmp(line, MYR_SAVE_MAGIC, product) != 0)
        return ferror(r->file) ? damaged(r, "")
                               : myr_fail(MYR_E_FORMAT, "'%s' is not a saved batch: it does not begin with '%s'", r->path, MYR_SAVE_MAGIC);
    if (strcmp(line, MYR_SAVE_MAGIC) != 0)
        return myr_fail(MYR_E_FORMAT, "'%s' has format '%s', this library reads format '%s'", r->path, line + product,
                        &MYR_SAVE_MAGIC[product]);
    myr_save_line wanted;
    for (int i = 0; myr_save_line_get(batch, i, &wanted); i++) {
        if (!get_line(r, line, sizeof line)) return damaged(r, "its head ends early");
        char *space = strchr(line, ' ');
        if (!space) return damaged(r, "a line of its head has no value");
        *space = '\0';
        if (strcmp(line, wanted.key) != 0)
            return myr_fail(MYR_E_FORMAT, "'%s' has '%s' in its head where '%s' belongs", r->path, line, wanted.key);
        const char *value = space + 1;
        const myr_renamed *renamed = myr_setting_renamed(line, value);
        if (renamed && strcmp(myr_setting_word(&batch->settings, renamed->now_key), renamed->now) == 0) {
            if (myr_renamed_moved(renamed)) scheme[0] = '\0';
        } else if (strcmp(line, "envs") == 0 || strcmp(line, "first-env") == 0) {
            if (!read_count(value, strcmp(line, "envs") ? &r->first : &r->envs)) return damaged(r, "its head has a wrong number");
        } else if (!wanted.informs && strcmp(value, wanted.value) != 0) {
            if (strcmp(line, "dynamics") != 0) return differs(r, line, value, wanted.value);
            snprintf(scheme, sizeof scheme, "%s", value);
        }
    }
    if (*scheme) return differs(r, "dynamics", scheme, myr_setting_word(&batch->settings, "dynamics"));
    return check_ids(r, batch);
}

/* `collide` and `end`; mask has room for n_geoms + 1 bytes. */
static myr_status read_mask(reader *r, const myr_batch *batch, uint8_t *mask) {
    const char *key = "collide ";
    const size_t geoms = (size_t)batch->model.n_geoms;
    char end[8];
    for (const char *c = key; *c; c++) {
        const int got = getc(r->file);
        if (got != *c) return damaged(r, "it does not say which geoms collide");
    }
    r->checksum = myr_checksum(r->checksum, key, strlen(key));
    if (!get_line(r, (char *)mask, geoms + 1) || strlen((char *)mask) != geoms || strspn((char *)mask, "01") != geoms)
        return damaged(r, "'collide' must be one digit, 0 or 1, per geom");
    for (size_t g = 0; g < geoms; g++) mask[g] = (uint8_t)(mask[g] - '0');
    if (!get_line(r, end, sizeof end) || strcmp(end, MYR_SAVE_END) != 0) return damaged(r, "its head has no end");
    return MYR_OK;
}

static myr_status read_records(reader *r, const myr_batch *batch, char *records, size_t each) {
    for (int64_t env = 0; env < r->envs; env++) {
        char *record = records + (size_t)env * each;
        if (fread(record, each, 1, r->file) != 1) return damaged(r, "it ends before its last environment");
        r->checksum = myr_checksum(r->checksum, record, each);
    }
    uint64_t checksum;
    if (fread(&checksum, sizeof checksum, 1, r->file) != 1) return damaged(r, "it ends before its checksum");
    if (checksum != r->checksum) return damaged(r, "its checksum is wrong");
    if (getc(r->file) != EOF) return damaged(r, "it goes on after its end");
    for (int64_t env = 0; env < r->envs; env++)
        if (!myr_record_plausible(batch, MYR_RECORD_ALL, records + (size_t)env * each))
            return damaged(r, "a counter of an environment is out of range");
    return MYR_OK;
}

/* Room for all records, once the head fits the batch and the file is long enough to hold them. */
static myr_status allocate_records(const reader *r, size_t each, char **records) {
    struct stat s;
    size_t bytes;
    const int fits = !__builtin_mul_overflow(each, (size_t)r->envs, &bytes);
    if (fstat(fileno(r->file), &s) == 0 && S_ISREG(s.st_mode) && (!fits || (uint64_t)s.st_size < bytes))
        return damaged(r, "it ends before its last environment");
    *records = fits ? myr_allocate_untouched(bytes, MYR_ROW_BYTES) : NULL;
    return *records ? MYR_OK : myr_fail(MYR_E_MEMORY, "'%s': no memory for a second copy of the batch", r->path);
}

/* Everything is read and checked before the batch is touched. */
static myr_status restore(myr_batch *batch, reader *r, uint8_t *mask, char **records) {
    const size_t each = myr_record_bytes(batch, MYR_RECORD_ALL);
    myr_status status = check_header(r, batch);
    if (status == MYR_OK) status = read_mask(r, batch, mask);
    if (status == MYR_OK) status = allocate_records(r, each, records);
    if (status == MYR_OK) status = read_records(r, batch, *records, each);
    if (status == MYR_OK) status = myr_batch_set_collision(batch, mask);
    if (status != MYR_OK) return status;
    for (int64_t env = 0; env < batch->envs; env++) {
        const int64_t at = batch_first(batch) + env - r->first;
        if (at >= 0 && at < r->envs) myr_record_set(batch, MYR_RECORD_ALL, env, *records + (size_t)at * each);
    }
    batch->options.varied = MYR_VARIED_ALL; /* the file may have brought some; without, it changes no bits */
    return MYR_OK;
}

static myr_status restore_from(myr_batch *batch, const char *path, int part, const char *call) {
    myr_status status = myr_batch_check(batch, call);
    if (status != MYR_OK) return status;
    if (!path || !*path) return myr_fail(MYR_E_ARG, "%s: no file is named", call);
    reader r = {.path = path, .part = part, .checksum = MYR_CHECKSUM_START, .file = fopen(path, "rbe")};
    if (!r.file) return myr_fail(MYR_E_FILE, "cannot read '%.1000s': %s", path, strerror(errno));
    char *records = NULL;
    uint8_t *mask = myr_allocate((size_t)batch->model.n_geoms + 1, MYR_ROW_BYTES);
    status = mask ? restore(batch, &r, mask, &records) : myr_fail(MYR_E_MEMORY, "'%s': no memory for the geoms of the batch", path);
    myr_release(mask);
    myr_release(records);
    fclose(r.file);
    return status;
}

myr_status myr_batch_restore(myr_batch *batch, const char *path) {
    MYR_OWN_ARITHMETIC;
    return restore_from(batch, path, 0, "myr_batch_restore");
}

myr_status myr_batch_restore_part(myr_batch *batch, const char *path) {
    MYR_OWN_ARITHMETIC;
    return restore_from(batch, path, 1, "myr_batch_restore_part");
}
