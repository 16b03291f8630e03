/* Tasks that users write: a table of named terms, whose arithmetic runs in lanes (docs/programs.md). */
#ifndef MYRIAPOD_TASK_H
#define MYRIAPOD_TASK_H

#include "act.h"
#include "program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Immutable. Any number of batches and threads may use one. */
typedef struct myr_task_table myr_task_table;

enum {
    MYR_TASK_REWARDS = 64,         /* reward terms and metrics at most, `termination` included */
    MYR_TASK_OBSERVED = 64,        /* parts of an observation at most */
    MYR_TASK_ENDS = 32,            /* ends at most */
    MYR_TASK_MEMORIES = 32,        /* memories at most */
    MYR_TASK_MEMORY_ROWS = 1024,   /* numbers per environment that they have together, at most */
    MYR_TASK_NUMBERS = 256,        /* numbers of its own at most */
    MYR_TASK_HISTORY = 64,         /* control steps of a history at most */
    MYR_TASK_HISTORY_ROWS = 16384, /* numbers of histories that they have together, at most */
    MYR_TASK_GAINS = 64,           /* lines of gains by name at most */
    MYR_TASK_ACTIONS = 256         /* numbers of an action at most, where the table says how many */
};

/* Read a table. label: the file in messages, NULL: `task`. MYR_E_FORMAT names label, line and what is wrong, MYR_E_LIMIT what is too large.
 * What its programs say of a robot is read when a batch is made. The table is the caller's until myr_task_table_free. */
MYR_API myr_status myr_task_table_read(const char *text, size_t length, const char *label, myr_task_table **out);
/* Likewise of a file. MYR_E_FILE: it cannot be read. */
MYR_API myr_status myr_task_table_load(const char *path, myr_task_table **out);
/* NULL is accepted; batches that were made with it go on. */
MYR_API void myr_task_table_free(myr_task_table *table);
/* Its name; "" for NULL. */
MYR_API const char *myr_task_table_name(const myr_task_table *table);
/* Its text, as it was read. */
MYR_API const char *myr_task_table_text(const myr_task_table *table);
/* The robot that it is for, as myr_model_open takes it; "": for any. */
MYR_API const char *myr_task_table_robot(const myr_task_table *table);
/* What it is, in a line; "": it does not say. */
MYR_API const char *myr_task_table_about(const myr_task_table *table);
/* Set what the table asks for: before the settings of one's own, as a profile. */
MYR_API myr_status myr_task_table_apply(const myr_task_table *table, myr_settings *settings);

/* myr_batch_create with the task of a table; the setting `task` does not count. MYR_E_FORMAT: a program of it asks for what this robot does
 * not have, named with label and line. MYR_E_ARG: settings->numbers has one that is out of the table's range, or of no task. */
MYR_API myr_status myr_batch_create_for(const myr_model *model, int64_t envs, const myr_settings *settings, const myr_task_table *table,
                                        myr_batch **out);

/* A reward term of a batch's task, or a metric. */
typedef struct myr_reward_info {
    const char *name, *doc;
    double weight;
    int metric; /* 1: it stands among the terms, times the length of a control step as they do, and does not count in the reward */
} myr_reward_info;
/* Term 0, 1, .. in the order of myr_act.terms; MYR_E_ARG past the last. */
MYR_API myr_status myr_batch_get_reward(const myr_batch *batch, int term, myr_reward_info *info);

/* An end of episodes, by its name. */
typedef struct myr_end_info {
    const char *name;
    int truncates; /* 1: the time was up, say; 0: it failed */
} myr_end_info;
/* End 0, 1, .. of a batch's task that is a table; MYR_E_ARG past the last. */
MYR_API myr_status myr_batch_get_end(const myr_batch *batch, int end, myr_end_info *info);

/* A memory of a batch's task: numbers first .. first + n - 1 of the field MYR_MEMORY. */
typedef struct myr_memory_info {
    const char *name;
    int first, n;
} myr_memory_info;
/* Memory 0, 1, .. of a batch's task that is a table; MYR_E_ARG past the last. */
MYR_API myr_status myr_batch_get_memory(const myr_batch *batch, int memory, myr_memory_info *info);

/* How a batch's task looks in a mirror (lines `mirror` of a table): number k of the observation's mirror image is number |observation[k]| -
 * 1 of the observation, times the sign of observation[k]; the action likewise. The arrays are the caller's, myr_batch_observations and the
 * components of MYR_ACTION long; NULL: not wanted. MYR_E_STATE: the task has no mirror. */
MYR_API myr_status myr_batch_get_mirror(const myr_batch *batch, int *observation, int *action);

/* A number of a batch's task. */
typedef struct myr_number_info {
    const char *name, *doc; /* doc: with its unit; "": the table does not say */
    double value;           /* in this batch: that of the table, or what the settings have for it */
    double low, high;       /* ends of its range, which are in it; -INFINITY, INFINITY: any */
} myr_number_info;
/* Number 0, 1, .. of a batch's task that is a table; MYR_E_ARG past the last. */
MYR_API myr_status myr_batch_get_number(const myr_batch *batch, int number, myr_number_info *info);

/* Other numbers for a batch's task that is a table, from now on: numbers of the table by name, and settings of episodes that are numbers
 * ("push-speed"; not "episode"), as if the batch had been made with them. All n of them or, on an error, none. Environments stay as they
 * are; a weight counts from the next control step on, what an episode begins with, drawn parameters too, from the next episode on. Not
 * while a call steps the batch. Names that were asked for before (myr_batch_get_end, ..) are gone. It takes about as long as reading the
 * table. MYR_E_ARG: an unknown name, with the nearest one; a value out of range. MYR_E_STATE: the task is not a table, or gains read the
 * number. MYR_E_LIMIT: more than MYR_SETTINGS_NUMBERS are set. MYR_E_MEMORY. */
MYR_API myr_status myr_batch_set_numbers(myr_batch *batch, int64_t n, const char *const *names, const double *values);

/* Of a fault from MYR_QUARANTINE_OUTPUT on (batch.h): the output of the batch's task that is not a number; NULL: it is another fault. */
MYR_API const char *myr_batch_fault_name(const myr_batch *batch, int fault);

/* Rows of an input of the batch's task that is a table, at the moment `start`, `command`, `judge` or `observe`. MYR_E_FORMAT: there is no
 * such input. */
MYR_API myr_status myr_batch_input_rows(const myr_batch *batch, const char *moment, const char *name, int *rows);

/* Input 0, 1, .. of programs, fields behind the others, beside sensors, memories, draws, numbers and settings: its name; NULL past the
 * last. */
MYR_API const char *myr_task_input_name(int input);
/* What it is, with its unit. */
MYR_API const char *myr_task_input_doc(int input);

#ifdef __cplusplus
}
#endif
#endif
