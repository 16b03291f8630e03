/* Locomotion on generated ground: where environments begin, who goes up a level and who down, what ends at the border of the map, and that
 * all of it is each environment's own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/act_scene.h"
#include "batch/batch.h"
#include "terrain/terrain.h"

static myr_model *anymal(void) {
    myr_model *model;
    MUST(myr_model_open("anymal", NULL, &model));
    return model;
}

static myr_batch *walkers(const char *terrain, const char *curriculum, int64_t envs) {
    myr_model *model = anymal();
    const myr_settings settings =
        act_settings("terrain", terrain, "curriculum", curriculum, "episode", "1", "push-speed", "0", "command-hold", "0", NULL);
    myr_batch *batch = act_batch(model, envs, &settings);
    myr_model_free(model);
    return batch;
}

static void read(const myr_batch *batch, myr_field field, int64_t env, double *out) {
    MUST(myr_batch_get(batch, field, &env, 1, MYR_F64, out));
}
static void write(myr_batch *batch, myr_field field, int64_t env, const double *in) {
    MUST(myr_batch_set(batch, field, &env, 1, MYR_F64, in));
}

static void environments_begin_on_patches(void **state) {
    (void)state;
    enum { ENVS = 67 };
    for (int climbs = 0; climbs < 2; climbs++) {
        myr_batch *batch = walkers("legged-gym", climbs ? "1" : "0", ENVS);
        const myr_terrain *t = batch->model.terrain;
        int highest = 0;
        for (int64_t env = 0; env < ENVS; env++) {
            double patch[2], at[3], q[64];
            myr_terrain_patch p;
            read(batch, MYR_PATCH, env, patch), read(batch, MYR_GROUND_AT, env, at), read(batch, MYR_Q, env, q);
            assert_true(patch[1] == (double)(env % 20) && patch[0] >= 0 && patch[0] < (climbs ? 6 : 10));
            if (patch[0] > highest) highest = (int)patch[0];
            MUST(myr_terrain_get_patch(t, (int)patch[0], (int)patch[1], &p));
            for (int k = 0; k < 3; k++) assert_true(fabs(at[k] - p.at_m[k]) < 1e-9);
            assert_true(fabs(q[0]) <= 1 && fabs(q[1]) <= 1);
            /* it stands on the highest sample that its feet may meet */
            const int i = (int)floor((at[0] + q[0]) / t->cell + t->origin_i + 0.5),
                      k = (int)floor((at[1] + q[1]) / t->cell + t->origin_k + 0.5);
            const double ground = t->step * myr_terrain_highest(t, i, k, 5) - at[2];
            assert_true(fabs(q[2] - ground - batch->model.home[2] - 0.02) < 2e-6);
        }
        assert_int_equal(highest, climbs ? 5 : 9);
        myr_batch_free(batch);
    }
}

static void a_written_patch_is_gone_to(void **state) {
    (void)state;
    myr_batch *batch = walkers("stairs", "1", 5);
    const int64_t wanted[2] = {7, 3}, beyond[2] = {99, -4};
    int64_t got[2], env = 3;
    double at[3];
    myr_terrain_patch p;
    MUST(myr_batch_set(batch, MYR_PATCH, &env, 1, MYR_I64, wanted));
    MUST(myr_batch_get(batch, MYR_PATCH, &env, 1, MYR_I64, got));
    assert_true(got[0] == 7 && got[1] == 3);
    MUST(myr_terrain_get_patch(batch->model.terrain, 7, 3, &p));
    read(batch, MYR_GROUND_AT, env, at);
    for (int k = 0; k < 3; k++) assert_true(fabs(at[k] - p.at_m[k]) < 1e-9);
    MUST(myr_batch_reset(batch, NULL)); /* no episode has ended: it stays */
    MUST(myr_batch_get(batch, MYR_PATCH, &env, 1, MYR_I64, got));
    assert_true(got[0] == 7 && got[1] == 3);
    MUST(myr_batch_set(batch, MYR_PATCH, &env, 1, MYR_I64, beyond)); /* the nearest that there is */
    MUST(myr_batch_get(batch, MYR_PATCH, &env, 1, MYR_I64, got));
    assert_true(got[0] == 9 && got[1] == 0);
    myr_batch_free(batch);
}

/* So many control steps without actions. Which ended in the last one, and how. */
static void step(myr_batch *batch, int steps, uint8_t *terminated, uint8_t *truncated) {
    act_arrays a = act_open(batch, batch->envs, steps);
    memset(a.action, 0, (size_t)(batch->envs * steps * a.nu) * sizeof *a.action);
    act_run(batch, &a, 0, 0, steps, steps, MYR_AUTORESET_SAME_STEP);
    for (int64_t e = 0; e < batch->envs; e++)
        terminated[e] = a.terminated[act_at(&a, e, steps - 1)], truncated[e] = a.truncated[act_at(&a, e, steps - 1)];
    act_close(&a);
}

/* An episode of 1 s is 50 control steps. Right before its end each robot is put where it is to have walked to. */
static void levels_follow_the_way(void **state) {
    (void)state;
    static const struct {
        double x, y, command[3];
        int from, to; /* to: -1: any */
    } cases[] = {
        {5, 0, {1, 0, 0}, 2, 3},         /* off its patch of 8 m */
        {0, -4.5, {0, 0, 0}, 9, -1},     /* off the last one: a random level */
        {0.1, 0, {1, 0, 0}, 4, 3},       /* less than half of 1 m/s for 1 s */
        {0.6, 0, {1, 0, 0}, 4, 4},       /* more than that */
        {0.3, 0.2, {0.9, 0.9, 0}, 5, 4}, /* by the length of the command */
        {0.1, 0, {1, 0, 0}, 0, 0},       /* there is no level below */
        {0, 0, {0, 0, 0.5}, 3, 3},       /* who is not told to walk, stays */
    };
    enum { CASES = sizeof cases / sizeof *cases };
    for (int climbs = 0; climbs < 2; climbs++) {
        myr_batch *batch = walkers("flat", climbs ? "1" : "0", CASES);
        uint8_t terminated[CASES], truncated[CASES];
        for (int64_t e = 0; e < CASES; e++) {
            const double patch[2] = {cases[e].from, (double)(e % 4)};
            write(batch, MYR_PATCH, e, patch), write(batch, MYR_COMMAND, e, cases[e].command);
        }
        step(batch, 49, terminated, truncated);
        for (int64_t e = 0; e < CASES; e++) {
            double q[64];
            assert_true(!terminated[e] && !truncated[e]);
            read(batch, MYR_Q, e, q);
            q[0] = cases[e].x, q[1] = cases[e].y;
            write(batch, MYR_Q, e, q), write(batch, MYR_COMMAND, e, cases[e].command);
        }
        step(batch, 1, terminated, truncated);
        for (int64_t e = 0; e < CASES; e++) {
            double patch[2], at[3];
            assert_true(truncated[e] && !terminated[e]);
            read(batch, MYR_PATCH, e, patch), read(batch, MYR_GROUND_AT, e, at);
            const int wanted = climbs ? cases[e].to : cases[e].from;
            if (wanted < 0 ? patch[0] < 0 || patch[0] > 9 : patch[0] != wanted)
                fail_msg("case %d: from level %d to %g, not %d", (int)e, cases[e].from, patch[0], wanted);
            assert_true(patch[1] == (double)(e % 4));
            myr_terrain_patch p;
            MUST(myr_terrain_get_patch(batch->model.terrain, (int)patch[0], (int)patch[1], &p));
            for (int k = 0; k < 3; k++) assert_true(fabs(at[k] - p.at_m[k]) < 1e-9);
        }
        myr_batch_free(batch);
    }
}

/* Beyond the map an episode ends, and it is not the robot's fault; so it does before it is too far from its origin. */
static void episodes_end_at_the_border(void **state) {
    (void)state;
    myr_batch *batch = walkers("stones", "0", 3);
    const myr_terrain *t = batch->model.terrain;
    uint8_t terminated[3], truncated[3];
    const double middle[3] = {0, 0, 0}, beside[3] = {t->cell * (t->nx - 1 - t->origin_i) - 2, 0, 0};
    for (int64_t e = 0; e < 3; e++) {
        double q[64];
        read(batch, MYR_Q, e, q);
        write(batch, MYR_GROUND_AT, e, e == 1 ? beside : middle);
        q[0] = e == 1 ? 2.5 : e == 2 ? 63.5 : 0, q[1] = 0, q[2] = 1;
        write(batch, MYR_Q, e, q);
    }
    step(batch, 1, terminated, truncated);
    assert_true(!truncated[0] && truncated[1] && truncated[2]);
    assert_true(!terminated[0] && !terminated[1] && !terminated[2]);
    myr_batch_free(batch);
}

/* One batch of 40, and the same robots in two batches: the same bytes of state after 120 control steps, two episodes and a bit. */
static void splits_change_nothing(void **state) {
    (void)state;
    enum { ENVS = 40 };
    static const char *const parts[3][2] = {{"0", "40"}, {"0", "13"}, {"13", "27"}};
    uint8_t *states[ENVS] = {NULL};
    myr_model *model = anymal();
    size_t bytes = 0;
    for (int part = 0; part < 3; part++) {
        const myr_settings settings = act_settings("terrain", "legged-gym", "episode", "1", "first-env", parts[part][0], NULL);
        const int64_t envs = atoi(parts[part][1]), first = atoi(parts[part][0]);
        myr_batch *batch = act_batch(model, envs, &settings);
        act_arrays a = act_open(batch, envs, 120);
        act_actions(&a, first, 0.5);
        act_run(batch, &a, 0, 0, 120, 40, MYR_AUTORESET_SAME_STEP);
        bytes = myr_batch_state_bytes(batch);
        for (int64_t e = 0; e < envs; e++) {
            uint8_t *is = malloc(bytes);
            assert_non_null(is);
            MUST(myr_batch_get_state(batch, &e, 1, is));
            if (part == 0)
                states[e] = is;
            else {
                if (memcmp(is, states[first + e], bytes))
                    fail_msg("environment %d is another one in a batch of %d", (int)(first + e), (int)envs);
                free(is);
            }
        }
        act_close(&a);
        myr_batch_free(batch);
    }
    for (int e = 0; e < ENVS; e++) free(states[e]);
    myr_model_free(model);
}

static void a_batch_tells_its_model(void **state) {
    (void)state;
    myr_model *model = anymal(), *on;
    myr_terrain_plan plan;
    myr_terrain *terrain;
    MUST(myr_terrain_plan_named("rough", &plan));
    MUST(myr_terrain_generate(&plan, 4, &terrain));
    MUST(myr_model_on(model, terrain, &on));
    assert_null(myr_model_terrain(model));
    assert_ptr_equal(myr_model_terrain(on), terrain);
    myr_settings settings = act_settings(NULL);
    myr_batch *batch = act_batch(model, 3, &settings);
    assert_ptr_equal(myr_batch_model(batch), model);
    myr_batch_free(batch);
    settings = act_settings("terrain", "rough", "terrain-seed", "4", NULL);
    batch = act_batch(model, 3, &settings);
    const myr_model *stepped = myr_batch_model(batch);
    assert_ptr_not_equal(stepped, model);
    assert_true(myr_model_hash(stepped) == myr_model_hash(on));
    myr_terrain_info info[2];
    myr_terrain_get_info(myr_model_terrain(stepped), &info[0]), myr_terrain_get_info(terrain, &info[1]);
    assert_true(info[0].hash == info[1].hash);
    myr_batch_free(batch);
    assert_null(myr_batch_model(NULL));
    assert_null(myr_model_terrain(NULL));
    myr_model_free(on), myr_model_free(model), myr_terrain_free(terrain);
}

/* What is observed of the ground is what myr_batch_scan says of it, less half a metre below the base, within 1 m, times the factor. */
static void heights_are_observed(void **state) {
    (void)state;
    enum { ENVS = 19, POINTS = 187 };
    static const char *const kinds[] = {"exact", "bilinear", "min3", "nearest"};
    for (int kind = 0; kind < 4; kind++)
        for (int exact = 0; exact < 2; exact++) {
            myr_model *model = anymal();
            const myr_settings settings = act_settings("terrain", "legged-gym", "scan", kinds[kind], "noise-height", "0", "precision",
                                                       exact ? "f64" : "f32", "scale-height", "3", NULL);
            myr_batch *batch = act_batch(model, ENVS, &settings);
            const int n = myr_batch_observations(batch), before = 12 + 3 * 12;
            assert_int_equal(n, before + POINTS);
            double *seen = calloc((size_t)(ENVS * n), sizeof *seen), *ground = calloc(ENVS * POINTS, sizeof *ground), least = 1, most = -1;
            assert_true(seen && ground);
            myr_scan scan = myr_scan_default();
            scan.kind = (myr_scan_kind)kind;
            MUST(myr_batch_observe(batch, MYR_F64, seen));
            MUST(myr_batch_scan(batch, &scan, NULL, MYR_F64, ground));
            for (int64_t e = 0; e < ENVS; e++) {
                double q[64];
                read(batch, MYR_Q, e, q);
                for (int k = 0; k < POINTS; k++) {
                    const double is = seen[e * n + before + k], wanted = 3 * fmax(fmin(q[2] - 0.5 - ground[e * POINTS + k], 1), -1);
                    if (fabs(is - wanted) > (exact ? 1e-12 : 3e-6)) fail_msg("point %d of robot %d: %.9g, not %.9g", k, (int)e, is, wanted);
                    least = fmin(least, is), most = fmax(most, is);
                }
            }
            assert_true(most - least > 0.5); /* they stand on more than a plane */
            free(seen), free(ground);
            myr_batch_free(batch);
            myr_model_free(model);
        }
}

static void bad_grounds_are_refused(void **state) {
    (void)state;
    myr_model *model = anymal(), *on;
    myr_batch *batch;
    myr_terrain_plan plan;
    myr_terrain *terrain;
    myr_settings settings = myr_settings_default();
    MUST_FAIL(myr_settings_set(&settings, "terrain", "legged-gmy"), MYR_E_ARG, "did you mean 'legged-gym'");
    for (int k = 0; myr_terrain_profile_name(k); k++) MUST(myr_settings_set(&settings, "terrain", myr_terrain_profile_name(k)));
    settings = act_settings("terrain", "rough", NULL);
    MUST(myr_terrain_plan_named("flat", &plan));
    MUST(myr_terrain_generate(&plan, 1, &terrain));
    MUST(myr_model_on(model, terrain, &on));
    MUST_FAIL(myr_batch_create(on, 1, &settings, &batch), MYR_E_ARG, "stands on a map already");
    settings = scene_settings("terrain", "rough", "dynamics", "maximal", "task", "none", NULL);
    MUST_FAIL(myr_batch_create(model, 1, &settings, &batch), MYR_E_ARG, "knows no ground but a plane");
    settings = scene_settings("terrain", "rough", "ground", "off", "task", "none", NULL);
    MUST_FAIL(myr_batch_create(model, 1, &settings, &batch), MYR_E_ARG, "stands on a map");
    myr_model_free(on), myr_model_free(model), myr_terrain_free(terrain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(environments_begin_on_patches), cmocka_unit_test(a_written_patch_is_gone_to),
        cmocka_unit_test(levels_follow_the_way),         cmocka_unit_test(episodes_end_at_the_border),
        cmocka_unit_test(splits_change_nothing),         cmocka_unit_test(a_batch_tells_its_model),
        cmocka_unit_test(heights_are_observed),          cmocka_unit_test(bad_grounds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
