/* FNV-1a-64: start with MYR_CHECKSUM_START, go on with what came out. */
#ifndef MYR_BASE_CHECKSUM_H
#define MYR_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#define MYR_CHECKSUM_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t myr_checksum(uint64_t hash, const void *bytes, size_t n) {
    const unsigned char *b = bytes;
    for (size_t i = 0; i < n; i++) hash = (hash ^ b[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
