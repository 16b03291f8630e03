/* A tile of states that are asked about and not stepped: what evaluate.c and inverse.c share. */
#ifndef MYR_BATCH_STATES_H
#define MYR_BATCH_STATES_H

#include "batch/batch.h"

typedef struct myr_states {
    const myr_model *model;
    const myr_kernels *kernels;
    myr_layout layout;
    void *robot, *workspace, *tile;
    void *rows; /* scratch of the caller's: rows of lanes in the tile's precision */
    uint8_t *no_geoms;
} myr_states;

/* With room for so many rows. Parameters are the model's inertias and gravity; damping, gains and wrenches are zero. On failure there is
 * nothing to free. */
myr_status myr_states_init(myr_states *states, const myr_model *model, const myr_kernels *kernels, int n_rows);
void myr_states_free(myr_states *states);

/* One number of `rows`, which is states->rows or the tile. */
double myr_states_get(const myr_states *states, const void *rows, int row, int lane);
void myr_states_put(const myr_states *states, void *rows, int row, int lane, double value);

/* q and v (NULL: zero) into a lane. Quaternions are put in normalized, so that a state printed with few digits is still a rotation. */
void myr_states_put_state(myr_states *states, int lane, const double *q, const double *v);

#endif
