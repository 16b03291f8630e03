/* Factors and noise of what is observed. */
#ifndef MYR_TASKS_NOISE_LANE_H
#define MYR_TASKS_NOISE_LANE_H

#include "tasks/motion.lane.h"
#include "kernels/random.lane.h"

/* Numbers of the observation that have a factor and a noise in common. */
typedef struct noisy_group {
    int first, count; /* in the observation */
    vf scale, size;
} noisy_group;

static inline void scale_observation(const part *p, const noisy_group *group, int groups) {
    for (int g = 0; g < groups; g++)
        for (int k = group[g].first; k < group[g].first + group[g].count; k++) p->w->seen[k] = group[g].scale * p->w->seen[k];
}

/* Noise belongs to a time of the episode: asked twice, it is the same. */
static inline void add_noise(const part *p, const myr_tile_meta *meta, int first_lane, const noisy_group *group, int groups) {
    int count = 0;
    for (int g = 0; g < groups; g++) count += group[g].count;
    const uint32_t blocks = (uint32_t)((count + RANDOM_NOISE_BLOCK - 1) / RANDOM_NOISE_BLOCK);
    uint32_t block[VN];
    real clock[VN];
    memcpy(clock, field_row(p, MYR_ROWS_clock, 0), sizeof clock);
    for (int i = 0; i < VN; i++) block[i] = blocks * (clock[i] >= 0 && clock[i] < 1e7 ? (uint32_t)clock[i] : 0u);
    noise_stream stream = noise_open(meta, first_lane, RANDOM_NOISE, block);
    vf noise[RANDOM_NOISE_BLOCK];
    int left = 0;
    for (int g = 0; g < groups; g++)
        for (int k = group[g].first; k < group[g].first + group[g].count; k++) {
            if (left == 0) {
                noise_next(&stream, p->options->seed, noise);
                left = RANDOM_NOISE_BLOCK;
            }
            p->w->seen[k] = group[g].scale * vf_fma(group[g].size, noise[RANDOM_NOISE_BLOCK - left--], p->w->seen[k]);
        }
}

#endif
