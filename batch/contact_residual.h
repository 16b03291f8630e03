/* How far an answer to a bare contact problem is from the law, scale-free, by the definitions of docs/contact.md. Scalar
 * double, whatever the solver computed in: the figure judges the answer, not the arithmetic. */
#ifndef MYR_BATCH_CONTACT_RESIDUAL_H
#define MYR_BATCH_CONTACT_RESIDUAL_H

#include "kernels/kernels.h"
#include "myriapod/contact.h"

typedef struct myr_contact_scale {
    double impulse0; /* max|c| / mobility [N s]: the impulse scale of the problem */
    double velocity; /* max|c| [m/s] */
    double mobility; /* max_i tr(G_ii) / 3 [1/kg] */
} myr_contact_scale;

/* Never zero: what a problem leaves open (c = 0, G = 0) is 1. */
myr_contact_scale myr_contact_scale_of(const myr_contact_problem *problem);

/* The compliance that a solve with these options gives a problem, (3 nc) into R. Returns 0 where there is none, and R is zero then. */
int myr_contact_compliance(const myr_contact_problem *problem, const myr_solve_options *options, double *R);

/* From result->impulse: velocity = G impulse + c, modes, residual_ncp, and the residual of `law` with the compliance R (3 nc). */
void myr_contact_measure(const myr_contact_problem *problem, const double *R, const myr_contact_scale *scale, myr_law law,
                         myr_contact_result *result);

/* result->minimum and result->internal from result->impulse (batch/contact_internal.c). */
void myr_contact_minimum(const myr_contact_problem *problem, myr_contact_result *result);

#endif
