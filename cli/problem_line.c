/* What the commands on contact problems have in common on their command lines. */
#include "problem_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

enum { KEY_COLD = CLI_OWN + 0x80, KEY_MAX_CONTACTS };

static const struct argp_option options[] = {
    {"cold", KEY_COLD, NULL, 0, "leave the warm starts aside that the files bring", 1},
    {"max-contacts", KEY_MAX_CONTACTS, "N", 0,
     "the most contacts of a problem with a dense matrix (default 64, at most 1000); larger ones are sparse", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    problem_line *line = state->input;
    switch (key) {
    case KEY_COLD: line->set.cold = 1; return 0;
    case KEY_MAX_CONTACTS: {
        char *end;
        const long n = strtol(argument, &end, 10);
        if (end == argument || *end || n < 1 || n > PROBLEM_CONTACTS_LIMIT)
            exit(cli_usage("--max-contacts is \"%s\"; it may be 1 to %d", argument, PROBLEM_CONTACTS_LIMIT));
        line->set.most_contacts = (int)n;
        return 0;
    }
    case ARGP_KEY_ARG: line->path[line->n++] = argument; return 0;
    case ARGP_KEY_END:
        if (line->n == 0) exit(cli_usage("PROBLEMS is missing: files with contact problems, or folders of them"));
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp problem_line_argp = {.options = options, .parser = parse};

void problem_line_begin(problem_line *line, int argc) {
    *line = (problem_line){.path = cli_allocate((size_t)argc, sizeof *line->path), .set = {.most_contacts = PROBLEM_CONTACTS}};
}

void problem_line_end(problem_line *line) {
    problem_set_free(&line->set);
    free(line->path);
}

int problem_line_load(problem_line *line) {
    if (problems_load(line->path, line->n, &line->set) != CLI_OK) return CLI_BAD_INPUT;
    const problem_entry *worst = NULL;
    size_t skew = 0;
    for (size_t i = 0; i < line->set.n; i++) {
        const problem_entry *entry = &line->set.entry[i];
        if (entry->asymmetry <= PROBLEM_ASYMMETRY_ROUNDING) continue;
        if (!worst || entry->asymmetry > worst->asymmetry) worst = entry;
        skew++;
    }
    if (skew == 1) {
        cli_warning("problem %s: \"G\" was symmetrised, it was asymmetric by %.2g of its largest entry", cli_json_quote(worst->id).text,
                    worst->asymmetry);
    } else if (skew > 1) {
        cli_warning("\"G\" of %zu problems was symmetrised, asymmetric by up to %.2g of its largest entry (problem %s)", skew,
                    worst->asymmetry, cli_json_quote(worst->id).text);
    }
    return CLI_OK;
}

const char *const *problem_line_keys(void) {
    static const char *keys[256];
    const size_t room = sizeof keys / sizeof *keys - 3; /* precision, isa, NULL */
    size_t n = 0;
    const char *key;
    int i = 0;
    while (myr_settings_key(NULL, i, &key, NULL, NULL) && strcmp(key, "solver") != 0) i++;
    for (; myr_settings_key(NULL, i, &key, NULL, NULL) && strcmp(key, "warm-start") != 0 && n < room; i++) keys[n++] = key;
    keys[n++] = "precision";
    keys[n++] = "isa";
    keys[n] = NULL;
    return keys;
}

myr_contact_result *problem_results(const problem_set *set) {
    myr_contact_result *results = cli_allocate(set->n, sizeof *results);
    for (size_t i = 0; i < set->n; i++) {
        const size_t m = problem_numbers(&set->entry[i].problem);
        results[i].impulse = cli_allocate(m, sizeof(double));
        results[i].velocity = cli_allocate(m, sizeof(double));
        results[i].R = cli_allocate(m, sizeof(double));
        results[i].modes = cli_allocate((size_t)set->entry[i].problem.contacts, 1);
    }
    return results;
}

void problem_results_free(myr_contact_result *results, size_t n) {
    for (size_t i = 0; results && i < n; i++) {
        free(results[i].impulse);
        free(results[i].velocity);
        free(results[i].R);
        free(results[i].modes);
    }
    free(results);
}

void problem_line_large(problem_line *line, const char *solver) {
    const char *refusal = myr_solver_large_refusal(solver);
    static char words[400];
    line->set.large = refusal == NULL;
    snprintf(words, sizeof words, ". Larger ones are solved by");
    for (int i = 0, n = 0; myr_solver_name(i); i++)
        if (!myr_solver_large_refusal(myr_solver_name(i))) {
            const size_t length = strlen(words);
            snprintf(words + length, sizeof words - length, "%s %s", n++ ? "," : "", myr_solver_name(i));
        }
    const size_t length = strlen(words);
    if (refusal) snprintf(words + length, sizeof words - length, "; %s cannot: %s", solver, refusal);
    line->set.why_not = refusal ? words : NULL;
}

int problem_solve(const problem_set *set, const myr_settings *settings, myr_contact_result *results) {
    myr_contact_problem *dense = cli_allocate(set->n, sizeof *dense);
    myr_large_problem *large = cli_allocate(set->n, sizeof *large);
    myr_contact_result *mine = cli_allocate(set->n, sizeof *mine); /* dense ones from the front, large ones behind them */
    size_t n = 0, n_large = 0;
    int status = CLI_OK;
    for (size_t i = 0; i < set->n; i++)
        if (!problem_is_large(&set->entry[i])) dense[n] = set->entry[i].problem, mine[n++] = results[i];
    for (size_t i = 0; i < set->n; i++)
        if (problem_is_large(&set->entry[i])) large[n_large] = set->entry[i].large, mine[n + n_large++] = results[i];
    if (n && myr_solve_contacts(dense, (int64_t)n, settings, mine) != MYR_OK) status = cli_error("%s", myr_message());
    if (status == CLI_OK && n_large && myr_solve_large(large, (int64_t)n_large, settings, mine + n) != MYR_OK)
        status = cli_error("%s", myr_message());
    for (size_t i = 0, d = 0, l = n; i < set->n && status == CLI_OK; i++)
        results[i] = problem_is_large(&set->entry[i]) ? mine[l++] : mine[d++];
    free(dense);
    free(large);
    free(mine);
    return status;
}

myr_contact_problem *problem_array(const problem_set *set) {
    myr_contact_problem *problems = cli_allocate(set->n, sizeof *problems);
    for (size_t i = 0; i < set->n; i++) problems[i] = set->entry[i].problem;
    return problems;
}
