#ifndef MYR_LAYOUTS_INERTIAL_H
#define MYR_LAYOUTS_INERTIAL_H

#include "model/model.h"

/* Mass, centre of mass [m], inertia about it [kg m^2] (user axes) <-> the ten inertial rows (aligned
 * axes, about the body origin) of a body. */
enum { MYR_INERTIAL_ROWS = 10 };
void myr_inertial_pack(const myr_body *body, double mass, const double com[3], const double inertia[6], double rows[MYR_INERTIAL_ROWS]);
double myr_inertial_mass(const double rows[MYR_INERTIAL_ROWS]);
void myr_inertial_com(const myr_body *body, const double rows[MYR_INERTIAL_ROWS], double com[3]);
void myr_inertial_inertia(const myr_body *body, const double rows[MYR_INERTIAL_ROWS], double inertia[6]);
/* Change one of the three and keep the other two. */
void myr_inertial_set_mass(double mass, double rows[MYR_INERTIAL_ROWS]);
void myr_inertial_set_com(const myr_body *body, const double com[3], double rows[MYR_INERTIAL_ROWS]);
void myr_inertial_set_inertia(const myr_body *body, const double inertia[6], double rows[MYR_INERTIAL_ROWS]);
/* Another body that could be: its pseudo-inertia P = [[tr(I_o) 1 / 2 - I_o, m c], [., m]] becomes U P U' with U = e^a [[e^d1, s12, s13,
 * t1], [0, e^d2, s23, t2], [0, 0, e^d3, t3], [0, 0, 0, 1]] in user axes about the body's origin (Rucker and Wensing 2022); P stays positive
 * definite whatever the numbers. change: a, d1 d2 d3, s12 s23 s13, t1 t2 t3 [m for t, else 1], each of size 1 or less. */
enum { MYR_PSEUDO_CHANGES = 10 };
void myr_inertial_change(const myr_body *body, const double change[MYR_PSEUDO_CHANGES], double rows[MYR_INERTIAL_ROWS]);

#endif
