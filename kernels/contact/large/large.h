/* Contact problems of thousands of contacts: G in blocks of 3x3, a problem at a time, in scalar double. The problem comes in units in which
 * the largest mobility and the largest free velocity are 1, as a lane has it (problems/large_solve.c). */
#ifndef MYR_KERNELS_CONTACT_LARGE_LARGE_H
#define MYR_KERNELS_CONTACT_LARGE_LARGE_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/solver.h"
#include "myriapod/contact.h"
#include "myriapod/status.h"

/* Rows of blocks one after the other, columns ascending; symmetric, and every row has its diagonal block. */
typedef struct myr_large {
    int n;                 /* contacts */
    const int64_t *first;  /* (n + 1) */
    const int *column;     /* (first[n]) */
    const int64_t *middle; /* (n) where the diagonal block is */
    const double *block;   /* (first[n], 9) row-major */
    const double *c, *mu;  /* (3 n), (n) */
    double *lambda;        /* (3 n) in: start, out: answer */
    double *w;             /* (3 n) out: G lambda + c */
    int64_t iterations;
    myr_solve_status status; /* never MYR_NOT_FINITE: who scales looks at the numbers */
} myr_large;

/* Solvers: MYR_OK and p->status, or MYR_E_MEMORY, MYR_E_LIMIT and a message about problem `index`. */
myr_status myr_large_nsgs(myr_large *p, const myr_solve_options *o, int64_t index);

myr_status myr_large_admm(myr_large *p, const myr_solve_options *o, int64_t index);

/* w = G lambda + c, from nothing */
void myr_large_velocity(myr_large *p);
/* The farthest that lambda and w are from the law (NCP, or CCP), scale-free as docs/contact.md has it, and with the product divided by its
 * larger factor where that is below 1: a contact that carries little is looked at as closely as the others. NaN comes out. */
double myr_large_violation(const myr_large *p, myr_law law);
/* The largest impulse, at least 1: what impulses are measured by. */
double myr_large_impulse_scale(const myr_large *p);

#endif
