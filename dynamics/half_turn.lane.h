/* Half the turn that a rate makes in a step: what quaternions are made of. */
#ifndef MYR_DYNAMICS_HALF_TURN_LANE_H
#define MYR_DYNAMICS_HALF_TURN_LANE_H

#include "kernels/math.lane.h"
#include "robot/workspace.lane.h"

/* cos(angle) and sin(angle) / rate for angle = rate dt / 2, from the rate's square: the series where the angle is small, which it is in a
 * step (terms to angle^12: exact to rounding below 0.3 rad), vf_sincos elsewhere. */
static inline void half_turn(vf rate2, vf dt, vf *cosine, vf *scale) {
    static const double cos_terms[] = {-0.5, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600};
    static const double sin_terms[] = {-1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 0};
    const vf half = vf_set((real)0.5) * dt, one = vf_set(1), s = half * half * rate2;
    vf c = vf_set((real)cos_terms[5]), k = vf_set((real)sin_terms[5]);
    UNROLL for (int i = 4; i >= 0; i--) c = vf_fma(c, s, vf_set((real)cos_terms[i])), k = vf_fma(k, s, vf_set((real)sin_terms[i]));
    c = vf_fma(c, s, one), k = half * vf_fma(k, s, one);
    const vm large = vm_gt(s, vf_set((real)0.09));
    if (vm_any(large)) {
        vf sine, exact;
        const vf rate = vf_sqrt(rate2);
        vf_sincos(half * rate, &sine, &exact);
        c = vf_select(large, exact, c);
        k = vf_select(large, sine / rate, k);
    }
    *cosine = c, *scale = k;
}

#endif
