/* What happens to a robot at times of its episode: new commands, and pushes. */
#ifndef MYR_TASKS_EVENTS_LANE_H
#define MYR_TASKS_EVENTS_LANE_H

#include <math.h>

#include "tasks/draw.lane.h"
#include "tasks/motion.lane.h"

/* Control steps between two events of which one happens every so many seconds; 0: never. */
static inline int64_t steps_of(const part *p, double interval_s) {
    if (!(interval_s > 0)) return 0;
    const double steps = floor(interval_s / (p->options->dt_s * p->options->decimation) + 0.5);
    return steps < 1 ? 1 : (int64_t)steps;
}

/* Is it time, now that the clock reads so? shift: in [0, 1), of the interval. Callers may set the clock to anything. */
static inline int is_due(int64_t steps, real clock, real shift) {
    if (!(fabs((double)clock) < 0x1p62)) return 0;
    return steps > 0 && ((int64_t)clock + (int64_t)((double)shift * (double)steps)) % steps == 0;
}

/* Lanes for which is_due is worth asking: whole divisions lane by lane cost as much as all reward terms. clock + shift is within a step
 * of a multiple of `steps`, plus what the division rounds off. */
static inline unsigned may_be_due(const part *p, int64_t steps, vf shift) {
    if (steps == 0) return 0;
    const vf round = vf_set((real)(MYR_DOUBLE ? 0x1.8p52 : 0x1.8p23)), each = vf_set((real)1 / (real)steps);
    const vf turns = vf_fma(field(p, MYR_ROWS_clock, 0), each, shift), off = vf_abs(turns - ((turns + round) - round));
    return vm_bits(vm_not(vm_gt(off, vf_fma(vf_set((real)MYR_EPSILON * 8), vf_abs(turns), vf_set((real)1.5) * each))));
}

/* What happens to the robots of a task, and how often [s]. */
typedef struct events {
    void (*command)(drawing *d); /* NULL: there are no commands */
    double command_hold;
    int pushes;
} events;

/* Does the command stay, though a new one is due? No number is drawn where none ever stays. */
static inline int is_kept(drawing *d) {
    const real keep = (real)d->options->settings->command_keep;
    return keep > 0 && draw(d, 0, 1) < keep;
}

/* New commands and pushes for the lanes of `lanes` whose time has come. Returns the lanes that were pushed. */
static inline unsigned commands_and_pushes(const part *p, myr_tile_meta *meta, void *tile, int first_lane, unsigned lanes,
                                           const events *of) {
    const myr_settings *s = p->options->settings;
    const int64_t hold = of->command ? steps_of(p, of->command_hold) : 0,
                  interval = of->pushes && pushes_at_all(s) ? steps_of(p, s->push_interval) : 0;
    lanes &= may_be_due(p, hold, vf_zero()) | may_be_due(p, interval, field(p, MYR_ROWS_phase, 0));
    unsigned pushed = 0;
    if (!lanes) return 0;
    real clock[VN], phase[VN];
    memcpy(clock, field_row(p, MYR_ROWS_clock, 0), sizeof clock);
    memcpy(phase, field_row(p, MYR_ROWS_phase, 0), sizeof phase);
    for (int i = 0; i < VN; i++) {
        if (!(lanes >> i & 1u)) continue;
        const int command = is_due(hold, clock[i], 0), push = is_due(interval, clock[i], phase[i]);
        if (!command && !push) continue;
        const int lane = first_lane + i;
        drawing d = {.model = p->r->model,
                     .layout = &p->r->layout,
                     .options = p->options,
                     .meta = meta,
                     .tile = tile,
                     .programs = p->w->programs,
                     .lane = lane,
                     .block = meta->draws[lane]};
        if (command && !is_kept(&d)) of->command(&d);
        if (push) draw_push(&d), pushed |= 1u << i;
        meta->draws[lane] = d.block;
    }
    return pushed;
}

#endif
