#include "kernels.h"

enum { DISSIPATION, NCP };

const myr_solver_info myr_solvers[MYR_SOLVER_COUNT] = {
#define MYR_SOLVER(id, name, function, model, sweeps) {name, model == NCP, sweeps},
#include "contact/solvers.def"
#undef MYR_SOLVER
};
