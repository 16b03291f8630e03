#include "batch_scene.h"

#include <stdlib.h>
#include <string.h>

#include "random_model.h"

void scene_must_fail(myr_status got, myr_status wanted, const char *word, const char *call, const char *file, int line) {
    if (got != wanted) {
        print_error("%s:%d: %s ended with `%s`, not `%s`; message: %s\n", file, line, call, myr_status_text(got), myr_status_text(wanted),
                    myr_message());
        fail();
    }
    if (word && !strstr(myr_message(), word)) {
        print_error("%s:%d: %s: the message does not say `%s`: %s\n", file, line, call, word, myr_message());
        fail();
    }
}

myr_model *scene_model(void) {
    const random_tree tree = {.bodies = 7,
                              .trees = 2,
                              .floating = 1,
                              .joints =
                                  1u << MYR_JOINT_REVOLUTE | 1u << MYR_JOINT_PRISMATIC | 1u << MYR_JOINT_BALL | 1u << MYR_JOINT_FIXED};
    myr_model *model = random_model(5, &tree, 1);
    if (!model) fail_msg("the random model: %s", myr_message());
    return model;
}

void scene_set_settings(myr_settings *settings, const char *key, va_list list) {
    for (const char *k = key; k; k = va_arg(list, const char *)) {
        const char *value = va_arg(list, const char *);
        if (myr_settings_set(settings, k, value) != MYR_OK) fail_msg("%s", myr_message());
    }
}

myr_builder *scene_robot_builder(const char *name, const char *shipped, myr_model **robot) {
    myr_builder *builder;
    MUST(myr_model_load(shipped, MYR_ROOT_AUTO, robot));
    MUST(myr_builder_create(name, &builder));
    MUST(myr_builder_add_model(builder, *robot, NULL));
    return builder;
}

myr_settings scene_settings(const char *key, ...) {
    myr_settings settings = myr_settings_default();
    va_list list;
    va_start(list, key);
    scene_set_settings(&settings, key, list);
    va_end(list);
    return settings;
}

static void disturb_field(myr_batch *batch, random_source *source, myr_field field, double low, double high) {
    myr_batch_info info;
    myr_batch_get_info(batch, &info);
    const size_t count = (size_t)info.envs * (size_t)myr_batch_components(batch, field);
    double *values = malloc((count + 1) * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < count; i++) values[i] = random_uniform(source, low, high);
    MUST(myr_batch_set(batch, field, NULL, info.envs, MYR_F64, values));
    free(values);
}

void scene_disturb(myr_batch *batch, const myr_model *model, uint64_t seed) {
    random_source source = {seed};
    myr_model_info size;
    myr_batch_info info;
    myr_model_get_info(model, &size);
    myr_batch_get_info(batch, &info);
    double *q = calloc((size_t)size.nq + 1, sizeof *q), *v = calloc((size_t)size.nv + 1, sizeof *v),
           *tau = calloc((size_t)size.nv + 1, sizeof *tau);
    assert_true(q && v && tau);
    for (int64_t env = 0; env < info.envs; env++) {
        random_state(&source, model, 1, 1, q, v, tau);
        MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    }
    free(q);
    free(v);
    free(tau);
    disturb_field(batch, &source, MYR_IMPULSE, 0, 0.1);
    disturb_field(batch, &source, MYR_TARGET, -1, 1);
    disturb_field(batch, &source, MYR_TORQUE, -1, 1);
    disturb_field(batch, &source, MYR_KP, 1, 5);
    disturb_field(batch, &source, MYR_KD, 0.1, 0.5);
    disturb_field(batch, &source, MYR_DAMPING, 0.01, 0.1);
    disturb_field(batch, &source, MYR_ARMATURE, 0.01, 0.1);
    disturb_field(batch, &source, MYR_FRICTION, 0.5, 1.5);
    disturb_field(batch, &source, MYR_GRAVITY, -10, 1);
    disturb_field(batch, &source, MYR_MASS, 4, 6);
    disturb_field(batch, &source, MYR_COM, -0.05, 0.05);
    disturb_field(batch, &source, MYR_WRENCH, -1, 1);
}

double *scene_snapshot(const myr_batch *batch, size_t *count) {
    myr_batch_info info;
    myr_batch_get_info(batch, &info);
    size_t total = 0, at = 0;
    for (int f = 0; f < MYR_FIELD_COUNT; f++) total += (size_t)info.envs * (size_t)myr_batch_components(batch, (myr_field)f);
    double *all = malloc(total * sizeof *all);
    assert_non_null(all);
    for (int f = 0; f < MYR_FIELD_COUNT; f++) {
        if (myr_batch_components(batch, (myr_field)f) == 0) continue;
        MUST(myr_batch_get(batch, (myr_field)f, NULL, info.envs, MYR_F64, all + at));
        at += (size_t)info.envs * (size_t)myr_batch_components(batch, (myr_field)f);
    }
    *count = total;
    return all;
}

void scene_assert_unchanged(const myr_batch *batch, const double *snapshot, size_t count) {
    size_t now_count;
    double *now = scene_snapshot(batch, &now_count);
    assert_int_equal(now_count, count);
    assert_memory_equal(now, snapshot, count * sizeof *now);
    free(now);
}

myr_batch *scene_walkers(const myr_settings *settings, int64_t envs) {
    myr_model *model = NULL;
    myr_batch *batch = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    MUST(myr_batch_create(model, envs, settings, &batch));
    myr_model_free(model); /* the batch keeps it */
    return batch;
}
