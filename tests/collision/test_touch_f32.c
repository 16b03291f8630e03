/* ctest: lanes */
#define MYR_DOUBLE 0
#include "support/touch_law.h"
