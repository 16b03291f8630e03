/* Sensors in lanes: the same bits on every instruction set, split or whole, beside a robot in quarantine, saved in the middle; names that
 * survive being put into another model; what is refused. What they read is judged in python/tests/test_sensors.py. ctest: lanes */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/batch_scene.h"
#include "support/isas.h"

enum { MOST_ENVS = 33, MOST_ROWS = 256 };

static const myr_sensor_def defs[] = {
    {.name = "place", .kind = MYR_SENSOR_FRAMEPOS, .of = "LF_SHANK", .ref = "base"},
    {.name = "turn", .kind = MYR_SENSOR_FRAMEQUAT, .of = "RH_SHANK"},
    {.name = "gyro", .kind = MYR_SENSOR_GYRO, .of = "base"},
    {.name = "felt", .kind = MYR_SENSOR_ACCELEROMETER, .of = "base", .cutoff = 30},
    {.name = "force", .kind = MYR_SENSOR_FORCE, .of = "RF_SHANK"},
    {.name = "torque", .kind = MYR_SENSOR_TORQUE, .of = "LH_THIGH"},
    {.name = "spin", .kind = MYR_SENSOR_SUBTREEANGMOM, .of = "base"},
    {.name = "knee", .kind = MYR_SENSOR_JOINTPOS, .of = "LF_KFE"},
    {.name = "motor", .kind = MYR_SENSOR_ACTUATORFRC, .of = "LF_KFE"},
    {.name = "ground", .kind = MYR_SENSOR_CONTACT_FORCE, .of = "*FOOT", .from = MYR_FROM_GROUND},
    {.name = "self", .kind = MYR_SENSOR_CONTACT_FORCE, .of = "*", .from = MYR_FROM_SELF},
    {.name = "touch", .kind = MYR_SENSOR_TOUCH, .of = "LF_FOOT,RH_FOOT", .from = MYR_FROM_ALL},
    {.name = "air", .kind = MYR_SENSOR_AIR_TIME, .of = "LF_FOOT", .from = MYR_FROM_ALL, .threshold = 1},
    /* signals: noise of both kinds, bias, delays, misses, history, measurements in each step of dt and rarely */
    {.name = "noisy",
     .kind = MYR_SENSOR_GYRO,
     .of = "base",
     .signal = {.every = 1, .history = 2, .noise = 0.1, .bias = 0.2, .delay = {0, 3}}},
    {.name = "late",
     .kind = MYR_SENSOR_ACCELEROMETER,
     .of = "LF_SHANK",
     .cutoff = 50,
     .signal = {.every = 0, .history = 1, .noise = 0.1, .noise_kind = MYR_NOISE_NORMAL, .delay = {2, 5}}},
    {.name = "rare", .kind = MYR_SENSOR_FRAMEPOS, .of = "LF_SHANK", .signal = {.every = 3, .history = 3, .hold = 0.3}},
    {.name = "peak",
     .kind = MYR_SENSOR_CONTACT_FORCE,
     .of = "*FOOT",
     .from = MYR_FROM_GROUND,
     .signal = {.every = 0, .history = 4, .shown = MYR_HISTORY_MAX}},
    {.name = "worn",
     .kind = MYR_SENSOR_AIR_TIME,
     .of = "RF_FOOT",
     .from = MYR_FROM_ALL,
     .threshold = 1,
     .signal = {.every = 2, .history = 2, .noise = 0.01, .shown = MYR_HISTORY_MEAN}},
    {.name = "pads",
     .kind = MYR_SENSOR_CONTACT,
     .of = "*FOOT",
     .touching = "ground",
     .from = MYR_FROM_ALL,
     .contacts = 2,
     .data = MYR_SHOW_ALL},
    {.name = "hard",
     .kind = MYR_SENSOR_CONTACT,
     .of = "*",
     .from = MYR_FROM_ALL,
     .contacts = 3,
     .data = MYR_SHOW_FORCE,
     .reduce = MYR_REDUCE_MAXFORCE},
    {.name = "all",
     .kind = MYR_SENSOR_CONTACT,
     .of = "*FOOT",
     .touching = "ground",
     .from = MYR_FROM_ALL,
     .contacts = 1,
     .data = MYR_SHOW_FORCE | MYR_SHOW_POS,
     .reduce = MYR_REDUCE_NETFORCE},
    {.name = "scan", .kind = MYR_SENSOR_HEIGHT_SCAN, .of = "base"},
    {.name = "seen", .kind = MYR_SENSOR_RAYS, .of = "base", .signal = {.every = 2, .history = 1, .noise = 0.1}},
    {.name = "range", .kind = MYR_SENSOR_RANGEFINDER, .of = "LF_SHANK"}};
enum { SENSORS = sizeof defs / sizeof *defs };

/* With the usual signal where it says none. */
static myr_sensor_def usual(myr_sensor_def def) {
    if (def.signal.history == 0) def.signal = myr_sensor_def_default().signal;
    if (def.look.range_m == 0) {
        def.look = myr_sensor_def_default().look;
        def.look.pattern.nx = 4, def.look.pattern.ny = 3;
    }
    return def;
}

static myr_model *sensed(void) {
    myr_model *robot, *model;
    myr_builder *builder = scene_robot_builder("sensed", "anymal", &robot);
    for (int i = 0; i < SENSORS; i++) {
        const myr_sensor_def def = usual(defs[i]);
        MUST(myr_builder_sensor(builder, &def));
    }
    MUST(myr_builder_compile(builder, &model));
    assert_true(myr_model_hash(model) == myr_model_hash(robot));
    myr_builder_free(builder);
    myr_model_free(robot);
    return model;
}

static myr_batch *walkers(const myr_model *model, int n, int64_t first, const char *isa, const char *precision) {
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)first);
    const myr_settings settings =
        scene_settings("task", "trot", "isa", isa, "precision", precision, "first-env", number, "threads", "1", NULL);
    myr_batch *batch;
    MUST(myr_batch_create(model, n, &settings, &batch));
    return batch;
}

/* Readings of all, (envs, rows). */
static int read_all(const myr_batch *batch, int n, double *out) {
    const int rows = (int)myr_batch_components(batch, MYR_SENSORS);
    assert_in_range(rows, 1, MOST_ROWS);
    MUST(myr_batch_get(batch, MYR_SENSORS, NULL, n, MYR_F64, out));
    return rows;
}

static void bits_are_the_same_everywhere(void **state) {
    (void)state;
    static const char *const precisions[] = {"f64", "f32"};
    static const int counts[] = {1, 7, 8, 9, 15, 16, 17, 33};
    static double all[MOST_ENVS * MOST_ROWS], other[MOST_ENVS * MOST_ROWS];
    myr_model *model = sensed();
    for (int p = 0; p < 2; p++)
        for (int i = 0; isa_at(i); i++)
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                const int n = counts[c];
                myr_batch *batch = walkers(model, n, MOST_ENVS - n, isa_at(i), precisions[p]); /* the last ones of all */
                MUST(myr_batch_step(batch, 40));
                const int rows = read_all(batch, n, other);
                if (!i && c == 7) memset(all, 0, sizeof all);
                myr_batch *whole = walkers(model, MOST_ENVS, 0, "auto", precisions[p]);
                MUST(myr_batch_step(whole, 40));
                read_all(whole, MOST_ENVS, all);
                myr_batch_free(whole);
                for (int k = 0; k < n * rows; k++)
                    if (memcmp(&other[k], &all[(MOST_ENVS - n) * rows + k], sizeof *all) != 0)
                        fail_msg("%s, %s, robot %d of %d, row %d: %.17g, in one batch of all %.17g", isa_at(i), precisions[p], k / rows, n,
                                 k % rows, other[k], all[(MOST_ENVS - n) * rows + k]);
                myr_batch_free(batch);
            }
    int some = 0;
    for (int k = 0; k < MOST_ENVS * 20; k++) some += all[k] != 0;
    assert_true(some > MOST_ENVS * 10);
    myr_model_free(model);
}

/* A neighbour in quarantine changes nothing and keeps what it read; what was saved goes on. */
static void readings_are_state(void **state) {
    (void)state;
    enum { N = 19, SICK = 4 };
    static double a[N * MOST_ROWS], b[N * MOST_ROWS], before[N * MOST_ROWS];
    char path[64];
    snprintf(path, sizeof path, "sensors-%ld.bin", (long)getpid());
    myr_model *model = sensed();
    myr_batch *one = walkers(model, N, 0, "auto", "f32"), *other = walkers(model, N, 0, "auto", "f32");
    MUST(myr_batch_step(one, 17));
    MUST(myr_batch_save(one, path));
    MUST(myr_batch_restore(other, path));
    remove(path);
    const int rows = read_all(other, N, before);
    read_all(one, N, a);
    assert_memory_equal(a, before, (size_t)(N * rows) * sizeof *a);
    const double nothing[18] = {NAN};
    const int64_t sick = SICK;
    MUST(myr_batch_set(other, MYR_V, &sick, 1, MYR_F64, nothing));
    MUST(myr_batch_step(one, 30));
    MUST(myr_batch_step(other, 30));
    read_all(one, N, a);
    read_all(other, N, b);
    for (int k = 0; k < N * rows; k++) {
        const double wanted = k / rows == SICK ? before[k] : a[k];
        if (memcmp(&b[k], &wanted, sizeof *b) != 0) fail_msg("robot %d, row %d: %.17g, not %.17g", k / rows, k % rows, b[k], wanted);
    }
    MUST(myr_batch_reset(other, NULL));
    read_all(other, N, b);
    myr_sensor_info info;
    int air;
    MUST(myr_model_find_sensor(model, "air", &air));
    MUST(myr_model_get_sensor(model, air, &info));
    for (int k = 0; k < info.n_rows; k++) assert_true(b[info.row + k] == 0);
    myr_batch_free(one);
    myr_batch_free(other);
    myr_model_free(model);
}

static void names_survive(void **state) {
    (void)state;
    myr_model *model = sensed(), *both;
    myr_builder *builder;
    myr_placement place = myr_placement_default();
    MUST(myr_builder_create("two", &builder));
    MUST(myr_builder_add_model(builder, model, NULL));
    place.prefix = "b/", place.position_m[1] = 3;
    MUST(myr_builder_add_model(builder, model, &place));
    MUST(myr_builder_compile(builder, &both));
    myr_model_info size;
    myr_model_get_info(both, &size);
    assert_int_equal(size.n_sensors, 2 * SENSORS);
    const myr_settings settings = scene_settings("task", "none", "precision", "f64", NULL);
    myr_batch *batch;
    MUST(myr_batch_create(both, 2, &settings, &batch));
    static double all[2 * 2 * MOST_ROWS];
    const int rows = (int)myr_batch_components(batch, MYR_SENSORS);
    MUST(myr_batch_step(batch, 20));
    MUST(myr_batch_get(batch, MYR_SENSORS, NULL, 2, MYR_F64, all));
    for (int i = 0; i < SENSORS; i++) { /* the second one does as the first one does, 3 m beside */
        char name[64];
        myr_sensor_info first, second;
        int at;
        snprintf(name, sizeof name, "b/%s", defs[i].name);
        MUST(myr_model_find_sensor(both, name, &at));
        MUST(myr_model_get_sensor(both, at, &second));
        MUST(myr_model_find_sensor(both, defs[i].name, &at));
        MUST(myr_model_get_sensor(both, at, &first));
        assert_int_equal(first.n_rows, first.size * first.history);
        assert_true(first.signal.noise == second.signal.noise && first.signal.history == second.signal.history);
        assert_true(first.signal.every == second.signal.every && first.signal.delay[1] == second.signal.delay[1]);
        const int drawn =
            first.signal.noise > 0 || first.signal.hold > 0 || first.signal.delay[1] > 0; /* each sensor has draws of its own */
        for (int k = 0; k < first.n_rows && !drawn; k++)
            if (all[first.row + k] != all[second.row + k] && /* both may be infinite */
                !(fabs(all[first.row + k] - all[second.row + k]) < 1e-6 * (1 + fabs(all[first.row + k]))) &&
                !(first.kind == MYR_SENSOR_CONTACT && fabs(all[first.row + k] + 3 - all[second.row + k]) < 1e-6)) /* y of a place */
                fail_msg("`%s`, number %d: %g and %g", name, k, all[first.row + k], all[second.row + k]);
    }
    assert_int_equal(rows, size.n_sensor_rows);
    myr_batch_free(batch);
    myr_builder_free(builder);
    myr_model_free(model);
    myr_model_free(both);
}

static void nonsense_is_refused(void **state) {
    (void)state;
    myr_model *robot;
    myr_builder *builder = scene_robot_builder("nonsense", "anymal", &robot);
    const struct {
        myr_sensor_def def;
        const char *word;
    } bad[] = {{{.name = NULL}, "needs a name"},
               {{.name = ""}, "needs a name"},
               {{.name = "a", .kind = MYR_SENSOR_KINDS}, "no kind"},
               {{.name = "a", .kind = MYR_SENSOR_GYRO, .of = "bose"}, "base"},
               {{.name = "a", .kind = MYR_SENSOR_GYRO, .ref = "base"}, "ref must be NULL"},
               {{.name = "a", .kind = MYR_SENSOR_FRAMEPOS, .ref = "nowhere"}, "nowhere"},
               {{.name = "a", .kind = MYR_SENSOR_JOINTPOS}, "no joint"},
               {{.name = "a", .kind = MYR_SENSOR_BALLQUAT, .of = "LF_KFE"}, "no ball joint"},
               {{.name = "a", .kind = MYR_SENSOR_TOUCH, .of = "nose"}, "no shape"},
               {{.name = "a", .kind = MYR_SENSOR_TOUCH, .of = "*", .from = 8}, "from is 8"},
               {{.name = "a", .kind = MYR_SENSOR_CONTACT, .of = "*", .data = 1}, "contacts is 0"},
               {{.name = "a", .kind = MYR_SENSOR_CONTACT, .of = "*", .contacts = 33, .data = 1}, "1 to 32"},
               {{.name = "a", .kind = MYR_SENSOR_CONTACT, .of = "*", .contacts = 1}, "data is 0"},
               {{.name = "a", .kind = MYR_SENSOR_CONTACT, .of = "*", .contacts = 1, .data = 1, .reduce = 4}, "no way 4"},
               {{.name = "a", .kind = MYR_SENSOR_CONTACT, .of = "*", .contacts = 1, .data = 1, .touching = "moon"}, "no shape"},
               {{.name = "a", .kind = MYR_SENSOR_AIR_TIME, .of = "*", .threshold = -1}, "threshold is -1"},
               {{.name = "a", .kind = MYR_SENSOR_GYRO, .cutoff = NAN}, "cutoff is nan"},
               {{.name = "a", .kind = MYR_SENSOR_MAGNETOMETER, .vector = {INFINITY}}, "vector[0] is inf"},
               {{.name = "a", .kind = MYR_SENSOR_GYRO, .signal = {.every = -1, .history = 1}}, "signal.every is -1"},
               {{.name = "a", .kind = MYR_SENSOR_GYRO, .signal = {.history = 257}}, "signal.history is 257, but must be 1 to 256"},
               {{.name = "a", .kind = MYR_SENSOR_GYRO, .signal = {.history = 1, .delay = {0, 65}}}, "signal.delay[1] is 65"},
               {{.name = "a", .kind = MYR_SENSOR_GYRO, .signal = {.history = 1, .delay = {3, 2}}}, "signal.delay[0] is 3"},
               {{.name = "a", .kind = MYR_SENSOR_GYRO, .signal = {.history = 1, .noise = -1}}, "signal.noise is -1"},
               {{.name = "a", .kind = MYR_SENSOR_GYRO, .signal = {.history = 1, .bias = NAN}}, "signal.bias is nan"},
               {{.name = "a", .kind = MYR_SENSOR_GYRO, .signal = {.history = 1, .hold = 1}}, "signal.hold is 1"},
               {{.name = "a", .kind = MYR_SENSOR_GYRO, .signal = {.history = 1, .noise_kind = 2}}, "signal.noise_kind is 2"},
               {{.name = "a", .kind = MYR_SENSOR_GYRO, .signal = {.history = 1, .shown = 3}}, "signal.shown is 3"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const myr_sensor_def def = usual(bad[i].def);
        MUST_FAIL(myr_builder_sensor(builder, &def), MYR_E_ARG, bad[i].word);
    }
    /* a signal that its builder takes, and a model does not */
    myr_model *none = NULL;
    for (int i = 0; i < 60; i++) {
        char name[16];
        snprintf(name, sizeof name, "a%d", i);
        const myr_sensor_def def = {.name = name, .kind = MYR_SENSOR_FRAMEQUAT, .of = "base", .signal = {.history = 256, .delay = {0, 64}}};
        MUST(myr_builder_sensor(builder, &def));
    }
    MUST_FAIL(myr_builder_compile(builder, &none), MYR_E_LIMIT, "a model has at most 65536");
    assert_null(none);
    MUST_FAIL(myr_builder_sensor(NULL, &bad[0].def), MYR_E_ARG, "builder");
    myr_sensor_info info;
    int number;
    MUST_FAIL(myr_model_get_sensor(robot, 0, &info), MYR_E_ARG, "0 sensors");
    MUST_FAIL(myr_model_find_sensor(robot, "a", &number), MYR_E_ARG, "no sensor");
    assert_null(myr_sensor_kind_name(MYR_SENSOR_KINDS));
    assert_string_equal(myr_sensor_kind_name(MYR_SENSOR_TOUCH), "touch");
    assert_non_null(myr_sensor_kind_doc(MYR_SENSOR_TOUCH));
    myr_builder_free(builder);
    myr_model_free(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_are_the_same_everywhere), cmocka_unit_test(readings_are_state),
                                       cmocka_unit_test(names_survive), cmocka_unit_test(nonsense_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
