/* A task that is a table of text. Its lines say what it has; the programs that compute it follow, each for a moment:
 *
 *     myriapod_task 1
 *     name stand
 *     number wanted 0.5 0 1 how fast [m/s]    value, range, words; the settings may have another value
 *     memory phase 1                          kept from one control step to the next
 *     reward upright 1.0 cosine of the lean   name, weight, words; the program `judge` has an output reward.upright
 *     observe base_down noise 0.05            an output of the program `observe`
 *     moment judge
 *     input base_down
 *     ..                                      lines of a program (programs/read.c)
 *
 * docs/tables.md has all of it. A number is one of the text, `setting.KEY` or `number.NAME`. */
#ifndef MYR_TASKS_TABLE_H
#define MYR_TASKS_TABLE_H

#include <stdatomic.h>

#include "base/nearest.h"
#include "myriapod/task.h"
#include "programs/line.h"
#include "programs/program.h"
#include "tasks/moments.h"
#include "tasks/task.h"

enum { MYR_TABLE_NAME = MYR_LINE_WORD, MYR_TASK_SETTINGS = 128, MYR_TASK_MIRRORS = MYR_TASK_OBSERVED + 1 };

/* A number, or where to find it. */
typedef struct myr_table_number {
    double value;
    const char *setting; /* a key's name, NULL: none */
    int number;          /* of the table's own; -1: none */
} myr_table_number;

typedef struct myr_table_own {
    char name[MYR_TABLE_NAME];
    char *doc;
    int line;
    double value, low, high; /* -inf, inf: any */
} myr_table_own;

typedef struct myr_table_memory {
    char name[MYR_TABLE_NAME];
    int rows, first; /* of the field `memory` */
} myr_table_memory;

typedef struct myr_table_reward {
    char name[MYR_TABLE_NAME];
    char *doc;
    int line, metric; /* metric: it is measured and named, and no part of the reward */
    myr_table_number weight;
} myr_table_reward;

typedef struct myr_table_observed {
    char name[MYR_TABLE_NAME];
    char *doc, *unit;      /* unit: of doc, what it ends with in brackets */
    int critic;            /* a critic alone observes it */
    int frames;            /* control steps that are seen, the present one with them; 0: it says nothing of it, which is 1 */
    int line, late, noisy; /* noisy: it has a factor or noise, whatever their numbers */
    int optional;          /* it is left out where its output is not there */
    myr_table_number scale, noise;
} myr_table_observed;

typedef struct myr_table_setting {
    char key[MYR_TABLE_NAME], value[MYR_TABLE_NAME];
} myr_table_setting;

/* Gains of the actuators whose names fit; of two lines the later one counts. */
typedef struct myr_table_gain {
    char names[MYR_TABLE_NAME];
    int line;
    myr_table_number kp, kd;
} myr_table_gain;

/* How a part of the observation, or the action, looks in a mirror: mirror.c reads the numbers once a robot says how many there are. */
typedef struct myr_table_mirror {
    char name[MYR_TABLE_NAME];
    size_t begin, end; /* of the text: the numbers */
    int line;
} myr_table_mirror;

typedef struct myr_table_moment {
    size_t begin, end; /* of the text; begin == end: it has none */
    int line;          /* the first of them */
} myr_table_moment;

enum { MYR_USES_VARY = 1, MYR_USES_PUSHES = 2, MYR_USES_PATCHES = 4, MYR_USES_TRIAL = 8 };
typedef enum { MYR_GAINS_OWN, MYR_GAINS_QUADRUPED, MYR_GAINS_SAG, MYR_GAINS_GIVEN } myr_table_gains;

struct myr_task_table {
    atomic_int references;
    char *text, *label;
    size_t length;
    char name[MYR_TABLE_NAME];
    char *robot, *about, *ends; /* robot: a name or a path; ends: what the term `termination` is */
    int given;                  /* it is the library's, and its name says all of it */
    int n_settings;
    myr_table_setting settings[MYR_TASK_SETTINGS];
    int quadruped, actuated; /* for such robots alone */
    unsigned uses;
    myr_table_gains gains;
    int controls; /* actions are the actuators' controls, as the robot's file has them, not targets about home */
    int actions;  /* numbers of an action, which the moment `act` turns into what actuators do; 0: one for each actuator */
    myr_table_number kp, kd, termination, floor, command_every;
    int n_mirrors;
    myr_table_mirror mirrors[MYR_TASK_MIRRORS];
    int command, n_numbers, n_memories, n_rewards, n_observed, n_gains, memory_rows;
    myr_table_own numbers[MYR_TASK_NUMBERS];
    myr_table_memory memories[MYR_TASK_MEMORIES];
    myr_table_reward rewards[MYR_TASK_REWARDS];
    myr_table_observed observed[MYR_TASK_OBSERVED];
    myr_table_gain gain[MYR_TASK_GAINS];
    myr_table_moment moments[MYR_MOMENTS];
};

/* Of its text. */
uint64_t myr_task_table_hash(const myr_task_table *table);
/* given.c: the library's own of this name, for this robot; *out NULL: there is none. The caller's. */
myr_status myr_task_given(const char *name, const myr_model *model, myr_task_table **out);
/* bind.c: a moment's name; NULL past the last. */
const char *myr_moment_text(int moment);

myr_task_table *myr_task_table_retain(const myr_task_table *table);
/* numbers.c. `setting.KEY` or `number.NAME` of what the table has; 0: it is neither. */
int myr_table_find_number(const myr_task_table *table, const char *word, myr_table_number *number);
/* Where a word begins by `setting.` or `number.` all that may stand there; else nothing. */
void myr_table_number_words(const myr_task_table *table, const char *word, myr_words *words);
double myr_table_value(const myr_task_table *table, const myr_settings *settings, const myr_table_number *number);
int myr_table_own_number(const myr_task_table *table, const char *name); /* -1: it has none of this name */
/* That of its line, or what the settings have for it. */
double myr_table_own_value(const myr_task_table *table, const myr_settings *settings, int number);
/* MYR_E_ARG: a number of the settings is out of the table's range, or neither the table nor one of the library's has it. table NULL: the
 * task has no table. */
myr_status myr_table_check_numbers(const myr_task_table *table, const myr_settings *settings);

#endif
