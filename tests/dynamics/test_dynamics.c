/* ctest: lanes
 * The lanes' M, bias, acceleration, energies and frames against the scalar reference, for any tree, on every instruction
 * set in both precisions, at the edges of a tile; and the same bits everywhere. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/isas.h"
#include "kernels/kernels.h"
#include "myriapod/evaluate.h"
#include "support/random_model.h"
#include "reference/rigid_body.h"

enum { MOST_STATES = 17 }; /* W + 1 floats */

static const char *const precisions[] = {"f64", "f32"};
static const double gravity[3] = {0, 0, -9.81};

/* Everything myr_evaluate gives, for MOST_STATES states. */
typedef struct answers {
    myr_evaluation evaluation;
    double *memory;
    size_t bytes;
} answers;

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    assert_non_null(memory);
    return memory;
}

static answers answers_new(const myr_model *m) {
    const size_t nv = (size_t)m->nv, nf = (size_t)m->n_frames;
    const size_t per_state = nv * nv + 2 * nv + 5 + nf * (13 + 3 * nv);
    answers a;
    memset(&a, 0, sizeof a);
    a.bytes = MOST_STATES * per_state * sizeof(double);
    a.memory = allocate(MOST_STATES * per_state, sizeof(double));
    double *next = a.memory;
    myr_evaluation *e = &a.evaluation;
    e->M = next, next += MOST_STATES * nv * nv;
    e->bias = next, next += MOST_STATES * nv;
    e->acceleration = next, next += MOST_STATES * nv;
    e->kinetic = next, next += MOST_STATES;
    e->potential = next, next += MOST_STATES;
    e->com = next, next += MOST_STATES * 3;
    e->frame_position = next, next += MOST_STATES * nf * 3;
    e->frame_quaternion = next, next += MOST_STATES * nf * 4;
    e->frame_velocity = next, next += MOST_STATES * nf * 6;
    e->frame_jacobian = next;
    return a;
}

static double largest(const double *x, size_t n) {
    double m = 0;
    for (size_t i = 0; i < n; i++) m = fmax(m, fabs(x[i]));
    return m;
}

/* Largest difference relative to the largest entry of `truth` (of a scale where that is smaller); NaN counts as infinite. */
static double apart(const double *x, const double *truth, size_t n, double scale) {
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        const double d = fabs(x[i] - truth[i]);
        if (!(d <= worst)) worst = isnan(d) ? INFINITY : d;
    }
    const double size = fmax(largest(truth, n), scale);
    return size > 0 ? worst / size : worst;
}

typedef struct state_truth { /* of one state */
    reference_state state;
    double condition;
} state_truth;

typedef struct subject {
    const myr_model *model;
    const char *what;
    double *q, *v, *tau;
    state_truth truths[MOST_STATES];
} subject;

static subject subject_new(const myr_model *model, const char *what, uint64_t seed) {
    subject s;
    memset(&s, 0, sizeof s);
    const size_t nq = (size_t)model->nq, nv = (size_t)model->nv;
    random_source source = {seed};
    double *M = allocate(nv * nv, sizeof(double));
    s.model = model, s.what = what;
    s.q = allocate(MOST_STATES * nq, sizeof(double));
    s.v = allocate(MOST_STATES * nv, sizeof(double));
    s.tau = allocate(MOST_STATES * nv, sizeof(double));
    for (size_t i = 0; i < MOST_STATES; i++) {
        /* the first state is at rest without torque */
        random_state(&source, model, i == 0 ? 0 : 2, i == 0 ? 0 : 5, s.q + i * nq, s.v + i * nv, s.tau + i * nv);
        assert_true(reference_init(&s.truths[i].state, model));
        reference_compute(&s.truths[i].state, s.q + i * nq, s.v + i * nv, s.tau + i * nv, gravity);
        memcpy(M, s.truths[i].state.M, nv * nv * sizeof(double));
        s.truths[i].condition = reference_condition(M, model->nv);
    }
    free(M);
    return s;
}

static void subject_free(subject *s) {
    for (int i = 0; i < MOST_STATES; i++) reference_free(&s->truths[i].state);
    free(s->q);
    free(s->v);
    free(s->tau);
}

static void expect(const subject *s, const char *isa, const char *precision, int64_t n, int64_t state, const char *name, double error,
                   double allowed) {
    if (error <= allowed) return;
    fail_msg("%s, %s %s, state %lld of %lld: %s is off by %.3g, allowed %.3g", s->what, isa, precision, (long long)state, (long long)n,
             name, error, allowed);
}

static void check_frames(const subject *s, const answers *a, int64_t n, int64_t state, const char *isa, const char *precision,
                         double allowed) {
    const size_t nv = (size_t)s->model->nv, nf = (size_t)s->model->n_frames;
    const reference_state *truth = &s->truths[state].state;
    double *jacobian = allocate(3 * nv, sizeof(double));
    for (size_t f = 0; f < nf; f++) {
        const size_t at = (size_t)state * nf + f;
        double position[3], rotation[9], velocity[6], turned[9];
        reference_frame(truth, (int)f, position, rotation, velocity, jacobian);
        reference_quaternion_rotation(a->evaluation.frame_quaternion + 4 * at, turned);
        const char *name = s->model->frames[f].name;
        expect(s, isa, precision, n, state, name, apart(a->evaluation.frame_position + 3 * at, position, 3, 1), allowed);
        expect(s, isa, precision, n, state, name, apart(turned, rotation, 9, 1), allowed);
        expect(s, isa, precision, n, state, name, apart(a->evaluation.frame_velocity + 6 * at, velocity, 6, 1), allowed);
        expect(s, isa, precision, n, state, name, apart(a->evaluation.frame_jacobian + 3 * nv * at, jacobian, 3 * nv, 1), allowed);
        expect(s, isa, precision, n, state, name, fabs(largest(a->evaluation.frame_quaternion + 4 * at, 4)) > 1 + 1e-6 ? 1 : 0, 0);
    }
    free(jacobian);
}

static void check_state(const subject *s, const answers *a, int64_t n, int64_t state, const char *isa, const char *precision) {
    const int is_double = strcmp(precision, "f64") == 0;
    const size_t nv = (size_t)s->model->nv, at = (size_t)state;
    const reference_state *truth = &s->truths[state].state;
    const myr_evaluation *e = &a->evaluation;
    const double allowed = is_double ? 1e-11 : 2e-4;
    const double acc = is_double ? fmax(1e-11, 1e-14 * s->truths[state].condition) : fmax(2e-4, 1e-7 * s->truths[state].condition);
    const double height = truth->mass * 9.81; /* potential energy of the whole at 1 m */
    expect(s, isa, precision, n, state, "M", apart(e->M + at * nv * nv, truth->M, nv * nv, 0), allowed);
    expect(s, isa, precision, n, state, "bias", apart(e->bias + at * nv, truth->bias, nv, 0), allowed);
    expect(s, isa, precision, n, state, "acceleration", apart(e->acceleration + at * nv, truth->acceleration, nv, 0), acc);
    expect(s, isa, precision, n, state, "kinetic energy", apart(e->kinetic + at, &truth->kinetic, 1, 0), allowed);
    expect(s, isa, precision, n, state, "potential energy", apart(e->potential + at, &truth->potential, 1, height), allowed);
    expect(s, isa, precision, n, state, "centre of mass", apart(e->com + 3 * at, truth->com, 3, 1), allowed);
    check_frames(s, a, n, state, isa, precision, is_double ? 1e-11 : 2e-4);
}

static void evaluate(const subject *s, const char *isa, const char *precision, int64_t n, answers *a) {
    myr_settings settings = myr_settings_default();
    assert_int_equal(myr_settings_set(&settings, "isa", isa), MYR_OK);
    assert_int_equal(myr_settings_set(&settings, "precision", precision), MYR_OK);
    memset(a->memory, 0, a->bytes);
    a->evaluation.n = n;
    a->evaluation.q = s->q, a->evaluation.v = s->v, a->evaluation.tau = s->tau;
    if (myr_evaluate(s->model, &settings, &a->evaluation) != MYR_OK) fail_msg("%s, %s %s: %s", s->what, isa, precision, myr_message());
}

/* One model: every instruction set present, both precisions, at the edges of a tile. */
static void check_model(const myr_model *model, const char *what, uint64_t seed) {
    if (!model) fail_msg("%s: %s", what, myr_message());
    subject s = subject_new(model, what, seed);
    answers a = answers_new(model), first = answers_new(model);
    for (size_t p = 0; p < 2; p++) {
        const int W = strcmp(precisions[p], "f64") == 0 ? 8 : 16;
        const int64_t counts[] = {0, 1, W - 1, W, W + 1};
        for (size_t c = 0; c < 5; c++) {
            int seen = 0;
            for (int i = 0; isa_at(i); i++) {
                answers *to = seen ? &a : &first;
                evaluate(&s, isa_at(i), precisions[p], counts[c], to);
                for (int64_t state = 0; state < counts[c]; state++) check_state(&s, to, counts[c], state, isa_at(i), precisions[p]);
                if (seen && memcmp(a.memory, first.memory, a.bytes) != 0)
                    fail_msg("%s, %s, %lld states: %s does not give the bits of the first instruction set", what, precisions[p],
                             (long long)counts[c], isa_at(i));
                seen = 1;
            }
            assert_true(seen);
        }
    }
    free(a.memory);
    free(first.memory);
    subject_free(&s);
}

static void check_random(int first, int count, const random_tree *tree) { random_models(first, count, tree, check_model); }

static void floating_trees_of_all_joints(void **state) {
    (void)state;
    check_random(1, 12, &(random_tree){.bodies = 9, .trees = 1, .floating = 1, .joints = RANDOM_ALL});
}
static void fixed_trees_of_all_joints(void **state) {
    (void)state;
    check_random(101, 12, &(random_tree){.bodies = 8, .trees = 1, .floating = 0, .joints = RANDOM_MOVING});
}
static void trees_along_the_axes(void **state) {
    (void)state;
    check_random(201, 12, &(random_tree){.bodies = 10, .trees = 1, .floating = -1, .straight = 1, .joints = RANDOM_HINGES});
    check_random(221, 6, &(random_tree){.bodies = 10, .trees = 1, .floating = -1, .straight = 1, .joints = RANDOM_MOVING});
}
static void hinges_about_any_axis(void **state) {
    (void)state;
    check_random(301, 6, &(random_tree){.bodies = 12, .trees = 1, .floating = 1, .joints = RANDOM_HINGES});
}
/* Runs of more dofs than one function eliminates, and what hangs in the middle of them. */
static void long_limbs(void **state) {
    (void)state;
    check_random(601, 6, &(random_tree){.bodies = 30, .trees = 1, .floating = 1, .limbs = 1, .straight = 1, .joints = RANDOM_HINGES});
    check_random(611, 6, &(random_tree){.bodies = 24, .trees = 1, .floating = 0, .limbs = 1, .joints = RANDOM_HINGES});
    check_random(621, 6, &(random_tree){.bodies = 20, .trees = 2, .floating = -1, .limbs = 1, .joints = RANDOM_MOVING});
}
static void several_trees(void **state) {
    (void)state;
    check_random(401, 8, &(random_tree){.bodies = 9, .trees = 3, .floating = -1, .joints = RANDOM_MOVING});
    check_random(421, 2, &(random_tree){.bodies = 4, .trees = 4, .floating = 1, .joints = RANDOM_ALL});
}
static void one_body(void **state) {
    (void)state;
    check_random(501, 1, &(random_tree){.bodies = 1, .trees = 1, .floating = 1, .joints = RANDOM_ALL});
    for (int i = 0; i < 3; i++)
        check_random(511 + 10 * i, 1, &(random_tree){.bodies = 1, .trees = 1, .floating = 0, .joints = 1u << (MYR_JOINT_REVOLUTE + i)});
}

static void check_shipped(const char *const *names) {
    for (int i = 0; names[i]; i++) {
        myr_model *model = NULL;
        if (myr_model_load(names[i], MYR_ROOT_AUTO, &model) != MYR_OK) fail_msg("%s: %s", names[i], myr_message());
        check_model(model, names[i], (uint64_t)(2000 + i));
        myr_model_free(model);
    }
}
static void chains(void **state) {
    (void)state;
    check_shipped((const char *const[]){"chain-1", "chain-2", "chain-3", "chain-10", NULL});
}
static void shipped_robots(void **state) {
    (void)state;
    check_shipped((const char *const[]){"anymal", "solo12", "hopper", "sphere", "cube", "double-pendulum", NULL});
}

/* Quaternions are normalized on the way in; v and tau may be left out; a NaN stays in its own state. */
static void inputs_as_documented(void **unused) {
    (void)unused;
    myr_model *model = random_model(7, &(random_tree){.bodies = 6, .trees = 1, .floating = 1, .joints = RANDOM_MOVING}, 0);
    assert_non_null(model);
    subject s = subject_new(model, "inputs", 7);
    answers a = answers_new(model), b = answers_new(model);
    const size_t nq = (size_t)model->nq, nv = (size_t)model->nv;

    evaluate(&s, "auto", "f64", 3, &a);
    for (int k = 3; k < 7; k++) s.q[nq + (size_t)k] *= 2; /* the power of two changes no bit of the quotient */
    evaluate(&s, "auto", "f64", 3, &b);
    assert_memory_equal(a.memory, b.memory, a.bytes);

    s.q[nq] = NAN;
    evaluate(&s, "auto", "f64", 3, &b);
    assert_true(isnan(b.evaluation.com[3]));
    for (size_t i = 0; i < 3; i += 2) {
        assert_memory_equal(a.evaluation.M + i * nv * nv, b.evaluation.M + i * nv * nv, nv * nv * sizeof(double));
        assert_memory_equal(a.evaluation.acceleration + i * nv, b.evaluation.acceleration + i * nv, nv * sizeof(double));
    }

    /* state 0 of the subject is at rest without torque */
    double acceleration[64];
    assert_true(nv <= 64);
    const myr_settings settings = myr_settings_default();
    myr_settings in_double = settings;
    assert_int_equal(myr_settings_set(&in_double, "precision", "f64"), MYR_OK);
    const myr_evaluation rest = {.n = 1, .q = s.q, .acceleration = acceleration};
    assert_int_equal(myr_evaluate(model, &in_double, &rest), MYR_OK);
    assert_memory_equal(acceleration, a.evaluation.acceleration, nv * sizeof(double));

    free(a.memory);
    free(b.memory);
    subject_free(&s);
    myr_model_free(model);
}

static void arguments_are_refused(void **unused) {
    (void)unused;
    myr_model *model = random_model(8, &(random_tree){.bodies = 2, .trees = 1, .floating = 1, .joints = RANDOM_HINGES}, 0);
    assert_non_null(model);
    const myr_settings settings = myr_settings_default();
    myr_settings stale = settings;
    stale.cookie ^= 1;
    const double q[7] = {0, 0, 0, 1, 0, 0, 0};
    const myr_evaluation good = {.n = 1, .q = q}, negative = {.n = -1, .q = q}, without_q = {.n = 1};
    assert_int_equal(myr_evaluate(NULL, &settings, &good), MYR_E_ARG);
    assert_int_equal(myr_evaluate(model, NULL, &good), MYR_E_ARG);
    assert_int_equal(myr_evaluate(model, &stale, &good), MYR_E_ARG);
    assert_int_equal(myr_evaluate(model, &settings, NULL), MYR_E_ARG);
    assert_int_equal(myr_evaluate(model, &settings, &negative), MYR_E_ARG);
    assert_non_null(strstr(myr_message(), "-1"));
    assert_int_equal(myr_evaluate(model, &settings, &without_q), MYR_E_ARG);
    assert_non_null(strstr(myr_message(), "q"));
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floating_trees_of_all_joints),
        cmocka_unit_test(fixed_trees_of_all_joints),
        cmocka_unit_test(trees_along_the_axes),
        cmocka_unit_test(hinges_about_any_axis),
        cmocka_unit_test(long_limbs),
        cmocka_unit_test(several_trees),
        cmocka_unit_test(one_body),
        cmocka_unit_test(chains),
        cmocka_unit_test(shipped_robots),
        cmocka_unit_test(inputs_as_documented),
        cmocka_unit_test(arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
