/* ctest: lanes */
#define MYR_DOUBLE 0
#include "support/sincos_law.h"
