/* The list of tasks as the units of the step name it. */
#ifndef MYR_TASKS_TASKS_H
#define MYR_TASKS_TASKS_H

#include "kernels/lane.h"
#include "tasks/task.h"

extern const myr_task *const MYR_UNIT(myr_tasks)[];
extern const myr_task MYR_UNIT(myr_table_task); /* of which the task of a table is made */

#endif
