/* What a task is to the engine: a name, what it declares, and what it does at certain moments. The engine knows tasks by this table alone.
 * A table per instruction set and precision (in a unit), as the step has: its functions are lane code, and their part is the unit's.
 * Functions that may be NULL have nothing to do then. */
#ifndef MYR_TASKS_TASK_H
#define MYR_TASKS_TASK_H

#include "kernels/step_job.h"

struct part;
struct drawing;

/* What a control step brought: lanes that fail; whose time is up; of which an output is not a number, and w->fault says which. */
typedef struct myr_verdict {
    unsigned failed, truncated, faulted;
} myr_verdict;

struct myr_task {
    const char *name;
    int quadruped; /* for robots with four legs alone */
    int actuated;  /* for robots with actuators alone */
    int varies;    /* an episode begins by drawing the parameters that the settings vary-* are about */
    int holds;     /* without actions the robot is to keep its pose: a batch warns where most would fall (batch/trial.c) */
    int automatic; /* the setting `task auto` takes the first of the list that has this and fits the robot */

    /* ---- when a batch is made ---- */
    /* Are the settings such that it can be done by this robot? */
    myr_status (*check)(const myr_settings *settings, const myr_model *model);
    /* The gains of its choice, which the settings kp and kd may overrule, and the parameters that it varies. */
    void (*prepare)(const myr_settings *settings, const myr_model *model, myr_step_options *options);
    /* Which geoms may touch the ground: bytes, all zero before. NULL: all. */
    void (*geoms)(const myr_model *model, uint8_t *mask);

    /* ---- where an episode ends ---- */
    /* Of one lane, before its state is gone: what follows from how far it came. On a generated map alone. */
    void (*leave)(struct drawing *d);

    /* ---- where an episode begins ---- */
    /* Of one lane. It stands at home, at rest, and its fields are zero. d->u are four numbers that are unused. */
    void (*start)(struct drawing *d);

    /* ---- before each control step of myr_batch_step ---- */
    /* Lanes whose episode is over. */
    unsigned (*over)(const struct part *p);
    /* Targets, in the lanes p->alive. */
    void (*drive)(const struct part *p, myr_tile_meta *meta, int first_lane);

    /* ---- whole control steps, myr_batch_act: of tasks that are tables ---- */
    const struct myr_task_table *table; /* NULL: it has none */
    /* Before the steps of a control step. */
    void (*begin)(const struct part *p);
    /* In `lanes` an action takes effect: w->wanted; late: the one of the control step before, w->before. Returns the lanes in which
     * what it asks for is not a number; w->fault says what. NULL: actions are targets or controls. */
    unsigned (*act)(const struct part *p, int late, unsigned lanes);
    /* Before each step of dt, in p->alive. Returns likewise. */
    unsigned (*step)(const struct part *p);
    /* After them: the terms, unweighted, into w->terms, all but the last. p->alive: those that are judged; what the others' rows hold has
     * no meaning. The action before is in w->before. */
    myr_verdict (*judge)(const struct part *p);
    /* What is observed: into w->seen, before factors and noise. */
    void (*see)(const struct part *p);
    /* Lanes of `lanes` whose observation is not a number; w->fault says which part of it. */
    unsigned (*mend)(const struct part *p, unsigned lanes);
    /* After that, in the lanes that go on: what happens to them. Returns those whose velocity it has changed. */
    unsigned (*after)(const struct part *p, myr_tile_meta *meta, void *tile, int first_lane, unsigned lanes);
};

/* tasks/tasks.c. A list of tables ends with NULL. */
const myr_task *myr_task_find(const myr_task *const *tasks, const char *name); /* NULL: none is called so */
const myr_task *myr_task_automatic(const myr_task *const *tasks, const myr_model *model);

#endif
