/* observe: what a task sees, with its factors and noise, in w->seen. */
#ifndef MYR_TASKS_OBSERVE_LANE_H
#define MYR_TASKS_OBSERVE_LANE_H

#include "kernels/random.lane.h"
#include "tasks/instance.h"
#include "tasks/motion.lane.h"

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
static inline void add_noise(const part *p, const myr_tile_meta *meta, int first_lane, int stream_of, const noisy_group *group,
                             int groups) {
    int count = 0;
    for (int g = 0; g < groups; g++) count += group[g].count;
    const uint32_t blocks = (uint32_t)((count + RANDOM_NOISE_BLOCK - 1) / RANDOM_NOISE_BLOCK);
    uint32_t block[VN];
    real clock[VN];
    memcpy(clock, field_row(p, MYR_ROWS_clock, 0), sizeof clock);
    for (int i = 0; i < VN; i++) block[i] = blocks * (clock[i] >= 0 && clock[i] < 1e7 ? (uint32_t)clock[i] : 0u);
    noise_stream stream = noise_open(meta, first_lane, (uint32_t)stream_of, block);
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

/* Of a group of the observation its parts with factor or noise, those last that are `late`; *exact: none has noise. */
static int noisy_groups(const myr_task_instance *task, int critic, noisy_group groups[MYR_TASK_OBSERVED], int *exact) {
    noisy_group late[MYR_TASK_OBSERVED];
    int n = 0, n_late = 0;
    *exact = 1;
    for (int i = 0; i < task->n_parts; i++) {
        const myr_observed_part *is = &task->parts[i];
        if (is->plain || is->critic != critic) continue;
        *exact &= is->noise == 0;
        const noisy_group group = {myr_present_at(task, is), myr_present_rows(is), vf_set((real)is->scale), vf_set((real)is->noise)};
        if (is->late)
            late[n_late++] = group;
        else
            groups[n++] = group;
    }
    for (int i = 0; i < n_late; i++) groups[n++] = late[i];
    return n;
}

/* ---- what the engine calls ------------------------------------------------------------------------------------------------ */

/* ---- history --------------------------------------------------------------------------------------------------------------- */

/* What was seen before, in front of what is seen now; where an episode begins, that is what is seen now. The field's last frame is that of
 * the last control step, which the present takes the place of: asked twice, it is the same. */
static void show_history(const part *p) {
    const myr_task_instance *task = p->options->instance;
    const vm known = vm_gt(field(p, MYR_ROWS_history, 0), vf_zero());
    for (int i = 0; i < task->n_parts; i++) {
        const myr_observed_part *is = &task->parts[i];
        const int n = myr_present_rows(is);
        vf *seen = p->w->seen + myr_seen_at(task, is);
        for (int k = 0; is->frames > 1 && k < is->n - n; k++)
            seen[k] = vf_select(known, field(p, MYR_ROWS_history, is->kept + k), seen[is->n - n + k % n]);
    }
}

/* A control step more: the oldest goes. */
static void shift_history(const part *p, vm lanes) {
    const myr_task_instance *task = p->options->instance;
    for (int i = 0; i < task->n_parts; i++) {
        const myr_observed_part *is = &task->parts[i];
        const int n = myr_present_rows(is);
        for (int k = 0; is->frames > 1 && k < is->n - n; k++) {
            vf *row = field_row(p, MYR_ROWS_history, is->kept + k);
            *row = vf_select(lanes, field(p, MYR_ROWS_history, is->kept + k + n), *row);
        }
    }
}

/* What is seen becomes what was seen. */
static void keep_history(const part *p, vm lanes) {
    const myr_task_instance *task = p->options->instance;
    vf *known = field_row(p, MYR_ROWS_history, 0);
    *known = vf_select(lanes, vf_set(1), *known);
    for (int i = 0; i < task->n_parts; i++) {
        const myr_observed_part *is = &task->parts[i];
        for (int k = 0; is->frames > 1 && k < is->n; k++) {
            vf *row = field_row(p, MYR_ROWS_history, is->kept + k);
            *row = vf_select(lanes, p->w->seen[myr_seen_at(task, is) + k], *row);
        }
    }
}

/* Lanes of which nothing is known that was seen. */
static inline vm without_history(const part *p) { return vm_le(field(p, MYR_ROWS_history, 0), vf_zero()); }

/* The observation of every lane's present state, and that of a critic, whose noise is a stream of its own: it changes nothing that the
 * actor sees. */
static void observe(const part *p, const myr_tile_meta *meta, int first_lane) {
    const myr_task_instance *task = p->options->instance;
    p->options->task->see(p);
    for (int critic = 0; critic <= (task->shape.critics > 0); critic++) {
        noisy_group groups[MYR_TASK_OBSERVED];
        int exact;
        const int n = noisy_groups(task, critic, groups, &exact);
        if (exact)
            scale_observation(p, groups, n);
        else
            add_noise(p, meta, first_lane, critic ? RANDOM_CRITIC : RANDOM_NOISE, groups, n);
    }
    if (task->shape.history) show_history(p);
}

#endif
