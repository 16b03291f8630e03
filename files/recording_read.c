#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch/batch.h"
#include "base/checksum.h"
#include "files/recording.h"
#include "base/memory.h"

enum { MOST_LINES_BYTES = 1 << 16, MOST_COMPONENTS = 1 << 24 };

static myr_status unreadable(const myr_recording *r) { return myr_fail(MYR_E_FILE, "cannot read '%s': %s", r->path, strerror(errno)); }
static myr_status damaged(const myr_recording *r, const char *where) {
    return myr_fail(MYR_E_FORMAT, "'%s' is damaged: %s", r->path, where);
}

/* How many of n bytes there are at a place; -1: errno. */
static ssize_t get_at(int fd, void *bytes, size_t n, off_t place) {
    size_t done = 0;
    while (done < n) {
        const ssize_t got = pread(fd, (char *)bytes + done, n - done, place + (off_t)done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

/* ---- the head ------------------------------------------------------------------------------------------------------- */

typedef struct lines {
    char *at; /* the next line */
} lines;

/* The next line, its end made 0; NULL: there is none. */
static char *next_line(lines *l) {
    char *line = l->at, *end = strchr(line, '\n');
    if (!end) return NULL;
    *end = '\0';
    l->at = end + 1;
    return line;
}

/* What follows `key ` in the next line; NULL: it is another line. */
static char *value_of(lines *l, const char *key) {
    char *line = next_line(l);
    const size_t n = strlen(key);
    return line && strncmp(line, key, n) == 0 && line[n] == ' ' ? line + n + 1 : NULL;
}

/* A whole number of at most 18 digits, or -1. */
static int64_t whole(const char *text) {
    const size_t n = text ? strspn(text, "0123456789") : 0;
    if (n < 1 || n > 18 || text[n] != '\0') return -1;
    int64_t value = 0;
    for (size_t i = 0; i < n; i++) value = 10 * value + (text[i] - '0');
    return value;
}

/* Lines `field NAME COMPONENTS` up to `end`. */
static myr_status read_fields(myr_recording *r, lines *l) {
    size_t most = 0;
    for (const char *c = l->at; (c = strchr(c, '\n')) != NULL; c++) most++;
    r->fields = myr_allocate((most + 1) * sizeof *r->fields, MYR_ROW_BYTES);
    if (!r->fields) return myr_fail(MYR_E_MEMORY, "'%s': no memory for its fields", r->path);
    for (char *line = next_line(l); line; line = next_line(l)) {
        if (strcmp(line, "end") == 0) return r->n_fields > 0 ? MYR_OK : damaged(r, "it has no field");
        myr_recording_field *field = &r->fields[r->n_fields];
        char *name = strncmp(line, "field ", 6) == 0 ? line + 6 : NULL;
        char *space = name ? strchr(name, ' ') : NULL;
        const int64_t components = space ? whole(space + 1) : -1;
        if (!space || space == name || space - name >= MYR_RECORDING_WORD || components < 1 || components > MOST_COMPONENTS)
            return damaged(r, "a line of its head is not `field NAME NUMBERS`");
        *space = '\0';
        memcpy(field->name, name, (size_t)(space - name) + 1);
        field->components = (int)components;
        r->n_fields++;
    }
    return damaged(r, "its head has no end");
}

static myr_status read_lines(myr_recording *r, lines *l) {
    static const char *const words[] = {"library", "math", "model", "model-hash"};
    const size_t product = strlen("MYRIAPOD RECORDING ");
    const char *magic = next_line(l);
    if (!magic || strncmp(magic, MYR_RECORDING_MAGIC, product) != 0)
        return myr_fail(MYR_E_FORMAT, "'%s' is not a recording: it does not begin with '%s'", r->path, MYR_RECORDING_MAGIC);
    if (strcmp(magic, MYR_RECORDING_MAGIC) != 0)
        return myr_fail(MYR_E_FORMAT, "'%s' has format '%s', this library reads format '%s'", r->path, magic + product,
                        &MYR_RECORDING_MAGIC[product]);
    for (int i = 0; i < 4; i++) {
        const char *value = value_of(l, words[i]);
        if (!value) return damaged(r, "its head does not say where it comes from");
        r->words[i] = myr_copy_text(value);
        if (!r->words[i]) return myr_fail(MYR_E_MEMORY, "'%s': no memory for its head", r->path);
    }
    r->first_env = whole(value_of(l, "first-env"));
    const char *type = value_of(l, "type");
    if (type) r->type = strcmp(type, "f32") == 0 ? MYR_F32 : strcmp(type, "f64") == 0 ? MYR_F64 : 0;
    r->envs = whole(value_of(l, "envs"));
    if (r->first_env < 0 || !r->type || r->envs < 1) return damaged(r, "its head does not say of what environments it is");
    return read_fields(r, l);
}

/* What follows the lines: frame_s, ids, checksum. `text` are the lines as they were, `size` the file's. */
static myr_status read_ids(myr_recording *r, const char *text, size_t text_bytes, int64_t size) {
    if (r->envs > size / (int64_t)sizeof *r->ids) return damaged(r, "it ends in its head");
    const size_t ids_bytes = (size_t)r->envs * sizeof *r->ids;
    r->ids = myr_allocate(ids_bytes, MYR_ROW_BYTES);
    if (!r->ids) return myr_fail(MYR_E_MEMORY, "'%s': no memory for %lld ids", r->path, (long long)r->envs);
    const off_t at = (off_t)text_bytes;
    uint64_t checksum;
    const off_t after = at + (off_t)(sizeof r->frame_s + ids_bytes);
    if (get_at(r->fd, &r->frame_s, sizeof r->frame_s, at) != sizeof r->frame_s ||
        get_at(r->fd, r->ids, ids_bytes, at + (off_t)sizeof r->frame_s) != (ssize_t)ids_bytes ||
        get_at(r->fd, &checksum, sizeof checksum, after) != sizeof checksum)
        return damaged(r, "it ends in its head");
    r->head_checksum = myr_checksum(MYR_CHECKSUM_START, text, text_bytes);
    r->head_checksum = myr_checksum(r->head_checksum, &r->frame_s, sizeof r->frame_s);
    r->head_checksum = myr_checksum(r->head_checksum, r->ids, ids_bytes);
    r->head_bytes = (size_t)after + sizeof checksum;
    return checksum == r->head_checksum ? MYR_OK : damaged(r, "the checksum of its head is wrong");
}

static myr_status read_head(myr_recording *r, int64_t size) {
    char *text = myr_allocate(2 * (MOST_LINES_BYTES + 1), MYR_ROW_BYTES), *cut = text ? text + MOST_LINES_BYTES + 1 : NULL;
    if (!text) return myr_fail(MYR_E_MEMORY, "'%s': no memory for its head", r->path);
    const ssize_t got = get_at(r->fd, text, MOST_LINES_BYTES, 0);
    myr_status status = got < 0 ? unreadable(r) : MYR_OK;
    if (status == MYR_OK) {
        text[got] = '\0';
        memcpy(cut, text, (size_t)got + 1);
        lines l = {cut};
        status = read_lines(r, &l);
        if (status == MYR_OK) status = read_ids(r, text, (size_t)(l.at - cut), size);
    }
    myr_release(text);
    return status;
}

/* ---- open ----------------------------------------------------------------------------------------------------------- */

/* How many frames are there, and what comes after them: the end, part of a frame, or nothing. */
static myr_status count_frames(myr_recording *r, int64_t size) {
    const int64_t bytes = size - (int64_t)r->head_bytes;
    r->frames = bytes / (int64_t)r->frame_bytes;
    const size_t rest = (size_t)(bytes % (int64_t)r->frame_bytes);
    myr_recording_end end;
    const size_t wanted = rest < sizeof end ? rest : sizeof end;
    if (get_at(r->fd, &end, wanted, myr_recording_place(r, r->frames)) != (ssize_t)wanted) return unreadable(r);
    if (rest < sizeof end.magic || end.magic == (uint64_t)r->frames) return MYR_OK; /* it stops early */
    if (end.magic != myr_recording_end_magic()) return damaged(r, "what follows its last whole frame is neither a frame nor its end");
    if (rest < sizeof end) return MYR_OK;
    if (rest > sizeof end || end.frames != (uint64_t)r->frames || end.checksum != myr_recording_end_checksum(r, &end))
        return damaged(r, "its end does not fit what is before");
    r->complete = 1;
    return MYR_OK;
}

static myr_status open_file(myr_recording *r) {
    struct stat s;
    r->fd = open(r->path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0 || fstat(r->fd, &s) != 0) return unreadable(r);
    if (!S_ISREG(s.st_mode)) return myr_fail(MYR_E_FILE, "cannot read '%s': it is not a regular file", r->path);
    myr_status status = read_head(r, s.st_size);
    if (status == MYR_OK) status = myr_recording_lay_out(r);
    if (status == MYR_OK) status = count_frames(r, s.st_size);
    if (status == MYR_OK && r->frames > 0) status = myr_recording_allocate_frame(r);
    return status;
}

myr_status myr_recording_open(const char *path, myr_recording **out) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_recording_open";
    if (!out) return myr_fail(MYR_E_ARG, "%s: out is NULL", call);
    *out = NULL;
    if (!path || !*path) return myr_fail(MYR_E_ARG, "%s: no file is named", call);
    myr_recording *r = myr_allocate(sizeof *r, MYR_ROW_BYTES);
    if (!r) return myr_fail(MYR_E_MEMORY, "no memory for a recording");
    r->fd = -1;
    r->path = myr_copy_text(path);
    const myr_status status = r->path ? open_file(r) : myr_fail(MYR_E_MEMORY, "no memory for a recording");
    if (status == MYR_OK) {
        *out = r;
        return MYR_OK;
    }
    if (r->fd >= 0) close(r->fd);
    myr_recording_release(r);
    return status;
}

/* ---- what is in it -------------------------------------------------------------------------------------------------- */

void myr_recording_get_info(const myr_recording *r, myr_recording_info *info) {
    *info = (myr_recording_info){0};
    if (!r) return;
    *info = (myr_recording_info){
        .frames = r->frames,
        .envs = r->envs,
        .n_fields = r->n_fields,
        .type = r->type,
        .frame_s = r->frame_s,
        .complete = r->complete,
        .first_env = r->first_env,
        .ids = r->ids,
        .library = r->words[0] ? r->words[0] : "",
        .math = r->words[1] ? r->words[1] : "",
        .model = r->words[2] ? r->words[2] : "",
        .model_hash = r->words[3] ? r->words[3] : "",
    };
}

static myr_status check_field(const myr_recording *r, const char *call, int field) {
    if (!r) return myr_fail(MYR_E_ARG, "%s: recording is NULL", call);
    if (field < 0 || field >= r->n_fields)
        return myr_fail(MYR_E_ARG, "%s: field is %d, but '%s' has %d", call, field, r->path, r->n_fields);
    return MYR_OK;
}

myr_status myr_recording_get_field(const myr_recording *r, int field, const char **name, int *components) {
    MYR_OWN_ARITHMETIC;
    const myr_status status = check_field(r, "myr_recording_get_field", field);
    if (status != MYR_OK) return status;
    if (name) *name = r->fields[field].name;
    if (components) *components = r->fields[field].components;
    return MYR_OK;
}

static myr_status load_frame(myr_recording *r, int64_t frame) {
    uint64_t number, checksum;
    const ssize_t got = get_at(r->fd, r->frame, r->frame_bytes, myr_recording_place(r, frame));
    if (got < 0) return unreadable(r);
    if (got == (ssize_t)r->frame_bytes) {
        memcpy(&number, r->frame, sizeof number);
        memcpy(&checksum, r->frame + r->frame_bytes - sizeof checksum, sizeof checksum);
        if (number == (uint64_t)frame && checksum == myr_recording_frame_checksum(r)) return MYR_OK;
    }
    return myr_fail(MYR_E_FORMAT, "'%s' is damaged: the checksum of frame %lld is wrong", r->path, (long long)frame);
}

static void convert(const void *from, myr_type from_type, void *to, myr_type to_type, size_t n) {
    if (from_type == to_type)
        memcpy(to, from, n * (size_t)from_type);
    else if (from_type == MYR_F32)
        for (size_t i = 0; i < n; i++) ((double *)to)[i] = ((const float *)from)[i];
    else
        for (size_t i = 0; i < n; i++) ((float *)to)[i] = (float)((const double *)from)[i];
}

myr_status myr_recording_read(myr_recording *r, int field, int64_t first, int64_t n, myr_type type, void *out) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_recording_read";
    myr_status status = check_field(r, call, field);
    if (status != MYR_OK) return status;
    if (r->writing) return myr_fail(MYR_E_STATE, "%s: '%s' is being written", call, r->path);
    if (type != MYR_F32 && type != MYR_F64) return myr_fail(MYR_E_ARG, "%s: type is %d, but must be MYR_F32 or MYR_F64", call, (int)type);
    if (first < 0 || n < 0 || first > r->frames || n > r->frames - first)
        return myr_fail(MYR_E_ARG, "%s: %lld frames from %lld on, but '%s' has %lld", call, (long long)n, (long long)first, r->path,
                        (long long)r->frames);
    if (!out && n > 0) return myr_fail(MYR_E_ARG, "%s: out is NULL", call);
    const size_t count = (size_t)r->envs * (size_t)r->fields[field].components;
    for (int64_t i = 0; i < n; i++) {
        status = load_frame(r, first + i);
        if (status != MYR_OK) return status;
        convert(r->frame + r->fields[field].offset, r->type, (char *)out + (size_t)i * count * (size_t)type, type, count);
    }
    return MYR_OK;
}
