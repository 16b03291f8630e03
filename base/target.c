#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/temporary.h"

myr_status myr_target_choose(const char *path, myr_target *target) {
    struct stat s;
    target->temporary[0] = '\0';
    target->mode = 0;
    const int exists = stat(path, &s) == 0;
    if (exists && S_ISREG(s.st_mode)) {
        if (!realpath(path, target->file))
            return myr_fail(MYR_E_FILE, "cannot save to '%s': %s", path, strerror(errno)); /* links stay links */
        target->mode = s.st_mode & 07777;
    } else if (snprintf(target->file, PATH_MAX, "%s", path) >= PATH_MAX)
        return myr_fail(MYR_E_FILE, "cannot save to '%.200s...': %s", path, strerror(ENAMETOOLONG));
    if (exists && !S_ISREG(s.st_mode)) return MYR_OK;
    if (!myr_temporary_beside(target->file, target->temporary, PATH_MAX))
        return myr_fail(MYR_E_FILE, "cannot save to '%.200s...': %s", path, strerror(ENAMETOOLONG));
    return MYR_OK;
}
