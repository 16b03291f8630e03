/* PD targets that swing, the same for trail.c and mujoco_trail.c. A file of them has a row of raw doubles for each actuator, in the order
 * of joints: kp, kd, home, amplitude [rad], frequency [Hz], phase [turns]. */
#ifndef MYRIAPOD_BENCH_MOVES_H
#define MYRIAPOD_BENCH_MOVES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct move {
    double kp, kd, home, amplitude, hz, turns;
} move;

/* Targets of one robot. Robots swing a golden section of a turn apart: lanes that all do the same at once would flatter lanes. */
static inline void move_targets(const move *moves, size_t n, size_t robot, double time, double *target) {
    for (size_t u = 0; u < n; u++) {
        const move *m = moves + u;
        const double turns = m->hz * time + m->turns + 0.6180339887498949 * (double)robot;
        target[u] = m->home + m->amplitude * fmin(1, time) * sin(6.283185307179586 * turns);
    }
}

/* `n` moves; ends the program where the file cannot be read or has another number of them. */
static inline move *read_moves(const char *path, size_t n) {
    FILE *file = fopen(path, "rb");
    move *moves = calloc(n + 1, sizeof *moves);
    if (!file || !moves || fread(moves, sizeof *moves, n + 1, file) != n) {
        fprintf(stderr, "%s is not a file of %zu moves\n", path, n);
        exit(1);
    }
    fclose(file);
    return moves;
}

#endif
