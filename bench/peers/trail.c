/* Robots from given states, limp or driven by PD: how fast they are stepped, and where they went.
 *
 *   trail MODEL STATES OUT STEPS EVERY [moves=FILE] [KEY=VALUE ...]      any setting, such as envs=1024 precision=f64 root=fixed
 *
 * STATES: rows of q and v, raw doubles. OUT gets q of all of them after every EVERY-th step, raw doubles (frames, states, nq). First `envs`
 * robots, which take the states in turn, are timed; then one robot for each state goes again and leaves the trail. With moves (moves.h) the
 * targets change every EVERY-th step; they are computed before the clock starts and set while it runs. Prints one JSON object. */

#include "../tools/clock.h"
#include "../tools/moves.h"
#include "../tools/must.h"

typedef struct states {
    double *q, *v;
    int64_t n;
} states;

static states read_states(const char *path, size_t nq, size_t nv) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    const size_t n = (size_t)ftell(file) / (sizeof(double) * (nq + nv));
    states s = {.q = allocate(n * nq), .v = allocate(n * nv), .n = (int64_t)n};
    rewind(file);
    for (size_t k = 0; k < n; k++)
        if (fread(s.q + k * nq, sizeof(double), nq, file) != nq || fread(s.v + k * nv, sizeof(double), nv, file) != nv) exit(1);
    fclose(file);
    return s;
}

static myr_batch *start(const myr_model *model, const myr_settings *settings, const states *s, int64_t envs, size_t nq, size_t nv) {
    myr_batch *batch;
    must(myr_batch_create(model, envs, settings, &batch));
    for (int64_t env = 0; env < envs; env++) {
        const size_t from = (size_t)(env % s->n);
        must(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, s->q + from * nq));
        must(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, s->v + from * nv));
    }
    return batch;
}

typedef struct drive {
    const move *moves; /* NULL: limp */
    size_t nu, states;
    double dt;
} drive;

static void set_gains(myr_batch *batch, const drive *d, int64_t envs) {
    const size_t n = (size_t)envs;
    double *kp = allocate(n * d->nu), *kd = allocate(n * d->nu);
    for (size_t i = 0; i < n * d->nu; i++) kp[i] = d->moves[i % d->nu].kp, kd[i] = d->moves[i % d->nu].kd;
    must(myr_batch_set(batch, MYR_KP, NULL, envs, MYR_F64, kp));
    must(myr_batch_set(batch, MYR_KD, NULL, envs, MYR_F64, kd));
    free(kp);
    free(kd);
}

/* Seconds of `steps` steps, in chunks; q after each into `file`, where there is one. */
static double go(myr_batch *batch, const drive *d, int64_t envs, int64_t steps, int64_t chunk, FILE *file, size_t nq) {
    const size_t n = (size_t)envs;
    double *q = allocate(n * nq), *targets = allocate(n * d->nu), seconds = 0;
    if (d->moves) set_gains(batch, d, envs);
    for (int64_t step = 0; step + chunk <= steps; step += chunk) {
        for (size_t env = 0; d->moves && env < n; env++)
            move_targets(d->moves, d->nu, env % d->states, (double)step * d->dt, targets + env * d->nu);
        const double begin = thread_seconds();
        if (d->moves) must(myr_batch_set(batch, MYR_TARGET, NULL, envs, MYR_F64, targets));
        must(myr_batch_step(batch, chunk));
        seconds += thread_seconds() - begin;
        if (!file) continue;
        must(myr_batch_get(batch, MYR_Q, NULL, envs, MYR_F64, q));
        fwrite(q, sizeof(double), n * nq, file);
    }
    free(q);
    free(targets);
    return seconds;
}

int main(int argc, char **argv) {
    if (argc < 6) {
        fputs("usage: trail MODEL STATES OUT STEPS EVERY [moves=FILE] [KEY=VALUE ...]\n", stderr);
        return 2;
    }
    const char *moves_path = NULL;
    myr_settings settings = myr_settings_default();
    must(myr_settings_set(&settings, "task", "none"));
    must(myr_settings_set(&settings, "threads", "1"));
    for (int i = 6; i < argc; i++) {
        const char *value = cut_word(argv[i]);
        if (!strcmp(argv[i], "moves"))
            moves_path = value;
        else
            must(myr_settings_set(&settings, argv[i], value));
    }
    const int64_t steps = atoll(argv[4]), every = atoll(argv[5]);
    myr_model *model;
    myr_model_info size;
    myr_batch_info how;
    myr_stats timed, seen;
    must(myr_model_load(argv[1], wanted_root(&settings), &model));
    myr_model_get_info(model, &size);
    const size_t nq = (size_t)size.nq, nv = (size_t)size.nv;
    const states s = read_states(argv[2], nq, nv);
    move *moves = moves_path ? read_moves(moves_path, (size_t)size.nu) : NULL;
    myr_batch *batch = start(model, &settings, &s, settings.envs, nq, nv);
    const drive how_driven = {.moves = moves, .nu = (size_t)size.nu, .states = (size_t)s.n, .dt = step_length(batch)};
    const double seconds = go(batch, &how_driven, settings.envs, steps, moves ? every : steps, NULL, nq);
    myr_batch_stats(batch, &timed);
    myr_batch_get_info(batch, &how);
    myr_batch_free(batch);
    batch = start(model, &settings, &s, s.n, nq, nv);
    FILE *out = fopen(argv[3], "wb");
    if (out) go(batch, &how_driven, s.n, steps, every, out, nq);
    if (!out || fclose(out)) {
        fprintf(stderr, "%s cannot be written\n", argv[3]);
        return 1;
    }
    myr_batch_stats(batch, &seen);
    printf("{\"ns_per_step\": %.2f, \"isa\": \"%s\", \"envs\": %lld, \"contacts_mean\": %.4f, \"iterations_mean\": %.4f, \"solves\": %lld, "
           "\"not_converged\": %lld, \"quarantined\": %lld, \"limit_violation_max\": %.6e}\n",
           1e9 * seconds / (double)timed.robot_steps, how.isa, (long long)how.envs, timed.contacts_mean, timed.iterations_mean,
           (long long)timed.active_steps, (long long)timed.not_converged, (long long)timed.quarantined,
           isnan(seen.limit_violation_max) ? 0 : seen.limit_violation_max);
    myr_batch_free(batch);
    myr_model_free(model);
    free(moves);
    free(s.q);
    free(s.v);
    return 0;
}
