/* The interior points of Brüdigam 2021 for one problem, without elimination: all slacks and multipliers are unknowns of one
 * dense system in extended precision. What the equations of docs/contact.md say is written once, as a residual; as it is quadratic, its
 * derivative and what a step leaves of second order are differences of it, to rounding. */
#ifndef MYR_TESTS_REFERENCE_CONTACT_IPM_H
#define MYR_TESTS_REFERENCE_CONTACT_IPM_H

/* Of scalar rows f, lo, hi; infinite: no limit. */
typedef struct reference_ipm_problem {
    int contacts, rows;
    const double *G, *c, *mu, *stairs; /* mu > 0, and lo < hi */
} reference_ipm_problem;

/* impulse (3 contacts + rows): the answer. Returns the steps that brought the mean product down to `sigma`, 0 where they did not get on.
 * diamond: the cone of the authors, else the second-order cone. */
int reference_ipm(const reference_ipm_problem *p, int diamond, double sigma, double *impulse);

#endif
