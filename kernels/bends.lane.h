/* The bends of networks: e^x - 1 below zero, tanh, and what sigmoids are made of, without a call. Same bits at every width. A NaN stays
 * one. */
#ifndef MYR_KERNELS_BENDS_LANE_H
#define MYR_KERNELS_BENDS_LANE_H

#include "kernels/lane.h"

/* e^x - 1 for x <= 0: x = k ln 2 + r, |r| <= ln 2 / 2, e^r - 1 by its series, which is exact to a float with r^7, to a double with r^13. */
static inline vf vf_expm1_below(vf x) {
#if MYR_DOUBLE
    enum { TERMS = 12, SHIFT = 52 };
    static const real series[TERMS] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
                                       1.0 / 5040,       1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5};
    const real round = 0x1.8p52, least = -700, per = 0x1.71547652b82fep+0, high = 0x1.62e42fefap-1, low = 0x1.cf79abc9e3b3ap-40;
#else
    enum { TERMS = 6, SHIFT = 23 };
    static const real series[TERMS] = {1.0f / 5040, 1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f};
    const real round = 0x1.8p23f, least = -87, per = 0x1.715476p+0f, high = 0x1.62e4p-1f, low = 0x1.7f7d1cp-20f;
#endif
    x = vf_max(vf_set(least), x);
    const vf sum = vf_fma(x, vf_set(per), vf_set(round)), k = sum - vf_set(round);
    const vf r = vf_fnma(k, vf_set(low), vf_fnma(k, vf_set(high), x));
    vf p = vf_set(series[0]);
    UNROLL for (int i = 1; i < TERMS; i++) p = vf_fma(p, r, vf_set(series[i]));
    const vf rest = vf_fma(r * r, p, r);                       /* e^r - 1 */
    const vf power = (vf)((vu)vf_set(1) + ((vu)sum << SHIFT)); /* 2^k: the low bits of `sum` are k */
    return vf_fma(power, rest, power - vf_set(1));
}

/* A fraction, so that a product of several is divided once. below is 1 .. 2. */
typedef struct vf_ratio {
    vf above, below;
} vf_ratio;

/* The sign of b on a, which is not negative. */
static inline vf vf_signed(vf a, vf b) { return (vf)((vu)a | ((vu)b & (vu)vf_set((real)-0.0))); }

/* (1 - e) / (1 + e) with e = exp(-2 |x|), and the sign of x */
static inline vf_ratio vf_tanh_ratio(vf x) {
    const vf less = vf_expm1_below(vf_set(-2) * vf_abs(x)); /* e - 1 */
    return (vf_ratio){vf_signed(-less, x), less + vf_set(2)};
}
static inline vf vf_tanh(vf x) {
    const vf_ratio r = vf_tanh_ratio(x);
    return r.above / r.below;
}

/* 1 / (1 + exp(-x)): with e = exp(-|x|), 1 / (1 + e) above 0 and e / (1 + e) below */
static inline vf_ratio vf_sigmoid_ratio(vf x) {
    const vf less = vf_expm1_below(-vf_abs(x)), one = vf_set(1);
    return (vf_ratio){vf_select(vm_lt(x, vf_zero()), less + one, one), less + vf_set(2)};
}

#endif
