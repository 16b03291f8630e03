/* How far given impulses are from the contact law, straight from the definitions (docs/contact.md): scalar double,
 * one contact at a time. Triples are (x, y, z), z the normal. */
#ifndef MYR_TESTS_REFERENCE_CONTACT_LAW_H
#define MYR_TESTS_REFERENCE_CONTACT_LAW_H

#include "kernels/kernels.h"

/* Violation of one contact: its impulse, its velocity w and the diagonal block G_ii (3, 3), row-major. */

/* Primal, dual and complementarity violation of the full law, K_mu > impulse _|_ w + (0, 0, mu |w_T|) in K*_mu. In
 * the absolute form the product is divided by the larger of its factors; in the scale-free form the caller has
 * divided impulse and w by their scales and the product stands as it is. */
typedef struct reference_ncp {
    double primal, dual, product;
} reference_ncp;
reference_ncp reference_law_ncp(const double impulse[3], const double w[3], double mu, int scale_free);

/* Violation of the per-contact maximum-dissipation model (Hwangbo 2018): the least of its three modes'. The direction of slip
 * needs only ratios of G_ii, so the scale of impulse and w is the caller's choice. */
typedef struct reference_modes {
    double open, stick, slide, least;
    char mode; /* 'o', 's' or 'd' */
} reference_modes;
reference_modes reference_law_dissipation(const double impulse[3], const double w[3], const double G_ii[9], double mu);

/* Violation of the convex model, K_mu > impulse _|_ w in K*_mu. */
reference_ncp reference_law_ccp(const double impulse[3], const double w[3], double mu, int scale_free);

/* Violation of the box pyramid: per axis the distance of the impulse from its place when w is taken off it and the rest clamped. */
double reference_law_box(const double impulse[3], const double w[3], double mu);
/* Violation of the diamond |x| + |y| <= mu z: likewise, with its nearest point for the clamped tangent. */
double reference_law_diamond(const double impulse[3], const double w[3], double mu);

/* A whole problem: w = G impulse + c into `w` (3 n), then the maxima over contacts. scale_free: impulse and w are
 * first divided by ls = max(max|impulse|, max|c| / max_i(tr G_ii / 3)) and vs = max|c|. */
typedef struct reference_residuals {
    double own[MYR_LAW_COUNT]; /* of each model, by myr_law */
} reference_residuals;
reference_residuals reference_law_problem(int n, const double *G, const double *c, const double *mu, const double *impulse, double *w,
                                          int scale_free);
/* The same of the compliant system, w = (G + diag R) impulse + c, R (3 n) nullable; scaled by G as above. */
reference_residuals reference_law_compliant(int n, const double *G, const double *R, const double *c, const double *mu,
                                            const double *impulse, double *w, int scale_free);

/* Distances to the friction cone K_mu and to its dual K*_mu = K_{1/mu}. */
double reference_distance_cone(const double impulse[3], double mu);
double reference_distance_dual(const double w[3], double mu);

#endif
