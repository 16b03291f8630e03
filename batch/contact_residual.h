/* How far an answer to a bare contact problem is from the law, scale-free, by the definitions of docs/contact.md. Scalar
 * double, whatever the solver computed in: the figure judges the answer, not the arithmetic. */
#ifndef MYR_BATCH_CONTACT_RESIDUAL_H
#define MYR_BATCH_CONTACT_RESIDUAL_H

#include "myriapod/contact.h"

typedef struct myr_contact_scale {
    double impulse0; /* max|c| / mobility [N s]: the impulse scale of the problem */
    double velocity; /* max|c| [m/s] */
    double mobility; /* max_i tr(G_ii) / 3 [1/kg] */
} myr_contact_scale;

/* Never zero: what a problem leaves open (c = 0, G = 0) is 1. */
myr_contact_scale myr_contact_scale_of(const myr_contact_problem *problem);

/* Velocity = G impulse + c, residual_ncp, modes, and the violation of the model of 000 from result->impulse. */
void myr_contact_measure(const myr_contact_problem *problem, const myr_contact_scale *scale, myr_contact_result *result,
                         double *dissipation);

#endif
