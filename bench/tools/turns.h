/* Some batches of one robot, timed in turns in one run: what the small programs that compare costs share. */
#ifndef MYRIAPOD_BENCH_TURNS_H
#define MYRIAPOD_BENCH_TURNS_H

#include <math.h>

#include "clock.h"
#include "must.h"

/* The words of the command line, KEY=VALUE. */
typedef struct turns {
    const char *robot;
    int64_t envs;
    int rounds;
    myr_settings settings;
} turns;

/* A program's own key: one of both is set, to a word or to a number. */
typedef struct turns_key {
    const char *key, **word;
    double *number;
} turns_key;

/* task NULL: that of the settings. */
static inline turns turns_default(const char *task, int rounds) {
    turns t = {"anymal", 512, rounds, myr_settings_default()};
    if (task) must(myr_settings_set(&t.settings, "task", task));
    must(myr_settings_set(&t.settings, "threads", "1"));
    return t;
}

/* robot, envs, rounds, the program's own keys (the last one has no name); any other is a setting. */
static inline void turns_read(turns *t, int argc, char **argv, const turns_key *own) {
    for (int i = 1; i < argc; i++) {
        const char *value = cut_word(argv[i]);
        const turns_key *k = own;
        while (k && k->key && strcmp(k->key, argv[i]) != 0) k++;
        if (k && k->key && k->word)
            *k->word = value;
        else if (k && k->key)
            *k->number = atof(value);
        else if (!strcmp(argv[i], "robot"))
            t->robot = value;
        else if (!strcmp(argv[i], "envs"))
            t->envs = atoi(value);
        else if (!strcmp(argv[i], "rounds"))
            t->rounds = atoi(value);
        else
            must(myr_settings_set(&t->settings, argv[i], value));
    }
}

/* Control steps of a batch that are so many steps of dt, and one more where they do not come out even. */
static inline int turns_steps(const turns *t, int steps) { return (int)(steps / t->settings.decimation) + 1; }

/* Seconds that `steps` control steps of each batch take, `at_once` in a call: of each the fastest of all rounds. */
static inline void turns_time(const turns *t, myr_batch *const *batches, int n, int steps, int at_once, double *best) {
    for (int k = 0; k < n; k++) best[k] = INFINITY;
    for (int r = 0; r < t->rounds; r++)
        for (int k = 0; k < n; k++) {
            const double begin = thread_seconds();
            for (int done = 0; done < steps; done += at_once) must(myr_batch_step(batches[k], at_once));
            best[k] = fmin(best[k], thread_seconds() - begin);
        }
}

/* Of seconds: nanoseconds per robot and step of dt. */
static inline double turns_ns(const turns *t, int steps, double seconds) {
    return 1e9 * seconds / ((double)t->envs * steps * (double)t->settings.decimation);
}

#endif
