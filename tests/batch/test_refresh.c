/* ctest: threads
 * Poses and velocities of bodies that a batch shows are those of its q and v: after a refresh, and after every kind of reset. Judged by
 * myr_evaluate, which computes them on its own from q and v. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/act_scene.h"
#include "support/isas.h"
#include "model/model.h"

enum { ENVS = 37 };

static const char *const precisions[] = {"f32", "f64"};

static int frame_of(const myr_model *model, const char *body) {
    int frame = 0;
    while (myr_model_frame_name(model, frame) && strcmp(myr_model_frame_name(model, frame), body) != 0) frame++;
    assert_non_null(myr_model_frame_name(model, frame));
    return frame;
}

static double *values(const myr_batch *batch, myr_field field) {
    double *out = malloc(sizeof *out * ENVS * (size_t)myr_batch_components(batch, field));
    assert_non_null(out);
    MUST(myr_batch_get(batch, field, NULL, ENVS, MYR_F64, out));
    return out;
}

/* The largest difference of any body of the environments from .. to - 1 to what their q and v say. */
static double staleness(const myr_model *model, const myr_batch *batch, int64_t from, int64_t to) {
    const size_t frames = (size_t)model->n_frames, bodies = (size_t)model->n_bodies;
    double *q = values(batch, MYR_Q), *v = values(batch, MYR_V), *pose = values(batch, MYR_BODY_POSE),
           *rate = values(batch, MYR_BODY_VELOCITY);
    double *position = malloc(sizeof *position * ENVS * frames * 3), *quaternion = malloc(sizeof *quaternion * ENVS * frames * 4),
           *velocity = malloc(sizeof *velocity * ENVS * frames * 6), worst = 0;
    const myr_settings settings = scene_settings("precision", "f64", NULL);
    const myr_evaluation evaluation = {
        .n = ENVS, .q = q, .v = v, .frame_position = position, .frame_quaternion = quaternion, .frame_velocity = velocity};
    assert_true(position && quaternion && velocity);
    MUST(myr_evaluate(model, &settings, &evaluation));
    for (size_t body = 0; body < bodies; body++) {
        const size_t frame = (size_t)frame_of(model, model->bodies[body].name);
        for (size_t env = (size_t)from; env < (size_t)to; env++) {
            const double *a = pose + 7 * (env * bodies + body), *b = rate + 6 * (env * bodies + body);
            const double *turned = quaternion + 4 * (env * frames + frame);
            double same = 0; /* of q and -q, which are the same rotation */
            for (int k = 0; k < 4; k++) same += a[3 + k] * turned[k];
            for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(a[k] - position[3 * (env * frames + frame) + (size_t)k]));
            for (int k = 0; k < 4; k++) worst = fmax(worst, fabs(a[3 + k] - copysign(1, same) * turned[k]));
            for (int k = 0; k < 6; k++) worst = fmax(worst, fabs(b[k] - velocity[6 * (env * frames + frame) + (size_t)k]));
        }
    }
    free(q), free(v), free(pose), free(rate), free(position), free(quaternion), free(velocity);
    return worst;
}

/* Every joint elsewhere, every speed another. */
static void move_all(myr_batch *batch, int64_t env) {
    double q[64], v[64];
    MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
    q[0] += 1, q[1] -= 2, q[2] += 0.5;
    act_action(env, 3, myr_batch_components(batch, MYR_Q) - 7, 1, q + 7);
    act_action(env, 4, myr_batch_components(batch, MYR_V), 2, v);
    MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
    MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
}

static void bodies_are_fresh(const myr_model *model, const char *isa, const char *precision, const char *threads) {
    const double fresh = strcmp(precision, "f64") == 0 ? 1e-9 : 1e-4;
    myr_settings settings = act_settings("isa", isa, "precision", precision, "threads", threads, "episode", "0.1", "start-speed", "1",
                                         "push-interval", "0", NULL);
    myr_batch *batch = NULL;
    uint8_t mask[ENVS] = {0};
    const int64_t odd = 21;
    settings.sense_bodies = 1;
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    assert_true(staleness(model, batch, 0, ENVS) < fresh); /* from the first moment on */
    for (int64_t env = 0; env < ENVS; env++) move_all(batch, env);
    assert_true(staleness(model, batch, 0, 1) > 0.3);
    const uint64_t hash = myr_batch_hash(batch);
    MUST(myr_batch_refresh(batch));
    assert_true(myr_batch_hash(batch) == hash && staleness(model, batch, 0, ENVS) < fresh);
    /* a mask refreshes whom it resets */
    for (int64_t env = 0; env < ENVS; env++) move_all(batch, env);
    mask[odd] = 1;
    MUST(myr_batch_reset(batch, mask));
    assert_true(staleness(model, batch, odd, odd + 1) < fresh);
    assert_true(staleness(model, batch, odd - 1, odd) > 0.3 && staleness(model, batch, odd + 1, odd + 2) > 0.3);
    MUST(myr_batch_reset(batch, NULL));
    assert_true(staleness(model, batch, 0, ENVS) < fresh);
    /* and so does an episode that ends in a control step, at once or a step later */
    for (int t = 0; t < 13; t++) {
        MUST(myr_batch_act(batch, &(myr_act){.steps = 1, .type = MYR_F64, .autoreset = (myr_autoreset)(t > 6)}));
        assert_true(staleness(model, batch, 0, ENVS) < fresh);
    }
    myr_batch_free(batch);
}

static void bodies_are_fresh_after_resets(void **state) {
    (void)state;
    const char *const names[] = {"anymal", "solo12"};
    for (int r = 0; r < 2; r++) {
        myr_model *model = NULL;
        MUST(myr_model_load(names[r], MYR_ROOT_AUTO, &model));
        for (int i = 0; isa_at(i); i++)
            for (int p = 0; p < 2; p++) bodies_are_fresh(model, isa_at(i), precisions[p], r ? "2" : "1");
        myr_model_free(model);
    }
}

/* A batch that shows no bodies has nothing to refresh, of whatever model and task. */
static void nothing_to_do_is_no_error(void **state) {
    (void)state;
    myr_model *model = scene_model();
    const myr_settings settings = scene_settings("task", "none", NULL);
    myr_batch *batch = NULL;
    size_t count;
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    double *before = scene_snapshot(batch, &count);
    MUST(myr_batch_refresh(batch));
    scene_assert_unchanged(batch, before, count);
    free(before);
    myr_batch_free(batch);
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bodies_are_fresh_after_resets), cmocka_unit_test(nothing_to_do_is_no_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
