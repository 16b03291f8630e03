#define MYR_ISA 128
#define MYR_DOUBLE 1
#include "tasks/tasks.lane.h"
