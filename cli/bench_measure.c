/* The measuring of `bench`: batches that start from the same states, stepped in windows until their time is over. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "numbers.h"
#include "progress.h"

/* A window is a twentieth of a figure's time, and there are three at least. Long calls have 32 steps at least: fewer would measure the way
 * of a tile from memory, which the calls of one step are for. SETTLE steps go before the clock starts: pool threads are made in them, and
 * tiles come to their caches. */
enum { WINDOWS = 20, FEWEST_WINDOWS = 3, LONG_STEPS = 32, SETTLE = 16, TILES_EACH = 16, MOST_STEPS = 1000000 };

/* States of warmed-up robots, to be given to batches of any size. */
typedef struct states {
    int64_t n;
    size_t bytes; /* of one */
    char *data;
} states;

int64_t bench_tiles(const bench_robot *robot, int64_t envs) { return (envs - 1) / robot->lanes + 1; }

double bench_balance(int64_t tiles, int threads) {
    const int64_t busiest = (tiles - 1) / threads + 1;
    return (double)tiles / ((double)busiest * threads);
}

double bench_speedup(const bench_robot *robot, int row) { return robot->row[row].figure.rate / robot->row[0].figure.rate; }

double bench_efficiency(const bench_robot *robot, int row) {
    return bench_speedup(robot, row) * robot->row[0].figure.threads / robot->row[row].figure.threads;
}

int bench_same_bits(const bench_robot *robot) {
    for (int i = 1; i < robot->n_rows; i++)
        if (robot->row[i].state_hash != robot->row[0].state_hash) return 0;
    return 1;
}

/* ---- progress ------------------------------------------------------------------------------------ */

static int all_figures(const bench_plan *plan) { return plan->n_robots * (1 + plan->threads.n + 4 * plan->sizes.n); }

/* `part`: of the figure that is being measured. */
static void show(const bench_plan *plan, const bench_robot *robot, const char *what, double part) {
    char label[96];
    snprintf(label, sizeof label, "%.40s, %s", robot->name, what);
    progress_show(label, 1000 * plan->figures_done + (int64_t)(1000 * (part < 1 ? part : 1)), 1000 * (int64_t)all_figures(plan),
                  plan->start_s);
}

/* ---- one figure ---------------------------------------------------------------------------------- */

static double timed(myr_batch *batch, int64_t calls, int64_t steps, myr_status *status) {
    const double start_s = progress_now();
    for (int64_t i = 0; i < calls && *status == MYR_OK; i++) *status = myr_batch_step(batch, steps);
    return progress_now() - start_s;
}

static int64_t between(double value, int64_t low, int64_t high) {
    return value < (double)low ? low : value > (double)high ? high : (int64_t)value;
}

/* Calls and steps of a window, from the time that some take now. steps 0: long calls, of as many as fit a window. */
static myr_status choose_window(myr_batch *batch, const bench_plan *plan, int64_t steps, bench_figure *f) {
    const double window_s = plan->seconds / WINDOWS;
    myr_status status = MYR_OK;
    timed(batch, 1, SETTLE, &status);
    const double settled_s = timed(batch, steps ? SETTLE : 1, steps ? steps : SETTLE, &status) / SETTLE + 1e-9;
    f->calls = steps ? between(window_s / settled_s, 1, MOST_STEPS) : 1;
    f->steps = steps ? steps : plan->steps ? plan->steps : between(window_s / settled_s, LONG_STEPS, MOST_STEPS);
    return status;
}

/* The windows' times become figures. Each window is as many robot-steps, but for robots in quarantine: those that the library counted. */
static void conclude(const myr_batch *batch, double *window_s, bench_figure *f, myr_stats *stats) {
    myr_batch_info info;
    myr_batch_get_info(batch, &info);
    myr_batch_stats(batch, stats);
    f->threads = info.threads;
    f->robot_steps = (double)stats->robot_steps;
    const double window = f->robot_steps / (double)f->windows;
    qsort(window_s, (size_t)f->windows, sizeof *window_s, cli_ascending);
    const double p10_s = window_s[(f->windows - 1) / 10];
    f->rate = f->robot_steps > 0 ? f->robot_steps / f->wall_s : (double)NAN;
    f->ns = f->robot_steps > 0 ? 1e9 * f->wall_s * f->threads / f->robot_steps : (double)NAN;
    f->ns_p10 = f->robot_steps > 0 ? 1e9 * p10_s * f->threads / window : (double)NAN;
    f->call_us = 1e6 * f->wall_s / (double)(f->windows * f->calls);
    f->call_us_p10 = 1e6 * p10_s / (double)f->calls;
}

/* steps 0: long calls. */
static int measure(bench_plan *plan, const bench_robot *robot, const char *what, myr_batch *batch, int64_t steps, bench_figure *f,
                   myr_stats *stats) {
    *f = (bench_figure){0};
    int64_t room = 4 * WINDOWS;
    double *window_s = cli_allocate((size_t)room, sizeof *window_s);
    show(plan, robot, what, 0);
    myr_status status = choose_window(batch, plan, steps, f);
    myr_batch_clear_stats(batch);
    while (status == MYR_OK && !progress_interrupted() && (f->windows < FEWEST_WINDOWS || f->wall_s < plan->seconds)) {
        if (f->windows == room) {
            room *= 2;
            double *more = realloc(window_s, (size_t)room * sizeof *window_s);
            if (!more) exit(cli_error("out of memory"));
            window_s = more;
        }
        const double s = timed(batch, f->calls, f->steps, &status);
        window_s[f->windows++] = s;
        f->wall_s += s;
        show(plan, robot, what, f->wall_s / plan->seconds);
    }
    if (f->windows > 0) conclude(batch, window_s, f, stats);
    free(window_s);
    plan->figures_done++;
    return status == MYR_OK ? CLI_OK : cli_error("%s", myr_message());
}

/* ---- batches ------------------------------------------------------------------------------------- */

static int make_batch(const bench_robot *robot, int64_t envs, int64_t threads, myr_batch **batch) {
    myr_settings settings = robot->settings;
    settings.threads = threads;
    return myr_batch_create(robot->model, envs, &settings, batch) == MYR_OK ? CLI_OK : cli_error("%s: %s", robot->name, myr_message());
}

/* Environment i takes state i modulo their number. */
static int put_states(myr_batch *batch, int64_t envs, const states *from) {
    int64_t *ids = cli_allocate((size_t)from->n, sizeof *ids);
    myr_status status = MYR_OK;
    for (int64_t first = 0; first < envs && status == MYR_OK; first += from->n) {
        const int64_t n = envs - first < from->n ? envs - first : from->n;
        for (int64_t i = 0; i < n; i++) ids[i] = first + i;
        status = myr_batch_set_state(batch, ids, n, from->data);
    }
    free(ids);
    return status == MYR_OK ? CLI_OK : cli_error("%s", myr_message());
}

/* What the robot is in a batch, found before anything is measured: a mistake in the second robot should not cost the time of the first. */
static int look(bench_plan *plan, bench_robot *robot) {
    myr_batch *batch = NULL;
    const int status = make_batch(robot, 1, 1, &batch);
    if (status != CLI_OK) return status;
    myr_batch_info info;
    myr_batch_get_info(batch, &info);
    for (int i = 0; myr_batch_warning(batch, i); i++) cli_warning("%s", myr_batch_warning(batch, i));
    snprintf(robot->task, sizeof robot->task, "%s", info.task);
    snprintf(robot->isa, sizeof robot->isa, "%s", info.isa);
    robot->lanes = info.lanes;
    robot->dt_s = info.dt_s;
    /* so many that all workers have the same number of tiles, and several */
    const int64_t unit = plan->threads.value[plan->threads.n - 1] * info.lanes * TILES_EACH, usual = plan->settings.envs;
    robot->envs = plan->envs ? plan->envs : (usual + unit - 1) / unit * unit;
    myr_batch_free(batch);
    return CLI_OK;
}

/* By all threads, once: states are the same for any number of them. */
static int warm_up(bench_plan *plan, bench_robot *robot, states *warm) {
    myr_batch *batch = NULL;
    int status = make_batch(robot, robot->envs, plan->threads.value[plan->threads.n - 1], &batch);
    if (status != CLI_OK) return status;
    for (int64_t done = 0; done < plan->settings.warmup && status == CLI_OK && !progress_interrupted(); done += SETTLE) {
        const int64_t left = plan->settings.warmup - done;
        show(plan, robot, "warm-up", (double)done / (double)plan->settings.warmup);
        if (myr_batch_step(batch, left < SETTLE ? left : SETTLE) != MYR_OK) status = cli_error("%s", myr_message());
    }
    plan->figures_done++;
    myr_batch_info info;
    myr_batch_get_info(batch, &info);
    robot->bytes_per_env = info.bytes_per_env;
    *warm = (states){.n = robot->envs, .bytes = myr_batch_state_bytes(batch)};
    warm->data = cli_allocate((size_t)warm->n, warm->bytes);
    if (status == CLI_OK && myr_batch_get_state(batch, NULL, warm->n, warm->data) != MYR_OK) status = cli_error("%s", myr_message());
    myr_batch_free(batch);
    return status;
}

/* ---- the tables ---------------------------------------------------------------------------------- */

static int measure_row(bench_plan *plan, bench_robot *robot, int64_t threads, const states *warm) {
    char what[32];
    snprintf(what, sizeof what, "%lld thread%s", (long long)threads, threads == 1 ? "" : "s");
    bench_row *row = &robot->row[robot->n_rows];
    myr_batch *batch = NULL;
    int status = make_batch(robot, robot->envs, threads, &batch);
    if (status == CLI_OK) status = put_states(batch, robot->envs, warm);
    if (status == CLI_OK && myr_batch_step(batch, SETTLE) != MYR_OK) status = cli_error("%s", myr_message());
    if (status == CLI_OK) {
        row->state_hash = myr_batch_hash(batch);
        status = measure(plan, robot, what, batch, 0, &row->figure, &row->stats);
    }
    if (status == CLI_OK && row->figure.windows > 0) {
        myr_batch_info info;
        myr_batch_get_info(batch, &info);
        row->n_cpus = info.n_cpus;
        row->cpus = cli_allocate((size_t)info.n_cpus, sizeof *row->cpus);
        memcpy(row->cpus, info.cpus, (size_t)info.n_cpus * sizeof *row->cpus);
        robot->n_rows++;
    }
    myr_batch_free(batch);
    return status;
}

static int measure_size(bench_plan *plan, bench_robot *robot, int64_t envs, int64_t threads, const states *warm) {
    char what[64];
    snprintf(what, sizeof what, "%lld robots on %lld", (long long)envs, (long long)threads);
    bench_size *size = &robot->sizes[robot->n_sizes];
    myr_batch *batch = NULL;
    myr_batch_info info;
    myr_stats stats;
    int status = make_batch(robot, envs, threads, &batch);
    if (status == CLI_OK) status = put_states(batch, envs, warm);
    if (status == CLI_OK) status = measure(plan, robot, what, batch, 1, &size->one, &stats);
    if (status == CLI_OK) status = measure(plan, robot, what, batch, 0, &size->longer, &stats);
    if (status == CLI_OK && size->longer.windows > 0) {
        myr_batch_get_info(batch, &info);
        size->envs = envs;
        size->bytes = info.bytes;
        robot->n_sizes++;
    }
    myr_batch_free(batch);
    return status;
}

/* Each size by the fewest and the most threads; a worker without a tile would only be waited for. */
static int measure_sizes(bench_plan *plan, bench_robot *robot, const states *warm) {
    const int64_t fewest = plan->threads.value[0], most = plan->threads.value[plan->threads.n - 1];
    int status = CLI_OK;
    for (int i = 0; i < plan->sizes.n && status == CLI_OK && !progress_interrupted(); i++) {
        const int64_t envs = plan->sizes.value[i], tiles = bench_tiles(robot, envs);
        const int64_t few = tiles < fewest ? tiles : fewest, many = tiles < most ? tiles : most;
        status = measure_size(plan, robot, envs, few, warm);
        if (status == CLI_OK && many > few && !progress_interrupted())
            status = measure_size(plan, robot, envs, many, warm);
        else
            plan->figures_done += 2;
    }
    return status;
}

static int measure_robot(bench_plan *plan, bench_robot *robot) {
    states warm = {0};
    int status = warm_up(plan, robot, &warm);
    for (int i = 0; i < plan->threads.n && status == CLI_OK && !progress_interrupted(); i++)
        status = measure_row(plan, robot, plan->threads.value[i], &warm);
    if (status == CLI_OK) status = measure_sizes(plan, robot, &warm);
    free(warm.data);
    return status;
}

int bench_measure(bench_plan *plan) {
    int status = CLI_OK;
    for (int i = 0; i < plan->n_robots && status == CLI_OK; i++) status = look(plan, &plan->robot[i]);
    plan->start_s = progress_now();
    progress_begin();
    for (int i = 0; i < plan->n_robots && status == CLI_OK && !progress_interrupted(); i++) status = measure_robot(plan, &plan->robot[i]);
    progress_end();
    plan->interrupted = progress_interrupted();
    plan->end_s = progress_now();
    progress_show("bench", 1, 1, plan->start_s); /* clears the bar */
    if (plan->interrupted) cli_warning("interrupted: what was not measured yet is left out");
    return status;
}
