/* Is one build of the library faster than another? Several builds are opened in one process and step the same robots in turn.
 *
 *   ab MODEL [KEY=VALUE ...] -- NAME=LIBRARY NAME=LIBRARY ...
 *
 *   ab anymal task=trot envs=4096 steps=32 -- old=old/build/libmyriapod.so new=build/libmyriapod.so
 *
 * KEY: any setting (`steps` is a call of the window's length, `warmup` what comes before; one thread unless said), and of this program:
 *   windows=200   calls of each build that are timed        stages=1   what each stage takes too (the builds' own samples, in the mean)
 *   ground=off    nothing touches the ground
 *
 * A window of one build is followed by the same window of the next, the first of them another each time, and the figure is the median of
 * the ratios of neighbours: what slows the machine for longer than a window slows both. It sees half a percent where whole runs scatter by
 * thirty. The same build given twice shows what the machine lets it see. All builds must have the public structs of this one's headers. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <myriapod/myriapod.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 8 };

/* A build may have settings, statistics and facts of the machine that these headers do not know: room for them, at the end. */
typedef union settings_room {
    myr_settings known;
    char room[1 << 16];
} settings_room;

typedef union stats_room {
    myr_stats known;
    char room[1 << 13];
} stats_room;

typedef union machine_room {
    myr_machine known;
    char room[1 << 10];
} machine_room;

#define CALLS(X)                                                                                                                           \
    X(settings_room, settings_default, (void))                                                                                             \
    X(myr_status, settings_set, (myr_settings *, const char *, const char *))                                                              \
    X(int, settings_key, (const myr_settings *, int, const char **, char[MYR_NAME_LENGTH], const char **))                                 \
    X(myr_status, model_load, (const char *, myr_root, myr_model **))                                                                      \
    X(void, model_get_info, (const myr_model *, myr_model_info *))                                                                         \
    X(void, model_free, (myr_model *))                                                                                                     \
    X(myr_status, batch_create, (const myr_model *, int64_t, const myr_settings *, myr_batch **))                                          \
    X(myr_status, batch_set_collision, (myr_batch *, const uint8_t *))                                                                     \
    X(void, batch_free, (myr_batch *))                                                                                                     \
    X(myr_status, batch_step, (myr_batch *, int64_t))                                                                                      \
    X(uint64_t, batch_hash, (const myr_batch *))                                                                                           \
    X(void, batch_stats, (const myr_batch *, stats_room *))                                                                                \
    X(void, batch_clear_stats, (myr_batch *))                                                                                              \
    X(void, batch_get_info, (const myr_batch *, myr_batch_info *))                                                                         \
    X(myr_status, machine_get, (machine_room *))                                                                                           \
    X(const char *, message, (void))

typedef struct build {
    const char *name;
    struct stat file;
#define X(result, name, arguments) result(*name) arguments;
    CALLS(X)
#undef X
    myr_model *model;
    myr_batch *batch;
    double *ns; /* per robot-step, by window */
} build;

typedef struct plan {
    const char *model;
    settings_room settings; /* the first build's, for the report */
    int64_t envs, steps, warmup;
    int windows, stages, ground;
    build builds[MOST];
    int n;
} plan;

static void must(const build *b, myr_status status) {
    if (status == MYR_OK) return;
    fprintf(stderr, "%s: %s\n", b->name, b->message());
    exit(1);
}

static void *allocate(size_t count) {
    void *memory = calloc(count, sizeof(double));
    if (memory) return memory;
    fputs("out of memory\n", stderr);
    exit(1);
}

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* KEY=VALUE: the value, and the word cut to its key. */
static char *cut(char *word) {
    char *equals = strchr(word, '=');
    if (equals) {
        *equals = 0;
        return equals + 1;
    }
    fprintf(stderr, "\"%s\" is not KEY=VALUE\n", word);
    exit(2);
}

/* The file, or a copy of it where another build is the same file: a library is opened once. */
static void *open_library(const plan *p, const char *path) {
    const build *b = &p->builds[p->n];
    int again = 0;
    for (int i = 0; i < p->n; i++) again |= p->builds[i].file.st_ino == b->file.st_ino && p->builds[i].file.st_dev == b->file.st_dev;
    if (!again) return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    char copy[] = "/tmp/myriapod_ab_XXXXXX", block[1 << 16];
    const int out = mkstemp(copy);
    FILE *in = fopen(path, "rb");
    int whole = in && out >= 0;
    for (size_t n = 1; whole && n > 0;) {
        n = fread(block, 1, sizeof block, in);
        whole = write(out, block, n) == (ssize_t)n;
    }
    void *library = whole ? dlopen(copy, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (in) fclose(in);
    if (out >= 0) close(out), unlink(copy);
    return library;
}

static void add_build(plan *p, char *word) {
    if (p->n == MOST) {
        fprintf(stderr, "at most %d builds\n", MOST);
        exit(2);
    }
    build *b = &p->builds[p->n];
    const char *file = cut(word);
    char *path = realpath(file, NULL);
    if (!path || stat(path, &b->file) != 0) {
        fprintf(stderr, "%s: no such file\n", file);
        exit(1);
    }
    b->name = word;
    void *library = open_library(p, path);
    if (!library) {
        fprintf(stderr, "%s: %s\n", path, dlerror());
        exit(1);
    }
#define X(result, call, arguments)                                                                                                         \
    *(void **)(void *)&b->call = dlsym(library, "myr_" #call);                                                                             \
    if (!b->call) {                                                                                                                        \
        fprintf(stderr, "%s: has no myr_" #call "\n", path);                                                                               \
        exit(1);                                                                                                                           \
    }
    CALLS(X)
#undef X
    free(path);
    p->n++;
}

static int64_t whole(const char *key, const char *value, int64_t least) {
    char *rest;
    const long long number = strtoll(value, &rest, 10);
    if (*value && !*rest && number >= least) return number;
    fprintf(stderr, "%s is \"%s\", but must be a whole number from %lld on\n", key, value, (long long)least);
    exit(2);
}

static void touch_nothing(const build *b) {
    myr_model_info info;
    b->model_get_info(b->model, &info);
    uint8_t *none = allocate((size_t)info.n_geoms + 1);
    must(b, b->batch_set_collision(b->batch, none));
    free(none);
}

static void read_words(plan *p, int count, char **words) {
    int bar = 1;
    while (bar < count && strcmp(words[bar], "--") != 0) bar++;
    if (count < 2 || bar == 1 || bar + 1 >= count) {
        fputs("usage: ab MODEL [KEY=VALUE ...] -- NAME=LIBRARY NAME=LIBRARY ...\n", stderr);
        exit(2);
    }
    p->model = words[1];
    for (int i = bar + 1; i < count; i++) add_build(p, words[i]);
    settings_room settings[MOST];
    for (int i = 0; i < p->n; i++) {
        settings[i] = p->builds[i].settings_default();
        must(&p->builds[i], p->builds[i].settings_set(&settings[i].known, "threads", "1"));
    }
    for (int i = 2; i < bar; i++) {
        const char *value = cut(words[i]);
        if (strcmp(words[i], "windows") == 0)
            p->windows = (int)whole(words[i], value, 1);
        else if (strcmp(words[i], "stages") == 0)
            p->stages = (int)whole(words[i], value, 0);
        else if (strcmp(words[i], "ground") == 0)
            p->ground = strcmp(value, "off") != 0;
        else if (strcmp(words[i], "envs") == 0)
            p->envs = whole(words[i], value, 1);
        else if (strcmp(words[i], "steps") == 0)
            p->steps = whole(words[i], value, 1);
        else if (strcmp(words[i], "warmup") == 0)
            p->warmup = whole(words[i], value, 0);
        else
            for (int k = 0; k < p->n; k++) must(&p->builds[k], p->builds[k].settings_set(&settings[k].known, words[i], value));
    }
    for (int i = 0; i < p->n; i++) {
        build *b = &p->builds[i];
        must(b, b->model_load(p->model, MYR_ROOT_AUTO, &b->model));
        must(b, b->batch_create(b->model, p->envs, &settings[i].known, &b->batch));
        if (!p->ground) touch_nothing(b);
        must(b, b->batch_step(b->batch, p->warmup));
        b->batch_clear_stats(b->batch);
        b->ns = allocate((size_t)p->windows);
    }
    p->settings = settings[0];
}

static void measure(plan *p) {
    const double steps = (double)p->envs * (double)p->steps;
    for (int w = 0; w < p->windows; w++)
        for (int turn = 0; turn < p->n; turn++) {
            build *b = &p->builds[(w + turn) % p->n];
            const double start = now_ns();
            must(b, b->batch_step(b->batch, p->steps));
            b->ns[w] = (now_ns() - start) / steps;
        }
}

static int order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* value[part of n], once sorted */
static double at(const double *value, int n, double part) {
    const double i = part * (n - 1);
    return value[i < 0 ? 0 : i > n - 1 ? n - 1 : (int)(i + 0.5)];
}

static const char *setting(const plan *p, const char *wanted) {
    static char text[MYR_NAME_LENGTH];
    const char *key, *doc;
    for (int i = 0; p->builds[0].settings_key(&p->settings.known, i, &key, text, &doc); i++)
        if (strcmp(key, wanted) == 0) return text;
    return "?";
}

static void report_build(const plan *p, const build *b, uint64_t hash, double *sorted) {
    const int n = p->windows;
    stats_room stats;
    b->batch_stats(b->batch, &stats);
    const myr_stats *s = &stats.known;
    memcpy(sorted, b->ns, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, order);
    printf("%-12s %8.1f %8.1f", b->name, at(sorted, n, 0.1), at(sorted, n, 0.5));
    for (int w = 0; w < n; w++) sorted[w] = b->ns[w] / p->builds[0].ns[w];
    qsort(sorted, (size_t)n, sizeof *sorted, order);
    const double apart = 0.98 / sqrt((double)n); /* ranks between which the median lies in 95 of 100 cases */
    printf("   %.3f (%.3f to %.3f)", at(sorted, n, 0.5), at(sorted, n, 0.5 - apart), at(sorted, n, 0.5 + apart));
    printf("   %5.2f %6.2f  %.1e %.1e %8lld   ", s->contacts_mean, s->iterations_mean, s->residual_p99, s->residual_max,
           (long long)s->not_converged);
    const uint64_t mine = b->batch_hash(b->batch);
    printf("%016llx %s\n", (unsigned long long)mine, mine == hash ? "equal" : "DIFFERS");
}

static void report_stages(const plan *p) {
    static const char *const names[MYR_STAGE_COUNT] = {
#define STAGE_TEXT(name) #name,
        MYR_STAGE_LIST(STAGE_TEXT)
#undef STAGE_TEXT
    };
    for (int i = 0; i < p->n && p->stages; i++) {
        stats_room stats;
        double sum = 0;
        p->builds[i].batch_stats(p->builds[i].batch, &stats);
        printf("%-12s", p->builds[i].name);
        for (int s = 0; s < MYR_STAGE_COUNT; s++) {
            printf(" %s %.1f", names[s], stats.known.stage_ns[s]);
            sum += stats.known.stage_ns[s];
        }
        printf(" | sum %.1f ns\n", sum);
    }
}

static void report(const plan *p) {
    machine_room machine = {0};
    myr_batch_info info;
    double load[3] = {0}, *sorted = allocate((size_t)p->windows);
    const build *first = &p->builds[0];
    must(first, first->machine_get(&machine));
    first->batch_get_info(first->batch, &info);
    if (getloadavg(load, 3) < 0) load[0] = load[1] = load[2] = -1;
    printf("%s, %d usable cores, load %.1f\n", machine.known.cpu, machine.known.usable_cores, load[0]);
    printf("%s, task %s, %lld environments, dt %g s; %d windows of %lld steps after %lld\n", p->model, info.task, (long long)p->envs,
           info.dt_s, p->windows, (long long)p->steps, (long long)p->warmup);
    printf("%s, f%d, threads %d, solver %s, ", info.isa, 8 * info.precision, info.threads, setting(p, "solver"));
    printf("tolerance %s [N s, m/s]\n\n", setting(p, "tolerance"));
    printf("%-12s %8s %8s   %-24s   %5s %6s  %-7s %-7s %8s   %s\n", "build", "ns p10", "ns p50", "over the first, median", "cont.",
           "sweeps", "res p99", "res max", "not conv", "state hash");
    const uint64_t hash = first->batch_hash(first->batch);
    for (int i = 0; i < p->n; i++) report_build(p, &p->builds[i], hash, sorted);
    report_stages(p);
    free(sorted);
}

int main(int argc, char **argv) {
    static plan p = {.envs = 4096, .steps = 1, .warmup = 1000, .windows = 200, .ground = 1};
    read_words(&p, argc, argv);
    measure(&p);
    report(&p);
    for (int i = 0; i < p.n; i++) {
        build *b = &p.builds[i];
        b->batch_free(b->batch);
        b->model_free(b->model);
        free(b->ns);
    }
    return 0;
}
