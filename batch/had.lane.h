/* What a part's steps know from one call to the next: of its tile's slots (myr_had_slots), and of pauses. */
#ifndef MYR_BATCH_HAD_LANE_H
#define MYR_BATCH_HAD_LANE_H

#include "robot/workspace.lane.h"

/* A part begins where the tile's last call ended. */
static inline void had_open(const part *p, const myr_had_slots *had) {
    p->w->had = had->n <= p->r->n_entries ? had->n : -1;
    for (int k = 0; k < p->w->had; k++) p->w->had_slot[k] = had->slot[k];
}

/* What part k leaves joins what those before it left. */
static inline void had_close(const part *p, int k, myr_had_slots *had) {
    const workspace *w = p->w;
    myr_had_slots both = {.n = 0};
    if (k == 0) had->n = 0;
    if (w->had < 0 || had->n < 0) {
        had->n = -1;
        return;
    }
    for (int i = 0, j = 0; i < w->had || j < had->n;) {
        const int mine = i < w->had ? w->had_slot[i] : p->r->n_slots, other = j < had->n ? had->slot[j] : p->r->n_slots;
        if (both.n == MYR_TILE_HAD) {
            had->n = -1;
            return;
        }
        both.slot[both.n++] = (uint16_t)(mine < other ? mine : other);
        i += mine <= other, j += other <= mine;
    }
    memcpy(had, &both, offsetof(myr_had_slots, slot) + (size_t)both.n * sizeof *both.slot);
}

/* The pauses of the lanes' solves (kernels/contact/pause.lane.h). */
static inline void pauses_open(const part *p, const myr_tile_meta *meta, int first_lane) {
    real *pause = (real *)(void *)&p->w->contact.pause, *wait = (real *)(void *)&p->w->contact.wait;
    for (int lane = 0; lane < VN; lane++) pause[lane] = meta->pause[first_lane + lane], wait[lane] = meta->wait[first_lane + lane];
}

static inline void pauses_close(const part *p, myr_tile_meta *meta, int first_lane) {
    const real *pause = (const real *)(const void *)&p->w->contact.pause, *wait = (const real *)(const void *)&p->w->contact.wait;
    for (int lane = 0; lane < VN; lane++) {
        meta->pause[first_lane + lane] = (uint8_t)pause[lane];
        meta->wait[first_lane + lane] = (uint8_t)wait[lane];
    }
}

#endif
