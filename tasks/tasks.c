/* The list of tasks outside the lanes: names and reward terms, which are the same in every unit's table. */
#include <string.h>

#include "kernels/kernels.h"
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

/* Reward terms of the library's tables, as these have them. */
static const struct {
    const char *task, *name, *doc;
} terms[] = {
#define MYR_TASK_TERM(task, name, doc) {#task, name, doc},
#include "task_terms.def" /* of the build */
#undef MYR_TASK_TERM
};
enum { TERMS = sizeof terms / sizeof *terms };

static const struct {
    const char *name;
    int quadruped;
} tables[] = {
#define MYR_GIVEN(name, quadruped) {#name, quadruped},
#include "tasks/given.def"
#undef MYR_GIVEN
};
enum { TABLES = sizeof tables / sizeof *tables };

static int table_by(const char *name) {
    for (int k = 0; k < TABLES && name; k++)
        if (strcmp(tables[k].name, name) == 0) return k;
    return -1;
}

const char *myr_task_name(int index) {
    const myr_task *const *tasks = myr_kernels_any()->tasks;
    if (index < TABLES) return index < 0 ? NULL : tables[index].name;
    for (index -= TABLES; index > 0 && *tasks; index--) tasks++;
    return *tasks ? (*tasks)->name : NULL;
}

myr_status myr_task_get(const char *name, myr_task_info *info) {
    MYR_OWN_ARITHMETIC;
    const int table = table_by(name);
    const myr_task *task = name && table < 0 ? myr_task_find(myr_kernels_any()->tasks, name) : NULL;
    if (!info) return myr_fail(MYR_E_ARG, "myr_task_get: info is NULL");
    if (!task && table < 0) return myr_fail(MYR_E_ARG, "there is no task '%.100s'", name ? name : "(null)");
    if (task)
        *info = (myr_task_info){
            .name = task->name, .needs_quadruped = task->quadruped, .needs_actuators = task->actuated, .sets_targets = task->drive != NULL};
    else
        *info = (myr_task_info){.name = tables[table].name,
                                .needs_quadruped = tables[table].quadruped,
                                .needs_actuators = !tables[table].quadruped,
                                .n_rewards = myr_task_reward_count(name)};
    return MYR_OK;
}

/* Its term 0, 1, .. among all; -1: past the last. */
static int term_of(const char *task, int term) {
    for (int k = 0; k < TERMS && task && term >= 0; k++)
        if (strcmp(terms[k].task, task) == 0 && term-- == 0) return k;
    return -1;
}

int myr_task_reward_count(const char *name) {
    int n = 0;
    while (term_of(name, n) >= 0) n++;
    return n;
}

const char *myr_task_reward_name(const char *name, int term) { return term_of(name, term) < 0 ? NULL : terms[term_of(name, term)].name; }
const char *myr_task_reward_doc(const char *name, int term) { return term_of(name, term) < 0 ? NULL : terms[term_of(name, term)].doc; }

int myr_reward_count(void) { return myr_task_reward_count("locomotion"); }
const char *myr_reward_name(int term) { return myr_task_reward_name("locomotion", term); }
const char *myr_reward_doc(int term) { return myr_task_reward_doc("locomotion", term); }
