/* What `bench` measures, ready to be told to people and to programs. */
#ifndef MYRIAPOD_CLI_BENCH_H
#define MYRIAPOD_CLI_BENCH_H

#include <stdint.h>
#include <stdio.h>

#include <jansson.h>
#include <myriapod/myriapod.h>

enum { BENCH_LIST = 64 }; /* numbers in a list of the command line, at most */

typedef struct bench_list {
    int n;
    int64_t value[BENCH_LIST];
} bench_list;

/* One way of stepping, timed in windows. A window is so many calls of so many control steps. */
typedef struct bench_figure {
    int64_t windows, calls, steps; /* windows 0: was not measured (Ctrl-C) */
    int threads;                   /* those that worked, as OpenMP gave them */
    double robot_steps, wall_s;    /* of all windows; robots in quarantine do not count */
    double rate;                   /* robot-steps/s, all threads together */
    double ns, ns_p10;             /* per robot-step and core: of all windows; what the fastest tenth of them stays below */
    double call_us, call_us_p10;
} bench_figure;

/* A line of the table by threads. */
typedef struct bench_row {
    bench_figure figure;
    myr_stats stats;
    uint64_t state_hash; /* after the first steps, which are as many in every row */
    int n_cpus, *cpus;   /* logical processor of each worker, -1: not pinned */
} bench_row;

/* A line of the table by sizes of a batch: calls of one step, and long ones. */
typedef struct bench_size {
    int64_t envs;
    size_t bytes; /* of the batch */
    bench_figure one, longer;
} bench_size;

/* The robot of a word of the command line, with its task and settings, and what was measured of it. */
typedef struct bench_robot {
    char *name; /* as the user wrote it, without the task */
    myr_settings settings;
    myr_model *model;
    myr_model_info size;
    char task[MYR_NAME_LENGTH], isa[16];
    int lanes;
    double dt_s, bytes_per_env;
    int64_t envs; /* of the table by threads */
    int n_rows, n_sizes;
    bench_row row[BENCH_LIST];
    bench_size sizes[2 * BENCH_LIST];
} bench_robot;

typedef struct bench_plan {
    myr_settings settings; /* but for what is a robot's own */
    const char *profile;
    myr_machine machine;
    double load;                /* processes that wanted to run in the minute before, NaN: not known */
    char large_pages[32];       /* the system's word for transparent ones, "": not known */
    bench_list threads, sizes;  /* in ascending order */
    int64_t envs, steps;        /* robots of the table by threads, control steps of a long call; 0: chosen here */
    double seconds;             /* for each figure */
    int n_robots, figures_done; /* of the progress bar */
    bench_robot *robot;
    double start_s, end_s; /* progress_now */
    int interrupted;
} bench_plan;

/* cli/bench_measure.c: fills the tables of every robot. An exit status; Ctrl-C leaves what was not measured out. */
int bench_measure(bench_plan *plan);
/* Tiles of a batch, and the share of the workers' time that these can fill: 256 tiles on 192 workers are two for the busiest, so 2/3. */
int64_t bench_tiles(const bench_robot *robot, int64_t envs);
double bench_balance(int64_t tiles, int threads);
/* Speed over that of the table's first row, and what part of it by threads that is; NaN where one was not measured. */
double bench_speedup(const bench_robot *robot, int row);
double bench_efficiency(const bench_robot *robot, int row);
/* 1: after the same steps all rows have the same states, to the bit. */
int bench_same_bits(const bench_robot *robot);

/* cli/bench_report.c, cli/bench_json.c */
void bench_print(const bench_plan *plan, FILE *stream);
json_t *bench_json(const bench_plan *plan);

#endif
