/* Slip contacts, alone: (G_ii, c', mu) -> impulse, by the slip solves of the solvers, timed. One table per unit. */
#ifndef MYR_BENCH_SLIP_COST_H
#define MYR_BENCH_SLIP_COST_H

#include <stdint.h>

typedef struct slip_contact {
    double G[9], c[3], mu; /* row-major [1/kg]; c' = c + what the other contacts push [m/s] */
    double last[3];        /* the impulse of the step before [N s] */
} slip_contact;

typedef enum { SLIP_BISECTION_PAPER, SLIP_GOLDEN, SLIP_QUARTIC, SLIP_BISECTION, SLIP_BISECTION_WARM, SLIP_METHODS } slip_method;

/* Behind the methods stands what forms.lane.h compares. First, SLIP_EVALUATIONS evaluations at one contact, each at an angle that the one
 * before decides (chained) or at angles that are known (free). Then, the paper's bisection by each form of the slope. Only this bisection
 * returns an impulse; the evaluations return their sum. */
enum {
    SLIP_FORMS = 8, /* nothing, point, value, value-polar, plain, direct, polar, hybrid */
    SLIP_SLOPE = 4, /* the first that is a slope */
    SLIP_EVALUATIONS = 16,
    SLIP_CHAINED = SLIP_METHODS,
    SLIP_FREE = SLIP_CHAINED + SLIP_FORMS,
    SLIP_SEARCH = SLIP_FREE + SLIP_FORMS,
    SLIP_FUNCTIONS = SLIP_SEARCH + SLIP_FORMS - SLIP_SLOPE
};

typedef struct slip_unit {
    const char *isa, *precision;
    int lanes;
    /* Solve n contacts `repeats` times over, block by block; impulse (n, 3). Returns the least ticks that n contacts take. `beta`: steps of
     * the paper's bisection. */
    uint64_t (*cost)(int method, const double beta[3], const slip_contact *contacts, int n, int repeats, double *impulse);
} slip_unit;

#endif
