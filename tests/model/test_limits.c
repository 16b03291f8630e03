/* Sizes at the edges: a collision mask wider than the task's, paths of more than 255 dofs, more slots than fit, control steps longer
 * than what the tasks wait for. */
#include <stdio.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/model_scene.h"

/* The task hang builds its batch for four feet; then the caller lets everything touch, directly and out of a file. */
static void masks_may_widen(void **state) {
    (void)state;
    const char *const precisions[] = {"f32", "f64"};
    const uint8_t everything[64] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    myr_model *model = NULL;
    myr_model_info size;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    myr_model_get_info(model, &size);
    assert_in_range(size.n_geoms, 5, 16);
    for (int p = 0; p < 2; p++) {
        const myr_settings settings = scene_settings("precision", precisions[p], "task", "hang", "threads", "1", NULL);
        myr_batch *batch = NULL, *twin = NULL;
        MUST(myr_batch_create(model, 3, &settings, &batch));
        MUST(myr_batch_create(model, 3, &settings, &twin));
        MUST(myr_batch_set_collision(batch, everything));
        MUST(myr_batch_save(batch, "limits.bin"));
        MUST(myr_batch_restore(twin, "limits.bin"));
        MUST(myr_batch_step(batch, 1500)); /* on their backs by then: the torso lies on the ground, not in it */
        MUST(myr_batch_step(twin, 1500));
        assert_true(myr_batch_hash(batch) == myr_batch_hash(twin));
        double q[3][19];
        MUST(myr_batch_get(batch, MYR_Q, NULL, 3, MYR_F64, q));
        for (int env = 0; env < 3; env++) assert_true(q[env][2] > 0.05);
        myr_batch_free(batch);
        myr_batch_free(twin);
    }
    remove("limits.bin");
    myr_model_free(model);
}

/* A snake of hinges that comes down on the ball at its end. */
static void long_paths(void **state) {
    (void)state;
    for (int hinges = 248; hinges <= 262; hinges += 7) {
        myr_builder *builder = scene_builder();
        int last = scene_body(builder, "head", -1, MYR_JOINT_FREE, 0, 0, 1);
        for (int k = 0; k < hinges; k++) {
            char name[16];
            snprintf(name, sizeof name, "link%d", k);
            last = scene_body(builder, name, last, MYR_JOINT_REVOLUTE, 0, 0, 0.01);
        }
        myr_geom_def ball = myr_geom_def_default();
        ball.body = last;
        ball.type = MYR_GEOM_SPHERE;
        ball.size_m[0] = 0.1;
        MUST(myr_builder_geom(builder, &ball, NULL));
        myr_model *model = scene_compile(builder);
        const myr_settings settings = scene_settings("precision", "f64", "task", "none", "threads", "1", "tolerance", "1e-9", NULL);
        myr_batch *batch = NULL;
        myr_stats stats;
        MUST(myr_batch_create(model, 2, &settings, &batch));
        MUST(myr_batch_step(batch, 2));
        myr_batch_stats(batch, &stats);
        print_message("%d hinges: %lld of %lld not converged, residual %.1e\n", hinges, (long long)stats.not_converged,
                      (long long)stats.active_steps, stats.residual_max);
        assert_true(stats.active_steps >= 2 && stats.not_converged == 0 && stats.quarantined == 0 && stats.residual_max < 1e-9);
        myr_batch_free(batch);
        myr_model_free(model);
        myr_builder_free(builder);
    }
}

static void too_many_slots(void **state) {
    (void)state;
    myr_builder *builder = scene_builder();
    const int body = scene_body(builder, "hedgehog", -1, MYR_JOINT_FREE, 0, 0, 1);
    for (int k = 0; k < 1876; k++) {
        myr_geom_def box = myr_geom_def_default();
        box.body = body;
        box.type = MYR_GEOM_BOX;
        box.size_m[0] = box.size_m[1] = box.size_m[2] = 0.1;
        MUST(myr_builder_geom(builder, &box, NULL));
    }
    myr_model *model = scene_compile(builder);
    const myr_settings settings = scene_settings("task", "none", "threads", "1", NULL);
    myr_batch *batch = NULL;
    MUST_FAIL(myr_batch_create(model, 1, &settings, &batch), MYR_E_LIMIT, "15008 contact slots");
    assert_null(batch);
    myr_model_free(model);
    myr_builder_free(builder);
}

/* With control steps of 0.6 s a robot in the air has not rested for 0.25 s. */
static void long_control_steps(void **state) {
    (void)state;
    myr_model *model = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    const myr_settings settings = scene_settings("task", "drop", "threads", "1", "decimation", "600", NULL);
    myr_batch *batch = NULL;
    MUST(myr_batch_create(model, 4, &settings, &batch));
    MUST(myr_batch_step(batch, 1));
    double episode[4];
    MUST(myr_batch_get(batch, MYR_EPISODE, NULL, 4, MYR_F64, episode));
    for (int env = 0; env < 4; env++) assert_true(episode[env] == 0);
    myr_batch_free(batch);
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(masks_may_widen), cmocka_unit_test(long_paths), cmocka_unit_test(too_many_slots),
                                       cmocka_unit_test(long_control_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
