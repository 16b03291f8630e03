/* ctest: lanes */
#define MYR_DOUBLE 0
#include "sincos_law.h"
