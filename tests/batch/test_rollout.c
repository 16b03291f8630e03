/* ctest: threads
 * A rollout from an array of controls is the same, bit for bit, as writing each control and stepping once. */
#include "support/batch_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/isas.h"
#include "kernels/kernels.h"
#include "support/random_model.h"

enum { ENVS = 37, STEPS = 6, MOST = 64 };

static myr_batch *open_batch(const myr_model *model, const char *precision, const char *threads) {
    const myr_settings settings = scene_settings("precision", precision, "threads", threads, "decimation", "3", NULL);
    myr_batch *batch = NULL;
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    scene_disturb(batch, model, 9);
    return batch;
}

static void put(void *array, myr_type type, size_t i, double value) {
    if (type == MYR_F32)
        ((float *)array)[i] = (float)value;
    else
        ((double *)array)[i] = value;
}

static void compare(const myr_model *model, const char *precision, myr_type type, myr_field field) {
    myr_model_info size;
    myr_model_get_info(model, &size);
    const size_t nq = (size_t)size.nq, nx = nq + (size_t)size.nv, nu = (size_t)size.nu, bytes = type == MYR_F32 ? 4 : 8;
    assert_true(nx <= MOST && nu >= 1 && nu <= MOST);
    static double control[ENVS * STEPS * MOST], states[ENVS * STEPS * MOST], row[ENVS * MOST], seen[2][ENVS * MOST];
    random_source source = {31};
    for (size_t i = 0; i < ENVS * STEPS * nu; i++) put(control, type, i, random_uniform(&source, -1, 1));
    myr_batch *rolled = open_batch(model, precision, "3"), *stepped = open_batch(model, precision, "1");
    const myr_rollout rollout = {.steps = STEPS, .control_field = field, .type = type, .control = control, .state = states};
    MUST(myr_batch_rollout(rolled, &rollout));
    for (size_t step = 0; step < STEPS; step++) {
        for (size_t env = 0; env < ENVS; env++)
            memcpy((char *)row + env * nu * bytes, (const char *)control + (env * STEPS + step) * nu * bytes, nu * bytes);
        MUST(myr_batch_set(stepped, field, NULL, ENVS, type, row));
        MUST(myr_batch_step(stepped, 1));
        MUST(myr_batch_get(stepped, MYR_Q, NULL, ENVS, type, seen[0]));
        MUST(myr_batch_get(stepped, MYR_V, NULL, ENVS, type, seen[1]));
        for (size_t env = 0; env < ENVS; env++) {
            const char *state = (const char *)states + (env * STEPS + step) * nx * bytes;
            const int q_differs = memcmp(state, (const char *)seen[0] + env * nq * bytes, nq * bytes);
            const int v_differs = memcmp(state + nq * bytes, (const char *)seen[1] + env * (nx - nq) * bytes, (nx - nq) * bytes);
            if (q_differs || v_differs)
                fail_msg("%s, type %d, field %d: environment %zu, step %zu", precision, (int)type, (int)field, env, step);
        }
    }
    size_t count;
    double *all = scene_snapshot(stepped, &count);
    scene_assert_unchanged(rolled, all, count); /* the last control stays, as if it had been written */
    free(all);
    myr_batch_free(rolled);
    myr_batch_free(stepped);
}

static myr_model *on_rough_ground(const myr_model *plane) {
    enum { N = 65 };
    static int16_t steps[N * N];
    random_source source = {5};
    for (int i = 0; i < N * N; i++) steps[i] = (int16_t)random_below(&source, 30);
    myr_terrain_def def = myr_terrain_def_default();
    myr_terrain *terrain;
    myr_model *on;
    def.nx = def.ny = N, def.cell_m = 0.25, def.steps = steps;
    MUST(myr_terrain_create(&def, &terrain));
    MUST(myr_model_on(plane, terrain, &on));
    myr_terrain_free(terrain);
    return on;
}

static void rollouts_are_steps(void **state) {
    (void)state;
    myr_model *model = scene_model();
    const char *const precisions[] = {"f32", "f64"};
    const myr_type types[] = {MYR_F32, MYR_F64};
    const myr_field fields[] = {MYR_TARGET, MYR_TORQUE};
    myr_model *on = on_rough_ground(model);
    for (int i = 0; i < 8; i++) compare(model, precisions[i & 1], types[i >> 1 & 1], fields[i >> 2]);
    for (int i = 0; i < 8; i++) compare(on, precisions[i & 1], types[i >> 1 & 1], fields[i >> 2]);
    myr_model_free(model), myr_model_free(on);
}

static void arrays_may_be_absent(void **state) {
    (void)state;
    myr_model *model = scene_model();
    static float states[ENVS * STEPS * MOST];
    myr_batch *rolled = open_batch(model, "f32", "2"), *stepped = open_batch(model, "f32", "2");
    const myr_rollout blind = {.steps = STEPS}, watched = {.steps = STEPS, .type = MYR_F32, .state = states}, none = {.steps = 0};
    MUST(myr_batch_rollout(rolled, &blind));
    MUST(myr_batch_rollout(rolled, &watched));
    MUST(myr_batch_rollout(rolled, &none));
    MUST(myr_batch_step(stepped, 2 * STEPS));
    assert_int_equal(myr_batch_hash(rolled), myr_batch_hash(stepped));
    myr_batch_free(rolled);
    myr_batch_free(stepped);
    myr_model_free(model);
}

/* The same arrays in pieces of 1, 2 and 3 steps, with a margin between the rows that stays as it was. */
static void pieces_make_the_same_whole(void **state) {
    (void)state;
    enum { MARGIN = 3 };
    myr_model *model = scene_model();
    myr_model_info size;
    myr_model_get_info(model, &size);
    const size_t nu = (size_t)size.nu, nx = (size_t)(size.nq + size.nv), row = STEPS * nx + MARGIN;
    assert_true(nx <= MOST && nu <= MOST);
    static double control[ENVS * STEPS * MOST], wide[ENVS * (STEPS * MOST + MARGIN)], states[ENVS * STEPS * MOST];
    static double pieces[ENVS * (STEPS * MOST + MARGIN)];
    random_source source = {32};
    for (size_t i = 0; i < ENVS * STEPS * nu; i++) control[i] = random_uniform(&source, -1, 1);
    for (size_t env = 0; env < ENVS; env++)
        memcpy(wide + env * (STEPS * nu + MARGIN), control + env * STEPS * nu, STEPS * nu * sizeof *wide);
    for (size_t i = 0; i < ENVS * row; i++) pieces[i] = -7;
    myr_batch *whole = open_batch(model, "f32", "2"), *cut = open_batch(model, "f32", "2");
    const myr_rollout once = {.steps = STEPS, .control_field = MYR_TORQUE, .type = MYR_F64, .control = control, .state = states};
    MUST(myr_batch_rollout(whole, &once));
    size_t first = 0;
    for (size_t steps = 1; steps <= 3; first += steps++) {
        const myr_rollout piece = {.steps = (int64_t)steps,
                                   .control_field = MYR_TORQUE,
                                   .type = MYR_F64,
                                   .control = wide + first * nu,
                                   .state = pieces + first * nx,
                                   .control_stride = (int64_t)(STEPS * nu + MARGIN),
                                   .state_stride = (int64_t)row};
        MUST(myr_batch_rollout(cut, &piece));
    }
    assert_int_equal(first, STEPS);
    for (size_t env = 0; env < ENVS; env++) {
        assert_memory_equal(pieces + env * row, states + env * STEPS * nx, STEPS * nx * sizeof *states);
        for (size_t k = STEPS * nx; k < row; k++) assert_true(pieces[env * row + k] == -7);
    }
    assert_int_equal(myr_batch_hash(whole), myr_batch_hash(cut));
    myr_batch_free(whole);
    myr_batch_free(cut);
    myr_model_free(model);
}

static void wrong_rollouts_change_nothing(void **state) {
    (void)state;
    myr_model *model = scene_model();
    myr_model_info size;
    myr_model_get_info(model, &size);
    static double control[ENVS * STEPS * MOST], states[ENVS * STEPS * MOST];
    myr_batch *batch = open_batch(model, "f64", "1");
    const uint64_t before = myr_batch_hash(batch);
    const myr_rollout good = {.steps = STEPS, .control_field = MYR_TORQUE, .type = MYR_F64, .control = control, .state = states};
    myr_rollout bad = good;
    MUST_FAIL(myr_batch_rollout(batch, NULL), MYR_E_ARG, "rollout is NULL");
    bad.steps = -1;
    MUST_FAIL(myr_batch_rollout(batch, &bad), MYR_E_ARG, "steps is -1");
    bad = good;
    bad.type = (myr_type)17;
    MUST_FAIL(myr_batch_rollout(batch, &bad), MYR_E_ARG, "type is 17");
    bad = good;
    bad.control_field = MYR_V;
    MUST_FAIL(myr_batch_rollout(batch, &bad), MYR_E_ARG, "control_field");
    bad = good;
    bad.control_stride = STEPS * size.nu - 1;
    MUST_FAIL(myr_batch_rollout(batch, &bad), MYR_E_ARG, "control_stride");
    bad.control_stride = -1;
    MUST_FAIL(myr_batch_rollout(batch, &bad), MYR_E_ARG, "control_stride is -1");
    bad = good;
    bad.state_stride = STEPS * (size.nq + size.nv) - 1;
    MUST_FAIL(myr_batch_rollout(batch, &bad), MYR_E_ARG, "state_stride");
    bad.state_stride = INT64_MAX / 8;
    MUST_FAIL(myr_batch_rollout(batch, &bad), MYR_E_LIMIT, "state");
    assert_int_equal(myr_batch_hash(batch), before);
    bad.state_stride = STEPS * (size.nq + size.nv);
    MUST(myr_batch_rollout(batch, &bad));
    myr_batch_free(batch);
    myr_model_free(model);
}

/* ---- the controls of the dead ---------------------------------------------------------------------------------------- */

typedef enum death { BEFORE_IT, AT_ITS_FIRST_STEP, IN_THE_MIDDLE } death;

/* Environment 0 of `envs` dies before the rollout or in it; its controls must be those of the step in which it died, bit for bit. */
static void die(const myr_model *model, const char *isa, const char *precision, myr_field field, int64_t envs, int wants_state,
                death when) {
    enum { DIES_AT = 3 };
    static double control[ENVS * STEPS * MOST], states[ENVS * STEPS * MOST];
    double values[MOST], before[MOST], other[2];
    const int64_t dead = 0;
    const myr_settings settings = scene_settings("isa", isa, "precision", precision, "threads", "1", NULL);
    myr_batch *batch = NULL;
    MUST(myr_batch_create(model, envs, &settings, &batch));
    const int nu = myr_batch_components(batch, field);
    for (int64_t i = 0; i < envs * STEPS * nu; i++) control[i] = (double)(i % 64) / 64;
    if (when == IN_THE_MIDDLE) control[DIES_AT * nu] = NAN;
    if (when != IN_THE_MIDDLE) {
        double v[MOST] = {0};
        v[0] = 2e6; /* past the speed limit */
        MUST(myr_batch_set(batch, MYR_V, &dead, 1, MYR_F64, v));
    }
    if (when == BEFORE_IT) MUST(myr_batch_step(batch, 1));
    MUST(myr_batch_get(batch, field, &dead, 1, MYR_F64, before));
    const myr_rollout rollout = {
        .steps = STEPS, .control_field = field, .type = MYR_F64, .control = control, .state = wants_state ? states : NULL};
    MUST(myr_batch_rollout(batch, &rollout));
    double reason;
    MUST(myr_batch_get(batch, MYR_QUARANTINED, &dead, 1, MYR_F64, &reason));
    assert_true(reason != MYR_HEALTHY);
    MUST(myr_batch_get(batch, field, &dead, 1, MYR_F64, values));
    const double *wanted = when == BEFORE_IT ? before : when == IN_THE_MIDDLE ? control + DIES_AT * nu : control;
    for (int k = 0; k < nu; k++)
        if (!(values[k] == wanted[k] || (isnan(values[k]) && isnan(wanted[k]))))
            fail_msg("%s, %s, field %d, %lld environments, %s states, death %d: control %d is %g, not %g", isa, precision, (int)field,
                     (long long)envs, wants_state ? "with" : "without", (int)when, k, values[k], wanted[k]);
    for (int64_t env = 1; env < envs; env++) { /* the living have their last one */
        MUST(myr_batch_get(batch, field, &env, 1, MYR_F64, values));
        assert_memory_equal(values, control + (env * STEPS + STEPS - 1) * nu, (size_t)nu * sizeof *values);
        MUST(myr_batch_get(batch, MYR_QUARANTINED, &env, 1, MYR_F64, other));
        assert_true(other[0] == MYR_HEALTHY);
    }
    myr_batch_free(batch);
}

static void the_dead_keep_their_last_control(void **state) {
    (void)state;
    static const char *const precisions[] = {"f32", "f64"};
    static const myr_field fields[] = {MYR_TARGET, MYR_TORQUE};
    static const int64_t sizes[] = {1, 2, 5, 19};
    myr_model *model = NULL;
    MUST(myr_model_load("hopper", MYR_ROOT_AUTO, &model));
    for (int i = 0; isa_at(i); i++)
        for (int k = 0; k < 2 * 2 * 4 * 2 * 3; k++)
            die(model, isa_at(i), precisions[k % 2], fields[k / 2 % 2], sizes[k / 4 % 4], k / 16 % 2, (death)(k / 32));
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rollouts_are_steps),
        cmocka_unit_test(arrays_may_be_absent),
        cmocka_unit_test(pieces_make_the_same_whole),
        cmocka_unit_test(wrong_rollouts_change_nothing),
        cmocka_unit_test(the_dead_keep_their_last_control),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
