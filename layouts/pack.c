#include "layouts/pack.h"

/* The scalars of one environment are 64 bytes apart. Neighbouring environments share the cache lines, so that a list
 * in ascending order reads every line once from memory and W - 1 times from L1. */
#define MYR_PACK_PAIR(TILE, ARRAY)                                                                                                         \
    static void get_##TILE##_##ARRAY(const myr_pack *p, ARRAY *out) {                                                                      \
        const int W = p->layout->lanes, count = p->count;                                                                                  \
        for (int64_t i = 0; i < p->n; i++, out += count) {                                                                                 \
            const TILE *in = myr_tile_scalar(p->layout, p->tiles, p->first, p->ids ? p->ids[i] : p->start + i);                            \
            for (int c = 0; c < count; c++) out[c] = (ARRAY)in[(size_t)c * (size_t)W];                                                     \
        }                                                                                                                                  \
    }                                                                                                                                      \
    static void set_##TILE##_##ARRAY(const myr_pack *p, const ARRAY *in, int plus_zero) {                                                  \
        const int W = p->layout->lanes, count = p->count;                                                                                  \
        for (int64_t i = 0; i < p->n; i++, in += count) {                                                                                  \
            TILE *out = myr_tile_scalar(p->layout, p->tiles, p->first, p->ids ? p->ids[i] : p->start + i);                                 \
            for (int c = 0; c < count; c++) {                                                                                              \
                const TILE x = (TILE)in[c];                                                                                                \
                out[(size_t)c * (size_t)W] = plus_zero && x == 0 ? 0 : x;                                                                  \
            }                                                                                                                              \
        }                                                                                                                                  \
    }

MYR_PACK_PAIR(float, float)
MYR_PACK_PAIR(float, double)
MYR_PACK_PAIR(double, float)
MYR_PACK_PAIR(double, double)

void myr_pack_get(const myr_pack *pack, void *out) {
    if (pack->layout->precision == 4) {
        if (pack->type_bytes == 4)
            get_float_float(pack, out);
        else
            get_float_double(pack, out);
    } else {
        if (pack->type_bytes == 4)
            get_double_float(pack, out);
        else
            get_double_double(pack, out);
    }
}

void myr_pack_set(const myr_pack *pack, const void *in, int plus_zero) {
    if (pack->layout->precision == 4) {
        if (pack->type_bytes == 4)
            set_float_float(pack, in, plus_zero);
        else
            set_float_double(pack, in, plus_zero);
    } else {
        if (pack->type_bytes == 4)
            set_double_float(pack, in, plus_zero);
        else
            set_double_double(pack, in, plus_zero);
    }
}
