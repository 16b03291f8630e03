/* ctest: lanes threads
 * Shapes of the world lie where MYR_WORLD_AT puts them: as in a model that has them there; alone, among others, on every instruction set;
 * saved and put back; and a place that is not finite stops its own environment. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/isas.h"
#include "support/world_scene.h"

enum { STEPS = 150, N = 37 };
static const char *const precisions[2] = {"f32", "f64"};

static myr_batch *open_batch(const myr_model *model, int64_t envs, const char *precision, const char *isa, const char *threads) {
    const myr_settings settings =
        scene_settings("precision", precision, "isa", isa, "task", "none", "threads", threads, "dt", "0.004", NULL);
    myr_batch *batch;
    MUST(myr_batch_create(model, envs, &settings, &batch));
    return batch;
}

/* Halves of a millimetre's binary fraction: sums with the scene's own places are the same numbers in float and in double. */
static const double moved[WORLD_SHAPES][3] = {
    {0.0625, -0.03125, 0.125}, {-0.0625, 0.046875, -0.0625}, {0.03125, 0, 0.0625}, {-0.09375, 0.0625, 0.03125}, {0, 0.0625, 0.09375}};

/* The same bits as in a model that was made with the shapes there. A hull's middle goes by one more rounding: it is without here. */
static void moved_is_made_there(void **state) {
    (void)state;
    double only[WORLD_SHAPES][3] = {{0}};
    memcpy(only, moved, sizeof only);
    memset(only[WORLD_SHAPES - 1], 0, sizeof only[0]);
    for (int p = 0; p < 2; p++) {
        myr_model *here = world_model(NULL), *there = world_model(only);
        myr_batch *a = open_batch(here, 1, precisions[p], "auto", "1"), *b = open_batch(there, 1, precisions[p], "auto", "1"),
                  *still = open_batch(here, 1, precisions[p], "auto", "1");
        double place[3 * WORLD_SHAPES], wanted[3 * WORLD_SHAPES];
        MUST(myr_batch_get(b, MYR_WORLD_AT, NULL, 1, MYR_F64, wanted));
        MUST(myr_batch_get(a, MYR_WORLD_AT, NULL, 1, MYR_F64, place));
        for (int k = 0; k < 3 * WORLD_SHAPES; k++) place[k] += only[k / 3][k % 3];
        if (p) assert_memory_equal(place, wanted, sizeof place);
        MUST(myr_batch_set(a, MYR_WORLD_AT, NULL, 1, MYR_F64, wanted));
        for (int n = 0; n < 3; n++) {
            MUST(myr_batch_step(a, STEPS));
            MUST(myr_batch_step(b, STEPS));
            MUST(myr_batch_step(still, STEPS));
            world_same(precisions[p], a, 0, b, 0);
        }
        if (world_contacts(a, 0) < 8) fail_msg("only %d contacts", world_contacts(a, 0));
        assert_false(world_same(NULL, a, 0, still, 0));
        myr_batch_free(a), myr_batch_free(b), myr_batch_free(still);
        myr_model_free(here), myr_model_free(there);
    }
}

/* All five, the mesh too: to rounding while nothing has tumbled yet. */
static void a_hull_moves_as_well(void **state) {
    (void)state;
    myr_model *here = world_model(NULL), *there = world_model(moved);
    myr_batch *a = open_batch(here, 1, "f64", "auto", "1"), *b = open_batch(there, 1, "f64", "auto", "1");
    double place[3 * WORLD_SHAPES], x[128], y[128], most = 0;
    MUST(myr_batch_get(b, MYR_WORLD_AT, NULL, 1, MYR_F64, place));
    MUST(myr_batch_set(a, MYR_WORLD_AT, NULL, 1, MYR_F64, place));
    MUST(myr_batch_step(a, STEPS));
    MUST(myr_batch_step(b, STEPS));
    const int nq = myr_batch_components(a, MYR_Q);
    MUST(myr_batch_get(a, MYR_Q, NULL, 1, MYR_F64, x));
    MUST(myr_batch_get(b, MYR_Q, NULL, 1, MYR_F64, y));
    for (int k = 0; k < nq; k++) most = fmax(most, fabs(x[k] - y[k]));
    if (!(most < 1e-9)) fail_msg("apart by %g", most);
    assert_true(world_contacts(a, 0) >= 8);
    myr_batch_free(a), myr_batch_free(b);
    myr_model_free(here), myr_model_free(there);
}

/* Elsewhere and back, or set to what it is: no bit changes, of hulls neither. */
static void back_is_untouched(void **state) {
    (void)state;
    for (int p = 0; p < 2; p++) {
        myr_model *model = world_model(NULL);
        myr_batch *a = open_batch(model, 3, precisions[p], "auto", "1"), *b = open_batch(model, 3, precisions[p], "auto", "1");
        double own[9 * WORLD_SHAPES], other[9 * WORLD_SHAPES];
        MUST(myr_batch_get(a, MYR_WORLD_AT, NULL, 3, MYR_F64, own));
        for (int k = 0; k < 9 * WORLD_SHAPES; k++) other[k] = own[k] + 7;
        MUST(myr_batch_set(a, MYR_WORLD_AT, NULL, 3, MYR_F64, other));
        MUST(myr_batch_set(a, MYR_WORLD_AT, NULL, 3, MYR_F64, own));
        MUST(myr_batch_step(a, STEPS));
        MUST(myr_batch_step(b, STEPS));
        for (int64_t e = 0; e < 3; e++) world_same(precisions[p], a, e, b, 0);
        myr_batch_free(a), myr_batch_free(b);
        myr_model_free(model);
    }
}

/* All instruction sets and threads; then batches of 1, W - 1, W, W + 1; and the last environments repeat the first ones' places. */
static void own_fate(void **state) {
    (void)state;
    myr_model *model = world_model(NULL);
    for (int p = 0; p < 2; p++) {
        const int W = p ? 8 : 16, edges[4] = {1, W - 1, W, W + 1};
        myr_batch *first = NULL;
        for (int i = 0; i < isa_count(); i++) {
            myr_batch *all = open_batch(model, N, precisions[p], isa_at(i), i % 2 ? "2" : "1");
            for (int64_t e = 0; e < N; e++) world_vary(all, e, e % 20);
            MUST(myr_batch_step(all, STEPS));
            for (int64_t e = 0; first && e < N; e++) world_same(isa_at(i), first, e, all, e);
            for (int64_t e = 20; e < N; e++) world_same("equal places", all, e % 20, all, e);
            for (int k = 0; k < 4; k++) {
                myr_batch *some = open_batch(model, edges[k], precisions[p], isa_at(i), "1");
                for (int64_t e = 0; e < edges[k]; e++) world_vary(some, e, (e + k) % 20);
                MUST(myr_batch_step(some, STEPS));
                for (int64_t e = 0; e < edges[k]; e++) world_same("in another batch", all, (e + k) % 20, some, e);
                myr_batch_free(some);
            }
            if (first)
                myr_batch_free(all);
            else
                first = all;
        }
        int differ = 0;
        for (int64_t e = 1; e < 20; e++) differ += !world_same(NULL, first, 0, first, e);
        assert_int_equal(differ, 19);
        assert_true(world_contacts(first, 5) >= 5);
        myr_batch_free(first);
    }
    myr_model_free(model);
}

static void saved_states_and_files_go_on(void **state) {
    (void)state;
    char path[] = "/tmp/myriapod-world-XXXXXX", tape[] = "/tmp/myriapod-places-XXXXXX";
    const int files[2] = {mkstemp(path), mkstemp(tape)};
    assert_true(files[0] >= 0 && files[1] >= 0);
    close(files[0]), close(files[1]);
    myr_model *model = world_model(NULL);
    myr_batch *a = open_batch(model, N, "f32", "auto", "1"), *b = open_batch(model, N, "f32", "auto", "1"), *c = NULL;
    for (int64_t e = 0; e < N; e++) world_vary(a, e, e);
    MUST(myr_batch_step(a, 60));
    const size_t bytes = myr_batch_state_bytes(a);
    char *states = malloc(N * bytes);
    assert_non_null(states);
    double places[N * 3 * WORLD_SHAPES];
    MUST(myr_batch_get_state(a, NULL, N, states));
    MUST(myr_batch_save(a, path));
    MUST(myr_batch_get(a, MYR_WORLD_AT, NULL, N, MYR_F64, places)); /* a state has no parameters, a file has them */
    MUST(myr_batch_set(b, MYR_WORLD_AT, NULL, N, MYR_F64, places));
    MUST(myr_batch_set_state(b, NULL, N, states));
    const myr_settings settings = scene_settings("precision", "f32", "task", "none", "threads", "2", "dt", "0.004", NULL);
    MUST(myr_batch_create(model, N, &settings, &c));
    MUST(myr_batch_restore(c, path));
    MUST(myr_batch_step(a, 60));
    MUST(myr_batch_step(b, 60));
    MUST(myr_batch_step(c, 60));
    for (int64_t e = 0; e < N; e++) world_same("state put back", a, e, b, e), world_same("file restored", a, e, c, e);
    assert_true(myr_batch_hash(a) == myr_batch_hash(b) && myr_batch_hash(a) == myr_batch_hash(c));
    /* recordings have them where they are asked for */
    const int64_t last = N - 1;
    double place[3 * WORLD_SHAPES], read[3 * WORLD_SHAPES];
    const myr_field fields[] = {MYR_Q, MYR_WORLD_AT};
    const myr_recording_plan plan = {.n = 1, .ids = &last, .fields = fields, .n_fields = 2, .type = MYR_F64, .frame_s = 0.004};
    myr_recording *recording;
    MUST(myr_recording_create(b, tape, &plan, &recording));
    MUST(myr_recording_append(recording, b));
    MUST(myr_recording_close(recording));
    MUST(myr_recording_open(tape, &recording));
    MUST(myr_recording_read(recording, 1, 0, 1, MYR_F64, read));
    MUST(myr_recording_close(recording));
    MUST(myr_batch_get(b, MYR_WORLD_AT, &last, 1, MYR_F64, place));
    assert_memory_equal(read, place, sizeof place);
    free(states);
    myr_batch_free(a), myr_batch_free(b), myr_batch_free(c);
    myr_model_free(model);
    unlink(path), unlink(tape);
}

static void no_number_stops_its_own(void **state) {
    (void)state;
    static const double wrong[3] = {NAN, (double)INFINITY, -(double)INFINITY};
    myr_model *model = world_model(NULL);
    for (int p = 0; p < 2; p++)
        for (int w = 0; w < 3; w++) {
            myr_batch *good = open_batch(model, N, precisions[p], "auto", "1"), *bad = open_batch(model, N, precisions[p], "auto", "1");
            for (int64_t e = 0; e < N; e++) world_vary(good, e, e), world_vary(bad, e, e);
            const int64_t sick = 3 + 9 * w;
            double place[3 * WORLD_SHAPES], own[3 * WORLD_SHAPES], reason, before[128], after[128];
            MUST(myr_batch_step(good, 30));
            MUST(myr_batch_step(bad, 30));
            MUST(myr_batch_get(bad, MYR_WORLD_AT, &sick, 1, MYR_F64, place));
            memcpy(own, place, sizeof own);
            place[7] = wrong[w];
            MUST(myr_batch_get(bad, MYR_Q, &sick, 1, MYR_F64, before));
            MUST(myr_batch_set(bad, MYR_WORLD_AT, &sick, 1, MYR_F64, place));
            MUST(myr_batch_step(good, 30));
            MUST(myr_batch_step(bad, 30));
            for (int64_t e = 0; e < N; e++) {
                MUST(myr_batch_get(bad, MYR_QUARANTINED, &e, 1, MYR_F64, &reason));
                assert_int_equal((int)reason, e == sick ? MYR_QUARANTINE_PARAMETER : MYR_HEALTHY);
                if (e != sick) world_same("beside one that stopped", good, e, bad, e);
            }
            MUST(myr_batch_get(bad, MYR_Q, &sick, 1, MYR_F64, after));
            assert_memory_equal(before, after, sizeof(double) * (size_t)myr_batch_components(bad, MYR_Q));
            uint8_t mask[N] = {0};
            mask[sick] = 1;
            MUST(myr_batch_set(bad, MYR_WORLD_AT, &sick, 1, MYR_F64, own));
            MUST(myr_batch_reset(bad, mask));
            MUST(myr_batch_step(bad, 30));
            MUST(myr_batch_get(bad, MYR_QUARANTINED, &sick, 1, MYR_F64, &reason));
            assert_int_equal((int)reason, MYR_HEALTHY);
            MUST(myr_batch_get(bad, MYR_WORLD_AT, &sick, 1, MYR_F64, place)); /* a reset leaves the places */
            assert_memory_equal(own, place, sizeof own);
            myr_batch_free(good), myr_batch_free(bad);
        }
    myr_model_free(model);
}

/* Of a robot alone there is no such field. */
static void without_shapes_there_is_no_field(void **state) {
    (void)state;
    const myr_settings settings = scene_settings("task", "none", "threads", "1", NULL);
    myr_batch *batch = scene_walkers(&settings, 2);
    double place[3];
    assert_int_equal(myr_batch_components(batch, MYR_WORLD_AT), 0);
    MUST_FAIL(myr_batch_get(batch, MYR_WORLD_AT, NULL, 2, MYR_F64, place), MYR_E_STATE, "geoms fixed to the world");
    myr_batch_free(batch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moved_is_made_there),
        cmocka_unit_test(a_hull_moves_as_well),
        cmocka_unit_test(back_is_untouched),
        cmocka_unit_test(own_fate),
        cmocka_unit_test(no_number_stops_its_own),
        cmocka_unit_test(without_shapes_there_is_no_field),
        cmocka_unit_test(saved_states_and_files_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
