/* The solvers that sweep, one problem at a time in plain loops, from the papers: Hwangbo 2018 Algorithm 2 with its two other slip
 * solvers and (17)-(18), Le Lidec 2024 Algorithms 1, 2, 6 and 7, Lu 2015 Algorithm 1. Nothing stops them before the given number of
 * sweeps. */
#ifndef MYR_TESTS_REFERENCE_CONTACT_SOLVERS_H
#define MYR_TESTS_REFERENCE_CONTACT_SOLVERS_H

typedef struct reference_sweeps {
    int sweeps;
    double alpha, alpha_min, gamma; /* Hwangbo 2018 Algorithm 2 */
    double pgs_alpha, relaxation;
    double r, zeta; /* Lu 2015: as they stand in (26)-(28) */
} reference_sweeps;

/* G (3 n, 3 n) row-major, c (3 n), mu (n); impulse (3 n): start in, answer out. 0 where there is no solver of that name. */
int reference_solve(const char *solver, int n, const double *G, const double *c, const double *mu, const reference_sweeps *how,
                    double *impulse);

/* Determinant of Lu's A, (13), less x on the diagonal, divided by a positive number: four friction directions per contact. */
double reference_prox_determinant(int n, const double *G, const double *mu, double x);

#endif
