/* Files that the program writes: opened before any work, complete or absent afterwards. */
#ifndef MYRIAPOD_CLI_OUTPUT_H
#define MYRIAPOD_CLI_OUTPUT_H

#include <stdio.h>

/* A regular file is written beside its target and renamed over it by output_commit, so that a reader never sees half
 * a file and a failed run leaves the old one. Devices and pipes are written in place; "-" is standard output. */
typedef struct output {
    const char *path; /* as the user wrote it; NULL: this output was not asked for */
    char *target;     /* where it ends up, symbolic links resolved; NULL: written in place */
    char *temporary;  /* what is written until then; for code that wants a name instead of `file` */
    FILE *file;
} output;

/* Open path for writing. path NULL: nothing happens. Returns 0, or -1 after saying why not (nothing to clean up). */
int output_open(output *out, const char *path);
/* 1: both are open and would end up in the same file, however it is spelled. */
int output_same(const output *a, const output *b);
/* Finish: flush, close, rename. Returns 0, or -1 after saying what failed; the target is then as it was. */
int output_commit(output *out);
/* Give up: the target is as it was. Harmless after commit. */
void output_discard(output *out);

#endif
