/* Where shipped files are: robots/NAME.urdf, profiles/NAME.json. */
#ifndef MYR_BASE_DATA_H
#define MYR_BASE_DATA_H

#include <stddef.h>

#include "base/nearest.h"

/* Look for NAME + suffix, in this order: the directories of the environment variable (separated by ':'); `folder` of
 * the data installed with this library, wherever the installed tree now is; of the source tree it was built from; of the
 * prefix it was built for. 1: `path` (room bytes) has it. 0: not found, and `path` has the places looked in, for the message. */
int myr_data_find(const char *variable, const char *folder, const char *name, const char *suffix, char *path, size_t room);

/* The names that it would find, in the order of letters. */
void myr_data_names(const char *variable, const char *folder, const char *suffix, myr_words *names);

#endif
