/* Random convex contact problems (tests/support/convex_problem.h) that `admm-ccp` leaves open: how many of each family, and which.
 *   convex_search [key=value ...]
 *     first=0 count=200          seeds of each family
 *     family=all                 or one of them
 *     list=0                     1: a line for each problem that is left open
 *     dump=FILE                  these as JSON, for `myriapod solve`
 *     solver= precision= tolerance= max-sweeps= ..: settings
 * A problem is solved where its distance from the law, found outside of the solver in long double, is at most 1.1 times the tolerance. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "myriapod/myriapod.h"
#include "tests/support/convex_problem.h"

typedef struct search {
    int first, count, family, list;
    const char *dump;
    FILE *file;
    int dumped;
    myr_settings settings;
} search;

static int by_size(const void *a, const void *b) {
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void numbers(FILE *file, const char *name, const double *x, int n) {
    fprintf(file, "\"%s\": [", name);
    for (int k = 0; k < n; k++) fprintf(file, "%s%.17g", k ? ", " : "", x[k]);
    fprintf(file, "]");
}

static void dump(search *s, const convex_problem *p, const char *family, int seed) {
    const int rows = 3 * p->contacts;
    if (!s->file) return;
    fprintf(s->file, "%s{\"id\": \"%s-%d\", ", s->dumped++ ? ",\n" : "{\"problems\": [\n", family, seed);
    numbers(s->file, "mu", p->mu, p->contacts);
    fprintf(s->file, ", ");
    numbers(s->file, "c", p->c, rows);
    fprintf(s->file, ", \"G\": [");
    for (int i = 0; i < rows; i++) {
        fprintf(s->file, "%s[", i ? ", " : "");
        for (int k = 0; k < rows; k++) fprintf(s->file, "%s%.17g", k ? ", " : "", p->G[i * rows + k]);
        fprintf(s->file, "]");
    }
    fprintf(s->file, "]}");
}

static int look(search *s, int family) {
    const size_t count = (size_t)s->count;
    convex_problem *p = malloc(count * sizeof *p);
    myr_contact_problem *problem = calloc(count, sizeof *problem);
    myr_contact_result *result = calloc(count, sizeof *result);
    double *iterations = calloc(count, sizeof *iterations);
    if (!p || !problem || !result || !iterations) return 1;
    int open = 0, ends[8] = {0}, wrong = 0;
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        convex_problem_new(&p[k], (convex_family)family, (uint64_t)s->first + k);
        problem[k] = convex_problem_of(&p[k]);
        result[k].impulse = p[k].impulse, result[k].velocity = p[k].velocity;
    }
    const double start = now();
    if (myr_solve_contacts(problem, (int64_t)count, &s->settings, result) != MYR_OK) return fprintf(stderr, "%s\n", myr_message()), 1;
    const double took = now() - start;
    for (size_t k = 0; k < count; k++) {
        const double far = convex_problem_distance(&p[k]);
        const int solved = far <= 1.1 * s->settings.tolerance;
        iterations[k] = (double)result[k].iterations, sum += iterations[k];
        ends[result[k].status]++;
        wrong += !solved && result[k].status == MYR_CONVERGED;
        open += !solved;
        if (solved) continue;
        dump(s, &p[k], convex_families[family], s->first + (int)k);
        if (s->list)
            printf("  %s %d: %d contacts, %d columns: %s, distance %.2g, residual %.2g, %d iterations\n", convex_families[family],
                   s->first + (int)k, p[k].contacts, p[k].rank, myr_solve_status_text(result[k].status), far, result[k].residual,
                   (int)result[k].iterations);
    }
    qsort(iterations, count, sizeof *iterations, by_size);
    printf("| %s | %d | %d | %d / %d / %d | %d | %.0f | %.0f | %.0f | %.1f |\n", convex_families[family], s->count, open, ends[MYR_STALLED],
           ends[MYR_ITERATION_LIMIT], ends[MYR_NOT_FINITE], wrong, iterations[count / 2], iterations[count * 95 / 100],
           iterations[count - 1], 1e6 * took / (double)count);
    fflush(stdout);
    free(p), free(problem), free(result), free(iterations);
    return 0;
}

static int set(search *s, const char *key, const char *value) {
    if (!strcmp(key, "first")) return s->first = atoi(value), 0;
    if (!strcmp(key, "count")) return s->count = atoi(value), s->count <= 0;
    if (!strcmp(key, "list")) return s->list = atoi(value), 0;
    if (!strcmp(key, "dump")) return s->dump = value, 0;
    if (strcmp(key, "family") != 0) return myr_settings_set(&s->settings, key, value) != MYR_OK && fprintf(stderr, "%s\n", myr_message());
    for (s->family = 0; s->family < CONVEX_FAMILIES; s->family++)
        if (!strcmp(value, convex_families[s->family])) return 0;
    s->family = -1;
    return strcmp(value, "all") != 0;
}

int main(int argc, char **argv) {
    search s = {.count = 200, .family = -1, .settings = myr_settings_default()};
    const char *const first[][2] = {{"solver", "admm-ccp"}, {"precision", "f64"}, {"tolerance", "1e-8"}};
    for (int k = 0; k < 3; k++)
        if (set(&s, first[k][0], first[k][1])) return 1;
    for (int k = 1; k < argc; k++) {
        char *value = strchr(argv[k], '=');
        if (value) *value++ = 0;
        if (!value || set(&s, argv[k], value)) return fprintf(stderr, "convex_search: %s=%s?\n", argv[k], value ? value : ""), 2;
    }
    if (s.dump && !(s.file = fopen(s.dump, "w"))) return perror(s.dump), 1;
    printf("| family | problems | left open | stalled / limit / not finite | called converged and not | iterations median | p95 | most | "
           "us each |\n"
           "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    int failed = 0;
    for (int f = s.family < 0 ? 0 : s.family; f < (s.family < 0 ? CONVEX_FAMILIES : s.family + 1); f++) failed |= look(&s, f);
    if (s.file) fprintf(s.file, "%s]}\n", s.dumped ? "" : "{\"problems\": ["), fclose(s.file);
    return failed;
}
