/* What a task costs as a table of programs, beside the same task in C, in one run, in turns: control steps with observations, rewards and
 * ends, all of them and without the stages of the physics.
 *
 *   task_cost [table=tasks/text/locomotion.task] [robot=anymal] [profile=anymal-flat] [envs=512] [rounds=30] [KEY=VALUE of the settings ..]
 */
#include <math.h>
#include <stdint.h>

#include "turns.h"

enum { STEPS = 50 };

typedef struct acting {
    myr_batch *batch;
    myr_act act;
    double best;
} acting;

static void open_outputs(acting *a, int64_t envs) {
    const size_t n = (size_t)envs;
    a->act = (myr_act){.steps = 1, .type = MYR_F32};
    a->act.observation = allocate(n * (size_t)myr_batch_observations(a->batch));
    a->act.reward = allocate(n);
    a->act.terminated = allocate(n), a->act.truncated = allocate(n);
}

static void run(acting *a) {
    for (int k = 0; k < STEPS; k++) must(myr_batch_act(a->batch, &a->act));
}

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
    acting both[2] = {{.best = INFINITY}, {.best = INFINITY}};
    must(myr_model_open(t.robot, NULL, &robot));
    must(myr_task_table_load(path, &table));
    must(myr_batch_create(robot, t.envs, &t.settings, &both[0].batch));
    must(myr_batch_create_for(robot, t.envs, &t.settings, table, &both[1].batch));
    for (int k = 0; k < 2; k++) open_outputs(&both[k], t.envs), run(&both[k]), run(&both[k]), myr_batch_clear_stats(both[k].batch);
    for (int r = 0; r < t.rounds; r++)
        for (int k = 0; k < 2; k++) {
            acting *a = &both[(k + r) % 2];
            const double begin = thread_seconds();
            run(a);
            a->best = fmin(a->best, thread_seconds() - begin);
        }
    myr_batch_info info;
    myr_batch_get_info(both[0].batch, &info);
    printf("%s, task %s, %lld robots, one thread, %s, %s, solver %s, decimation %lld\n", t.robot, info.task, (long long)t.envs, info.isa,
           info.precision == 4 ? "f32" : "f64", t.settings.solver, (long long)t.settings.decimation);
    for (int k = 0; k < 2; k++) {
        myr_stats stats;
        myr_batch_stats(both[k].batch, &stats);
        printf("%-8s %8.1f ns per robot and control step, %5.3f of that in C; outside the physics %7.1f; residual max %.1e\n",
               k ? "table" : "in C", 1e9 * both[k].best / ((double)t.envs * STEPS), both[k].best / both[0].best,
               stats.task_ns * (double)t.settings.decimation, stats.residual_max);
    }
    return 0;
}
