/* Inside of a recording. The file, little-endian:
 *
 *     MYRIAPOD RECORDING 1        magic and format
 *     library ... math ... model ... model-hash ...       lines `key value`, as in a saved batch
 *     first-env 0
 *     type f32
 *     envs 2
 *     field q 19                  name and numbers per environment, one line per field
 *     end
 *     frame_s f64, ids i64[envs], checksum u64 of everything before
 *     frames: number u64 (0, 1, ...), fields one after the other, each (envs, components), zeros up to a multiple of 8 and at least 16
 *             bytes; checksum u64 of all this, which goes on from the head's
 *     once closed: "MYR END\n", number of frames u64, checksum u64 which goes on from the head's
 *
 * so that frames can be found by their number, those of another file are not believed, and a file that stops early is told from one
 * that was closed. */
#ifndef MYR_FILES_RECORDING_H
#define MYR_FILES_RECORDING_H

#include <sys/types.h>

#include "myriapod/recording.h"

#define MYR_RECORDING_MAGIC "MYRIAPOD RECORDING 1"

enum { MYR_RECORDING_WORD = 32, MYR_RECORDING_LEAST_BODY = 16 };

typedef struct myr_recording_field {
    char name[MYR_RECORDING_WORD];
    int components;
    myr_field field; /* when writing */
    size_t offset;   /* of its numbers in a frame */
} myr_recording_field;

typedef struct myr_recording_end {
    uint64_t magic, frames, checksum;
} myr_recording_end;

struct myr_recording {
    int fd, writing;
    int64_t pid;   /* who writes */
    uint64_t hash; /* of the model; when writing */
    char *path;
    int64_t frames, envs, first_env;
    int n_fields, complete;
    myr_type type;
    double frame_s;
    int64_t *ids;                /* envs */
    myr_recording_field *fields; /* n_fields */
    char *words[4];              /* library, math, model, model-hash; when reading */
    uint64_t head_checksum;
    size_t head_bytes, frame_bytes;
    char *frame; /* frame_bytes; NULL: none is in the file */
};

/* Everything but the file is given back. */
void myr_recording_release(myr_recording *recording);

/* Offsets and size of a frame from type, envs and components. */
myr_status myr_recording_lay_out(myr_recording *recording);
/* Its memory: for a reader only once a whole frame is known to be in the file, so that no head makes a small file take much. */
myr_status myr_recording_allocate_frame(myr_recording *recording);

uint64_t myr_recording_end_magic(void);
uint64_t myr_recording_end_checksum(const myr_recording *recording, const myr_recording_end *end);
uint64_t myr_recording_frame_checksum(const myr_recording *recording);

static inline off_t myr_recording_place(const myr_recording *recording, int64_t frame) {
    return (off_t)recording->head_bytes + (off_t)frame * (off_t)recording->frame_bytes;
}

#endif
