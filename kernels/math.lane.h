/* Functions of lanes: SLEEF's that give the same bits at every width (up to release 3.9 they are called Sleef_finz_*), and on top
 * of its sincos an own one for the angles that joints have: a step takes a dozen, and as calls they were a twentieth of it.
 * Accuracy: sincos 1.6 ulp (3.5 beyond SINCOS_REACH; sin(-0) is +0), log and exp 1 ulp, atan2 3.5. */
#ifndef MYR_KERNELS_MATH_LANE_H
#define MYR_KERNELS_MATH_LANE_H

/* sleef.h shows the scalar functions that use fma only to compilers that announce a fast one; clang does not. */
#ifndef FP_FAST_FMA
#define FP_FAST_FMA
#endif
#ifndef FP_FAST_FMAF
#define FP_FAST_FMAF
#endif
#include <sleef.h>

#include "lane.h"

/* Of one number, for what is drawn lane by lane. */
#if MYR_DOUBLE
#define MYR_SINCOS1 Sleef_finz_sincosd1_u35purecfma
#define MYR_SINCOS1_TYPE Sleef_double_2
#else
#define MYR_SINCOS1 Sleef_finz_sincosf1_u35purecfma
#define MYR_SINCOS1_TYPE Sleef_float_2
#endif

/* A function of lanes by the library's function of the same registers, or of one number. Macros, not functions that take a pointer: the
 * library's CONST makes another type of its functions in clang than in gcc. */
#if MYR_SLEEF_BY_LANE
#define MATH_TWO(function, a, first, second)                                                                                               \
    do {                                                                                                                                   \
        real x_[VN], y_[VN];                                                                                                               \
        for (int i_ = 0; i_ < VN; i_++) {                                                                                                  \
            const MYR_SLEEF_PAIR both_ = function((a)[i_]);                                                                                \
            x_[i_] = both_.x;                                                                                                              \
            y_[i_] = both_.y;                                                                                                              \
        }                                                                                                                                  \
        __builtin_memcpy(first, x_, sizeof x_);                                                                                            \
        __builtin_memcpy(second, y_, sizeof y_);                                                                                           \
    } while (0)
#define MATH_ONE(function, a)                                                                                                              \
    ({                                                                                                                                     \
        vf r_ = vf_zero();                                                                                                                 \
        for (int i_ = 0; i_ < VN; i_++) r_[i_] = function((a)[i_]);                                                                        \
        r_;                                                                                                                                \
    })
#define MATH_OF_TWO(function, a, b)                                                                                                        \
    ({                                                                                                                                     \
        vf r_ = vf_zero();                                                                                                                 \
        for (int i_ = 0; i_ < VN; i_++) r_[i_] = function((a)[i_], (b)[i_]);                                                               \
        r_;                                                                                                                                \
    })
#else
#define MATH_TWO(function, a, first, second)                                                                                               \
    do {                                                                                                                                   \
        const MYR_SLEEF_PAIR both_ = function(a);                                                                                          \
        *(first) = both_.x;                                                                                                                \
        *(second) = both_.y;                                                                                                               \
    } while (0)
#define MATH_ONE(function, a) function(a)
#define MATH_OF_TWO(function, a, b) function(a, b)
#endif

static inline void vf_sincos_any(vf a, vf *sine, vf *cosine) { MATH_TWO(MYR_SLEEF(sincos, u35), a, sine, cosine); }

#if MYR_DOUBLE
#define SINCOS_REACH 1e5
#else
#define SINCOS_REACH 1e4
#endif

/* Sine and cosine of every lane [rad]. The angle less k quarter turns (pi / 2 in three parts, each product exact in the fma), then
 * minimax polynomials on +-pi / 4: sin x = x + x^3 P(x^2), cos x = 1 - x^2 / 2 + x^4 Q(x^2). The low bits of k pick and sign. */
static inline void vf_sincos(vf a, vf *sine, vf *cosine) {
#if MYR_DOUBLE
    enum { TERMS = 6, BITS = 64 };
    static const real P[TERMS] = {-0.16666666666666632,   0.0083333333333224137,   -0.00019841269829807820,
                                  2.7557313691921889e-06, -2.5050758115840259e-08, 1.5896795684515943e-10};
    static const real Q[TERMS] = {0.041666666666666599,    -0.0013888888888874124, 2.4801587289482184e-05,
                                  -2.7557314352332912e-07, 2.0875723273266617e-09, -1.1359647806144817e-11};
    const real quarter[3] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b8p-110}, round = 0x1.8p52;
#else
    enum { TERMS = 3, BITS = 32 };
    static const real P[TERMS] = {-0.16666654937f, 0.0083321776865f, -0.00019517234695f};
    static const real Q[TERMS] = {0.041666646855f, -0.0013887366910f, 2.4438379477e-05f};
    const real quarter[3] = {0x1.921fb6p+0f, -0x1.777a5cp-25f, -0x1.ee59dap-50f}, round = 0x1.8p23f;
#endif
    const vf sum = vf_fma(a, vf_set((real)0.63661977236758134), vf_set(round)), k = sum - vf_set(round);
    vf x = a;
    UNROLL for (int i = 0; i < 3; i++) x = vf_fnma(k, vf_set(quarter[i]), x);
    const vf z = x * x;
    vf p = vf_set(P[TERMS - 1]), q = vf_set(Q[TERMS - 1]);
    UNROLL for (int i = TERMS - 2; i >= 0; i--) p = vf_fma(p, z, vf_set(P[i])), q = vf_fma(q, z, vf_set(Q[i]));
    const vf s = vf_fma(x * z, p, x), c = vf_fma(z, vf_fma(z, q, vf_set((real)-0.5)), vf_set(1));
    const vu bits = (vu)sum, sign = (vu)vf_set((real)-0.0);
    const vm odd = vm_gt((vf)((bits & 1) << (BITS - 3)), vf_zero()); /* a small positive number where bit 0 is set */
    *sine = (vf)((vu)vf_select(odd, c, s) ^ ((bits << (BITS - 2)) & sign));
    *cosine = (vf)((vu)vf_select(odd, s, c) ^ (((bits + 1) << (BITS - 2)) & sign));
    const vm far = vm_not(vm_le(vf_abs(a), vf_set((real)SINCOS_REACH)));
    if (vm_any(far)) {
        vf far_sine, far_cosine;
        vf_sincos_any(a, &far_sine, &far_cosine);
        *sine = vf_select(far, far_sine, *sine);
        *cosine = vf_select(far, far_cosine, *cosine);
    }
}

/* The nearest whole number, of what is smaller than 2^22 (float) or 2^51. */
static inline vf vf_whole(vf a) {
    const vf round = vf_set(MYR_DOUBLE ? (real)0x1.8p52 : (real)0x1.8p23);
    return (a + round) - round;
}

/* natural logarithm */
static inline vf vf_log(vf a) { return MATH_ONE(MYR_SLEEF(log, u10), a); }

/* e to the power of a */
static inline vf vf_exp(vf a) { return MATH_ONE(MYR_SLEEF(exp, u10), a); }

/* angle of (x, y) from the x axis [rad] */
static inline vf vf_atan2(vf y, vf x) { return MATH_OF_TWO(MYR_SLEEF(atan2, u35), y, x); }

#endif
