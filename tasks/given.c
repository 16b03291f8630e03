/* The library's own tables: tasks/text/, which the build puts into the library. */
#include <string.h>

#include "tasks/seen.h"
#include "tasks/table.h"
#include "task_texts.h" /* of the build: MYR_TASK_TEXTS(TEXT) */

#define TEXT(name) static const unsigned char name##_text[] = {MYR_TEXT_##name};
TEXT(locomotion)
TEXT(hold)
TEXT(hold_fixed)
#undef TEXT

static myr_status read_text(const unsigned char *text, size_t length, const char *label, myr_task_table **out) {
    const myr_status status = myr_task_table_read((const char *)text, length, label, out);
    if (!status) (*out)->given = 1;
    return status;
}

myr_status myr_task_given(const char *name, const myr_model *model, myr_task_table **out) {
    *out = NULL;
    if (!strcmp(name, "locomotion")) return read_text(locomotion_text, sizeof locomotion_text, "locomotion.task", out);
    if (strcmp(name, "hold") != 0) return MYR_OK;
    if (model->nu == 0) return myr_fail(MYR_E_ARG, "task '%s' needs actuators, and the model '%s' has none; use 'none'", name, model->name);
    return myr_floats(model) ? read_text(hold_text, sizeof hold_text, "hold.task", out)
                             : read_text(hold_fixed_text, sizeof hold_fixed_text, "hold_fixed.task", out);
}
