/* Own fate of what a step answers besides motion: impulses to the sign of a zero, residuals and how the solve ended. Each is the same
 * alone and among others, whatever these need, with every solver. And no impulse of zero is -0, neither of a step nor of a bare problem.
 * ctest: later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/batch.h"
#include "support/batch_scene.h"
#include "support/loop_scene.h"
#include "support/random_model.h"

enum { N = 20, MOST = 512 };

static const char *const precisions[] = {"f32", "f64"};

/* Environments `first` on, each with velocities of its own. */
static myr_batch *moved(const myr_model *model, const myr_settings *settings, int64_t first, int64_t envs, double speed) {
    myr_settings own = *settings;
    myr_batch *batch = NULL;
    double v[MOST];
    own.first_env = first;
    /* Without the trial of what `hold` is to hold: it takes longer than all steps here. */
    MUST(myr_batch_make(model, envs, &own, NULL, &batch));
    const int nv = myr_batch_components(batch, MYR_V);
    assert_true(nv <= MOST);
    for (int64_t env = 0; env < envs; env++) {
        random_source source = {(uint64_t)(first + env + 1)};
        MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, v));
        for (int k = 0; k < nv; k++) v[k] += random_uniform(&source, -speed, speed);
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    }
    return batch;
}

static int negative_zeros(const double *x, int n) {
    int found = 0;
    for (int k = 0; k < n; k++) found += x[k] == 0 && signbit(x[k]);
    return found;
}

/* What all of the fields say of one environment. */
static int read_fields(const myr_batch *batch, const myr_field *fields, int n, int64_t env, double *out) {
    int at = 0;
    for (int f = 0; f < n; f++) {
        assert_true(at + myr_batch_components(batch, fields[f]) <= MOST);
        MUST(myr_batch_get(batch, fields[f], &env, 1, MYR_F64, out + at));
        at += myr_batch_components(batch, fields[f]);
    }
    return at;
}

/* All of N together and each alone, step by step: the same fields and the same bytes of the state. Returns the zeros among the impulses. */
static int same_alone(const char *what, const myr_model *model, const myr_settings *settings, int steps, double speed) {
    static const myr_field fields[] = {MYR_IMPULSE,      MYR_ROW_IMPULSE,  MYR_LOOP_IMPULSE, MYR_RESIDUAL,
                                       MYR_RESIDUAL_NCP, MYR_SOLVE_STATUS, MYR_ITERATIONS};
    enum { FIELDS = sizeof fields / sizeof *fields, IMPULSES = 3 };
    static double together[64][N][MOST];
    int zeros = 0;
    assert_true(steps <= 64);
    myr_batch *all = moved(model, settings, 0, N, speed);
    const size_t bytes = myr_batch_state_bytes(all);
    char *states = malloc((size_t)steps * N * bytes), *own = malloc(bytes);
    assert_non_null(states);
    assert_non_null(own);
    for (int t = 0; t < steps; t++) {
        MUST(myr_batch_step(all, 1));
        for (int64_t env = 0; env < N; env++) {
            const int n = read_fields(all, fields, FIELDS, env, together[t][env]);
            const int impulses = read_fields(all, fields, IMPULSES, env, together[t][env]);
            for (int k = 0; k < impulses; k++) zeros += together[t][env][k] == 0;
            if (negative_zeros(together[t][env], impulses)) fail_msg("%s: step %d, robot %d: an impulse of -0", what, t, (int)env);
            assert_true(n < MOST);
        }
        MUST(myr_batch_get_state(all, NULL, N, states + (size_t)t * N * bytes));
    }
    myr_batch_free(all);
    for (int env = 0; env < N; env++) {
        myr_batch *one = moved(model, settings, env, 1, speed);
        for (int t = 0; t < steps; t++) {
            double alone[MOST];
            const int64_t zero = 0;
            MUST(myr_batch_step(one, 1));
            const int n = read_fields(one, fields, FIELDS, 0, alone);
            for (int k = 0; k < n; k++)
                if (memcmp(&alone[k], &together[t][env][k], sizeof(double)) != 0)
                    fail_msg("%s: step %d, robot %d, number %d of %d: %.17g among %d, %.17g alone", what, t, env, k, n, together[t][env][k],
                             N, alone[k]);
            MUST(myr_batch_get_state(one, &zero, 1, own));
            if (memcmp(own, states + ((size_t)t * N + (size_t)env) * bytes, bytes) != 0)
                fail_msg("%s: step %d, robot %d: another state among %d than alone", what, t, env, N);
        }
        myr_batch_free(one);
    }
    free(states);
    free(own);
    return zeros;
}

static void impulses_of_limits_have_their_own_zeros(void **state) {
    (void)state;
    static const char *const robots[] = {"biped", "anymal"};
    for (int r = 0; r < 2; r++) {
        myr_model *model = NULL;
        MUST(myr_model_load(robots[r], MYR_ROOT_AUTO, &model));
        for (int i = 0; myr_solver_name(i); i += SCENE_SOLVER_STRIDE)
            for (int p = 0; p < 2; p++) {
                const myr_settings settings = scene_settings("task", "hold", "start-angle", "0.7", "solver", myr_solver_name(i),
                                                             "precision", precisions[p], "threads", "1", "max-sweeps", "200", NULL);
                char what[128];
                snprintf(what, sizeof what, "%s, %s, %s", robots[r], myr_solver_name(i), precisions[p]);
                assert_true(same_alone(what, model, &settings, 14, 0.5) > 0);
            }
        myr_model_free(model);
    }
}

/* Lanes that are done stay what they are while their neighbours' loops want another pass. */
static void residuals_of_loops_are_their_own(void **state) {
    (void)state;
    myr_model *const robots[] = {loop_four_bar(MYR_LOOP_REVOLUTE, 0), loop_four_bar(MYR_LOOP_REVOLUTE, 1), loop_leg(), loop_walker()};
    for (int r = 0; r < 4; r++) {
        for (int p = 0; p < 2; p++)
            for (int fast = 0; fast < 2; fast++) {
                const myr_settings settings =
                    scene_settings("task", "none", "dynamics", "maximal", "precision", precisions[p], "threads", "1", NULL);
                char what[128];
                snprintf(what, sizeof what, "%s, %s, speeds up to %d", robots[r]->name, precisions[p], fast ? 5 : 1);
                same_alone(what, robots[r], &settings, 40, fast ? 5 : 1);
            }
        myr_model_free(robots[r]);
    }
}

/* A contact that opens, and joints that are at a limit, beside one and in motion with dry friction or none. */
static void impulses_of_bare_problems_have_no_negative_zeros(void **state) {
    (void)state;
    enum { CONTACTS = 2, ROWS = 4, M = 3 * CONTACTS + ROWS };
    double G[M * M], c[M], impulse[M], velocity[M];
    const double mu[CONTACTS] = {0.5, 0};
    for (int turn = 0; turn < 16; turn++) {
        for (int i = 0; i < M; i++)
            for (int k = 0; k < M; k++) G[i * M + k] = (i == k) + 0.05 / (1 + i + k);
        for (int i = 0; i < M; i++) c[i] = (turn >> i % 4 & 1 ? 1 : -1) * (0.1 + 0.01 * i);
        const double stairs[3 * ROWS] = {0, -INFINITY, 0.05, 0, -0.05, INFINITY, 0.02, -0.1, 0.1, 0, -1, 1};
        const myr_contact_problem problem = {.contacts = CONTACTS, .rows = ROWS, .G = G, .c = c, .mu = mu, .stairs = stairs};
        for (int s = 0; myr_solver_name(s); s++)
            for (int p = 0; p < 2; p++) {
                const myr_settings settings = scene_settings("solver", myr_solver_name(s), "precision", precisions[p], NULL);
                myr_contact_result result = {.impulse = impulse, .velocity = velocity};
                MUST(myr_solve_contacts(&problem, 1, &settings, &result));
                if (negative_zeros(impulse, M)) fail_msg("%s, %s, problem %d: an impulse of -0", myr_solver_name(s), precisions[p], turn);
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(impulses_of_limits_have_their_own_zeros),
                                       cmocka_unit_test(impulses_of_bare_problems_have_no_negative_zeros),
                                       cmocka_unit_test(residuals_of_loops_are_their_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
