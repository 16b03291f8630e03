/* Archives as NumPy writes and reads them: members as they are, or deflated by zlib. What an archive claims of a member is compared with
 * the bytes that it has of it: deflate makes at most 1032 bytes of one, so that a small file cannot ask for much memory. */
#include <limits.h>
#include <string.h>
#include <zlib.h>

#include "files.h"
#include "base/memory.h"

enum { LOCAL = 30, CENTRAL = 46, END = 22, LONGEST_COMMENT = 65535, MOST_RATIO = 1032 };
#define LOCAL_MARK UINT32_C(0x04034b50)
#define CENTRAL_MARK UINT32_C(0x02014b50)
#define END_MARK UINT32_C(0x06054b50)

static void *take(void *unused, unsigned count, unsigned size) {
    (void)unused;
    return myr_allocate_array(count, size);
}
static void give(void *unused, void *memory) {
    (void)unused;
    myr_release(memory);
}

/* ---- reading --------------------------------------------------------------------------------------------------------------------- */

/* The record at the end, in front of a comment; 0: there is none. A file of no record could not be as long as one. */
static size_t find_end(const myr_bytes *file) {
    for (size_t back = END; back <= file->length && back <= END + LONGEST_COMMENT; back++) {
        const unsigned char *at = file->at + (file->length - back);
        if (myr_read_u32(at) == END_MARK && myr_read_u16(at + 20) == back - END) return file->length - back + 1;
    }
    return 0;
}

/* One entry of the directory, at `at`; *next: behind it. */
static myr_status read_entry(const myr_bytes *file, size_t at, size_t end, myr_zip_member *out, size_t *next) {
    const char *label = file->label;
    if (end - at < CENTRAL || myr_read_u32(file->at + at) != CENTRAL_MARK)
        return myr_fail(MYR_E_FORMAT, "%.1000s: byte %zu: the archive's directory ends too early", label, at);
    const unsigned char *entry = file->at + at;
    const unsigned flags = myr_read_u16(entry + 8);
    const size_t name = myr_read_u16(entry + 28), local = myr_read_u32(entry + 42);
    *next = at + CENTRAL + name + myr_read_u16(entry + 30) + myr_read_u16(entry + 32);
    if (*next > end) return myr_fail(MYR_E_FORMAT, "%.1000s: byte %zu: the archive's directory ends too early", label, at);
    out->method = myr_read_u16(entry + 10), out->crc = myr_read_u32(entry + 16);
    out->packed = myr_read_u32(entry + 20), out->size = myr_read_u32(entry + 24);
    const size_t kept = name < sizeof out->name ? name : sizeof out->name - 1;
    memcpy(out->name, entry + CENTRAL, kept);
    out->name[kept] = '\0';
    if (flags & 1) return myr_fail(MYR_E_FORMAT, "%.1000s: `%s` is encrypted", label, out->name);
    if (out->method != 0 && out->method != 8)
        return myr_fail(MYR_E_FORMAT, "%.1000s: `%s` is packed by method %d; 0 and 8 (deflate) are read", label, out->name, out->method);
    if (out->packed == UINT32_MAX || out->size == UINT32_MAX)
        return myr_fail(MYR_E_LIMIT, "%.1000s: `%s` has 4 GiB or more", label, out->name);
    if (local > file->length || file->length - local < LOCAL || myr_read_u32(file->at + local) != LOCAL_MARK)
        return myr_fail(MYR_E_FORMAT, "%.1000s: `%s` does not begin where the directory says", label, out->name);
    const size_t data = local + LOCAL + myr_read_u16(file->at + local + 26) + myr_read_u16(file->at + local + 28);
    if (data > file->length || out->packed > file->length - data)
        return myr_fail(MYR_E_FORMAT, "%.1000s: `%s` ends behind the file", label, out->name);
    if (out->method ? out->size > MOST_RATIO * out->packed : out->size != out->packed)
        return myr_fail(MYR_E_FORMAT, "%.1000s: `%s` claims %llu bytes, which %llu packed ones cannot give", label, out->name,
                        (unsigned long long)out->size, (unsigned long long)out->packed);
    out->data = file->at + data;
    return MYR_OK;
}

myr_status myr_zip_list(const myr_bytes *file, myr_zip_member *members, int most, int *n) {
    const size_t found = find_end(file);
    if (!found)
        return myr_fail(MYR_E_FORMAT, "%.1000s: it is not a whole archive (.npz): its last bytes are not the record of one", file->label);
    const size_t record = found - 1;
    const int count = myr_read_u16(file->at + record + 10);
    size_t at = myr_read_u32(file->at + record + 16);
    if (at > record) return myr_fail(MYR_E_FORMAT, "%.1000s: byte %zu: its directory begins behind the file", file->label, record + 16);
    if (count > most) return myr_fail(MYR_E_LIMIT, "%.1000s: it has %d members; a map has at most %d", file->label, count, most);
    for (*n = 0; *n < count; ++*n) {
        const myr_status status = read_entry(file, at, record, &members[*n], &at);
        if (status) return status;
    }
    return MYR_OK;
}

static myr_status inflate_member(const char *label, const myr_zip_member *member, unsigned char *out, size_t length) {
    z_stream z = {.zalloc = take, .zfree = give};
    z.next_in = (unsigned char *)(uintptr_t)member->data, z.avail_in = (unsigned)member->packed;
    z.next_out = out, z.avail_out = (unsigned)length;
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK) return myr_fail(MYR_E_MEMORY, "%.1000s: out of memory", label);
    const int ended = inflate(&z, Z_SYNC_FLUSH);
    const size_t got = length - z.avail_out;
    inflateEnd(&z);
    if (ended == Z_MEM_ERROR) return myr_fail(MYR_E_MEMORY, "%.1000s: out of memory", label);
    if ((ended != Z_OK && ended != Z_STREAM_END && ended != Z_BUF_ERROR) || got != length)
        return myr_fail(MYR_E_FORMAT, "%.1000s: `%s` is broken: %zu of %llu bytes came out of it", label, member->name, got,
                        (unsigned long long)member->size);
    return MYR_OK;
}

myr_status myr_zip_unpack(const char *label, const myr_zip_member *member, unsigned char *out, size_t length) {
    myr_status status = MYR_OK;
    if (member->method)
        status = inflate_member(label, member, out, length);
    else
        memcpy(out, member->data, length);
    if (!status && length == member->size && crc32(crc32(0, NULL, 0), out, (unsigned)length) != member->crc)
        status = myr_fail(MYR_E_FORMAT, "%.1000s: `%s` is broken: its sum (CRC) is not what the archive says", label, member->name);
    return status;
}

/* ---- writing --------------------------------------------------------------------------------------------------------------------- */

static void put(unsigned char *at, uint32_t value, int bytes) {
    for (int k = 0; k < bytes; k++) at[k] = (unsigned char)(value >> 8 * k);
}

static int make_room(unsigned char **bytes, size_t *capacity, size_t used, size_t more) {
    if (used + more <= *capacity) return 1;
    size_t larger = *capacity ? 2 * *capacity : 1 << 16;
    while (larger < used + more) larger *= 2;
    unsigned char *moved = myr_allocate(larger, 1);
    if (!moved) return 0;
    if (used) memcpy(moved, *bytes, used);
    myr_release(*bytes);
    *bytes = moved, *capacity = larger;
    return 1;
}

/* Both parts, one behind the other, to `out`; bytes, 0: out of memory. */
static size_t deflate_parts(unsigned char *out, size_t room, const void *head, size_t head_length, const void *data, size_t length) {
    z_stream z = {.zalloc = take, .zfree = give};
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    z.next_out = out, z.avail_out = (unsigned)room;
    z.next_in = (unsigned char *)(uintptr_t)head, z.avail_in = (unsigned)head_length;
    int done = deflate(&z, Z_NO_FLUSH);
    z.next_in = (unsigned char *)(uintptr_t)data, z.avail_in = (unsigned)length;
    if (done == Z_OK) done = deflate(&z, Z_FINISH);
    const size_t packed = room - z.avail_out;
    deflateEnd(&z);
    return done == Z_STREAM_END ? packed : 0;
}

int myr_zip_add(myr_zip *zip, const char *name, const void *head, size_t head_length, const void *data, size_t length) {
    const size_t label = strlen(name), size = head_length + length, most = size + size / 1000 + 1024;
    if (!make_room(&zip->bytes, &zip->capacity, zip->length, LOCAL + label + most)) return 0;
    if (!make_room(&zip->directory, &zip->directory_capacity, zip->directory_length, CENTRAL + label)) return 0;
    unsigned char *local = zip->bytes + zip->length, *entry = zip->directory + zip->directory_length;
    const size_t packed = deflate_parts(local + LOCAL + label, most, head, head_length, data, length);
    if (!packed) return 0;
    uint32_t crc = (uint32_t)crc32(crc32(0, NULL, 0), head, (unsigned)head_length);
    if (length) crc = (uint32_t)crc32(crc, data, (unsigned)length);
    memset(local, 0, LOCAL), memset(entry, 0, CENTRAL);
    put(local, LOCAL_MARK, 4), put(entry, CENTRAL_MARK, 4), put(entry + 4, 20, 2);
    unsigned char *const shared[2] = {local + 4, entry + 6}; /* what both say, in the same order */
    for (int k = 0; k < 2; k++) {
        put(shared[k], 20, 2), put(shared[k] + 4, 8, 2); /* version 2.0 reads it; deflated */
        put(shared[k] + 8, (1 << 5) | 1, 2);             /* always the first day that the format knows: one map is one file */
        put(shared[k] + 10, crc, 4), put(shared[k] + 14, (uint32_t)packed, 4), put(shared[k] + 18, (uint32_t)size, 4);
        put(shared[k] + 22, (uint32_t)label, 2);
    }
    put(entry + 42, (uint32_t)zip->length, 4);
    memcpy(local + LOCAL, name, label), memcpy(entry + CENTRAL, name, label);
    zip->length += LOCAL + label + packed, zip->directory_length += CENTRAL + label;
    zip->n++;
    return 1;
}

int myr_zip_finish(myr_zip *zip) {
    if (!make_room(&zip->bytes, &zip->capacity, zip->length, zip->directory_length + END)) return 0;
    const size_t begin = zip->length;
    memcpy(zip->bytes + begin, zip->directory, zip->directory_length);
    unsigned char *record = zip->bytes + begin + zip->directory_length;
    memset(record, 0, END);
    put(record, END_MARK, 4), put(record + 8, (uint32_t)zip->n, 2), put(record + 10, (uint32_t)zip->n, 2);
    put(record + 12, (uint32_t)zip->directory_length, 4), put(record + 16, (uint32_t)begin, 4);
    zip->length = begin + zip->directory_length + END;
    return 1;
}

void myr_zip_free(myr_zip *zip) {
    myr_release(zip->bytes), myr_release(zip->directory);
    *zip = (myr_zip){.bytes = NULL};
}
