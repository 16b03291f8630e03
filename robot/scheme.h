/* What a scheme of the step is to the engine: a name, what it makes and takes, and the three stages that are its own. batch/step.c has the
 * list, a table per instruction set and precision: the functions are lane code. Functions that may be NULL have nothing to do then. */
#ifndef MYR_ROBOT_SCHEME_H
#define MYR_ROBOT_SCHEME_H

#include "kernels/step_options.h"

struct part;

struct myr_scheme {
    const char *name; /* as the setting `dynamics` has it */
    int maximal;      /* in maximal coordinates: a step is repeated until its equation holds, newton-limit times at most */
    int no_problem;   /* it makes neither M nor a contact problem: the stages dynamics, free and delassus are left out */
    /* Can this robot be stepped so, with these settings? */
    myr_status (*check)(const myr_settings *settings, const myr_model *model);
    /* Arrays of its own that live within a step, in memory that a worker has for them (w->own). NULL: it has none. */
    size_t (*own_bytes)(const void *robot);
    void (*own_open)(void *own, const void *robot);
    void (*open)(const struct part *p);  /* last change of the problem before it is solved */
    void (*again)(const struct part *p); /* the same where a step assembles its problem once more (constraints/again.lane.h) */
    void (*solve)(const struct part *p); /* impulses, residuals */
    void (*close)(const struct part *p); /* impulses -> new velocity */
};

#endif
