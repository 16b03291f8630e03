#define MYR_ISA 512
#define MYR_DOUBLE 1
#include "pair_lanes.lane.h"
