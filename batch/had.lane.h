/* What a part's steps know of its tile's slots from one call to the next (myr_had_slots). */
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

#endif
