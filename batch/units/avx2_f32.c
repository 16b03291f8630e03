#define MYR_ISA 256
#define MYR_DOUBLE 0
#define MYR_TABLE myr_kernels_avx2_f32
#include "batch/step.c"
