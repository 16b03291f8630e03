/* MuJoCo on what bench/peers/trail.c does: robots from given states, one after the other on one thread; how fast they are stepped, where
 * they went.
 *
 *   mujoco_trail MODEL.mjb STATES OUT STEPS EVERY [MOVES]
 *
 * First all are timed, then all go again and leave q after every EVERY-th step: raw doubles (frames, states, nq). With MOVES (moves.h) the
 * model has a position actuator for each of them: gains are set here, targets every EVERY-th step. */
#include <mujoco/mujoco.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../tools/clock.h"
#include "../tools/moves.h"

static void start(const mjModel *m, mjData *d, const double *state) {
    mj_resetData(m, d);
    mju_copy(d->qpos, state, m->nq);
    mju_copy(d->qvel, state + m->nq, m->nv);
}

static void set_gains(mjModel *m, const move *moves) {
    for (int u = 0; u < m->nu; u++) {
        m->actuator_gainprm[u * mjNGAIN] = moves[u].kp;
        m->actuator_biasprm[u * mjNBIAS + 1] = -moves[u].kp;
        m->actuator_biasprm[u * mjNBIAS + 2] = -moves[u].kd;
    }
}

/* Targets of one robot for all its steps: (steps / every, nu). */
static void plan(const mjModel *m, const move *moves, size_t robot, size_t frames, int64_t every, double *targets) {
    const size_t nu = (size_t)m->nu;
    for (size_t frame = 0; frame < frames; frame++)
        move_targets(moves, nu, robot, (double)frame * (double)every * m->opt.timestep, targets + frame * nu);
}

static void advance(const mjModel *m, mjData *d, const double *targets, int64_t step, int64_t every) {
    if (m->nu && step % every == 0) mju_copy(d->ctrl, targets + step / every * m->nu, m->nu);
    mj_step(m, d);
}

int main(int argc, char **argv) {
    mjModel *m = argc == 6 || argc == 7 ? mj_loadModel(argv[1], NULL) : NULL;
    FILE *in = m ? fopen(argv[2], "rb") : NULL, *out = m ? fopen(argv[3], "wb") : NULL;
    if (!m || !in || !out) {
        fputs("usage: mujoco_trail MODEL.mjb STATES OUT STEPS EVERY [MOVES]\n", stderr);
        return 2;
    }
    const int64_t steps = atoll(argv[4]), every = atoll(argv[5]);
    const size_t width = (size_t)(m->nq + m->nv), nq = (size_t)m->nq, nu = (size_t)m->nu;
    move *moves = argc == 7 ? read_moves(argv[6], nu) : NULL;
    if (moves) set_gains(m, moves);
    fseek(in, 0, SEEK_END);
    const size_t n = (size_t)ftell(in) / (sizeof(double) * width), frames = (size_t)(steps / every);
    rewind(in);
    double *states = calloc(n * width + 1, sizeof *states), *trail = calloc(frames * n * nq + 1, sizeof *trail), seconds = 0;
    double *targets = calloc(frames * nu + 1, sizeof *targets);
    mjData *d = mj_makeData(m);
    if (!states || !trail || !targets || !d || fread(states, sizeof *states, n * width, in) != n * width) return 1;
    for (size_t k = 0; k < n; k++) {
        start(m, d, states + k * width);
        if (moves) plan(m, moves, k, frames, every, targets);
        const double begin = thread_seconds();
        for (int64_t step = 0; step < steps; step++) advance(m, d, targets, step, every);
        seconds += thread_seconds() - begin;
    }
    int64_t contacts = 0, iterations = 0, warnings = 0;
    for (size_t k = 0; k < n; k++) {
        start(m, d, states + k * width);
        if (moves) plan(m, moves, k, frames, every, targets);
        for (int64_t step = 1; step <= steps; step++) {
            advance(m, d, targets, step - 1, every);
            contacts += d->ncon;
            for (int i = 0; i < d->nisland && i < mjNISLAND; i++) iterations += d->solver_niter[i];
            if (step % every == 0) mju_copy(trail + ((size_t)(step / every - 1) * n + k) * nq, d->qpos, m->nq);
        }
        for (int i = 0; i < mjNWARNING; i++) warnings += d->warning[i].number;
    }
    fwrite(trail, sizeof *trail, frames * n * nq, out);
    const double all = (double)n * (double)steps;
    printf("{\"version\": \"%s\", \"ns_per_step\": %.1f, \"envs\": %zu, \"contacts_mean\": %.4f, \"iterations_mean\": %.4f, \"warnings\": "
           "%lld}\n",
           mj_versionString(), 1e9 * seconds / all, n, (double)contacts / all, (double)iterations / all, (long long)warnings);
    free(states);
    free(trail);
    free(targets);
    free(moves);
    mj_deleteData(d);
    mj_deleteModel(m);
    return fclose(out);
}
