/* How far an answer to a bare contact problem is from the law, scale-free, by the definitions of docs/contact.md. Scalar
 * double, whatever the solver computed in: the figure judges the answer, not the arithmetic. */
#ifndef MYR_PROBLEMS_RESIDUAL_H
#define MYR_PROBLEMS_RESIDUAL_H

#include "kernels/solver.h"
#include "myriapod/contact.h"

/* The numbers of a problem: of its contacts, its scalar rows and its bilateral rows. */
static inline size_t myr_contact_numbers(const myr_contact_problem *p) {
    return 3 * (size_t)p->contacts + (size_t)p->rows + (size_t)p->bilateral;
}

/* Most of them: m^2 rows of a tile are counted in an int. */
enum { MYR_CONTACT_NUMBERS = 45000 };

/* Is it a problem? MYR_E_ARG or MYR_E_LIMIT with the index, the array and the place (problems/check.c). */
myr_status myr_contact_check(int64_t index, const myr_contact_problem *p, const myr_contact_result *r);

typedef struct myr_contact_scale {
    double impulse0; /* max|c| / mobility [N s]: the impulse scale of the problem */
    double velocity; /* max|c| [m/s] */
    double mobility; /* the largest of tr(G_ii) / 3 of contacts and G_kk of rows [1/kg] */
} myr_contact_scale;

/* Never zero: what a problem leaves open (c = 0, G = 0) is 1. */
myr_contact_scale myr_contact_scale_of(const myr_contact_problem *problem);

/* The compliance that a solve with these options gives a problem, (m) into R. Returns 0 where there is none, and R is zero then. */
int myr_contact_compliance(const myr_contact_problem *problem, const myr_solve_options *options, double *R);

/* From result->impulse: velocity = G impulse + c, modes, residual_ncp, and the residual of `law` with the compliance R (m). Of a problem
 * without bilateral rows: what remains of them is measured where they are restored. */
void myr_contact_measure(const myr_contact_problem *problem, const double *R, const myr_contact_scale *scale, myr_law law,
                         myr_contact_result *result);

/* What a contact does, scaled impulse and velocity given: 'o', 's' or 'd', the nearest mode. */
char myr_contact_mode(const double l[3], const double w[3], double mu, myr_law law);

/* Bilateral rows eliminated: what is left is a problem of contacts and scalar rows (problems/bilateral.c). */
typedef struct myr_contact_reduced {
    double *memory;
    double *G, *c; /* of what is left; NULL where it has no bilateral rows */
    double *give;  /* (n, m - n): impulses of the bilateral rows = give impulse + own */
    double *own;   /* (n) */
    double *range; /* (n, n): projector on the range of G among the bilateral rows */
} myr_contact_reduced;

/* `problem`: with a symmetric G; R: its compliance (m). MYR_E_MEMORY. Free with myr_contact_reduced_free in any case. */
myr_status myr_contact_reduce(const myr_contact_problem *problem, const double *R, myr_contact_reduced *out);
void myr_contact_reduced_free(myr_contact_reduced *reduced);
/* From the answer to what is left: the impulses of the bilateral rows, all velocities, and in both residuals the velocity of the bilateral
 * rows in the range of G. */
void myr_contact_restore(const myr_contact_problem *problem, const myr_contact_reduced *reduced, const double *R,
                         const myr_contact_scale *scale, myr_contact_result *result);

/* result->minimum and result->internal from result->impulse (problems/internal.c). */
void myr_contact_minimum(const myr_contact_problem *problem, myr_contact_result *result);

#endif
