#define MYR_ISA 512
#define MYR_DOUBLE 1
#include "tasks/tasks.lane.h"
