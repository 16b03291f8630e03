/* The one wrapper over the one math library of the lanes, SLEEF's functions that give the same bits at every
 * width. Up to release 3.9 they are called Sleef_finz_*. Accuracy: sincos 3.5 ulp (u35), others 1 ulp. */
#ifndef MYR_KERNELS_MATH_LANE_H
#define MYR_KERNELS_MATH_LANE_H

#include <sleef.h>

#include "lane.h"

/* The header shows these only to compilers that announce a fast fma, which clang does not. */
Sleef_float_2 Sleef_finz_sincosf1_u35purecfma(float);
Sleef_double_2 Sleef_finz_sincosd1_u35purecfma(double);
float Sleef_finz_logf1_u10purecfma(float);
double Sleef_finz_logd1_u10purecfma(double);

#if MYR_DOUBLE
#define MYR_SINCOS1 Sleef_finz_sincosd1_u35purecfma
#define MYR_LOG1 Sleef_finz_logd1_u10purecfma
#define MYR_SINCOS1_TYPE Sleef_double_2
#else
#define MYR_SINCOS1 Sleef_finz_sincosf1_u35purecfma
#define MYR_LOG1 Sleef_finz_logf1_u10purecfma
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
    struct {
        vf x, y;
    } r = {vf_zero(), vf_zero()};
    for (int i = 0; i < VN; i++) {
        const MYR_SINCOS1_TYPE one = MYR_SINCOS1(a[i]);
        r.x[i] = one.x;
        r.y[i] = one.y;
    }
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

#endif
