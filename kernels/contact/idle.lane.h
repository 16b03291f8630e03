/* The laws (law.lane.h) of a contact that carries no impulse: squared distance of its velocity w from what they allow. */
#ifndef MYR_KERNELS_CONTACT_IDLE_LANE_H
#define MYR_KERNELS_CONTACT_IDLE_LANE_H

#include "kernels/solver.h"
#include "kernels/lane.h"

/* Squared distance of a velocity (|w_T| = t, z) from the dual cone mu t <= z; flank = 1 / (1 + mu^2). */
INLINE vf idle_cone2(vf mu, vf t, vf z, vf flank) {
    const vf under = vf_max(vf_fms(mu, t, z), vf_zero());
    return vf_select(vm_lt(vf_fma(mu, z, t), vf_zero()), vf_fma(z, z, t * t), under * under * flank);
}

/* Coulomb's: w + (0, 0, mu |w_T|) in the dual cone. */
INLINE vf idle_ncp2(vf mu, v3 w, vf flank) {
    const vf t = vf_sqrt(vf_fma(w.x, w.x, w.y * w.y));
    return idle_cone2(mu, t, vf_fma(mu, t, w.z), flank);
}

/* The convex one: w in the dual cone. */
INLINE vf idle_ccp2(vf mu, v3 w, vf flank) { return idle_cone2(mu, vf_sqrt(vf_fma(w.x, w.x, w.y * w.y)), w.z, flank); }

/* The others: it does not close. */
INLINE vf idle_closes2(v3 w) {
    const vf under = vf_min(w.z, vf_zero());
    return under * under;
}

#endif
