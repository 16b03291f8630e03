/* The one wrapper over the one math library of the lanes, SLEEF's functions that give the same bits at every
 * width. Up to release 3.9 they are called Sleef_finz_*. Accuracy: sincos 3.5 ulp (u35), others 1 ulp. */
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

#if MYR_DOUBLE
#define MYR_SINCOS1 Sleef_finz_sincosd1_u35purecfma
#define MYR_LOG1 Sleef_finz_logd1_u10purecfma
#define MYR_ATAN21 Sleef_finz_atan2d1_u35purecfma
#define MYR_SINCOS1_TYPE Sleef_double_2
#else
#define MYR_SINCOS1 Sleef_finz_sincosf1_u35purecfma
#define MYR_LOG1 Sleef_finz_logf1_u10purecfma
#define MYR_ATAN21 Sleef_finz_atan2f1_u35purecfma
#define MYR_SINCOS1_TYPE Sleef_float_2
#endif

/* sine and cosine of every lane [rad] */
static inline void vf_sincos(vf a, vf *sine, vf *cosine) {
#if MYR_ISA == 512 && MYR_DOUBLE
    const Sleef___m512d_2 r = Sleef_finz_sincosd8_u35avx512f(a);
#elif MYR_ISA == 512
    const Sleef___m512_2 r = Sleef_finz_sincosf16_u35avx512f(a);
#elif MYR_ISA == 256 && MYR_DOUBLE
    const Sleef___m256d_2 r = Sleef_finz_sincosd4_u35avx2(a);
#elif MYR_ISA == 256
    const Sleef___m256_2 r = Sleef_finz_sincosf8_u35avx2(a);
#else
    real s[VN], c[VN];
    for (int i = 0; i < VN; i++) {
        const MYR_SINCOS1_TYPE one = MYR_SINCOS1(a[i]);
        s[i] = one.x;
        c[i] = one.y;
    }
    struct {
        vf x, y;
    } r;
    __builtin_memcpy(&r.x, s, sizeof s);
    __builtin_memcpy(&r.y, c, sizeof c);
#endif
    *sine = r.x;
    *cosine = r.y;
}

/* natural logarithm */
static inline vf vf_log(vf a) {
#if MYR_ISA == 512 && MYR_DOUBLE
    return Sleef_finz_logd8_u10avx512f(a);
#elif MYR_ISA == 512
    return Sleef_finz_logf16_u10avx512f(a);
#elif MYR_ISA == 256 && MYR_DOUBLE
    return Sleef_finz_logd4_u10avx2(a);
#elif MYR_ISA == 256
    return Sleef_finz_logf8_u10avx2(a);
#else
    vf r = vf_zero();
    for (int i = 0; i < VN; i++) r[i] = MYR_LOG1(a[i]);
    return r;
#endif
}

/* angle of (x, y) from the x axis [rad] */
static inline vf vf_atan2(vf y, vf x) {
#if MYR_ISA == 512 && MYR_DOUBLE
    return Sleef_finz_atan2d8_u35avx512f(y, x);
#elif MYR_ISA == 512
    return Sleef_finz_atan2f16_u35avx512f(y, x);
#elif MYR_ISA == 256 && MYR_DOUBLE
    return Sleef_finz_atan2d4_u35avx2(y, x);
#elif MYR_ISA == 256
    return Sleef_finz_atan2f8_u35avx2(y, x);
#else
    vf r = vf_zero();
    for (int i = 0; i < VN; i++) r[i] = MYR_ATAN21(y[i], x[i]);
    return r;
#endif
}

#endif
