#include <string.h>

#include "batch/batch.h"
#include "base/checksum.h"
#include "batch/legal.h"
#include "batch/record.h"
#include "layouts/pack.h"

/* Opaque states begin with a tag of what they fit, so that bytes of another robot are refused and not believed. */
static uint64_t state_tag(const myr_batch *batch) {
    const uint64_t of[] = {UINT64_C(0x4d79725374617465), myr_model_hash(batch->source), (uint64_t)batch->layout.precision,
                           myr_record_bytes(batch, MYR_RECORD_STATE)};
    return myr_checksum(MYR_CHECKSUM_START, of, sizeof of);
}

size_t myr_batch_state_bytes(const myr_batch *batch) { return batch ? sizeof(uint64_t) + myr_record_bytes(batch, MYR_RECORD_STATE) : 0; }

myr_status myr_batch_get_state(const myr_batch *batch, const int64_t *ids, int64_t n, void *out) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_batch_get_state";
    myr_status status = myr_batch_check(batch, call);
    if (status == MYR_OK) status = myr_batch_check_ids(batch, call, ids, n);
    if (status != MYR_OK) return status;
    if (!out && n > 0) return myr_fail(MYR_E_ARG, "%s: out is NULL", call);
    const uint64_t tag = state_tag(batch);
    const size_t each = myr_batch_state_bytes(batch);
    for (int64_t i = 0; i < n; i++) {
        char *at = (char *)out + (size_t)i * each;
        memcpy(at, &tag, sizeof tag);
        myr_record_get(batch, MYR_RECORD_STATE, ids ? ids[i] : i, at + sizeof tag);
    }
    return MYR_OK;
}

myr_status myr_batch_set_state(myr_batch *batch, const int64_t *ids, int64_t n, const void *in) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_batch_set_state";
    myr_status status = myr_batch_check(batch, call);
    if (status == MYR_OK) status = myr_batch_check_ids(batch, call, ids, n);
    if (status != MYR_OK) return status;
    if (!in && n > 0) return myr_fail(MYR_E_ARG, "%s: in is NULL", call);
    const uint64_t tag = state_tag(batch);
    const size_t each = myr_batch_state_bytes(batch);
    for (int64_t i = 0; i < n; i++) {
        const char *at = (const char *)in + (size_t)i * each;
        if (memcmp(at, &tag, sizeof tag) != 0 || !myr_record_plausible(batch, MYR_RECORD_STATE, at + sizeof tag))
            return myr_fail(MYR_E_ARG, "%s: state %lld was not taken from a batch of '%s' in %d-byte precision by this version", call,
                            (long long)i, batch->model.name, batch->layout.precision);
    }
    for (int64_t i = 0; i < n; i++)
        myr_record_set(batch, MYR_RECORD_STATE, ids ? ids[i] : i, (const char *)in + (size_t)i * each + sizeof tag);
    return MYR_OK;
}

/* The whole column of the tile, outputs too, so that the copy reads as the original does. */
static void copy_env(myr_batch *batch, int64_t from, int64_t to) {
    const myr_layout *layout = &batch->layout;
    for (int row = 0; row < layout->rows; row++)
        memcpy(myr_tile_scalar(layout, batch->arena, row, to), myr_tile_scalar(layout, batch->arena, row, from), (size_t)layout->precision);
    const myr_tile_meta *a = &batch->metas[from / layout->lanes];
    myr_tile_meta *b = &batch->metas[to / layout->lanes];
    const int64_t i = from % layout->lanes, j = to % layout->lanes;
    b->step[j] = a->step[i];
    b->episode[j] = a->episode[i];
    b->draws[j] = a->draws[i];
    b->quarantine[j] = a->quarantine[i];
    b->ended[j] = a->ended[i];
    b->pause[j] = a->pause[i];
    b->wait[j] = a->wait[i];
    b->iterations[j] = a->iterations[i];
    b->solve_status[j] = a->solve_status[i];
    b->residual[j] = a->residual[i];
    b->residual_ncp[j] = a->residual_ncp[i];
    myr_parameters_changed(b, j);
    myr_impulses_changed(b);
}

myr_status myr_batch_copy(myr_batch *batch, const int64_t *from, const int64_t *to, int64_t n) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_batch_copy";
    myr_status status = myr_batch_check(batch, call);
    if (status != MYR_OK) return status;
    if (n > 0 && (!from || !to)) return myr_fail(MYR_E_ARG, "%s: %s is NULL", call, from ? "to" : "from");
    status = myr_batch_check_ids(batch, "myr_batch_copy: from", from, n);
    if (status == MYR_OK) status = myr_batch_check_ids(batch, "myr_batch_copy: to", to, n);
    for (int64_t i = 0; status == MYR_OK && i < n; i++)
        if (from[i] != to[i]) copy_env(batch, from[i], to[i]);
    return status;
}
