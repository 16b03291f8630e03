#define MYR_ISA 512
#define MYR_DOUBLE 0
#include "pair_lanes.lane.h"
