/* The programs of a batch's task: at which moment each runs, from where its inputs come and where its outputs go. */
#ifndef MYR_TASKS_MOMENTS_H
#define MYR_TASKS_MOMENTS_H

#include "programs/program.h"

typedef enum myr_moment_name {
#define MYR_MOMENT(NAME, name, doc) MYR_MOMENT_##NAME,
#include "tasks/moments.def"
#undef MYR_MOMENT
    MYR_MOMENTS
} myr_moment_name;

typedef enum myr_input_name {
#define MYR_INPUT(NAME, name, rows, unit, doc) MYR_INPUT_##NAME,
#include "tasks/inputs.def"
    MYR_LANE_INPUTS
} myr_input_name;

typedef enum {
    MYR_BOUND_ROWS,    /* rows of the tile from `at` on */
    MYR_BOUND_LENGTHS, /* input: likewise, but a zero has no sign */
    MYR_BOUND_LANES,   /* input: a function of inputs.lane.h, number `at` */
    MYR_BOUND_DRAWS,   /* input: the next numbers of the environment's own stream */
    MYR_BOUND_TURN,    /* input: the turn about z that is drawn once for each episode */
    MYR_BOUND_DRAW,    /* input: numbers of the stream `at` and of this control step */
    MYR_BOUND_ACTION,  /* input: the action that takes effect */
    MYR_BOUND_CONTROL, /* output: controls of the actuators, as the robot's file has them */
    MYR_BOUND_JOINTS,  /* output: q of the first joint of each actuator */
    MYR_BOUND_TERM,    /* output: reward term `at` */
    MYR_BOUND_END,     /* output: end `at`, a mask */
    MYR_BOUND_SEEN     /* output: the observation from `at` on */
} myr_bound;

typedef struct myr_binding {
    myr_bound to;
    int row, n; /* of the program */
    int at;
    int fault;        /* output: its number among those of its moment that may be no number */
    int stays;        /* output: a memory that is left as it is */
    const char *name; /* of the program */
} myr_binding;

typedef struct myr_moment {
    myr_program *program; /* NULL: none */
    int first;            /* its rows among those of all moments */
    int n_in, n_out;
    int first_fault; /* of its outputs among those of all moments that may be no number */
    myr_binding *in, *out;
} myr_moment;

#endif
