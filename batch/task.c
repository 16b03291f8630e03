/* Asking a batch what its task is: terms, parts of the observation, ends, inputs. */
#include <string.h>

#include "batch/batch.h"
#include "base/memory.h"
#include "tasks/inputs.h"
#include "tasks/instance.h"

myr_status myr_batch_get_observed(const myr_batch *batch, int part, myr_observed_info *info) {
    MYR_OWN_ARITHMETIC;
    myr_status status = myr_batch_check(batch, "myr_batch_get_observed");
    if (status != MYR_OK) return status;
    if (!info) return myr_fail(MYR_E_ARG, "myr_batch_get_observed: info is NULL");
    const myr_task_instance *task = batch->instance;
    if (part < 0 || part >= task->n_parts)
        return myr_fail(MYR_E_ARG, "part %d: the observation of the task '%s' has %d parts", part, batch->options.task->name,
                        task->n_parts);
    const myr_observed_part *is = &task->parts[part];
    *info = (myr_observed_info){is->name, is->unit, is->doc, is->first, is->n, is->scale, is->noise, is->critic, is->frames};
    return MYR_OK;
}

myr_status myr_batch_get_reward(const myr_batch *batch, int term, myr_reward_info *info) {
    MYR_OWN_ARITHMETIC;
    myr_status status = myr_batch_check(batch, "myr_batch_get_reward");
    if (status != MYR_OK) return status;
    if (!info) return myr_fail(MYR_E_ARG, "myr_batch_get_reward: info is NULL");
    const myr_task_instance *task = batch->instance;
    if (term < 0 || term >= task->n_terms)
        return myr_fail(MYR_E_ARG, "term %d: the task '%s' has %d reward terms", term, batch->options.task->name, task->n_terms);
    *info = (myr_reward_info){task->terms[term].key, task->terms[term].doc, task->terms[term].weight, task->terms[term].metric};
    return MYR_OK;
}

myr_status myr_batch_get_end(const myr_batch *batch, int end, myr_end_info *info) {
    MYR_OWN_ARITHMETIC;
    myr_status status = myr_batch_check(batch, "myr_batch_get_end");
    if (status != MYR_OK) return status;
    if (!info) return myr_fail(MYR_E_ARG, "myr_batch_get_end: info is NULL");
    const myr_task_instance *task = batch->instance;
    if (end < 0 || end >= task->n_ends)
        return myr_fail(MYR_E_ARG, "end %d: the task '%s' has %d ends by name", end, batch->options.task->name, task->n_ends);
    *info = (myr_end_info){task->ends[end].name, task->ends[end].truncates};
    return MYR_OK;
}

myr_status myr_batch_get_memory(const myr_batch *batch, int memory, myr_memory_info *info) {
    MYR_OWN_ARITHMETIC;
    myr_status status = myr_batch_check(batch, "myr_batch_get_memory");
    if (status != MYR_OK) return status;
    if (!info) return myr_fail(MYR_E_ARG, "myr_batch_get_memory: info is NULL");
    const myr_task_table *t = batch->instance->table;
    if (memory < 0 || !t || memory >= t->n_memories)
        return myr_fail(MYR_E_ARG, "memory %d: the task '%s' has %d memories", memory, batch->options.task->name, t ? t->n_memories : 0);
    *info = (myr_memory_info){t->memories[memory].name, t->memories[memory].first, t->memories[memory].rows};
    return MYR_OK;
}

myr_status myr_batch_get_mirror(const myr_batch *batch, int *observation, int *action) {
    MYR_OWN_ARITHMETIC;
    const myr_status status = myr_batch_check(batch, "myr_batch_get_mirror");
    if (status != MYR_OK) return status;
    const myr_task_instance *task = batch->instance;
    if (!task->mirror) return myr_fail(MYR_E_STATE, "the task '%s' has no mirror: lines `mirror` of its table", batch->options.task->name);
    const int seen = task->shape.observations + task->shape.critics;
    if (observation) memcpy(observation, task->mirror, (size_t)task->shape.observations * sizeof *observation);
    if (action) memcpy(action, task->mirror + seen, (size_t)task->shape.actions * sizeof *action);
    return MYR_OK;
}

myr_status myr_batch_get_number(const myr_batch *batch, int number, myr_number_info *info) {
    MYR_OWN_ARITHMETIC;
    myr_status status = myr_batch_check(batch, "myr_batch_get_number");
    if (status != MYR_OK) return status;
    if (!info) return myr_fail(MYR_E_ARG, "myr_batch_get_number: info is NULL");
    const myr_task_table *t = batch->instance->table;
    if (number < 0 || !t || number >= t->n_numbers)
        return myr_fail(MYR_E_ARG, "number %d: the task '%s' has %d numbers", number, batch->options.task->name, t ? t->n_numbers : 0);
    const myr_table_own *own = &t->numbers[number];
    *info = (myr_number_info){own->name, own->doc, myr_table_own_value(t, &batch->settings, number), own->low, own->high};
    return MYR_OK;
}

const char *myr_batch_fault_name(const myr_batch *batch, int fault) { return batch ? myr_task_fault_name(batch->instance, fault) : NULL; }

static int moment_by(const char *name) {
    for (int k = 0; myr_moment_text(k); k++)
        if (!strcmp(myr_moment_text(k), name)) return k;
    return -1;
}

myr_status myr_batch_input_rows(const myr_batch *batch, const char *moment, const char *name, int *rows) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_batch_input_rows";
    myr_status status = myr_batch_check(batch, call);
    if (status != MYR_OK) return status;
    if (!moment || !name || !rows) return myr_fail(MYR_E_ARG, "%s: %s is NULL", call, !moment ? "moment" : !name ? "name" : "rows");
    const int at = moment_by(moment);
    if (at < 0) return myr_fail(MYR_E_ARG, "%s: there is no moment '%.60s'", call, moment);
    if (!batch->instance->table) return myr_fail(MYR_E_STATE, "%s: the task '%s' is not a table", call, batch->options.task->name);
    const myr_inputs_of of = {.table = batch->instance->table,
                              .settings = &batch->settings,
                              .model = &batch->model,
                              .layout = &batch->layout,
                              .options = &batch->options,
                              .moment = (myr_moment_name)at,
                              .numbers = myr_allocate_array((size_t)myr_inputs_room(&batch->model), sizeof(double))};
    myr_binding b = {.n = 0};
    int fixed;
    if (!of.numbers) return myr_fail(MYR_E_MEMORY, "%s: out of memory", call);
    status = myr_input_find(&of, of.table->name, 0, name, &b, &fixed);
    myr_release(of.numbers);
    if (!status) *rows = b.n;
    return status;
}
