/* Numbers: of flags, and in order. */
#ifndef MYRIAPOD_CLI_NUMBERS_H
#define MYRIAPOD_CLI_NUMBERS_H

#include <stdint.h>

/* A whole number of 1 to `most` that stands behind a flag; anything else ends the program with bad usage. */
int64_t cli_whole(const char *flag, const char *word, int64_t most);
/* For qsort, of doubles. */
static inline int cli_ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

#endif
