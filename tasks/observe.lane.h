/* observe: what a task lists of observed.def, one kind after the other, into w->seen, with its factors and noise. */
#ifndef MYR_TASKS_OBSERVE_LANE_H
#define MYR_TASKS_OBSERVE_LANE_H

#include "kernels/random.lane.h"
#include "tasks/instance.h"
#include "tasks/seen.lane.h"

/* ---- a function for each kind ------------------------------------------------------------------------------------------ */

static void observe_base_linear(const part *p, const rider *base, vf *out) { (void)p, v3_store(out, base->linear); }
static void observe_base_angular(const part *p, const rider *base, vf *out) { (void)p, v3_store(out, base->angular); }
static void observe_base_down(const part *p, const rider *base, vf *out) { (void)p, v3_store(out, base->down); }

static void observe_command(const part *p, const rider *base, vf *out) {
    const myr_settings *s = p->options->settings;
    const vf linear = vf_set((real)s->scale_linear), angular = vf_set((real)s->scale_angular);
    (void)base;
    for (int k = 0; k < 3; k++) out[k] = (k < 2 ? linear : angular) * field(p, MYR_ROWS_command, k);
}

static void observe_lengths(const part *p, const rider *base, vf *out) { (void)base, lengths_seen(p, out); }

static void observe_rates(const part *p, const rider *base, vf *out) {
    (void)base;
    for (int u = 0; u < p->r->nu; u++) out[u] = actuator_rate(p, u);
}

static void observe_action(const part *p, const rider *base, vf *out) {
    (void)base;
    for (int u = 0; u < p->r->nu; u++) out[u] = field(p, MYR_ROWS_action, u);
}

static void observe_heights(const part *p, const rider *base, vf *out) { (void)base, heights_seen(p, out); }

static void (*const observe_kinds[MYR_OBSERVED_KINDS])(const part *p, const rider *base, vf *out) = {
#define MYR_OBSERVED(NAME, name, count, scale, noise, unit, doc) observe_##name,
#include "tasks/observed.def"
#undef MYR_OBSERVED
};

/* ---- factors and noise --------------------------------------------------------------------------------------------------- */

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

/* ---- what the engine calls ------------------------------------------------------------------------------------------------ */

/* The observation of every lane's present state. Noise is drawn part by part, those last that are `late`. */
static void observe(const part *p, const myr_tile_meta *meta, int first_lane) {
    const myr_task_instance *task = p->options->instance;
    void (*const see)(const part *p) = p->options->task->see;
    const rider base = !see && myr_floats(p->r->model) ? rider_get(p) : (rider){v3_zero(), v3_zero(), v3_zero()};
    noisy_group early[MYR_TASK_OBSERVED], late[MYR_TASK_OBSERVED];
    int n = 0, n_late = 0, exact = 1;
    if (see) see(p);
    for (int i = 0; i < task->n_parts; i++) {
        const myr_observed_part *is = &task->parts[i];
        if (!see) observe_kinds[is->kind](p, &base, p->w->seen + is->first);
        if (is->plain) continue;
        exact &= is->noise == 0;
        const noisy_group group = {is->first, is->n, vf_set((real)is->scale), vf_set((real)is->noise)};
        if (is->late)
            late[n_late++] = group;
        else
            early[n++] = group;
    }
    for (int i = 0; i < n_late; i++) early[n++] = late[i];
    if (exact)
        scale_observation(p, early, n);
    else
        add_noise(p, meta, first_lane, early, n);
}

#endif
