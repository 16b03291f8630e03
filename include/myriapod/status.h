/* How a call ended. Every call that can fail returns a myr_status; the words that go with it
 * (file, line, element, argument) are in myr_message(). Nothing is ever printed by the library. */
#ifndef MYRIAPOD_STATUS_H
#define MYRIAPOD_STATUS_H

#include <stddef.h>

#if defined(__GNUC__)
#define MYR_API __attribute__((visibility("default")))
#else
#define MYR_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* "The call failed" (negative: nothing was changed) is a different thing from "the solver did not
 * converge" or "an environment is quarantined": those are measured per environment, see batch.h. */
typedef enum myr_status {
    MYR_OK = 0,
    MYR_E_ARG = -1,    /* an argument, a setting or a key is wrong: the message names it */
    MYR_E_MEMORY = -2, /* out of memory */
    MYR_E_ISA = -3,    /* this processor or system lacks the instruction set that was asked for */
    MYR_E_FILE = -4,   /* a file cannot be opened, read or written */
    MYR_E_FORMAT = -5, /* what a file says is wrong: the message names file, line and element */
    MYR_E_LIMIT = -6,  /* more than this build can hold (see limits in the message) */
    MYR_E_FORK = -7,   /* the batch belongs to another process (its threads did not follow the fork) */
    MYR_E_STATE = -8   /* the object is not in a state in which this call makes sense */
} myr_status;

/* One lower-case phrase for a status, never NULL. Threads: any. */
MYR_API const char *myr_status_text(myr_status status);

/* The message of the last call that failed in this thread; "" if none did. Valid until the next
 * failing call of the same thread. */
MYR_API const char *myr_message(void);

/* Version of the library, "major.minor.patch". */
MYR_API const char *myr_version(void);
/* Version of the math library it computes with. The same bits are promised per pair of these two. */
MYR_API const char *myr_math_version(void);

/* Say where memory comes from. alignment is a power of two (64 for tiles); free_memory gets what allocate
 * gave. Set before the first object is created; NULL restores the default (aligned_alloc, free). */
typedef struct myr_allocator {
    void *(*allocate)(size_t bytes, size_t alignment, void *user);
    void (*release)(void *memory, void *user);
    void *user;
} myr_allocator;
MYR_API void myr_set_allocator(const myr_allocator *allocator);

#ifdef __cplusplus
}
#endif
#endif
