/* Scans are what their definition says, of every kind, on every instruction set, in both precisions, for any number of environments, on
 * maps of triangles, of columns and of both; equal places have equal bits; and an environment's scan is its own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/isas.h"
#include "support/random_model.h"
#include "support/scan_scene.h"

static int lanes_of(const char *isa, int precision) {
    myr_settings settings = scan_settings(isa, precision);
    myr_model *model;
    myr_batch *batch;
    myr_batch_info info;
    MUST(myr_model_open("cube", NULL, &model));
    MUST(myr_batch_create(model, 1, &settings, &batch));
    myr_batch_get_info(batch, &info);
    myr_batch_free(batch), myr_model_free(model);
    return info.lanes;
}

/* A tilted robot within 1.5 m of an origin, which is any sample of the map or beyond its border. */
static void place(myr_batch *batch, int64_t env, random_source *random) {
    double q[MOST_Q];
    const double at[3] = {SCAN_CELL * (random_below(random, NX + 12) - 26), SCAN_CELL * (random_below(random, NY + 12) - 17), 0.015};
    MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
    for (int k = 0; k < 3; k++) q[k] = random_uniform(random, -1.5, 1.5);
    random_quaternion(random, q + 3);
    MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
    MUST(myr_batch_set(batch, MYR_GROUND_AT, &env, 1, MYR_F64, at));
}

static void compare(const scan_map *m, int map, const char *isa, int precision, int64_t envs) {
    myr_model *model = scan_model_on("anymal", m->terrain);
    const myr_settings settings = scan_settings(isa, precision);
    myr_batch *batch;
    random_source random = {(uint64_t)(17 * envs + map)};
    double q[MOST_Q], ground_at[3], heading[2], *out = malloc(sizeof(double) * POINTS * MOST_ENVS);
    float *floats = malloc(sizeof(float) * POINTS * MOST_ENVS);
    assert_true(out && floats);
    MUST(myr_batch_create(model, envs, &settings, &batch));
    for (int64_t env = 0; env < envs; env++) place(batch, env, &random);
    for (int kind = 0; kind < KINDS; kind++) {
        myr_scan scan = myr_scan_default();
        int beside = 0;
        char what[100];
        snprintf(what, sizeof what, "%s, %s, %s, %d environments, kind %d", isa, scan_precisions[precision], scan_maps[map], (int)envs,
                 kind);
        scan.kind = (myr_scan_kind)kind;
        assert_int_equal(myr_scan_points(&scan), POINTS);
        MUST(myr_batch_scan(batch, &scan, NULL, MYR_F64, out));
        MUST(myr_batch_scan(batch, &scan, NULL, MYR_F32, floats));
        for (int64_t env = 0; env < envs; env++) {
            MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
            MUST(myr_batch_get(batch, MYR_GROUND_AT, &env, 1, MYR_F64, ground_at));
            ref_scan_heading(q + 3, heading);
            for (int j = 0; j < POINTS; j++) {
                double xy[2];
                scan_point(q, heading, j, xy);
                const int jumps = kind == REF_MIN3 || kind == REF_NEAREST || map == COLUMNS || map == MIXED;
                assert_true(floats[env * POINTS + j] == (float)out[env * POINTS + j]);
                beside += scan_judge(m, (ref_scan_kind)kind, jumps, precision, ground_at, xy[0], xy[1], out[env * POINTS + j], what);
            }
        }
        if (beside > 2 + (int)envs * POINTS / 200) fail_msg("%s: %d points got a neighbour's height", what, beside);
    }
    myr_batch_free(batch);
    myr_model_free(model);
    free(out), free(floats);
}

static void kinds_are_as_defined(void **state) {
    (void)state;
    scan_map *m = malloc(sizeof *m);
    assert_non_null(m);
    for (int map = 0; map < MAPS; map++) {
        scan_make_map(m, map, 0);
        for (int i = 0; isa_at(i); i++)
            for (int precision = 0; precision < 2; precision++) {
                const int lanes = lanes_of(isa_at(i), precision), counts[4] = {1, lanes - 1, lanes, lanes + 1};
                for (int c = 0; c < 4; c++) compare(m, map, isa_at(i), precision, counts[c]);
            }
        myr_terrain_free(m->terrain);
    }
    free(m);
}

/* A map that repeats itself, and one robot on each of its patches. */
static void equal_places_have_equal_bits(void **state) {
    (void)state;
    scan_map *m = malloc(sizeof *m);
    assert_non_null(m);
    for (int map = 0; map < MAPS; map++) {
        scan_make_map(m, map, 1);
        myr_model *model = scan_model_on("anymal", m->terrain);
        for (int i = 0; isa_at(i); i++)
            for (int precision = 0; precision < 2; precision++)
                for (int kind = 0; kind < KINDS; kind++) {
                    enum { ENVS = 4 };
                    const myr_settings settings = scan_settings(isa_at(i), precision);
                    static double out[ENVS][POINTS];
                    myr_batch *batch;
                    double q[MOST_Q], quaternion[4] = {0.8, 0.1, -0.2, 0.5};
                    MUST(myr_batch_create(model, ENVS, &settings, &batch));
                    for (int64_t env = 0; env < ENVS; env++) {
                        const int i16 = (int)env / 2, k16 = (int)env % 2, rise = map == FLOATS ? 0 : RISE_X * i16 + RISE_Y * k16;
                        const double at[3] = {1.6 * i16, 1.6 * k16, 0.01 + 0.005 * rise};
                        MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
                        q[0] = 0.137, q[1] = 0.271, memcpy(q + 3, quaternion, sizeof quaternion);
                        MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
                        MUST(myr_batch_set(batch, MYR_GROUND_AT, &env, 1, MYR_F64, at));
                    }
                    myr_scan scan = myr_scan_default();
                    scan.kind = (myr_scan_kind)kind;
                    MUST(myr_batch_scan(batch, &scan, NULL, MYR_F64, out));
                    int levels = 0;
                    for (int j = 1; j < POINTS; j++) levels += out[0][j] != out[0][j - 1];
                    assert_true(levels > POINTS / 4); /* rough enough to tell places apart */
                    for (int env = 1; env < ENVS; env++) assert_memory_equal(out[env], out[0], sizeof out[0]);
                    myr_batch_free(batch);
                }
        myr_model_free(model);
        myr_terrain_free(m->terrain);
    }
    free(m);
}

/* Alone, among others, in another lane, with other threads, by another instruction set: the same bits. A mask leaves the rest alone. */
static void a_scan_is_its_environments_own(void **state) {
    (void)state;
    enum { ENVS = 37 };
    static double all[ENVS][POINTS], first[2][ENVS][POINTS], some[ENVS][POINTS], alone[POINTS];
    scan_map *m = malloc(sizeof *m);
    assert_non_null(m);
    scan_make_map(m, MIXED, 0);
    myr_model *model = scan_model_on("anymal", m->terrain);
    const myr_scan scan = myr_scan_default();
    for (int i = 0; isa_at(i); i++)
        for (int precision = 0; precision < 2; precision++) {
            myr_settings settings = scan_settings(isa_at(i), precision);
            myr_batch *batch, *lone;
            random_source random = {3};
            uint8_t mask[ENVS];
            size_t count;
            MUST(myr_batch_create(model, ENVS, &settings, &batch));
            for (int64_t env = 0; env < ENVS; env++) place(batch, env, &random);
            double *before = scene_snapshot(batch, &count);
            MUST(myr_batch_scan(batch, &scan, NULL, MYR_F64, all));
            scene_assert_unchanged(batch, before, count);
            free(before);
            if (i == 0) memcpy(first[precision], all, sizeof all);
            assert_memory_equal(all, first[precision], sizeof all);
            for (int env = 0; env < ENVS; env++) mask[env] = (uint8_t)(env % 3 == 1 ? 7 : 0);
            memset(some, 0xab, sizeof some);
            MUST(myr_batch_scan(batch, &scan, mask, MYR_F64, some));
            for (int env = 0; env < ENVS; env++) {
                if (mask[env])
                    assert_memory_equal(some[env], all[env], sizeof all[env]);
                else
                    for (size_t byte = 0; byte < sizeof some[env]; byte++) assert_int_equal(((uint8_t *)some[env])[byte], 0xab);
            }
            MUST(myr_settings_set(&settings, "threads", "1"));
            MUST(myr_batch_create(model, 1, &settings, &lone));
            for (int64_t env = 0; env < ENVS; env++) {
                double q[MOST_Q], at[3];
                MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
                MUST(myr_batch_get(batch, MYR_GROUND_AT, &env, 1, MYR_F64, at));
                MUST(myr_batch_set(lone, MYR_Q, NULL, 1, MYR_F64, q));
                MUST(myr_batch_set(lone, MYR_GROUND_AT, NULL, 1, MYR_F64, at));
                MUST(myr_batch_scan(lone, &scan, NULL, MYR_F64, alone));
                assert_memory_equal(alone, all[env], sizeof alone);
            }
            myr_batch_free(batch), myr_batch_free(lone);
        }
    myr_model_free(model);
    myr_terrain_free(m->terrain);
    free(m);
}

/* Rings and lists about every frame of a robot, by poses from myr_evaluate; heights, clearances, the least of them. */
static void frames_of(const myr_model *model, const scan_map *m, const char *isa, int precision) {
    enum { ENVS = 9, N = 7 };
    static const double list[2 * N] = {0, 0, 0.31, -0.2, -0.4, 0.17, 0.05, 0.6, -0.03, -0.71, 1.3, 0.4, -0.9, -1.1};
    const myr_settings settings = scan_settings(isa, precision);
    /* f32: poses of bodies are floats, too, 1e-6 m off; the map's slopes are 0.4 at most */
    const double bound = precision ? 1e-12 : 5e-6;
    myr_model_info info;
    myr_batch *batch;
    myr_model_get_info(model, &info);
    double *q = calloc((size_t)info.nq + 1, sizeof *q), *v = calloc((size_t)info.nv + 1, sizeof *v);
    double *position = calloc((size_t)info.n_frames * 3, sizeof *position), *turn = calloc((size_t)info.n_frames * 4, sizeof *turn);
    assert_true(q && v && position && turn);
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    random_source random = {21};
    for (int64_t env = 0; env < ENVS; env++) {
        const double at[3] = {SCAN_CELL * random_below(&random, 5), SCAN_CELL * random_below(&random, 5), 0.005};
        random_state(&random, model, 0, 0, q, v, v);
        MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
        MUST(myr_batch_set(batch, MYR_GROUND_AT, &env, 1, MYR_F64, at));
    }
    for (int frame = 0; frame < info.n_frames; frame++)
        for (int way = 0; way < 4; way++) {
            double out[ENVS][N], least[ENVS];
            myr_scan scan = myr_scan_default();
            scan.shape = way & 1 ? MYR_SCAN_RING : MYR_SCAN_LIST, scan.value = way & 2 ? MYR_SCAN_CLEARANCE : MYR_SCAN_HEIGHT;
            scan.n = N, scan.points = list, scan.radius_m = 0.3, scan.frame = frame;
            MUST(myr_batch_scan(batch, &scan, NULL, MYR_F64, out));
            scan.least = 1;
            MUST(myr_batch_scan(batch, &scan, NULL, MYR_F64, least));
            for (int64_t env = 0; env < ENVS; env++) {
                double at[3], heading[2], smallest = INFINITY;
                MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
                MUST(myr_batch_get(batch, MYR_GROUND_AT, &env, 1, MYR_F64, at));
                const myr_evaluation wanted = {.n = 1, .q = q, .frame_position = position, .frame_quaternion = turn};
                const myr_settings doubles = scene_settings("precision", "f64", NULL);
                MUST(myr_evaluate(model, &doubles, &wanted));
                ref_scan_heading(turn + 4 * frame, heading);
                const double *from = position + 3 * frame;
                for (int j = 0; j < N; j++) {
                    const double angle = 2 * acos(-1) * j / N;
                    const double ahead = way & 1 ? 0.3 * cos(angle) : list[2 * j], left = way & 1 ? 0.3 * sin(angle) : list[2 * j + 1];
                    const double x = from[0] + heading[0] * ahead - heading[1] * left, y = from[1] + heading[1] * ahead + heading[0] * left;
                    const double height = scan_height_at(m, REF_EXACT, at, x, y), want = way & 2 ? from[2] - height : height;
                    if (!(fabs(out[env][j] - want) <= bound))
                        fail_msg("%s, %s: frame `%s`, way %d, environment %d, point %d: %.17g, should be %.17g", isa,
                                 scan_precisions[precision], myr_model_frame_name(model, frame), way, (int)env, j, out[env][j], want);
                    smallest = out[env][j] < smallest ? out[env][j] : smallest;
                }
                assert_true(least[env] == smallest);
            }
        }
    myr_batch_free(batch);
    free(q), free(v), free(position), free(turn);
}

static void frames_have_scans(void **state) {
    (void)state;
    scan_map *m = malloc(sizeof *m);
    assert_non_null(m);
    scan_make_map(m, FIELD, 0);
    myr_model *walker = scan_model_on("anymal", m->terrain);
    const random_tree tree = {.bodies = 6, .trees = 2, .floating = -1, .joints = RANDOM_ALL};
    myr_model *plane = random_model(5, &tree, 0), *other;
    assert_non_null(plane);
    MUST(myr_model_on(plane, m->terrain, &other));
    for (int i = 0; isa_at(i); i++)
        for (int precision = 0; precision < 2; precision++)
            frames_of(walker, m, isa_at(i), precision), frames_of(other, m, isa_at(i), precision);
    myr_model_free(walker), myr_model_free(plane), myr_model_free(other);
    myr_terrain_free(m->terrain);
    free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_as_defined),
        cmocka_unit_test(equal_places_have_equal_bits),
        cmocka_unit_test(a_scan_is_its_environments_own),
        cmocka_unit_test(frames_have_scans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
