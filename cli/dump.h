/* Contact problems that a run meets, written to a file that `solve` and `compare` read. */
#ifndef MYRIAPOD_CLI_DUMP_H
#define MYRIAPOD_CLI_DUMP_H

#include <jansson.h>
#include <myriapod/myriapod.h>

#include "output.h"

typedef struct dump {
    output *out;       /* path NULL: nothing is dumped */
    int64_t count;     /* problems wanted */
    int contacts;      /* and of how many contacts at least */
    const char *model; /* as the user wrote it */
    int64_t steps;     /* of the run */
    int64_t first_env; /* global id of environment 0 */
    int64_t envs, stride, points, point, written, not_finite;
    myr_problem_room room;
    int failed;   /* a dump_take went wrong, and said so */
    int64_t hdf5; /* handle, where the file is HDF5 */
} dump;

/* One that was met: environment (global id) and step of the run. */
typedef struct dump_source {
    int64_t index, env, step;
    double time_s;
    const char *model, *task;
} dump_source;

/* Begin the file for a batch. `count`, `contacts` and `model` are set, the rest is zero. CLI_OK or an exit status, said. */
int dump_open(dump *d, output *out, const myr_batch *batch, const myr_settings *settings, const myr_model_info *model);
/* The next step before which dump_take wants to be called; past the end there is none. */
int64_t dump_next(const dump *d);
/* Write what the batch meets now, before step `done`. */
int dump_take(dump *d, const myr_batch *batch, int64_t done);
/* End the file, not yet committed. */
int dump_close(dump *d);
void dump_free(dump *d);

/* cli/dump_fclib.c: the same as FCLib's HDF5, every problem in a group of its own. 0, or -1. */
int64_t dump_fclib_open(const char *path);
int dump_fclib_add(int64_t file, const dump_source *source, const myr_problem_room *problem);
int dump_fclib_close(int64_t file);

#endif
