/* Programs by a scalar interpreter in doubles: what lanes are judged by. */
#ifndef MYR_TESTS_SUPPORT_PROGRAM_REFERENCE_H
#define MYR_TESTS_SUPPORT_PROGRAM_REFERENCE_H

#include "programs/program.h"

/* One environment: inputs[i] and outputs[i] are its rows. */
void reference_program(const myr_program *p, const double *const *inputs, double *const *outputs);

#endif
