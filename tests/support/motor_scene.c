#include "motor_scene.h"

#include <math.h>
#include <stdio.h>

double motor_some(int k) { return 2 * fmod(0.6180339887498949 * (k + 1), 1.0) - 1; }
double motor_strength(int env, int u) { return 1 + 0.2 * motor_some(19 * env + u); }
double motor_bias(int env, int u) { return 0.02 * motor_some(23 * env + 5 * u); }

myr_builder *motor_sliders(int n) {
    myr_builder *builder;
    MUST(myr_builder_create("motors", &builder));
    for (int u = 0; u < n; u++) {
        char name[16];
        snprintf(name, sizeof name, "j%d", u);
        myr_body_def body = myr_body_def_default();
        body.name = name, body.joint = MYR_JOINT_PRISMATIC, body.mass_kg = motor_mass;
        body.inertia_kgm2[0] = body.inertia_kgm2[1] = body.inertia_kgm2[2] = 0.01;
        MUST(myr_builder_body(builder, &body, NULL));
    }
    return builder;
}

myr_batch *motor_batch(const myr_model *model, int sliders, int n, const char *isa, const char *precision) {
    const myr_settings settings =
        scene_settings("task", "none", "dt", "0.004", "isa", isa, "precision", precision, "spin-damping", "0", "threads", "1", NULL);
    myr_batch *batch;
    MUST(myr_batch_create(model, n, &settings, &batch));
    double gravity[3 * MOTOR_ENVS] = {0}, strength[MOTOR_ENVS * MOTOR_SLIDERS], bias[MOTOR_ENVS * MOTOR_SLIDERS];
    for (int i = 0; i < n * sliders; i++)
        strength[i] = motor_strength(i / sliders, i % sliders), bias[i] = motor_bias(i / sliders, i % sliders);
    MUST(myr_batch_set(batch, MYR_GRAVITY, NULL, n, MYR_F64, gravity));
    MUST(myr_batch_set(batch, MYR_STRENGTH, NULL, n, MYR_F64, strength));
    MUST(myr_batch_set(batch, MYR_ENCODER_BIAS, NULL, n, MYR_F64, bias));
    return batch;
}

void motor_set_controls(myr_batch *batch, int sliders, int n, int step, motor_control *target, motor_control *torque) {
    double targets[MOTOR_ENVS * MOTOR_SLIDERS], torques[MOTOR_ENVS * MOTOR_SLIDERS];
    for (int i = 0; i < n * sliders; i++)
        targets[i] = target(i / sliders, i % sliders, step), torques[i] = torque(i / sliders, i % sliders, step);
    MUST(myr_batch_set(batch, MYR_TARGET, NULL, n, MYR_F64, targets));
    MUST(myr_batch_set(batch, MYR_TORQUE, NULL, n, MYR_F64, torques));
}
