/* Lane code of the planner: one table per instruction set, floats alone. Sixteen samples stand side by side, whatever the registers; of a
 * batch in doubles, whose tiles are of eight, the first eight of them count. */
#ifndef MYR_PLAN_KERNELS_H
#define MYR_PLAN_KERNELS_H

#include <stdint.h>

enum { MYR_PLAN_LANES = 16 };

/* Knots of samples first .. first + 15: the plan's, and noise of so much of each; of sample 0 none. */
typedef struct myr_plan_draw {
    int count; /* numbers of a plan: knots times actions */
    int actions;
    const float *mean, *sigma;  /* (count) */
    const float *lower, *upper; /* (actions) */
    int64_t first;
    uint64_t seed;
    uint32_t number; /* of the draw */
} myr_plan_draw;

/* Actions between knots. */
typedef struct myr_plan_spread {
    int steps, knots, actions;
    const float *basis;         /* (steps, knots) */
    const float *lower, *upper; /* (actions) */
} myr_plan_spread;

typedef struct myr_plan_kernels {
    const char *isa;
    void (*draw)(const myr_plan_draw *draw, float *knots);                            /* out (count x 16) */
    void (*spread)(const myr_plan_spread *spread, const float *knots, float *action); /* (count x 16) -> (steps, actions x 16) */
} myr_plan_kernels;

/* NULL where this library has none for the instruction set. */
const myr_plan_kernels *myr_plan_kernels_get(const char *isa);

#endif
