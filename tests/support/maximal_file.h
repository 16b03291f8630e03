/* Files of the oracle for maximal coordinates (../shared/oracles/maximal): a mechanism with the state it starts from, as the scalar
 * reference has it. What a file lacks fails the test. */
#ifndef MYR_TESTS_SUPPORT_MAXIMAL_FILE_H
#define MYR_TESTS_SUPPORT_MAXIMAL_FILE_H

#include <jansson.h>

#include "maximal_cast.h"

json_t *maximal_member(const json_t *object, const char *key);
double maximal_number(const json_t *object, const char *key, double otherwise);
void maximal_numbers(const json_t *array, size_t count, double *out);

maximal *maximal_file_open(const json_t *oracle);

/* A state with velocities, as the files store the start and what comes one step later. */
maximal_pose maximal_file_pose(const json_t *state, int n);

#endif
