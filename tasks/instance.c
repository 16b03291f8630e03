#include "tasks/instance.h"

/* Of the parts that this robot has. */
static void list_parts(const myr_task *task, const myr_settings *settings, const myr_model *model, myr_task_instance *to) {
    for (int i = 0; i < task->n_observes; i++) {
        const myr_observed kind = task->observes[i];
        const myr_observed_kind *is = &myr_observed_kinds[kind];
        const int n = myr_observed_count(kind, settings, model);
        if (n == 0) continue;
        to->parts[to->n_parts++] = (myr_observed_part){.name = is->name,
                                                       .unit = is->unit,
                                                       .doc = is->doc,
                                                       .kind = kind,
                                                       .first = to->shape.observations,
                                                       .n = n,
                                                       .plain = is->noise == 0 && is->scale == 0,
                                                       .late = task->base_noise_last && kind <= MYR_OBSERVED_BASE_DOWN,
                                                       .scale = myr_observed_number(settings, is->scale, 1),
                                                       .noise = myr_observed_number(settings, is->noise, 0)};
        to->shape.observations += n;
    }
}

void myr_task_instantiate(const myr_task *task, const myr_settings *settings, const myr_model *model, myr_task_instance *to) {
    *to = (myr_task_instance){.n_terms = task->n_rewards, .floored = (int)settings->reward_floor};
    if (task->n_rewards == 0) return;
    to->shape.actions = model->nu;
    to->shape.terms = task->n_rewards;
    for (int k = 0; k < task->n_rewards; k++)
        to->terms[k] = (myr_term){task->rewards[k].key, task->rewards[k].doc, myr_reward_weight(settings, &task->rewards[k])};
    list_parts(task, settings, model, to);
    if (task->shape) task->shape(model, &to->shape);
}
