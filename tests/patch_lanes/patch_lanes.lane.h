/* One unit of patch_lanes.h. */
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-function" /* of the solvers, one step alone */
#include "kernels/contact/patch_newton.lane.h"
#include "kernels/contact/whole/take.h"
#include "patch_lanes.h"

static void take(problem *p, vf *of_patch, const patch_case *from, int lane) {
    for (int i = 0; i < p->n; i++) {
        for (int k = 0; k <= i; k++)
            for (int e = 0; e < 9; e++)
                lane_put(problem_block(p, i, k) + e, lane, from->G[(3 * i + e / 3) * PATCH_TEST_NUMBERS + 3 * k + e % 3]);
        for (int a = 3 * i; a < 3 * i + 3; a++) lane_put(&p->c[a], lane, from->c[a]), lane_put(&p->lambda[a], lane, from->lambda[a]);
        lane_put(&p->mu[i], lane, from->mu[i]), lane_put(&p->active[i], lane, from->has[i]);
        lane_put(&of_patch[i], lane, from->of_patch[i]);
    }
}

static void run(patch_case *cases, int n_lanes, int n, int step, double bound) {
    vf of_patch[PATCH_TEST_CONTACTS] = {0};
    const size_t room = problem_size(n, 0), plan_room = patch_plan_room(n);
    vf *memory = aligned_alloc(64, ((room + plan_room) * sizeof(vf) + 63) / 64 * 64);
    problem p = {0};
    if (!memory) abort();
    memset(memory, 0, (room + plan_room) * sizeof(vf));
    vf *scratch = problem_open(&p, n, 0, memory);
    p.patch = of_patch;
    for (int lane = 0; lane < n_lanes; lane++) take(&p, of_patch, &cases[lane], lane);
    problem_velocity(&p);
    const patch_plan plan = patch_plan_of(&p, scratch);
    for (int k = 0; k < plan.n; k++) {
        const patch_visit *v = &plan.visit[k];
        for (int a = 0; a < v->n; a++)
            for (int lane = 0; lane < n_lanes; lane++)
                if (v->lanes[a] >> lane & 1) cases[lane].together[v->at[a]] = v->at[0];
        if (v->n > 1) patch_newton(&p, v, vm_from_bits(v->lanes[0]), step, vf_set((real)bound));
    }
    for (int lane = 0; lane < n_lanes; lane++)
        for (int a = 0; a < 3 * n; a++) cases[lane].lambda[a] = lane_of(&p.lambda[a], lane);
    free(memory);
}

extern const patch_unit MYR_UNIT(patch_lanes);
const patch_unit MYR_UNIT(patch_lanes) = {MYR_ISA_NAME, MYR_DOUBLE, VN, run};
