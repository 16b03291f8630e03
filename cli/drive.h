/* What drives the robots of a run beside the task: gains from a file, and controls, a sine or a file of them. */
#ifndef MYRIAPOD_CLI_DRIVE_H
#define MYRIAPOD_CLI_DRIVE_H

#include <stdint.h>

#include <myriapod/myriapod.h>

typedef struct drive {
    const char *gains;  /* FILE: {"kp": number or [nu], "kd": ..} or {"actuators": {NAME: {"kp": .., "kd": ..}}}; NULL: none */
    const char *target; /* home, sine:AMPLITUDE[,HZ] or FILE: lines of nu controls, one for each control step; NULL: home */
    /* its own */
    myr_batch *batch;
    int64_t envs, done; /* control steps before the present phase */
    int nu;
    double amplitude, hz, step_s;
    double *middle; /* nu: controls at home */
    double *rows;   /* n_rows * nu of the file */
    int64_t n_rows;
    double *all; /* envs * nu */
} drive;

/* Read the files and give the batch its gains. CLI_OK, or a status after saying what is wrong. */
int drive_open(drive *d, const myr_model *model, myr_batch *batch, const myr_settings *settings);
/* 1: it wants a word before every control step. */
int drive_acts(const drive *d);
/* Controls of control step `step` of this phase. CLI_OK, or a status after saying what is wrong. */
int drive_take(drive *d, int64_t step);
/* `steps` of this phase are done. */
void drive_next_phase(drive *d, int64_t steps);
void drive_close(drive *d);

#endif
