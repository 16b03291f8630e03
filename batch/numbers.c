/* Numbers of a batch's task while it runs: what a curriculum changes between calls. The task is made anew with them, as where the batch was
 * made: its programs have numbers as constants still, and no step looks for one. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/nearest.h"
#include "batch/batch.h"
#include "settings/settings.h"
#include "base/memory.h"
#include "tasks/instance.h"
#include "tasks/table.h"
#include "tasks/varied.h"

/* Settings of episodes that a task may have otherwise from one call to the next. The length of an episode is known to who counts them. */
static int is_of_episodes(const char *key, int *whole) {
#define MYR_SETTING_INT(field, name, usual, low, high, doc)                                                                                \
    if (!strcmp(key, name)) return *whole = 1;
#define MYR_SETTING_REAL(field, name, usual, low, high, doc)                                                                               \
    if (!strcmp(key, name) && strcmp(key, "episode") != 0) return *whole = 0, 1;
#define MYR_SETTING_WORD(field, name, usual, choices, doc)
#include "myriapod/episode.def"
#undef MYR_SETTING_INT
#undef MYR_SETTING_REAL
#undef MYR_SETTING_WORD
    return 0;
}

static myr_status unknown(const myr_task_table *t, const char *name) {
    myr_words words = {0};
    char hint[MYR_WORD_BYTES + 24];
    for (int k = 0; k < t->n_numbers; k++) myr_words_add(&words, t->numbers[k].name);
#define MYR_SETTING_INT(field, key, usual, low, high, doc)                                                                                 \
    if (strcmp(key, "episode") != 0) myr_words_add(&words, key);
#define MYR_SETTING_REAL MYR_SETTING_INT
#define MYR_SETTING_WORD(field, key, usual, choices, doc)
#include "myriapod/episode.def"
#undef MYR_SETTING_INT
#undef MYR_SETTING_REAL
#undef MYR_SETTING_WORD
    myr_words_hint(&words, name, hint, sizeof hint);
    return myr_fail(MYR_E_ARG, "'%.60s' is neither a number of the task '%s' nor a setting of its episodes that can change while it runs%s",
                    name, t->name, hint);
}

static myr_status set_one(const myr_task_table *t, myr_settings *s, const char *name, double value) {
    int whole;
    if (!name) return myr_fail(MYR_E_ARG, "myr_batch_set_numbers: a name is NULL");
    if (!isfinite(value)) return myr_fail(MYR_E_ARG, "'%.60s' is %g, but must be a finite number", name, value);
    if (myr_table_own_number(t, name) >= 0) return myr_setting_put_number(s, name, value);
    if (!is_of_episodes(name, &whole)) return unknown(t, name);
    if (whole && (value != floor(value) || fabs(value) > 1e15))
        return myr_fail(MYR_E_ARG, "'%s' is %g, but must be a whole number", name, value);
    const myr_setting_key *key = myr_setting_keys; /* which has it */
    while (strcmp(key->name, name) != 0) key++;
    return whole ? myr_setting_set_int(s, key, (int64_t)value) : myr_setting_set_real(s, key, value);
}

/* Gains are parameters of environments, which no episode begins with anew. */
static int same_gains(const myr_batch *batch, const myr_step_options *options) {
    const myr_step_options *before = &batch->options;
    if (options->kp != before->kp || options->kd != before->kd || options->own_gains != before->own_gains) return 0;
    if (!options->gains || !before->gains) return options->gains == before->gains;
    return memcmp(options->gains, before->gains, 2 * (size_t)batch->model.nu * sizeof *before->gains) == 0;
}

/* The task and the options of a batch with these settings; *to is the caller's. */
static myr_status make(const myr_batch *batch, const myr_settings *settings, myr_step_options *options, myr_task_instance *to) {
    const myr_task *task = myr_task_of_table(batch->instance->table, batch->kernels, to);
    myr_status status = myr_step_options_get(settings, batch->kernels, batch->source, task, options);
    if (status) return status;
    options->instance = to;
    const myr_instance_of of = {settings, &batch->model, batch->kernels, options};
    if ((status = myr_task_instantiate(&of, to))) return status;
    if (!same_gains(batch, options))
        return myr_fail(MYR_E_STATE, "gains are what a batch of the task '%s' is made with: a number that they read stays", task->name);
    if (memcmp(&to->shape, &batch->instance->shape, sizeof to->shape) != 0)
        return myr_fail(MYR_E_STATE, "the task '%s' keeps or observes other numbers then",
                        task->name); /* cannot be: no number is a count */
    return MYR_OK;
}

static void take(myr_batch *batch, const myr_settings *settings, myr_step_options *options, myr_task_instance *to) {
    options->varied |= batch->options.varied; /* what has been set stays set */
    options->ray_shapes = batch->options.ray_shapes;
    options->undrawn = (myr_drawn_parameters(&batch->settings) | batch->options.undrawn) & ~myr_drawn_parameters(settings);
    options->settings = &batch->settings;
    batch->settings = *settings;
    batch->options = *options;
    myr_task_instance_free(batch->instance);
    batch->instance = to;
    for (int w = 0; w < batch->team->threads; w++) myr_task_open_programs(to, myr_batch_programs(batch, w));
}

myr_status myr_batch_set_numbers(myr_batch *batch, int64_t n, const char *const *names, const double *values) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_batch_set_numbers";
    myr_status status = myr_batch_check(batch, call);
    if (status) return status;
    if (n < 0 || (n > 0 && (!names || !values)))
        return myr_fail(MYR_E_ARG, n < 0 ? "%s: n is %" PRId64 ", but must not be negative" : "%s: names or values are NULL", call, n);
    const myr_task_table *t = batch->instance->table;
    if (!t) return myr_fail(MYR_E_STATE, "%s: the task '%s' is not a table, and has no numbers", call, batch->options.task->name);
    myr_settings settings = batch->settings;
    for (int64_t k = 0; k < n && !status; k++) status = set_one(t, &settings, names[k], values[k]);
    if (status || !n) return status;
    myr_step_options options;
    myr_task_instance *to = myr_allocate(sizeof *to, MYR_ROW_BYTES);
    if (!to) return myr_fail(MYR_E_MEMORY, "out of memory for the task of a batch");
    if (!(status = make(batch, &settings, &options, to))) status = myr_batch_make_room(batch, to);
    if (status)
        myr_task_instance_free(to);
    else
        take(batch, &settings, &options, to);
    return status;
}
