#define MYR_ISA 512
#define MYR_DOUBLE 0
#include "tasks/tasks.lane.h"
