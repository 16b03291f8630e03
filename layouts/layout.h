/* Where every number lives. A tile holds W environments side by side: W = 16 floats or 8 doubles, so that a
 * row is one 64-byte cache line on every machine. Row r of tile t starts at tiles + t * tile_bytes + 64 * r. */
#ifndef MYR_LAYOUTS_LAYOUT_H
#define MYR_LAYOUTS_LAYOUT_H

#include <stddef.h>

#include "model/model.h"

enum { MYR_ROW_BYTES = 64 };

typedef enum { MYR_ACCESS_STATE, MYR_ACCESS_PARAM, MYR_ACCESS_INPUT, MYR_ACCESS_OUTPUT } myr_access;

/* The last one is not the caller's to ask: batches of the task locomotion keep its fields. */
enum { MYR_SENSE_ACCELERATION = 1, MYR_SENSE_BODIES = 2, MYR_SENSE_CONTACTS = 4, MYR_SENSE_LOCOMOTION = 8 };

enum {
#define MYR_REWARD(name, key, weight, doc) MYR_REWARD_##name,
#include "myriapod/rewards.def"
#undef MYR_REWARD
    MYR_REWARD_TERMS
};

typedef enum {
#define MYR_FIELD(name, count, unit, frame, access, doc) MYR_ROWS_##name,
#include "fields.def"
#undef MYR_FIELD
    MYR_ROWS_COUNT
} myr_rows;

typedef struct myr_layout {
    int lanes;     /* W */
    int precision; /* bytes of a scalar: 4 or 8 */
    int rows;      /* of a tile */
    size_t tile_bytes;
    int first[MYR_ROWS_COUNT]; /* first row of each field */
    int count[MYR_ROWS_COUNT]; /* its rows; 0: not kept */
} myr_layout;

typedef struct myr_field_info {
    const char *name, *unit, *frame, *doc;
    myr_access access;
} myr_field_info;

extern const myr_field_info myr_fields[MYR_ROWS_COUNT];

/* precision: 4 or 8; sense: MYR_SENSE_* flags of what the caller asked to see. */
void myr_layout_init(myr_layout *layout, const myr_model *model, int precision, unsigned sense);

#endif
