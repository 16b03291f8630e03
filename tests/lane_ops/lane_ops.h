/* Operations of lanes by themselves, of any unit: bits in, bits out, a lane each. */
#ifndef MYR_TESTS_LANE_OPS_H
#define MYR_TESTS_LANE_OPS_H

#include <stdint.h>

/* Numbers are their bits, in the low half where they are floats. Masks are 0 or 1. */
typedef enum {
    OP_MIN,
    OP_MAX,
    OP_ABS,
    OP_SQRT,
    OP_FMA,
    OP_FNMA,
    OP_FMS,
    OP_SELECT, /* c is the mask: its bit 0 */
    OP_HOLD,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_EQ,
    OP_FINITE,
    OP_AND, /* of masks from here on: bit 0 of a and of b */
    OP_OR,
    OP_ANDNOT,
    OP_NOT,
    OP_COUNT
} lane_op;

typedef struct lane_ops_unit {
    const char *isa;
    int is_double, lanes;
    /* out = op(a, b, c) in every lane: arrays of `lanes`. */
    void (*run)(lane_op op, const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *out);
    /* The mask of these bits: as bits again, whether any is set, and lane by lane through a selection of 1 or 0. */
    void (*mask)(unsigned bits, unsigned *again, int *any, uint64_t *chosen);
    /* Products of the low halves of 64-bit words; returns how many there are in a register. */
    int (*multiply)(const uint64_t *a, const uint64_t *b, uint64_t *out);
    /* Four doubles of a row from element `first`, a multiple of 4, on: each picked, and fma and fnma of them with b and c. */
    void (*wide)(int first, const double row[16], double b, double c, double picked[4], double fma[4], double fnma[4]);
} lane_ops_unit;

/* Unit i; NULL past the last. Not all of them may run here: myr_isa_present. */
const lane_ops_unit *lane_ops_at(int i);

#endif
