#include <Random123/philox.h>

#include "learn/learner.h"

void myr_learn_words(uint64_t seed, myr_learn_stream stream, uint64_t number, uint32_t out[4]) {
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    const philox4x32_ctr_t counter = {{(uint32_t)number, (uint32_t)(number >> 32), 0, (uint32_t)stream}};
    const philox4x32_ctr_t bits = philox4x32(counter, key);
    for (int k = 0; k < 4; k++) out[k] = bits.v[k];
}
