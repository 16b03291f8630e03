#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_CLOEXEC */
#endif
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"

enum { MYR_MAX_FILE_BYTES = (32 << 20) + 1 }; /* one more than the reader takes, so that it can say so */
enum { MOST_MIB = 1024 };

myr_status myr_read_file(const char *path, char **text, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) return myr_fail(MYR_E_FILE, "cannot open `%.1000s`: %s", path, strerror(errno));
    size_t capacity = 1 << 16, used = 0;
    myr_status status = MYR_OK;
    char *buffer = myr_allocate(capacity, 1);
    while (buffer) {
        used += fread(buffer + used, 1, capacity - used, file);
        if (used < capacity || capacity >= MYR_MAX_FILE_BYTES) break;
        char *larger = myr_allocate(2 * capacity, 1);
        if (larger) memcpy(larger, buffer, used);
        myr_release(buffer);
        buffer = larger;
        capacity *= 2;
    }
    if (!buffer)
        status = myr_fail(MYR_E_MEMORY, "out of memory while reading `%.1000s`", path);
    else if (ferror(file))
        status = myr_fail(MYR_E_FILE, "cannot read `%.1000s`: %s", path, strerror(errno));
    fclose(file);
    if (status) {
        myr_release(buffer);
        return status;
    }
    *text = buffer;
    *length = used;
    return MYR_OK;
}

/* O_NONBLOCK: a pipe that takes the file's place is not waited for. */
myr_status myr_read_whole(const char *path, char **text, size_t *length) {
    struct stat what;
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return myr_fail(MYR_E_FILE, "cannot open `%.1000s`: %s", path, strerror(errno));
    myr_status status = MYR_OK;
    if (fstat(file, &what) || !S_ISREG(what.st_mode))
        status = myr_fail(MYR_E_FILE, "`%.1000s` is not a file", path);
    else if (what.st_size > (off_t)MOST_MIB << 20)
        status = myr_fail(MYR_E_LIMIT, "`%.1000s` has more than %d MiB", path, MOST_MIB);
    const size_t size = status ? 0 : (size_t)what.st_size;
    size_t used = 0;
    if (!status && !(*text = myr_allocate(size + 1, 1))) status = myr_fail(MYR_E_MEMORY, "out of memory while reading `%.1000s`", path);
    while (!status && used < size) {
        const ssize_t got = read(file, *text + used, size - used);
        if (got == 0) break; /* it became shorter */
        if (got > 0)
            used += (size_t)got;
        else if (errno != EINTR)
            status = myr_fail(MYR_E_FILE, "cannot read `%.1000s`: %s", path, strerror(errno));
    }
    close(file);
    *length = used;
    return status;
}
