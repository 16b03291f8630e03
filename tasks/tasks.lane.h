/* All tasks in lanes, and the list of them. In units of its own, apart from the step: a task more or less changes nothing in its code.
 */
#ifndef MYR_TASKS_TASKS_LANE_H
#define MYR_TASKS_TASKS_LANE_H

#include "tasks.h"

#include "tasks.def" /* their code */
#include "tasks/table.lane.h"

const myr_task *const MYR_UNIT(myr_tasks)[] = {
#define MYR_TASK(name) &task_##name,
#include "tasks.def"
#undef MYR_TASK
    NULL,
};

#endif
