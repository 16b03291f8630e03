/* Stepping in pieces: a progress bar on a terminal, and Ctrl-C that ends the run with the figures so far. */
#ifndef MYRIAPOD_CLI_PROGRESS_H
#define MYRIAPOD_CLI_PROGRESS_H

#include <stdint.h>

#include <myriapod/myriapod.h>

/* Between begin and end, SIGINT and SIGTERM ask the run to stop at the next piece; a second one kills it. */
void progress_begin(void);
void progress_end(void);
int progress_interrupted(void);

/* A function that looks at the batch before certain steps: `next` says before which one (INT64_MAX: none any more), `look` looks. */
typedef struct progress_pause {
    int64_t (*next)(void *context);
    int (*look)(void *context, const myr_batch *batch, int64_t done); /* not 0: stop */
    void *context;
} progress_pause;

/* Step the batch `steps` times, in pieces of about a fifth of a second. label: what is going on ("warm-up"). The bar goes
 * to stderr, and only if that is a terminal. *step_s: time of one step, learned here and used for the first piece; 0 at
 * first. *done: the steps taken, fewer than asked after an interrupt or an error. pause: nullable. */
myr_status progress_step(myr_batch *batch, const char *label, int64_t steps, double *step_s, int64_t *done, const progress_pause *pause);

/* The same bar for other work: `done` of `total` since `start_s` (progress_now). Draws at most some times a second; done == total clears
 * it. */
double progress_now(void);
void progress_show(const char *label, int64_t done, int64_t total, double start_s);

#endif
