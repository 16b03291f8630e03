/* Contact problems out of a seed: G = J D J' of a body on `contacts` legs, each contact moved by the body and by its own leg. */
#ifndef MYR_TESTS_SUPPORT_RANDOM_PROBLEM_H
#define MYR_TESTS_SUPPORT_RANDOM_PROBLEM_H

#include "myriapod/contact.h"
#include "random_model.h"

typedef struct random_problem {
    myr_contact_problem problem; /* points into memory */
    myr_contact_result result;
    double *memory;
    size_t result_doubles; /* impulse and velocity, at result.impulse */
} random_problem;

/* How the contacts hang together. */
typedef struct random_contacts {
    int contacts;
    double coupling; /* share of the common body: 0: independent contacts, 1: as strong as their legs */
    int singular;    /* 1: the legs move in a plane only, so that G has no full rank */
    double mu_most;  /* coefficients lie in 0 .. mu_most; every fourth is exactly 0 when `frictionless` */
    int frictionless;
} random_contacts;

random_problem random_problem_new(random_source *source, const random_contacts *how);
void random_problem_free(random_problem *p);

/* With which such problems are solved: up to 5000 sweeps; aborts on a name that there is not. */
myr_settings random_problem_settings(const char *isa, const char *precision, const char *solver, double tolerance);

#endif
