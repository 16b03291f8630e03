#define MYR_ISA 512
#define MYR_DOUBLE 0
#define MYR_TABLE myr_kernels_avx512_f32
#include "batch/step.c"
