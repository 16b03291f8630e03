/* Lane arithmetic on AVX2 + FMA: one 256-bit register per vf, masks as all-ones lanes. See lane_avx512.h. */
#ifndef MYR_KERNELS_LANE_AVX2_H
#define MYR_KERNELS_LANE_AVX2_H

#include <immintrin.h>

#define MYR_ISA avx2
#define MYR_REGISTERS 16
#define MYR_SLEEF_BY_LANE 0

/* Not __m256: that type may alias everything, and every store of lanes would make the compiler load all pointers again. */
typedef real vf __attribute__((vector_size(32)));

#if MYR_DOUBLE
#define MYR_L(op) _mm256_##op##_pd
#define MYR_SLEEF(name, bound) Sleef_finz_##name##d4_##bound##avx2
#define MYR_SLEEF_PAIR Sleef___m256d_2
#else
#define MYR_L(op) _mm256_##op##_ps
#define MYR_SLEEF(name, bound) Sleef_finz_##name##f8_##bound##avx2
#define MYR_SLEEF_PAIR Sleef___m256_2
#endif
typedef struct {
    vf m;
} vm; /* a type of its own, so that a mask is never used as a number */

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
static inline unsigned vm_bits(vm a) { return (unsigned)MYR_L(movemask)(a.m); }
/* Products of the low halves of 64-bit words, in full. */
typedef unsigned long long vq __attribute__((vector_size(32)));
static inline vq vq_mul(vq a, vq b) { return (vq)_mm256_mul_epu32((__m256i)a, (__m256i)b); }
static inline int vm_any(vm a) { return vm_bits(a) != 0; }
static inline vm vm_from_bits(unsigned bits) {
#if MYR_DOUBLE
    const __m256i lane = _mm256_set_epi64x(8, 4, 2, 1);
    const __m256i hit = _mm256_and_si256(_mm256_set1_epi64x((long long)bits), lane);
    return (vm){_mm256_castsi256_pd(_mm256_cmpeq_epi64(hit, lane))};
#else
    const __m256i lane = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
    const __m256i hit = _mm256_and_si256(_mm256_set1_epi32((int)bits), lane);
    return (vm){_mm256_castsi256_ps(_mm256_cmpeq_epi32(hit, lane))};
#endif
}

/* Registers are too few to hold a value for several uses. */
static inline vf vf_hold(vf a) { return a; }

typedef __m256d vd;
#define MYR_VD_MASKS 0
#define MYR_WIDE 4
static inline vd vd_set(double x) { return _mm256_set1_pd(x); }
static inline vd vd_fma(vd a, vd b, vd c) { return _mm256_fmadd_pd(a, b, c); }
static inline vd vd_fnma(vd a, vd b, vd c) { return _mm256_fnmadd_pd(a, b, c); }
INLINE vd vd_pick(const vd *row, int at, const int t) {
    (void)at;
    return vd_set(row[t / MYR_WIDE][t % MYR_WIDE]);
}

#endif
