/* How far a scalar row's impulse and velocity are from its staircase, from the definition of monotone curves (docs/contact.md): a point
 * is within d of the curve where the corner of its square that lies up and to the right is not below the curve, and the opposite one not
 * above. */
#ifndef MYR_TESTS_REFERENCE_ROWS_H
#define MYR_TESTS_REFERENCE_ROWS_H

#include <stddef.h>

/* In the larger of |d impulse| and |d w|; stairs: f, lo, hi. */
double reference_row_distance(double impulse, double w, const double stairs[3]);

/* Velocity and impulse of a row alone, with free velocity c and mobility g > 0. */
void reference_row_alone(double g, double c, const double stairs[3], double *impulse, double *w);

/* w = G impulse + c of m numbers. */
void reference_velocity(size_t m, const double *G, const double *c, const double *impulse, double *w);

#endif
