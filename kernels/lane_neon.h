/* Lane arithmetic on AArch64's Advanced SIMD (NEON): one 128-bit register per vf, masks as all-ones lanes. See lane_avx512.h.
 *
 * FMIN and FMAX are not what x86 has: they order zeros by their signs and give NaN where one of the two is. So min and max are a compare
 * and a select. */
#ifndef MYR_KERNELS_LANE_NEON_H
#define MYR_KERNELS_LANE_NEON_H

#include <arm_neon.h>

#define MYR_ISA neon
#define MYR_REGISTERS 32
#define MYR_SLEEF_BY_LANE 0

typedef real vf __attribute__((vector_size(16)));
#if MYR_DOUBLE
typedef uint64x2_t lane_mask;
#define MYR_N(op) op##q_f64
#define MYR_NU(op) op##q_u64
#define MYR_SLEEF(name, bound) Sleef_finz_##name##d2_##bound##advsimd
#define MYR_SLEEF_PAIR Sleef_float64x2_t_2
#else
typedef uint32x4_t lane_mask;
#define MYR_N(op) op##q_f32
#define MYR_NU(op) op##q_u32
#define MYR_SLEEF(name, bound) Sleef_finz_##name##f4_##bound##advsimd
#define MYR_SLEEF_PAIR Sleef_float32x4_t_2
#endif
typedef struct {
    lane_mask m;
} vm;

static inline vf vf_set(real x) { return MYR_DOUBLE ? (vf)vdupq_n_f64((double)x) : (vf)vdupq_n_f32((float)x); }
static inline vf vf_fma(vf a, vf b, vf c) { return MYR_N(vfma)(c, a, b); }
static inline vf vf_fnma(vf a, vf b, vf c) { return MYR_N(vfms)(c, a, b); }
static inline vf vf_fms(vf a, vf b, vf c) { return MYR_N(vfma)(-c, a, b); }
static inline vf vf_sqrt(vf a) { return MYR_N(vsqrt)(a); }
static inline vf vf_abs(vf a) { return MYR_N(vabs)(a); }
static inline vf vf_select(vm m, vf a, vf b) { return MYR_N(vbsl)(m.m, a, b); }

static inline vm vm_lt(vf a, vf b) { return (vm){MYR_N(vclt)(a, b)}; }
static inline vm vm_le(vf a, vf b) { return (vm){MYR_N(vcle)(a, b)}; }
static inline vm vm_gt(vf a, vf b) { return (vm){MYR_N(vcgt)(a, b)}; }
static inline vm vm_ge(vf a, vf b) { return (vm){MYR_N(vcge)(a, b)}; }
static inline vm vm_eq(vf a, vf b) { return (vm){MYR_N(vceq)(a, b)}; }
static inline vf vf_min(vf a, vf b) { return vf_select(vm_lt(a, b), a, b); }
static inline vf vf_max(vf a, vf b) { return vf_select(vm_gt(a, b), a, b); }
static inline vm vm_and(vm a, vm b) { return (vm){a.m & b.m}; }
static inline vm vm_or(vm a, vm b) { return (vm){a.m | b.m}; }
static inline vm vm_andnot(vm a, vm b) { return (vm){a.m & ~b.m}; }
/* 1, 2, 4, ..: the bit of each lane */
static inline lane_mask lane_bit(void) { return MYR_DOUBLE ? (lane_mask)(uint64x2_t){1, 2} : (lane_mask)(uint32x4_t){1, 2, 4, 8}; }
static inline unsigned vm_bits(vm a) { return (unsigned)MYR_NU(vaddv)(a.m & lane_bit()); }
static inline int vm_any(vm a) { return vmaxvq_u32((uint32x4_t)a.m) != 0; }
static inline vm vm_from_bits(unsigned bits) { return (vm){MYR_NU(vtst)(bits - (lane_mask){0}, lane_bit())}; }
/* Products of the low halves of 64-bit words, in full. */
typedef unsigned long long vq __attribute__((vector_size(16)));
static inline vq vq_mul(vq a, vq b) { return (vq)vmull_u32(vmovn_u64((uint64x2_t)a), vmovn_u64((uint64x2_t)b)); }

/* A value that is loaded once; see lane_avx512.h. */
static inline vf vf_hold(vf a) {
    __asm__("" : "+w"(a));
    return a;
}

typedef float64x2_t vd;
#define MYR_VD_MASKS 0
#define MYR_WIDE 2
static inline vd vd_set(double x) { return vdupq_n_f64(x); }
static inline vd vd_fma(vd a, vd b, vd c) { return vfmaq_f64(c, a, b); }
static inline vd vd_fnma(vd a, vd b, vd c) { return vfmsq_f64(c, a, b); }
INLINE vd vd_pick(const vd *row, int at, const int t) {
    (void)at;
    return vd_set(row[t / MYR_WIDE][t % MYR_WIDE]);
}

#endif
