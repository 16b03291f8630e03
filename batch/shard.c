#include "batch/batch.h"

/* A tile of floats: where two processes had a part of one, both would compute all of it. */
enum { SHARD_TILE = 16 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* The first `more` ranks have a tile more than the others, so rank 0, which mostly prints and saves, has robots whenever there are any. */
void myr_shard(int64_t envs, int rank, int ranks, int64_t *first, int64_t *count) {
    *first = *count = 0;
    if (envs < 0 || rank < 0 || rank >= ranks) return;
    const int64_t tiles = envs / SHARD_TILE + (envs % SHARD_TILE != 0), each = tiles / ranks, more = tiles % ranks;
    const int64_t tile = each * rank + least(rank, more), end = tile + each + (rank < more);
    *first = tile < tiles ? SHARD_TILE * tile : envs;
    *count = (end < tiles ? SHARD_TILE * end : envs) - *first;
}
