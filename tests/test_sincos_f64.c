/* ctest: lanes */
#define MYR_DOUBLE 1
#include "sincos_law.h"
