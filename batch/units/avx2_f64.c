#define MYR_ISA 256
#define MYR_DOUBLE 1
#define MYR_TABLE myr_kernels_avx2_f64
#include "batch/step.c"
