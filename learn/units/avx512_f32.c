#define MYR_ISA 512
#define MYR_DOUBLE 0
#include "learn/unit.lane.h"
