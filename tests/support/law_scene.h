/* Bodies with a closed form, and batches that hold them to it: double precision, one environment per case. */
#ifndef MYR_TESTS_SUPPORT_LAW_SCENE_H
#define MYR_TESTS_SUPPORT_LAW_SCENE_H

#include "batch_scene.h"
#include "kernels/kernels.h"

/* All of 1 kg, half an edge or one radius above the ground less DEPTH: contacts are active where the gap is <= 0, and
 * rounding must not open one. */
#define LAW_HALF 0.1   /* radius, half edge [m] */
#define LAW_DEPTH 1e-8 /* [m], less than what comes out by itself (setting landing) */
#define LAW_GRAVITY 9.81
#define LAW_DT 1e-3

typedef enum law_shape {
    LAW_POINT, /* a ball that cannot turn (three slides): G_ii = 1/m, no normal-tangential coupling */
    LAW_CUBE,  /* free, a box: four coupled corners, impulses not unique */
    LAW_BALL   /* free, solid */
} law_shape;
extern const char *const law_shapes[3];

myr_model *law_model(law_shape shape);

/* Does the solver leave contacts as rigid as the settings say? Newton's method gives them a compliance. */
int law_rigid(int solver);

/* Double precision, the solver named, tolerance 1e-12 (ADMM: 1e-13) and room to reach it. */
myr_settings law_settings(const char *solver);

/* `envs` bodies standing in their contact, friction coefficient mu[env], velocity speed[env] along +x. */
myr_batch *law_batch(const myr_model *model, const myr_settings *settings, int envs, const double *mu, const double *speed);

/* Gravity turned about y by `angle` [rad], as on a plane that falls towards +x. */
void law_tilt(myr_batch *batch, int64_t env, double angle);

/* Position and linear velocity of the body's origin, its angular velocity and the sum of its contact impulses, world. */
typedef struct law_motion {
    double position[3], velocity[3], spin[3], impulse[3];
} law_motion;
law_motion law_see(const myr_batch *batch, int64_t env, law_shape shape);

/* Every solve of the last step ended within 1e-9: at the very limit of friction sweeps come closer ever more slowly, and 1e-12 is
 * out of reach. */
void law_assert_solved(const myr_batch *batch, const char *solver, law_shape shape, int step);

#endif
