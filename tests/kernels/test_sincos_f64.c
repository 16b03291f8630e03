/* ctest: lanes */
#define MYR_DOUBLE 1
#include "support/sincos_law.h"
