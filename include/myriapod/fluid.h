/* A fluid around the robot, which drags at every body by the box of its inertia (docs/fluid.md). */
#ifndef MYRIAPOD_FLUID_H
#define MYRIAPOD_FLUID_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Water is 1000 and 1e-3, air 1.2 and 1.8e-5. Both 0: nothing drags. */
typedef struct myr_fluid {
    double density;   /* [kg/m^3] */
    double viscosity; /* [Pa s] */
    double wind[3];   /* how the fluid moves, world [m/s] */
} myr_fluid;

/* Let what the builder describes be in a fluid; the last word counts. MYR_E_ARG: a number is not finite, density or viscosity is negative.
 */
struct myr_builder; /* model.h */
MYR_API myr_status myr_builder_fluid(struct myr_builder *builder, const myr_fluid *fluid);

#ifdef __cplusplus
}
#endif
#endif
