/* Scans are what their definition says, of every kind, on every instruction set, in both precisions, for any number of environments, on
 * maps of triangles, of columns and of both; equal places have equal bits; and an environment's scan is its own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "batch_scene.h"
#include "isas.h"
#include "random_model.h"
#include "reference/scan.h"

enum { NX = 61, NY = 53, BLOCKS_X = 8, BLOCKS_Y = 7, MOST_Q = 32, MOST_ENVS = 17, POINTS = 187, MAPS = 4, KINDS = 4 };
enum { FIELD, COLUMNS, MIXED, FLOATS };
static const char *const map_names[MAPS] = {"field", "columns", "mixed", "floats"};
static const char *const precisions[2] = {"f32", "f64"};
static const double cell = 0.1, ground = 0.371;

typedef struct ground_map {
    double height[NX * NY];
    uint8_t columns[BLOCKS_X * BLOCKS_Y];
    ref_scan_map reference;
    myr_terrain *terrain;
} ground_map;

/* Heights of -20 .. 20 mm in steps of 5, or any where the map is of floats. `period`: they repeat after 16 samples, a whole map's so many
 * steps higher. */
enum { RISE_X = 37, RISE_Y = -23 };
static void make_map(ground_map *m, int kind, int period) {
    int16_t steps[NX * NY];
    float heights[NX * NY];
    random_source random = {7};
    myr_terrain_def def = myr_terrain_def_default();
    for (int i = 0; i < NX; i++)
        for (int k = 0; k < NY; k++) {
            const int n = i * NY + k, again = period ? i % 16 * NY + k % 16 : n;
            const double draw = random_uniform(&random, -0.02, 0.02);
            const int rise = period ? RISE_X * (i / 16) + RISE_Y * (k / 16) : 0;
            steps[n] = (int16_t)(again == n ? lrint(draw / 0.005) : steps[again] + rise);
            heights[n] = again == n ? (float)draw : heights[again];
        }
    for (int b = 0; b < BLOCKS_X * BLOCKS_Y; b++)
        m->columns[b] = kind == COLUMNS || (kind == MIXED && (period ? b / BLOCKS_Y % 2 ^ b % BLOCKS_Y % 2 : random_below(&random, 2)));
    def.nx = NX, def.ny = NY, def.cell_m = cell, def.columns = m->columns, def.origin_i = 20, def.origin_k = 11;
    if (kind == FLOATS)
        def.heights_m = heights;
    else
        def.steps = steps;
    MUST(myr_terrain_create(&def, &m->terrain));
    MUST(myr_terrain_samples(m->terrain, heights));
    MUST(myr_terrain_kinds(m->terrain, m->columns));
    for (int n = 0; n < NX * NY; n++) { /* samples come in floats: whole steps are known to the last bit */
        const double sample = (double)heights[n], whole = 0.005 * steps[n];
        if (kind != FLOATS) assert_true(fabs(sample - whole) < 1e-7);
        m->height[n] = kind == FLOATS ? sample : whole;
    }
    m->reference = (ref_scan_map){NX, NY, MYR_TERRAIN_BLOCK, BLOCKS_Y, cell, m->height, m->columns};
}

static myr_model *model_on(const char *name, const myr_terrain *terrain) {
    myr_model *plane, *on;
    MUST(myr_model_open(name, NULL, &plane));
    MUST(myr_model_on(plane, terrain, &on));
    myr_model_free(plane);
    return on;
}

static myr_settings settings_of(const char *isa, int precision) {
    return scene_settings("isa", isa, "precision", precisions[precision], "ground", "0.371", "threads", "2", NULL);
}

static int lanes_of(const char *isa, int precision) {
    myr_settings settings = settings_of(isa, precision);
    myr_model *model;
    myr_batch *batch;
    myr_batch_info info;
    MUST(myr_model_open("cube", NULL, &model));
    MUST(myr_batch_create(model, 1, &settings, 0, &batch));
    myr_batch_get_info(batch, &info);
    myr_batch_free(batch), myr_model_free(model);
    return info.lanes;
}

/* A tilted robot within 1.5 m of an origin, which is any sample of the map or beyond its border. */
static void place(myr_batch *batch, int64_t env, random_source *random) {
    double q[MOST_Q];
    const double at[3] = {cell * (random_below(random, NX + 12) - 26), cell * (random_below(random, NY + 12) - 17), 0.015};
    MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
    for (int k = 0; k < 3; k++) q[k] = random_uniform(random, -1.5, 1.5);
    random_quaternion(random, q + 3);
    MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
    MUST(myr_batch_set(batch, MYR_GROUND_AT, &env, 1, MYR_F64, at));
}

/* Where point j of a default scan is, by its definition. */
static void world_point(const double *place, const double heading[2], int j, double xy[2]) {
    const double ahead = -0.8 + 0.1 * (j / 11), left = -0.5 + 0.1 * (j % 11);
    xy[0] = place[0] + heading[0] * ahead - heading[1] * left, xy[1] = place[1] + heading[1] * ahead + heading[0] * left;
}

/* World place and height there, as the environment has them, by the reference. */
static double height_at(const ground_map *m, ref_scan_kind kind, const double ground_at[3], double x, double y) {
    const double u = x + ground_at[0] + 20 * cell, v = y + ground_at[1] + 11 * cell; /* from sample (0, 0) */
    return ground + ref_scan_height(&m->reference, kind, u, v) - ground_at[2];
}

/* Where a height jumps, rounding of the place may decide: then it is that of a place right beside. Returns whether it was. */
static int judge(const ground_map *m, ref_scan_kind kind, int jumps, int precision, const double ground_at[3], double x, double y,
                 double got, const char *what) {
    const double want = height_at(m, kind, ground_at, x, y), near = precision ? 1e-13 : 1e-6;
    const double bound = precision ? 1e-12 : 5e-7 + 1e-6 * fabs(want);
    if (fabs(got - want) <= bound) return 0;
    for (int n = 0; jumps && n < 9; n++)
        if (fabs(got - height_at(m, kind, ground_at, x + near * (n / 3 - 1), y + near * (n % 3 - 1))) <= bound) return 1;
    fail_msg("%s: at %.17g %.17g: %.17g, should be %.17g (off by %g)", what, x, y, got, want, got - want);
    return 0;
}

static void compare(const ground_map *m, int map, const char *isa, int precision, int64_t envs) {
    myr_model *model = model_on("anymal", m->terrain);
    const myr_settings settings = settings_of(isa, precision);
    myr_batch *batch;
    random_source random = {(uint64_t)(17 * envs + map)};
    double q[MOST_Q], ground_at[3], heading[2], *out = malloc(sizeof(double) * POINTS * MOST_ENVS);
    float *floats = malloc(sizeof(float) * POINTS * MOST_ENVS);
    assert_true(out && floats);
    MUST(myr_batch_create(model, envs, &settings, 0, &batch));
    for (int64_t env = 0; env < envs; env++) place(batch, env, &random);
    for (int kind = 0; kind < KINDS; kind++) {
        myr_scan scan = myr_scan_default();
        int beside = 0;
        char what[100];
        snprintf(what, sizeof what, "%s, %s, %s, %d environments, kind %d", isa, precisions[precision], map_names[map], (int)envs, kind);
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
                world_point(q, heading, j, xy);
                const int jumps = kind == REF_MIN3 || kind == REF_NEAREST || map == COLUMNS || map == MIXED;
                assert_true(floats[env * POINTS + j] == (float)out[env * POINTS + j]);
                beside += judge(m, (ref_scan_kind)kind, jumps, precision, ground_at, xy[0], xy[1], out[env * POINTS + j], what);
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
    ground_map *m = malloc(sizeof *m);
    assert_non_null(m);
    for (int map = 0; map < MAPS; map++) {
        make_map(m, map, 0);
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
    ground_map *m = malloc(sizeof *m);
    assert_non_null(m);
    for (int map = 0; map < MAPS; map++) {
        make_map(m, map, 1);
        myr_model *model = model_on("anymal", m->terrain);
        for (int i = 0; isa_at(i); i++)
            for (int precision = 0; precision < 2; precision++)
                for (int kind = 0; kind < KINDS; kind++) {
                    enum { ENVS = 4 };
                    const myr_settings settings = settings_of(isa_at(i), precision);
                    static double out[ENVS][POINTS];
                    myr_batch *batch;
                    double q[MOST_Q], quaternion[4] = {0.8, 0.1, -0.2, 0.5};
                    MUST(myr_batch_create(model, ENVS, &settings, 0, &batch));
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
    ground_map *m = malloc(sizeof *m);
    assert_non_null(m);
    make_map(m, MIXED, 0);
    myr_model *model = model_on("anymal", m->terrain);
    const myr_scan scan = myr_scan_default();
    for (int i = 0; isa_at(i); i++)
        for (int precision = 0; precision < 2; precision++) {
            myr_settings settings = settings_of(isa_at(i), precision);
            myr_batch *batch, *lone;
            random_source random = {3};
            uint8_t mask[ENVS];
            size_t count;
            MUST(myr_batch_create(model, ENVS, &settings, 0, &batch));
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
            MUST(myr_batch_create(model, 1, &settings, 0, &lone));
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
static void frames_of(const myr_model *model, const ground_map *m, const char *isa, int precision) {
    enum { ENVS = 9, N = 7 };
    static const double list[2 * N] = {0, 0, 0.31, -0.2, -0.4, 0.17, 0.05, 0.6, -0.03, -0.71, 1.3, 0.4, -0.9, -1.1};
    const myr_settings settings = settings_of(isa, precision);
    /* f32: poses of bodies are floats, too, 1e-6 m off; the map's slopes are 0.4 at most */
    const double bound = precision ? 1e-12 : 5e-6;
    myr_model_info info;
    myr_batch *batch;
    myr_model_get_info(model, &info);
    double *q = calloc((size_t)info.nq + 1, sizeof *q), *v = calloc((size_t)info.nv + 1, sizeof *v);
    double *position = calloc((size_t)info.n_frames * 3, sizeof *position), *turn = calloc((size_t)info.n_frames * 4, sizeof *turn);
    assert_true(q && v && position && turn);
    MUST(myr_batch_create(model, ENVS, &settings, 0, &batch));
    random_source random = {21};
    for (int64_t env = 0; env < ENVS; env++) {
        const double at[3] = {cell * random_below(&random, 5), cell * random_below(&random, 5), 0.005};
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
                    const double height = height_at(m, REF_EXACT, at, x, y), want = way & 2 ? from[2] - height : height;
                    if (!(fabs(out[env][j] - want) <= bound))
                        fail_msg("%s, %s: frame `%s`, way %d, environment %d, point %d: %.17g, should be %.17g", isa, precisions[precision],
                                 myr_model_frame_name(model, frame), way, (int)env, j, out[env][j], want);
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
    ground_map *m = malloc(sizeof *m);
    assert_non_null(m);
    make_map(m, FIELD, 0);
    myr_model *walker = model_on("anymal", m->terrain);
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

/* On a plane every point is the ground's; upright, ahead is the world's x. */
static void planes_and_upright_robots(void **state) {
    (void)state;
    for (int i = 0; isa_at(i); i++)
        for (int precision = 0; precision < 2; precision++) {
            static double out[2][POINTS];
            const myr_settings settings = settings_of(isa_at(i), precision);
            myr_model *model;
            myr_batch *batch;
            myr_scan scan = myr_scan_default();
            MUST(myr_model_open("anymal", NULL, &model));
            MUST(myr_batch_create(model, 2, &settings, 0, &batch));
            for (int kind = 0; kind < KINDS; kind++) {
                scan.kind = (myr_scan_kind)kind;
                MUST(myr_batch_scan(batch, &scan, NULL, MYR_F64, out));
                for (int j = 0; j < 2 * POINTS; j++)
                    assert_true(out[j / POINTS][j % POINTS] == (precision ? ground : (double)(float)ground));
            }
            myr_batch_free(batch), myr_model_free(model);
        }
    ground_map *m = malloc(sizeof *m);
    assert_non_null(m);
    make_map(m, FIELD, 0);
    myr_model *model = model_on("cube", m->terrain);
    for (int precision = 0; precision < 2; precision++) {
        const myr_settings settings = settings_of("auto", precision);
        static double upright[POINTS], level[POINTS];
        const double root = sqrt(0.5), q[7] = {0.21, 0.13, 1, root, 0, root, 0}, ahead[7] = {0.21, 0.13, 1, 1, 0, 0, 0};
        const myr_scan scan = myr_scan_default();
        myr_batch *batch;
        MUST(myr_batch_create(model, 1, &settings, 0, &batch));
        MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, q));
        MUST(myr_batch_scan(batch, &scan, NULL, MYR_F64, upright));
        MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, ahead));
        MUST(myr_batch_scan(batch, &scan, NULL, MYR_F64, level));
        assert_memory_equal(upright, level, sizeof level);
        myr_batch_free(batch);
    }
    myr_model_free(model);
    myr_terrain_free(m->terrain);
    free(m);
}

/* One that has left the map is scanned where it is; one whose pose is NaN, or far beyond all maps, does no harm. */
static void quarantined_environments(void **state) {
    (void)state;
    enum { ENVS = 5, LOST = 1, FAR = 2, ENDLESS = 3 };
    ground_map *m = malloc(sizeof *m);
    assert_non_null(m);
    for (int map = 0; map < MAPS; map++) {
        make_map(m, map, 0);
        myr_model *model = model_on("anymal", m->terrain);
        for (int i = 0; isa_at(i); i++)
            for (int precision = 0; precision < 2; precision++) {
                const myr_settings settings = settings_of(isa_at(i), precision);
                static double before[ENVS][POINTS], after[ENVS][POINTS];
                const myr_scan scan = myr_scan_default();
                const int64_t lost = LOST, far = FAR, endless = ENDLESS;
                double q[MOST_Q], at[3], heading[2];
                int64_t quarantined[ENVS];
                myr_batch *batch;
                MUST(myr_batch_create(model, ENVS, &settings, 0, &batch));
                MUST(myr_batch_get(batch, MYR_Q, &lost, 1, MYR_F64, q));
                q[0] = (double)NAN;
                MUST(myr_batch_set(batch, MYR_Q, &lost, 1, MYR_F64, q));
                q[0] = 70;
                MUST(myr_batch_set(batch, MYR_Q, &far, 1, MYR_F64, q));
                q[0] = -1e30, q[1] = 1e30;
                MUST(myr_batch_set(batch, MYR_Q, &endless, 1, MYR_F64, q));
                MUST(myr_batch_step(batch, 1));
                MUST(myr_batch_get(batch, MYR_QUARANTINED, NULL, ENVS, MYR_I64, quarantined));
                assert_true(quarantined[LOST] && quarantined[FAR] == MYR_QUARANTINE_MAP && quarantined[ENDLESS]);
                MUST(myr_batch_scan(batch, &scan, NULL, MYR_F64, before));
                MUST(myr_batch_get(batch, MYR_GROUND_AT, &far, 1, MYR_F64, at));
                MUST(myr_batch_get(batch, MYR_Q, &far, 1, MYR_F64, q));
                ref_scan_heading(q + 3, heading);
                for (int j = 0; j < POINTS; j++) {
                    double world[2];
                    world_point(q, heading, j, world);
                    assert_true(isnan(before[LOST][j]) && isfinite(before[0][j]) && isfinite(before[ENDLESS][j]));
                    judge(m, REF_EXACT, map == COLUMNS || map == MIXED, precision, at, world[0], world[1], before[FAR][j], "far");
                }
                for (int64_t env = 1; env < 4; env++) { /* the others do not notice */
                    MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
                    MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
                }
                MUST(myr_batch_scan(batch, &scan, NULL, MYR_F64, after));
                assert_memory_equal(after[0], before[0], sizeof after[0]);
                assert_memory_equal(after[4], before[4], sizeof after[4]);
                assert_memory_equal(after[1], after[0], sizeof after[0]);
                myr_batch_free(batch);
            }
        myr_model_free(model);
        myr_terrain_free(m->terrain);
    }
    free(m);
}

static void *count_allocation(size_t bytes, size_t alignment, void *user) {
    ++*(int *)user;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
static void count_release(void *memory, void *user) {
    (void)user;
    free(memory);
}

static void nothing_is_allocated(void **state) {
    (void)state;
    int allocations = 0;
    const myr_allocator counting = {count_allocation, count_release, &allocations};
    ground_map *m = malloc(sizeof *m);
    static double out[3][MYR_SCAN_MOST];
    assert_non_null(m);
    myr_set_allocator(&counting);
    make_map(m, MIXED, 0);
    myr_model *model = model_on("anymal", m->terrain);
    const myr_settings settings = settings_of("auto", 0);
    myr_batch *batch;
    MUST(myr_batch_create(model, 3, &settings, 0, &batch));
    assert_true(allocations > 0);
    allocations = 0;
    myr_scan scan = myr_scan_default();
    for (int frame = -1; frame < 3; frame++) {
        scan.frame = frame, scan.nx = scan.ny = 64, scan.cell_m = 0.01;
        assert_int_equal(myr_scan_points(&scan), MYR_SCAN_MOST);
        MUST(myr_batch_scan(batch, &scan, NULL, MYR_F64, out));
    }
    assert_int_equal(allocations, 0);
    myr_batch_free(batch), myr_model_free(model), myr_terrain_free(m->terrain);
    myr_set_allocator(NULL);
    free(m);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    static double out[POINTS], points[4] = {0, 0, 0.1, 0};
    myr_settings settings = scene_settings("threads", "1", NULL);
    myr_model *model;
    myr_batch *batch;
    myr_model_info info;
    MUST(myr_model_open("anymal", NULL, &model));
    myr_model_get_info(model, &info);
    MUST(myr_batch_create(model, 1, &settings, 0, &batch));
    memset(out, 0xab, sizeof out);
    const myr_scan fine = myr_scan_default();
    assert_int_equal(myr_scan_points(NULL), 0);
    MUST_FAIL(myr_batch_scan(NULL, &fine, NULL, MYR_F64, out), MYR_E_ARG, "batch");
    MUST_FAIL(myr_batch_scan(batch, NULL, NULL, MYR_F64, out), MYR_E_ARG, "scan");
    MUST_FAIL(myr_batch_scan(batch, &fine, NULL, MYR_F64, NULL), MYR_E_ARG, "out");
    MUST_FAIL(myr_batch_scan(batch, &fine, NULL, MYR_I64, out), MYR_E_ARG, "type");
#define REFUSE(change, word)                                                                                                               \
    do {                                                                                                                                   \
        myr_scan bad = fine;                                                                                                               \
        change;                                                                                                                            \
        MUST_FAIL(myr_batch_scan(batch, &bad, NULL, MYR_F64, out), MYR_E_ARG, word);                                                       \
    } while (0)
    REFUSE(bad.kind = (myr_scan_kind)4, "kind");
    REFUSE(bad.kind = (myr_scan_kind)-1, "kind");
    REFUSE(bad.shape = (myr_scan_shape)3, "shape");
    REFUSE(bad.value = (myr_scan_value)2, "value");
    REFUSE(bad.least = 2, "least");
    REFUSE(bad.frame = -2, "frame");
    REFUSE(bad.frame = info.n_frames, "frame");
    REFUSE(bad.nx = 0, "nx");
    REFUSE(bad.ny = -1, "nx x ny is 17 x -1");
    REFUSE(bad.nx = 65536, "4096"); /* whose product with ny overflows */
    REFUSE((bad.nx = 64, bad.ny = 65), "4096");
    REFUSE(bad.cell_m = -0.1, "cell_m");
    REFUSE(bad.cell_m = 0, "cell_m");
    REFUSE(bad.cell_m = (double)NAN, "cell_m");
    REFUSE(bad.x_m = (double)NAN, "point 0");
    REFUSE(bad.y_m = 100, "point 6");
    REFUSE((bad.shape = MYR_SCAN_RING, bad.radius_m = 0), "radius_m");
    REFUSE((bad.shape = MYR_SCAN_RING, bad.radius_m = (double)INFINITY), "radius_m");
    REFUSE((bad.shape = MYR_SCAN_RING, bad.n = 0), "n is 0");
    REFUSE((bad.shape = MYR_SCAN_LIST, bad.n = 2), "points");
    REFUSE((bad.shape = MYR_SCAN_LIST, bad.n = MYR_SCAN_MOST + 1, bad.points = points), "4096");
    points[2] = (double)NAN;
    REFUSE((bad.shape = MYR_SCAN_LIST, bad.n = 2, bad.points = points), "point 1");
    for (size_t byte = 0; byte < sizeof out; byte++) assert_int_equal(((uint8_t *)out)[byte], 0xab);
    myr_batch_free(batch);
    settings = scene_settings("threads", "1", "ground", "off", NULL);
    MUST(myr_batch_create(model, 1, &settings, 0, &batch));
    MUST_FAIL(myr_batch_scan(batch, &fine, NULL, MYR_F64, out), MYR_E_STATE, "ground");
    myr_batch_free(batch), myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_as_defined),           cmocka_unit_test(equal_places_have_equal_bits),
        cmocka_unit_test(a_scan_is_its_environments_own), cmocka_unit_test(frames_have_scans),
        cmocka_unit_test(planes_and_upright_robots),      cmocka_unit_test(quarantined_environments),
        cmocka_unit_test(nothing_is_allocated),           cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
