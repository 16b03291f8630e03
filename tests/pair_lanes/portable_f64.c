#define MYR_ISA 128
#define MYR_DOUBLE 1
#include "pair_lanes.lane.h"
