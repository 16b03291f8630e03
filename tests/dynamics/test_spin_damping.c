/* Numerical damping of joints that turn far in a step: what it does is what dynamics/spin_damping.lane.h says (against the scalar
 * witness, every instruction set, trees and legs), it leaves momentum, slow joints and wheels alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/isas.h"
#include "kernels/kernels.h"
#include "model/model.h"
#include "support/random_model.h"
#include "reference/rigid_body.h"
#include "support/step_witness.h"

enum { ROBOTS = 19, MOST = 2 * WITNESS_NV };

static myr_batch *open_batch(const myr_model *model, const char *isa, const char *precision, const char *dt, const char *spin_damping) {
    const myr_settings settings =
        scene_settings("isa", isa, "precision", precision, "task", "none", "threads", "1", "dt", dt, "spin-damping", spin_damping, NULL);
    myr_batch *batch = NULL;
    MUST(myr_batch_create(model, ROBOTS, &settings, &batch));
    return batch;
}

/* High above the ground, joints anywhere, rates up to `fastest`. */
static void throw_up(myr_batch *batch, const myr_model *model, double fastest) {
    random_source source = {11};
    for (int64_t env = 0; env < ROBOTS; env++) {
        double q[MOST], v[MOST], tau[MOST];
        assert_true(model->nq <= MOST);
        random_state(&source, model, fastest, 0, q, v, tau);
        if (model->bodies[0].joint == MYR_JOINT_FREE) q[2] = 50;
        MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    }
}

/* One step of each against the witness, who follows the page; and that there was something to see. */
static void step_as_written(const char *name, const myr_model *model, const char *isa) {
    myr_batch *batch = open_batch(model, isa, "f64", "0.02", "0.5"), *plain = open_batch(model, isa, "f64", "0.02", "0");
    step_witness *witness = malloc(ROBOTS * sizeof *witness);
    double worst = 0, largest = 0, effect = 0;
    assert_non_null(witness);
    throw_up(batch, model, 12);
    throw_up(plain, model, 12);
    for (int64_t env = 0; env < ROBOTS; env++) {
        witness_open(&witness[env], model);
        witness_before(&witness[env], batch, env);
    }
    MUST(myr_batch_step(batch, 1));
    MUST(myr_batch_step(plain, 1));
    for (int64_t env = 0; env < ROBOTS; env++) {
        double without[MOST];
        assert_true(witness_after(&witness[env], batch, env));
        assert_int_equal(witness[env].contacts, 0);
        MUST(myr_batch_get(plain, MYR_V, &env, 1, MYR_F64, without));
        for (int k = 0; k < model->nv; k++) {
            worst = fmax(worst, fabs(witness[env].after[k] - witness[env].predicted[k]));
            effect = fmax(effect, fabs(witness[env].after[k] - without[k]));
            largest = fmax(largest, fabs(without[k]));
        }
        witness_close(&witness[env]);
    }
    print_message("%s, %s: off by %.1e of velocities up to %.3g; the damping changes them by up to %.3g\n", name, isa, worst, largest,
                  effect);
    if (!(worst <= 1e-10 * largest)) fail_msg("%s, %s: v+ is off by %.3g", name, isa, worst);
    assert_true(effect > 0.01);
    free(witness);
    myr_batch_free(batch);
    myr_batch_free(plain);
}

static void every_tree_as_written(void **state) {
    (void)state;
    const char *const names[] = {"anymal", "hopper", "chain-3", "double-pendulum"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        myr_model *model = NULL;
        MUST(myr_model_load(names[i], MYR_ROOT_AUTO, &model));
        for (int k = 0; isa_at(k); k++) step_as_written(names[i], model, isa_at(k));
        myr_model_free(model);
    }
}

/* What the damping changes, seen as momentum of the whole robot before positions move: nothing. */
static void momentum_stays(void **state) {
    (void)state;
    const char *const names[] = {"anymal", "chain-3"};
    for (int i = 0; i < 2; i++) {
        myr_model *model = NULL;
        MUST(myr_model_load(names[i], MYR_ROOT_AUTO, &model));
        myr_batch *damped = open_batch(model, "auto", "f64", "0.02", "0.5"), *plain = open_batch(model, "auto", "f64", "0.02", "0");
        reference_state state_of;
        assert_true(reference_init(&state_of, model));
        throw_up(damped, model, 12);
        throw_up(plain, model, 12);
        double q[ROBOTS][MOST];
        for (int64_t env = 0; env < ROBOTS; env++) MUST(myr_batch_get(damped, MYR_Q, &env, 1, MYR_F64, q[env]));
        MUST(myr_batch_step(damped, 1));
        MUST(myr_batch_step(plain, 1));
        for (int64_t env = 0; env < ROBOTS; env++) {
            const double none[3] = {0, 0, 0}, zero[MOST] = {0};
            double v[2][MOST], momentum[2][6];
            MUST(myr_batch_get(damped, MYR_V, &env, 1, MYR_F64, v[0]));
            MUST(myr_batch_get(plain, MYR_V, &env, 1, MYR_F64, v[1]));
            for (int k = 0; k < 2; k++) {
                reference_compute(&state_of, q[env], v[k], zero, none);
                memcpy(momentum[k], state_of.momentum, sizeof momentum[k]);
            }
            for (int k = 0; k < 6; k++)
                if (!(fabs(momentum[0][k] - momentum[1][k]) <= 1e-10 * (1 + fabs(momentum[1][k]))))
                    fail_msg("%s, environment %lld: momentum %d is %.12g, not %.12g", names[i], (long long)env, k, momentum[0][k],
                             momentum[1][k]);
        }
        reference_free(&state_of);
        myr_batch_free(damped);
        myr_batch_free(plain);
        myr_model_free(model);
    }
}

static const char *const car =
    "<robot name='car'><link name='%s'><inertial><mass value='5'/><inertia ixx='.1' iyy='.2' izz='.2'/></inertial></link>"
    "<link name='w'><inertial><origin xyz='0 %g 0'/><mass value='1'/><inertia ixx='%g' iyy='.02' izz='.01'/></inertial></link>"
    "<joint name='axle' type='continuous'><parent link='%s'/><child link='w'/><origin xyz='.3 .2 0'/><axis xyz='0 1 0'/></joint></robot>";

/* A wheel spins on at 200 rad/s, fixed and floating; one that is not round is damped. */
static void wheels_spin_on(void **state) {
    (void)state;
    for (int shape = 0; shape < 3; shape++) {
        char text[2048];
        const char *base = shape == 1 ? "body" : "world";
        snprintf(text, sizeof text, car, base, 0.03, shape == 2 ? 0.012 : 0.01, base);
        myr_model *model = NULL;
        MUST(myr_model_load_text(text, strlen(text), "car", MYR_ROOT_AUTO, &model));
        assert_int_equal(myr_is_wheel(model, model->n_bodies - 1), shape != 2);
        myr_batch *batch = open_batch(model, "auto", "f64", "0.005", "0.5");
        for (int64_t env = 0; env < ROBOTS; env++) {
            double v[MOST] = {0}, none[3] = {0, 0, 0};
            v[model->nv - 1] = 200;
            MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
            MUST(myr_batch_set(batch, MYR_GRAVITY, &env, 1, MYR_F64, none));
        }
        MUST(myr_batch_step(batch, 200));
        for (int64_t env = 0; env < ROBOTS; env++) {
            double v[MOST];
            MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, v));
            const double rate = v[model->nv - 1];
            if (shape != 2 && !(fabs(rate - 200) < 1e-9)) fail_msg("a wheel slows from 200 to %.12g rad/s", rate);
            if (shape == 2 && !(rate < 100)) fail_msg("what is not round spins on at %g rad/s", rate);
        }
        myr_batch_free(batch);
        myr_model_free(model);
    }
}

/* Below a tenth of a radian per step not a bit changes. */
static void slow_joints_are_left_alone(void **state) {
    (void)state;
    myr_model *model = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    for (int p = 0; p < 2; p++) {
        const char *precision = p ? "f64" : "f32";
        myr_batch *damped = open_batch(model, "auto", precision, "1e-3", "0.5"), *plain = open_batch(model, "auto", precision, "1e-3", "0");
        throw_up(damped, model, 8);
        throw_up(plain, model, 8);
        MUST(myr_batch_step(damped, 50));
        MUST(myr_batch_step(plain, 50));
        assert_true(myr_batch_hash(damped) == myr_batch_hash(plain));
        myr_batch_free(damped);
        myr_batch_free(plain);
    }
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_tree_as_written), cmocka_unit_test(momentum_stays),
                                       cmocka_unit_test(wheels_spin_on), cmocka_unit_test(slow_joints_are_left_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
