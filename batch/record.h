/* One environment as a run of bytes, independent of tiles and lanes: the scalars of the fields that were asked for, in
 * the order of fields.def and in the batch's precision, filled up to 8 bytes, then its figures beside the tile. */
#ifndef MYR_BATCH_RECORD_H
#define MYR_BATCH_RECORD_H

#include "batch/batch.h"

typedef enum {
    MYR_RECORD_STATE, /* what makes an environment go on with the same bits under the same parameters */
    MYR_RECORD_ALL    /* parameters and inputs too */
} myr_record_kind;

size_t myr_record_bytes(const myr_batch *batch, myr_record_kind kind); /* a multiple of 8 */
void myr_record_get(const myr_batch *batch, myr_record_kind kind, int64_t env, void *record);
void myr_record_set(myr_batch *batch, myr_record_kind kind, int64_t env, const void *record);

/* Is this a record that myr_record_get can have written? Bytes from outside are asked before they are let in. */
int myr_record_plausible(const myr_batch *batch, myr_record_kind kind, const void *record);

#endif
