#define MYR_ISA 128
#define MYR_DOUBLE 1
#define MYR_TABLE myr_kernels_portable_f64
#include "batch/step.c"
