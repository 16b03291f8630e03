/* The solvers that take all contacts at once, one iteration after the other as the papers write them: dense, scalar, double. */
#ifndef MYR_TESTS_REFERENCE_CONTACT_WHOLE_H
#define MYR_TESTS_REFERENCE_CONTACT_WHOLE_H

enum { REFERENCE_MOST = 48 }; /* 3 n */

/* ADMM on (G, c, mu) from `start`, for so many iterations; z out. full: with the shift of the full law, else the convex model.
 * eta: proximal weight; ratio, power: adaption of rho; eta and rho0 (0: automatic) in units of the largest eigenvalue, estimated by twelve
 * steps of power iteration. Returns how often rho changed. */
typedef struct reference_admm_options {
    int full, iterations;
    double eta, rho0, relaxation, ratio, power;
} reference_admm_options;
int reference_admm(int n, const double *G, const double *c, const double *mu, const double *start, const reference_admm_options *o,
                   double *z);

/* Newton on the primal problem in the generalized velocity, M the unit matrix: J (3 n, nv), free velocity v (nv) in, v out. R (3 n): R_T
 * twice, R_N per contact. armijo: h = 0.8^k, else the minimum along the step. */
void reference_newton(int n, int nv, const double *J, const double *mu, const double *R, int iterations, int armijo, const double *v_free,
                      double *v);

/* The nearest point of the cone. */
void reference_cone_project(const double x[3], double mu, double y[3]);

#endif
