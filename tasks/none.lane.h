/* none: the home pose, every shape collides, nothing is drawn and nothing drives. For any robot. */
#if defined(MYR_TASK)
MYR_TASK(none)
#elif !defined(MYR_TASKS_NONE_LANE_H)
#define MYR_TASKS_NONE_LANE_H

#include "tasks/task.h"

static const myr_task task_none = {.name = "none", .automatic = 1};

#endif
