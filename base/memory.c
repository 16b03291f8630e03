/* All memory of the library's objects: the allocator hook, zeroed blocks, growing arrays, copies of texts. */
#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "message.h"

static void *allocate_default(size_t bytes, size_t alignment, void *user) {
    (void)user;
    return aligned_alloc(alignment, bytes);
}

static void release_default(void *memory, void *user) {
    (void)user;
    free(memory);
}

static myr_allocator allocator = {allocate_default, release_default, NULL};

void myr_set_allocator(const myr_allocator *wanted) {
    const myr_allocator standard = {allocate_default, release_default, NULL};
    allocator = wanted ? *wanted : standard;
}

static size_t whole_blocks(size_t bytes, size_t alignment) {
    /* aligned_alloc wants whole multiples; an empty array still gets an address of its own */
    return bytes ? (bytes + alignment - 1) / alignment * alignment : alignment;
}

void *myr_allocate_untouched(size_t bytes, size_t alignment) {
    if (alignment < sizeof(void *)) alignment = sizeof(void *);
    if (bytes > SIZE_MAX - alignment) return NULL;
    return allocator.allocate(whole_blocks(bytes, alignment), alignment, allocator.user);
}

/* x86-64's large page. Rows of a tile lie pages apart, and a step goes through all tiles: small pages run out of the processor's table. */
static const size_t large_page = (size_t)2 << 20;

void *myr_allocate_pages(size_t bytes, size_t alignment) {
    return myr_allocate_untouched(bytes, allocator.allocate == allocate_default ? MYR_PAGE_BYTES : alignment);
}

void *myr_allocate_large(size_t bytes, size_t alignment) {
    const int ours = allocator.allocate == allocate_default;
    return myr_allocate_untouched(bytes, ours && bytes >= 2 * large_page ? large_page : alignment);
}

void myr_prefer_large_pages(void *memory, size_t bytes) {
    if (allocator.allocate != allocate_default) return;
    const uintptr_t start = ((uintptr_t)memory + large_page - 1) / large_page * large_page;
    const uintptr_t end = ((uintptr_t)memory + bytes) / large_page * large_page;
    if (start < end) madvise((void *)start, end - start, MADV_HUGEPAGE); /* a wish: a system without them goes on as before */
}

void *myr_allocate(size_t bytes, size_t alignment) {
    void *memory = myr_allocate_untouched(bytes, alignment);
    if (memory) memset(memory, 0, bytes);
    return memory;
}

void myr_release(void *memory) {
    if (memory) allocator.release(memory, allocator.user);
}

void *myr_allocate_array(size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) return NULL;
    return myr_allocate(count * size, _Alignof(max_align_t));
}

char *myr_copy_text(const char *text) {
    const size_t bytes = strlen(text) + 1;
    char *copy = myr_allocate(bytes, 1);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}

int myr_grow(void **items, int *capacity, int count, size_t size) {
    if (count < *capacity) return 1;
    const int wanted = *capacity ? 2 * *capacity : 16;
    void *larger = myr_allocate_array((size_t)wanted, size);
    if (!larger) return 0;
    if (*items) memcpy(larger, *items, (size_t)count * size);
    myr_release(*items);
    *items = larger;
    *capacity = wanted;
    return 1;
}
