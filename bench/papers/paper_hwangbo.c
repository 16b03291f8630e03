/* What the figures of Hwangbo 2018 need of runs, by the public interface.
 *
 *   paper_hwangbo record TASK FILE [count=100000] [KEY=VALUE ...]
 *       slip contacts that ANYmal meets, each with the others held (slip_cost reads them)
 *   paper_hwangbo sweeps TASK [steps=500] [warmup=500] [KEY=VALUE ...]
 *       Fig. 4: sweeps per solve, in bins 0, 1, 2-3, 4-7, ...
 *   paper_hwangbo models TASK [steps=500] [warmup=500] [KEY=VALUE ...]
 *       Fig. 6: |lambda_b - lambda_p| / |lambda_p| of the same problems, solved twice
 *
 * KEY=VALUE: any setting over the profile `paper`'s double precision. One JSON object to standard output. */
#include <math.h>

#include "../tools/must.h"
#include "slip_cost/cost.h"

enum { BINS = 24, ENVS = 64, SLOTS = 16 };

typedef struct run {
    myr_settings settings;
    myr_model *model;
    myr_batch *batch;
    int64_t count, steps, warmup;
} run;

static run open_run(const char *task, int words, char **word) {
    run r = {.settings = myr_settings_default(), .count = 100000, .steps = 500, .warmup = 500};
    char envs[32];
    snprintf(envs, sizeof envs, "%d", ENVS);
    const char *const own[][2] = {{"task", task},          {"precision", "f64"},   {"envs", envs},        {"threads", "1"},
                                  {"spin-damping", "0"},   {"landing", "0"},       {"tolerance", "1e-6"}, {"max-sweeps", "20000"},
                                  {"solver", "bisection"}, {"joint-limits", "off"}}; /* limits are rows, of which the paper has none */
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) must(myr_settings_set(&r.settings, own[i][0], own[i][1]));
    for (int i = 0; i < words; i++) {
        const char *value = cut_word(word[i]);
        if (strcmp(word[i], "count") == 0)
            r.count = atoll(value);
        else if (strcmp(word[i], "steps") == 0)
            r.steps = atoll(value);
        else if (strcmp(word[i], "warmup") == 0)
            r.warmup = atoll(value);
        else
            must(myr_settings_set(&r.settings, word[i], value));
    }
    must(myr_model_load("anymal", MYR_ROOT_AUTO, &r.model));
    must(myr_batch_create(r.model, r.settings.envs, &r.settings, &r.batch));
    must(myr_batch_step(r.batch, r.warmup));
    return r;
}

static void close_run(run *r) {
    myr_batch_free(r->batch);
    myr_model_free(r->model);
}

/* The problems of ENVS environments and what a solver makes of them. */
typedef struct problems {
    int n;
    double G[ENVS][9 * SLOTS * SLOTS], c[ENVS][3 * SLOTS], mu[ENVS][SLOTS], start[ENVS][3 * SLOTS];
    myr_contact_problem problem[ENVS];
    double impulse[2][ENVS][3 * SLOTS], velocity[2][ENVS][3 * SLOTS];
    char modes[2][ENVS][SLOTS];
    myr_contact_result result[2][ENVS];
} problems;

static void meet(const run *r, problems *p) {
    p->n = 0;
    for (int64_t env = 0; env < r->settings.envs && p->n < ENVS; env++) {
        const int at = p->n;
        myr_problem_room room = {.room = SLOTS, .G = p->G[at], .c = p->c[at], .mu = p->mu[at], .start = p->start[at]};
        must(myr_batch_problem(r->batch, env, &room));
        if (room.contacts == 0) continue;
        p->problem[p->n++] =
            (myr_contact_problem){.contacts = room.contacts, .G = p->G[at], .c = p->c[at], .mu = p->mu[at], .start = p->start[at]};
    }
}

static void solve(problems *p, int which, const myr_settings *settings) {
    for (int i = 0; i < p->n; i++)
        p->result[which][i] =
            (myr_contact_result){.impulse = p->impulse[which][i], .velocity = p->velocity[which][i], .modes = p->modes[which][i]};
    must(myr_solve_contacts(p->problem, p->n, settings, p->result[which]));
}

static myr_settings solver_settings(const char *solver, const char *tolerance) {
    myr_settings s = myr_settings_default();
    const char *const own[][2] = {{"precision", "f64"}, {"solver", solver}, {"tolerance", tolerance}, {"max-sweeps", "20000"}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) must(myr_settings_set(&s, own[i][0], own[i][1]));
    return s;
}

/* ---- Table I -------------------------------------------------------------------------------------------------------- */

/* lambda_v0 = -G^-1 c, by Cramer's rule; 0 where G is singular. */
static int stopping(const double G[9], const double c[3], double out[3]) {
    double minor[9];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const int a = (i + 1) % 3, b = (i + 2) % 3, d = (k + 1) % 3, e = (k + 2) % 3;
            minor[3 * i + k] = G[3 * a + d] * G[3 * b + e] - G[3 * a + e] * G[3 * b + d];
        }
    const double det = G[0] * minor[0] + G[1] * minor[1] + G[2] * minor[2], third = (G[0] + G[4] + G[8]) / 3;
    if (!(det > 1e-9 * third * third * third)) return 0;
    for (int i = 0; i < 3; i++) out[i] = -(minor[i] * c[0] + minor[3 + i] * c[1] + minor[6 + i] * c[2]) / det;
    return 1;
}

static int slips(const slip_contact *s) {
    double stop[3];
    if (!(s->c[2] < 0) || !stopping(s->G, s->c, stop)) return 0;
    return !(stop[2] >= 0 && hypot(stop[0], stop[1]) <= s->mu * stop[2]);
}

/* Contact i with the others held at their impulses. */
static slip_contact held(const problems *p, int which, int i) {
    const int m = 3 * p->problem[which].contacts;
    const double *G = p->G[which], *l = p->impulse[0][which];
    slip_contact s = {.mu = p->mu[which][i]};
    for (int a = 0; a < 3; a++) {
        s.c[a] = p->c[which][3 * i + a];
        s.last[a] = p->start[which][3 * i + a];
        for (int k = 0; k < m; k++)
            if (k / 3 != i) s.c[a] += G[(3 * i + a) * m + k] * l[k];
        for (int b = 0; b < 3; b++) s.G[3 * a + b] = G[(3 * i + a) * m + 3 * i + b];
    }
    return s;
}

static int record(const char *task, const char *path, int words, char **word) {
    run r = open_run(task, words, word);
    problems *p = allocate(sizeof *p / sizeof(double));
    const myr_settings tight = solver_settings("bisection", "1e-9");
    int64_t written = 0, seen = 0, steps = 0;
    FILE *file = fopen(path, "wb");
    if (!file) {
        fprintf(stderr, "%s: cannot be written\n", path);
        return 1;
    }
    for (; written < r.count && steps < 200000; steps++) {
        meet(&r, p);
        solve(p, 0, &tight);
        for (int at = 0; at < p->n; at++)
            for (int i = 0; i < p->problem[at].contacts; i++) {
                const slip_contact s = held(p, at, i);
                seen++;
                if (!slips(&s) || written == r.count) continue;
                written += fwrite(&s, sizeof s, 1, file) == 1;
            }
        must(myr_batch_step(r.batch, 3));
    }
    if (fclose(file) != 0) return 1;
    printf("{\"task\": \"%s\", \"slipping\": %lld, \"contacts\": %lld, \"looks\": %lld}\n", task, (long long)written, (long long)seen,
           (long long)steps);
    free(p);
    close_run(&r);
    return 0;
}

/* ---- Fig. 4 --------------------------------------------------------------------------------------------------------- */

static int sweeps(const char *task, int words, char **word) {
    run r = open_run(task, words, word);
    const size_t envs = (size_t)r.settings.envs;
    double *counts = allocate(envs), sum = 0, most = 0;
    int64_t bins[BINS] = {0}, solves = 0;
    for (int64_t step = 0; step < r.steps; step++) {
        must(myr_batch_step(r.batch, 1));
        must(myr_batch_get(r.batch, MYR_ITERATIONS, NULL, r.settings.envs, MYR_F64, counts));
        for (size_t env = 0; env < envs; env++) {
            const int bin = counts[env] < 1 ? 0 : 1 + (int)log2(counts[env]);
            bins[bin < BINS ? bin : BINS - 1]++;
            sum += counts[env], solves += counts[env] >= 1;
            most = fmax(most, counts[env]);
        }
    }
    printf("{\"task\": \"%s\", \"solver\": \"%s\", \"steps\": %lld, \"mean\": %.3f, \"max\": %.0f, \"bins\": [", task, r.settings.solver,
           (long long)(r.steps * r.settings.envs), solves ? sum / (double)solves : 0, most);
    for (int i = 0; i < BINS; i++) printf("%s%lld", i ? ", " : "", (long long)bins[i]);
    puts("]}");
    free(counts);
    close_run(&r);
    return 0;
}

/* ---- Fig. 6 --------------------------------------------------------------------------------------------------------- */

static int models(const char *task, int words, char **word) {
    enum { DECADES = 18 }; /* below 1e-16, 1e-16 to 1e-15, ..., above 1 */
    run r = open_run(task, words, word);
    problems *p = allocate(sizeof *p / sizeof(double));
    const myr_settings bisection = solver_settings("bisection", "1e-10"), pgs = solver_settings("pgs", "1e-12");
    int64_t bins[DECADES] = {0}, below = 0, solves = 0, open = 0, stick = 0, slide = 0, sliding = 0, sliding_below = 0, unsolved = 0;
    for (int64_t step = 0; step < r.steps; step++) {
        meet(&r, p);
        solve(p, 0, &bisection);
        solve(p, 1, &pgs);
        for (int at = 0; at < p->n; at++) {
            double off = 0, size = 0;
            int slid = 0;
            for (int i = 0; i < 3 * p->problem[at].contacts; i++) {
                const double d = p->impulse[0][at][i] - p->impulse[1][at][i];
                off += d * d, size += p->impulse[1][at][i] * p->impulse[1][at][i];
            }
            for (int i = 0; i < p->problem[at].contacts; i++) {
                const char mode = p->modes[0][at][i];
                open += mode == 'o', stick += mode == 's', slide += mode == 'd', slid |= mode == 'd';
            }
            if (size == 0) continue; /* nothing touches */
            unsolved += p->result[0][at].residual > 1e-8 || p->result[1][at].residual > 1e-8;
            const double share = sqrt(off / size);
            const int bin = share < 1e-16 ? 0 : (int)floor(log10(share)) + 17;
            bins[bin < DECADES ? bin : DECADES - 1]++;
            solves++, below += share < 0.01;
            sliding += slid, sliding_below += slid && share < 0.01;
        }
        must(myr_batch_step(r.batch, 1));
    }
    printf("{\"task\": \"%s\", \"solves\": %lld, \"below_1_percent\": %lld, \"sliding\": %lld, \"sliding_below_1_percent\": %lld, "
           "\"unsolved\": %lld, \"modes\": {\"open\": %lld, \"stick\": %lld, \"slide\": %lld}, \"bins\": [",
           task, (long long)solves, (long long)below, (long long)sliding, (long long)sliding_below, (long long)unsolved, (long long)open,
           (long long)stick, (long long)slide);
    for (int i = 0; i < DECADES; i++) printf("%s%lld", i ? ", " : "", (long long)bins[i]);
    puts("]}");
    free(p);
    close_run(&r);
    return 0;
}

int main(int argc, char **argv) {
    if (argc >= 4 && strcmp(argv[1], "record") == 0) return record(argv[2], argv[3], argc - 4, argv + 4);
    if (argc >= 3 && strcmp(argv[1], "sweeps") == 0) return sweeps(argv[2], argc - 3, argv + 3);
    if (argc >= 3 && strcmp(argv[1], "models") == 0) return models(argv[2], argc - 3, argv + 3);
    fputs("usage: paper_hwangbo record TASK FILE | sweeps TASK | models TASK [KEY=VALUE ...]\n", stderr);
    return 2;
}
