/* Scans at their edges: of a plane, of robots that look straight up, of environments that have left the map or are lost; none allocates;
 * and what cannot be scanned is refused. */
#include <math.h>
#include <stdlib.h>

#include "support/isas.h"
#include "support/scan_scene.h"

/* On a plane every point is the ground's; upright, ahead is the world's x. */
static void planes_and_upright_robots(void **state) {
    (void)state;
    for (int i = 0; isa_at(i); i++)
        for (int precision = 0; precision < 2; precision++) {
            static double out[2][POINTS];
            const myr_settings settings = scan_settings(isa_at(i), precision);
            myr_model *model;
            myr_batch *batch;
            myr_scan scan = myr_scan_default();
            MUST(myr_model_open("anymal", NULL, &model));
            MUST(myr_batch_create(model, 2, &settings, &batch));
            for (int kind = 0; kind < KINDS; kind++) {
                scan.kind = (myr_scan_kind)kind;
                MUST(myr_batch_scan(batch, &scan, NULL, MYR_F64, out));
                for (int j = 0; j < 2 * POINTS; j++)
                    assert_true(out[j / POINTS][j % POINTS] == (precision ? SCAN_GROUND : (double)(float)SCAN_GROUND));
            }
            myr_batch_free(batch), myr_model_free(model);
        }
    scan_map *m = malloc(sizeof *m);
    assert_non_null(m);
    scan_make_map(m, FIELD, 0);
    myr_model *model = scan_model_on("cube", m->terrain);
    for (int precision = 0; precision < 2; precision++) {
        const myr_settings settings = scan_settings("auto", precision);
        static double upright[POINTS], level[POINTS];
        const double root = sqrt(0.5), q[7] = {0.21, 0.13, 1, root, 0, root, 0}, ahead[7] = {0.21, 0.13, 1, 1, 0, 0, 0};
        const myr_scan scan = myr_scan_default();
        myr_batch *batch;
        MUST(myr_batch_create(model, 1, &settings, &batch));
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
    scan_map *m = malloc(sizeof *m);
    assert_non_null(m);
    for (int map = 0; map < MAPS; map++) {
        scan_make_map(m, map, 0);
        myr_model *model = scan_model_on("anymal", m->terrain);
        for (int i = 0; isa_at(i); i++)
            for (int precision = 0; precision < 2; precision++) {
                const myr_settings settings = scan_settings(isa_at(i), precision);
                static double before[ENVS][POINTS], after[ENVS][POINTS];
                const myr_scan scan = myr_scan_default();
                const int64_t lost = LOST, far = FAR, endless = ENDLESS;
                double q[MOST_Q], at[3], heading[2];
                int64_t quarantined[ENVS];
                myr_batch *batch;
                MUST(myr_batch_create(model, ENVS, &settings, &batch));
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
                    scan_point(q, heading, j, world);
                    assert_true(isnan(before[LOST][j]) && isfinite(before[0][j]) && isfinite(before[ENDLESS][j]));
                    scan_judge(m, REF_EXACT, map == COLUMNS || map == MIXED, precision, at, world[0], world[1], before[FAR][j], "far");
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
    scan_map *m = malloc(sizeof *m);
    static double out[3][MYR_SCAN_MOST];
    assert_non_null(m);
    myr_set_allocator(&counting);
    scan_make_map(m, MIXED, 0);
    myr_model *model = scan_model_on("anymal", m->terrain);
    const myr_settings settings = scan_settings("auto", 0);
    myr_batch *batch;
    MUST(myr_batch_create(model, 3, &settings, &batch));
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
    MUST(myr_batch_create(model, 1, &settings, &batch));
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
    MUST(myr_batch_create(model, 1, &settings, &batch));
    MUST_FAIL(myr_batch_scan(batch, &fine, NULL, MYR_F64, out), MYR_E_STATE, "ground");
    myr_batch_free(batch), myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_and_upright_robots),
        cmocka_unit_test(quarantined_environments),
        cmocka_unit_test(nothing_is_allocated),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
