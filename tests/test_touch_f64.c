/* ctest: lanes */
#define MYR_DOUBLE 1
#include "touch_law.h"
