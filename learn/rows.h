/* Many rows through a network: blocks of them, shared among the workers of a team. */
#ifndef MYR_LEARN_ROWS_H
#define MYR_LEARN_ROWS_H

#include "base/threads.h"
#include "learn/net.h"

/* Rows from .. from + samples, at most MYR_NET_BLOCK, by a worker in its own room. */
typedef void myr_rows_block(void *context, int worker, int64_t from, int samples);
void myr_rows_run(myr_team *team, int64_t n, myr_rows_block *block, void *context);

/* The first `count` numbers of each of so many rows of `wide`, densely. */
void myr_rows_copy(float *to, const float *rows, int samples, int count, int wide);

#endif
