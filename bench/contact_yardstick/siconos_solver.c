/* One call of one of Siconos' solvers, for solver_siconos.py, which compiles this file. Only fc3d_driver is timed: its matrix, options and
 * copies are made before. */
#include <Friction_cst.h>
#include <FrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <fc3d_Solvers.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The solvers of the leaderboard, by our numbers: Siconos' may differ from version to version. */
static const struct {
    const char *name;
    int id, local, iterations; /* local: solver of one contact, 0: Siconos' default; iterations: the cap */
} solvers[] = {{"NSGS", SICONOS_FRICTION_3D_NSGS, 0, 20000},
               {"NSGS, quartic", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC, 20000},
               {"NSGS, projection", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration, 20000},
               {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC, 0, 1000},
               {"NSN_FB", SICONOS_FRICTION_3D_NSN_FB, 0, 1000},
               {"ADMM", SICONOS_FRICTION_3D_ADMM, 0, 20000},
               {"PROX", SICONOS_FRICTION_3D_PROX, 0, 1000},
               {"TFP", SICONOS_FRICTION_3D_TFP, 0, 1000},
               {"ACLMFP", SICONOS_FRICTION_3D_ACLMFP, 0, 1000},
               {"SOCLCP", SICONOS_FRICTION_3D_SOCLCP, 0, 1000},
               {"DSFP", SICONOS_FRICTION_3D_DSFP, 0, 20000},
               {"VI_FPP", SICONOS_FRICTION_3D_VI_FPP, 0, 20000},
               {"VI_EG", SICONOS_FRICTION_3D_VI_EG, 0, 20000}};

const char *yardstick_name(int number) {
    return number >= 0 && (size_t)number < sizeof solvers / sizeof *solvers ? solvers[number].name : NULL;
}

static void *copy_of(const double *numbers, size_t count) {
    double *to = malloc((count + 1) * sizeof *to);
    if (!to) abort();
    return memcpy(to, numbers, count * sizeof *to);
}

/* M: (3 nc, 3 nc), symmetric, q, mu and reaction (3 nc) as (N, T1, T2). Returns Siconos' word: 0: converged. */
int yardstick_solve(int number, int nc, const double *M, const double *q, const double *mu, double tolerance, double *reaction,
                    double *seconds, int *iterations) {
    const size_t m = 3 * (size_t)nc;
    struct timespec began, ended;
    SolverOptions *o = solver_options_create(solvers[number].id);
    o->dparam[SICONOS_DPARAM_TOL] = tolerance;
    o->iparam[SICONOS_IPARAM_MAX_ITER] = solvers[number].iterations;
    if (solvers[number].local) solver_options_update_internal(o, 0, solvers[number].local);
    /* some solvers change what they are given */
    FrictionContactProblem *problem = frictionContactProblem_new_with_data(
        3, nc, NM_create_from_data(NM_DENSE, (int)m, (int)m, copy_of(M, m * m)), copy_of(q, m), copy_of(mu, (size_t)nc));
    double *velocity = calloc(m + 1, sizeof *velocity);
    if (!velocity) abort();
    memset(reaction, 0, m * sizeof *reaction);
    clock_gettime(CLOCK_MONOTONIC, &began);
    const int said = fc3d_driver(problem, reaction, velocity, o);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    *seconds = (double)(ended.tv_sec - began.tv_sec) + 1e-9 * (double)(ended.tv_nsec - began.tv_nsec);
    *iterations = o->iparam[SICONOS_IPARAM_ITER_DONE];
    free(velocity);
    frictionContactProblem_free(problem);
    solver_options_delete(o);
    return said;
}
