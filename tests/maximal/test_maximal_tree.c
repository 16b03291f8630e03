/* dynamics=maximal-tree: what it refuses, and that it ends where solvers under dynamics=maximal do: contacts that are redundant, that just
 * touch, that have no friction; joint limits and dry friction; a chain of many contacts; robots that are quarantined. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/loop_scene.h"
#include "support/random_model.h"

enum { MOST_N = 256, ENVS = 17 };

static const char *const precisions[] = {"f64", "f32"};

static myr_settings tree_settings(const char *precision, const char *solver, const char *dt) {
    return scene_settings("task", "none", "dynamics", scheme_of(solver), "precision", precision, "solver", solver_of(solver), "dt", dt,
                          "gap", "0.1", "baumgarte", "1", "tolerance", !strcmp(precision, "f64") ? "1e-10" : "1e-6", "max-sweeps", "5000",
                          "newton-limit", "40", "threads", "1", "kp", "0", "kd", "0", NULL);
}

static myr_model *loaded(const char *name) {
    myr_model *model = NULL;
    MUST(myr_model_load(name, MYR_ROOT_AUTO, &model));
    return model;
}

static void refuses(const myr_model *model, const myr_settings *settings, const char *word) {
    myr_batch *batch = NULL;
    MUST_FAIL(myr_batch_create(model, 1, settings, &batch), MYR_E_ARG, word);
    MUST_FAIL(myr_batch_create(model, 1, settings, &batch), MYR_E_ARG, "maximal-tree");
    assert_null(batch);
}

static void what_is_no_tree_is_refused(void **state) {
    (void)state;
    myr_model *robot = loaded("anymal"), *stack = loaded("stack-2"), *loop = loop_four_bar(MYR_LOOP_REVOLUTE, 1);
    const myr_settings tree = tree_settings("f64", "maximal-tree", "1e-3");
    myr_settings other = tree;
    refuses(stack, &tree, "cube1");
    refuses(loop, &tree, "loop");
    MUST(myr_settings_set(&other, "compliance", "1e-5"));
    refuses(robot, &other, "compliance");
    other = tree;
    MUST(myr_settings_set(&other, "joint-friction", "implicit"));
    refuses(robot, &other, "joint-friction");
    myr_model_free(robot);
    myr_model_free(stack);
    myr_model_free(loop);
}

/* The scheme was a solver once. Its old name means the same, whatever `dynamics` is set to before or after; a note says so. */
static void the_old_name_steps_the_same(void **state) {
    (void)state;
    static const char *const after[] = {NULL, "maximal", "generalized"};
    myr_model *robot = loaded("anymal");
    uint64_t hashes[4];
    for (int k = 0; k < 4; k++) {
        myr_settings settings = tree_settings("f64", k ? "hybrid" : "maximal-tree", "2e-3");
        myr_batch *batch = NULL;
        if (k) {
            MUST(myr_settings_set(&settings, "solver", "ipm-tree"));
            assert_string_equal(myr_settings_note(), "solver ipm-tree is now called dynamics maximal-tree");
            if (after[k - 1]) MUST(myr_settings_set(&settings, "dynamics", after[k - 1]));
            for (int i = 0; i < 2; i++) {
                const char *key;
                char text[MYR_NAME_LENGTH];
                for (int n = 0; myr_settings_key(&settings, n, &key, text, NULL); n++)
                    if (!strcmp(key, i ? "dynamics" : "solver")) assert_string_equal(text, i ? "maximal-tree" : "hybrid");
            }
        }
        MUST(myr_batch_create(robot, ENVS, &settings, &batch));
        MUST(myr_batch_step(batch, 20));
        hashes[k] = myr_batch_hash(batch);
        assert_true(hashes[k] == hashes[0]);
        myr_batch_free(batch);
    }
    myr_model_free(robot);
}

/* It does not solve single problems: myr_batch_problem refuses the scheme, and myr_solve_contacts its old name as a solver. */
static void no_problem_is_solved_or_shown(void **state) {
    (void)state;
    const double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, c[3] = {0, 0, -1}, mu = 0.5;
    double impulse[3];
    const myr_contact_problem problem = {.contacts = 1, .G = G, .c = c, .mu = &mu};
    myr_contact_result result = {.impulse = impulse};
    myr_settings settings = tree_settings("f64", "maximal-tree", "1e-3");
    myr_model *cube = loaded("cube");
    myr_batch *batch = NULL;
    myr_problem_room room = {.room = 8, .contacts = 77};
    MUST(myr_batch_create(cube, 1, &settings, &batch));
    MUST_FAIL(myr_batch_problem(batch, 0, &room), MYR_E_STATE, "'dynamics' = 'maximal-tree'");
    assert_int_equal(room.contacts, 77);
    MUST(myr_settings_set(&settings, "solver", "ipm-tree"));
    MUST_FAIL(myr_solve_contacts(&problem, 1, &settings, &result), MYR_E_ARG,
              "'solver' is 'ipm-tree', which is now 'dynamics' = 'maximal-tree'");
    myr_batch_free(batch);
    myr_model_free(cube);
}

/* Steps of both solvers from the same states: velocities apart by no more than `most`, in each of `steps` steps. */
static void same_as_hybrid(const myr_model *model, const char *precision, const char *dt, const char *key, const char *value,
                           void (*put)(myr_batch *batch, int64_t env, double *q, double *v), int steps, double most) {
    static const char *const solvers[] = {"hybrid", "maximal-tree"};
    static double q[ENVS][MOST_N], v[2][ENVS][MOST_N];
    double off = 0, scale = 1;
    int64_t touched = 0;
    myr_model_info info;
    myr_batch *batch[2];
    myr_model_get_info(model, &info);
    assert_true(info.nq <= MOST_N);
    for (int k = 0; k < 2; k++) {
        myr_settings settings = tree_settings(precision, solvers[k], dt);
        if (key) MUST(myr_settings_set(&settings, key, value));
        settings.sense_contacts = 1;
        MUST(myr_batch_create(model, ENVS, &settings, &batch[k]));
        for (int64_t env = 0; env < ENVS; env++) {
            MUST(myr_batch_get(batch[k], MYR_Q, &env, 1, MYR_F64, q[0]));
            MUST(myr_batch_get(batch[k], MYR_V, &env, 1, MYR_F64, v[0][0]));
            put(batch[k], env, q[0], v[0][0]);
            MUST(myr_batch_set(batch[k], MYR_Q, &env, 1, MYR_F64, q[0]));
            MUST(myr_batch_set(batch[k], MYR_V, &env, 1, MYR_F64, v[0][0]));
        }
    }
    for (int step = 0; step < steps; step++) {
        myr_stats stats[2];
        for (int k = 0; k < 2; k++) {
            MUST(myr_batch_step(batch[k], 1));
            for (int64_t env = 0; env < ENVS; env++) MUST(myr_batch_get(batch[k], MYR_V, &env, 1, MYR_F64, v[k][env]));
            myr_batch_stats(batch[k], &stats[k]);
        }
        assert_int_equal(stats[1].quarantined, 0);
        assert_int_equal(stats[1].not_converged, 0);
        assert_true(stats[1].solves_max <= 1);
        touched += (int64_t)(stats[1].contacts_mean > 0);
        for (int64_t env = 0; env < ENVS; env++) {
            for (int i = 0; i < info.nv; i++) {
                off = fmax(off, fabs(v[0][env][i] - v[1][env][i])), scale = fmax(scale, fabs(v[0][env][i]));
                assert_true(isfinite(v[1][env][i]));
            }
            MUST(myr_batch_get(batch[0], MYR_Q, &env, 1, MYR_F64, q[env]));
            MUST(myr_batch_set(batch[1], MYR_Q, &env, 1, MYR_F64, q[env]));
            MUST(myr_batch_set(batch[1], MYR_V, &env, 1, MYR_F64, v[0][env]));
        }
    }
    print_message("%s: velocities apart by %.2g of %.2g\n", precision, off, scale);
    assert_true(off <= most * scale);
    for (int k = 0; k < 2; k++) myr_batch_free(batch[k]);
}

static void put_cube(myr_batch *batch, int64_t env, double *q, double *v) {
    (void)batch;
    q[2] += env % 3 ? 0 : 0.01;
    v[0] = env % 2 ? 0.3 * (double)env : 0, v[1] = 0.1 * (double)env, v[5] = (double)(env % 4);
}

/* Four corners of a cube on the ground, at rest, sliding, turning or in the air; a ball. */
static void redundant_contacts_end(void **state) {
    (void)state;
    static const char *const friction[] = {"0", "0.5", "1"};
    myr_model *cube = loaded("cube"), *sphere = loaded("sphere");
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < 3; k++) {
            /* corners of a cube that turns slide different ways: what each carries is not unique, nor is the torque that brakes the cube */
            same_as_hybrid(cube, precisions[p], "2e-3", "friction", friction[k], put_cube, 40, k ? 0.1 : p ? 2e-3 : 1e-5);
            same_as_hybrid(sphere, precisions[p], "2e-3", "friction", friction[k], put_cube, 40, p ? 2e-3 : 1e-5);
        }
    myr_model_free(cube);
    myr_model_free(sphere);
}

static void put_limp(myr_batch *batch, int64_t env, double *q, double *v) {
    (void)batch;
    q[2] += 3;
    for (int i = 0; i < 6; i++) v[i] = 0.3 * sin(1 + (double)env + i);
    for (int i = 6; i < 12; i++) v[i] = 3 * sin(2 + 1.3 * (double)env + i);
}

/* Limits and dry friction of joints, in the air: flat feet share their friction as they like. */
static void joint_rows_end(void **state) {
    (void)state;
    const random_tree kind = {.bodies = 8,
                              .trees = 1,
                              .floating = 1,
                              .joints = 1u << MYR_JOINT_REVOLUTE | 1u << MYR_JOINT_PRISMATIC | 1u << MYR_JOINT_BALL,
                              .rows = 1};
    for (int p = 0; p < 2; p++) {
        myr_model *biped = loaded("biped"), *one = random_model(5, &kind, 1);
        same_as_hybrid(biped, precisions[p], "1e-3", NULL, NULL, put_limp, 30, p ? 1e-2 : 1e-4);
        same_as_hybrid(one, precisions[p], "1e-3", NULL, NULL, put_limp, 30, p ? 1e-2 : 1e-4);
        myr_model_free(biped);
        myr_model_free(one);
    }
}

static void put_chain(myr_batch *batch, int64_t env, double *q, double *v) {
    (void)batch;
    q[2] += 0.001 * (double)(env % 3);
    v[0] = 0.2, v[1] = 0.05 * (double)env, v[2] = -0.1 * (double)(env % 4);
}

/* Links of a chain that lies on the ground, all of its joints touching. */
static void chains_end(void **state) {
    (void)state;
    static const char *const names[] = {"chain-1", "chain-3", "chain-12"};
    for (int k = 0; k < 3; k++) {
        myr_model *chain = loaded(names[k]);
        for (int p = 0; p < 2; p++) same_as_hybrid(chain, precisions[p], "1e-3", NULL, NULL, put_chain, 10, p ? 2e-2 : 1e-4);
        myr_model_free(chain);
    }
}

/* A torque that is NaN, and a turn of more than a step can represent, quarantine their own robot alone. */
static void no_number_is_shown(void **state) {
    (void)state;
    myr_model *model = loaded("anymal");
    myr_model_info info;
    myr_model_get_info(model, &info);
    for (int p = 0; p < 2; p++) {
        const myr_settings settings = tree_settings(precisions[p], "maximal-tree", "1e-3");
        myr_batch *batch = NULL;
        double torque[MOST_N] = {0}, v[MOST_N] = {0};
        int64_t bad = 3, spins = 5;
        MUST(myr_batch_create(model, ENVS, &settings, &batch));
        torque[0] = NAN, v[4] = 2600;
        MUST(myr_batch_set(batch, MYR_TORQUE, &bad, 1, MYR_F64, torque));
        MUST(myr_batch_set(batch, MYR_V, &spins, 1, MYR_F64, v));
        MUST(myr_batch_step(batch, 3));
        for (int64_t env = 0; env < ENVS; env++) {
            double why;
            MUST(myr_batch_get(batch, MYR_QUARANTINED, &env, 1, MYR_F64, &why));
            const int wanted = env == bad ? MYR_QUARANTINE_NOT_FINITE : env == spins ? MYR_QUARANTINE_ROTATION : MYR_HEALTHY;
            assert_int_equal((int)why, wanted);
        }
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_tree_is_refused),
        cmocka_unit_test(the_old_name_steps_the_same),
        cmocka_unit_test(no_problem_is_solved_or_shown),
        cmocka_unit_test(redundant_contacts_end),
        cmocka_unit_test(joint_rows_end),
        cmocka_unit_test(chains_end),
        cmocka_unit_test(no_number_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
