/* Contact solvers by their names (contact/solvers.def), what each needs beside a problem, and the settings of a solve. */
#ifndef MYR_KERNELS_SOLVER_H
#define MYR_KERNELS_SOLVER_H

#include <stddef.h>

typedef enum {
#define MYR_SOLVER(id, name, function, law, sweeps, room) MYR_SOLVER_##id,
#include "kernels/contact/solvers.def"
#undef MYR_SOLVER
    MYR_SOLVER_COUNT
} myr_solver;

/* The models of docs/contact.md: Hwangbo's per-contact maximum dissipation, the full law, the convex one without Gamma, and the full
 * law with a pyramid for a cone, once with its sides along the axes of the tangents (box), once with its edges there (diamond). */
typedef enum { MYR_LAW_DISSIPATION, MYR_LAW_NCP, MYR_LAW_CCP, MYR_LAW_BOX, MYR_LAW_DIAMOND, MYR_LAW_COUNT } myr_law;

typedef struct myr_solver_info {
    const char *name; /* for users */
    myr_law law;      /* whose violation is the solver's own residual */
    int sweeps;       /* cap where the settings leave it to the solver */
} myr_solver_info;
extern const myr_solver_info myr_solvers[MYR_SOLVER_COUNT];

/* Whether it solves with a compliance of its own, which it then leaves on the diagonal of G. */
static inline int myr_solver_softens(myr_solver solver) {
    return solver == MYR_SOLVER_NEWTON_DIAG || solver == MYR_SOLVER_NEWTON_COMPLIANT;
}

/* Scratch that a solver wants beside the problem, in rows of lanes, for problems of up to n contacts and m scalar rows. */
size_t myr_solver_room(myr_solver solver, int n, int m, size_t v);
/* Bytes for a problem out of its lanes, from any address on (contact/whole/). */
static inline size_t myr_whole_bytes(int n, int m) {
    const size_t d = 3 * (size_t)n + (size_t)m;
    return ((2 * d + 24) * (d + 12) + 8) * sizeof(double);
}
/* The scratch of `admm-ccp`: its own, and behind it a problem out of its lanes with what an interior point holds (contact/whole/convex.h).
 */
enum { MYR_CONVEX_CONTACT = 46, MYR_CONVEX_ROW = 27 }; /* doubles of the latter */
static inline size_t myr_convex_room(int n, int m, int own, size_t v) {
    const size_t more = MYR_CONVEX_CONTACT * (size_t)n + MYR_CONVEX_ROW * (size_t)m + 8; /* from a line of memory on */
    return (size_t)own + (myr_whole_bytes(n, m) + more * sizeof(double)) / v + 1;
}
/* The scratch of `hybrid`, in rows of v bytes: the sweeps' packed rows (packed_rows.lane.h), and behind them what else the sweeps hold, or
 * after these a problem out of its lanes. */
static inline size_t myr_hybrid_room(int n, int m, size_t sweeps, size_t v) {
    const size_t rows = (size_t)m, packed = 3 * (size_t)n * rows + rows * (rows + 1) / 2 + 9 * rows, whole = myr_whole_bytes(n, m) / v + 1;
    const size_t plan = 8 * (size_t)n + (size_t)m + 1; /* patch_plan_room, and patch_settle */
    return plan + packed + (sweeps - packed > whole ? sweeps - packed : whole);
}

/* Settings of a contact solve, resolved from myr_settings. */
typedef struct myr_solve_options {
    myr_solver solver;
    double tolerance, relative; /* residual bound: tolerance + relative * scale of the problem */
    int max_sweeps, slip_steps, warm_start;
    double alpha, alpha_min, gamma, pgs_alpha, beta1, beta2, beta3, slip_tolerance;
    double relaxation;        /* of the sweeps of Le Lidec 2024 */
    double prox_r, prox_zeta; /* in units of the mobility; prox_r 0: by rule */
    int prox_paper;           /* rule of r: Lu's eigenvalues, else the Delassus matrix's */
    double admm_rho, admm_eta, admm_relaxation, admm_ratio, admm_power;
    double newton_alpha;
    int exact_search; /* Newton's line search: 1 exact, 0 Armijo */
} myr_solve_options;

/* Near-rigid compliance of newton-compliant, times tr G_ii / 3: beta^2 / (4 pi^2) with beta = 0.1 along the normal, and sigma. */
#define MYR_NEAR_RIGID_N 2.5330295910584444e-4
#define MYR_NEAR_RIGID_T 1e-3

#endif
