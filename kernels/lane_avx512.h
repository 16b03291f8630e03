/* Lane arithmetic on AVX-512 (F, DQ, BW, VL): one 512-bit register per vf, masks in mask registers.
 * Same names and same bits as lane_avx2.h and lane_portable.h; contraction is off, fma is written out.
 *
 * A lane header has:
 *   MYR_ISA              its name, as isas.def has it
 *   MYR_REGISTERS        how many registers there are: tiles of loops are as large as they hold
 *   MYR_SLEEF(name, bound), MYR_SLEEF_PAIR   the math library's function, and what a function of two results returns
 *   MYR_SLEEF_BY_LANE    1: those are functions of one number; 0: of a register
 *   vf, vf_*, vm, vm_*   registers of `real`, and masks
 *   vq, vq_mul           registers of 64-bit words, for random blocks
 *   vd, vd_*             registers of MYR_WIDE doubles, whatever `real` is, for a problem out of its lanes (contact/whole/)
 *   MYR_VD_MASKS         1: MYR_WIDE is 8 and there are vd_compress, vd_gather, vd_keep and vd_turn */
#ifndef MYR_KERNELS_LANE_AVX512_H
#define MYR_KERNELS_LANE_AVX512_H

#include <immintrin.h>

#define MYR_ISA avx512
#define MYR_REGISTERS 32
#define MYR_SLEEF_BY_LANE 0

/* Not __m512: that type may alias everything, and every store of lanes would make the compiler load all pointers again. */
typedef real vf __attribute__((vector_size(64)));

#if MYR_DOUBLE
typedef __mmask8 vm;
#define MYR_L(op) _mm512_##op##_pd
#define MYR_LM(op) _mm512_##op##_pd_mask
#define MYR_SLEEF(name, bound) Sleef_finz_##name##d8_##bound##avx512f
#define MYR_SLEEF_PAIR Sleef___m512d_2
#else
typedef __mmask16 vm;
#define MYR_L(op) _mm512_##op##_ps
#define MYR_LM(op) _mm512_##op##_ps_mask
#define MYR_SLEEF(name, bound) Sleef_finz_##name##f16_##bound##avx512f
#define MYR_SLEEF_PAIR Sleef___m512_2
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

/* A value that is loaded once: GCC gives each of three uses a load of its own, part of the operation, and a loop of such operations waits
 * for loads. Only where registers are many. */
static inline vf vf_hold(vf a) {
    __asm__("" : "+v"(a));
    return a;
}

/* ---- registers of doubles ------------------------------------------------------------------------ */

typedef __m512d vd;
#define MYR_VD_MASKS 1
#define MYR_WIDE 8
static inline vd vd_set(double x) { return _mm512_set1_pd(x); }
static inline vd vd_fma(vd a, vd b, vd c) { return _mm512_fmadd_pd(a, b, c); }
static inline vd vd_fnma(vd a, vd b, vd c) { return _mm512_fnmadd_pd(a, b, c); }
/* In every element, element at + t of the row that begins with row[0]. t is 0 to 3; `at` a multiple of 4, and below MYR_WIDE. */
INLINE vd vd_pick(const vd *row, int at, const int t) { return _mm512_permutexvar_pd(_mm512_set1_epi64(at + t), row[0]); }

/* Eight doubles of `from`, those of `mask` closed up, the rest zeros, to anywhere. */
static inline void vd_compress(double *to, unsigned mask, vd from) { _mm512_storeu_pd(to, _mm512_maskz_compress_pd((__mmask8)mask, from)); }
/* The lane's numbers of eight rows, `mask` of them; 0 for the others. */
static inline vd vd_gather(const vf *from, const int *index, unsigned mask, int lane) {
    const real *base = (const real *)(const void *)from + lane;
    const int lanes = (int)(sizeof(vf) / sizeof(real));
    const __m256i at = _mm256_mullo_epi32(_mm256_loadu_si256((const __m256i *)(const void *)index), _mm256_set1_epi32(lanes));
#if MYR_DOUBLE
    return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), (__mmask8)mask, at, base, 8);
#else
    return _mm512_cvtps_pd(_mm256_mmask_i32gather_ps(_mm256_setzero_ps(), (__mmask8)mask, at, base, 4));
#endif
}
/* mask ? a : b */
static inline vd vd_keep(unsigned mask, vd a, vd b) { return _mm512_mask_mov_pd(b, (__mmask8)mask, a); }
/* Eight rows of eight, columns into rows. */
INLINE void vd_turn(vd a[8]) {
#define MYR_QUARTERS(a, b, which) _mm512_shuffle_f64x2(a, b, which)
    vd pair[8], half[8];
    UNROLL for (int k = 0; k < 8; k += 2) pair[k] = _mm512_unpacklo_pd(a[k], a[k + 1]), pair[k + 1] = _mm512_unpackhi_pd(a[k], a[k + 1]);
    UNROLL for (int k = 0; k < 2; k++) {
        half[k] = MYR_QUARTERS(pair[k], pair[k + 2], 0x88), half[k + 2] = MYR_QUARTERS(pair[k], pair[k + 2], 0xdd);
        half[k + 4] = MYR_QUARTERS(pair[k + 4], pair[k + 6], 0x88), half[k + 6] = MYR_QUARTERS(pair[k + 4], pair[k + 6], 0xdd);
    }
    UNROLL for (int k = 0; k < 4; k++) a[k] = MYR_QUARTERS(half[k], half[k + 4], 0x88), a[k + 4] = MYR_QUARTERS(half[k], half[k + 4], 0xdd);
#undef MYR_QUARTERS
}

#endif
