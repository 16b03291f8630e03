/* One lane: the low element of a 128-bit register, for measuring what lanes make of an algorithm (slip_cost.c). Unlike scalars,
 * registers keep masks and selections free of branches, as all other widths do. See kernels/lane_avx512.h. */
#ifndef MYR_BENCH_LANE_ONE_H
#define MYR_BENCH_LANE_ONE_H

#include <immintrin.h>

#define MYR_ISA one
#define MYR_LANES 1
#define MYR_REGISTERS 16
#define MYR_SLEEF_BY_LANE 1

typedef real vf __attribute__((vector_size(16)));

#if MYR_DOUBLE
#define MYR_L(op) _mm_##op##_pd
#define MYR_SLEEF(name, bound) Sleef_finz_##name##d1_##bound##purecfma
#define MYR_SLEEF_PAIR Sleef_double_2
#else
#define MYR_L(op) _mm_##op##_ps
#define MYR_SLEEF(name, bound) Sleef_finz_##name##f1_##bound##purecfma
#define MYR_SLEEF_PAIR Sleef_float_2
#endif
typedef struct {
    vf m;
} vm;

static inline vf vf_set(real x) { return MYR_L(set1)(x); }
static inline vf vf_fma(vf a, vf b, vf c) { return MYR_L(fmadd)(a, b, c); }
static inline vf vf_fnma(vf a, vf b, vf c) { return MYR_L(fnmadd)(a, b, c); }
static inline vf vf_fms(vf a, vf b, vf c) { return MYR_L(fmsub)(a, b, c); }
static inline vf vf_sqrt(vf a) { return MYR_L(sqrt)(a); }
static inline vf vf_min(vf a, vf b) { return MYR_L(min)(a, b); }
static inline vf vf_max(vf a, vf b) { return MYR_L(max)(a, b); }
static inline vf vf_abs(vf a) { return MYR_L(andnot)(vf_set((real)-0.0), a); }
static inline vf vf_select(vm m, vf a, vf b) { return MYR_L(blendv)(b, a, m.m); }

static inline vm vm_lt(vf a, vf b) { return (vm){MYR_L(cmp)(a, b, _CMP_LT_OQ)}; }
static inline vm vm_le(vf a, vf b) { return (vm){MYR_L(cmp)(a, b, _CMP_LE_OQ)}; }
static inline vm vm_gt(vf a, vf b) { return (vm){MYR_L(cmp)(a, b, _CMP_GT_OQ)}; }
static inline vm vm_ge(vf a, vf b) { return (vm){MYR_L(cmp)(a, b, _CMP_GE_OQ)}; }
static inline vm vm_eq(vf a, vf b) { return (vm){MYR_L(cmp)(a, b, _CMP_EQ_OQ)}; }
static inline vm vm_and(vm a, vm b) { return (vm){MYR_L(and)(a.m, b.m)}; }
static inline vm vm_or(vm a, vm b) { return (vm){MYR_L(or)(a.m, b.m)}; }
static inline vm vm_andnot(vm a, vm b) { return (vm){MYR_L(andnot)(b.m, a.m)}; }
static inline unsigned vm_bits(vm a) { return (unsigned)MYR_L(movemask)(a.m) & 1u; }
static inline int vm_any(vm a) { return vm_bits(a) != 0; }
static inline vm vm_from_bits(unsigned bits) { return bits & 1u ? vm_eq(vf_set(0), vf_set(0)) : vm_lt(vf_set(0), vf_set(0)); }
static inline vf vf_hold(vf a) { return a; }

#endif
