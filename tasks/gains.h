/* Gains by which any robot keeps its home pose, and what controls ask of a step. */
#ifndef MYR_TASKS_GAINS_H
#define MYR_TASKS_GAINS_H

#include <math.h>

#include "kernels/step_options.h"

/* From the base to the farthest joint, link by link [m]. */
static inline double hold_length(const myr_model *m) {
    double longest = 0.1; /* of robots whose joints are all in one place */
    for (int i = 0; i < m->n_bodies; i++) {
        double length = 0;
        for (int b = i; m->bodies[b].parent >= 0; b = m->bodies[b].parent) {
            const double *x = m->bodies[b].offset;
            length += sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        }
        if (length > longest) longest = length;
    }
    return longest;
}

/* What the model's gravity pulls a kilogram by [m/s^2]. Where it is next to none nothing sags, and a pose still wants gains: Earth's. */
static inline double hold_gravity(const myr_model *m) {
    const double *g = m->gravity, size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    return size < 0.1 ? 9.81 : size;
}

/* A joint that carries all of the robot at half its length sags by a sixth of a radian in the model's gravity; an environment that is given
 * another one keeps these gains. Quadrupeds have gains of theirs, and so have actuators with a stiffness of their own. */
static inline void hold_gains(const myr_model *model, myr_step_options *options) {
    const double g = hold_gravity(model), length = hold_length(model), mass = model->mass - model->anchored_mass;
    options->kp = 3 * mass * g * length;
    options->kd = options->kp * 0.1 * sqrt(length / g);
    if (model->quadruped.valid) options->kp = model->quadruped.kp, options->kd = model->quadruped.kd;
    options->own_gains = MYR_OWN_STIFF;
}

/* What a step must read from the rows where controls are set: those of a motor that takes a torque are rows of `torque`. */
static inline unsigned controls_vary(const myr_model *model) {
    for (int u = 0; u < model->nu; u++)
        if (model->actuators[u].controls == MYR_CONTROLS_TORQUE) return MYR_VARIED_TORQUE;
    return 0;
}

#endif
