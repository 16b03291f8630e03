/* ctest: lanes */
#define MYR_DOUBLE 1
#include "support/touch_law.h"
