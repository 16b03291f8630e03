/* An allocator that counts what lives, and of which one call may fail. */
#ifndef MYR_TESTS_SUPPORT_FAILING_MEMORY_H
#define MYR_TESTS_SUPPORT_FAILING_MEMORY_H

#include <stdlib.h>

#include "myriapod/status.h"

typedef struct ledger {
    int live, calls, fails_at; /* fails_at 0: never */
} ledger;

static inline void *count_allocation(size_t bytes, size_t alignment, void *user) {
    ledger *l = user;
    if (++l->calls == l->fails_at) return NULL;
    void *memory = aligned_alloc(alignment, bytes);
    l->live += memory != NULL;
    return memory;
}

static inline void count_release(void *memory, void *user) {
    ledger *l = user;
    l->live--;
    free(memory);
}

#endif
