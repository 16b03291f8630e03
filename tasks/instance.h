/* The task of one batch: what tasks/task.h says of all, with this robot and these settings. The engine reads weights, parts of the
 * observation and sizes here. */
#ifndef MYR_TASKS_INSTANCE_H
#define MYR_TASKS_INSTANCE_H

#include "kernels/kernels.h"
#include "myriapod/task.h"
#include "tasks/moments.h"
#include "tasks/task.h"

/* A term of the reward, or what is measured beside it. The last one is `termination`: 1 where the episode ends by failing. */
typedef struct myr_term {
    const char *key, *doc;
    double weight;
    int metric; /* no part of the reward */
} myr_term;

/* Numbers first .. first + n - 1 of the observation: factor times (what is so, and noise of +- so much). */
typedef struct myr_observed_part {
    const char *name, *unit, *doc;
    int first, n;
    int frames; /* n are the numbers of so many control steps, the oldest first; 1: of the present alone */
    int kept;   /* frames > 1: its first row of the field `history` */
    int critic; /* numbers of what a critic observes, which lies behind the observation */
    int plain;  /* it has neither factor nor noise: its numbers stay as they are, and none is drawn */
    int late;   /* its noise is drawn behind that of the parts that are not */
    double scale, noise;
} myr_observed_part;

typedef struct myr_end {
    const char *name;
    int truncates;
} myr_end;

struct myr_task_instance {
    myr_task_shape shape; /* all zero for a task without control steps */
    int n_terms, n_parts, n_ends;
    int controls; /* actions are controls of the actuators, not targets about home */
    int pushes;   /* `act` or `step` sets wrenches, and an episode begins without */
    int floored;  /* the sum of the terms before the last is never below zero */
    myr_term terms[MYR_TASK_REWARDS];
    myr_observed_part parts[MYR_TASK_OBSERVED];
    myr_task own;
    myr_task_table *table; /* own reference; NULL: its task has none, and the rest is zero */
    myr_end ends[MYR_TASK_ENDS];
    myr_moment moments[MYR_MOMENTS];
    const myr_program_kernels *programs;
    int program_rows;    /* of all moments together */
    double command_hold; /* [s]; 0: a command stays for an episode */
    int *mirror;         /* of what is observed, what a critic observes and the action, counted from 1, with signs; NULL: it has none */
    double *gains;       /* kp and kd of each actuator, where the table names some; NULL: it names none */
};

/* Where a part of an observation lies among all that is seen. */
static inline int myr_seen_at(const myr_task_instance *task, const myr_observed_part *is) {
    return is->first + (is->critic ? task->shape.observations : 0);
}
/* Of these its present numbers, which are the last. */
static inline int myr_present_rows(const myr_observed_part *is) { return is->n / is->frames; }
static inline int myr_present_at(const myr_task_instance *task, const myr_observed_part *is) {
    return myr_seen_at(task, is) + is->n - myr_present_rows(is);
}

/* What of a batch is known when its task is made. */
typedef struct myr_instance_of {
    const myr_settings *settings;
    const myr_model *model; /* the batch's */
    const myr_kernels *kernels;
    myr_step_options *options;
} myr_instance_of;

/* The table's task, for `options`, before anything else of it is known. */
const myr_task *myr_task_of_table(const myr_task_table *table, const myr_kernels *kernels, myr_task_instance *instance);
/* Of the task in `options`: all of the rest. MYR_E_FORMAT: a program asks for what is not there. */
myr_status myr_task_instantiate(const myr_instance_of *of, myr_task_instance *instance);
/* NULL is accepted. */
void myr_task_instance_free(myr_task_instance *instance);
/* gains.c: gains by name, into the options. */
myr_status myr_table_set_gains(const myr_instance_of *of, myr_task_instance *instance);
/* mirror.c: how observation and action look in a mirror; the parts have their rows and places already. */
myr_status myr_table_set_mirror(myr_task_instance *instance);
/* The first of n numbers that is not as it was in a mirror twice, or not one of 1 .. n with a sign; -1: none. */
int myr_mirror_wrong(const int *image, int n);
/* bind.c: the programs of the table, for this batch; terms, memories and command have their rows already. */
myr_status myr_table_bind(const myr_instance_of *of, myr_task_instance *instance);

/* The output whose numbers are not finite, by its fault; NULL: it is another fault. */
const char *myr_task_fault_name(const myr_task_instance *instance, int fault);

/* Bytes that a worker has for programs. */
static inline size_t myr_task_program_bytes(const myr_task_instance *instance) {
    return instance->programs ? (size_t)instance->program_rows * (size_t)(instance->programs->lanes * instance->programs->precision) : 0;
}
/* Constants into a worker's rows, once. */
void myr_task_open_programs(const myr_task_instance *instance, void *rows);

#endif
