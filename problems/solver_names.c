/* The contact solvers by name, for callers that walk over all of them. */
#include "kernels/solver.h"
#include "myriapod/contact.h"

const char *myr_solver_name(int index) { return index >= 0 && index < MYR_SOLVER_COUNT ? myr_solvers[index].name : NULL; }

const char *myr_solver_model(int index) {
    static const char *const models[MYR_LAW_COUNT] = {[MYR_LAW_DISSIPATION] = "dissipation",
                                                      [MYR_LAW_NCP] = "ncp",
                                                      [MYR_LAW_CCP] = "ccp",
                                                      [MYR_LAW_BOX] = "box",
                                                      [MYR_LAW_DIAMOND] = "diamond"};
    return index >= 0 && index < MYR_SOLVER_COUNT ? models[myr_solvers[index].law] : NULL;
}
