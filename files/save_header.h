/* The head of a saved batch: lines of text, `key value`, so that `head -40 FILE` says what it is. */
#ifndef MYR_FILES_SAVE_HEADER_H
#define MYR_FILES_SAVE_HEADER_H

#include "batch/batch.h"

#define MYR_SAVE_MAGIC "MYRIAPOD BATCH 2"
#define MYR_SAVE_END "end"

enum { MYR_SAVE_KEY_BYTES = 80, MYR_SAVE_VALUE_BYTES = 256 };

typedef struct myr_save_line {
    char key[MYR_SAVE_KEY_BYTES], value[MYR_SAVE_VALUE_BYTES];
    int informs; /* for the reader's eyes: not compared when restoring */
} myr_save_line;

/* Line 0, 1, ... of what this batch would write; 0 past the last. Versions, model, precision, environments, then every
 * setting that changes trajectories (not: threads, instruction set, run lengths), then each number of the task as it is in this batch. */
int myr_save_line_get(const myr_batch *batch, int index, myr_save_line *line);

#endif
