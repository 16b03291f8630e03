#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"

enum { MYR_MAX_FILE_BYTES = (32 << 20) + 1 }; /* one more than the reader takes, so that it can say so */

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
