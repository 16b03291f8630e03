/* Contact problems without a robot: w = G impulse + c under the contact law that the solver is for.
 * Per contact the triple is (x, y, z) with z the normal; velocities [m/s], impulses [N s]. See docs/contact.md. */
#ifndef MYRIAPOD_CONTACT_H
#define MYRIAPOD_CONTACT_H

#include <stdint.h>

#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct myr_contact_problem {
    int contacts;        /* nc >= 0 */
    const double *G;     /* (3 nc, 3 nc) Delassus matrix, symmetric, row-major [1/kg] */
    const double *c;     /* (3 nc) free contact velocity [m/s] */
    const double *mu;    /* (nc) friction coefficients >= 0 */
    const double *start; /* (3 nc) warm start [N s]; NULL: zero */
    const double *R;     /* (3 nc) compliance >= 0, the diagonal of R [1/kg]: the law then holds of (G + R) impulse + c; NULL: none */
} myr_contact_problem;

typedef struct myr_contact_result {
    double *impulse;     /* (3 nc), caller's [N s] */
    double *velocity;    /* (3 nc), caller's, w = G impulse + c [m/s] */
    char *modes;         /* (nc), caller's, nullable: 'o' open, 's' stick, 'd' slide */
    double *minimum;     /* (3 nc), caller's, nullable: the impulse of least norm that gives the same velocity [N s] */
    double *R;           /* (3 nc), caller's, nullable: the compliance that the solver worked with [1/kg], its own choice included */
    double internal;     /* |impulse - minimum| / |impulse|: the share of internal forces; 0 where `minimum` is NULL */
    double residual;     /* of the solver's own model, scale-free (docs/contact.md); 0 without contacts */
    double residual_ncp; /* of the full law, scale-free */
    int64_t iterations;
    myr_solve_status status; /* MYR_NOT_FINITE: no answer. impulse is zero, velocity is c, both residuals are infinite */
    double solve_s;          /* time in the solver [s]: that of the tile, divided by the problems that shared it */
} myr_contact_result;

/* Solve n problems. settings: solver, tolerance, precision, isa and the solver's own keys. Here the contents of arrays are arguments too (a
 * batch takes them for data): what no body can give is MYR_E_ARG, nothing is solved, and the message names the problem's index, the array
 * and the place: shape (negative nc), mu < 0, R < 0, numbers that are not finite, G not symmetric to 1e-3 relative, and a diagonal of G
 * that is negative, or zero with something beside it in its row, or zero at a normal that closes (c_N < 0) and is not compliant. A zero row
 * of G is lawful otherwise: along it nothing can move. Bits of a problem do not depend on its neighbours. */
MYR_API myr_status myr_solve_contacts(const myr_contact_problem *problems, int64_t n, const myr_settings *settings,
                                      myr_contact_result *results);

/* The contact solvers, by the names that the setting `solver` takes: index 0, 1, ..; NULL past the last. */
MYR_API const char *myr_solver_name(int index);
/* The model that a solver is for, whose violation is its `residual`: "dissipation", "ncp", "ccp" or "box" (docs/contact.md); NULL past the
 * last. */
MYR_API const char *myr_solver_model(int index);

/* Room for a contact problem that the library writes. Arrays are the caller's; one that is NULL is not wanted. */
typedef struct myr_problem_room {
    int room;      /* contacts that fit the arrays */
    int contacts;  /* out: nc <= room */
    double *G;     /* out: (3 nc, 3 nc), dense in the first 9 nc^2 of 9 room^2 numbers */
    double *c;     /* out: (3 nc) */
    double *mu;    /* out: (nc) */
    double *start; /* out: (3 nc), warm start; zero where the settings want none */
    double *R;     /* out: (3 nc), the diagonal of the compliance [1/kg]; zero where there is none */
    int *slots;    /* out: (nc), the slot that each contact is, as in MYR_IMPULSE */
} myr_problem_room;

/* The contact problem that the first step of the next myr_batch_step solves in environment `env`. The environment stays as it is.
 * These are the very numbers of the batch's precision; the task's reset or new targets are already in them. There are no contacts
 * where it touches nothing or is in quarantine. MYR_E_LIMIT: more contacts than `room`; the model's n_slots is always enough. On an
 * error *out is as it was, though its arrays may not be. Allocates. */
MYR_API myr_status myr_batch_problem(const myr_batch *batch, int64_t env, myr_problem_room *out);

#ifdef __cplusplus
}
#endif
#endif
