/* The list of tasks outside the lanes: names and reward terms, which are the same in every unit's table. */
#include <string.h>

#include "tasks/task.h"

const myr_task *myr_task_find(const myr_task *const *tasks, const char *name) {
    for (; *tasks; tasks++)
        if (strcmp((*tasks)->name, name) == 0) return *tasks;
    return NULL;
}

const myr_task *myr_task_automatic(const myr_task *const *tasks, const myr_model *model) {
    for (; *tasks; tasks++)
        if ((*tasks)->automatic && (model->quadruped.valid || !(*tasks)->quadruped)) return *tasks;
    return NULL;
}

static const myr_task *named(const char *name) { return name ? myr_task_find(myr_kernels_any()->tasks, name) : NULL; }

const char *myr_task_name(int index) {
    const myr_task *const *tasks = myr_kernels_any()->tasks;
    for (; index > 0 && *tasks; index--) tasks++;
    return index == 0 && *tasks ? (*tasks)->name : NULL;
}

myr_status myr_task_get(const char *name, myr_task_info *info) {
    MYR_OWN_ARITHMETIC;
    const myr_task *task = named(name);
    if (!info) return myr_fail(MYR_E_ARG, "myr_task_get: info is NULL");
    if (!task) return myr_fail(MYR_E_ARG, "there is no task '%.100s'", name ? name : "(null)");
    *info = (myr_task_info){.name = task->name,
                            .needs_quadruped = task->quadruped,
                            .needs_actuators = task->actuated,
                            .sets_targets = task->drive != NULL,
                            .n_rewards = task->n_rewards};
    return MYR_OK;
}

int myr_task_reward_count(const char *name) {
    const myr_task *task = named(name);
    return task ? task->n_rewards : 0;
}

const char *myr_task_reward_name(const char *name, int term) {
    return term >= 0 && term < myr_task_reward_count(name) ? named(name)->rewards[term].key : NULL;
}

const char *myr_task_reward_doc(const char *name, int term) {
    return term >= 0 && term < myr_task_reward_count(name) ? named(name)->rewards[term].doc : NULL;
}

int myr_reward_count(void) { return myr_task_reward_count("locomotion"); }
const char *myr_reward_name(int term) { return myr_task_reward_name("locomotion", term); }
const char *myr_reward_doc(int term) { return myr_task_reward_doc("locomotion", term); }
