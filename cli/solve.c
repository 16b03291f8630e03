/* myriapod solve: contact problems without a robot. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "options.h"
#include "output.h"
#include "solve_parse.h"

static const char *const keys[] = {"solver", "tolerance", "precision", "isa",   "max-sweeps", "slip-steps",     "alpha", "alpha-min",
                                   "gamma",  "pgs-alpha", "beta1",     "beta2", "beta3",      "slip-tolerance", NULL};
/* A problem from a file is solved to be looked at: in double, and with sweeps enough to converge where it can. */
static const cli_assignment defaults[] = {{"precision", "f64"}, {"max-sweeps", "10000"}, {NULL, NULL}};

typedef struct solve_line {
    cli_options *options;
    const char *problems, *json;
} solve_line;

enum { KEY_JSON = CLI_OWN };

static const struct argp_option own_options[] = {
    {"json", KEY_JSON, "FILE", 0, "where the answers go (default: standard output)", 1},
    {0},
};

static const char doc[] =
    "Solves w = G impulse + c under Signorini's and Coulomb's laws for every problem in PROBLEMS, cold-started."
    "\v"
    "PROBLEMS is {\"problems\": [{\"id\": .., \"mu\": number or list, \"G\": [[..], ..], \"c\": [..]}, ..]}; \"g\" may stand for \"c\", "
    "other keys are ignored. Per contact (x, y, z) with z the normal; G [1/kg], c [m/s].\n"
    "The answer is {\"problems\": [..]} in the same order, each with id, impulse [N s], velocity [m/s], modes (one letter per contact: "
    "o open, s stick, d slide), residual, residual_ncp, iterations and status (converged, stalled, iteration limit, not finite).\n"
    "\n"
    "Examples:\n"
    "  myriapod solve problems.json --solver bisection --tolerance 1e-9 --json out.json\n"
    "  myriapod solve problems.json --profile paper --solver pgs | less\n"
    "\n"
    "Exit status: 0 done (also when a solve did not converge: its status says so), 1 bad input, 2 bad usage.";

static error_t parse(int key, char *argument, struct argp_state *state) {
    solve_line *line = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = line->options; return 0;
    case KEY_JSON: line->json = argument; return 0;
    case ARGP_KEY_ARG:
        if (line->problems) exit(cli_usage("one PROBLEMS file only: \"%s\" follows \"%s\"", argument, line->problems));
        line->problems = argument;
        return 0;
    case ARGP_KEY_END:
        if (!line->problems) exit(cli_usage("PROBLEMS is missing: a JSON file with contact problems"));
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static json_t *answer(json_t *id, const myr_contact_result *result, size_t contacts) {
    json_t *entry = json_object();
    json_object_set(entry, "id", id);
    json_object_set_new(entry, "impulse", cli_json_reals(result->impulse, 3 * contacts));
    json_object_set_new(entry, "velocity", cli_json_reals(result->velocity, 3 * contacts));
    json_object_set_new(entry, "modes", json_stringn(result->modes, contacts));
    json_object_set_new(entry, "residual", cli_json_real(result->residual));
    json_object_set_new(entry, "residual_ncp", cli_json_real(result->residual_ncp));
    json_object_set_new(entry, "iterations", json_integer(result->iterations));
    json_object_set_new(entry, "status", json_string(myr_solve_status_text(result->status)));
    return entry;
}

static void summarise(const solve_line *line, const myr_contact_result *results, size_t n) {
    size_t ended[MYR_NOT_FINITE + 1] = {0};
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        ended[results[i].status]++;
        if (!(results[i].residual <= worst)) worst = results[i].residual; /* NaN stays */
    }
    printf("%zu problem%s:", n, n == 1 ? "" : "s");
    for (int s = 0; s <= MYR_NOT_FINITE; s++) {
        if (ended[s] || s == MYR_CONVERGED) printf("%s %zu %s", s ? "," : "", ended[s], myr_solve_status_text((myr_solve_status)s));
    }
    if (n > 0) printf(" (largest residual %.2g)", worst);
    printf("; answers in \"%s\"\n", line->json);
}

static int write_answers(const solve_line *line, const solve_problems *problems, const myr_contact_result *results, output *json) {
    int bad = fputs("{\"problems\": [", json->file) == EOF;
    for (size_t i = 0; i < problems->n && !bad; i++) {
        json_t *entry = answer(problems->id[i], &results[i], (size_t)problems->problem[i].contacts);
        fputs(i ? ",\n" : "\n", json->file);
        bad = json_dumpf(entry, json->file, CLI_JSON_LINE) != 0;
        json_decref(entry);
    }
    bad |= fputs("\n]}\n", json->file) == EOF;
    if (bad) return cli_error("cannot write \"%s\"", json->path);
    if (json->file != stdout) summarise(line, results, problems->n);
    return output_commit(json) ? CLI_BAD_INPUT : CLI_OK;
}

static int solve(const solve_line *line, const myr_settings *settings, const solve_problems *problems, output *json) {
    for (size_t i = 0; i < problems->n; i++) {
        if (problems->asymmetry[i] <= SOLVE_ASYMMETRY_ROUNDING) continue;
        cli_warning("problem %s: \"G\" was symmetrised, it was asymmetric by %.2g of its largest entry",
                    cli_json_quote(problems->id[i]).text, problems->asymmetry[i]);
    }
    myr_contact_result *results = cli_allocate(problems->n, sizeof *results);
    for (size_t i = 0; i < problems->n; i++) {
        const size_t contacts = (size_t)problems->problem[i].contacts;
        results[i].impulse = cli_allocate(3 * contacts, sizeof(double));
        results[i].velocity = cli_allocate(3 * contacts, sizeof(double));
        results[i].modes = cli_allocate(contacts, 1);
    }
    int status;
    if (myr_solve_contacts(problems->problem, (int64_t)problems->n, settings, results) != MYR_OK) {
        status = cli_error("\"%s\": %s", line->problems, myr_message());
    } else {
        status = write_answers(line, problems, results, json);
    }
    for (size_t i = 0; i < problems->n; i++) {
        free(results[i].impulse);
        free(results[i].velocity);
        free(results[i].modes);
    }
    free(results);
    return status;
}

int cli_solve(int argc, char **argv) {
    cli_options options = {.first = keys, .only_first = 1, .defaults = defaults};
    cli_options_begin(&options, argc);
    const struct argp_child children[] = {{&options.argp, 0, NULL, 0}, {0}};
    const struct argp argp = {own_options, parse, "PROBLEMS", doc, children, NULL, NULL};
    solve_line line = {.options = &options};
    cli_parse(&argp, argc, argv, &line);

    myr_settings settings;
    output json = {0};
    cli_text message;
    solve_problems problems = {0};
    int status = cli_options_resolve(&options, &settings);
    if (status == CLI_OK && output_open(&json, line.json ? line.json : "-")) status = CLI_BAD_INPUT;
    size_t length = 0;
    char *text = status == CLI_OK ? cli_read_file(line.problems, &length, &message) : NULL;
    if (status == CLI_OK && (!text || solve_parse(text, length, line.problems, &problems, &message)))
        status = cli_error("%s", message.text);
    if (status == CLI_OK) status = solve(&line, &settings, &problems, &json);
    solve_problems_free(&problems);
    free(text);
    output_discard(&json);
    cli_options_end(&options);
    return status;
}
