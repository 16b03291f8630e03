/* Random numbers keyed by (seed, global environment id, episode, counter): a stream belongs to an environment and does
 * not know in which batch, tile, lane or thread it is drawn. Philox 4x32-10 of Random123; uniform numbers have 24 bits, so
 * that float and double see the same ones. */
#ifndef MYR_KERNELS_RANDOM_LANE_H
#define MYR_KERNELS_RANDOM_LANE_H

#include <Random123/philox.h>

#include "kernels/step_job.h"
#include "kernels/math.lane.h"

/* Draws that come one after the other; noise that belongs to a time of the episode; sensors have a stream each, from RANDOM_SENSORS on;
 * noise of what a critic sees. Draws of tasks by name have the highest bit. */
enum { RANDOM_DRAWS = 0, RANDOM_NOISE = 1, RANDOM_SENSORS = 2, RANDOM_CRITIC = 0x40000000 };

/* The 128 bits that Philox turns into a block. Ids up to 2^40 are kept apart: 8 bits of the id share a word with 24 of the episode. */
static inline void random_counter(const myr_tile_meta *meta, int lane, uint32_t block, uint32_t stream, uint32_t counter[4]) {
    const uint64_t id = (uint64_t)(meta->global_id + lane);
    counter[0] = block;
    counter[1] = (uint32_t)id;
    counter[2] = (uint32_t)(id >> 32) << 24 | ((uint32_t)meta->episode[lane] & 0xffffffu);
    counter[3] = stream;
}

/* Four numbers in [0, 1). */
static inline void random_four(const myr_tile_meta *meta, const myr_step_options *o, int lane, uint32_t block, real out[4]) {
    const philox4x32_key_t key = {{(uint32_t)o->seed, (uint32_t)(o->seed >> 32)}};
    philox4x32_ctr_t counter;
    random_counter(meta, lane, block, RANDOM_DRAWS, counter.v);
    const philox4x32_ctr_t bits = philox4x32(counter, key);
    for (int k = 0; k < 4; k++) out[k] = (real)(bits.v[k] >> 8) * (real)0x1p-24;
}

/* Philox 4x32-10 on the lanes of a part at once: the same bits as Random123's, which takes one counter at a time. The 32-bit words lie in
 * the low halves of 64-bit ones, as the products want them: one vector of them holds all lanes of doubles, two those of floats, even
 * lanes and odd ones. */
enum { RANDOM_HALVES = sizeof(vq) / 8 < VN ? 2 : 1 };
typedef struct random_words {
    vq half[RANDOM_HALVES];
} random_words;

static inline vq vq_set(uint64_t x) { return x - (vq){0}; }

static inline random_words random_words_load(const uint32_t lanes[VN]) {
    random_words w;
    real place[VN]; /* as wide as a lane */
    for (int i = 0; i < VN; i++) {
#if MYR_DOUBLE
        const uint64_t word = lanes[i];
#else
        const uint32_t word = lanes[i];
#endif
        memcpy(&place[i], &word, sizeof word);
    }
    memcpy(&w.half[0], place, sizeof place);
    if (RANDOM_HALVES == 2) w.half[RANDOM_HALVES - 1] = w.half[0] >> 32, w.half[0] &= vq_set(0xffffffffu);
    return w;
}

/* Every lane's word as bits of its own. */
static inline vu random_words_bits(const random_words *w) {
    return RANDOM_HALVES == 2 ? (vu)(w->half[0] | w->half[RANDOM_HALVES - 1] << 32) : (vu)w->half[0];
}

static inline void random_blocks(random_words c[4], uint64_t seed) {
    const vq low = vq_set(0xffffffffu), m0 = vq_set(0xD2511F53u), m1 = vq_set(0xCD9E8D57u);
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    UNROLL for (int round = 0; round < 10; round++) {
        const vq key0 = vq_set(k0), key1 = vq_set(k1);
        UNROLL for (int h = 0; h < RANDOM_HALVES; h++) {
            const vq a = vq_mul(c[0].half[h], m0), b = vq_mul(c[2].half[h], m1);
            c[0].half[h] = (b >> 32) ^ c[1].half[h] ^ key0;
            c[1].half[h] = b & low;
            c[2].half[h] = (a >> 32) ^ c[3].half[h] ^ key1;
            c[3].half[h] = a & low;
        }
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
}

/* A word of a block as a number in [0, 1), of its first 24 bits. */
static inline vf random_unit(const random_words *w) {
    const vu bits = random_words_bits(w);
#if MYR_DOUBLE
    return ((vf)((bits >> 8) | (vu)vf_set((real)0x1p52)) - vf_set((real)0x1p52)) * vf_set((real)0x1p-24);
#else
    /* 23 bits fit behind a point: the 24th in a number of its own */
    const vf high = (vf)((bits >> 9) | (vu)vf_set((real)0x1p23)) - vf_set((real)0x1p23),
             low = (vf)((bits >> 8 & 1u) | (vu)vf_set((real)0x1p23)) - vf_set((real)0x1p23);
    return vf_fma(high, vf_set((real)0x1p-23), low * vf_set((real)0x1p-24));
#endif
}

enum { RANDOM_NOISE_BLOCK = 8 }; /* numbers of a block of noise, 16 bits each */

/* The noise of each lane's episode: where it begins. */
typedef struct noise_stream {
    random_words counter[4];
} noise_stream;

static inline noise_stream noise_open(const myr_tile_meta *meta, int first_lane, uint32_t stream_id, const uint32_t block[VN]) {
    uint32_t words[4][VN];
    noise_stream stream;
    for (int i = 0; i < VN; i++) {
        uint32_t counter[4];
        random_counter(meta, first_lane + i, block[i], stream_id, counter);
        for (int k = 0; k < 4; k++) words[k][i] = counter[k];
    }
    for (int k = 0; k < 4; k++) stream.counter[k] = random_words_load(words[k]);
    return stream;
}

/* Eight numbers per lane, symmetric about 0, in (-1, 1); the stream moves on by a block. */
static inline void noise_next(noise_stream *stream, uint64_t seed, vf out[RANDOM_NOISE_BLOCK]) {
    random_words c[4];
#if MYR_DOUBLE
    const vu one = (vu)vf_set((real)0x1p52); /* a number of 16 bits in its last places is 2^52 plus that number */
    const vf base = vf_set((real)0x1p52);
#else
    const vu one = (vu)vf_set((real)0x1p23);
    const vf base = vf_set((real)0x1p23);
#endif
    for (int k = 0; k < 4; k++) c[k] = stream->counter[k];
    random_blocks(c, seed);
    for (int k = 0; k < 4; k++) {
        const vu bits = random_words_bits(&c[k]);
        const vf first = (vf)((bits & 0xffffu) | one) - base, second = (vf)((bits >> 16) | one) - base;
        out[2 * k] = vf_fma(first, vf_set((real)0x1p-15), vf_set((real)(0x1p-16 - 1)));
        out[2 * k + 1] = vf_fma(second, vf_set((real)0x1p-15), vf_set((real)(0x1p-16 - 1)));
    }
    UNROLL for (int h = 0; h < RANDOM_HALVES; h++) stream->counter[0].half[h] = (stream->counter[0].half[h] + 1) & vq_set(0xffffffffu);
}

/* Box and Muller: two normal numbers from two uniform ones, in lanes. 1 - u lies in (0, 1]. */
static inline void normal_pair(vf u1, vf u2, vf *a, vf *b) {
    const vf radius = vf_sqrt(vf_set(-2) * vf_log(vf_set(1) - u1));
    vf sine, cosine;
    vf_sincos(vf_set((real)6.283185307179586) * u2, &sine, &cosine);
    *a = radius * cosine;
    *b = radius * sine;
}

#endif
