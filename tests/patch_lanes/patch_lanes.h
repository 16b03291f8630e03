/* Newton's step for the contacts of a patch (kernels/contact/patch_newton.lane.h) in the lanes of any unit, without a robot around it. */
#ifndef MYR_TESTS_PATCH_LANES_H
#define MYR_TESTS_PATCH_LANES_H

enum { PATCH_TEST_CONTACTS = 10, PATCH_TEST_NUMBERS = 3 * PATCH_TEST_CONTACTS, PATCH_TEST_LANES = 16 };

/* One lane's problem. Contacts that it has not keep the numbers that stand here, and must have no impulse. */
typedef struct patch_case {
    double G[PATCH_TEST_NUMBERS * PATCH_TEST_NUMBERS], c[PATCH_TEST_NUMBERS], mu[PATCH_TEST_CONTACTS];
    int has[PATCH_TEST_CONTACTS], of_patch[PATCH_TEST_CONTACTS];
    double lambda[PATCH_TEST_NUMBERS]; /* in and out */
    int together[PATCH_TEST_CONTACTS]; /* out: which block each contact that the lane has is of, by its first contact */
} patch_case;

typedef struct patch_unit {
    const char *isa;
    int is_double, lanes;
    /* One visit of every block of more than one contact, of n contacts, in n_lanes <= lanes lanes; `step` chooses the ridge. */
    void (*run)(patch_case *cases, int n_lanes, int n, int step, double bound);
} patch_unit;

/* Unit i; NULL past the last. Not all of them may run here: myr_isa_present. */
const patch_unit *patch_unit_at(int i);

#endif
