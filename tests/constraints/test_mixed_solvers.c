/* Robots whose own links touch, and every solver, scheme and term of contacts: each runs, says whether it converged, and leaves numbers.
 * ctest: threads */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/bodies_scene.h"
#include "support/hugger.h"
#include "support/model_scene.h"
#include "support/random_model.h"

#define LOOPED                                                                                                                             \
    HUGGER_AND("<equality><joint joint1='left knee' joint2='right knee' polycoef='0 1 0 0 0'/>"                                            \
               "<connect body1='left fore' body2='right fore' anchor='0 -.13 -.2'/></equality>")

enum { ENVS = 17, STEPS = 12 };

static const char *const variants[][2] = {{"dt", "0.002"},        {"gap", "0.002"},           {"limit-recheck", "1"},
                                          {"restitution", "0.5"}, {"compliance", "0.000001"}, {"dynamics", "maximal"},
                                          {"warm-start", "0"},    {"joint-friction", "off"}};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* Torsos low above the ground, arms anywhere, or where loops are closed. */
static void bend(myr_batch *batch, const myr_model *model) {
    random_source source = {11};
    for (int64_t env = 0; env < ENVS; env++) {
        double q[32], v[32], tau[32], home[32];
        assert_true(model->nq <= 32);
        random_state(&source, model, 1, 0, q, v, tau);
        myr_model_home(model, home);
        memcpy(q, home, 7 * sizeof *q);
        q[2] -= 0.02 * (double)(env % 6);
        for (int i = 1; i < model->n_bodies; i++) {
            const myr_body *b = &model->bodies[i];
            if (b->joint == MYR_JOINT_REVOLUTE) q[b->q] = model->n_loops ? 0 : random_uniform(&source, 0.7 * b->lower, 0.7 * b->upper);
        }
        MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    }
}

/* Steps of a batch. Returns how many solves of it converged. */
static int runs(const myr_model *model, const char *solver, const char *const variant[2], const char *precision, int *touched) {
    static const myr_field fields[] = {MYR_Q, MYR_V, MYR_IMPULSE, MYR_ROW_IMPULSE, MYR_CONTACT_POINT, MYR_CONTACT_DEPTH, MYR_BODY_POSE};
    myr_settings settings = scene_settings("task", "none", "precision", precision, "solver", solver, "threads", "2", "max-sweeps", "300",
                                           "tolerance", "1e-6", variant[0], variant[1], NULL);
    myr_batch *batch = NULL;
    int converged = 0;
    settings.sense_contacts = 1, settings.sense_bodies = 1;
    const myr_status status = myr_batch_create(model, ENVS, &settings, &batch);
    if (status != MYR_OK) { /* refused, and the message names the solver */
        assert_true(!batch && strstr(myr_message(), solver));
        return -1;
    }
    bend(batch, model);
    for (int step = 0; step < STEPS; step++) {
        double said[ENVS], residual[ENVS];
        MUST(myr_batch_step(batch, 1));
        MUST(myr_batch_get(batch, MYR_SOLVE_STATUS, NULL, ENVS, MYR_F64, said));
        MUST(myr_batch_get(batch, MYR_RESIDUAL, NULL, ENVS, MYR_F64, residual));
        for (int env = 0; env < ENVS; env++) {
            if (isnan(residual[env])) fail_msg("%s, %s: a residual is NaN", solver, variant[0]);
            if (said[env] == MYR_CONVERGED && precision[1] == '6' && !(residual[env] <= 1e-6))
                fail_msg("%s, %s: %g is called converged", solver, variant[0], residual[env]);
            converged += said[env] == MYR_CONVERGED;
        }
    }
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        const size_t n = (size_t)myr_batch_components(batch, fields[f]) * ENVS;
        double *value = malloc((n + 1) * sizeof *value);
        assert_non_null(value);
        MUST(myr_batch_get(batch, fields[f], NULL, ENVS, MYR_F64, value));
        for (size_t k = 0; k < n; k++) {
            if (!isfinite(value[k]))
                fail_msg("%s, %s, %s: number %zu of field %d is %g", solver, precision, variant[0], k, (int)fields[f], value[k]);
            if (fields[f] == MYR_IMPULSE) *touched += value[k] != 0 && model->slots[k % (n / ENVS) / 3].other >= 0;
        }
        free(value);
    }
    myr_batch_free(batch);
    return converged;
}

static void every_solver_runs(void **state) {
    (void)state;
    const int told = getenv("MYRIAPOD_TELL") != NULL;
    for (int looped = 0; looped < 2; looped++) {
        myr_model *model = looped ? scene_read(LOOPED) : scene_read(HUGGER);
        int refused = 0, all = 0, touched = 0;
        for (int s = 0; myr_solver_name(s); s += SCENE_SOLVER_STRIDE)
            for (int k = 0; k < VARIANTS; k++) {
                const char *precision = (s + k + looped) % 2 ? "f32" : "f64"; /* each has half of them */
                const int got = runs(model, myr_solver_name(s), variants[k], precision, &touched);
                if (told && got < STEPS * ENVS / 2)
                    print_message("%d %s %s %s: %d\n", looped, myr_solver_name(s), variants[k][0], precision, got);
                all++, refused += got < 0;
            }
        if (told) print_message("%d of %d refused, %d impulses\n", refused, all, touched);
        assert_true(refused < all / 4 && (looped || touched > 2 * all));
        myr_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_solver_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
