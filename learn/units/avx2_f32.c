#define MYR_ISA 256
#define MYR_DOUBLE 0
#include "learn/unit.lane.h"
