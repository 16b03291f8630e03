#define MYR_ISA 256
#define MYR_DOUBLE 1
#include "tasks/tasks.lane.h"
