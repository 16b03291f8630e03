#define MYR_ISA 1
#define MYR_DOUBLE 0
#include "cost.lane.h"
