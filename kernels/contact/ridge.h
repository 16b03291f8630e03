/* The ridge of Newton's steps (whole/newton.h, patch_newton.lane.h), of a diagonal of 1: of the k-th step from the first, 0. */
#ifndef MYR_KERNELS_CONTACT_RIDGE_H
#define MYR_KERNELS_CONTACT_RIDGE_H

static const double newton_narrow = 1e-4, newton_wide = 1e-3;

/* A step with the wide one is shorter: each alone leaves more problems open than the two in turn. */
static inline double newton_ridge(int k) { return k > 2 && k % 2 ? newton_wide : newton_narrow; }

#endif
