/* Pictures of a comparison: data and a gnuplot script for each, which gnuplot then draws, where it is. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "compare.h"

extern char **environ;

typedef struct plot {
    const comparison *c;
    const char *folder, *format;
    char name[48];
    compare_yardstick yardstick;
    int by_time;
} plot;

static void path_of(const plot *p, const char *ending, char path[4200]) {
    snprintf(path, 4200, "%.4000s/%s.%s", p->folder, p->name, ending);
}

/* Rows "tau part", a block per solver, from (1, part solved at once) to the end of the widest profile. Of thousands of problems a step is
 * written where a picture shows it: half a percent further in tau, or the last one. */
static void write_profile(const plot *p, FILE *file) {
    const comparison *c = p->c;
    double *ratio = cli_allocate(c->n, sizeof *ratio), widest = 10;
    size_t n;
    for (int s = 0; s < c->n_solvers; s++) {
        compare_ratios(c, s, p->yardstick, p->by_time, ratio, &n);
        if (n) widest = fmax(widest, ratio[n - 1]);
    }
    for (int s = 0; s < c->n_solvers; s++) {
        compare_ratios(c, s, p->yardstick, p->by_time, ratio, &n);
        fprintf(file, "# %s\n1 %.9g\n", c->solver[s], compare_part(c, ratio, n, 1));
        double shown = 1;
        for (size_t i = 0; i < n; i++) {
            if (!(ratio[i] > 1) || (i + 1 < n && !(ratio[i + 1] > ratio[i] && ratio[i + 1] > 1.005 * shown))) continue;
            fprintf(file, "%.9g %.9g\n", ratio[i], (double)(i + 1) / (double)c->n);
            shown = ratio[i];
        }
        fprintf(file, "%.9g %.9g\n\n\n", widest, (double)n / (double)c->n);
    }
    free(ratio);
}

/* Rows "accuracy median-time": gnuplot leaves a NaN out. */
static void write_accuracies(const plot *p, FILE *file) {
    const comparison *c = p->c;
    for (int s = 0; s < c->n_solvers; s++) {
        fprintf(file, "# %s\n", c->solver[s]);
        for (int a = 0; a < c->n_accuracies; a++)
            fprintf(file, "%.9g %.9g\n", c->accuracy[a], 1e6 * compare_quantile(c, s, a, p->yardstick, 1, 0.5));
        fputs("\n\n", file);
    }
}

/* gnuplot refuses to draw nothing. */
static int has_points(const plot *p) {
    for (int s = 0; s < p->c->n_solvers; s++)
        for (int a = 0; a < p->c->n_accuracies; a++)
            if (isfinite(compare_quantile(p->c, s, a, p->yardstick, 1, 0.5))) return 1;
    return 0;
}

/* gnuplot's own colours repeat after eight. */
static const char *const colours[] = {"#1f77b4", "#aec7e8", "#2ca02c", "#98df8a", "#d62728", "#ff7f0e", "#ffbb78", "#8c564b",
                                      "#c49c94", "#17becf", "#9edae5", "#9467bd", "#000000", "#e377c2", "#7f7f7f", "#bcbd22"};

static void write_script(const plot *p, FILE *file, int is_profile) {
    const comparison *c = p->c;
    const char *residual = p->yardstick == COMPARE_OWN ? "residual of the own model" : "residual of the full law";
    fprintf(file, "set terminal %s size %s\nset output \"%s.%s\"\n", p->format,
            strcmp(p->format, "svg") == 0 ? "900,600 dynamic" : "900,600", p->name, p->format);
    if (is_profile) {
        fprintf(file, "set title \"%zu problems to a %s of %g, %s\"\n", c->n, residual, c->settings.tolerance, c->settings.precision);
        fprintf(file, "set xlabel \"tau: %s over that of the best solver\"\nset ylabel \"part of the problems solved within tau\"\n",
                p->by_time ? "time" : "sweeps");
        fputs("set logscale x\nset yrange [0:1.02]\nset key outside right\nset grid\n", file);
    } else {
        fprintf(file, "set title \"%zu problems, %s\"\nset xlabel \"%s\"\nset ylabel \"median time [us]\"\n", c->n, c->settings.precision,
                residual);
        fputs("set logscale xy\nset xrange [] reverse\nset format x \"%.0e\"\nset key outside right\nset grid\n", file);
    }
    fputs("plot", file);
    for (int s = 0; s < c->n_solvers; s++)
        fprintf(file, "%s \"%s.dat\" index %d using 1:2 with %s lw 2 lc rgb \"%s\" title \"%s\"", s ? ", \\\n    " : "", p->name, s,
                is_profile ? "steps" : "linespoints", colours[s % (int)(sizeof colours / sizeof *colours)], c->solver[s]);
    fputc('\n', file);
}

static int write_file(const plot *p, const char *ending, int is_profile) {
    char path[4200];
    output out;
    path_of(p, ending, path);
    if (output_open(&out, path)) return CLI_BAD_INPUT;
    if (strcmp(ending, "gp") == 0)
        write_script(p, out.file, is_profile);
    else if (is_profile)
        write_profile(p, out.file);
    else
        write_accuracies(p, out.file);
    return output_commit(&out) ? CLI_BAD_INPUT : CLI_OK;
}

/* gnuplot NAME.gp, in the folder. -1: there is no gnuplot. */
static int draw(const plot *p) {
    char script[64];
    snprintf(script, sizeof script, "%s.gp", p->name);
    char *const words[] = {(char *)(size_t) "gnuplot", script, NULL};
    const int here = open(".", O_RDONLY | O_CLOEXEC);
    pid_t child;
    int ended = 0;
    if (here < 0 || chdir(p->folder) != 0) {
        if (here >= 0) close(here);
        return cli_error("cannot enter the folder \"%s\": %s", p->folder, strerror(errno));
    }
    const int failed = posix_spawnp(&child, words[0], NULL, NULL, words, environ);
    const int back = fchdir(here);
    close(here);
    if (failed == ENOENT) return -1;
    if (failed || back != 0) return cli_error("cannot start gnuplot: %s", strerror(failed ? failed : errno));
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(ended) && WEXITSTATUS(ended) == 0 ? CLI_OK : cli_error("gnuplot failed on \"%s/%s\"", p->folder, script);
}

int compare_plots_open(const char *folder) {
    struct stat what;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) return cli_error("cannot make the folder \"%s\": %s", folder, strerror(errno));
    if (stat(folder, &what) == 0 && !S_ISDIR(what.st_mode)) return cli_error("cannot make the folder \"%s\": it is a file", folder);
    return access(folder, W_OK | X_OK) ? cli_error("cannot write in the folder \"%s\": %s", folder, strerror(errno)) : CLI_OK;
}

int compare_plots(const comparison *c, const char *folder, const char *format) {
    int missing = 0;
    for (int kind = 0; kind < 3 * COMPARE_YARDSTICKS; kind++) {
        const int what = kind % 3; /* profile by sweeps, by time; time to accuracy */
        plot p = {.c = c, .folder = folder, .format = format, .yardstick = (compare_yardstick)(kind / 3), .by_time = what > 0};
        snprintf(p.name, sizeof p.name, "%s-%s",
                 what == 0   ? "profile-iterations"
                 : what == 1 ? "profile-time"
                             : "accuracy-time",
                 compare_yardstick_name[p.yardstick]);
        if (what == 2 && c->n_accuracies == 1) continue; /* a point does not make a line */
        if (what == 2 && !has_points(&p)) {
            cli_warning("no solver came to any accuracy on half of the problems (%s): \"%s\" is not drawn",
                        compare_yardstick_name[p.yardstick], p.name);
            continue;
        }
        if (write_file(&p, "dat", what < 2) || write_file(&p, "gp", what < 2)) return CLI_BAD_INPUT;
        const int status = missing ? CLI_OK : draw(&p);
        if (status > 0) return status;
        missing = missing || status < 0;
    }
    if (missing) cli_warning("gnuplot is not here (Debian: gnuplot-nox): \"%s\" has the data and the scripts, and no pictures", folder);
    return CLI_OK;
}
