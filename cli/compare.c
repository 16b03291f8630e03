/* myriapod compare: the same contact problems, solved by many solvers. */
#include "compare.h"

#include <stdlib.h>
#include <string.h>

#include "../base/nearest.h"
#include "cli.h"
#include "copies.h"
#include "json.h"
#include "problem_line.h"
#include "progress.h"

static const cli_assignment defaults[] = {{"precision", "f64"}, {"max-sweeps", "10000"}, {"tolerance", "1e-6"}, {NULL, NULL}};

typedef struct compare_line {
    cli_options *options;
    problem_line problems;
    const char *solvers, *accuracies, *json, *csv, *plots, *format;
    int repeats;
} compare_line;

enum { KEY_JSON = CLI_OWN, KEY_CSV, KEY_PLOTS, KEY_FORMAT, KEY_SOLVERS, KEY_ACCURACIES, KEY_REPEAT };

static struct argp_option own_options[] = {
    {"solvers", KEY_SOLVERS, "LIST", 0, NULL, 1}, /* its words are written from the table of solvers */
    {"accuracies", KEY_ACCURACIES, "LIST", 0, "residuals to reach, scale-free (default 1e-2,1e-4,1e-6,1e-8); the tolerance joins them", 1},
    {"repeat", KEY_REPEAT, "N", 0, "solves of a problem, of which the fastest counts (default 3)", 1},
    {"json", KEY_JSON, "FILE", 0,
     "write all figures and the performance profiles as JSON; - is standard output (the table then goes to stderr)", 1},
    {"csv", KEY_CSV, "FILE", 0, "write a row per problem, solver and tolerance", 1},
    {"plots", KEY_PLOTS, "FOLDER", 0, "write data, gnuplot scripts and pictures there", 1},
    {"plot-format", KEY_FORMAT, "svg|png", 0, "of the pictures (default svg)", 1},
    {0},
};

static const char doc[] =
    "Solves every problem in PROBLEMS (files or folders, as `solve` reads them) with every solver to a set of accuracies, and says how "
    "many were "
    "solved, in how many sweeps and how much time, how the rest ended, and which solver was how often how near to the best."
    "\v"
    "A time is that of a tile with a copy of the problem in every lane, divided by the lanes. `set as it is` is the throughput of the "
    "whole set "
    "on one core, with different problems side by side. `own` counts by the residual of the solver's own model, `ncp` by that of the full "
    "law.\n"
    "\n"
    "Examples:\n"
    "  myriapod compare problems.json\n"
    "  myriapod compare met.json --solvers bisection,pgs --tolerance 1e-8 --plots plots --csv runs.csv\n"
    "\n"
    "Exit status: 0 done, 1 bad input or an output that cannot be written, 2 bad usage.";

static error_t parse(int key, char *argument, struct argp_state *state) {
    compare_line *line = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &line->problems;
        state->child_inputs[1] = line->options;
        return 0;
    case KEY_JSON: line->json = argument; return 0;
    case KEY_CSV: line->csv = argument; return 0;
    case KEY_PLOTS: line->plots = argument; return 0;
    case KEY_SOLVERS: line->solvers = argument; return 0;
    case KEY_ACCURACIES: line->accuracies = argument; return 0;
    case KEY_FORMAT:
        line->format = argument;
        if (strcmp(argument, "svg") != 0 && strcmp(argument, "png") != 0)
            exit(cli_usage("--plot-format is \"%s\", neither svg nor png", argument));
        return 0;
    case KEY_REPEAT: {
        char *end;
        const long n = strtol(argument, &end, 10);
        if (end == argument || *end || n < 1 || n > 1000) exit(cli_usage("--repeat is \"%s\"; it may be 1 to 1000", argument));
        line->repeats = (int)n;
        return 0;
    }
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- what to compare ---------------------------------------------------------------------------- */

/* The next word of a list, of at most 63 letters; NULL at its end. */
static const char *next_word(const char **list, char word[MYR_NAME_LENGTH]) {
    if (!**list) return NULL;
    const size_t n = strcspn(*list, ","), kept = n < MYR_NAME_LENGTH ? n : MYR_NAME_LENGTH - 1;
    memcpy(word, *list, kept);
    word[kept] = '\0';
    *list += n + ((*list)[n] == ',');
    return word;
}

static int add_solver(comparison *c, const char *wanted) {
    myr_settings present = myr_settings_default(); /* it knows the names that solvers had before */
    const char *name = myr_settings_set(&present, "solver", wanted) == MYR_OK ? present.solver : wanted;
    if (name != wanted && myr_settings_note()[0]) cli_warning("%s", myr_settings_note());
    const char *names[COMPARE_SOLVERS];
    int n = 0;
    for (; n < COMPARE_SOLVERS && myr_solver_name(n); n++) names[n] = myr_solver_name(n);
    for (int i = 0; i < c->n_solvers; i++)
        if (strcmp(c->solver[i], name) == 0) return cli_usage("--solvers names \"%s\" twice", name);
    for (int i = 0; i < n; i++) {
        if (strcmp(names[i], name) != 0) continue;
        c->solver[c->n_solvers] = names[i];
        c->model[c->n_solvers++] = myr_solver_model(i);
        return CLI_OK;
    }
    const char *nearest = myr_nearest(name, names, (size_t)n);
    if (nearest)
        return cli_usage("--solvers: there is no solver \"%s\"; did you mean \"%s\"? There are %s", name, nearest, cli_solver_names());
    return cli_usage("--solvers: there is no solver \"%s\"; there are %s", name, cli_solver_names());
}

static int choose_solvers(comparison *c, const char *list) {
    char word[MYR_NAME_LENGTH];
    if (strcmp(list, "all") == 0) {
        for (int i = 0; i < COMPARE_SOLVERS && myr_solver_name(i); i++) add_solver(c, myr_solver_name(i));
        return CLI_OK;
    }
    while (next_word(&list, word)) {
        const int status = add_solver(c, word);
        if (status != CLI_OK) return status;
    }
    return c->n_solvers ? CLI_OK : cli_usage("--solvers names none");
}

static int looser(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

static int choose_accuracies(comparison *c, const char *list) {
    char word[MYR_NAME_LENGTH];
    c->accuracy[c->n_accuracies++] = c->settings.tolerance;
    while (next_word(&list, word)) {
        char *end;
        const double value = strtod(word, &end);
        if (end == word || *end || !(value > 0 && value < 1))
            return cli_usage("--accuracies: \"%s\" is not a number between 0 and 1", word);
        int known = 0;
        for (int i = 0; i < c->n_accuracies; i++) known = known || c->accuracy[i] == value;
        if (known) continue;
        if (c->n_accuracies == COMPARE_ACCURACIES) return cli_usage("--accuracies: more than %d with the tolerance", COMPARE_ACCURACIES);
        c->accuracy[c->n_accuracies++] = value;
    }
    qsort(c->accuracy, (size_t)c->n_accuracies, sizeof *c->accuracy, looser);
    while (c->accuracy[c->chosen] != c->settings.tolerance) c->chosen++;
    return CLI_OK;
}

/* Problems without contacts and rows have nothing to compare. */
static int choose_problems(comparison *c) {
    c->problem = cli_allocate(c->set->n, sizeof *c->problem);
    for (size_t i = 0; i < c->set->n; i++)
        if (problem_numbers(&c->set->entry[i].problem) > 0) c->problem[c->n++] = i;
    if (c->n < c->set->n) cli_warning("%zu of %zu problems have no contacts or rows and are left out", c->set->n - c->n, c->set->n);
    return c->n ? CLI_OK : cli_error("there is no problem with contacts or rows to compare solvers on");
}

/* ---- measuring ---------------------------------------------------------------------------------- */

static myr_settings settings_of(const comparison *c, int solver, double tolerance) {
    myr_settings settings = c->settings;
    settings.tolerance = tolerance;
    myr_settings_set(&settings, "solver", c->solver[solver]);
    return settings;
}

static size_t most_numbers(const comparison *c) {
    size_t most = 0;
    for (size_t i = 0; i < c->n; i++) {
        const size_t m = problem_numbers(&c->set->entry[c->problem[i]].problem);
        most = m > most ? m : most;
    }
    return most;
}

static int measure_alone(comparison *c) {
    const int64_t total = (int64_t)c->n * c->n_solvers * c->n_accuracies;
    const double start_s = progress_now();
    int64_t done = 0;
    myr_status status = MYR_OK;
    copies tile;
    copies_open(&tile, &c->settings, most_numbers(c));
    for (size_t i = 0; i < c->n && status == MYR_OK && !progress_interrupted(); i++)
        for (int s = 0; s < c->n_solvers && status == MYR_OK; s++)
            for (int a = 0; a < c->n_accuracies && status == MYR_OK; a++) {
                const myr_settings settings = settings_of(c, s, c->accuracy[a]);
                myr_contact_result r;
                progress_show(c->solver[s], done++, total, start_s);
                status = copies_solve(&tile, &c->set->entry[c->problem[i]].problem, &settings, c->repeats, &r);
                if (status != MYR_OK) break;
                c->cell[((size_t)s * c->n + i) * (size_t)c->n_accuracies + (size_t)a] = (compare_cell){.iterations = r.iterations,
                                                                                                       .solve_s = r.solve_s,
                                                                                                       .residual = r.residual,
                                                                                                       .residual_ncp = r.residual_ncp,
                                                                                                       .status = r.status};
            }
    progress_show("", total, total, start_s);
    copies_close(&tile);
    if (status != MYR_OK) return cli_error("%s", myr_message());
    return progress_interrupted() ? cli_error("interrupted: nothing was written") : CLI_OK;
}

/* Different problems side by side, as a simulation has them: a tile takes as long as its slowest lane. */
static int measure_together(comparison *c) {
    myr_contact_problem *problems = problem_array(c->set);
    myr_contact_result *results = problem_results(c->set);
    int status = CLI_OK;
    for (int s = 0; s < c->n_solvers && status == CLI_OK; s++) {
        const myr_settings settings = settings_of(c, s, c->settings.tolerance);
        double best_s = 0;
        for (int k = 0; k < c->repeats && status == CLI_OK; k++) {
            double sum_s = 0;
            if (myr_solve_contacts(problems, (int64_t)c->set->n, &settings, results) != MYR_OK) status = cli_error("%s", myr_message());
            for (size_t i = 0; i < c->n; i++) sum_s += results[c->problem[i]].solve_s;
            if (k == 0 || sum_s < best_s) best_s = sum_s;
        }
        c->per_second[s] = best_s > 0 ? (double)c->n / best_s : 0;
    }
    problem_results_free(results, c->set->n);
    free(problems);
    return status;
}

static int write_json(const comparison *c, const output *json) {
    json_t *root = compare_json(c);
    const int bad = json_dumpf(root, json->file, CLI_JSON_PAGE) != 0 || fputc('\n', json->file) == EOF;
    json_decref(root);
    return bad ? cli_error("cannot write \"%s\"", json->path) : CLI_OK;
}

/* What `auto` is here. */
static void resolve_isa(myr_settings *settings) {
    myr_machine machine;
    if (strcmp(settings->isa, "auto") == 0 && myr_machine_get(&machine) == MYR_OK) myr_settings_set(settings, "isa", machine.isa);
}

static int compare(const compare_line *line, comparison *c, output *json, output *csv) {
    int status = choose_problems(c);
    if (status != CLI_OK) return status;
    if (line->plots && compare_plots_open(line->plots)) return CLI_BAD_INPUT;
    resolve_isa(&c->settings);
    c->cell = cli_allocate((size_t)c->n_solvers * c->n * (size_t)c->n_accuracies, sizeof *c->cell);
    progress_begin();
    status = measure_alone(c);
    progress_end();
    if (status == CLI_OK) status = measure_together(c);
    if (status != CLI_OK) return status;
    compare_print(c, json->file == stdout ? stderr : stdout);
    if (json->path) status = write_json(c, json);
    if (status == CLI_OK && csv->path && compare_csv(c, csv->file)) status = cli_error("cannot write \"%s\"", csv->path);
    if (status == CLI_OK && line->plots) status = compare_plots(c, line->plots, line->format);
    if (status == CLI_OK && (output_commit(json) || output_commit(csv))) status = CLI_BAD_INPUT;
    return status;
}

/* The solvers' settings but which solver: that is --solvers here. */
static const char *const *keys(void) {
    static const char *rest[256];
    size_t n = 0;
    for (const char *const *key = problem_line_keys(); *key; key++)
        if (strcmp(*key, "solver") != 0) rest[n++] = *key;
    return rest;
}

int cli_compare(int argc, char **argv) {
    static char solvers_doc[1200];
    snprintf(solvers_doc, sizeof solvers_doc, "names with commas between them, or all (default): %s", cli_solver_names());
    own_options[0].doc = solvers_doc;
    cli_options options = {.first = keys(), .only_first = 1, .defaults = defaults};
    cli_options_begin(&options, argc);
    const struct argp_child children[] = {{&problem_line_argp, 0, NULL, 0}, {&options.argp, 0, NULL, 0}, {0}};
    const struct argp argp = {own_options, parse, "PROBLEMS...", doc, children, NULL, NULL};
    compare_line line = {.options = &options, .solvers = "all", .accuracies = "1e-2,1e-4,1e-6,1e-8", .format = "svg", .repeats = 3};
    problem_line_begin(&line.problems, argc);
    cli_parse(&argp, argc, argv, &line);

    line.problems.set.why_not = "; compare has solvers for dense problems alone, solve also takes larger ones";
    comparison c = {.set = &line.problems.set, .repeats = line.repeats};
    output json = {0}, csv = {0};
    int status = cli_options_resolve(&options, &c.settings);
    if (status == CLI_OK) status = choose_solvers(&c, line.solvers);
    if (status == CLI_OK) status = choose_accuracies(&c, line.accuracies);
    if (status == CLI_OK && (output_open(&json, line.json) || output_open(&csv, line.csv))) status = CLI_BAD_INPUT;
    if (status == CLI_OK && output_same(&json, &csv)) status = cli_usage("--json and --csv name the same file \"%s\"", line.json);
    if (status == CLI_OK) status = problem_line_load(&line.problems);
    if (status == CLI_OK) status = compare(&line, &c, &json, &csv);
    free(c.problem);
    free(c.cell);
    problem_line_end(&line.problems);
    output_discard(&json);
    output_discard(&csv);
    cli_options_end(&options);
    return status;
}
