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

#endif
