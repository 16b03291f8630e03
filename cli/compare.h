/* Solvers on the same problems: what was measured, and what is made of it. */
#ifndef MYRIAPOD_CLI_COMPARE_H
#define MYRIAPOD_CLI_COMPARE_H

#include <stdio.h>

#include <jansson.h>
#include <myriapod/myriapod.h>

#include "output.h"
#include "problems.h"

enum { COMPARE_SOLVERS = 32, COMPARE_ACCURACIES = 16 };

/* One problem, one solver, one tolerance. */
typedef struct compare_cell {
    int64_t iterations;
    double solve_s, residual, residual_ncp;
    myr_solve_status status;
} compare_cell;

typedef struct comparison {
    const problem_set *set;
    myr_settings settings; /* tolerance: the one that profiles are drawn at */
    int repeats;
    size_t n; /* problems with contacts: set->entry[problem[i]] */
    size_t *problem;
    int n_solvers, n_accuracies, chosen; /* accuracy[chosen] is the tolerance */
    const char *solver[COMPARE_SOLVERS], *model[COMPARE_SOLVERS];
    double accuracy[COMPARE_ACCURACIES]; /* from loose to tight */
    double per_second[COMPARE_SOLVERS];  /* problems of the set as it is, at the tolerance, on one core */
    compare_cell *cell;                  /* (solver, problem, accuracy) */
} comparison;

/* By which residual a problem counts as solved: the solver's own, or the full law's. */
typedef enum { COMPARE_OWN, COMPARE_NCP, COMPARE_YARDSTICKS } compare_yardstick;
extern const char *const compare_yardstick_name[COMPARE_YARDSTICKS];

static inline const compare_cell *compare_at(const comparison *c, int solver, size_t problem, int accuracy) {
    return &c->cell[((size_t)solver * c->n + problem) * (size_t)c->n_accuracies + (size_t)accuracy];
}

/* The run in which this solver first came to the accuracy; NULL: in none. By its own residual that is the run with this tolerance; by the
 * full law's, the loosest tolerance whose answer is as near to it. */
const compare_cell *compare_solved(const comparison *c, int solver, size_t problem, int accuracy, compare_yardstick yardstick);

/* Cost of a run: time [s], or sweeps. */
static inline double compare_cost(const compare_cell *cell, int by_time) { return by_time ? cell->solve_s : (double)cell->iterations; }

/* Performance ratios of Dolan and More: the solver's cost over that of the best solver, ascending, of the problems that it solved; *n of
 * them. ratio: (c->n). */
void compare_ratios(const comparison *c, int solver, compare_yardstick yardstick, int by_time, double *ratio, size_t *n);
/* The part of all problems whose ratio is at most tau. */
double compare_part(const comparison *c, const double *ratio, size_t n, double tau);

/* The p-th part (0..1) of the cost over all problems, a problem that was not solved costing more than any; NAN: it was not solved. */
double compare_quantile(const comparison *c, int solver, int accuracy, compare_yardstick yardstick, int by_time, double p);

/* cli/compare_report.c */
void compare_print(const comparison *c, FILE *stream);
json_t *compare_json(const comparison *c);
int compare_csv(const comparison *c, FILE *file);

/* cli/compare_plot.c: data, gnuplot scripts and, where gnuplot is there, pictures (svg or png) into the folder. CLI_OK, or CLI_BAD_INPUT
 * after saying why not. The folder is made, and found good, by the first, before any work is done. */
int compare_plots_open(const char *folder);
int compare_plots(const comparison *c, const char *folder, const char *format);

#endif
