/* Mass, centre of mass and rotational inertia of a rigid body. Inertia about the centre of mass, in the axes of the
 * frame at hand: xx yy zz xy xz yz [kg m^2]. */
#ifndef MYR_MODEL_INERTIA_H
#define MYR_MODEL_INERTIA_H

#include "base/rotation.h"

typedef struct myr_inertia {
    double mass, com[3], about_com[6];
} myr_inertia;

/* The same body seen from outside `pose`. */
myr_inertia myr_inertia_move(const myr_inertia *body, const myr_pose *pose);

/* Both bodies as one (parallel axes). Adding nothing changes no bit. */
myr_inertia myr_inertia_add(const myr_inertia *a, const myr_inertia *b);

/* Rotational inertia about `point`, same axes and order. */
void myr_inertia_about_point(const myr_inertia *body, const double point[3], double six[6]);

/* Principal moments, ascending. */
void myr_inertia_principal(const double about_com[6], double moments[3]);

/* Principal moments, descending, and the turn of their axes: columns of a rotation. Equal ones stay in the order of the axes at hand. */
void myr_inertia_axes(const double about_com[6], double moments[3], double axes[9]);

/* The way back: the inertia that has these. */
void myr_inertia_turn(const double moments[3], const double axes[9], double about_com[6]);

#endif
