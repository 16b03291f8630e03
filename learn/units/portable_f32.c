#define MYR_ISA 128
#define MYR_DOUBLE 0
#include "learn/unit.lane.h"
