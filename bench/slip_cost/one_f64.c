#define MYR_ISA 1
#define MYR_DOUBLE 1
#include "cost.lane.h"
