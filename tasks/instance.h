/* The task of one batch: what tasks/task.h says of all, with this robot and these settings. The engine reads weights, parts of the
 * observation and sizes here. */
#ifndef MYR_TASKS_INSTANCE_H
#define MYR_TASKS_INSTANCE_H

#include "tasks/task.h"

enum { MYR_TASK_TERMS = 64, MYR_TASK_PARTS = 64 };

/* A term of the reward. The last one is `termination`: 1 where the episode ends by failing. */
typedef struct myr_term {
    const char *key, *doc;
    double weight;
} myr_term;

/* Numbers first .. first + n - 1 of the observation: factor times (what is so, and noise of +- so much). */
typedef struct myr_observed_part {
    const char *name, *unit, *doc;
    myr_observed kind;
    int first, n;
    int plain; /* it has neither factor nor noise: its numbers stay as they are, and none is drawn */
    int late;  /* its noise is drawn behind that of the parts that are not */
    double scale, noise;
} myr_observed_part;

struct myr_task_instance {
    myr_task_shape shape; /* all zero for a task without control steps */
    int n_terms, n_parts;
    int floored; /* the sum of the terms before the last is never below zero */
    myr_term terms[MYR_TASK_TERMS];
    myr_observed_part parts[MYR_TASK_PARTS];
};

/* Of the task in `options`. */
void myr_task_instantiate(const myr_task *task, const myr_settings *settings, const myr_model *model, myr_task_instance *instance);

#endif
