/* Reading files whole. */
#ifndef MYR_BASE_FILE_H
#define MYR_BASE_FILE_H

#include <stddef.h>

#include "base/message.h"

/* The whole file, up to the most that readers of text take and one byte more, so that they can say so. *text is the caller's
 * (myr_release). */
myr_status myr_read_file(const char *path, char **text, size_t *length);

/* All of a regular file of at most 1 GiB, and a 0 behind it: data, where the other call is for text. *text is the caller's, whatever the
 * status (myr_release). */
myr_status myr_read_whole(const char *path, char **text, size_t *length);

#endif
