/* A patch while it is made: a square of heights in whole steps, all 0 at first, which the function of its kind raises. Lengths become
 * cells and steps as in the sources: the fraction is cut off. */
#ifndef MYR_TERRAIN_HEIGHTS_H
#define MYR_TERRAIN_HEIGHTS_H

#include <stdint.h>

#include "draw.h"
#include "model/model.h"
#include "myriapod/terrain.h"

typedef struct myr_heights {
    const myr_terrain_kind *kind;
    int n; /* samples on a side; sample (n / 2, n / 2) is the centre */
    double cell, step;
    double difficulty, measure; /* the kind's, from `from` to `to` */
    uint64_t seed, patch;
    uint32_t drawn; /* numbers so far */
    int32_t *h;     /* (n, n) */
} myr_heights;

enum { MYR_HIGHEST = 32767 }; /* steps: what a sample of a map holds */

/* The whole part of a quotient of lengths, at most 10^9. Without the margin 0.3 m would be two cells of 0.1 m. */
static inline int myr_whole(double quotient) {
    const double more = quotient < 0 ? quotient - 1e-9 : quotient + 1e-9;
    return (int)(more < -1e9 ? -1e9 : more > 1e9 ? 1e9 : more);
}
static inline int myr_in_cells(const myr_heights *p, double length) { return myr_whole(length / p->cell); }
static inline int myr_in_steps(const myr_heights *p, double height) { return myr_whole(height / p->step); }

/* The next number of 0 .. n - 1. */
static inline int myr_next_below(myr_heights *p, int n) {
    return myr_draw_below(myr_draw_word(p->seed, MYR_DRAW_PATCH, p->patch, p->drawn++), n);
}

/* A rectangle from (i, k) to before (i_end, k_end), as much of it as lies in the patch. */
static inline void myr_fill(myr_heights *p, int i, int k, int i_end, int k_end, int height) {
    i = i < 0 ? 0 : i, k = k < 0 ? 0 : k, i_end = i_end > p->n ? p->n : i_end, k_end = k_end > p->n ? p->n : k_end;
    for (int row = i; row < i_end; row++)
        for (int column = k; column < k_end; column++) p->h[row * p->n + column] = height;
}

/* The square of this half side around the centre. */
static inline void myr_fill_middle(myr_heights *p, int half, int height) {
    myr_fill(p, p->n / 2 - half, p->n / 2 - half, p->n / 2 + half, p->n / 2 + half, height);
}

/* MYR_E_ARG where a measure is not in least .. most. */
static inline myr_status myr_need(const myr_heights *p, const char *measure, double value, double least, double most) {
    if (value >= least && value <= most) return MYR_OK;
    return myr_fail(MYR_E_ARG, "myr_terrain_generate: %s of the kind `%s` is %g; it must be from %g to %g here", measure, p->kind->kind,
                    value, least, most);
}

#define MYR_KIND(word, columns) myr_status myr_raise_##word(myr_heights *p);
#include "kinds.def"

#endif
