/* ctest: lanes
 * Inverse dynamics and Jacobians: against the scalar reference, for any tree, on every instruction set in both precisions, at the edges of
 * a tile; against identities (M dv/dt + bias, J v, differences of poses); and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/isas.h"
#include "kernels/kernels.h"
#include "myriapod/evaluate.h"
#include "support/random_model.h"
#include "reference/rigid_body.h"

enum { MOST = 17 }; /* W + 1 floats */

static const char *const precisions[] = {"f64", "f32"};

typedef struct subject {
    const myr_model *model;
    const char *what;
    size_t nq, nv;
    double *q, *v, *rates, *tau, *first, *jacobian, *wanted_tau, *wanted_jacobian, *scale;
} subject;

static double *numbers(size_t n) {
    double *memory = calloc(n ? n : 1, sizeof(double));
    assert_non_null(memory);
    return memory;
}

static myr_settings settings_of(const char *isa, const char *precision) {
    myr_settings settings = myr_settings_default();
    assert_int_equal(myr_settings_set(&settings, "isa", isa), MYR_OK);
    assert_int_equal(myr_settings_set(&settings, "precision", precision), MYR_OK);
    return settings;
}

static double magnitude(const double *x, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static void close_to(const subject *s, const char *how, int64_t state, const char *name, const double *x, const double *truth, size_t n,
                     double allowed) {
    for (size_t i = 0; i < n; i++)
        if (!(fabs(x[i] - truth[i]) <= allowed))
            fail_msg("%s, %s, state %lld: %s[%zu] is %.17g, not %.17g: off by %.3g, allowed %.3g", s->what, how, (long long)state, name, i,
                     x[i], truth[i], fabs(x[i] - truth[i]), allowed);
}

/* The 6 x nv Jacobian of a frame from the reference's of its body. */
static void reference_jacobian(const reference_state *truth, int frame, double *jacobian) {
    const myr_model *m = truth->model;
    const size_t nv = (size_t)m->nv;
    double position[3], rotation[9], velocity[6];
    reference_frame(truth, frame, position, rotation, velocity, jacobian);
    memset(jacobian + 3 * nv, 0, 3 * nv * sizeof(double));
    if (m->frames[frame].body >= 0)
        memcpy(jacobian + 3 * nv, truth->bodies[m->frames[frame].body].jacobian + 3 * nv, 3 * nv * sizeof(double));
}

/* States, and the truth of each: torques by M dv/dt + bias of the reference, Jacobians of the last frame. */
static subject subject_new(const myr_model *model, const char *what, uint64_t seed) {
    subject s = {.model = model, .what = what, .nq = (size_t)model->nq, .nv = (size_t)model->nv};
    random_source source = {seed};
    reference_state truth;
    assert_true(reference_init(&truth, model));
    s.q = numbers(MOST * s.nq), s.v = numbers(MOST * s.nv), s.rates = numbers(MOST * s.nv), s.tau = numbers(MOST * s.nv);
    s.first = numbers(MOST * s.nv), s.jacobian = numbers(MOST * 6 * s.nv), s.scale = numbers(MOST);
    s.wanted_tau = numbers(MOST * s.nv), s.wanted_jacobian = numbers(MOST * 6 * s.nv);
    for (size_t i = 0; i < MOST; i++) {
        double *rates = s.rates + i * s.nv;
        /* the first state is at rest, and stays so */
        random_state(&source, model, i == 0 ? 0 : 2, i == 0 ? 0 : 5, s.q + i * s.nq, s.v + i * s.nv, rates);
        reference_compute(&truth, s.q + i * s.nq, s.v + i * s.nv, rates, model->gravity);
        for (size_t r = 0; r < s.nv; r++) {
            double sum = truth.bias[r] + model->bodies[model->dof_body[r]].armature * rates[r], size = fabs(truth.bias[r]);
            for (size_t c = 0; c < s.nv; c++) sum += truth.M[r * s.nv + c] * rates[c], size += fabs(truth.M[r * s.nv + c] * rates[c]);
            s.wanted_tau[i * s.nv + r] = sum;
            s.scale[i] = fmax(s.scale[i], size);
        }
        reference_jacobian(&truth, model->n_frames - 1, s.wanted_jacobian + i * 6 * s.nv);
    }
    reference_free(&truth);
    return s;
}

static void subject_free(subject *s) {
    double *all[] = {s->q, s->v, s->rates, s->tau, s->first, s->jacobian, s->wanted_tau, s->wanted_jacobian, s->scale};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* Torques and the Jacobian of n states; what lies behind them stays as it was. */
static void ask(subject *s, const myr_settings *settings, int64_t n) {
    for (size_t i = 0; i < MOST * s->nv; i++) s->tau[i] = -77;
    for (size_t i = 0; i < MOST * 6 * s->nv; i++) s->jacobian[i] = -77;
    if (myr_inverse_dynamics(s->model, settings, n, s->q, s->v, s->rates, s->tau) != MYR_OK ||
        myr_frame_jacobian(s->model, settings, s->model->n_frames - 1, n, s->q, s->jacobian) != MYR_OK)
        fail_msg("%s: %s", s->what, myr_message());
    for (size_t i = (size_t)n * s->nv; i < MOST * s->nv; i++) assert_true(s->tau[i] == -77);
    for (size_t i = (size_t)n * 6 * s->nv; i < MOST * 6 * s->nv; i++) assert_true(s->jacobian[i] == -77);
}

/* One model: every instruction set present, both precisions, at the edges of a tile; the same bits from all sets. */
static void check_model(const myr_model *model, const char *what, uint64_t seed) {
    if (!model) fail_msg("%s: %s", what, myr_message());
    subject s = subject_new(model, what, seed);
    double *first_jacobian = numbers(MOST * 6 * s.nv);
    for (size_t p = 0; p < 2; p++) {
        const int W = p == 0 ? 8 : 16;
        const double allowed = p == 0 ? 1e-12 : 1e-5;
        const int64_t counts[] = {0, 1, W - 1, W, W + 1};
        for (size_t c = 0; c < 5; c++)
            for (int i = 0, seen = 0; isa_at(i); i++) {
                const myr_settings settings = settings_of(isa_at(i), precisions[p]);
                char how[64];
                snprintf(how, sizeof how, "%s %s, %lld states", isa_at(i), precisions[p], (long long)counts[c]);
                ask(&s, &settings, counts[c]);
                for (int64_t k = 0; k < counts[c]; k++) {
                    const size_t at = (size_t)k * s.nv;
                    close_to(&s, how, k, "torque", s.tau + at, s.wanted_tau + at, s.nv, allowed * s.scale[k]);
                    close_to(&s, how, k, "Jacobian", s.jacobian + 6 * at, s.wanted_jacobian + 6 * at, 6 * s.nv,
                             allowed * fmax(1, magnitude(s.wanted_jacobian + 6 * at, 6 * s.nv)));
                }
                if (seen++ == 0) {
                    memcpy(s.first, s.tau, MOST * s.nv * sizeof(double));
                    memcpy(first_jacobian, s.jacobian, MOST * 6 * s.nv * sizeof(double));
                }
                if (memcmp(s.first, s.tau, MOST * s.nv * sizeof(double)) != 0 ||
                    memcmp(first_jacobian, s.jacobian, MOST * 6 * s.nv * sizeof(double)) != 0)
                    fail_msg("%s, %s: not the bits of the first instruction set", what, how);
            }
    }
    free(first_jacobian);
    subject_free(&s);
}

static void check_random(int first, int count, const random_tree *tree) { random_models(first, count, tree, check_model); }

static void any_tree_against_the_reference(void **state) {
    (void)state;
    check_random(1, 10, &(random_tree){.bodies = 9, .trees = 1, .floating = 1, .joints = RANDOM_ALL});
    check_random(101, 10, &(random_tree){.bodies = 8, .trees = 1, .floating = 0, .joints = RANDOM_MOVING});
    check_random(201, 10, &(random_tree){.bodies = 10, .trees = 1, .floating = -1, .straight = 1, .joints = RANDOM_HINGES});
    check_random(401, 8, &(random_tree){.bodies = 9, .trees = 3, .floating = -1, .joints = RANDOM_MOVING});
    check_random(501, 1, &(random_tree){.bodies = 1, .trees = 1, .floating = 1, .joints = RANDOM_ALL});
    check_random(601, 4, &(random_tree){.bodies = 30, .trees = 1, .floating = 1, .limbs = 1, .straight = 1, .joints = RANDOM_HINGES});
}

static void shipped_robots_against_the_reference(void **state) {
    (void)state;
    static const char *const names[] = {"anymal", "solo12", "biped", "hopper", "cube", "double-pendulum", "chain-10", "stack-3"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        myr_model *model = NULL;
        if (myr_model_load(names[i], MYR_ROOT_AUTO, &model) != MYR_OK) fail_msg("%s: %s", names[i], myr_message());
        check_model(model, names[i], 2000 + i);
        myr_model_free(model);
    }
}

/* q moved by v for a time: along straight lines, and turns in axes of the body. */
static void move(const myr_model *m, const double *q, const double *v, double time, double *out) {
    for (int b = 0; b < m->n_bodies; b++) {
        const myr_body *body = &m->bodies[b];
        const int free = body->joint == MYR_JOINT_FREE, turns = free || body->joint == MYR_JOINT_BALL;
        for (int k = 0; k < body->nv && (!turns || (free && k < 3)); k++) out[body->q + k] = q[body->q + k] + time * v[body->v + k];
        if (!turns) continue;
        const double *p = q + body->q + 3 * free, *w = v + body->v + 3 * free;
        double *to = out + body->q + 3 * free;
        const double rate = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), half = 0.5 * rate * time;
        const double c = cos(half), s = rate > 0 ? sin(half) / rate : 0;
        const double t[4] = {c, s * w[0], s * w[1], s * w[2]};
        to[0] = p[0] * t[0] - p[1] * t[1] - p[2] * t[2] - p[3] * t[3];
        to[1] = p[0] * t[1] + p[1] * t[0] + p[2] * t[3] - p[3] * t[2];
        to[2] = p[0] * t[2] - p[1] * t[3] + p[2] * t[0] + p[3] * t[1];
        to[3] = p[0] * t[3] + p[1] * t[2] - p[2] * t[1] + p[3] * t[0];
    }
}

/* Linear and angular velocity between two poses that are `time` apart. */
static void difference(const double *x0, const double *q0, const double *x1, const double *q1, double time, double velocity[6]) {
    for (int k = 0; k < 3; k++) velocity[k] = (x1[k] - x0[k]) / time;
    const double sign = q0[0] * q1[0] + q0[1] * q1[1] + q0[2] * q1[2] + q0[3] * q1[3] < 0 ? -2 : 2; /* q1 q0^-1, twice its vector */
    velocity[3] = sign * (-q1[0] * q0[1] + q1[1] * q0[0] - q1[2] * q0[3] + q1[3] * q0[2]) / time;
    velocity[4] = sign * (-q1[0] * q0[2] + q1[1] * q0[3] + q1[2] * q0[0] - q1[3] * q0[1]) / time;
    velocity[5] = sign * (-q1[0] * q0[3] - q1[1] * q0[2] + q1[2] * q0[1] + q1[3] * q0[0]) / time;
}

/* In one model: torques are M dv/dt + bias of `evaluate`, and the accelerations that they give are those asked for; every frame's J v is
 * its velocity, its upper half what `evaluate` says, and J v the difference of poses. */
static void check_identities(const myr_model *model, const char *what, uint64_t seed) {
    if (!model) fail_msg("%s: %s", what, myr_message());
    subject s = subject_new(model, what, seed);
    const myr_settings settings = settings_of("auto", "f64");
    const size_t nv = s.nv, nf = (size_t)model->n_frames;
    double *M = numbers(MOST * nv * nv), *bias = numbers(MOST * nv), *velocity = numbers(MOST * nf * 6),
           *upper = numbers(MOST * nf * 3 * nv);
    double *moved[2] = {numbers(MOST * s.nq), numbers(MOST * s.nq)}, *x[2], *turn[2];
    const myr_evaluation e = {.n = MOST, .q = s.q, .v = s.v, .M = M, .bias = bias, .frame_velocity = velocity, .frame_jacobian = upper};
    assert_int_equal(myr_evaluate(model, &settings, &e), MYR_OK);
    const double step = 1e-4;
    for (int side = 0; side < 2; side++) {
        x[side] = numbers(MOST * nf * 3), turn[side] = numbers(MOST * nf * 4);
        for (size_t i = 0; i < MOST; i++) move(model, s.q + i * s.nq, s.v + i * nv, side ? step : -step, moved[side] + i * s.nq);
        const myr_evaluation there = {.n = MOST, .q = moved[side], .frame_position = x[side], .frame_quaternion = turn[side]};
        assert_int_equal(myr_evaluate(model, &settings, &there), MYR_OK);
    }
    ask(&s, &settings, MOST);
    for (size_t i = 0; i < MOST; i++) {
        double *wanted = numbers(nv);
        for (size_t r = 0; r < nv; r++) {
            wanted[r] = bias[i * nv + r];
            for (size_t c = 0; c < nv; c++) wanted[r] += M[(i * nv + r) * nv + c] * s.rates[i * nv + c];
        }
        close_to(&s, "M dv/dt + bias", (int64_t)i, "torque", s.tau + i * nv, wanted, nv, 1e-12 * s.scale[i]);
        free(wanted);
    }
    for (size_t f = 0; f < nf; f++) {
        assert_int_equal(myr_frame_jacobian(model, &settings, (int)f, MOST, s.q, s.jacobian), MYR_OK);
        for (size_t i = 0; i < MOST; i++) {
            const double *J = s.jacobian + i * 6 * nv, *truth = velocity + 6 * (i * nf + f);
            const double size = fmax(1, magnitude(J, 6 * nv) * magnitude(s.v + i * nv, nv) * (double)nv);
            double Jv[6] = {0}, between[6];
            for (size_t r = 0; r < 6; r++)
                for (size_t c = 0; c < nv; c++) Jv[r] += J[r * nv + c] * s.v[i * nv + c];
            close_to(&s, "J v", (int64_t)i, "velocity", Jv, truth, 6, 1e-12 * size);
            close_to(&s, "evaluate", (int64_t)i, "Jacobian", J, upper + 3 * nv * (i * nf + f), 3 * nv,
                     1e-12 * fmax(1, magnitude(J, 6 * nv)));
            difference(x[0] + 3 * (i * nf + f), turn[0] + 4 * (i * nf + f), x[1] + 3 * (i * nf + f), turn[1] + 4 * (i * nf + f), 2 * step,
                       between);
            close_to(&s, "difference of poses", (int64_t)i, "velocity", Jv, between, 6, 2e-5 * size * size);
        }
    }
    double *all[] = {M, bias, velocity, upper, moved[0], moved[1], x[0], x[1], turn[0], turn[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    subject_free(&s);
}

static const char geared[] =
    "<mujoco><option gravity='1 0.3 -8'/><worldbody><body name='trunk' pos='0 0 1'><joint name='root' type='free' armature='0.4'/>"
    "<geom size='0.1'/>"
    "<body name='arm' pos='0.1 0.2 0'><joint name='elbow' axis='1 2 3' armature='0.7' damping='3' stiffness='20'/><geom size='0.1' pos='0 "
    "0 0.2'/>"
    "<body name='rod' pos='0 0 0.4' gravcomp='1'><joint name='slide' type='slide' axis='0 1 0' armature='0.2' frictionloss='1'/>"
    "<geom type='capsule' size='0.02 0.1'/><site name='tip' pos='0 0 0.3' euler='20 30 40'/></body></body></body></worldbody></mujoco>";

static void identities(void **state) {
    (void)state;
    for (int i = 0; i < 6; i++) {
        myr_model *model =
            random_model((uint64_t)(31 + i), &(random_tree){.bodies = 8, .trees = 2, .floating = -1, .joints = RANDOM_ALL}, 0);
        check_identities(model, "random tree", (uint64_t)i);
        myr_model_free(model);
    }
    myr_model *model = NULL;
    if (myr_model_load_text(geared, strlen(geared), "geared.xml", MYR_ROOT_AUTO, &model) != MYR_OK) fail_msg("%s", myr_message());
    assert_true(model->bodies[0].armature == 0.4 && model->bodies[1].armature == 0.7 && model->bodies[1].stiffness == 20 &&
                model->gravity[0] == 1);
    check_model(model, "rotors, gravity askew", 5);
    check_identities(model, "rotors, gravity askew", 6);
    myr_model_free(model);
    assert_int_equal(myr_model_load("anymal", MYR_ROOT_AUTO, &model), MYR_OK);
    check_identities(model, "anymal", 9);
    myr_model_free(model);
}

/* v and accelerations may be left out; the Jacobian of a frame that is fixed to the world is zero; zero states are allowed. */
static void what_may_be_left_out(void **unused) {
    (void)unused;
    myr_builder *builder = NULL;
    const double at[3] = {1, 2, 3}, upright[4] = {1, 0, 0, 0};
    assert_int_equal(myr_builder_create("still", &builder), MYR_OK);
    myr_body_def def = myr_body_def_default();
    def.name = "post";
    assert_int_equal(myr_builder_body(builder, &def, NULL), MYR_OK);
    def.name = "arm", def.parent = 0, def.joint = MYR_JOINT_REVOLUTE, def.mass_kg = 2, def.com_m[1] = 0.5;
    for (int k = 0; k < 3; k++) def.inertia_kgm2[k] = 0.1;
    assert_int_equal(myr_builder_body(builder, &def, NULL), MYR_OK);
    assert_int_equal(myr_builder_frame(builder, "pin", 0, at, upright), MYR_OK);
    myr_model *model = NULL;
    assert_int_equal(myr_builder_compile(builder, &model), MYR_OK);
    myr_builder_free(builder);
    const myr_settings settings = settings_of("auto", "f64");
    const double q[2] = {0, 3.14159265358979312 / 3}, rates[2] = {2, 0};
    double tau[2] = {-1, -1}, jacobian[12];
    int pin;
    assert_int_equal(myr_inverse_dynamics(model, &settings, 2, q, NULL, NULL, tau), MYR_OK);
    assert_true(fabs(tau[0] - 9.81) < 1e-14 && fabs(tau[1] - 9.81 / 2) < 1e-14); /* it is held: m g l cos q */
    assert_int_equal(myr_inverse_dynamics(model, &settings, 2, q, NULL, rates, tau), MYR_OK);
    assert_true(fabs(tau[0] - 9.81 - 2 * (0.1 + 2 * 0.25)) < 1e-14);
    assert_int_equal(myr_model_find_frame(model, "pin", &pin), MYR_OK);
    assert_int_equal(myr_frame_jacobian(model, &settings, pin, 2, q, jacobian), MYR_OK);
    assert_true(magnitude(jacobian, 12) == 0);
    assert_int_equal(myr_inverse_dynamics(model, &settings, 0, NULL, NULL, NULL, NULL), MYR_OK);
    assert_int_equal(myr_frame_jacobian(model, &settings, pin, 0, NULL, NULL), MYR_OK);
    myr_model_free(model);
}

static void says(myr_status status, const char *const *words) {
    assert_int_equal(status, MYR_E_ARG);
    for (; *words; words++)
        if (!strstr(myr_message(), *words)) fail_msg("\"%s\" does not say `%s`", myr_message(), *words);
}
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Numbers that are not finite and quaternions of length 0 are refused by name and place, and nothing is written. */
static void arguments_are_refused(void **unused) {
    (void)unused;
    myr_model *model = NULL;
    assert_int_equal(myr_model_load("hopper", MYR_ROOT_AUTO, &model), MYR_OK);
    const int nq = model->nq, nv = model->nv;
    const myr_settings settings = settings_of("auto", "f64"), single = settings_of("auto", "f32");
    double q[3 * 16], v[3 * 16] = {0}, rates[3 * 16] = {0}, out[3 * 6 * 16];
    for (int i = 0; i < 3; i++) myr_model_home(model, q + i * nq);
    for (int i = 0; i < 3 * 6 * 16; i++) out[i] = 5;
    says(myr_inverse_dynamics(NULL, &settings, 1, q, v, rates, out), WORDS("model"));
    says(myr_inverse_dynamics(model, NULL, 1, q, v, rates, out), WORDS("settings"));
    says(myr_inverse_dynamics(model, &settings, -3, q, v, rates, out), WORDS("-3"));
    says(myr_inverse_dynamics(model, &settings, 1, NULL, v, rates, out), WORDS("q is NULL"));
    says(myr_inverse_dynamics(model, &settings, 1, q, v, rates, NULL), WORDS("to write to is NULL"));
    says(myr_frame_jacobian(model, &settings, model->n_frames, 1, q, out), WORDS("frame", "hopper"));
    says(myr_frame_jacobian(model, &settings, -1, 1, q, out), WORDS("frame -1"));
    says(myr_frame_jacobian(NULL, &settings, 0, 1, q, out), WORDS("model"));
    q[nq + 7] = NAN;
    says(myr_inverse_dynamics(model, &settings, 3, q, v, rates, out), WORDS("q[7]", "state 1", "nan"));
    says(myr_frame_jacobian(model, &settings, 0, 3, q, out), WORDS("q[7]", "state 1", "nan"));
    q[nq + 7] = 1e300;
    says(myr_frame_jacobian(model, &single, 0, 3, q, out), WORDS("q[7]", "1e+300", "f32"));
    q[nq + 7] = 0.3;
    for (int k = 3; k < 7; k++) q[2 * nq + k] = 0;
    says(myr_frame_jacobian(model, &settings, 0, 3, q, out), WORDS("state 2", "quaternion", "length 0"));
    q[2 * nq + 3] = 1;
    v[2 * nv] = INFINITY;
    says(myr_inverse_dynamics(model, &settings, 3, q, v, rates, out), WORDS("v[0]", "state 2", "inf"));
    v[2 * nv] = 0, rates[nv - 1] = -INFINITY;
    says(myr_inverse_dynamics(model, &settings, 3, q, v, rates, out), WORDS("acceleration[6]", "state 0", "-inf"));
    for (int i = 0; i < 3 * 6 * 16; i++) assert_true(out[i] == 5);
    rates[nv - 1] = 0;
    assert_int_equal(myr_inverse_dynamics(model, &settings, 3, q, v, rates, out), MYR_OK);
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_tree_against_the_reference),
        cmocka_unit_test(shipped_robots_against_the_reference),
        cmocka_unit_test(identities),
        cmocka_unit_test(what_may_be_left_out),
        cmocka_unit_test(arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
