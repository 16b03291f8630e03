/* Where to write so that a path never holds half a file. */
#ifndef MYR_BASE_TARGET_H
#define MYR_BASE_TARGET_H

#include <limits.h>
#include <sys/types.h>

#include "base/message.h"

/* Beside `path` under another name, to be renamed to `file` when it is whole. What exists and is not a regular file (a device, a
 * pipe) must not be replaced: `temporary` is "" then, and `file` is written to directly. Links stay links. */
typedef struct myr_target {
    char file[PATH_MAX], temporary[PATH_MAX];
    mode_t mode; /* of the file that is replaced; 0: there is none */
} myr_target;

/* Choose them (base/temporary.h). */
myr_status myr_target_choose(const char *path, myr_target *target);

#endif
