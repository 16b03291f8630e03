#define MYR_ISA 256
#define MYR_DOUBLE 1
#include "pair_lanes.lane.h"
