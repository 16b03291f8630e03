/* ctest: heavy lanes
 * G of bodies that touch each other is J Mh^-1 J' of the scalar reference, block by block; the portable lanes in double, looked at from
 * inside a step. */
#define MYR_LANE_HEADER "kernels/lane_portable.h"
#define MYR_DOUBLE 1
#pragma GCC diagnostic ignored "-Wunused-function"
#include <string.h>

/* The stages up to delassus, as batch/step.c has them: the rest of the step would be compiled for nothing. */
#include "kernels/contact/solve.h"
#include "robot/workspace.lane.h"
#include "dynamics/actuate.lane.h"
#include "dynamics/kinematics.lane.h"
#include "collision/collide.lane.h"
#include "dynamics/dynamics.lane.h"
#include "dynamics/factor.lane.h"
#include "constraints/assemble.lane.h"

#include <math.h>
#include <stdlib.h>

#include "batch/batch.h"
#include "support/bodies_scene.h"
#include "reference/rigid_body.h"
#include "reference/small.h"

enum { ENVS = 8, NV = 32, MOST = 96 };

static double at_lane(vf x, int lane) {
    double lanes[VN];
    memcpy(lanes, &x, sizeof lanes);
    return lanes[lane];
}

/* The contact of the problem that occupied slot n is in a lane. */
static int contact_of(const workspace *w, int n, int lane) { return w->packed ? (int)at_lane(w->slot_rank[n], lane) : n; }

/* Rows of J of occupied slot n in a lane. */
static void rows_of(const part *p, int n, int lane, const reference_state *state, double J[3][NV]) {
    const robot *r = p->r;
    const workspace *w = p->w;
    const lane_slot *slot = &r->slots[w->slot[n]];
    const int tree = r->bodies[slot->body].tree, nv = r->nv;
    const v3 x = v3_add(v3_load(w->tree_at + 3 * tree), m3_mul(w->R0 + 9 * tree, v3_load(w->slot_x + 3 * n)));
    const double point[3] = {at_lane(x.x, lane), at_lane(x.y, lane), at_lane(x.z, lane)};
    memset(J, 0, 3 * sizeof J[0]);
    for (int side = 0; side < 2; side++) {
        const int body = side ? slot->pair < 0 ? -1 : slot->other_body : slot->body;
        if (body < 0) continue;
        const reference_body *b = &state->bodies[body];
        double arm[3], moving[3];
        for (int k = 0; k < 3; k++) arm[k] = point[k] - b->position[k];
        for (int c = 0; c < nv; c++) {
            const double spin[3] = {b->jacobian[3 * nv + c], b->jacobian[4 * nv + c], b->jacobian[5 * nv + c]};
            cross(spin, arm, moving);
            for (int k = 0; k < 3; k++) moving[k] += b->jacobian[k * nv + c];
            for (int a = 0; a < 3; a++) {
                double along = moving[a];
                if (slot->pair >= 0) {
                    const vf *F = w->slot_frame + 9 * n + 3 * a;
                    along = at_lane(F[0], lane) * moving[0] + at_lane(F[1], lane) * moving[1] + at_lane(F[2], lane) * moving[2];
                }
                J[a][c] += side ? -along : along;
            }
        }
    }
}

static void blocks_are_the_references(myr_model *model, int mixed) {
    myr_batch *batch = NULL;
    reference_state reference;
    int within = 0, across = 0, far = 0;
    const myr_settings settings =
        scene_settings("precision", "f64", "isa", "portable", "task", "none", "threads", "1", "spin-damping", "0", NULL);
    assert_true(model->nv <= NV && reference_init(&reference, model));
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    assert_int_equal(((const robot *)batch->robot)->mixed, mixed);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        bodies_disturb_tangle(batch, model, seed);
        double q[ENVS * 64];
        MUST(myr_batch_get(batch, MYR_Q, NULL, ENVS, MYR_F64, q));
        workspace w = {0};
        void *space = aligned_alloc(64, (workspace_bytes(batch->robot, NULL, batch->options.solve.solver) + 127) & ~(size_t)63);
        assert_non_null(space);
        workspace_open(&w, batch->robot, NULL, space);
        for (int k = 0; k < PARTS; k++) {
            const part p = {.r = batch->robot,
                            .w = &w,
                            .tile = (char *)batch->arena + (size_t)k * sizeof(vf),
                            .options = &batch->options,
                            .dt = 1e-3,
                            .alive = (1u << VN) - 1};
            actuate(&p);
            kinematics(&p);
            collide(&p);
            dynamics(&p);
            free_velocity(&p);
            assemble(&p);
            for (int lane = 0; lane < VN; lane++) {
                static double J[MOST][3][NV], X[MOST][3][NV], M[NV * NV];
                const double zero[NV] = {0}, none[3] = {0};
                reference_compute(&reference, q + (k * VN + lane) * model->nq, zero, zero, none);
                assert_true(w.occupied <= MOST);
                for (int n = 0; n < w.occupied; n++) {
                    rows_of(&p, n, lane, &reference, J[n]);
                    for (int a = 0; a < 3; a++) {
                        memcpy(M, reference.M, sizeof(double) * (size_t)(model->nv * model->nv));
                        assert_true(reference_cholesky_solve(M, model->nv, J[n][a], X[n][a]));
                    }
                }
                for (int n = 0; n < w.occupied; n++)
                    for (int m = 0; m <= n; m++) {
                        if (!(at_lane(w.slot_active[n], lane) > 0 && at_lane(w.slot_active[m], lane) > 0)) continue;
                        double largest = 0;
                        for (int e = 0; e < 9; e++) {
                            double wanted = 0, scale = 0;
                            for (int c = 0; c < model->nv; c++) {
                                wanted += J[n][e / 3][c] * X[m][e % 3][c];
                                scale += fabs(J[n][e / 3][c] * X[m][e % 3][c]);
                            }
                            const double got =
                                at_lane(problem_block(&w.contact, contact_of(&w, n, lane), contact_of(&w, m, lane))[e], lane);
                            if (!(fabs(got - wanted) <= 1e-11 * (1 + scale)))
                                fail_msg("seed %d, lane %d, slots %d and %d, entry %d: %.15g, should be %.15g", (int)seed, k * VN + lane,
                                         w.slot[n], w.slot[m], e, got, wanted);
                            largest = fmax(largest, fabs(wanted));
                        }
                        const lane_slot *a = &p.r->slots[w.slot[n]], *b = &p.r->slots[w.slot[m]];
                        within += a->pair >= 0 && a->common > 0;
                        across += a->pair >= 0 && b->pair >= 0 && a->pair != b->pair && largest > 0;
                        far += largest == 0;
                    }
            }
        }
        free(space);
    }
    /* blocks of pairs within a tree, between pairs, and of what has nothing in common */
    assert_true((mixed ? within > 100 : within == 0) && across > 500 && far > 50);
    reference_free(&reference);
    myr_batch_free(batch);
    myr_model_free(model);
}

static void of_bundles(void **state) {
    (void)state;
    blocks_are_the_references(bodies_tangle_apart(), 0);
}

static void of_mixed_contacts(void **state) {
    (void)state;
    blocks_are_the_references(bodies_tangle(), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_bundles), cmocka_unit_test(of_mixed_contacts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
