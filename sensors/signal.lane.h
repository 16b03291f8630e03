/* From what a sensor measures to what is shown: every so often, with bias and noise, sometimes missed, late, with those before it. Numbers
 * that are drawn belong to (seed, environment, episode, sensor, measurement): asked twice, they are the same. */
#ifndef MYR_SENSORS_SIGNAL_LANE_H
#define MYR_SENSORS_SIGNAL_LANE_H

#include "kernels/random.lane.h"
#include "sensors/sensor.lane.h"

/* Counts are exact up to there in floats, and blocks of random numbers by them in 32 bits; then noise comes again. */
#define SIGNAL_COUNTS ((real)0x1p22)

static inline vf *signal_row(const part *p, const lane_sensor *s, int memory) { return row(p, s->memory + memory); }

/* Lanes of `lanes` whose episode has not seen a measurement yet. */
static inline vm signal_first(const part *p, const lane_sensor *s, vm lanes) {
    return vm_and(lanes, vm_eq(*signal_row(p, s, s->kept_rows.count), vf_zero()));
}

/* Lanes whose last measurement was made in this step. */
static vm signal_fresh(const part *p, const lane_sensor *s, vm lanes) {
    return s->kept_rows.since < 0 ? lanes : vm_and(lanes, vm_eq(*signal_row(p, s, s->kept_rows.since), vf_zero()));
}

/* A control step is over, or, of a sensor that measures after each, a step of dt: the lanes in which it is time. */
static vm signal_due(const part *p, const lane_sensor *s, vm lanes) {
    if (s->kept_rows.since < 0) return lanes;
    vf *since = signal_row(p, s, s->kept_rows.since);
    const vf next = *since + vf_set(1), every = vf_set((real)s->signal->every);
    const vm due = vm_and(lanes, vm_or(signal_first(p, s, lanes), vm_le(every, next)));
    *since = vf_select(due, vf_zero(), vf_select(lanes, next, *since));
    return due;
}

/* ---- numbers that are drawn: a block of bias and delay, then blocks for each measurement -------------------------------------------- */

typedef struct signal_noise {
    noise_stream stream;
    vf number[RANDOM_NOISE_BLOCK];
    int left;
    uint64_t seed;
} signal_noise;

/* measurement: -1: what is drawn once. */
static signal_noise signal_noise_open(const part *p, const lane_sensor *s, vf measurement) {
    const uint32_t blocks = (uint32_t)((s->size + 1) / RANDOM_NOISE_BLOCK + 1); /* two more than a reading has: a miss, a pair's second */
    real at[VN];
    uint32_t block[VN];
    memcpy(at, &measurement, sizeof at);
    for (int i = 0; i < VN; i++) block[i] = blocks * (uint32_t)(at[i] + 1);
    return (signal_noise){noise_open(p->meta, p->first_lane, RANDOM_SENSORS + (uint32_t)s->id, block), {vf_zero()}, 0, p->options->seed};
}

/* In (-1, 1). */
static vf signal_next(signal_noise *n) {
    if (n->left == 0) noise_next(&n->stream, n->seed, n->number), n->left = RANDOM_NOISE_BLOCK;
    return n->number[RANDOM_NOISE_BLOCK - n->left--];
}

/* Numbers of 16 bits: no normal one is beyond 4.7. */
static void signal_normal(signal_noise *n, vf *a, vf *b) {
    const vf half = vf_set((real)0.5), u = signal_next(n), v = signal_next(n);
    normal_pair(vf_fma(half, u, half), vf_fma(half, v, half), a, b);
}

/* Bias and delay of an episode. */
static void signal_begin(const part *p, const lane_sensor *s, vm first) {
    const myr_sensor_signal *o = s->signal;
    signal_noise n = signal_noise_open(p, s, vf_set(-1));
    for (int k = 0; k < s->size && s->kept_rows.bias >= 0; k++) {
        vf *bias = signal_row(p, s, s->kept_rows.bias + k);
        *bias = vf_select(first, vf_set((real)o->bias) * signal_next(&n), *bias);
    }
    if (s->kept_rows.delay < 0) return;
    vf *delay = signal_row(p, s, s->kept_rows.delay);
    const vf u = signal_next(&n), half = vf_set((real)0.5);
    vf drawn = vf_set((real)o->delay[0]);
    for (int k = o->delay[0] + 1; k <= o->delay[1]; k++) { /* each is as likely */
        const real from = (real)(k - o->delay[0]) / (real)(o->delay[1] - o->delay[0] + 1);
        drawn = vf_select(vm_le(vf_set(from), vf_fma(half, u, half)), vf_set((real)k), drawn);
    }
    *delay = vf_select(first, drawn, *delay);
}

/* What of a measurement arrives: bias and noise added to it. Returns the lanes in which it is missed. */
static vm signal_disturb(const part *p, const lane_sensor *s, vf measurement, vf *reading) {
    const myr_sensor_signal *o = s->signal;
    for (int k = 0; k < s->size && s->kept_rows.bias >= 0; k++) reading[k] = reading[k] + *signal_row(p, s, s->kept_rows.bias + k);
    if (!(o->noise > 0) && !(o->hold > 0)) return vm_none();
    signal_noise n = signal_noise_open(p, s, measurement);
    const vf size = vf_set((real)o->noise), half = vf_set((real)0.5);
    const vm missed = o->hold > 0 ? vm_lt(vf_fma(half, signal_next(&n), half), vf_set((real)o->hold)) : vm_none();
    if (o->noise_kind == MYR_NOISE_UNIFORM)
        for (int k = 0; k < s->size && o->noise > 0; k++) reading[k] = vf_fma(size, signal_next(&n), reading[k]);
    else
        for (int k = 0; k < s->size && o->noise > 0; k += 2) {
            vf a, b;
            signal_normal(&n, &a, &b);
            reading[k] = vf_fma(size, a, reading[k]);
            if (k + 1 < s->size) reading[k + 1] = vf_fma(size, b, reading[k + 1]);
        }
    return missed;
}

/* ---- what is shown ----------------------------------------------------------------------------------------------------------------------
 */

/* Number k of the reading `back` measurements before the last one that has arrived. */
static inline vf signal_arrived(const part *p, const lane_sensor *s, int back, int k) {
    const int *delay = s->signal->delay;
    vf value = *signal_row(p, s, s->kept_rows.list + (back + delay[0]) * s->size + k);
    for (int d = delay[0] + 1; d <= delay[1]; d++)
        value = vf_select(vm_eq(*signal_row(p, s, s->kept_rows.delay), vf_set((real)d)),
                          *signal_row(p, s, s->kept_rows.list + (back + d) * s->size + k), value);
    return value;
}

static void signal_show(const part *p, const lane_sensor *s, vm lanes) {
    const myr_sensor_signal *o = s->signal;
    vf *out = row(p, s->row);
    for (int k = 0; k < s->size; k++) {
        if (o->shown == MYR_HISTORY_ALL) {
            for (int h = 0; h < o->history; h++) {
                vf *to = &out[PARTS * (h * s->size + k)];
                *to = vf_select(lanes, signal_arrived(p, s, h, k), *to);
            }
            continue;
        }
        vf all = signal_arrived(p, s, 0, k);
        for (int h = 1; h < o->history; h++) {
            const vf one = signal_arrived(p, s, h, k);
            all = o->shown == MYR_HISTORY_MEAN ? all + one : vf_max(all, one);
        }
        if (o->shown == MYR_HISTORY_MEAN) all = all / vf_set((real)o->history);
        out[PARTS * k] = vf_select(lanes, all, out[PARTS * k]);
    }
}

/* A measurement in the lanes `due`. again: of a state that came to be without a step: it takes the place of the last one. */
static void signal_take(const part *p, const lane_sensor *s, vf *reading, vm due, int again) {
    const myr_signal_memory *at = &s->kept_rows;
    vf *count = signal_row(p, s, at->count);
    const vf one = vf_set(1), before = *count;
    const vm first = signal_first(p, s, due), newer = again ? first : due;
    if (vm_any(first)) signal_begin(p, s, first);
    vm missed = signal_disturb(p, s, vf_select(newer, before, before - one), reading);
    missed = vm_andnot(missed, first);
    for (int k = 0; k < s->size; k++) {
        vf *list = signal_row(p, s, at->list + k);
        const int each = PARTS * s->size;
        const vf last = vf_select(missed, list[0], reading[k]);
        for (int j = at->listed - 1; j > 0; j--) {
            const vf older = vf_select(newer, list[(j - 1) * each], list[j * each]);
            list[j * each] = vf_select(first, last, older);
        }
        list[0] = vf_select(due, last, list[0]);
    }
    *count = vf_select(newer, vf_select(vm_lt(before, vf_set(SIGNAL_COUNTS)), before + one, one), before);
    signal_show(p, s, due);
}

#endif
