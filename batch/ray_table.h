/* What the rays of a batch may meet: a table of the model's geoms, and a room for each worker to say where they are. */
#ifndef MYR_BATCH_RAY_TABLE_H
#define MYR_BATCH_RAY_TABLE_H

#include "model/model.h"
#include "robot/rays.h"

typedef struct myr_ray_table {
    myr_ray_shapes shapes;
    myr_ray_shape *shape;
    double (**planes)[4]; /* by geom; NULL: no hull */
    char *rooms;          /* of each worker room_bytes */
    size_t room_bytes, bytes;
} myr_ray_table;

/* On failure *out is NULL: MYR_E_MEMORY. */
myr_status myr_ray_table_make(const myr_model *model, int workers, myr_ray_table **out);
void myr_ray_table_free(myr_ray_table *table); /* NULL is fine */

#endif
