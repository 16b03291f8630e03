/* ctest: heavy
 * The promises hold with dynamics=maximal: a robot goes through the same bits alone and beside calm, flying, wild and quarantined ones, on
 * any lane, in a batch of any size, with one thread or two, on every instruction set and in both precisions; a rollout is steps, and a
 * batch that is saved goes on with the same bits. Nothing of a pass that one robot needs shows in another. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/batch_scene.h"
#include "support/isas.h"
#include "kernels/kernels.h"
#include "support/loop_scene.h"
#include "support/random_model.h"

enum { MOST = 17, MOST_N = 96 };

static const char *const precisions[] = {"f32", "f64"};

/* What a crowd is made of: a robot, and settings that choose the ways through maximal/variational.lane.h. */
typedef struct crowd {
    const char *name, *task, *dt, *solver, *key[2], *value[2];
    int64_t steps;
    double speed;
} crowd;

static myr_batch *open_crowd(const myr_model *model, const crowd *c, const char *precision, const char *isa, const char *threads,
                             int64_t first, int64_t envs) {
    const int tight = !strcmp(precision, "f64");
    myr_settings settings =
        scene_settings("dynamics", scheme_of(c->solver), "precision", precision, "isa", isa, "threads", threads, "task", c->task, "dt",
                       c->dt, "solver", solver_of(c->solver), "tolerance", tight ? "1e-8" : "1e-5", "max-sweeps", "200", NULL);
    myr_batch *batch = NULL;
    settings.first_env = first;
    for (int k = 0; k < 2; k++)
        if (c->key[k]) MUST(myr_settings_set(&settings, c->key[k], c->value[k]));
    settings.sense_acceleration = 1;
    MUST(myr_batch_create(model, envs, &settings, &batch));
    return batch;
}

/* By id: calm, in the air, wild, at the limits, turning too fast to go on. */
static void disturb(myr_batch *batch, const myr_model *model, const crowd *c, int64_t first, int64_t envs) {
    myr_model_info info;
    myr_model_get_info(model, &info);
    const int floating = model->nv > 5 && model->bodies[0].joint == MYR_JOINT_FREE;
    for (int64_t env = 0; env < envs; env++) {
        const int64_t id = first + env, kind = id % 6;
        double q[MOST_N], v[MOST_N];
        MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
        MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, v));
        const double fast = c->speed * (kind == 0 ? 0.1 : kind == 2 ? 10 : 1);
        for (int k = 0; k < info.nv; k++) v[k] += fast * (floating && k < 3 ? 0.3 : 1) * sin(1 + 1.7 * (double)id + k);
        if (floating && kind == 1) q[2] += 3;
        if (kind == 4) v[info.nv - 1] += 3 * c->speed;
        if (id == 11) v[floating ? 4 : 0] = 2.6 / strtod(c->dt, NULL);
        if (id == 14) v[info.nv - 1] = NAN;
        MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    }
}

static myr_batch *crowd_of(const myr_model *model, const crowd *c, const char *precision, const char *isa, const char *threads,
                           int64_t first, int64_t envs) {
    myr_batch *batch = open_crowd(model, c, precision, isa, threads, first, envs);
    disturb(batch, model, c, first, envs);
    return batch;
}

static void own_bits(const myr_model *model, const crowd *c) {
    static const int ranges[][2] = {{0, 17}, {5, 1}, {3, 8}, {0, 7}, {8, 9}, {1, 15}, {1, 16}}; /* first, how many */
    for (int p = 0; p < 2; p++) {
        uint64_t alone[MOST];
        myr_stats all = {0};
        double contacts = 0, solves = 0;
        for (int env = 0; env < MOST; env++) {
            myr_batch *batch = crowd_of(model, c, precisions[p], "auto", "1", env, 1);
            myr_stats stats;
            MUST(myr_batch_step(batch, c->steps));
            alone[env] = myr_batch_hash(batch);
            myr_batch_stats(batch, &stats);
            all.quarantined += stats.quarantined, all.not_converged += stats.not_converged, all.robot_steps += stats.robot_steps;
            all.solves_max = stats.solves_max > all.solves_max ? stats.solves_max : all.solves_max;
            contacts += stats.contacts_mean / MOST, solves += stats.solves_mean / MOST;
            myr_batch_free(batch);
        }
        print_message("%s, %s: %.2g contacts, %.3g passes, at most %d; %d of %d steps not converged, %d quarantined\n", c->name,
                      precisions[p], contacts, solves, (int)all.solves_max, (int)all.not_converged, (int)all.robot_steps,
                      (int)all.quarantined);
        assert_true((all.solves_max > 2 || !strcmp(c->solver, "maximal-tree")) && all.quarantined >= 2 && all.quarantined < MOST / 2);
        for (int i = 0; isa_or_auto_at(i); i++)
            for (int k = 0; k < 7; k++) {
                myr_batch *batch = crowd_of(model, c, precisions[p], isa_or_auto_at(i), k % 2 ? "2" : "1", ranges[k][0], ranges[k][1]);
                uint64_t wanted = 0;
                MUST(myr_batch_step(batch, c->steps / 3));
                MUST(myr_batch_step(batch, c->steps - c->steps / 3));
                for (int env = 0; env < ranges[k][1]; env++) wanted += alone[ranges[k][0] + env];
                if (myr_batch_hash(batch) != wanted)
                    fail_msg("%s, %s, %s, %d robots from %d on: other bits", c->name, isa_or_auto_at(i), precisions[p], ranges[k][1],
                             ranges[k][0]);
                myr_batch_free(batch);
            }
    }
}

static myr_model *loaded(const char *name) {
    myr_model *model = NULL;
    MUST(myr_model_load(name, MYR_ROOT_AUTO, &model));
    return model;
}

static myr_model *linkage(void) {
    const char *source = getenv("MYRIAPOD_SOURCE");
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/models/linkage.urdf", source ? source : ".");
    return loaded(path);
}

static void check(myr_model *model, const crowd *crowds, size_t n) {
    for (size_t k = 0; k < n; k++) own_bits(model, &crowds[k]);
    myr_model_free(model);
}

static void bits_of_quadrupeds_are_their_own(void **state) {
    (void)state;
    static const crowd crowds[] = {
        {.name = "drop, 1 ms", .task = "drop", .dt = "1e-3", .solver = "hybrid", .steps = 60, .speed = 2},
        {.name = "drop, 5 ms",
         .task = "drop",
         .dt = "5e-3",
         .solver = "nsgs",
         .steps = 120,
         .speed = 2,
         .key = {"gap", "baumgarte"},
         .value = {"0.1", "1"}},
        {.name = "drop, 20 ms, some steps without an answer", .task = "drop", .dt = "2e-2", .solver = "hybrid", .steps = 60, .speed = 2},
        {.name = "trot, 1 ms", .task = "trot", .dt = "1e-3", .solver = "nsgs", .steps = 60, .speed = 2},
        {.name = "trot, 10 ms",
         .task = "trot",
         .dt = "1e-2",
         .solver = "hybrid",
         .steps = 40,
         .speed = 1,
         .key = {"newton-limit"},
         .value = {"20"}},
        {.name = "trot, bounces",
         .task = "trot",
         .dt = "5e-3",
         .solver = "hybrid",
         .steps = 40,
         .speed = 2,
         .key = {"restitution", "limit-recheck"},
         .value = {"0.5", "1"}},
        {.name = "drop, 5 ms, maximal-tree",
         .task = "drop",
         .dt = "5e-3",
         .solver = "maximal-tree",
         .steps = 150,
         .speed = 2,
         .key = {"gap", "baumgarte"},
         .value = {"0.1", "1"}},
        {.name = "trot, soft",
         .task = "trot",
         .dt = "5e-3",
         .solver = "hybrid",
         .steps = 40,
         .speed = 2,
         .key = {"compliance"},
         .value = {"1e-5"}},
    };
    check(loaded("anymal"), crowds, sizeof crowds / sizeof *crowds);
}

static void bits_of_bipeds_are_their_own(void **state) {
    (void)state;
    static const crowd crowds[] = {
        {.name = "biped", .task = "none", .dt = "2e-3", .solver = "hybrid", .steps = 60, .speed = 1},
        {.name = "biped, maximal-tree", .task = "none", .dt = "2e-3", .solver = "maximal-tree", .steps = 40, .speed = 1},
        {.name = "biped, rechecked",
         .task = "none",
         .dt = "5e-3",
         .solver = "hybrid",
         .steps = 60,
         .speed = 2,
         .key = {"limit-recheck", "gap"},
         .value = {"1", "0.05"}},
    };
    check(loaded("biped"), crowds, sizeof crowds / sizeof *crowds);
}

static void bits_of_loops_are_their_own(void **state) {
    (void)state;
    static const crowd crowds[] = {
        {.name = "loops",
         .task = "none",
         .dt = "2e-3",
         .solver = "nsgs",
         .steps = 60,
         .speed = 1,
         .key = {"loop-correction"},
         .value = {"1"}},
        {.name = "loops, projected",
         .task = "none",
         .dt = "5e-3",
         .solver = "hybrid",
         .steps = 60,
         .speed = 1,
         .key = {"loop-projection", "limit-recheck"},
         .value = {"1", "1"}},
        {.name = "loops, limits that a pass finds",
         .task = "none",
         .dt = "2e-3",
         .solver = "hybrid",
         .steps = 60,
         .speed = 5,
         .key = {"newton-limit"},
         .value = {"4"}},
        {.name = "loops, limits that a pass finds, whirling",
         .task = "none",
         .dt = "2e-3",
         .solver = "hybrid",
         .steps = 60,
         .speed = 40,
         .key = {"newton-limit"},
         .value = {"4"}},
    };
    check(loop_walker(), crowds, 4);
    check(loop_four_bar(MYR_LOOP_REVOLUTE, 1), crowds, 1);
    check(linkage(), crowds, 2);
}

static void bits_of_random_trees_are_their_own(void **state) {
    (void)state;
    const random_tree tree = {.bodies = 9,
                              .trees = 2,
                              .floating = 1,
                              .joints = 1u << MYR_JOINT_REVOLUTE | 1u << MYR_JOINT_PRISMATIC | 1u << MYR_JOINT_BALL | 1u << MYR_JOINT_FIXED,
                              .rows = 1};
    static const crowd crowds[] = {
        {.name = "random trees", .task = "none", .dt = "2e-3", .solver = "hybrid", .steps = 60, .speed = 3},
        {.name = "random trees, admm", .task = "none", .dt = "2e-3", .solver = "admm-ncp", .steps = 20, .speed = 3}};
    check(random_model(7, &tree, 1), crowds, 2);
    random_tree alone = tree; /* of two trees, bodies may touch each other */
    static const crowd tree_crowds[] = {
        {.name = "random trees, maximal-tree", .task = "none", .dt = "2e-3", .solver = "maximal-tree", .steps = 20, .speed = 3}};
    alone.trees = 1;
    check(random_model(7, &alone, 1), tree_crowds, 1);
}

/* ---- the same in other calls -------------------------------------------------------------------------- */

static const crowd walking = {.name = "walker", .task = "none", .dt = "2e-3", .solver = "hybrid", .steps = 40, .speed = 1};

static void a_rollout_is_steps(void **state) {
    (void)state;
    enum { STEPS = 30, NU = 16 };
    static double torque[MOST][STEPS][NU], states[MOST][STEPS * MOST_N], row[MOST * NU];
    myr_model *model = loop_walker();
    myr_model_info info;
    myr_model_get_info(model, &info);
    const size_t nu = (size_t)info.nu, nx = (size_t)(info.nq + info.nv);
    assert_true(nu <= NU && nx <= MOST_N);
    for (int p = 0; p < 2; p++) {
        double *flat = &torque[0][0][0];
        myr_batch *rolled = crowd_of(model, &walking, precisions[p], "auto", "2", 0, MOST),
                  *stepped = crowd_of(model, &walking, precisions[p], "auto", "1", 0, MOST);
        for (size_t i = 0; i < MOST * STEPS * nu; i++) flat[i] = 0.5 * sin(0.1 * (double)i);
        const myr_rollout rollout = {
            .steps = STEPS, .control_field = MYR_TORQUE, .type = MYR_F64, .control = flat, .state = states, .state_stride = STEPS * MOST_N};
        MUST(myr_batch_rollout(rolled, &rollout));
        for (size_t step = 0; step < STEPS; step++) {
            for (size_t env = 0; env < MOST; env++) memcpy(row + env * nu, flat + (env * STEPS + step) * nu, nu * sizeof *row);
            MUST(myr_batch_set(stepped, MYR_TORQUE, NULL, MOST, MYR_F64, row));
            MUST(myr_batch_step(stepped, 1));
            for (int64_t env = 0; env < MOST; env++) {
                double q[MOST_N], healthy;
                MUST(myr_batch_get(stepped, MYR_Q, &env, 1, MYR_F64, q));
                MUST(myr_batch_get(stepped, MYR_QUARANTINED, &env, 1, MYR_F64, &healthy));
                if (healthy == MYR_HEALTHY && memcmp(q, states[env] + step * nx, (size_t)info.nq * sizeof *q))
                    fail_msg("%s: robot %d, step %d", precisions[p], (int)env, (int)step);
            }
        }
        assert_true(myr_batch_hash(rolled) == myr_batch_hash(stepped));
        myr_batch_free(rolled);
        myr_batch_free(stepped);
    }
    myr_model_free(model);
}

static void what_is_saved_goes_on(void **state) {
    (void)state;
    char path[] = "/tmp/myriapod-variational-XXXXXX";
    const int file = mkstemp(path);
    myr_model *model = loop_walker();
    assert_true(file >= 0);
    close(file);
    for (int p = 0; p < 2; p++) {
        myr_batch *batch = crowd_of(model, &walking, precisions[p], "auto", "1", 0, MOST),
                  *twin = open_crowd(model, &walking, precisions[p], "auto", "2", 0, MOST);
        const size_t bytes = myr_batch_state_bytes(batch);
        char *states = malloc(MOST * bytes);
        assert_non_null(states);
        MUST(myr_batch_step(batch, 25));
        MUST(myr_batch_save(batch, path));
        MUST(myr_batch_get_state(batch, NULL, MOST, states));
        MUST(myr_batch_step(batch, 15));
        const uint64_t wanted = myr_batch_hash(batch);
        MUST(myr_batch_restore(twin, path));
        MUST(myr_batch_step(twin, 15));
        assert_true(myr_batch_hash(twin) == wanted);
        MUST(myr_batch_step(twin, 3));
        MUST(myr_batch_set_state(twin, NULL, MOST, states));
        MUST(myr_batch_step(twin, 15));
        assert_true(myr_batch_hash(twin) == wanted);
        free(states);
        myr_batch_free(batch);
        myr_batch_free(twin);
    }
    remove(path);
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_of_quadrupeds_are_their_own),
        cmocka_unit_test(bits_of_bipeds_are_their_own),
        cmocka_unit_test(bits_of_loops_are_their_own),
        cmocka_unit_test(bits_of_random_trees_are_their_own),
        cmocka_unit_test(a_rollout_is_steps),
        cmocka_unit_test(what_is_saved_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
