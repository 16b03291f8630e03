/* ctest: lanes
 * Every lane header keeps the contract of kernels/lane_avx512.h, operation by operation, at the edges: signed zeros, infinities, NaN,
 * subnormals, the largest numbers, and random bits. What a lane gives is what scalar C gives, bit for bit; of a NaN that an operation
 * makes, only that it is one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "kernels/kernels.h"
#include "lane_ops/lane_ops.h"
#include "support/random_model.h"

enum { MOST = 16, EDGES = 18, ROUNDS = 400 };

static const char *const names[OP_COUNT] = {"min", "max", "abs", "sqrt", "fma",    "fnma", "fms", "select", "hold", "lt",
                                            "le",  "gt",  "ge",  "eq",   "finite", "and",  "or",  "andnot", "not"};

static double number(int is_double, uint64_t bits) {
    float f;
    double d;
    const uint32_t low = (uint32_t)bits;
    memcpy(&f, &low, sizeof f), memcpy(&d, &bits, sizeof d);
    return is_double ? d : (double)f;
}

static uint64_t bits_of(int is_double, double x) {
    const float f = (float)x;
    uint32_t low;
    uint64_t all;
    memcpy(&low, &f, sizeof f), memcpy(&all, &x, sizeof x);
    return is_double ? all : low;
}

static uint64_t edge(int is_double, int i) {
    static const uint64_t singles[EDGES] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                            0x7fc00000, 0xffc00000, 0x7fc12345, 0x00000001, 0x80000001, 0x007fffff,
                                            0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f800001, 0x3f7fffff, 0x00ffffff};
    static const uint64_t doubles[EDGES] = {0,
                                            UINT64_C(1) << 63,
                                            UINT64_C(0x3ff) << 52,
                                            UINT64_C(0xbff) << 52,
                                            UINT64_C(0x7ff) << 52,
                                            UINT64_C(0xfff) << 52,
                                            UINT64_C(0x7ff8) << 48,
                                            UINT64_C(0xfff8) << 48,
                                            UINT64_C(0x7ff8000000012345),
                                            1,
                                            UINT64_C(0x8000000000000001),
                                            UINT64_C(0x000fffffffffffff),
                                            UINT64_C(0x0010000000000000),
                                            UINT64_C(0x7fefffffffffffff),
                                            UINT64_C(0xffefffffffffffff),
                                            UINT64_C(0x3ff0000000000001),
                                            UINT64_C(0x3fefffffffffffff),
                                            UINT64_C(0x001fffffffffffff)};
    return is_double ? doubles[i] : singles[i];
}

/* What scalar C gives. */
static uint64_t wanted(int is_double, lane_op op, uint64_t a, uint64_t b, uint64_t c) {
    const double x = number(is_double, a), y = number(is_double, b), z = number(is_double, c);
    const uint64_t sign = is_double ? UINT64_C(1) << 63 : 0x80000000;
    switch (op) {
    case OP_MIN: return x < y ? a : b; /* b where unordered, and of two zeros b */
    case OP_MAX: return x > y ? a : b;
    case OP_ABS: return a & ~sign;
    case OP_SQRT: return is_double ? bits_of(1, sqrt(x)) : bits_of(0, (double)sqrtf((float)x));
    case OP_FMA: return is_double ? bits_of(1, fma(x, y, z)) : bits_of(0, (double)fmaf((float)x, (float)y, (float)z));
    case OP_FNMA: return is_double ? bits_of(1, fma(-x, y, z)) : bits_of(0, (double)fmaf(-(float)x, (float)y, (float)z));
    case OP_FMS: return is_double ? bits_of(1, fma(x, y, -z)) : bits_of(0, (double)fmaf((float)x, (float)y, -(float)z));
    case OP_SELECT: return c & 1 ? a : b;
    case OP_HOLD: return a;
    case OP_LT: return x < y;
    case OP_LE: return x <= y;
    case OP_GT: return x > y;
    case OP_GE: return x >= y;
    case OP_EQ: return x == y;
    case OP_FINITE: return isfinite(x) != 0;
    case OP_AND: return a & b & 1;
    case OP_OR: return (a | b) & 1;
    case OP_ANDNOT: return a & ~b & 1;
    case OP_NOT: return ~a & 1;
    default: return 0;
    }
}

static int is_nan(int is_double, uint64_t bits) { return isnan(number(is_double, bits)); }

static void compare(const lane_ops_unit *unit, lane_op op, const uint64_t *a, const uint64_t *b, const uint64_t *c) {
    uint64_t out[MOST];
    unit->run(op, a, b, c, out);
    for (int lane = 0; lane < unit->lanes; lane++) {
        const uint64_t right = wanted(unit->is_double, op, a[lane], b[lane], c[lane]);
        const int computed = op == OP_SQRT || op == OP_FMA || op == OP_FNMA || op == OP_FMS;
        if (out[lane] == right || (computed && is_nan(unit->is_double, right) && is_nan(unit->is_double, out[lane]))) continue;
        fail_msg("%s, f%d: %s(%#llx, %#llx, %#llx) is %#llx in lane %d, not %#llx", unit->isa, unit->is_double ? 64 : 32, names[op],
                 (unsigned long long)a[lane], (unsigned long long)b[lane], (unsigned long long)c[lane], (unsigned long long)out[lane], lane,
                 (unsigned long long)right);
    }
}

static uint64_t any_bits(random_source *source, int is_double) {
    const uint64_t bits = random_bits(source);
    return is_double ? bits : bits & 0xffffffff;
}

/* Every edge beside every other, each in every lane, with neighbours that are something else. */
static void operations_are_those_of_scalars(void **state) {
    (void)state;
    random_source source = {5};
    int units = 0;
    for (int u = 0; lane_ops_at(u); u++) {
        const lane_ops_unit *unit = lane_ops_at(u);
        if (!myr_isa_present(unit->isa)) continue;
        units++;
        assert_true(unit->lanes <= MOST);
        for (int op = 0; op < OP_COUNT; op++) {
            uint64_t a[MOST], b[MOST], c[MOST];
            for (int k = 0; k < EDGES * EDGES * EDGES; k++) {
                for (int lane = 0; lane < unit->lanes; lane++) {
                    const int at = k + 31 * lane;
                    a[lane] = edge(unit->is_double, at % EDGES), b[lane] = edge(unit->is_double, at / EDGES % EDGES);
                    c[lane] = edge(unit->is_double, at / EDGES / EDGES % EDGES);
                }
                compare(unit, (lane_op)op, a, b, c);
            }
            for (int k = 0; k < ROUNDS; k++) {
                for (int lane = 0; lane < unit->lanes; lane++) {
                    a[lane] = any_bits(&source, unit->is_double), b[lane] = any_bits(&source, unit->is_double);
                    c[lane] = any_bits(&source, unit->is_double);
                }
                compare(unit, (lane_op)op, a, b, c);
            }
        }
    }
    assert_true(units >= 2);
}

static void masks_are_their_bits(void **state) {
    (void)state;
    for (int u = 0; lane_ops_at(u); u++) {
        const lane_ops_unit *unit = lane_ops_at(u);
        if (!myr_isa_present(unit->isa)) continue;
        for (unsigned bits = 0; bits < 1u << unit->lanes; bits++) {
            uint64_t chosen[MOST];
            unsigned again;
            int any;
            unit->mask(bits, &again, &any, chosen);
            if (again != bits || any != (bits != 0)) fail_msg("%s, %d lanes: %#x is %#x, any %d", unit->isa, unit->lanes, bits, again, any);
            for (int lane = 0; lane < unit->lanes; lane++)
                if (number(unit->is_double, chosen[lane]) != (bits >> lane & 1u))
                    fail_msg("%s, %d lanes: %#x chooses wrongly in lane %d", unit->isa, unit->lanes, bits, lane);
        }
    }
}

/* Only the low halves count, and the product has all 64 bits. */
static void words_multiply_in_full(void **state) {
    (void)state;
    static const uint64_t words[] = {0,         1, 0xffffffff, 0x80000000, UINT64_C(0x100000000), UINT64_MAX, UINT64_C(0xdeadbeefffffffff),
                                     0xD2511F53};
    enum { WORDS = sizeof words / sizeof *words };
    for (int u = 0; lane_ops_at(u); u++) {
        const lane_ops_unit *unit = lane_ops_at(u);
        if (!myr_isa_present(unit->isa)) continue;
        for (int k = 0; k < WORDS * WORDS; k++) {
            uint64_t a[8], b[8], out[8];
            for (int i = 0; i < 8; i++) a[i] = words[(k + i) % WORDS], b[i] = words[(k / WORDS + 3 * i) % WORDS];
            const int n = unit->multiply(a, b, out);
            assert_true(n == (unit->is_double ? unit->lanes : unit->lanes / 2));
            for (int i = 0; i < n; i++)
                if (out[i] != (a[i] & 0xffffffff) * (b[i] & 0xffffffff))
                    fail_msg("%s: %#llx times %#llx is %#llx", unit->isa, (unsigned long long)a[i], (unsigned long long)b[i],
                             (unsigned long long)out[i]);
        }
    }
}

static void rows_of_doubles_are_picked_and_fused(void **state) {
    (void)state;
    random_source source = {6};
    for (int u = 0; lane_ops_at(u); u++) {
        const lane_ops_unit *unit = lane_ops_at(u);
        if (!myr_isa_present(unit->isa)) continue;
        for (int k = 0; k < 100; k++) {
            double row[16], picked[4], sum[4], less[4];
            for (int i = 0; i < 16; i++) row[i] = random_uniform(&source, -2, 2);
            const double b = random_uniform(&source, -2, 2), c = random_uniform(&source, -2, 2);
            for (int first = 0; first < 16; first += 4) {
                unit->wide(first, row, b, c, picked, sum, less);
                for (int t = 0; t < 4; t++) {
                    const double x = row[first + t];
                    if (picked[t] != x || sum[t] != fma(x, b, c) || less[t] != fma(-x, b, c))
                        fail_msg("%s: of %.17g, %.17g, %.17g element %d is %.17g, fused %.17g and %.17g", unit->isa, x, b, c, first + t,
                                 picked[t], sum[t], less[t]);
                }
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_are_those_of_scalars),
        cmocka_unit_test(masks_are_their_bits),
        cmocka_unit_test(words_multiply_in_full),
        cmocka_unit_test(rows_of_doubles_are_picked_and_fused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
