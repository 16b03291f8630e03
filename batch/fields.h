/* Where the public fields of batch.h come from. */
#ifndef MYR_BATCH_FIELDS_H
#define MYR_BATCH_FIELDS_H

#include "layouts/layout.h"
#include "myriapod/batch.h"

typedef enum {
    MYR_PLACE_ROWS,     /* rows of the tile, as they are */
    MYR_PLACE_INERTIAL, /* converted from and to the inertial rows of every body */
    MYR_PLACE_CONTROL,  /* rows of targets or torques, by actuator */
    MYR_PLACE_GROUND,   /* samples and units of the map, in metres outside */
    MYR_PLACE_PATCH,    /* level and column, and with them the place on the map */
    MYR_PLACE_META      /* beside the tile: one number per environment */
} myr_place;

typedef struct myr_field_map {
    const char *name;
    myr_place place;
    myr_rows rows;
    int each; /* INERTIAL: numbers per body */
    int read_only;
    int whole;              /* whole numbers: MYR_I64 is welcome */
    size_t sense;           /* offset in myr_settings, of the number that must be 1 for the field to be kept; 0: always kept */
    int of_task;            /* kept where the layout has rows of it: the task or the model decides */
    const char *sense_name; /* what to create a batch with for it to be kept */
} myr_field_map;

const myr_field_map *myr_field_map_get(myr_field field); /* NULL: no such field */

/* Does a batch of this layout and these settings keep the field? */
static inline int myr_field_kept(const myr_field_map *map, const myr_layout *layout, const myr_settings *settings) {
    if (map->of_task) return layout->count[map->rows] > 0;
    return !map->sense || *(const int64_t *)(const void *)((const char *)settings + map->sense) != 0;
}

#endif
