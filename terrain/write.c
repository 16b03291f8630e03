/* A file that is whole or not there: written beside its name, then renamed. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temporary.h"
#include "files.h"

static int write_all(int file, const char *bytes, size_t length) {
    while (length) {
        const ssize_t done = write(file, bytes, length < 1 << 24 ? length : 1 << 24);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return 0;
        bytes += done, length -= (size_t)done;
    }
    return 1;
}

myr_status myr_write_whole(const char *path, const void *bytes, size_t length) {
    char target[PATH_MAX], temporary[PATH_MAX] = "";
    struct stat s;
    const int exists = stat(path, &s) == 0, regular = exists && S_ISREG(s.st_mode);
    if (regular && !realpath(path, target)) return myr_fail(MYR_E_FILE, "cannot write `%.1000s`: %s", path, strerror(errno));
    if (!regular && snprintf(target, sizeof target, "%s", path) >= (int)sizeof target)
        return myr_fail(MYR_E_FILE, "cannot write `%.200s...`: %s", path, strerror(ENAMETOOLONG));
    /* a device or a pipe is written to; a file behind a link is replaced where it is */
    if ((!exists || regular) && !myr_temporary_beside(target, temporary, sizeof temporary))
        return myr_fail(MYR_E_FILE, "cannot write `%.200s...`: %s", path, strerror(ENAMETOOLONG));
    const char *name = *temporary ? temporary : target;
    const int file = open(name, O_WRONLY | O_CLOEXEC | (*temporary ? O_CREAT | O_EXCL : 0), 0666);
    if (file < 0) return myr_fail(MYR_E_FILE, "cannot write `%.1000s`: %s", path, strerror(errno));
    int ok = write_all(file, bytes, length);
    if (ok && regular) ok = fchmod(file, s.st_mode & 07777) == 0;
    if (ok && *temporary) ok = fsync(file) == 0;
    int error = errno;
    if (close(file) && ok) ok = 0, error = errno;
    if (ok && *temporary && rename(temporary, target)) ok = 0, error = errno;
    if (!ok && *temporary) unlink(temporary);
    return ok ? MYR_OK : myr_fail(MYR_E_FILE, "cannot write `%.1000s`: %s", path, strerror(error));
}
