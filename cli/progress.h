/* Stepping in pieces: a progress bar on a terminal, and Ctrl-C that ends the run with the figures so far. */
#ifndef MYRIAPOD_CLI_PROGRESS_H
#define MYRIAPOD_CLI_PROGRESS_H

#include <stdint.h>

#include <myriapod/myriapod.h>

/* Between begin and end, SIGINT and SIGTERM ask the run to stop at the next piece; a second one kills it. */
void progress_begin(void);
void progress_end(void);
int progress_interrupted(void);

/* Step the batch `steps` times, in pieces of about a fifth of a second. label: what is going on ("warm-up"). The bar goes
 * to stderr, and only if that is a terminal. *step_s: time of one step, learned here and used for the first piece; 0 at
 * first. *done: the steps taken, fewer than asked after an interrupt or an error. */
myr_status progress_step(myr_batch *batch, const char *label, int64_t steps, double *step_s, int64_t *done);

#endif
