/* Gains of single actuators, by their names: the lines `gain` of a table. */
#include <fnmatch.h>

#include "base/nearest.h"
#include "base/memory.h"
#include "tasks/instance.h"
#include "tasks/table.h"

static myr_status no_actuator(const myr_task_table *t, const myr_table_gain *g, const myr_model *m) {
    char hint[MYR_WORD_BYTES + 24];
    myr_words words = {0};
    for (int u = 0; u < m->nu; u++) myr_words_add(&words, m->actuators[u].name);
    myr_words_hint(&words, g->names, hint, sizeof hint);
    return myr_fail(MYR_E_FORMAT, "%s:%d: no actuator is called `%s`%s `myriapod info` (Python: Model.actuators) lists them", t->label,
                    g->line, g->names, *hint ? hint : ";");
}

myr_status myr_table_set_gains(const myr_instance_of *of, myr_task_instance *to) {
    const myr_task_table *t = to->table;
    const myr_model *m = of->model;
    if (!t->n_gains) return MYR_OK;
    to->gains = myr_allocate_array(2 * (size_t)m->nu + 1, sizeof *to->gains);
    if (!to->gains) return myr_fail(MYR_E_MEMORY, "out of memory for a task");
    for (int u = 0; u < m->nu; u++) myr_start_gains(m, u, of->options, &to->gains[2 * u], &to->gains[2 * u + 1]);
    for (int k = 0; k < t->n_gains; k++) {
        const myr_table_gain *g = &t->gain[k];
        int found = 0;
        for (int u = 0; u < m->nu; u++) {
            if (fnmatch(g->names, m->actuators[u].name, 0) != 0) continue;
            to->gains[2 * u] = myr_table_value(t, of->settings, &g->kp), to->gains[2 * u + 1] = myr_table_value(t, of->settings, &g->kd);
            found = 1;
        }
        if (!found) return no_actuator(t, g, m);
    }
    for (int k = 0; k < 2 * m->nu; k++)
        if (!(to->gains[k] >= 0))
            return myr_fail(MYR_E_FORMAT, "%s: a gain of the actuator `%s` is %g, below 0", t->label, m->actuators[k / 2].name,
                            to->gains[k]);
    of->options->gains = to->gains;
    of->options->varied |= MYR_VARIED_GAINS;
    return MYR_OK;
}
