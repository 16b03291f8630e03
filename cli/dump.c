/* Contact problems that a run meets, spread over its steps and environments: at each of some steps, evenly apart, from environments that
 * lie a golden section of the batch apart. No dice: the same run dumps the same problems. */
#include "dump.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"
#include "json.h"

static int ends_in(const char *path, const char *end) {
    const size_t n = strlen(path), m = strlen(end);
    return n >= m && strcasecmp(path + n - m, end) == 0;
}

static int64_t divisor(int64_t a, int64_t b) { return b ? divisor(b, a % b) : a; }

int dump_open(dump *d, output *out, const myr_batch *batch, const myr_settings *settings, const myr_model_info *model) {
    myr_batch_info info;
    myr_batch_get_info(batch, &info);
    d->out = out;
    if (!out->path) return CLI_OK;
    const size_t n = (size_t)model->n_slots, rows = (size_t)model->n_rows, m = 3 * n + rows;
    d->steps = settings->steps;
    d->first_env = settings->first_env;
    d->envs = info.envs;
    d->stride = (int64_t)(0.6180339887498949 * (double)info.envs) + 1;
    while (divisor(d->envs, d->stride) != 1) d->stride++;
    d->points = d->count < d->steps ? d->count : d->steps;
    d->room = (myr_problem_room){.room = model->n_slots,
                                 .room_rows = model->n_rows,
                                 .G = cli_allocate(m * m, sizeof(double)),
                                 .c = cli_allocate(m, sizeof(double)),
                                 .mu = cli_allocate(n, sizeof(double)),
                                 .start = cli_allocate(m, sizeof(double)),
                                 .R = cli_allocate(m, sizeof(double)),
                                 .slots = cli_allocate(n, sizeof(int)),
                                 .stairs = cli_allocate(3 * rows, sizeof(double)),
                                 .row_ids = cli_allocate(rows, sizeof(int)),
                                 .patches = cli_allocate(n, sizeof(int))};
    if (ends_in(out->path, ".h5") || ends_in(out->path, ".hdf5")) {
        if (!out->temporary) return cli_error("cannot write \"%s\": HDF5 needs a regular file", out->path);
        d->hdf5 = dump_fclib_open(out->temporary);
        return d->hdf5 < 0 ? cli_error("cannot write \"%s\"", out->path) : CLI_OK;
    }
    return fputs("{\"problems\": [", out->file) == EOF ? cli_error("cannot write \"%s\"", out->path) : CLI_OK;
}

int64_t dump_next(const dump *d) {
    if (!d->out || !d->out->path || d->point >= d->points || d->written >= d->count) return INT64_MAX;
    return (int64_t)((double)d->point * (double)d->steps / (double)d->points);
}

static int all_finite(const myr_problem_room *p) {
    const size_t m = 3 * (size_t)p->contacts + (size_t)p->rows;
    double sum = 0; /* of zeros: what is not finite makes it NaN */
    for (size_t i = 0; i < m * m; i++) sum += 0 * p->G[i];
    for (size_t i = 0; i < m; i++) sum += 0 * p->c[i] + 0 * p->start[i];
    for (int i = 0; i < p->contacts; i++) sum += 0 * p->mu[i];
    return sum == 0;
}

static int is_compliant(const myr_problem_room *p) {
    for (int i = 0; i < 3 * p->contacts + p->rows; i++)
        if (p->R[i] != 0) return 1;
    return 0;
}

static int write_json(dump *d, const dump_source *source) {
    const myr_problem_room *p = &d->room;
    const size_t nc = (size_t)p->contacts, m = 3 * nc + (size_t)p->rows;
    json_t *entry = json_object(), *from = json_object(), *slots = json_array(), *ids = json_array(), *patches = json_array();
    for (int k = 0; k < p->rows; k++) json_array_append_new(ids, json_integer(p->row_ids[k]));
    for (size_t i = 0; i < nc; i++) json_array_append_new(slots, json_integer(p->slots[i]));
    for (size_t i = 0; i < nc; i++) json_array_append_new(patches, json_integer(p->patches[i]));
    json_object_set_new(entry, "id", json_integer(source->index));
    json_object_set_new(entry, "mu", cli_json_reals(p->mu, nc));
    json_object_set_new(entry, "c", cli_json_reals(p->c, m));
    json_object_set_new(entry, "start", cli_json_reals(p->start, m));
    if (is_compliant(p)) json_object_set_new(entry, "R", cli_json_reals(p->R, m));
    if (p->rows) json_object_set_new(entry, "rows", cli_json_matrix(p->stairs, (size_t)p->rows, 3)); /* infinite: null */
    json_object_set_new(entry, "patches", patches);
    json_object_set_new(entry, "G", cli_json_matrix(p->G, m, m));
    json_object_set_new(from, "model", cli_json_text(source->model));
    json_object_set_new(from, "task", json_string(source->task));
    json_object_set_new(from, "env", json_integer(source->env));
    json_object_set_new(from, "step", json_integer(source->step));
    json_object_set_new(from, "time", cli_json_real(source->time_s));
    json_object_set_new(from, "slots", slots);
    json_object_set_new(from, "joint_rows", ids);
    json_object_set_new(entry, "source", from);
    int bad = fputs(d->written ? ",\n" : "\n", d->out->file) == EOF;
    bad |= json_dumpf(entry, d->out->file, CLI_JSON_LINE) != 0;
    json_decref(entry);
    return bad;
}

int dump_take(dump *d, const myr_batch *batch, int64_t done) {
    myr_batch_info info;
    myr_batch_get_info(batch, &info);
    /* What this and the points before it should have brought; a point where few touch the ground leaves the rest to the next. */
    const int64_t wanted = (int64_t)ceil((double)d->count * (double)(d->point + 1) / (double)d->points) - d->written;
    const int64_t most = d->envs < 4 * wanted + 64 ? d->envs : 4 * wanted + 64;
    int64_t found = 0;
    for (int64_t i = 0; i < most && found < wanted; i++) {
        const int64_t env = (int64_t)(((uint64_t)d->point * 7 + (uint64_t)i) % (uint64_t)d->envs * (uint64_t)d->stride % (uint64_t)d->envs);
        if (myr_batch_problem(batch, env, &d->room) != MYR_OK) return cli_error("%s", myr_message());
        if (d->room.contacts < d->contacts) continue;
        if (!all_finite(&d->room)) {
            d->not_finite++;
            continue;
        }
        double time_s = 0;
        myr_batch_get(batch, MYR_TIME, &env, 1, MYR_F64, &time_s);
        if (d->hdf5 && d->room.rows)
            return cli_error(
                "\"%s\": FCLib's files have no place for joint rows: dump JSON, or run with --joint-limits off --joint-friction off",
                d->out->path);
        const dump_source source = {d->written, d->first_env + env, done, time_s, d->model, info.task};
        if (d->hdf5 ? dump_fclib_add(d->hdf5, &source, &d->room) : write_json(d, &source))
            return cli_error("cannot write \"%s\"", d->out->path);
        d->written++, found++;
    }
    d->point++;
    return CLI_OK;
}

int dump_close(dump *d) {
    if (!d->out || !d->out->path) return CLI_OK;
    int bad;
    if (d->hdf5) {
        bad = dump_fclib_close(d->hdf5);
        d->hdf5 = 0;
    } else {
        bad = fputs("\n]}\n", d->out->file) == EOF;
    }
    if (bad) return cli_error("cannot write \"%s\"", d->out->path);
    if (d->not_finite) cli_warning("%lld problems with numbers that are not finite were left out of the dump", (long long)d->not_finite);
    if (d->written < d->count)
        cli_warning("%lld of %lld problems with at least %d contact%s were met at the steps looked at", (long long)d->written,
                    (long long)d->count, d->contacts, d->contacts == 1 ? "" : "s");
    return CLI_OK;
}

void dump_free(dump *d) {
    if (d->hdf5 > 0) dump_fclib_close(d->hdf5);
    free(d->room.G);
    free(d->room.c);
    free(d->room.mu);
    free(d->room.start);
    free(d->room.R);
    free(d->room.slots);
    free(d->room.stairs);
    free(d->room.row_ids);
    free(d->room.patches);
    *d = (dump){0};
}
