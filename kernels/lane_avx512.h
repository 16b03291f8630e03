/* Lane arithmetic on AVX-512 (F, DQ, BW, VL): one 512-bit register per vf, masks in mask registers.
 * Same names and same bits as lane_avx2.h and lane_portable.h; contraction is off, fma is written out. */
#ifndef MYR_KERNELS_LANE_AVX512_H
#define MYR_KERNELS_LANE_AVX512_H

#include <immintrin.h>

/* Not __m512: that type may alias everything, and every store of lanes would make the compiler load all pointers again. */
typedef real vf __attribute__((vector_size(64)));

#if MYR_DOUBLE
typedef __mmask8 vm;
#define MYR_L(op) _mm512_##op##_pd
#define MYR_LM(op) _mm512_##op##_pd_mask
#else
typedef __mmask16 vm;
#define MYR_L(op) _mm512_##op##_ps
#define MYR_LM(op) _mm512_##op##_ps_mask
#endif

static inline vf vf_set(real x) { return MYR_L(set1)(x); }
static inline vf vf_fma(vf a, vf b, vf c) { return MYR_L(fmadd)(a, b, c); }   /*  a b + c */
static inline vf vf_fnma(vf a, vf b, vf c) { return MYR_L(fnmadd)(a, b, c); } /* -a b + c */
static inline vf vf_fms(vf a, vf b, vf c) { return MYR_L(fmsub)(a, b, c); }   /*  a b - c */
static inline vf vf_sqrt(vf a) { return MYR_L(sqrt)(a); }
static inline vf vf_min(vf a, vf b) { return MYR_L(min)(a, b); } /* a < b ? a : b: b where unordered */
static inline vf vf_max(vf a, vf b) { return MYR_L(max)(a, b); } /* a > b ? a : b: b where unordered */
static inline vf vf_abs(vf a) { return MYR_L(abs)(a); }
static inline vf vf_select(vm m, vf a, vf b) { return MYR_L(mask_blend)(m, b, a); } /* m ? a : b */

static inline vm vm_lt(vf a, vf b) { return MYR_LM(cmp)(a, b, _CMP_LT_OQ); }
static inline vm vm_le(vf a, vf b) { return MYR_LM(cmp)(a, b, _CMP_LE_OQ); }
static inline vm vm_gt(vf a, vf b) { return MYR_LM(cmp)(a, b, _CMP_GT_OQ); }
static inline vm vm_ge(vf a, vf b) { return MYR_LM(cmp)(a, b, _CMP_GE_OQ); }
static inline vm vm_eq(vf a, vf b) { return MYR_LM(cmp)(a, b, _CMP_EQ_OQ); }
static inline vm vm_and(vm a, vm b) { return (vm)(a & b); }
static inline vm vm_or(vm a, vm b) { return (vm)(a | b); }
static inline vm vm_andnot(vm a, vm b) { return (vm)(a & ~b); } /* a and not b */
static inline int vm_any(vm a) { return a != 0; }
static inline unsigned vm_bits(vm a) { return a; }
/* Products of the low halves of 64-bit words, in full. */
typedef unsigned long long vq __attribute__((vector_size(64)));
static inline vq vq_mul(vq a, vq b) { return (vq)_mm512_mul_epu32((__m512i)a, (__m512i)b); }
static inline vm vm_from_bits(unsigned bits) { return (vm)bits; }

#endif
