/* What a task that is a table costs: control steps with observations, rewards and ends, and of these what is outside the stages of the
 * physics.
 *
 *   task_cost [table=tasks/text/locomotion.task] [robot=anymal] [profile=anymal-flat] [envs=512] [rounds=30] [KEY=VALUE of the settings ..]
 */
#include <math.h>
#include <stdint.h>

#include "../tools/turns.h"

enum { STEPS = 50 };

int main(int argc, char **argv) {
    const char *path = "tasks/text/locomotion.task", *profile = "anymal-flat";
    turns t = turns_default(NULL, 30);
    for (int k = 1; k < argc; k++)
        if (!strncmp(argv[k], "profile=", 8)) profile = argv[k] + 8;
    must(myr_settings_load(&t.settings, profile));
    must(myr_settings_set(&t.settings, "threads", "1"));
    turns_read(&t, argc, argv, (const turns_key[]){{"table", &path, NULL}, {"profile", &profile, NULL}, {NULL, NULL, NULL}});
    myr_model *robot;
    myr_task_table *table;
    myr_batch *batch;
    must(myr_model_open(t.robot, NULL, &robot));
    must(myr_task_table_load(path, &table));
    must(myr_batch_create_for(robot, t.envs, &t.settings, table, &batch));
    const size_t n = (size_t)t.envs;
    const myr_act act = {.steps = 1,
                         .type = MYR_F32,
                         .observation = allocate(n * (size_t)myr_batch_observations(batch)),
                         .reward = allocate(n),
                         .terminated = allocate(n),
                         .truncated = allocate(n)};
    double best = INFINITY;
    for (int k = 0; k < 2 * STEPS; k++) must(myr_batch_act(batch, &act));
    myr_batch_clear_stats(batch);
    for (int r = 0; r < t.rounds; r++) {
        const double begin = thread_seconds();
        for (int k = 0; k < STEPS; k++) must(myr_batch_act(batch, &act));
        best = fmin(best, thread_seconds() - begin);
    }
    myr_batch_info info;
    myr_stats stats;
    myr_batch_get_info(batch, &info);
    myr_batch_stats(batch, &stats);
    printf("%s, task %s, %lld robots, one thread, %s, %s, solver %s, decimation %lld, residual max %.1e\n", t.robot, info.task,
           (long long)t.envs, info.isa, info.precision == 4 ? "f32" : "f64", t.settings.solver, (long long)t.settings.decimation,
           stats.residual_max);
    printf("%.1f ns per robot and control step, of them %.1f outside the physics\n", 1e9 * best / ((double)t.envs * STEPS),
           stats.task_ns * (double)t.settings.decimation);
    return 0;
}
