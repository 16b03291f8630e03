/* ctest: threads
 * Every field of a batch goes in and comes out again, whatever the batch computes in, whatever the array holds, for any
 * list of environments; what is wrong is refused and changes nothing. */
#include "support/batch_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/batch.h"
#include "layouts/pack.h"
#include "support/random_model.h"

enum { ENVS = 37 };

static const char *const precisions[] = {"f32", "f64"};
static const myr_type types[] = {MYR_F32, MYR_F64};
static const myr_field stored[] = {MYR_Q,  MYR_V,       MYR_IMPULSE,  MYR_TARGET,   MYR_TORQUE,  MYR_KP,
                                   MYR_KD, MYR_DAMPING, MYR_ARMATURE, MYR_FRICTION, MYR_GRAVITY, MYR_WRENCH};
enum { STORED = sizeof stored / sizeof *stored };

static myr_batch *open_batch(const myr_model *model, const char *precision, int senses) {
    myr_settings settings = scene_settings("precision", precision, "threads", "2", NULL);
    myr_batch *batch = NULL;
    settings.sense_acceleration = settings.sense_bodies = settings.sense_contacts = senses;
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    return batch;
}

static double value_of(const void *array, myr_type type, size_t i) {
    return type == MYR_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static void put_value(void *array, myr_type type, size_t i, double value) {
    if (type == MYR_F32)
        ((float *)array)[i] = (float)value;
    else
        ((double *)array)[i] = value;
}

/* Set the listed environments to numbers that floats hold exactly, then read all of them in the other type. */
static void round_trip(myr_batch *batch, myr_field field, const int64_t *ids, int n, myr_type type) {
    static int serial;
    const size_t c = (size_t)myr_batch_components(batch, field);
    const myr_type other = type == MYR_F32 ? MYR_F64 : MYR_F32;
    double *expected = malloc((ENVS * c + 1) * sizeof *expected), *array = malloc(((size_t)n * c + 1) * sizeof *array);
    double *seen = malloc((ENVS * c + 1) * sizeof *seen);
    assert_true(expected && array && seen);
    MUST(myr_batch_get(batch, field, NULL, ENVS, MYR_F64, expected));
    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < c; k++) {
            const double value = (double)(++serial % 100000) / 64.0 - 700;
            put_value(array, type, (size_t)i * c + k, value);
            expected[(size_t)(ids ? ids[i] : i) * c + k] = value; /* of equal ids the last one stays */
        }
    MUST(myr_batch_set(batch, field, ids, n, type, array));
    MUST(myr_batch_get(batch, field, NULL, ENVS, other, seen));
    for (size_t i = 0; i < ENVS * c; i++)
        if (value_of(seen, other, i) != expected[i])
            fail_msg("field %d, environment %zu, component %zu: %g instead of %g", (int)field, i / c, i % c, value_of(seen, other, i),
                     expected[i]);
    memset(array, 0, (size_t)n * c * sizeof *array);
    MUST(myr_batch_get(batch, field, ids, n, type, array));
    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < c; k++)
            assert_true(value_of(array, type, (size_t)i * c + k) == expected[(size_t)(ids ? ids[i] : i) * c + k]);
    free(expected);
    free(array);
    free(seen);
}

static void every_field_comes_back(void **state) {
    (void)state;
    myr_model *model = scene_model();
    int64_t backwards[ENVS], some[50];
    random_source source = {1};
    for (int i = 0; i < ENVS; i++) backwards[i] = ENVS - 1 - i;
    for (int i = 0; i < 50; i++) some[i] = random_below(&source, ENVS); /* with repetitions */
    for (int p = 0; p < 2; p++) {
        myr_batch *batch = open_batch(model, precisions[p], 0);
        for (int f = 0; f < STORED; f++)
            for (int t = 0; t < 2; t++) {
                round_trip(batch, stored[f], NULL, ENVS, types[t]);
                round_trip(batch, stored[f], NULL, 20, types[t]);
                round_trip(batch, stored[f], backwards, ENVS, types[t]);
                round_trip(batch, stored[f], some, 50, types[t]);
                round_trip(batch, stored[f], some, 0, types[t]);
            }
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

/* Enough environments for the team to share the work. */
static void many_at_once_are_the_same_as_one_by_one(void **state) {
    (void)state;
    enum { MANY = 20011 };
    const myr_field some[] = {MYR_V, MYR_KP, MYR_GRAVITY, MYR_MASS, MYR_INERTIA, MYR_EPISODE};
    myr_model *model = scene_model();
    const myr_settings settings = scene_settings("threads", "3", NULL);
    myr_batch *batch = NULL;
    MUST(myr_batch_create(model, MANY, &settings, &batch));
    for (int f = 0; f < (int)(sizeof some / sizeof *some); f++) {
        const size_t c = (size_t)myr_batch_components(batch, some[f]), bytes = MANY * c * sizeof(double);
        double *in = malloc(bytes), *out = malloc(bytes), one[64];
        int64_t *backwards = malloc(MANY * sizeof *backwards);
        assert_true(in && out && backwards && c >= 1 && c <= 64);
        for (size_t i = 0; i < MANY * c; i++) in[i] = 1 + (double)(i % 5003) / 64;
        for (int i = 0; i < MANY; i++) backwards[i] = MANY - 1 - i;
        if (some[f] != MYR_EPISODE) MUST(myr_batch_set(batch, some[f], NULL, MANY - 3, MYR_F64, in)); /* the last three stay */
        MUST(myr_batch_get(batch, some[f], NULL, MANY, MYR_F64, in));
        for (int64_t env = 0; env < MANY; env++) {
            MUST(myr_batch_get(batch, some[f], &env, 1, MYR_F64, one));
            assert_memory_equal(one, in + (size_t)env * c, c * sizeof *one);
        }
        if (some[f] == MYR_V || some[f] == MYR_KP)
            assert_true(in[(MANY - 4) * c] == 1 + (double)((MANY - 4) * c % 5003) / 64 && in[(MANY - 3) * c] == 0);
        MUST(myr_batch_get(batch, some[f], backwards, MANY, MYR_F64, out));
        for (size_t env = 0; env < MANY; env++) assert_memory_equal(out + env * c, in + (MANY - 1 - env) * c, c * sizeof *out);
        free(in);
        free(out);
        free(backwards);
    }
    myr_batch_free(batch);
    myr_model_free(model);
}

static void nan_and_infinity_are_data(void **state) {
    (void)state;
    myr_model *model = scene_model();
    myr_batch *batch = open_batch(model, "f32", 0);
    const int64_t env = 3;
    const double in[3] = {NAN, INFINITY, 1e300}; /* the last one is beyond floats */
    float out[3];
    MUST(myr_batch_set(batch, MYR_GRAVITY, &env, 1, MYR_F64, in));
    MUST(myr_batch_get(batch, MYR_GRAVITY, &env, 1, MYR_F32, out));
    assert_true(isnan(out[0]) && isinf(out[1]) && isinf(out[2]));
    myr_batch_free(batch);
    myr_model_free(model);
}

static void wrench_knows_no_negative_zero(void **state) {
    (void)state;
    myr_model *model = scene_model();
    for (int p = 0; p < 2; p++) {
        myr_batch *batch = open_batch(model, precisions[p], 0);
        const int64_t env = 20;
        const int c = myr_batch_components(batch, MYR_WRENCH);
        double wrench[200];
        assert_in_range(c, 6, 200);
        for (int k = 0; k < c; k++) wrench[k] = k % 2 ? -0.0 : -1e-60; /* the second becomes -0.0 in floats */
        MUST(myr_batch_set(batch, MYR_WRENCH, &env, 1, MYR_F64, wrench));
        MUST(myr_batch_get(batch, MYR_WRENCH, &env, 1, MYR_F64, wrench));
        for (int k = 0; k < c; k++) assert_true(wrench[k] != 0 || !signbit(wrench[k]));
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

/* ---- mass, centre of mass, inertia ---------------------------------------------------------------------------------- */

static void assert_near(const double *a, const double *b, int n, double tolerance, const char *what) {
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance)) fail_msg("%s[%d]: %.17g instead of %.17g", what, i, a[i], b[i]);
}

typedef struct inertials {
    double mass[16], com[16][3], inertia[16][6];
} inertials;

static void read_inertials(const myr_batch *batch, int64_t env, inertials *seen) {
    memset(seen, 0, sizeof *seen);
    MUST(myr_batch_get(batch, MYR_MASS, &env, 1, MYR_F64, seen->mass));
    MUST(myr_batch_get(batch, MYR_COM, &env, 1, MYR_F64, seen->com));
    MUST(myr_batch_get(batch, MYR_INERTIA, &env, 1, MYR_F64, seen->inertia));
}

static void assert_inertials(const inertials *seen, const inertials *wanted, int bodies, double tolerance) {
    assert_near(seen->mass, wanted->mass, bodies, 10 * tolerance, "mass");
    assert_near(seen->com[0], wanted->com[0], 3 * bodies, tolerance, "com");
    assert_near(seen->inertia[0], wanted->inertia[0], 6 * bodies, 10 * tolerance, "inertia");
}

static void inertials_start_as_the_model_says_and_are_kept(void **state) {
    (void)state;
    myr_model *model = scene_model();
    random_source source = {7};
    const int bodies = model->n_bodies;
    assert_in_range(bodies, 3, 16);
    for (int p = 0; p < 2; p++) {
        myr_batch *batch = open_batch(model, precisions[p], 0);
        const double tolerance = p == 0 ? 1e-6 : 1e-14; /* of masses of some kg and lengths below 1 m */
        const int64_t env = 19;
        inertials wanted, seen, others;
        memset(&wanted, 0, sizeof wanted);
        for (int b = 0; b < bodies; b++) {
            wanted.mass[b] = model->bodies[b].mass;
            memcpy(wanted.com[b], model->bodies[b].com, sizeof wanted.com[b]);
            memcpy(wanted.inertia[b], model->bodies[b].inertia, sizeof wanted.inertia[b]);
        }
        read_inertials(batch, env, &seen);
        assert_inertials(&seen, &wanted, bodies, tolerance);
        for (int round = 0; round < 5; round++) {
            for (int b = 0; b < bodies; b++) wanted.mass[b] = random_uniform(&source, 1, 5);
            MUST(myr_batch_set(batch, MYR_MASS, &env, 1, MYR_F64, wanted.mass));
            read_inertials(batch, env, &seen);
            assert_inertials(&seen, &wanted, bodies, tolerance);
            for (int b = 0; b < bodies; b++)
                for (int k = 0; k < 3; k++) wanted.com[b][k] = random_uniform(&source, -0.3, 0.3);
            MUST(myr_batch_set(batch, MYR_COM, &env, 1, MYR_F64, wanted.com));
            read_inertials(batch, env, &seen);
            assert_inertials(&seen, &wanted, bodies, tolerance);
            for (int b = 0; b < bodies; b++)
                for (int k = 0; k < 6; k++) wanted.inertia[b][k] = random_uniform(&source, 0.1, 0.5);
            MUST(myr_batch_set(batch, MYR_INERTIA, &env, 1, MYR_F64, wanted.inertia));
            read_inertials(batch, env, &seen);
            assert_inertials(&seen, &wanted, bodies, tolerance);
        }
        read_inertials(batch, env + 1, &others);
        for (int b = 0; b < bodies; b++) assert_true(fabs(others.mass[b] - model->bodies[b].mass) <= 10 * tolerance);
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

/* The rows hold mass, mass com, and the inertia about the origin in aligned axes: for a turn w about the origin,
 * w' I_o w = w' I w + m |w x com|^2, whatever axes the right side is counted in. */
static void rows_hold_the_inertia_about_the_origin(void **state) {
    (void)state;
    myr_model *model = scene_model();
    myr_batch *batch = open_batch(model, "f64", 0);
    random_source source = {11};
    for (int b = 0; b < model->n_bodies; b++) {
        const myr_body *body = &model->bodies[b];
        const double *A = body->align, *c = body->com, *I = body->inertia;
        double row[10], w[3], a[3], h[3];
        for (int k = 0; k < 10; k++)
            row[k] = myr_tile_load(&batch->layout, batch->arena, batch->layout.first[MYR_ROWS_inertial] + 10 * b + k, ENVS - 1);
        for (int k = 0; k < 3; k++) w[k] = random_uniform(&source, -1, 1);
        for (int i = 0; i < 3; i++) {
            a[i] = A[3 * i] * w[0] + A[3 * i + 1] * w[1] + A[3 * i + 2] * w[2];
            h[i] = body->mass * (A[3 * i] * c[0] + A[3 * i + 1] * c[1] + A[3 * i + 2] * c[2]);
        }
        const double x[3] = {w[1] * c[2] - w[2] * c[1], w[2] * c[0] - w[0] * c[2], w[0] * c[1] - w[1] * c[0]};
        const double wanted = I[0] * w[0] * w[0] + I[1] * w[1] * w[1] + I[2] * w[2] * w[2] +
                              2 * (I[3] * w[0] * w[1] + I[4] * w[0] * w[2] + I[5] * w[1] * w[2]) +
                              body->mass * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        const double seen = row[4] * a[0] * a[0] + row[5] * a[1] * a[1] + row[6] * a[2] * a[2] +
                            2 * (row[7] * a[0] * a[1] + row[8] * a[0] * a[2] + row[9] * a[1] * a[2]);
        assert_near(&row[0], &body->mass, 1, 0, "mass");
        assert_near(&row[1], h, 3, 1e-13, "mass com");
        assert_near(&seen, &wanted, 1, 1e-13, "w I_o w");
    }
    myr_batch_free(batch);
    myr_model_free(model);
}

/* ---- views ---------------------------------------------------------------------------------------------------------- */

static double viewed(const myr_view *view, int64_t env, int64_t component) {
    const void *at = (const char *)view->data + (env / view->lanes) * view->tile_stride + component * view->row_stride +
                     (env % view->lanes) * view->lane_stride;
    if (view->type == MYR_I64) return (double)*(const int64_t *)at;
    return view->type == MYR_F32 ? (double)*(const float *)at : *(const double *)at;
}

static void views_show_what_get_reads(void **state) {
    (void)state;
    myr_model *model = scene_model();
    for (int p = 0; p < 2; p++) {
        myr_batch *batch = open_batch(model, precisions[p], 1);
        scene_disturb(batch, model, 3);
        MUST(myr_batch_step(batch, 2));
        int refused = 0;
        for (int f = 0; f < MYR_FIELD_COUNT; f++) {
            const myr_field field = (myr_field)f;
            const size_t c = (size_t)myr_batch_components(batch, field);
            myr_view view;
            if (c == 0) continue; /* of another task */
            if (myr_batch_view(batch, field, &view) != MYR_OK) {
                assert_non_null(strstr(myr_message(), "myr_batch_get"));
                refused++;
                continue;
            }
            double *seen = malloc((ENVS * c + 1) * sizeof *seen);
            assert_non_null(seen);
            MUST(myr_batch_get(batch, field, NULL, ENVS, MYR_F64, seen));
            assert_int_equal(view.envs, ENVS);
            assert_int_equal(view.components, c);
            for (int env = 0; env < ENVS; env++)
                for (size_t k = 0; k < c; k++) {
                    const double a = viewed(&view, env, (int64_t)k), b = seen[(size_t)env * c + k];
                    if (memcmp(&a, &b, sizeof a) != 0) fail_msg("field %d (%d, %zu): view %g, get %g", f, env, k, a, b);
                }
            free(seen);
        }
        assert_int_equal(refused, 7); /* com, inertia, control, iterations, status, time, quarantine are not stored as they are read */
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

/* ---- counters, and refusals ----------------------------------------------------------------------------------------- */

static void counters_count(void **state) {
    (void)state;
    myr_model *model = scene_model();
    myr_batch *batch = open_batch(model, "f32", 0);
    int64_t whole[ENVS];
    double time[ENVS];
    uint8_t mask[ENVS] = {0};
    MUST(myr_batch_get(batch, MYR_EPISODE, NULL, ENVS, MYR_I64, whole));
    for (int i = 0; i < ENVS; i++) assert_int_equal(whole[i], 0);
    MUST(myr_batch_step(batch, 5));
    mask[4] = mask[36] = 1;
    MUST(myr_batch_reset(batch, mask));
    MUST(myr_batch_step(batch, 2));
    MUST(myr_batch_get(batch, MYR_EPISODE, NULL, ENVS, MYR_I64, whole));
    MUST(myr_batch_get(batch, MYR_TIME, NULL, ENVS, MYR_F64, time));
    for (int i = 0; i < ENVS; i++) {
        assert_int_equal(whole[i], mask[i]);
        assert_true(fabs(time[i] - (mask[i] ? 0.002 : 0.007)) < 1e-12);
    }
    MUST(myr_batch_reset(batch, NULL));
    MUST(myr_batch_get(batch, MYR_EPISODE, NULL, ENVS, MYR_I64, whole));
    for (int i = 0; i < ENVS; i++) assert_int_equal(whole[i], mask[i] + 1);
    MUST(myr_batch_get(batch, MYR_QUARANTINED, NULL, ENVS, MYR_I64, whole));
    for (int i = 0; i < ENVS; i++) assert_int_equal(whole[i], MYR_HEALTHY);
    myr_batch_free(batch);
    myr_model_free(model);
}

static void wrong_arguments_change_nothing(void **state) {
    (void)state;
    myr_model *model = scene_model();
    myr_batch *batch = open_batch(model, "f32", 0);
    scene_disturb(batch, model, 4);
    size_t count;
    double *before = scene_snapshot(batch, &count);
    static double array[ENVS * 200];
    const int64_t over[] = {0, 1, ENVS}, under[] = {5, -1};
    const myr_field read_only[] = {MYR_ACCELERATION, MYR_BODY_POSE, MYR_CONTACT_POINT, MYR_ITERATIONS,
                                   MYR_RESIDUAL,     MYR_TIME,      MYR_EPISODE,       MYR_QUARANTINED};

    MUST_FAIL(myr_batch_set(batch, MYR_Q, over, 3, MYR_F64, array), MYR_E_ARG, "ids[2] is 37");
    MUST_FAIL(myr_batch_set(batch, MYR_Q, under, 2, MYR_F32, array), MYR_E_ARG, "ids[1] is -1");
    MUST_FAIL(myr_batch_set(batch, MYR_MASS, over, 3, MYR_F64, array), MYR_E_ARG, "ids[2]");
    MUST_FAIL(myr_batch_set(batch, MYR_V, NULL, ENVS + 1, MYR_F64, array), MYR_E_ARG, "38");
    MUST_FAIL(myr_batch_set(batch, MYR_V, NULL, -1, MYR_F64, array), MYR_E_ARG, "-1");
    MUST_FAIL(myr_batch_set(batch, MYR_V, NULL, 1, MYR_F64, NULL), MYR_E_ARG, "NULL");
    MUST_FAIL(myr_batch_set(batch, MYR_V, NULL, 1, MYR_I64, array), MYR_E_ARG, "'v'");
    MUST_FAIL(myr_batch_set(batch, MYR_V, NULL, 1, (myr_type)3, array), MYR_E_ARG, "type 3");
    MUST_FAIL(myr_batch_set(batch, MYR_FIELD_COUNT, NULL, 1, MYR_F64, array), MYR_E_ARG, "field");
    MUST_FAIL(myr_batch_set(batch, (myr_field)-1, NULL, 1, MYR_F64, array), MYR_E_ARG, "field");
    MUST_FAIL(myr_batch_set(NULL, MYR_V, NULL, 1, MYR_F64, array), MYR_E_ARG, "batch is NULL");
    for (size_t i = 0; i < sizeof read_only / sizeof *read_only; i++)
        MUST_FAIL(myr_batch_set(batch, read_only[i], NULL, 1, MYR_F64, array), MYR_E_ARG, "read only");
    MUST_FAIL(myr_batch_get(batch, MYR_Q, over, 3, MYR_F64, array), MYR_E_ARG, "ids[2] is 37");
    MUST_FAIL(myr_batch_get(batch, MYR_RESIDUAL, NULL, 1, MYR_I64, array), MYR_E_ARG, "residual");
    MUST_FAIL(myr_batch_get(batch, MYR_ACCELERATION, NULL, 1, MYR_F64, array), MYR_E_STATE, "sense-acceleration");
    MUST_FAIL(myr_batch_step(batch, -1), MYR_E_ARG, "-1");
    MUST_FAIL(myr_batch_set_collision(batch, NULL), MYR_E_ARG, "geom_mask");
    const myr_rollout wrong_type = {.steps = 1, .type = MYR_I64, .control = array, .control_field = MYR_TARGET};
    const myr_rollout wrong_field = {.steps = 1, .type = MYR_F64, .control = array, .control_field = MYR_Q};
    const myr_rollout too_long = {.steps = INT64_MAX / 2, .type = MYR_F64, .control = array, .control_field = MYR_TARGET};
    MUST_FAIL(myr_batch_rollout(batch, &wrong_type), MYR_E_ARG, "type");
    MUST_FAIL(myr_batch_rollout(batch, &wrong_field), MYR_E_ARG, "control_field");
    MUST_FAIL(myr_batch_rollout(batch, &too_long), MYR_E_LIMIT, "steps");
    assert_int_equal(myr_batch_components(batch, MYR_ACCELERATION), 0);
    scene_assert_unchanged(batch, before, count);

    myr_batch *none = batch;
    myr_settings settings = myr_settings_default();
    MUST_FAIL(myr_batch_create(model, 0, &settings, &none), MYR_E_ARG, "envs");
    assert_null(none);
    settings.sense_bodies = 2;
    MUST_FAIL(myr_batch_create(model, 1, &settings, &none), MYR_E_ARG, "sense-bodies");
    settings = myr_settings_default();
    MUST_FAIL(myr_batch_create(model, INT64_MAX, &settings, &none), MYR_E_ARG, "envs");
    MUST_FAIL(myr_batch_create(model, INT64_MAX / 2, &settings, &none), MYR_E_MEMORY, "environments");
    settings = scene_settings("task", "trot", NULL);
    MUST_FAIL(myr_batch_create(model, 1, &settings, &none), MYR_E_ARG, "'trot'");
    memset(&settings, 0, sizeof settings);
    MUST_FAIL(myr_batch_create(model, 1, &settings, &none), MYR_E_ARG, "myr_settings_default");
    free(before);
    myr_batch_free(batch);
    myr_model_free(model);
}

/* ---- the hash ------------------------------------------------------------------------------------------------------- */

static uint64_t fnv(uint64_t hash, const void *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return hash;
}

/* SplitMix64's own words for its end. */
static uint64_t stirred(uint64_t z) {
    z = (z ^ (z >> 30)) * 13787848793156543929u;
    z = (z ^ (z >> 27)) * 10723151780598845931u;
    return z ^ (z >> 31);
}

/* Many robots that all do the same do not hash to the same whatever they do: FNV summed over their ids alone does. */
static void hash_tells_crowds_apart(void **state) {
    (void)state;
    myr_model *model = scene_model();
    const myr_settings settings = scene_settings("task", "none", NULL);
    for (int64_t envs = 256; envs <= 1024; envs *= 2) {
        myr_batch *batch = NULL;
        MUST(myr_batch_create(model, envs, &settings, &batch));
        const uint64_t before = myr_batch_hash(batch);
        MUST(myr_batch_step(batch, 1));
        assert_true(myr_batch_hash(batch) != before);
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

static void hash_is_as_defined(void **state) {
    (void)state;
    myr_model *model = scene_model();
    myr_model_info size;
    myr_model_get_info(model, &size);
    const size_t nq = (size_t)size.nq, nv = (size_t)size.nv;
    for (int p = 0; p < 2; p++) {
        const myr_settings settings = scene_settings("precision", precisions[p], "first-env", "1000000000000", NULL);
        const size_t bytes = p == 0 ? 4 : 8;
        myr_batch *batch = NULL;
        MUST(myr_batch_create(model, ENVS, &settings, &batch));
        scene_disturb(batch, model, 8);
        static unsigned char q[ENVS * 64 * 8], v[ENVS * 64 * 8];
        assert_true(nq <= 64 && nv <= 64);
        MUST(myr_batch_get(batch, MYR_Q, NULL, ENVS, types[p], q));
        MUST(myr_batch_get(batch, MYR_V, NULL, ENVS, types[p], v));
        uint64_t sum = 0;
        for (size_t env = 0; env < ENVS; env++) {
            const uint64_t id = 1000000000000u + env;
            uint64_t hash = fnv(14695981039346656037u, &id, 8);
            hash = fnv(hash, q + env * nq * bytes, nq * bytes);
            sum += stirred(fnv(hash, v + env * nv * bytes, nv * bytes));
        }
        assert_int_equal(myr_batch_hash(batch), sum);
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_comes_back),
        cmocka_unit_test(many_at_once_are_the_same_as_one_by_one),
        cmocka_unit_test(nan_and_infinity_are_data),
        cmocka_unit_test(wrench_knows_no_negative_zero),
        cmocka_unit_test(inertials_start_as_the_model_says_and_are_kept),
        cmocka_unit_test(rows_hold_the_inertia_about_the_origin),
        cmocka_unit_test(views_show_what_get_reads),
        cmocka_unit_test(counters_count),
        cmocka_unit_test(wrong_arguments_change_nothing),
        cmocka_unit_test(hash_is_as_defined),
        cmocka_unit_test(hash_tells_crowds_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
