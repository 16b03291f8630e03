#include "learn/rows.h"

#include <string.h>

typedef struct rows_run {
    myr_rows_block *block;
    void *context;
    int64_t n;
    int threads;
} rows_run;

static void blocks_of(void *context, int worker) {
    const rows_run *run = context;
    const int64_t blocks = (run->n + MYR_NET_BLOCK - 1) / MYR_NET_BLOCK, end = blocks * (worker + 1) / run->threads;
    for (int64_t b = blocks * worker / run->threads; b < end; b++) {
        const int64_t from = b * MYR_NET_BLOCK, left = run->n - from;
        run->block(run->context, worker, from, left < MYR_NET_BLOCK ? (int)left : MYR_NET_BLOCK);
    }
}

void myr_rows_run(myr_team *team, int64_t n, myr_rows_block *block, void *context) {
    rows_run run = {block, context, n, team->threads};
    if (n > 0) myr_team_run(team, blocks_of, &run);
}

void myr_rows_copy(float *to, const float *rows, int samples, int count, int wide) {
    for (int i = 0; i < samples; i++) memcpy(to + (size_t)i * (size_t)count, rows + (size_t)i * (size_t)wide, (size_t)count * sizeof *to);
}
