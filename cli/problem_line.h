/* What the commands on contact problems have in common on their command lines: PROBLEMS.., how they are read, the solvers' settings. */
#ifndef MYRIAPOD_CLI_PROBLEM_LINE_H
#define MYRIAPOD_CLI_PROBLEM_LINE_H

#include <argp.h>

#include "options.h"
#include "problems.h"

typedef struct problem_line {
    const char **path;
    size_t n;
    problem_set set; /* filled by problem_line_load */
} problem_line;

/* PROBLEMS.. and --cold, --max-contacts; the input of this parser is a problem_line. */
extern const struct argp problem_line_argp;

void problem_line_begin(problem_line *line, int argc);
void problem_line_end(problem_line *line);
/* Problems of more contacts than --max-contacts are taken where this solver takes large ones; else the refusal says why not. */
void problem_line_large(problem_line *line, const char *solver);
/* Read all of them, and warn of matrices that were symmetrised. CLI_OK, or CLI_BAD_INPUT after saying what is wrong. */
int problem_line_load(problem_line *line);

/* The keys of settings.def that are about solving, from `solver` to where those of the batch go on, NULL-terminated. Static. */
const char *const *problem_line_keys(void);

/* Results with room for n problems of the set, from the i-th on; free with problem_results_free. */
myr_contact_result *problem_results(const problem_set *set);
void problem_results_free(myr_contact_result *results, size_t n);

/* Solve all of the set, large ones by myr_solve_large. CLI_OK, or CLI_BAD_INPUT after saying what is wrong. */
int problem_solve(const problem_set *set, const myr_settings *settings, myr_contact_result *results);

/* The problems of the set one after the other, as the library takes them; free(). */
myr_contact_problem *problem_array(const problem_set *set);

#endif
