/* Residual against sweeps and time. */
#include "trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "copies.h"
#include "json.h"

enum { REPEATS = 3, CAP = 10000 };

static int64_t next_cap(int64_t cap) { return cap + 1 > cap + cap / 10 ? cap + 1 : cap + cap / 10; }

typedef struct writer {
    FILE *file;
    const char *solver;
    int json, rows;
} writer;

static int write_row(writer *w, const problem_entry *entry, int64_t cap, const myr_contact_result *r) {
    const int solved = problem_numbers(&entry->problem) > 0; /* else there is no residual */
    const double residual = solved ? r->residual : (double)NAN, residual_ncp = solved ? r->residual_ncp : (double)NAN;
    if (!w->json) {
        cli_csv_value(w->file, entry->id);
        return fprintf(w->file, ",%s,%lld,%lld,%.9g,%.9g,%.9g,%s\n", w->solver, (long long)cap, (long long)r->iterations, r->solve_s,
                       residual, residual_ncp, myr_solve_status_text(r->status)) < 0;
    }
    json_t *row = json_object();
    json_object_set(row, "id", entry->id);
    json_object_set_new(row, "solver", json_string(w->solver));
    json_object_set_new(row, "max_sweeps", json_integer(cap));
    json_object_set_new(row, "iterations", json_integer(r->iterations));
    json_object_set_new(row, "solve_s", cli_json_real(r->solve_s));
    json_object_set_new(row, "residual", cli_json_real(residual));
    json_object_set_new(row, "residual_ncp", cli_json_real(residual_ncp));
    json_object_set_new(row, "status", json_string(myr_solve_status_text(r->status)));
    fputs(w->rows++ ? ",\n" : "\n", w->file);
    const int bad = json_dumpf(row, w->file, CLI_JSON_LINE) != 0;
    json_decref(row);
    return bad;
}

int trace_write(const problem_set *set, const myr_settings *settings, output *out) {
    const char *dot = strrchr(out->path, '.');
    writer w = {.file = out->file, .solver = settings->solver, .json = dot && strcasecmp(dot, ".json") == 0};
    const int64_t last = settings->max_sweeps > 0 ? settings->max_sweeps : CAP;
    size_t most = 0;
    int bad = 0;
    for (size_t i = 0; i < set->n; i++) {
        const size_t m = problem_numbers(&set->entry[i].problem);
        most = m > most ? m : most;
    }
    copies tile;
    copies_open(&tile, settings, most);
    fputs(w.json ? "{\"trace\": [" : "id,solver,max_sweeps,iterations,solve_s,residual,residual_ncp,status\n", w.file);
    myr_status status = MYR_OK;
    for (size_t i = 0; i < set->n && status == MYR_OK && !bad; i++) {
        for (int64_t cap = 1;; cap = next_cap(cap)) {
            myr_settings capped = *settings;
            myr_contact_result result;
            capped.max_sweeps = cap < last ? cap : last;
            status = copies_solve(&tile, &set->entry[i].problem, &capped, REPEATS, &result);
            if (status != MYR_OK) break;
            bad = write_row(&w, &set->entry[i], capped.max_sweeps, &result);
            if (bad || result.status != MYR_ITERATION_LIMIT || cap >= last) break;
        }
    }
    if (w.json) bad |= fputs("\n]}\n", w.file) == EOF;
    copies_close(&tile);
    if (status != MYR_OK) return cli_error("%s", myr_message());
    return bad ? cli_error("cannot write \"%s\"", out->path) : CLI_OK;
}
