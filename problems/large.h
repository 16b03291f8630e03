/* Problems of myr_solve_large: what they must be. */
#ifndef MYR_PROBLEMS_LARGE_H
#define MYR_PROBLEMS_LARGE_H

#include "kernels/contact/large/large.h"
#include "myriapod/contact.h"

/* Is it a problem? MYR_E_ARG with the index, the array and the place (problems/large_check.c). */
myr_status myr_large_check(int64_t index, const myr_large_problem *p, const myr_contact_result *r);

#endif
