/* MuJoCo on what bench/trail.c does: robots from given states, one after the other on one thread; how fast they are stepped, where they
 * went.
 *
 *   mujoco_trail MODEL.mjb STATES OUT STEPS EVERY
 *
 * First all are timed, then all go again and leave q after every EVERY-th step: raw doubles (frames, states, nq). */
#include <mujoco/mujoco.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void start(const mjModel *m, mjData *d, const double *state) {
    mj_resetData(m, d);
    mju_copy(d->qpos, state, m->nq);
    mju_copy(d->qvel, state + m->nq, m->nv);
}

int main(int argc, char **argv) {
    mjModel *m = argc == 6 ? mj_loadModel(argv[1], NULL) : NULL;
    FILE *in = argc == 6 ? fopen(argv[2], "rb") : NULL, *out = argc == 6 ? fopen(argv[3], "wb") : NULL;
    if (!m || !in || !out) {
        fputs("usage: mujoco_trail MODEL.mjb STATES OUT STEPS EVERY\n", stderr);
        return 2;
    }
    const int64_t steps = atoll(argv[4]), every = atoll(argv[5]);
    const size_t width = (size_t)(m->nq + m->nv), nq = (size_t)m->nq;
    fseek(in, 0, SEEK_END);
    const size_t n = (size_t)ftell(in) / (sizeof(double) * width), frames = (size_t)(steps / every);
    rewind(in);
    double *states = calloc(n * width + 1, sizeof *states), *trail = calloc(frames * n * nq + 1, sizeof *trail), seconds = 0;
    mjData *d = mj_makeData(m);
    if (!states || !trail || !d || fread(states, sizeof *states, n * width, in) != n * width) return 1;
    for (size_t k = 0; k < n; k++) {
        start(m, d, states + k * width);
        const double begin = now_s();
        for (int64_t step = 0; step < steps; step++) mj_step(m, d);
        seconds += now_s() - begin;
    }
    int64_t contacts = 0, iterations = 0, warnings = 0;
    for (size_t k = 0; k < n; k++) {
        start(m, d, states + k * width);
        for (int64_t step = 1; step <= steps; step++) {
            mj_step(m, d);
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
    mj_deleteData(d);
    mj_deleteModel(m);
    return fclose(out);
}
