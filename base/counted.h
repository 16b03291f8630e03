/* Arrays of an object that knows how many bytes it has, all made where it is made. */
#ifndef MYR_BASE_COUNTED_H
#define MYR_BASE_COUNTED_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

/* `count` things of `size` bytes, zero, added to *bytes; *fits falls to 0 where there is no room, and none is asked for after that. */
static inline void *myr_counted_array(size_t *bytes, size_t count, size_t size, int *fits) {
    size_t mine;
    if (__builtin_mul_overflow(count, size, &mine) || mine > SIZE_MAX / 4 || *bytes > SIZE_MAX / 4) *fits = 0;
    if (!*fits) return NULL;
    void *memory = myr_allocate(mine ? mine : 1, 64);
    if (!memory) *fits = 0;
    *bytes += mine;
    return memory;
}

#endif
