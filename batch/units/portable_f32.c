#define MYR_ISA 128
#define MYR_DOUBLE 0
#define MYR_TABLE myr_kernels_portable_f32
#include "batch/step.c"
