/* Names of files that are not whole yet, and what killed processes left of them. */
#ifndef MYRIAPOD_CLI_TEMPORARY_H
#define MYRIAPOD_CLI_TEMPORARY_H

#include <stddef.h>

/* A name beside `target` that nobody uses, owned by the caller: target.tmp-HOME-PID-N. HOME stands for this running kernel and its process
 * ids, PID for this process. Removes the temporary files of the same target whose process is no more: those of this HOME at once, those of
 * another (another machine, or this one before it was started anew) when nobody has written to them for a week. The library names its
 * files so too, and a `--save` that was killed may leave both. */
char *temporary_beside(const char *target);

/* Length of the target's name in such a name. */
size_t temporary_stem(const char *name);

#endif
