#include "kernels/solver.h"

enum { DISSIPATION = MYR_LAW_DISSIPATION, NCP = MYR_LAW_NCP, CCP = MYR_LAW_CCP, BOX = MYR_LAW_BOX, DIAMOND = MYR_LAW_DIAMOND };

const myr_solver_info myr_solvers[MYR_SOLVER_COUNT] = {
#define MYR_SOLVER(id, name, function, law, sweeps, room) {name, (myr_law)(law), sweeps},
#include "contact/solvers.def"
#undef MYR_SOLVER
};

size_t myr_solver_room(myr_solver solver, int n, int m, size_t v) {
    const int b = n + (m + 2) / 3;
    switch (solver) {
#define MYR_SOLVER(id, name, function, law, sweeps, room)                                                                                  \
    case MYR_SOLVER_##id:                                                                                                                  \
        return (size_t)(room);
#include "contact/solvers.def"
#undef MYR_SOLVER
    case MYR_SOLVER_COUNT: break;
    }
    (void)n, (void)m, (void)b, (void)v;
    return 0;
}
