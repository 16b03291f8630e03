/* Timing one contact problem: in every lane of a tile a copy of it, so that no lane waits for another problem. */
#ifndef MYRIAPOD_CLI_COPIES_H
#define MYRIAPOD_CLI_COPIES_H

#include <myriapod/myriapod.h>

typedef struct copies {
    int lanes;
    double *impulse, *velocity; /* one after the other, for problems of up to `most` contacts */
    myr_contact_problem problem[16];
    myr_contact_result result[16];
} copies;

/* Room for problems of up to m numbers, in as many lanes as a tile of this precision has. */
void copies_open(copies *c, const myr_settings *settings, size_t m);
void copies_close(copies *c);

/* Solve the problem `repeats` times. *result: that of one lane, its arrays valid until the next call; its solve_s is the shortest of the
 * repeats [s], the tile's time divided by its lanes. */
myr_status copies_solve(copies *c, const myr_contact_problem *problem, const myr_settings *settings, int repeats,
                        myr_contact_result *result);

#endif
