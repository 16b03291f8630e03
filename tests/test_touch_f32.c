/* ctest: lanes */
#define MYR_DOUBLE 0
#include "touch_law.h"
