/* A table of a task, once it has been read: from a file, its parts, its settings, its end. */
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "tasks/table.h"

myr_status myr_task_table_load(const char *path, myr_task_table **out) {
    MYR_OWN_ARITHMETIC;
    if (out) *out = NULL;
    if (!path) return myr_fail(MYR_E_ARG, "myr_task_table_load: path is NULL");
    char *text = NULL;
    size_t length;
    myr_status status = myr_read_file(path, &text, &length);
    if (!status) status = myr_task_table_read(text, length, path, out);
    myr_release(text);
    return status;
}

myr_task_table *myr_task_table_retain(const myr_task_table *table) {
    myr_task_table *t = (myr_task_table *)(uintptr_t)table;
    if (t) atomic_fetch_add(&t->references, 1);
    return t;
}

void myr_task_table_free(myr_task_table *t) {
    if (!t || atomic_fetch_sub(&t->references, 1) != 1) return;
    for (int k = 0; k < t->n_numbers; k++) myr_release(t->numbers[k].doc);
    for (int k = 0; k < t->n_rewards; k++) myr_release(t->rewards[k].doc);
    for (int k = 0; k < t->n_observed; k++) myr_release(t->observed[k].doc);
    myr_release(t->text), myr_release(t->label), myr_release(t->robot), myr_release(t->about), myr_release(t->ends);
    myr_release(t);
}

const char *myr_task_table_name(const myr_task_table *t) { return t ? t->name : ""; }
const char *myr_task_table_robot(const myr_task_table *t) { return t && t->robot ? t->robot : ""; }
const char *myr_task_table_about(const myr_task_table *t) { return t && t->about ? t->about : ""; }

myr_status myr_task_table_apply(const myr_task_table *t, myr_settings *settings) {
    MYR_OWN_ARITHMETIC;
    if (!t || !settings) return myr_fail(MYR_E_ARG, "myr_task_table_apply: %s is NULL", t ? "settings" : "table");
    myr_settings all = *settings;
    for (int k = 0; k < t->n_settings; k++) {
        const myr_status status = myr_settings_set(&all, t->settings[k].key, t->settings[k].value);
        if (status) return status;
    }
    *settings = all;
    return MYR_OK;
}

const char *myr_task_table_text(const myr_task_table *t) { return t ? t->text : ""; }

uint64_t myr_task_table_hash(const myr_task_table *t) {
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t k = 0; k < t->length; k++) h = (h ^ (unsigned char)t->text[k]) * UINT64_C(0x100000001b3);
    return h;
}
