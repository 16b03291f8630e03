/* Recordings: chosen fields of chosen environments over time, frame after frame in one file, for plots, viewers and data sets.
 *
 * A recording is written while the batch steps and read afterwards, by anybody: every field is in it with its name and size. What was
 * written before a crash stays readable, up to the last whole frame. The format is in docs/batch.md. */
#ifndef MYRIAPOD_RECORDING_H
#define MYRIAPOD_RECORDING_H

#include <stdint.h>

#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct myr_recording myr_recording;

/* ---- writing ---------------------------------------------------------------------------------- */

typedef struct myr_recording_plan {
    const int64_t *ids; /* n environments of the batch, in any order; NULL: 0..n-1 */
    int64_t n;
    const myr_field *fields; /* n_fields of those that the batch keeps */
    int n_fields;
    myr_type type;  /* of the numbers in the file: MYR_F32 or MYR_F64 */
    double frame_s; /* time from one frame to the next [s], > 0: what the caller steps between two appends */
} myr_recording_plan;

/* Start a recording at `path`, in place of what was there; no frame is in it yet. The file appears with its head whole or not at
 * all. *out is the caller's until myr_recording_close; on failure it is NULL. */
MYR_API myr_status myr_recording_create(const myr_batch *batch, const char *path, const myr_recording_plan *plan, myr_recording **out);

/* Add a frame: the fields as they now are. batch: the one it was created for, or one of the same model that keeps the same. When it
 * fails (disk full) the file is as it was before the call. */
MYR_API myr_status myr_recording_append(myr_recording *recording, const myr_batch *batch);

/* Finish the file (if it was being written) and free the recording, whatever the status. NULL is accepted. */
MYR_API myr_status myr_recording_close(myr_recording *recording);

/* ---- reading ---------------------------------------------------------------------------------- */

/* Open a recording to be read. A damaged head or end is MYR_E_FORMAT, which names the file and what is wrong; a file that merely stops
 * early is not damaged. */
MYR_API myr_status myr_recording_open(const char *path, myr_recording **out);

/* What a recording holds. Strings and arrays belong to it. */
typedef struct myr_recording_info {
    int64_t frames, envs;
    int n_fields;
    myr_type type;
    double frame_s;     /* [s] */
    int complete;       /* 0: it was not closed (a crash, or it is still being written) */
    int64_t first_env;  /* global id of the batch's environment 0 */
    const int64_t *ids; /* (envs) of the batch */
    const char *model, *model_hash, *library, *math;
} myr_recording_info;
MYR_API void myr_recording_get_info(const myr_recording *recording, myr_recording_info *info);

/* Name (as of myr_field, lower case) and numbers per environment of field 0 .. n_fields - 1; MYR_E_ARG past them. name, components:
 * nullable. */
MYR_API myr_status myr_recording_get_field(const myr_recording *recording, int field, const char **name, int *components);

/* Read frames first .. first + n - 1 of a field: out is (n, envs, components) of `type`, MYR_F32 or MYR_F64. Every frame is checked; a
 * damaged one is MYR_E_FORMAT with its number, and out is not to be used. */
MYR_API myr_status myr_recording_read(myr_recording *recording, int field, int64_t first, int64_t n, myr_type type, void *out);

#ifdef __cplusplus
}
#endif
#endif
