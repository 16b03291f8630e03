/* myriapod solve: contact problems without a robot. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "output.h"
#include "problem_line.h"
#include "trace.h"

/* A problem from a file is solved to be looked at: in double, and with sweeps enough to converge where it can. */
static const cli_assignment defaults[] = {{"precision", "f64"}, {"max-sweeps", "10000"}, {NULL, NULL}};

typedef struct solve_line {
    cli_options *options;
    problem_line problems;
    const char *json, *trace, *read; /* read: where what was read goes, and then nothing is solved */
    int normal_first;
} solve_line;

enum { KEY_JSON = CLI_OWN, KEY_TRACE, KEY_NORMAL_FIRST, KEY_PROBLEMS };

static const struct argp_option own_options[] = {
    {"json", KEY_JSON, "FILE", 0, "where the answers go (default: standard output)", 1},
    {"trace", KEY_TRACE, "FILE", 0, "residual against sweeps and time, as CSV, or as JSON where FILE ends in .json", 1},
    {"normal-first", KEY_NORMAL_FIRST, NULL, 0, "write impulses and velocities as (N, T1, T2), as Siconos and FCLib order them", 1},
    {"problems", KEY_PROBLEMS, "FILE", 0, "solve nothing: write the problems that were read, of any kind, as JSON", 1},
    {0},
};

static const char doc[] =
    "Solves w = G impulse + c under the solver's contact law for every problem in PROBLEMS: files, or folders of files."
    "\v"
    "What a file is, is found from what is in it: JSON, the text of Siconos' friction-contact problems (.dat), FCLib's HDF5. In JSON a "
    "problem is {\"id\": .., \"mu\": number or list, \"G\": [[..], ..], \"c\": [..]} in the list \"problems\"; \"g\" may stand for \"c\", "
    "\"start\" (a warm start), \"R\" (compliance) and \"order\" may join them, other keys are ignored. Per contact (x, y, z) with z the "
    "normal; G [1/kg], c [m/s].\n"
    "The answer is {\"problems\": [..]} in the same order, each with id, impulse [N s], velocity [m/s], modes (one letter per contact: "
    "o open, s stick, d slide), residual, residual_ncp (null where there is none), iterations and status (converged, stalled, iteration "
    "limit, not finite); with "
    "more than one file also the file, and R [1/kg], the compliance that the solver worked with, where there is one.\n"
    "\n"
    "Examples:\n"
    "  myriapod solve problems.json --solver bisection --tolerance 1e-9 --json out.json\n"
    "  myriapod solve Rover1039.dat Capsules.hdf5 --solver pgs --json out.json\n"
    "  myriapod solve problems.json --solver pgs --trace trace.csv --json out.json\n"
    "  myriapod solve Rover1039.dat Capsules.hdf5 --problems read.json\n"
    "\n"
    "Exit status: 0 done (also when a solve did not converge: its status says so), 1 bad input, 2 bad usage.";

static error_t parse(int key, char *argument, struct argp_state *state) {
    solve_line *line = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &line->problems;
        state->child_inputs[1] = line->options;
        return 0;
    case KEY_JSON: line->json = argument; return 0;
    case KEY_TRACE: line->trace = argument; return 0;
    case KEY_NORMAL_FIRST: line->normal_first = 1; return 0;
    case KEY_PROBLEMS: line->read = argument; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static json_t *answer(const problem_entry *problem, const myr_contact_result *result, int with_file) {
    const size_t contacts = (size_t)problem->problem.contacts, m = problem_numbers(&problem->problem);
    json_t *entry = json_object();
    if (with_file) json_object_set_new(entry, "file", cli_json_text(problem->file));
    json_object_set(entry, "id", problem->id);
    json_object_set_new(entry, "impulse", cli_json_reals(result->impulse, m));
    json_object_set_new(entry, "velocity", cli_json_reals(result->velocity, m));
    for (size_t k = 0; k < m; k++) {
        if (!(result->R[k] > 0)) continue;
        json_object_set_new(entry, "R", cli_json_reals(result->R, m));
        break;
    }
    json_object_set_new(entry, "modes", json_stringn(result->modes, contacts));
    const int solved = m > 0; /* without contacts and rows there is nothing to be wrong about: null, not a perfect 0 */
    json_object_set_new(entry, "residual", solved ? cli_json_real(result->residual) : json_null());
    json_object_set_new(entry, "residual_ncp", solved ? cli_json_real(result->residual_ncp) : json_null());
    json_object_set_new(entry, "iterations", json_integer(result->iterations));
    json_object_set_new(entry, "status", json_string(myr_solve_status_text(result->status)));
    return entry;
}

static void summarise(const char *path, const problem_set *set, const myr_contact_result *results) {
    const size_t n = set->n;
    size_t ended[MYR_NO_SOLUTION + 1] = {0};
    double worst = -1; /* of the answers that there are */
    for (size_t i = 0; i < n; i++) {
        ended[results[i].status]++;
        if (problem_numbers(&set->entry[i].problem) > 0 && results[i].status != MYR_NOT_FINITE) worst = fmax(worst, results[i].residual);
    }
    printf("%zu problem%s:", n, n == 1 ? "" : "s");
    for (int s = 0; s <= MYR_NO_SOLUTION; s++) {
        if (ended[s] || s == MYR_CONVERGED) printf("%s %zu %s", s ? "," : "", ended[s], myr_solve_status_text((myr_solve_status)s));
    }
    if (worst >= 0)
        printf(" (largest residual %.2g%s)", worst, ended[MYR_NOT_FINITE] ? " of those that are finite" : "");
    else
        fputs(" (largest residual -)", stdout);
    printf("; answers in \"%s\"\n", path);
}

static int write_answers(const solve_line *line, const problem_set *set, myr_contact_result *results, output *json) {
    int bad = fputs("{\"problems\": [", json->file) == EOF;
    for (size_t i = 0; i < set->n && !bad; i++) {
        const size_t contacts = (size_t)set->entry[i].problem.contacts;
        if (line->normal_first) {
            problem_normal_first(results[i].impulse, contacts);
            problem_normal_first(results[i].velocity, contacts);
            problem_normal_first(results[i].R, contacts);
        }
        json_t *entry = answer(&set->entry[i], &results[i], set->n_files > 1);
        fputs(i ? ",\n" : "\n", json->file);
        bad = json_dumpf(entry, json->file, CLI_JSON_LINE) != 0;
        json_decref(entry);
    }
    bad |= fputs("\n]}\n", json->file) == EOF;
    return bad ? cli_error("cannot write \"%s\"", json->path) : CLI_OK;
}

static int solve(const solve_line *line, const myr_settings *settings, output *json, output *trace) {
    const problem_set *set = &line->problems.set;
    myr_contact_result *results = problem_results(set);
    int status = CLI_OK;
    for (size_t i = 0; i < set->n && trace->path && status == CLI_OK; i++)
        if (problem_is_large(&set->entry[i]))
            status = cli_error("--trace: problem %s has %d contacts; traces are of dense problems, of at most --max-contacts",
                               cli_json_quote(set->entry[i].id).text, set->entry[i].problem.contacts);
    if (status == CLI_OK) status = problem_solve(set, settings, results);
    if (status == CLI_OK && trace->path) status = trace_write(set, settings, trace);
    if (status == CLI_OK) status = write_answers(line, set, results, json);
    const char *path = json->file != stdout ? json->path : NULL;
    if (status == CLI_OK && (output_commit(trace) || output_commit(json))) status = CLI_BAD_INPUT;
    if (status == CLI_OK && path) summarise(path, set, results);
    problem_results_free(results, set->n);
    return status;
}

/* The solvers' settings, and threads: large problems are solved side by side. */
static const char *const *keys(void) {
    static const char *all[256];
    size_t n = 0;
    for (const char *const *key = problem_line_keys(); *key; key++) all[n++] = *key;
    all[n] = "threads";
    return all;
}

static int write_problems(const problem_set *set, output *out) {
    if (problems_write(set, out->file)) return cli_error("cannot write \"%s\"", out->path);
    const char *path = out->file != stdout ? out->path : NULL;
    if (output_commit(out)) return CLI_BAD_INPUT;
    if (path) printf("%zu problem%s read; in \"%s\"\n", set->n, set->n == 1 ? "" : "s", path);
    return CLI_OK;
}

int cli_solve(int argc, char **argv) {
    cli_options options = {.first = keys(), .only_first = 1, .defaults = defaults};
    cli_options_begin(&options, argc);
    const struct argp_child children[] = {{&problem_line_argp, 0, NULL, 0}, {&options.argp, 0, NULL, 0}, {0}};
    const struct argp argp = {own_options, parse, "PROBLEMS...", doc, children, NULL, NULL};
    solve_line line = {.options = &options};
    problem_line_begin(&line.problems, argc);
    cli_parse(&argp, argc, argv, &line);

    myr_settings settings;
    output json = {0}, trace = {0};
    int status = cli_options_resolve(&options, &settings);
    if (status == CLI_OK && line.read && (line.json || line.trace || line.normal_first))
        status = cli_usage("--problems solves nothing: --json, --trace and --normal-first have no place beside it");
    const char *answers = line.json ? line.json : "-";
    if (status == CLI_OK && (output_open(&json, line.read ? line.read : answers) || output_open(&trace, line.trace)))
        status = CLI_BAD_INPUT;
    if (status == CLI_OK && output_same(&json, &trace)) status = cli_usage("--json and --trace name the same file \"%s\"", line.json);
    if (status == CLI_OK) problem_line_large(&line.problems, settings.solver);
    if (line.read) line.problems.set.large = 1; /* nothing is solved: no solver has to take them */
    if (status == CLI_OK) status = problem_line_load(&line.problems);
    if (status == CLI_OK) status = line.read ? write_problems(&line.problems.set, &json) : solve(&line, &settings, &json, &trace);
    problem_line_end(&line.problems);
    output_discard(&json);
    output_discard(&trace);
    cli_options_end(&options);
    return status;
}
