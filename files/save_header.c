#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "batch/record.h"
#include "files/save_header.h"
#include "tasks/instance.h"
#include "tasks/table.h"

/* Settings that leave the bits of a trajectory alone, or that another line says better. */
static int is_left_out(const char *key) {
    static const char *const out[] = {"envs",         "steps",         "warmup",    "root", "isa",
                                      "threads",      "pin",           "precision", "task", "sense-acceleration",
                                      "sense-bodies", "sense-contacts"};
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        if (strcmp(key, out[i]) == 0) return 1;
    return 0;
}

static void set_value(myr_save_line *line, const char *text) {
    snprintf(line->value, sizeof line->value, "%s", text);
    for (char *c = line->value; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?'; /* a model's name may hold a line end */
}

static void set_key(myr_save_line *line, const char *key) { snprintf(line->key, sizeof line->key, "%s", key); }

/* Of a table what it computes counts, too. */
static void set_task(myr_save_line *line, const myr_batch *batch) {
    const myr_task *task = batch->options.task;
    char text[MYR_NAME_LENGTH];
    if (task->table && !task->table->given)
        snprintf(text, sizeof text, "%.40s %016" PRIx64, task->name, myr_task_table_hash(task->table));
    else
        snprintf(text, sizeof text, "%.60s", task->name);
    set_value(line, text);
}

/* A number that the task has, in effect: one that another task has may differ. */
static int number_line(const myr_batch *batch, int index, myr_save_line *line) {
    const myr_task_table *table = batch->instance->table;
    char text[MYR_NAME_LENGTH];
    if (!table || index >= table->n_numbers) return 0;
    snprintf(line->key, sizeof line->key, "number.%s", table->numbers[index].name);
    myr_setting_write_real(myr_table_own_value(table, &batch->settings, index), text);
    set_value(line, text);
    return 1;
}

static int setting_line(const myr_batch *batch, int index, myr_save_line *line) {
    for (int i = 0; i < myr_setting_key_count; i++) {
        if (is_left_out(myr_setting_keys[i].name) || myr_setting_keys[i].kind == MYR_SETTING_IS_NUMBER || index-- > 0) continue;
        char text[MYR_NAME_LENGTH];
        myr_setting_text(&batch->settings, &myr_setting_keys[i], text);
        set_key(line, myr_setting_keys[i].name);
        set_value(line, text);
        return 1;
    }
    return number_line(batch, index, line);
}

int myr_save_line_get(const myr_batch *batch, int index, myr_save_line *line) {
    static const char *const keys[] = {"library", "math", "model", "model-hash", "precision", "envs", "bytes-per-env", "task"};
    const int fixed = (int)(sizeof keys / sizeof *keys);
    memset(line, 0, sizeof *line);
    const int senses = batch->model.n_sensors > 0;
    char text[64];
    if (index == fixed && senses) { /* the hash of the model knows nothing of them, but what they keep is state */
        snprintf(text, sizeof text, "%016" PRIx64, myr_sensors_hash(&batch->model));
        set_key(line, "sensors-hash");
        set_value(line, text);
        return 1;
    }
    if (index >= fixed) return setting_line(batch, index - fixed - senses, line);
    set_key(line, keys[index]);
    switch (index) {
    case 0: set_value(line, myr_version()); break;
    case 1: set_value(line, myr_math_version()); break;
    case 2:
        set_value(line, batch->model.name);
        line->informs = 1; /* the hash decides */
        break;
    case 3:
        snprintf(text, sizeof text, "%016" PRIx64, myr_model_hash(batch->source));
        set_value(line, text);
        break;
    case 4: set_value(line, batch->layout.precision == 4 ? "f32" : "f64"); break;
    case 5:
        snprintf(text, sizeof text, "%" PRId64, batch->envs);
        set_value(line, text);
        break;
    case 6:
        snprintf(text, sizeof text, "%zu", myr_record_bytes(batch, MYR_RECORD_ALL));
        set_value(line, text);
        break;
    default: set_task(line, batch); break;
    }
    return 1;
}
