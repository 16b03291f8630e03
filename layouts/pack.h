/* Packing between tiles and row-major (environment, component) arrays, with conversion f32 <-> f64.
 * Conversion is the C one: f64 -> f32 rounds to nearest, overflows to infinity, and NaN stays NaN. */
#ifndef MYR_LAYOUTS_PACK_H
#define MYR_LAYOUTS_PACK_H

#include "layouts/layout.h"

/* Which scalars: `count` consecutive rows from `first` of the tiles at `tiles`, for n environments: ids[i], or
 * start + i when ids is NULL. The ids must lie inside the tiles. */
typedef struct myr_pack {
    const myr_layout *layout;
    void *tiles;
    int first, count;
    const int64_t *ids;
    int64_t start, n;
    int type_bytes; /* of the row-major array: 4 or 8 */
} myr_pack;

/* Tiles -> array (n, count). */
void myr_pack_get(const myr_pack *pack, void *out);
/* Array (n, count) -> tiles, in the order of ids: of equal ids the last one stays. plus_zero: -0.0 becomes +0.0. */
void myr_pack_set(const myr_pack *pack, const void *in, int plus_zero);

/* Address of the scalar (row, environment). */
static inline void *myr_tile_scalar(const myr_layout *layout, void *tiles, int row, int64_t env) {
    return (char *)tiles + (size_t)(env / layout->lanes) * layout->tile_bytes + (size_t)row * MYR_ROW_BYTES +
           (size_t)(env % layout->lanes) * (size_t)layout->precision;
}

/* One scalar as a double, whatever the tile holds. */
static inline double myr_tile_load(const myr_layout *layout, void *tiles, int row, int64_t env) {
    const void *at = myr_tile_scalar(layout, tiles, row, env);
    return layout->precision == 4 ? (double)*(const float *)at : *(const double *)at;
}
static inline void myr_tile_store(const myr_layout *layout, void *tiles, int row, int64_t env, double value) {
    void *at = myr_tile_scalar(layout, tiles, row, env);
    if (layout->precision == 4)
        *(float *)at = (float)value;
    else
        *(double *)at = value;
}

#endif
