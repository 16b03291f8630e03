/* Names of files that are not whole yet, and what killed processes left of them. */
#ifndef MYR_BASE_TEMPORARY_H
#define MYR_BASE_TEMPORARY_H

#include <stddef.h>

/* An unused name beside `file`: file.tmp-HOME-PID-N. HOME stands for this running kernel and its process ids, PID for this
 * process. Removes the temporary files of the same file whose process is no more: those of this HOME at once, those of another (another
 * machine, or this one before it was started anew) when nobody has written to them for a week. Who writes to a temporary file may make
 * another beside it, with a mark more, and both may be left. 0: the name has no room in `room` bytes. */
int myr_temporary_beside(const char *file, char *name, size_t room);

/* Length of the file's name in such a name. */
size_t myr_temporary_stem(const char *name);

#endif
