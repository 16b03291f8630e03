/* One unit of lane_ops.h. */
#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-function" /* of the header, operations alone */
#include "kernels/lane.h"
#include "lane_ops.h"

#if MYR_DOUBLE
typedef uint64_t ops_word;
#else
typedef uint32_t ops_word;
#endif

static vf ops_load(const uint64_t *a) {
    vf r;
    ops_word words[VN];
    for (int i = 0; i < VN; i++) words[i] = (ops_word)a[i];
    memcpy(&r, words, sizeof r);
    return r;
}

static void ops_store(uint64_t *out, vf a) {
    ops_word words[VN];
    memcpy(words, &a, sizeof a);
    for (int i = 0; i < VN; i++) out[i] = words[i];
}

static vm ops_mask(const uint64_t *a) {
    unsigned bits = 0;
    for (int i = 0; i < VN; i++) bits |= (unsigned)(a[i] & 1) << i;
    return vm_from_bits(bits);
}

static void ops_run(lane_op op, const uint64_t *a_, const uint64_t *b_, const uint64_t *c_, uint64_t *out) {
    const vf a = ops_load(a_), b = ops_load(b_), c = ops_load(c_);
    const vm p = ops_mask(a_), q = ops_mask(b_);
    vm m;
    switch (op) {
    case OP_MIN: ops_store(out, vf_min(a, b)); return;
    case OP_MAX: ops_store(out, vf_max(a, b)); return;
    case OP_ABS: ops_store(out, vf_abs(a)); return;
    case OP_SQRT: ops_store(out, vf_sqrt(a)); return;
    case OP_FMA: ops_store(out, vf_fma(a, b, c)); return;
    case OP_FNMA: ops_store(out, vf_fnma(a, b, c)); return;
    case OP_FMS: ops_store(out, vf_fms(a, b, c)); return;
    case OP_SELECT: ops_store(out, vf_select(ops_mask(c_), a, b)); return;
    case OP_HOLD: ops_store(out, vf_hold(a)); return;
    case OP_LT: m = vm_lt(a, b); break;
    case OP_LE: m = vm_le(a, b); break;
    case OP_GT: m = vm_gt(a, b); break;
    case OP_GE: m = vm_ge(a, b); break;
    case OP_EQ: m = vm_eq(a, b); break;
    case OP_FINITE: m = vm_finite(a); break;
    case OP_AND: m = vm_and(p, q); break;
    case OP_OR: m = vm_or(p, q); break;
    case OP_ANDNOT: m = vm_andnot(p, q); break;
    case OP_NOT: m = vm_not(p); break;
    default: return;
    }
    for (int i = 0; i < VN; i++) out[i] = vm_bits(m) >> i & 1u;
}

static void ops_bits(unsigned bits, unsigned *again, int *any, uint64_t *chosen) {
    const vm m = vm_from_bits(bits);
    *again = vm_bits(m);
    *any = vm_any(m);
    ops_store(chosen, vf_select(m, vf_set(1), vf_zero()));
}

static int ops_multiply(const uint64_t *a, const uint64_t *b, uint64_t *out) {
    vq x, y;
    memcpy(&x, a, sizeof x), memcpy(&y, b, sizeof y);
    x = vq_mul(x, y);
    memcpy(out, &x, sizeof x);
    return (int)(sizeof x / sizeof *out);
}

static void ops_wide(int first, const double row[16], double b, double c, double picked[4], double fma[4], double fnma[4]) {
    const int from = first / MYR_WIDE * MYR_WIDE;
    vd registers[16 / MYR_WIDE];
    memcpy(registers, row, sizeof registers);
    const vd *at = &registers[from / MYR_WIDE];
    double got[16 / MYR_WIDE][MYR_WIDE];
#define OPS_PICK(t) picked[t] = vd_pick(at, first - from, t)[MYR_WIDE - 1]
    OPS_PICK(0), OPS_PICK(1), OPS_PICK(2), OPS_PICK(3);
#undef OPS_PICK
    for (int i = 0; i < 16 / MYR_WIDE; i++) {
        const vd x = vd_fma(registers[i], vd_set(b), vd_set(c));
        memcpy(got[i], &x, sizeof x);
    }
    for (int k = 0; k < 4; k++) fma[k] = got[(first + k) / MYR_WIDE][(first + k) % MYR_WIDE];
    for (int i = 0; i < 16 / MYR_WIDE; i++) {
        const vd x = vd_fnma(registers[i], vd_set(b), vd_set(c));
        memcpy(got[i], &x, sizeof x);
    }
    for (int k = 0; k < 4; k++) fnma[k] = got[(first + k) / MYR_WIDE][(first + k) % MYR_WIDE];
}

extern const lane_ops_unit MYR_UNIT(lane_ops);
const lane_ops_unit MYR_UNIT(lane_ops) = {MYR_ISA_NAME, MYR_DOUBLE, VN, ops_run, ops_bits, ops_multiply, ops_wide};
