/* Lane arithmetic without intrinsics: 128-bit compiler vectors, fma lane by lane. See lane_avx512.h. */
#ifndef MYR_KERNELS_LANE_PORTABLE_H
#define MYR_KERNELS_LANE_PORTABLE_H

#include <math.h>
#include <stdint.h>

#define MYR_ISA portable
#define MYR_REGISTERS 16
#define MYR_SLEEF_BY_LANE 1

typedef real vf __attribute__((vector_size(16)));
#if MYR_DOUBLE
typedef int64_t lane_int;
#define MYR_FMA __builtin_fma
#define MYR_SQRT __builtin_sqrt
#define MYR_SLEEF(name, bound) Sleef_finz_##name##d1_##bound##purecfma
#define MYR_SLEEF_PAIR Sleef_double_2
#else
typedef int32_t lane_int;
#define MYR_FMA __builtin_fmaf
#define MYR_SQRT __builtin_sqrtf
#define MYR_SLEEF(name, bound) Sleef_finz_##name##f1_##bound##purecfma
#define MYR_SLEEF_PAIR Sleef_float_2
#endif
typedef lane_int vi __attribute__((vector_size(16)));
typedef struct {
    vi m;
} vm;
enum { MYR_PORTABLE_LANES = 16 / sizeof(real) };

static inline vf vf_set(real x) { return x - (vf){0}; } /* x - 0 keeps the sign of zero, x + 0 would not */
static inline vf vf_fma(vf a, vf b, vf c) {
    vf r = {0};
    for (int i = 0; i < MYR_PORTABLE_LANES; i++) r[i] = MYR_FMA(a[i], b[i], c[i]);
    return r;
}
static inline vf vf_fnma(vf a, vf b, vf c) { return vf_fma(-a, b, c); }
static inline vf vf_fms(vf a, vf b, vf c) { return vf_fma(a, b, -c); }
static inline vf vf_sqrt(vf a) {
    vf r = {0};
    for (int i = 0; i < MYR_PORTABLE_LANES; i++) r[i] = MYR_SQRT(a[i]);
    return r;
}
static inline vf vf_select(vm m, vf a, vf b) { return (vf)(((vi)a & m.m) | ((vi)b & ~m.m)); }
static inline vm vm_lt(vf a, vf b) { return (vm){a < b}; }
static inline vm vm_le(vf a, vf b) { return (vm){a <= b}; }
static inline vm vm_gt(vf a, vf b) { return (vm){a > b}; }
static inline vm vm_ge(vf a, vf b) { return (vm){a >= b}; }
static inline vm vm_eq(vf a, vf b) { return (vm){a == b}; }
static inline vf vf_min(vf a, vf b) { return vf_select(vm_lt(a, b), a, b); }
static inline vf vf_max(vf a, vf b) { return vf_select(vm_gt(a, b), a, b); }
static inline vf vf_abs(vf a) { return (vf)((vi)a & ~(vi)vf_set((real)-0.0)); }
static inline vm vm_and(vm a, vm b) { return (vm){a.m & b.m}; }
static inline vm vm_or(vm a, vm b) { return (vm){a.m | b.m}; }
static inline vm vm_andnot(vm a, vm b) { return (vm){a.m & ~b.m}; }
static inline unsigned vm_bits(vm a) {
    unsigned bits = 0;
    for (int i = 0; i < MYR_PORTABLE_LANES; i++) bits |= (unsigned)(a.m[i] & 1) << i;
    return bits;
}
/* Products of the low halves of 64-bit words, in full. */
typedef unsigned long long vq __attribute__((vector_size(16)));
static inline vq vq_mul(vq a, vq b) { return (a & 0xffffffffu) * (b & 0xffffffffu); }
static inline int vm_any(vm a) { return vm_bits(a) != 0; }
static inline vm vm_from_bits(unsigned bits) {
    vm r;
    for (int i = 0; i < MYR_PORTABLE_LANES; i++) r.m[i] = (bits >> i & 1u) ? -1 : 0;
    return r;
}

/* Registers are too few to hold a value for several uses. */
static inline vf vf_hold(vf a) { return a; }

typedef double vd __attribute__((vector_size(16)));
#define MYR_VD_MASKS 0
#define MYR_WIDE 2
static inline vd vd_set(double x) { return (vd){x, x}; }
static inline vd vd_fma(vd a, vd b, vd c) { return (vd){__builtin_fma(a[0], b[0], c[0]), __builtin_fma(a[1], b[1], c[1])}; }
static inline vd vd_fnma(vd a, vd b, vd c) { return vd_fma(-a, b, c); }
INLINE vd vd_pick(const vd *row, int at, const int t) {
    (void)at;
    return vd_set(row[t / MYR_WIDE][t % MYR_WIDE]);
}

#endif
