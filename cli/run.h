/* What a run did, ready to be told to people and to programs. */
#ifndef MYRIAPOD_CLI_RUN_H
#define MYRIAPOD_CLI_RUN_H

#include <stdint.h>
#include <stdio.h>

#include <jansson.h>
#include <myriapod/myriapod.h>

#include "posture.h"

typedef struct run_result {
    const char *model_argument; /* MODEL as the user wrote it */
    const char *profile;
    const char *cpu;
    myr_model_info model;       /* as it is stepped */
    const myr_terrain *terrain; /* of the batch; NULL: a plane */
    myr_settings settings;
    myr_batch_info batch;
    myr_stats stats;
    int64_t warmup, steps; /* control steps taken; fewer than in settings after Ctrl-C */
    posture end;           /* of the robots after the last step */
    uint64_t state_hash;
    int64_t n_quarantined, *quarantined; /* global ids, and the reason of each */
    myr_quarantine *reason;
} run_result;

/* [robot-step/s] over all cores and [ns] per robot-step and core; NaN if nothing was timed. */
double run_robot_steps_per_s(const run_result *result);
double run_ns_per_robot_step_core(const run_result *result);

void run_print(const run_result *result, FILE *stream);
json_t *run_json(const run_result *result);

#endif
