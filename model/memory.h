/* Memory through the allocator hook of status.h (myr_allocate, myr_release: model.h). Everything comes zeroed;
 * NULL or 0 means that there was none, and the caller says so with myr_fail(MYR_E_MEMORY, ...). */
#ifndef MYR_MODEL_MEMORY_H
#define MYR_MODEL_MEMORY_H

#include <stddef.h>

#include "model.h"

void *myr_allocate_array(size_t count, size_t size);
char *myr_copy_text(const char *text);

/* Make room for item number `count` of an array of `size`-byte items; 0 if there is no memory (nothing changed). */
int myr_grow(void **items, int *capacity, int count, size_t size);

#endif
