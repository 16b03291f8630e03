/* Memory through the allocator hook of status.h. Everything comes zeroed;
 * NULL or 0 means that there was none, and the caller says so with myr_fail(MYR_E_MEMORY, ...). */
#ifndef MYR_BASE_MEMORY_H
#define MYR_BASE_MEMORY_H

#include <stddef.h>

enum { MYR_CACHE_LINE = 64 };

/* The allocator hook of status.h. Memory is zeroed. NULL on failure. myr_release(NULL) is fine. */
void *myr_allocate(size_t bytes, size_t alignment);
/* The same, but not zeroed and not written to: the thread that will use a page is the first to touch it. */
void *myr_allocate_untouched(size_t bytes, size_t alignment);
/* The same, from the beginning of a page on. A caller's allocator is asked for `alignment` alone. */
enum { MYR_PAGE_BYTES = 4096 };
void *myr_allocate_pages(size_t bytes, size_t alignment);
/* The same for what threads will touch piece by piece; placed so that large pages fit in. Each thread then says which piece is its own,
 * before it touches it: only pages that lie wholly within one piece become large, so that no thread's memory comes to lie on another's
 * node. Memory of a caller's allocator is left as it came. */
void *myr_allocate_large(size_t bytes, size_t alignment);
void myr_prefer_large_pages(void *memory, size_t bytes);
void myr_release(void *memory);

void *myr_allocate_array(size_t count, size_t size);
char *myr_copy_text(const char *text);

/* Make room for item number `count` of an array of `size`-byte items; 0 if there is no memory (nothing changed). */
int myr_grow(void **items, int *capacity, int count, size_t size);

#endif
