/* The figures of `bench`, for programs. Keys end in their unit where they have one; docs/program.md lists them. */
#include "bench.h"

#include <inttypes.h>

#include "json.h"

typedef struct pair {
    const char *key;
    json_t *value;
} pair;

static json_t *object(const pair *pairs, size_t n) {
    json_t *out = json_object();
    for (size_t i = 0; i < n; i++) json_object_set_new(out, pairs[i].key, pairs[i].value);
    return out;
}

#define OBJECT(...) object((const pair[]){__VA_ARGS__}, sizeof((const pair[]){__VA_ARGS__}) / sizeof(pair))

static json_t *number(int64_t value) { return json_integer((json_int_t)value); }

static json_t *machine_json(const bench_plan *plan) {
    const myr_machine *m = &plan->machine;
    return OBJECT({"cpu", cli_json_text(m->cpu)}, {"packages", number(m->packages)}, {"numa_nodes", number(m->numa_nodes)},
                  {"cores", number(m->cores)}, {"logical", number(m->logical)}, {"usable_cores", number(m->usable_cores)},
                  {"usable", number(m->usable)}, {"l1d_bytes", number(m->l1d_bytes)}, {"l2_bytes", number(m->l2_bytes)},
                  {"l3_bytes", number(m->l3_bytes)}, {"isa", json_string(m->isa)}, {"isa_why", cli_json_text(m->why)},
                  {"load_before", cli_json_real(plan->load)}, {"large_pages", cli_json_text(plan->large_pages)});
}

/* Every key as a flag would have it. */
static json_t *settings_json(const myr_settings *settings) {
    json_t *out = json_object();
    const char *key;
    char value[MYR_NAME_LENGTH];
    for (int i = 0; myr_settings_key(settings, i, &key, value, NULL); i++) json_object_set_new(out, key, cli_json_text(value));
    return out;
}

static json_t *figure_json(const bench_figure *f) {
    return OBJECT({"threads", number(f->threads)}, {"windows", number(f->windows)}, {"calls_per_window", number(f->calls)},
                  {"steps_per_call", number(f->steps)}, {"robot_steps", number((int64_t)f->robot_steps)},
                  {"wall_s", cli_json_real(f->wall_s)}, {"robot_steps_per_s", cli_json_real(f->rate)},
                  {"ns_per_robot_step_core", cli_json_real(f->ns)}, {"ns_per_robot_step_core_p10", cli_json_real(f->ns_p10)},
                  {"us_per_call", cli_json_real(f->call_us)}, {"us_per_call_p10", cli_json_real(f->call_us_p10)});
}

static json_t *row_json(const bench_robot *robot, int i) {
    const bench_row *row = &robot->row[i];
    const myr_stats *s = &row->stats;
    json_t *stages = json_object(), *cpus = json_array();
    for (int k = 0; k < MYR_STAGE_COUNT; k++) json_object_set_new(stages, myr_stage_name(k), cli_json_real(s->stage_ns[k]));
    for (int k = 0; k < row->n_cpus; k++) json_array_append_new(cpus, number(row->cpus[k]));
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, row->state_hash);
    json_t *out = figure_json(&row->figure);
    json_t *more = OBJECT(
        {"cpus", cpus}, {"speedup", cli_json_real(bench_speedup(robot, i))}, {"efficiency", cli_json_real(bench_efficiency(robot, i))},
        {"balance", cli_json_real(bench_balance(bench_tiles(robot, robot->envs), row->figure.threads))}, {"stage_ns", stages},
        {"contacts_mean", cli_json_real(s->contacts_mean)}, {"iterations_mean", cli_json_real(s->iterations_mean)},
        {"iterations_p99", number(s->iterations_p99)}, {"iterations_max", number(s->iterations_max)},
        {"residual_p99", cli_json_real(s->residual_p99)}, {"residual_ncp_p99", cli_json_real(s->residual_ncp_p99)},
        {"solves", number(s->active_steps)}, {"not_converged", number(s->not_converged)}, {"quarantined", number(s->quarantined)},
        {"state_hash", json_string(hash)});
    json_object_update(out, more);
    json_decref(more);
    return out;
}

static json_t *size_json(const bench_robot *robot, const bench_size *s) {
    const int64_t tiles = bench_tiles(robot, s->envs);
    return OBJECT({"envs", number(s->envs)}, {"threads", number(s->one.threads)}, {"bytes", number((int64_t)s->bytes)},
                  {"tiles", number(tiles)}, {"balance", cli_json_real(bench_balance(tiles, s->one.threads))},
                  {"one_step", figure_json(&s->one)}, {"long_call", figure_json(&s->longer)});
}

static json_t *robot_json(const bench_robot *robot) {
    json_t *rows = json_array(), *sizes = json_array();
    for (int i = 0; i < robot->n_rows; i++) json_array_append_new(rows, row_json(robot, i));
    for (int i = 0; i < robot->n_sizes; i++) json_array_append_new(sizes, size_json(robot, &robot->sizes[i]));
    return OBJECT({"model", cli_json_text(robot->name)}, {"task", json_string(robot->task)}, {"nq", number(robot->size.nq)},
                  {"nv", number(robot->size.nv)}, {"slots", number(robot->size.n_slots)}, {"dt_s", cli_json_real(robot->dt_s)},
                  {"precision", json_string(robot->settings.precision)}, {"isa", json_string(robot->isa)},
                  {"dynamics", json_string(robot->settings.dynamics)}, {"solver", json_string(robot->settings.solver)},
                  {"tolerance", cli_json_real(robot->settings.tolerance)}, {"lanes", number(robot->lanes)},
                  {"bytes_per_env", cli_json_real(robot->bytes_per_env)}, {"envs", number(robot->envs)},
                  {"tiles", number(bench_tiles(robot, robot->envs))}, {"same_bits", json_boolean(bench_same_bits(robot))},
                  {"threads", rows}, {"sizes", sizes}, {"settings", settings_json(&robot->settings)});
}

/* What the endings of keys mean, so that the file explains itself. */
static json_t *units_json(void) {
    return OBJECT(
        {"*_s", json_string("s")}, {"*_bytes", json_string("B")}, {"robot_steps_per_s", json_string("robot-steps/s, all threads")},
        {"ns_per_robot_step_core*", json_string("ns of wall time x threads / robot-steps")},
        {"us_per_call*", json_string("microseconds of wall time")}, {"*_p10", json_string("of windows: the fastest tenth is below")},
        {"stage_ns", json_string("ns per robot-step and core, from one step in 16")},
        {"speedup", json_string("rate over that of the first row")}, {"efficiency", json_string("speedup by threads, 1 = 100 %")},
        {"balance", json_string("share of the workers' time that the tiles can fill, 1 = 100 %")}, {"residual*", json_string("N s, m/s")},
        {"load_before", json_string("processes, mean of the minute before")});
}

json_t *bench_json(const bench_plan *plan) {
    json_t *robots = json_array();
    for (int i = 0; i < plan->n_robots; i++) json_array_append_new(robots, robot_json(&plan->robot[i]));
    return OBJECT({"bench", number(1)}, {"version", json_string(myr_version())}, {"math", json_string(myr_math_version())},
                  {"complete", json_boolean(!plan->interrupted)}, {"profile", cli_json_text(plan->profile)},
                  {"seconds_per_figure", cli_json_real(plan->seconds)}, {"wall_s", cli_json_real(plan->end_s - plan->start_s)},
                  {"units", units_json()}, {"machine", machine_json(plan)}, {"robots", robots});
}
