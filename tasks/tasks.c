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

/* Those of the library's tables, as the settings have their weights. */
typedef struct term_text {
    const char *name, *doc;
} term_text;
static const term_text locomotion_terms[] = {
#define MYR_REWARD(name, key, weight, doc) {key, doc},
#include "myriapod/rewards.def"
#undef MYR_REWARD
};
static const term_text hold_terms[] = {
#define MYR_HOLD_TERM(name, key, weight, doc) {key, doc},
#include "myriapod/hold.def"
#undef MYR_HOLD_TERM
};

static const struct {
    const char *name;
    int quadruped;
    const term_text *terms;
    int n_terms;
} tables[] = {
#define MYR_GIVEN(name, quadruped) {#name, quadruped, name##_terms, sizeof name##_terms / sizeof *name##_terms},
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
                                .n_rewards = tables[table].n_terms};
    return MYR_OK;
}

int myr_task_reward_count(const char *name) { return table_by(name) < 0 ? 0 : tables[table_by(name)].n_terms; }

const char *myr_task_reward_name(const char *name, int term) {
    return term >= 0 && term < myr_task_reward_count(name) ? tables[table_by(name)].terms[term].name : NULL;
}

const char *myr_task_reward_doc(const char *name, int term) {
    return term >= 0 && term < myr_task_reward_count(name) ? tables[table_by(name)].terms[term].doc : NULL;
}

int myr_reward_count(void) { return myr_task_reward_count("locomotion"); }
const char *myr_reward_name(int term) { return myr_task_reward_name("locomotion", term); }
const char *myr_reward_doc(int term) { return myr_task_reward_doc("locomotion", term); }
