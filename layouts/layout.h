/* Where every number lives. A tile holds W environments side by side: W = 16 floats or 8 doubles, so that a
 * row is one 64-byte cache line on every machine. Row r of tile t starts at tiles + t * tile_bytes + 64 * r. */
#ifndef MYR_LAYOUTS_LAYOUT_H
#define MYR_LAYOUTS_LAYOUT_H

#include <stddef.h>

#include "model/model.h"

enum { MYR_ROW_BYTES = 64 };

typedef enum { MYR_ACCESS_STATE, MYR_ACCESS_PARAM, MYR_ACCESS_INPUT, MYR_ACCESS_OUTPUT } myr_access;

/* What a task of whole control steps declares, in numbers per environment; all zero for others. */
typedef struct myr_task_shape {
    int actions, observations, critics, terms; /* critics: numbers that a critic observes; terms: of the reward */
    int command, memory, history;              /* rows of the fields of these names */
    int scratch;                               /* rows that live for a control step */
} myr_task_shape;

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
    myr_task_shape task;
} myr_layout;

typedef struct myr_field_info {
    const char *name, *unit, *frame, *doc;
    myr_access access;
} myr_field_info;

extern const myr_field_info myr_fields[MYR_ROWS_COUNT];

/* Where the control of actuator u goes. */
static inline int myr_control_row(const myr_layout *layout, const myr_actuator *a, int u) {
    return layout->first[a->controls == MYR_CONTROLS_TORQUE ? MYR_ROWS_torque : MYR_ROWS_target] + u;
}

/* precision: 4 or 8; settings: of these sense-* say what the caller asked to see; task: what its task declares. */
void myr_layout_init(myr_layout *layout, const myr_model *model, int precision, const myr_settings *settings, const myr_task_shape *task);

#endif
