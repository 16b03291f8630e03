/* What one slip contact costs by the slip solves of the per-contact solvers: Table I of Hwangbo 2018, in registers of one lane and of many.
 *
 *   slip_cost FILE [repeats=9] [unit=one_f64] [method=golden] [beta1=0.1] [beta2=0.5] [beta3=2] [forms=1]
 *       FILE: contacts that `paper_hwangbo record` wrote
 *       forms=1: instead of the methods what slip_cost/forms.lane.h compares, an evaluation of each and the paper's bisection by each
 *
 * One JSON object: per unit and method ticks of the time stamp counter and ns per contact (of each block of 256 contacts the fastest of
 * `repeats`), and how far the impulses lie from those of `quartic` in double [N s]. Units: one lane, AVX2, AVX-512.
 */
#include <math.h>
#include <time.h>
#include <x86intrin.h>

#include "../tools/must.h"
#include "slip_cost/cost.h"

extern const slip_unit slip_unit_one_f32, slip_unit_one_f64, slip_unit_avx2_f32, slip_unit_avx2_f64, slip_unit_avx512_f32,
    slip_unit_avx512_f64;

static const slip_unit *const units[] = {&slip_unit_one_f64,  &slip_unit_one_f32,    &slip_unit_avx2_f64,
                                         &slip_unit_avx2_f32, &slip_unit_avx512_f64, &slip_unit_avx512_f32};
#define FORMS(kind) kind "nothing", kind "point", kind "value", kind "value-polar"
#define SLOPES(kind) kind "plain", kind "direct", kind "polar", kind "hybrid"
static const char *const methods[SLIP_FUNCTIONS] = {"bisection-paper", "golden",          "quartic",          "bisection",
                                                    "bisection-warm",  FORMS("chained-"), SLOPES("chained-"), FORMS("free-"),
                                                    SLOPES("free-"),   SLOPES("search-")};

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double ticks_per_ns(void) {
    const double start = seconds();
    const uint64_t ticks = __rdtsc();
    while (seconds() - start < 0.05) {}
    return (double)(__rdtsc() - ticks) / (1e9 * (seconds() - start));
}

static slip_contact *read_contacts(const char *path, int *n) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    *n = (int)(ftell(file) / (long)sizeof(slip_contact));
    slip_contact *contacts = allocate((size_t)*n * sizeof *contacts / sizeof(double));
    rewind(file);
    if (*n == 0 || fread(contacts, sizeof *contacts, (size_t)*n, file) != (size_t)*n) {
        fprintf(stderr, "%s: no contacts in it\n", path);
        exit(1);
    }
    fclose(file);
    return contacts;
}

static int order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How far the impulses lie from the truth, as quantiles. */
static void print_distance(const double *impulse, const double *truth, int n) {
    double *off = allocate((size_t)n);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int a = 3 * i; a < 3 * i + 3; a++) sum += (impulse[a] - truth[a]) * (impulse[a] - truth[a]);
        off[i] = isfinite(sum) ? sqrt(sum) : INFINITY;
    }
    qsort(off, (size_t)n, sizeof *off, order);
    printf("\"off_p50\": %.3e, \"off_p99\": %.3e, \"off_max\": %.3e}", off[n / 2], off[(int)(0.99 * (n - 1))], fmin(off[n - 1], 1e300));
    free(off);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: slip_cost FILE [repeats=9] [unit=NAME] [method=NAME] [forms=1]\n", stderr);
        return 2;
    }
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
        fputs("slip_cost: this processor has no AVX2 and FMA, in which its units of one lane are built too\n", stderr);
        return 1;
    }
    const char *unit = "", *method = "";
    double beta[3] = {0.1, 0.5, 2}; /* the settings' defaults */
    int repeats = 9, n = 0, printed = 0, forms = 0;
    for (int i = 2; i < argc; i++) {
        const char *value = cut_word(argv[i]);
        if (strcmp(argv[i], "repeats") == 0) repeats = atoi(value);
        if (strcmp(argv[i], "forms") == 0) forms = atoi(value);
        for (int k = 0; k < 3; k++)
            if (strncmp(argv[i], "beta", 4) == 0 && argv[i][4] == '1' + k) beta[k] = atof(value);
        if (strcmp(argv[i], "unit") == 0) unit = value;
        if (strcmp(argv[i], "method") == 0) method = value;
    }
    slip_contact *contacts = read_contacts(argv[1], &n);
    double *impulse = allocate(3 * (size_t)n), *truth = allocate(3 * (size_t)n);
    const double rate = ticks_per_ns();
    slip_unit_one_f64.cost(SLIP_QUARTIC, beta, contacts, n, 1, truth);
    printf("{\"contacts\": %d, \"ticks_per_ns\": %.4f, \"rows\": [", n, rate);
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        char name[32];
        snprintf(name, sizeof name, "%s_%s", units[u]->isa, units[u]->precision);
        if (*unit && strcmp(unit, name) != 0) continue;
        if (strcmp(units[u]->isa, "avx512") == 0 && !__builtin_cpu_supports("avx512dq")) continue;
        for (int m = forms ? SLIP_METHODS : 0; m < (forms ? SLIP_FUNCTIONS : SLIP_METHODS); m++) {
            if (*method && strcmp(method, methods[m]) != 0) continue;
            const double ticks = (double)units[u]->cost(m, beta, contacts, n, repeats, impulse) / (double)n;
            printf("%s\n {\"unit\": \"%s\", \"lanes\": %d, \"method\": \"%s\", \"ticks\": %.1f, \"ns\": %.2f, ", printed++ ? "," : "", name,
                   units[u]->lanes, methods[m], ticks, ticks / rate);
            print_distance(impulse, truth, n);
        }
    }
    puts("\n]}");
    free(contacts);
    free(impulse);
    free(truth);
    return 0;
}
