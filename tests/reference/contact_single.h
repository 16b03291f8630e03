/* One contact under the per-contact maximum-dissipation model of Hwangbo 2018, and under the full law, solved by brute force: the exact
 * answers that the slip solvers are checked with. */
#ifndef MYR_TESTS_REFERENCE_CONTACT_SINGLE_H
#define MYR_TESTS_REFERENCE_CONTACT_SINGLE_H

/* G (3, 3) row-major, symmetric positive definite; c (3) [m/s]. impulse (3) [N s] out. Returns the mode: 'o', 's', 'd',
 * or '?' where a slipping contact has no bounded minimum (no ray of the cone meets the plane w_z = 0). */
char reference_single(const double G[9], const double c[3], double mu, double impulse[3]);

/* The same under the full law: a slipping contact moves against its friction. By angles all around the cone, where the velocity and the
 * tangential impulse are parallel. `roots`: how many places slip is lawful at; the impulse is the last one's. 1 for the other modes. */
char reference_single_coulomb(const double G[9], const double c[3], double mu, double impulse[3], int *roots);

/* Kinetic energy of Hwangbo 2018 (12) at an impulse, less that at zero velocity: 1/2 (l - l0)' G (l - l0), G l0 = -c. */
double reference_single_energy(const double G[9], const double c[3], const double impulse[3]);

#endif
