#include "layout.h"

#include "terrain/terrain.h"

const myr_field_info myr_fields[MYR_ROWS_COUNT] = {
#define MYR_FIELD(name, count, unit, frame, access, doc) {#name, unit, frame, doc, MYR_ACCESS_##access},
#include "fields.def"
#undef MYR_FIELD
};

void myr_layout_init(myr_layout *layout, const myr_model *model, int precision, const myr_settings *settings, const myr_task_shape *task) {
    const myr_model *m = model;
    const myr_settings *s = settings;
    const myr_task_shape *t = task;
    const int counts[MYR_ROWS_COUNT] = {
#define MYR_FIELD(name, count, unit, frame, access, doc) (count),
#include "fields.def"
#undef MYR_FIELD
    };
    layout->precision = precision;
    layout->lanes = MYR_ROW_BYTES / precision;
    layout->task = *task;
    int row = 0;
    for (int f = 0; f < MYR_ROWS_COUNT; f++) {
        layout->first[f] = row;
        layout->count[f] = counts[f];
        row += counts[f];
    }
    layout->rows = row;
    layout->tile_bytes = (size_t)row * MYR_ROW_BYTES;
}
