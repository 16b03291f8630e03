/* A flat map is the plane for every task, too: what drives robots, what policies see and are paid, when episodes end and where the next
 * ones begin. Bit for bit, in both precisions, at heights of the ground other than 0. ctest: heavy */
#include <stdio.h>

#include "support/act_scene.h"
#include "support/flat_map.h"

enum { ENVS = 19, STEPS = 80 };
static const char *const grounds[2] = {"0.371", "-1.25"};
/* The task locomotion has its ground at 0, and so its map. */
static const char *ground_of(const char *task, int way) { return strcmp(task, "locomotion") ? grounds[way] : "0"; }
static const char *const precisions[2] = {"f32", "f64"};

static void every_task_steps(void **state) {
    (void)state;
    const char *task;
    int tasks = 0;
    myr_model *model;
    MUST(myr_model_open("anymal", NULL, &model));
    for (int k = 0; (task = myr_task_name(k)); k++, tasks++)
        for (int way = 0; way < 4; way++) {
            char what[100];
            const int columns = way % 2, exact = way / 2;
            const myr_settings settings =
                scene_settings("task", task, "precision", precisions[exact], "ground", ground_of(task, columns), "threads", "1", NULL);
            const flat_case c = {.level = 77, .columns = columns, .envs = ENVS, .steps = 250, .cell = 0.1, .speed = 0.5};
            snprintf(what, sizeof what, "task %s, %s, ground %s", task, precisions[exact], ground_of(task, columns));
            const int touched = same_on_flat_map(what, model, &settings, &c);
            /* what hangs stays in the air; what falls and what is thrown anyhow comes down later */
            if (strcmp(task, "hang") && strcmp(task, "drop") && strcmp(task, "random") && touched < ENVS)
                fail_msg("%s: only %d of %d touch the ground", what, touched, ENVS);
        }
    assert_true(tasks >= 6);
    myr_model_free(model);
}

/* A flat map without patches; its height is the environments' 0 by ground_at. */
static myr_model *on_flat_map(const myr_model *plane, int columns) {
    enum { N = 161 };
    static int16_t steps[N * N];
    static uint8_t kinds[(N / 8 + 1) * (N / 8 + 1)];
    for (int i = 0; i < N * N; i++) steps[i] = 77;
    memset(kinds, columns, sizeof kinds);
    myr_terrain_def def = myr_terrain_def_default();
    myr_terrain *terrain;
    myr_model *on;
    def.nx = def.ny = N, def.cell_m = 0.1, def.steps = steps, def.columns = kinds;
    MUST(myr_terrain_create(&def, &terrain));
    MUST(myr_model_on(plane, terrain, &on));
    myr_terrain_free(terrain);
    return on;
}

/* Episodes of half a second, so that all begin anew on the way; pushes, noise, delays as by default; heights are observed. */
static void what_learns_sees_no_difference(void **state) {
    (void)state;
    static const char *const tasks[2] = {"locomotion", "hold"};
    myr_model *plane;
    MUST(myr_model_open("anymal", NULL, &plane));
    for (int way = 0; way < 8; way++) {
        const int exact = way % 2, columns = way / 2 % 2;
        const char *task = tasks[way / 4];
        char what[100];
        myr_model *on = on_flat_map(plane, columns);
        myr_settings settings = act_settings("task", task, "precision", precisions[exact], "ground", ground_of(task, columns), "episode",
                                             "0.5", "scan", way / 4 ? "off" : "exact", NULL);
        myr_batch *batch[2] = {act_batch(plane, ENVS, &settings), act_batch(on, ENVS, &settings)};
        act_arrays arrays[2];
        int ended = 0;
        snprintf(what, sizeof what, "task %s, %s, %s", task, precisions[exact], columns ? "columns" : "field");
        for (int map = 0; map < 2; map++) {
            if (map)
                for (int64_t e = 0; e < ENVS; e++) {
                    const double at[3] = {0.1 * (double)(e % 5), -0.2 * (double)(e % 7), 0.005 * 77};
                    MUST(myr_batch_set(batch[map], MYR_GROUND_AT, &e, 1, MYR_F64, at));
                }
            MUST(myr_batch_reset(batch[map], NULL)); /* over the ground that is there now */
            arrays[map] = act_open(batch[map], ENVS, STEPS);
            act_actions(&arrays[map], 0, 1.0);
            act_run(batch[map], &arrays[map], 0, 0, STEPS, 16, MYR_AUTORESET_SAME_STEP);
        }
        act_assert_same(what, &arrays[0], &arrays[1]);
        for (int i = 0; i < ENVS * STEPS; i++) ended += arrays[1].truncated[i] || arrays[1].terminated[i];
        if (ended < ENVS) fail_msg("%s: only %d episodes ended", what, ended);
        for (int map = 0; map < 2; map++) act_close(&arrays[map]), myr_batch_free(batch[map]);
        myr_model_free(on);
    }
    myr_model_free(plane);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_task_steps), cmocka_unit_test(what_learns_sees_no_difference)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
