#include <string.h>

#include "batch/batch.h"
#include "base/checksum.h"
#include "layouts/pack.h"
#include "base/stir.h"

/* x86-64 and AArch64 are little-endian, so the bytes in memory are the bytes of the definition. Stirred, as sums would be blind: FNV's low
 * bits are a matter of low bits alone, so that over 512 robots in one state those of their ids take all values once, whatever the state is,
 * and nothing else is left. */
static uint64_t hash_env(const myr_batch *batch, int64_t env) {
    const uint64_t id = (uint64_t)(batch->settings.first_env + env);
    const int q = batch->layout.first[MYR_ROWS_q], v = batch->layout.first[MYR_ROWS_v];
    uint64_t hash = myr_checksum(MYR_CHECKSUM_START, &id, sizeof id);
    for (int i = 0; i < batch->model.nq; i++)
        hash = myr_checksum(hash, myr_tile_scalar(&batch->layout, batch->arena, q + i, env), (size_t)batch->layout.precision);
    for (int i = 0; i < batch->model.nv; i++)
        hash = myr_checksum(hash, myr_tile_scalar(&batch->layout, batch->arena, v + i, env), (size_t)batch->layout.precision);
    return myr_stir(hash);
}

uint64_t myr_batch_hash(const myr_batch *batch) {
    uint64_t sum = 0;
    for (int64_t env = 0; batch && env < batch->envs; env++) sum += hash_env(batch, env);
    return sum;
}
