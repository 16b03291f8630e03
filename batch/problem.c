/* myr_batch_problem: what the solver of the next step is given, of one environment. */
#include <string.h>

#include "batch/batch.h"
#include "myriapod/contact.h"
#include "robot/scheme.h"

myr_status myr_batch_problem(const myr_batch *batch, int64_t env, myr_problem_room *out) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_batch_problem";
    myr_status status = myr_batch_check(batch, call);
    if (status == MYR_OK) status = myr_batch_check_ids(batch, call, &env, 1);
    if (status != MYR_OK) return status;
    if (!out) return myr_fail(MYR_E_ARG, "%s: out is NULL", call);
    if (out->room_rows < 0) return myr_fail(MYR_E_ARG, "%s: room_rows is %d; it may not be negative", call, out->room_rows);
    if (out->room < 0) return myr_fail(MYR_E_ARG, "%s: room is %d; it may not be negative", call, out->room);
    if (batch->options.scheme->no_problem)
        return myr_fail(MYR_E_STATE,
                        "%s: this batch was made with 'dynamics' = '%s', whose steps solve no problem (G, c, mu); create it with "
                        "'generalized' or 'maximal'",
                        call, batch->options.scheme->name);
    /* A task may reset the environment or draw new targets before the step: it does so in a copy. */
    const size_t tile_bytes = batch->layout.tile_bytes;
    char *memory = myr_allocate(
        tile_bytes + batch->kernels->workspace_bytes(batch->robot, batch->options.scheme, batch->options.solve.solver), MYR_ROW_BYTES);
    if (!memory) return myr_fail(MYR_E_MEMORY, "%s: out of memory for a tile of %d environments", call, batch->layout.lanes);
    const int64_t tile = env / batch->layout.lanes;
    myr_tile_meta meta = batch->metas[tile];
    memcpy(memory, myr_batch_tile(batch, tile), tile_bytes);
    const myr_tile_job job = {
        .robot = batch->robot, .workspace = memory + tile_bytes, .tile = memory, .meta = &meta, .options = &batch->options};
    myr_problem_room found = *out;
    batch->kernels->problem_of_lane(&job, (int)(env % batch->layout.lanes), &found);
    myr_release(memory);
    if (found.contacts > out->room)
        return myr_fail(MYR_E_LIMIT, "%s: environment %lld has %d contacts, and there is room for %d; the model's n_slots is always enough",
                        call, (long long)env, found.contacts, out->room);
    if (found.rows > out->room_rows)
        return myr_fail(MYR_E_LIMIT,
                        "%s: environment %lld has %d joint rows, and there is room for %d; the model's n_rows is always enough", call,
                        (long long)env, found.rows, out->room_rows);
    out->contacts = found.contacts;
    out->rows = found.rows;
    return MYR_OK;
}
