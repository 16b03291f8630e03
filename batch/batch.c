#include <math.h>
#include <string.h>
#include <unistd.h>

#include "batch/batch.h"
#include "batch/ray_table.h"
#include "settings/resolve.h"
#include "tasks/instance.h"
#include "tasks/table.h"

myr_status myr_batch_check(const myr_batch *batch, const char *call) {
    if (!batch) return myr_fail(MYR_E_ARG, "%s: batch is NULL", call);
    if (batch->pid != (int64_t)getpid())
        return myr_fail(
            MYR_E_FORK,
            "%s: the batch belongs to process %lld, and this is its child %lld: threads do not follow a fork; make the batch after forking",
            call, (long long)batch->pid, (long long)getpid());
    return MYR_OK;
}

myr_status myr_batch_check_ids(const myr_batch *batch, const char *call, const int64_t *ids, int64_t n) {
    if (n < 0) return myr_fail(MYR_E_ARG, "%s: n is %lld", call, (long long)n);
    if (!ids && n > batch->envs)
        return myr_fail(MYR_E_ARG, "%s: n is %lld, but the batch has %lld environments", call, (long long)n, (long long)batch->envs);
    for (int64_t i = 0; ids && i < n; i++)
        if (ids[i] < 0 || ids[i] >= batch->envs)
            return myr_fail(MYR_E_ARG, "%s: ids[%lld] is %lld, but the batch has environments 0 .. %lld", call, (long long)i,
                            (long long)ids[i], (long long)batch->envs - 1);
    return MYR_OK;
}

static size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

/* Memory that its users will touch first, counted; NULL where the product overflows or there is none. */
static void *allocate_counted(myr_batch *batch, int64_t count, size_t size, void *(*allocate)(size_t bytes, size_t alignment)) {
    size_t bytes;
    if (__builtin_mul_overflow(size, count, &bytes)) return NULL;
    batch->bytes += bytes;
    return allocate(bytes, MYR_ROW_BYTES);
}

static void zero_worker(void *context, int worker) {
    const myr_batch *batch = context;
    memset(batch->workers + (size_t)worker * batch->worker_bytes, 0, batch->worker_used);
}

static void start_tiles(void *context, int worker) {
    myr_batch *batch = context;
    const int64_t first = myr_batch_first_tile(batch, worker), end = myr_batch_first_tile(batch, worker + 1);
    zero_worker(context, worker);
    myr_task_open_programs(batch->instance, myr_batch_programs(batch, worker));
    myr_prefer_large_pages(myr_batch_tile(batch, first), (size_t)(end - first) * batch->layout.tile_bytes);
    for (int64_t t = first; t < end; t++) myr_batch_start_tile(batch, worker, t);
}

/* The joint rows that the settings leave. A joint that has `implicit` friction and no limits keeps its row so that the field `dry_friction`
 * exists; the solver never sees it. */
static void take_rows(myr_batch *batch, const myr_model *model) {
    const int limits = strcmp(batch->settings.joint_limits, "on") == 0, friction = strcmp(batch->settings.joint_friction, "off") != 0;
    batch->model.rows = batch->rows;
    batch->model.n_rows = 0;
    for (int k = 0; k < model->n_rows; k++) {
        myr_joint_row row = model->rows[k];
        if (!limits) row.lower = (double)-INFINITY, row.upper = (double)INFINITY;
        if (!friction) row.friction = 0;
        if (isfinite(row.lower) || isfinite(row.upper) || row.friction > 0) batch->rows[batch->model.n_rows++] = row;
    }
}

/* The model as this batch sees it: with `friction` >= 0 every slot has that coefficient. */
static myr_status take_model(myr_batch *batch, const myr_model *model) {
    batch->source = myr_model_retain(model);
    memcpy((void *)&batch->model, model, sizeof *model);
    const size_t slots = (size_t)model->n_slots;
    batch->slots = myr_allocate((slots + 1) * sizeof *batch->slots, MYR_ROW_BYTES);
    batch->geom_mask = myr_allocate((size_t)model->n_geoms + 1, MYR_ROW_BYTES);
    batch->rows = myr_allocate(((size_t)model->n_rows + 1) * sizeof *batch->rows, MYR_ROW_BYTES);
    if (!batch->slots || !batch->geom_mask || !batch->rows) return myr_fail(MYR_E_MEMORY, "no memory for the slots of '%s'", model->name);
    take_rows(batch, model);
    if (slots > 0) memcpy(batch->slots, model->slots, slots * sizeof *batch->slots);
    batch->model.slots = batch->slots;
    for (size_t s = 0; s < slots && batch->settings.friction >= 0; s++) batch->slots[s].friction = batch->settings.friction;
    batch->bytes += slots * sizeof *batch->slots + (size_t)model->n_geoms + (size_t)model->n_rows * sizeof *batch->rows;
    return MYR_OK;
}

enum { MOST_SLOTS = 15000 }; /* blocks of G are counted in an int */

static myr_status build_robot(myr_batch *batch) {
    if (batch->model.n_slots > MOST_SLOTS)
        return myr_fail(MYR_E_LIMIT, "'%s' has %d contact slots; at most %d fit a batch", batch->model.name, batch->model.n_slots,
                        MOST_SLOTS);
    const size_t bytes = batch->kernels->robot_bytes(&batch->model);
    batch->robot = myr_allocate(bytes, MYR_ROW_BYTES);
    if (!batch->robot) return myr_fail(MYR_E_MEMORY, "no memory for the constants of '%s'", batch->model.name);
    batch->bytes += bytes;
    myr_batch_task_geoms(&batch->model, batch->options.task, batch->geom_mask);
    batch->kernels->robot_build(batch->robot, &batch->model, &batch->layout, batch->geom_mask, (int)batch->settings.contacts);
    return MYR_OK;
}

static void size_workers(myr_batch *batch, size_t program_bytes) {
    batch->tally_bytes = round_up(sizeof(myr_tally), MYR_ROW_BYTES);
    batch->program_bytes = program_bytes;
    const size_t before = batch->tally_bytes + batch->program_bytes;
    /* whole pages, so that two workers never share one */
    batch->worker_bytes = round_up(
        before + batch->kernels->workspace_bytes(batch->robot, batch->options.scheme, batch->options.solve.solver), MYR_PAGE_BYTES);
    batch->worker_used = before + batch->kernels->workspace_used_bytes(batch->robot);
}

static size_t program_bytes_of(const myr_task_instance *task) { return round_up(myr_task_program_bytes(task), MYR_ROW_BYTES); }

myr_status myr_batch_make_room(myr_batch *batch, const myr_task_instance *task) {
    const size_t threads = (size_t)batch->team->threads, had = batch->program_bytes, step = batch->worker_bytes;
    if (program_bytes_of(task) <= had) return MYR_OK;
    size_workers(batch, program_bytes_of(task));
    char *workers = myr_allocate_pages(threads * batch->worker_bytes, MYR_ROW_BYTES), *before = batch->workers;
    if (!workers) {
        size_workers(batch, had);
        return myr_fail(MYR_E_MEMORY, "out of memory for the programs of the task '%s'", batch->options.task->name);
    }
    batch->bytes += threads * (batch->worker_bytes - step);
    batch->reserved = threads * (batch->worker_bytes - batch->worker_used);
    batch->workers = workers;
    myr_team_run(batch->team, zero_worker, batch);
    for (size_t w = 0; w < threads; w++) memcpy(myr_batch_tally(batch, (int)w), before + w * step, sizeof(myr_tally)); /* counts go on */
    myr_release(before);
    return MYR_OK;
}

static myr_status allocate_arenas(myr_batch *batch) {
    size_workers(batch, program_bytes_of(batch->instance));
    batch->workers = allocate_counted(batch, batch->team->threads, batch->worker_bytes, myr_allocate_pages);
    batch->reserved = (size_t)batch->team->threads * (batch->worker_bytes - batch->worker_used);
    batch->arena = allocate_counted(batch, batch->tiles, batch->layout.tile_bytes, myr_allocate_large);
    batch->metas = allocate_counted(batch, batch->tiles, sizeof *batch->metas, myr_allocate_untouched);
    if (batch->workers && batch->arena && batch->metas) return MYR_OK;
    return myr_fail(MYR_E_MEMORY, "no memory for %lld environments of '%s': each takes %zu bytes", (long long)batch->envs,
                    batch->model.name, (batch->layout.tile_bytes + sizeof *batch->metas) / (size_t)batch->layout.lanes);
}

static const double usual_step = 1e-3, shortest_step = 1e-9, longest_step = 1; /* [s] */

/* Everything below knows one length of a step: that of the settings, or where they leave it open the model's own. */
static myr_status take_step_length(double *dt, const myr_model *model) {
    const int own = *dt == 0 && model->timestep > 0;
    if (*dt == 0) *dt = own ? model->timestep : usual_step;
    if (*dt >= shortest_step && *dt <= longest_step) return MYR_OK;
    return myr_fail(MYR_E_ARG, "%s is %g s, but must lie in %g .. %g%s", own ? "the timestep of the model" : "'dt'", *dt, shortest_step,
                    longest_step, own ? ": set 'dt'" : ", or be 0");
}

static myr_status fill(myr_batch *batch, const myr_model *model, const myr_task_table *table) {
    myr_status status = myr_resolve_kernels(&batch->settings, &batch->kernels);
    if (status != MYR_OK) return status;
    if (!(batch->instance = myr_allocate(sizeof *batch->instance, MYR_ROW_BYTES)))
        return myr_fail(MYR_E_MEMORY, "no memory for the task of a batch");
    const myr_task *given = table ? myr_task_of_table(table, batch->kernels, batch->instance) : NULL;
    status = myr_step_options_get(&batch->settings, batch->kernels, model, given, &batch->options);
    if (status != MYR_OK || (status = take_model(batch, model)) != MYR_OK) return status;
    batch->options.instance = batch->instance;
    const myr_instance_of of = {&batch->settings, &batch->model, batch->kernels, &batch->options};
    if ((status = myr_task_instantiate(&of, batch->instance)) != MYR_OK) return status;
    myr_layout_init(&batch->layout, &batch->model, batch->kernels->precision, &batch->settings, &batch->instance->shape);
    batch->tiles = (batch->envs - 1) / batch->layout.lanes + 1;
    status = myr_team_create((int)batch->settings.threads, (int)batch->settings.pin, batch->tiles, &batch->team);
    if (status == MYR_OK) status = build_robot(batch);
    if (status == MYR_OK) status = allocate_arenas(batch);
    if (status == MYR_OK && batch->model.sees_shapes) status = myr_batch_see_shapes(batch);
    if (status != MYR_OK) return status;
    batch->options.ray_shapes = batch->rays ? &batch->rays->shapes : NULL;
    batch->bytes += sizeof *batch + sizeof *batch->instance + myr_team_bytes(batch->team);
    myr_team_run(batch->team, start_tiles, batch);
    return MYR_OK;
}

static myr_status create(const myr_model *model, int64_t envs, const myr_settings *settings, const myr_task_table *table, myr_batch **out) {
    myr_status status = myr_batch_make(model, envs, settings, table, out);
    if (status != MYR_OK || (status = myr_batch_try(*out)) == MYR_OK) return status;
    myr_batch_free(*out);
    *out = NULL;
    return status;
}

myr_status myr_batch_create(const myr_model *model, int64_t envs, const myr_settings *settings, myr_batch **out) {
    MYR_OWN_ARITHMETIC;
    return create(model, envs, settings, NULL, out);
}

myr_status myr_batch_create_for(const myr_model *model, int64_t envs, const myr_settings *settings, const myr_task_table *table,
                                myr_batch **out) {
    MYR_OWN_ARITHMETIC;
    if (out) *out = NULL;
    if (!table) return myr_fail(MYR_E_ARG, "myr_batch_create_for: table is NULL");
    return create(model, envs, settings, table, out);
}

myr_status myr_batch_make(const myr_model *model, int64_t envs, const myr_settings *settings, const myr_task_table *table,
                          myr_batch **out) {
    if (!out) return myr_fail(MYR_E_ARG, "myr_batch_create: out is NULL");
    *out = NULL;
    if (!model) return myr_fail(MYR_E_ARG, "myr_batch_create: model is NULL");
    if (envs < 1 || envs > INT64_MAX / 2)
        return myr_fail(MYR_E_ARG, "myr_batch_create: envs is %lld, but must be 1 to %lld", (long long)envs, (long long)(INT64_MAX / 2));
    myr_status status = myr_settings_check(settings);
    if (status != MYR_OK) return status;
    myr_batch *batch = myr_allocate(sizeof *batch, MYR_ROW_BYTES);
    if (!batch) return myr_fail(MYR_E_MEMORY, "no memory for a batch");
    batch->settings = *settings;
    batch->envs = envs;
    batch->pid = (int64_t)getpid();
    myr_model *on = NULL;
    status = myr_resolve_ground(settings, model, &on);
    if (status == MYR_OK) status = take_step_length(&batch->settings.dt_s, on);
    myr_task_table *given = NULL; /* of the setting `task` */
    if (status == MYR_OK && !table) status = myr_task_given(settings->task, on, &given);
    if (status == MYR_OK) status = fill(batch, on, table ? table : given);
    myr_task_table_free(given);
    myr_model_free(on);
    if (status == MYR_OK)
        *out = batch;
    else
        myr_batch_free(batch);
    return status;
}

/* Fine in a child process too: nothing here needs the threads. */
void myr_batch_free(myr_batch *batch) {
    if (!batch) return;
    myr_release(batch->metas);
    myr_release(batch->arena);
    myr_release(batch->workers);
    myr_release(batch->robot);
    myr_task_instance_free(batch->instance);
    myr_release(batch->geom_mask);
    myr_release(batch->slots);
    myr_release(batch->rows);
    myr_ray_table_free(batch->rays);
    myr_team_destroy(batch->team);
    if (batch->source) myr_model_free((myr_model *)(uintptr_t)batch->source);
    myr_release(batch);
}

const myr_model *myr_batch_model(const myr_batch *batch) { return batch ? batch->source : NULL; }

void myr_batch_get_info(const myr_batch *batch, myr_batch_info *info) {
    MYR_OWN_ARITHMETIC;
    *info = (myr_batch_info){0};
    if (!batch) return;
    *info = (myr_batch_info){
        .envs = batch->envs,
        .precision = batch->layout.precision,
        .lanes = batch->layout.lanes,
        .isa = batch->kernels->isa,
        .threads = batch->team->size, /* what OpenMP really gave */
        .n_cpus = batch->team->size,
        .cpus = batch->team->cpus,
        .bytes = batch->bytes - batch->reserved,
        .bytes_per_env = (double)(batch->bytes - batch->reserved) / (double)batch->envs,
        .dt_s = batch->options.dt_s,
        .task = batch->options.task->name,
        .reserved_bytes = batch->reserved,
        .command_s = batch->instance->shape.command ? batch->instance->command_hold : 0,
    };
}
