#include <string.h>

#include "batch/legal.h"
#include "batch/record.h"
#include "layouts/pack.h"

typedef struct record_tail { /* no padding inside: every byte is written */
    int64_t step;
    uint64_t episode;
    double residual, residual_ncp;
    uint32_t draws;
    int32_t iterations;
    uint8_t quarantine, solve_status, ended, pause, wait, zero[3];
} record_tail;
_Static_assert(sizeof(record_tail) == 48, "the tail of a record has no padding");

static int in_record(myr_record_kind kind, int field) {
    const myr_access access = myr_fields[field].access;
    return access == MYR_ACCESS_STATE || (kind == MYR_RECORD_ALL && access != MYR_ACCESS_OUTPUT);
}

static size_t scalar_bytes(const myr_batch *batch, myr_record_kind kind) {
    size_t scalars = 0;
    for (int f = 0; f < MYR_ROWS_COUNT; f++)
        if (in_record(kind, f)) scalars += (size_t)batch->layout.count[f];
    return (scalars * (size_t)batch->layout.precision + 7) / 8 * 8;
}

size_t myr_record_bytes(const myr_batch *batch, myr_record_kind kind) { return scalar_bytes(batch, kind) + sizeof(record_tail); }

/* Copies the scalars without converting them: the bits of a NaN stay. */
static void copy_scalars(const myr_batch *batch, myr_record_kind kind, int64_t env, char *out, const char *in) {
    const myr_layout *layout = &batch->layout;
    const size_t precision = (size_t)layout->precision;
    for (int f = 0; f < MYR_ROWS_COUNT; f++) {
        if (!in_record(kind, f)) continue;
        for (int k = 0; k < layout->count[f]; k++) {
            void *scalar = myr_tile_scalar(layout, batch->arena, layout->first[f] + k, env);
            if (out) {
                memcpy(out, scalar, precision);
                out += precision;
            } else {
                memcpy(scalar, in, precision);
                in += precision;
            }
        }
    }
}

void myr_record_get(const myr_batch *batch, myr_record_kind kind, int64_t env, void *record) {
    const size_t scalars = scalar_bytes(batch, kind);
    const myr_tile_meta *meta = &batch->metas[env / batch->layout.lanes];
    const int lane = (int)(env % batch->layout.lanes);
    const record_tail tail = {
        .step = meta->step[lane],
        .episode = meta->episode[lane],
        .residual = meta->residual[lane],
        .residual_ncp = meta->residual_ncp[lane],
        .draws = meta->draws[lane],
        .iterations = meta->iterations[lane],
        .quarantine = meta->quarantine[lane],
        .solve_status = meta->solve_status[lane],
        .ended = meta->ended[lane],
        .pause = meta->pause[lane],
        .wait = meta->wait[lane],
    };
    memset((char *)record + scalars - 8, 0, 8); /* what fills up the last 8 bytes */
    copy_scalars(batch, kind, env, record, NULL);
    memcpy((char *)record + scalars, &tail, sizeof tail);
}

void myr_record_set(myr_batch *batch, myr_record_kind kind, int64_t env, const void *record) {
    myr_tile_meta *meta = &batch->metas[env / batch->layout.lanes];
    const int lane = (int)(env % batch->layout.lanes);
    record_tail tail;
    memcpy(&tail, (const char *)record + scalar_bytes(batch, kind), sizeof tail);
    copy_scalars(batch, kind, env, NULL, record);
    meta->step[lane] = tail.step;
    meta->episode[lane] = tail.episode;
    meta->residual[lane] = tail.residual;
    meta->residual_ncp[lane] = tail.residual_ncp;
    meta->draws[lane] = tail.draws;
    meta->iterations[lane] = tail.iterations;
    meta->quarantine[lane] = tail.quarantine;
    meta->solve_status[lane] = tail.solve_status;
    meta->ended[lane] = tail.ended;
    meta->pause[lane] = tail.pause;
    meta->wait[lane] = tail.wait;
    myr_impulses_changed(meta);
    myr_parameters_changed(meta, lane); /* a living state may come to parameters that are not legal, or bring such */
}

int myr_record_plausible(const myr_batch *batch, myr_record_kind kind, const void *record) {
    record_tail tail;
    memcpy(&tail, (const char *)record + scalar_bytes(batch, kind), sizeof tail);
    return tail.step >= 0 && tail.iterations >= 0 && (tail.quarantine <= MYR_QUARANTINE_MAP || tail.quarantine >= MYR_QUARANTINE_OUTPUT) &&
           tail.ended <= 1 && tail.wait <= tail.pause && tail.solve_status <= MYR_NO_SOLUTION;
}
