/* A sparse Cholesky factor of G plus a diagonal, by CXSparse (LGPL, of SuiteSparse). It is simplicial, runs in one thread and calls no
 * BLAS: its bits do not depend on the machine, but on how the library was compiled. The build defines MYR_SPARSE_FACTOR 1 where it is
 * there. */
#ifndef MYR_KERNELS_CONTACT_LARGE_FACTOR_H
#define MYR_KERNELS_CONTACT_LARGE_FACTOR_H

#include "large.h"

typedef struct myr_factor myr_factor;

/* 1: there are sparse factors. */
int myr_factor_exists(void);
/* Contacts in an order in which little fills in (approximate minimum degree), and where the factor has numbers. MYR_E_LIMIT: too many of
 * them. Free with myr_factor_free in any case. */
myr_status myr_factor_open(const myr_large *p, int64_t index, myr_factor **out);
/* Factor G + diag(add), `add` one number for each contact. */
myr_status myr_factor_compute(myr_factor *f, const myr_large *p, const double *add, int64_t index);
/* x <- (G + diag(add))^-1 x */
void myr_factor_solve(myr_factor *f, double *x);
void myr_factor_free(myr_factor *f); /* NULL is fine */

#endif
