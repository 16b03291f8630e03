#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch/batch.h"
#include "base/checksum.h"
#include "batch/fields.h"
#include "files/recording.h"
#include "files/save_header.h"
#include "base/target.h"
#include "base/memory.h"

void myr_recording_release(myr_recording *r) {
    myr_release(r->path);
    myr_release(r->ids);
    myr_release(r->fields);
    for (int i = 0; i < 4; i++) myr_release(r->words[i]);
    myr_release(r->frame);
    myr_release(r);
}

myr_status myr_recording_lay_out(myr_recording *r) {
    size_t bytes = sizeof(uint64_t), field;
    int overflow = 0;
    for (int i = 0; i < r->n_fields; i++) {
        r->fields[i].offset = bytes;
        overflow |= __builtin_mul_overflow((size_t)r->envs, (size_t)r->fields[i].components * (size_t)r->type, &field);
        overflow |= __builtin_add_overflow(bytes, field, &bytes) || bytes > (size_t)PTRDIFF_MAX / 2;
    }
    if (overflow) return myr_fail(MYR_E_LIMIT, "'%s': a frame has more bytes than an address", r->path);
    if (bytes < sizeof(uint64_t) + MYR_RECORDING_LEAST_BODY) bytes = sizeof(uint64_t) + MYR_RECORDING_LEAST_BODY;
    r->frame_bytes = (bytes + 7) / 8 * 8 + sizeof(uint64_t);
    return MYR_OK;
}

myr_status myr_recording_allocate_frame(myr_recording *r) {
    r->frame = myr_allocate(r->frame_bytes, MYR_ROW_BYTES);
    return r->frame ? MYR_OK : myr_fail(MYR_E_MEMORY, "'%s': no memory for a frame of %zu bytes", r->path, r->frame_bytes);
}

uint64_t myr_recording_end_magic(void) {
    uint64_t magic;
    memcpy(&magic, "MYR END\n", sizeof magic);
    return magic;
}

uint64_t myr_recording_end_checksum(const myr_recording *r, const myr_recording_end *end) {
    return myr_checksum(r->head_checksum, end, offsetof(myr_recording_end, checksum));
}

uint64_t myr_recording_frame_checksum(const myr_recording *r) {
    return myr_checksum(r->head_checksum, r->frame, r->frame_bytes - sizeof(uint64_t));
}

/* All bytes at their place, or errno. */
static int put_at(int fd, const void *bytes, size_t n, off_t place) {
    const char *at = bytes;
    while (n > 0) {
        const ssize_t done = pwrite(fd, at, n, place);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return done < 0 ? errno : EIO;
        at += done;
        n -= (size_t)done;
        place += done;
    }
    return 0;
}

/* ---- create --------------------------------------------------------------------------------------------------------- */

static myr_status check_plan(const myr_batch *batch, const char *path, const myr_recording_plan *plan) {
    const char *call = "myr_recording_create";
    const myr_status status = myr_batch_check(batch, call);
    if (status != MYR_OK) return status;
    if (!path || !*path) return myr_fail(MYR_E_ARG, "%s: no file is named", call);
    if (!plan) return myr_fail(MYR_E_ARG, "%s: plan is NULL", call);
    if (plan->n < 1) return myr_fail(MYR_E_ARG, "%s: n is %lld, but a recording has an environment", call, (long long)plan->n);
    if (plan->n_fields < 1 || !plan->fields) return myr_fail(MYR_E_ARG, "%s: no field is named", call);
    if (plan->type != MYR_F32 && plan->type != MYR_F64)
        return myr_fail(MYR_E_ARG, "%s: type is %d, but must be MYR_F32 or MYR_F64", call, (int)plan->type);
    if (!(plan->frame_s > 0) || isinf(plan->frame_s)) return myr_fail(MYR_E_ARG, "%s: frame_s is %g", call, plan->frame_s);
    for (int i = 0; i < plan->n_fields; i++) {
        const myr_field_map *map = myr_field_map_get(plan->fields[i]);
        if (!map) return myr_fail(MYR_E_ARG, "%s: there is no field %d", call, (int)plan->fields[i]);
        if (!myr_field_kept(map, &batch->layout, &batch->settings))
            return myr_fail(MYR_E_STATE, "%s: this batch does not keep '%s': create it with %s", call, map->name, map->sense_name);
        if (myr_batch_components(batch, plan->fields[i]) < 1)
            return myr_fail(MYR_E_ARG, "%s: '%s' has no numbers in this model", call, map->name);
        for (int k = 0; k < i; k++)
            if (plan->fields[k] == plan->fields[i]) return myr_fail(MYR_E_ARG, "%s: '%s' is named twice", call, map->name);
    }
    return myr_batch_check_ids(batch, call, plan->ids, plan->n);
}

static myr_status fill(myr_recording *r, const myr_batch *batch, const char *path, const myr_recording_plan *plan) {
    size_t ids_bytes = 0;
    const int fits = !__builtin_mul_overflow(sizeof *r->ids, plan->n, &ids_bytes);
    r->path = myr_copy_text(path);
    r->ids = fits ? myr_allocate(ids_bytes, MYR_ROW_BYTES) : NULL;
    r->fields = myr_allocate((size_t)plan->n_fields * sizeof *r->fields, MYR_ROW_BYTES);
    if (!r->path || !r->ids || !r->fields) return myr_fail(MYR_E_MEMORY, "no memory for a recording");
    r->pid = batch->pid;
    r->hash = myr_model_hash(batch->source);
    r->envs = plan->n;
    r->first_env = batch->settings.first_env;
    r->n_fields = plan->n_fields;
    r->type = plan->type;
    r->frame_s = plan->frame_s;
    for (int64_t i = 0; i < r->envs; i++) r->ids[i] = plan->ids ? plan->ids[i] : i;
    for (int i = 0; i < r->n_fields; i++) {
        snprintf(r->fields[i].name, sizeof r->fields[i].name, "%s", myr_field_map_get(plan->fields[i])->name);
        r->fields[i].field = plan->fields[i];
        r->fields[i].components = myr_batch_components(batch, plan->fields[i]);
    }
    const myr_status status = myr_recording_lay_out(r);
    return status == MYR_OK ? myr_recording_allocate_frame(r) : status;
}

/* The head in memory: `room` is enough for all lines and the ids. */
static size_t write_head(myr_recording *r, const myr_batch *batch, char *head, size_t room) {
    static const char *const shared[] = {"library", "math", "model", "model-hash"};
    size_t n = (size_t)snprintf(head, room, "%s\n", MYR_RECORDING_MAGIC);
    myr_save_line line;
    for (int k = 0; k < 4; k++)
        for (int i = 0; myr_save_line_get(batch, i, &line); i++)
            if (strcmp(line.key, shared[k]) == 0) n += (size_t)snprintf(head + n, room - n, "%s %s\n", line.key, line.value);
    n += (size_t)snprintf(head + n, room - n, "first-env %" PRId64 "\ntype %s\nenvs %" PRId64 "\n", r->first_env,
                          r->type == MYR_F32 ? "f32" : "f64", r->envs);
    for (int i = 0; i < r->n_fields; i++)
        n += (size_t)snprintf(head + n, room - n, "field %s %d\n", r->fields[i].name, r->fields[i].components);
    n += (size_t)snprintf(head + n, room - n, "end\n");
    memcpy(head + n, &r->frame_s, sizeof r->frame_s);
    n += sizeof r->frame_s;
    memcpy(head + n, r->ids, (size_t)r->envs * sizeof *r->ids);
    n += (size_t)r->envs * sizeof *r->ids;
    r->head_checksum = myr_checksum(MYR_CHECKSUM_START, head, n);
    memcpy(head + n, &r->head_checksum, sizeof r->head_checksum);
    return n + sizeof r->head_checksum;
}

/* The file comes into being with its head in it: written beside and renamed. errno, or 0. */
static int start_file(myr_recording *r, const myr_target *target, const char *head) {
    r->fd = open(target->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (r->fd < 0) return errno;
    int error = put_at(r->fd, head, r->head_bytes, 0);
    if (!error && target->mode && fchmod(r->fd, target->mode) != 0) error = errno;
    if (!error && rename(target->temporary, target->file) != 0) error = errno;
    if (error) unlink(target->temporary);
    return error;
}

static myr_status start(myr_recording *r, const myr_batch *batch) {
    myr_target target;
    const myr_status status = myr_target_choose(r->path, &target);
    if (status != MYR_OK) return status;
    if (!target.temporary[0]) return myr_fail(MYR_E_FILE, "cannot record to '%s': it is not a regular file", r->path);
    const size_t room = 4096 + (size_t)r->n_fields * 64 + (size_t)r->envs * sizeof *r->ids;
    char *head = myr_allocate(room, MYR_ROW_BYTES);
    if (!head) return myr_fail(MYR_E_MEMORY, "no memory for the head of a recording");
    r->head_bytes = write_head(r, batch, head, room);
    const int error = start_file(r, &target, head);
    myr_release(head);
    return error ? myr_fail(MYR_E_FILE, "cannot record to '%s': %s", r->path, strerror(error)) : MYR_OK;
}

myr_status myr_recording_create(const myr_batch *batch, const char *path, const myr_recording_plan *plan, myr_recording **out) {
    MYR_OWN_ARITHMETIC;
    if (!out) return myr_fail(MYR_E_ARG, "myr_recording_create: out is NULL");
    *out = NULL;
    myr_status status = check_plan(batch, path, plan);
    if (status != MYR_OK) return status;
    myr_recording *r = myr_allocate(sizeof *r, MYR_ROW_BYTES);
    if (!r) return myr_fail(MYR_E_MEMORY, "no memory for a recording");
    r->fd = -1;
    r->writing = 1;
    status = fill(r, batch, path, plan);
    if (status == MYR_OK) status = start(r, batch);
    if (status == MYR_OK) {
        *out = r;
        return MYR_OK;
    }
    if (r->fd >= 0) close(r->fd);
    myr_recording_release(r);
    return status;
}

/* ---- append, close -------------------------------------------------------------------------------------------------- */

myr_status myr_recording_append(myr_recording *r, const myr_batch *batch) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_recording_append";
    myr_status status = myr_batch_check(batch, call);
    if (status != MYR_OK) return status;
    if (!r) return myr_fail(MYR_E_ARG, "%s: recording is NULL", call);
    if (!r->writing) return myr_fail(MYR_E_STATE, "%s: '%s' was opened to be read", call, r->path);
    if (myr_model_hash(batch->source) != r->hash)
        return myr_fail(MYR_E_ARG, "%s: the batch is of '%s', which is not the model of '%s'", call, batch->model.name, r->path);
    for (int i = 0; i < r->n_fields && status == MYR_OK; i++)
        status = myr_batch_get(batch, r->fields[i].field, r->ids, r->envs, r->type, r->frame + r->fields[i].offset);
    if (status != MYR_OK) return status;
    const uint64_t number = (uint64_t)r->frames;
    memcpy(r->frame, &number, sizeof number);
    const uint64_t checksum = myr_recording_frame_checksum(r);
    memcpy(r->frame + r->frame_bytes - sizeof checksum, &checksum, sizeof checksum);
    const int error = put_at(r->fd, r->frame, r->frame_bytes, myr_recording_place(r, r->frames));
    if (error) {
        if (ftruncate(r->fd, myr_recording_place(r, r->frames)) != 0) errno = 0; /* what is left is less than a frame and is not read */
        return myr_fail(MYR_E_FILE, "cannot record to '%s': %s", r->path, strerror(error));
    }
    r->frames++;
    return MYR_OK;
}

myr_status myr_recording_close(myr_recording *r) {
    MYR_OWN_ARITHMETIC;
    if (!r) return MYR_OK;
    int error = 0;
    if (r->writing && r->pid == (int64_t)getpid()) { /* a child process leaves its parent's file alone */
        myr_recording_end end = {.magic = myr_recording_end_magic(), .frames = (uint64_t)r->frames};
        end.checksum = myr_recording_end_checksum(r, &end);
        error = put_at(r->fd, &end, sizeof end, myr_recording_place(r, r->frames));
        if (!error && fsync(r->fd) != 0) error = errno;
    }
    if (close(r->fd) != 0 && r->writing && !error) error = errno;
    const myr_status status = error ? myr_fail(MYR_E_FILE, "cannot record to '%s': %s", r->path, strerror(error)) : MYR_OK;
    myr_recording_release(r);
    return status;
}
