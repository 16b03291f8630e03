/* Reading files whole. */
#ifndef MYR_MODEL_FILE_H
#define MYR_MODEL_FILE_H

#include <stddef.h>

#include "model.h"

/* The whole file, up to the most that readers of text take and one byte more, so that they can say so. *text is the caller's
 * (myr_release). */
myr_status myr_read_file(const char *path, char **text, size_t *length);

#endif
