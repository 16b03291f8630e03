/* What a comparison measured, for people and for programs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "compare.h"
#include "json.h"
#include "numbers.h"

const char *const compare_yardstick_name[COMPARE_YARDSTICKS] = {"own", "ncp"};

const compare_cell *compare_solved(const comparison *c, int solver, size_t problem, int accuracy, compare_yardstick yardstick) {
    if (yardstick == COMPARE_OWN) {
        const compare_cell *cell = compare_at(c, solver, problem, accuracy);
        return cell->status == MYR_CONVERGED ? cell : NULL;
    }
    for (int a = 0; a < c->n_accuracies; a++) {
        const compare_cell *cell = compare_at(c, solver, problem, a);
        if (cell->residual_ncp <= c->accuracy[accuracy]) return cell;
    }
    return NULL;
}

/* Two sweeps are twice as many as one, and none is as good as one. */
static double cost(const compare_cell *cell, int by_time) {
    const double value = compare_cost(cell, by_time);
    return by_time ? fmax(value, 1e-12) : fmax(value, 1);
}

void compare_ratios(const comparison *c, int solver, compare_yardstick yardstick, int by_time, double *ratio, size_t *n) {
    *n = 0;
    for (size_t i = 0; i < c->n; i++) {
        const compare_cell *mine = compare_solved(c, solver, i, c->chosen, yardstick);
        if (!mine) continue;
        double best = cost(mine, by_time);
        for (int s = 0; s < c->n_solvers; s++) {
            const compare_cell *other = compare_solved(c, s, i, c->chosen, yardstick);
            if (other) best = fmin(best, cost(other, by_time));
        }
        ratio[(*n)++] = cost(mine, by_time) / best;
    }
    qsort(ratio, *n, sizeof *ratio, cli_ascending);
}

double compare_part(const comparison *c, const double *ratio, size_t n, double tau) {
    size_t k = 0;
    while (k < n && ratio[k] <= tau) k++;
    return (double)k / (double)c->n;
}

static size_t count_solved(const comparison *c, int solver, int accuracy, compare_yardstick yardstick) {
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) n += compare_solved(c, solver, i, accuracy, yardstick) != NULL;
    return n;
}

static size_t count_ended(const comparison *c, int solver, int accuracy, myr_solve_status status) {
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) n += compare_at(c, solver, i, accuracy)->status == status;
    return n;
}

double compare_quantile(const comparison *c, int solver, int accuracy, compare_yardstick yardstick, int by_time, double p) {
    double *values = cli_allocate(c->n, sizeof *values);
    for (size_t i = 0; i < c->n; i++) {
        const compare_cell *cell = compare_solved(c, solver, i, accuracy, yardstick);
        values[i] = cell ? compare_cost(cell, by_time) : INFINITY;
    }
    qsort(values, c->n, sizeof *values, cli_ascending);
    const double value = values[(size_t)(p * (double)(c->n - 1) + 0.5)];
    free(values);
    return isfinite(value) ? value : NAN;
}

/* ---- for people --------------------------------------------------------------------------------- */

static void number(FILE *stream, double value, int width) {
    if (isfinite(value)) {
        fprintf(stream, " %*.4g", width, value);
    } else {
        fprintf(stream, " %*s", width, "-");
    }
}

static void print_head(const comparison *c, FILE *stream) {
    int least = INT32_MAX, most = 0;
    for (size_t i = 0; i < c->n; i++) {
        const int contacts = c->set->entry[c->problem[i]].problem.contacts;
        least = contacts < least ? contacts : least;
        most = contacts > most ? contacts : most;
    }
    fprintf(stream, "%zu problem%s of %d to %d contacts; %s, %s, tolerance %g, %lld sweeps at most, fastest of %d\n", c->n,
            c->n == 1 ? "" : "s", least, most, c->settings.precision, c->settings.isa, c->settings.tolerance,
            (long long)c->settings.max_sweeps, c->repeats);
}

static void print_table(const comparison *c, FILE *stream) {
    double *ratio = cli_allocate(c->n, sizeof *ratio);
    fprintf(stream, "\n%-18s %-12s %8s %8s %8s %8s %9s %9s %11s %8s %8s %7s %7s %7s\n", "", "", "solved", "solved", "sweeps", "", "time",
            "", "set as it is", "fastest", "fastest", "", "", "not");
    fprintf(stream, "%-18s %-12s %8s %8s %8s %8s %9s %9s %11s %8s %8s %7s %7s %7s\n", "solver", "model", "own", "ncp", "median", "p95",
            "median us", "p95 us", "1/s", "own", "ncp", "stalled", "limit", "finite");
    for (int s = 0; s < c->n_solvers; s++) {
        size_t n;
        fprintf(stream, "%-18s %-12s", c->solver[s], c->model[s]);
        for (int y = 0; y < COMPARE_YARDSTICKS; y++)
            fprintf(stream, " %7.1f%%", 100 * (double)count_solved(c, s, c->chosen, (compare_yardstick)y) / (double)c->n);
        number(stream, compare_quantile(c, s, c->chosen, COMPARE_OWN, 0, 0.5), 8);
        number(stream, compare_quantile(c, s, c->chosen, COMPARE_OWN, 0, 0.95), 8);
        number(stream, 1e6 * compare_quantile(c, s, c->chosen, COMPARE_OWN, 1, 0.5), 9);
        number(stream, 1e6 * compare_quantile(c, s, c->chosen, COMPARE_OWN, 1, 0.95), 9);
        number(stream, c->per_second[s], 11);
        for (int y = 0; y < COMPARE_YARDSTICKS; y++) {
            compare_ratios(c, s, (compare_yardstick)y, 1, ratio, &n);
            fprintf(stream, " %7.1f%%", 100 * compare_part(c, ratio, n, 1));
        }
        fprintf(stream, " %7zu %7zu %7zu\n", count_ended(c, s, c->chosen, MYR_STALLED), count_ended(c, s, c->chosen, MYR_ITERATION_LIMIT),
                count_ended(c, s, c->chosen, MYR_NOT_FINITE));
    }
    free(ratio);
}

static void print_accuracies(const comparison *c, FILE *stream, compare_yardstick yardstick) {
    fprintf(stream, "\nmedian time to a residual (%s) of .. [us], and the part of the problems that came to it\n%-18s",
            yardstick == COMPARE_OWN ? "the solver's own" : "of the full law", "solver");
    for (int a = 0; a < c->n_accuracies; a++) fprintf(stream, " %17.0e", c->accuracy[a]);
    fputc('\n', stream);
    for (int s = 0; s < c->n_solvers; s++) {
        fprintf(stream, "%-18s", c->solver[s]);
        for (int a = 0; a < c->n_accuracies; a++) {
            number(stream, 1e6 * compare_quantile(c, s, a, yardstick, 1, 0.5), 9);
            fprintf(stream, " %6.1f%%", 100 * (double)count_solved(c, s, a, yardstick) / (double)c->n);
        }
        fputc('\n', stream);
    }
}

static void print_legend(FILE *stream) {
    fputs("own: by the residual of the solver's own law; ncp: by that of the full Coulomb law, the same for all\n"
          "sweeps, time: over all problems, one not solved counts as infinite (-); time: a copy in every lane, per lane\n"
          "set as it is: different problems side by side, where a tile waits for its slowest lane\n"
          "fastest: share of the problems that no other solver solved sooner; stalled, limit, not finite: how many ended so\n",
          stream);
}

void compare_print(const comparison *c, FILE *stream) {
    print_head(c, stream);
    print_table(c, stream);
    print_legend(stream);
    for (int y = 0; y < COMPARE_YARDSTICKS; y++) print_accuracies(c, stream, (compare_yardstick)y);
}

/* ---- for programs ------------------------------------------------------------------------------- */

static json_t *reached(const comparison *c, int solver, int accuracy, compare_yardstick yardstick) {
    json_t *entry = json_object();
    json_object_set_new(entry, "solved", json_integer((json_int_t)count_solved(c, solver, accuracy, yardstick)));
    json_object_set_new(entry, "iterations_p50", cli_json_real(compare_quantile(c, solver, accuracy, yardstick, 0, 0.5)));
    json_object_set_new(entry, "iterations_p95", cli_json_real(compare_quantile(c, solver, accuracy, yardstick, 0, 0.95)));
    json_object_set_new(entry, "solve_s_p50", cli_json_real(compare_quantile(c, solver, accuracy, yardstick, 1, 0.5)));
    json_object_set_new(entry, "solve_s_p95", cli_json_real(compare_quantile(c, solver, accuracy, yardstick, 1, 0.95)));
    return entry;
}

/* Steps of a profile: [tau, part of the problems], where it rises. */
static json_t *profile(const comparison *c, int solver, compare_yardstick yardstick, int by_time) {
    double *ratio = cli_allocate(c->n, sizeof *ratio);
    size_t n;
    json_t *steps = json_array();
    compare_ratios(c, solver, yardstick, by_time, ratio, &n);
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || ratio[i + 1] > ratio[i])
            json_array_append_new(steps, json_pack("[ff]", ratio[i], (double)(i + 1) / (double)c->n));
    free(ratio);
    return steps;
}

static json_t *solver_json(const comparison *c, int solver) {
    json_t *entry = json_object(), *accuracies = json_array(), *profiles = json_object();
    for (int a = 0; a < c->n_accuracies; a++) {
        json_t *at = json_object();
        json_object_set_new(at, "accuracy", cli_json_real(c->accuracy[a]));
        for (int y = 0; y < COMPARE_YARDSTICKS; y++)
            json_object_set_new(at, compare_yardstick_name[y], reached(c, solver, a, (compare_yardstick)y));
        json_object_set_new(at, "stalled", json_integer((json_int_t)count_ended(c, solver, a, MYR_STALLED)));
        json_object_set_new(at, "iteration_limit", json_integer((json_int_t)count_ended(c, solver, a, MYR_ITERATION_LIMIT)));
        json_object_set_new(at, "not_finite", json_integer((json_int_t)count_ended(c, solver, a, MYR_NOT_FINITE)));
        json_array_append_new(accuracies, at);
    }
    for (int y = 0; y < COMPARE_YARDSTICKS; y++)
        for (int by_time = 0; by_time < 2; by_time++) {
            char name[32];
            snprintf(name, sizeof name, "%s_%s", compare_yardstick_name[y], by_time ? "time" : "iterations");
            json_object_set_new(profiles, name, profile(c, solver, (compare_yardstick)y, by_time));
        }
    json_object_set_new(entry, "solver", json_string(c->solver[solver]));
    json_object_set_new(entry, "model", json_string(c->model[solver]));
    json_object_set_new(entry, "problems_per_s", cli_json_real(c->per_second[solver]));
    json_object_set_new(entry, "accuracies", accuracies);
    json_object_set_new(entry, "profiles", profiles);
    return entry;
}

json_t *compare_json(const comparison *c) {
    json_t *root = json_object(), *solvers = json_array();
    for (int s = 0; s < c->n_solvers; s++) json_array_append_new(solvers, solver_json(c, s));
    json_object_set_new(root, "problems", json_integer((json_int_t)c->n));
    json_object_set_new(root, "precision", json_string(c->settings.precision));
    json_object_set_new(root, "isa", json_string(c->settings.isa));
    json_object_set_new(root, "tolerance", cli_json_real(c->settings.tolerance));
    json_object_set_new(root, "max_sweeps", json_integer(c->settings.max_sweeps));
    json_object_set_new(root, "repeat", json_integer(c->repeats));
    json_object_set_new(root, "solvers", solvers);
    return root;
}

int compare_csv(const comparison *c, FILE *file) {
    int bad = fputs("file,id,contacts,solver,model,tolerance,iterations,solve_s,residual,residual_ncp,status\n", file) == EOF;
    for (size_t i = 0; i < c->n && !bad; i++) {
        const problem_entry *entry = &c->set->entry[c->problem[i]];
        for (int s = 0; s < c->n_solvers; s++)
            for (int a = 0; a < c->n_accuracies; a++) {
                const compare_cell *cell = compare_at(c, s, i, a);
                cli_csv_text(file, entry->file);
                fputc(',', file);
                cli_csv_value(file, entry->id);
                bad |= fprintf(file, ",%d,%s,%s,%.9g,%lld,%.9g,%.9g,%.9g,%s\n", entry->problem.contacts, c->solver[s], c->model[s],
                               c->accuracy[a], (long long)cell->iterations, cell->solve_s, cell->residual, cell->residual_ncp,
                               myr_solve_status_text(cell->status)) < 0;
            }
    }
    return bad;
}
