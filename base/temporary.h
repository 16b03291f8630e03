/* Names of files that are not whole yet, and what killed processes left of them. */
#ifndef MYR_BASE_TEMPORARY_H
#define MYR_BASE_TEMPORARY_H

#include <stddef.h>

/* An unused name beside `file`: file.tmp-HOME-PID-N. HOME stands for this running kernel and its process ids, PID for this process.
 * Removes temporary files of the same file that ended processes left. Those of this HOME go at once. Those of another HOME (another
 * machine, or this one before its last start) go when they have not been written to for a week. A temporary file may have a temporary file
 * of its own, whose name has a second mark; a killed process may leave both. 0: the name has no room in `room` bytes. */
int myr_temporary_beside(const char *file, char *name, size_t room);

/* Length of the file's name in such a name. */
size_t myr_temporary_stem(const char *name);

#endif
