#define MYR_ISA 512
#define MYR_DOUBLE 1
#define MYR_TABLE myr_kernels_avx512_f64
#include "batch/step.c"
