/* Contact problems without a robot: w = G impulse + c under the contact law that the solver is for.
 * Per contact the triple is (x, y, z) with z the normal; velocities [m/s], impulses [N s]. See docs/contact.md.
 *
 * Behind the 3 nc numbers of the contacts a problem may have scalar rows, one number each: limits and dry friction of joints. A row has a
 * velocity w and an impulse l on a staircase (f, lo, hi): lo <= w <= hi; inside, l = -f sign(w), and |l| <= f where w = 0; at w = lo, l is
 * at least its value just inside, at w = hi at most. Last come bilateral rows: w = 0, whatever impulse that takes. They are eliminated
 * before the solve. Where they are redundant, so that G has no inverse on them, w = 0 is asked for in the range of G only: what of c lies
 * outside no impulse can change. Rows of hinges are in rad/s and N m s; scale a row by a length for residuals in m/s and N s. */
#ifndef MYRIAPOD_CONTACT_H
#define MYRIAPOD_CONTACT_H

#include <stdint.h>

#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct myr_contact_problem {
    int contacts;         /* nc >= 0 */
    const double *G;      /* (m, m) Delassus matrix, m = 3 nc + rows + bilateral, symmetric, row-major [1/kg] */
    const double *c;      /* (m) free velocity [m/s] */
    const double *mu;     /* (nc) friction coefficients >= 0 */
    const double *start;  /* (m) warm start [N s]; NULL: zero */
    const double *R;      /* (m) compliance >= 0, the diagonal of R [1/kg]: the law then holds of (G + R) impulse + c; NULL: none */
    int rows;             /* scalar rows >= 0 */
    const double *stairs; /* (rows, 3): f >= 0 [N s], lo <= hi [m/s]; lo = -INFINITY, hi = INFINITY: no limit */
    int bilateral;        /* bilateral rows >= 0 */
    const int *patches;   /* (nc) any numbers: contacts that have the same one are of one patch, what two bodies share; NULL: each by
                             itself. It changes no law: `hybrid` takes those of a patch at once, and needs fewer sweeps */
} myr_contact_problem;

typedef struct myr_contact_result {
    double *impulse;     /* (m), caller's [N s] */
    double *velocity;    /* (m), caller's, w = G impulse + c [m/s] */
    char *modes;         /* (nc), caller's, nullable: 'o' open, 's' stick, 'd' slide */
    double *minimum;     /* (m), caller's, nullable: the impulse of least norm that gives the same velocity [N s] */
    double *R;           /* (m), caller's, nullable: the compliance that the solver worked with [1/kg], its own choice included */
    double internal;     /* |impulse - minimum| / |impulse|: share of internal forces; 0: `minimum` is NULL; NaN: no memory to find it */
    double residual;     /* of the solver's own model, scale-free (docs/contact.md); 0 without contacts */
    double residual_ncp; /* of the full law, scale-free */
    int64_t iterations;
    myr_solve_status status; /* MYR_NOT_FINITE: no answer. impulse is zero, velocity is c, both residuals are infinite */
    double solve_s;          /* time in the solver [s]: that of the tile, divided by the problems that shared it */
} myr_contact_result;

/* Solve n problems. settings: solver, tolerance, precision, isa and the solver's own keys. Here the contents of arrays are arguments too (a
 * batch takes them for data): what no body can give is MYR_E_ARG, nothing is solved, and the message names the problem's index, the array
 * and the place: shape (negative nc), mu < 0, R < 0, f < 0, lo > hi, numbers that are not finite (but infinite limits), G not symmetric to
 * 1e-3 relative, and a diagonal of G that is negative, or zero with something beside it in its row, or zero at a normal that closes (c_N <
 * 0) and is not compliant. A zero row of G is lawful otherwise: along it nothing can move. Bits of a problem do not depend on its
 * neighbours. */
MYR_API myr_status myr_solve_contacts(const myr_contact_problem *problems, int64_t n, const myr_settings *settings,
                                      myr_contact_result *results);

/* A problem of many contacts, a pile, in blocks of 3x3: block row i has the blocks first[i] to first[i + 1] - 1, their columns ascending.
 * Where contact i is coupled to k both blocks are there, each the other's transpose but for rounding, and every row has its diagonal
 * block. */
typedef struct myr_large_problem {
    int contacts;         /* nc >= 0 */
    const int64_t *first; /* (nc + 1), from 0 */
    const int *column;    /* (first[nc]) */
    const double *blocks; /* (first[nc], 3, 3), row-major [1/kg] */
    const double *c;      /* (3 nc) free velocity [m/s] */
    const double *mu;     /* (nc) friction coefficients >= 0 */
    const double *start;  /* (3 nc) warm start [N s]; NULL: zero */
} myr_large_problem;

/* Solve n such problems, one after the other on each of the setting `threads`, in double. Settings: solver, tolerance, threads, pin, and
 * the solver's own keys. MYR_E_ARG for a solver that does not take them (myr_solver_large_refusal) and for `precision` f32. Contents of
 * arrays are arguments, as in myr_solve_contacts, and bits of a problem do not depend on the others or on the number of threads. Of a
 * result `minimum` is left as it is, `R` is zero, `internal` 0. */
MYR_API myr_status myr_solve_large(const myr_large_problem *problems, int64_t n, const myr_settings *settings, myr_contact_result *results);
/* Why myr_solve_large does not take a solver, by its name; NULL where it does. */
MYR_API const char *myr_solver_large_refusal(const char *solver);

/* The contact solvers, by the names that the setting `solver` takes: index 0, 1, ..; NULL past the last. */
MYR_API const char *myr_solver_name(int index);
/* The model that a solver is for, whose violation is its `residual`: "dissipation", "ncp", "ccp", "box" or "diamond" (docs/contact.md);
 * NULL past the last. */
MYR_API const char *myr_solver_model(int index);

/* Room for a contact problem that the library writes. Arrays are the caller's; one that is NULL is not wanted. */
typedef struct myr_problem_room {
    int room;       /* contacts that fit the arrays */
    int room_rows;  /* joint rows that fit the arrays */
    int contacts;   /* out: nc <= room */
    int rows;       /* out: nr <= room_rows */
    double *G;      /* out: (m, m), m = 3 nc + nr, dense in the first m^2 of (3 room + room_rows)^2 numbers */
    double *c;      /* out: (m) */
    double *mu;     /* out: (nc) */
    double *start;  /* out: (m), warm start; zero where the settings want none */
    double *R;      /* out: (m), the diagonal of the compliance [1/kg]; zero where there is none */
    int *slots;     /* out: (nc), the slot that each contact is, as in MYR_IMPULSE */
    double *stairs; /* out: (nr, 3), f, lo, hi of each row, as in myr_contact_problem */
    int *row_ids;   /* out: (nr), the joint row that each is, as in MYR_ROW_IMPULSE */
    int *patches;   /* out: (nc), 0, 1, ..: the patch of each contact, as in myr_contact_problem */
} myr_problem_room;

/* The contact problem that the first step of the next myr_batch_step solves in environment `env`. Where a step solves several it is the
 * first one: under dynamics=maximal, with limit-recheck, and where a working set leaves something out that has to be taken in. MYR_E_STATE
 * under maximal-tree, whose steps solve none. The environment stays as it is. These are the very numbers of the batch's precision; the
 * task's reset or new targets are already in them. There are no contacts where it touches nothing or is in quarantine. MYR_E_LIMIT: more
 * contacts than `room`, or more rows than `room_rows`; the model's n_slots and n_rows are always enough. On an error *out is as it was,
 * though its arrays may not be. Allocates. */
MYR_API myr_status myr_batch_problem(const myr_batch *batch, int64_t env, myr_problem_room *out);

#ifdef __cplusplus
}
#endif
#endif
