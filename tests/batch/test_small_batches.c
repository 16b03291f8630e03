/* Memory of small batches of robots with many shapes: room for the most contacts is reserved, and no bit depends on what lies in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/batch.h"
#include "support/batch_scene.h"

enum { ENVS = 64, FALLING = 8 };

/* Boxes on one another's hinges, all of which may touch each other and the ground, as a Go2's do. */
static myr_model *many_shapes(int boxes) {
    char text[8000];
    int at = snprintf(text, sizeof text,
                      "<mujoco model=\"boxes\"><worldbody><geom type=\"plane\" size=\"1 1 1\"/><body pos=\"0 0 1\"><freejoint/>"
                      "<geom type=\"box\" size=\".1 .1 .1\"/>");
    for (int k = 0; k < boxes; k++)
        at += snprintf(
            text + at, sizeof text - (size_t)at,
            "<body pos=\".3 %g 0\"><joint axis=\"0 %d %d\" range=\"-60 60\" damping=\".1\"/><geom type=\"box\" size=\".1 .08 .06\"/>",
            k % 2 ? 0.1 : -0.1, k % 2, 1 - k % 2);
    for (int k = 0; k <= boxes; k++) at += snprintf(text + at, sizeof text - (size_t)at, "</body>");
    snprintf(text + at, sizeof text - (size_t)at, "</worldbody></mujoco>");
    myr_model *model;
    MUST(myr_model_open_text(text, strlen(text), "boxes", NULL, &model));
    return model;
}

static void room_for_contacts_is_reserved(void **state) {
    (void)state;
    myr_model *model = many_shapes(16);
    myr_batch *batch;
    myr_batch_info info;
    const myr_settings settings = scene_settings("task", "none", "threads", "2", NULL);
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    myr_batch_get_info(batch, &info);
    assert_true(((const myr_batch *)batch)->model.n_slots > 128);
    /* two workers at work, of which each has 5 to 25 MB in reserve */
    if (info.bytes_per_env > 80e3 * (info.lanes * info.precision) / 64)
        fail_msg("%.0f bytes for each of %d, %zu in reserve", info.bytes_per_env, ENVS, info.reserved_bytes);
    assert_true(info.reserved_bytes > 2 * info.bytes);
    assert_true((size_t)(info.bytes_per_env * ENVS + 0.5) == info.bytes);
    myr_batch_free(batch);
    myr_model_free(model);
}

/* ---- what lies there ---------------------------------------------------------------------------- */

typedef struct filling {
    int byte;
} filling;

static void *take_filled(size_t bytes, size_t alignment, void *user) {
    void *memory = aligned_alloc(alignment, bytes);
    if (memory) memset(memory, ((filling *)user)->byte, bytes);
    return memory;
}
static void give(void *memory, void *user) {
    (void)user;
    free(memory);
}

static double *fate(myr_model *model, const char *dynamics, const char *solver, const char *precision, int byte, size_t *count) {
    filling with = {byte};
    const myr_allocator filled = {take_filled, give, &with};
    const myr_settings settings =
        scene_settings("task", "none", "threads", "2", "dynamics", dynamics, "solver", solver, "precision", precision, "dt", "0.01", NULL);
    myr_batch *batch;
    if (byte) myr_set_allocator(&filled);
    MUST(myr_batch_create(model, FALLING, &settings, &batch));
    MUST(myr_batch_step(batch, 60)); /* they fall, and lie in a heap */
    double *snapshot = scene_snapshot(batch, count);
    myr_batch_free(batch);
    myr_set_allocator(NULL);
    return snapshot;
}

static void no_bit_depends_on_what_lies_there(void **state) {
    (void)state;
    static const char *const modes[][3] = {{"generalized", "hybrid", "f32"},
                                           {"generalized", "hybrid", "f64"},
                                           {"generalized", "admm-ncp", "f32"},
                                           {"maximal", "hybrid", "f32"}};
    myr_model *models[2] = {many_shapes(9), NULL};
    MUST(myr_model_open("anymal", NULL, &models[1]));
    for (int k = 0; k < 2; k++)
        for (size_t mode = 0; mode < sizeof modes / sizeof *modes; mode++) {
            size_t count, same;
            double *usual = fate(models[k], modes[mode][0], modes[mode][1], modes[mode][2], 0, &count);
            const int bytes[] = {0xff, 0x3f}; /* not a number; 0.747 and 4.8e-4 */
            for (int b = 0; b < 2; b++) {
                double *other = fate(models[k], modes[mode][0], modes[mode][1], modes[mode][2], bytes[b], &same);
                assert_int_equal(same, count);
                if (memcmp(usual, other, count * sizeof *usual) != 0)
                    fail_msg("model %d, %s, %s, %s: memory full of 0x%x changes what robots do", k, modes[mode][0], modes[mode][1],
                             modes[mode][2], (unsigned)bytes[b]);
                free(other);
            }
            free(usual);
        }
    for (int k = 0; k < 2; k++) myr_model_free(models[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(room_for_contacts_is_reserved),
                                       cmocka_unit_test(no_bit_depends_on_what_lies_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
