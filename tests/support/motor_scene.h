/* What the tests of motors start from: sliders of one mass side by side, each behind a motor of its own, without gravity; other targets,
 * torques, strengths and encoder biases for each robot, motor and step. */
#ifndef MYR_TESTS_SUPPORT_MOTOR_SCENE_H
#define MYR_TESTS_SUPPORT_MOTOR_SCENE_H

#include "batch_scene.h"

enum { MOTOR_ENVS = 33, MOTOR_SLIDERS = 8 };
static const double motor_mass = 0.3, motor_dt = 0.004; /* [kg], [s] */

/* Between -1 and 1, another number for each place. */
double motor_some(int k);
double motor_strength(int env, int u);
double motor_bias(int env, int u);

/* What is set at a step, of motor u. */
typedef double motor_control(int env, int u, int step);

/* `n` sliders without actuators; free the builder. */
myr_builder *motor_sliders(int n);
/* Robots of them at rest, with their strengths and biases. */
myr_batch *motor_batch(const myr_model *model, int sliders, int n, const char *isa, const char *precision);
void motor_set_controls(myr_batch *batch, int sliders, int n, int step, motor_control *target, motor_control *torque);

#endif
