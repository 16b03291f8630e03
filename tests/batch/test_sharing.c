/* What several workers write lies apart, and tiles are dealt evenly, on machines that this one is not: 64 to 192 cores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "batch/batch.h"

enum { LINE = 64, PAGE = 4096 };

#define MUST(call)                                                                                                                         \
    do {                                                                                                                                   \
        if ((call) != MYR_OK) fail_msg("%s: %s", #call, myr_message());                                                                    \
    } while (0)

static void whole(const char *what, uintptr_t value, uintptr_t unit) {
    if (value % unit) fail_msg("%s is %ju, which is not a multiple of %ju", what, (uintmax_t)value, (uintmax_t)unit);
}

/* Tiles and their metas are whole cache lines; tally and workspace of a worker are whole pages. */
static void workers_share_no_line(void **state) {
    (void)state;
    const char *const precisions[] = {"f32", "f64"}, *const threads[] = {"2", "3", "7"};
    myr_model *robot = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &robot));
    for (int p = 0; p < 2; p++)
        for (int t = 0; t < 3; t++) {
            myr_settings settings = myr_settings_default();
            myr_batch *batch = NULL;
            MUST(myr_settings_set(&settings, "precision", precisions[p]));
            MUST(myr_settings_set(&settings, "threads", threads[t]));
            MUST(myr_batch_create(robot, 200, &settings, &batch));
            whole("the arena", (uintptr_t)batch->arena, LINE);
            whole("a tile", batch->layout.tile_bytes, LINE);
            whole("the metas", (uintptr_t)batch->metas, LINE);
            whole("a meta", sizeof *batch->metas, LINE);
            whole("the workers' blocks", (uintptr_t)batch->workers, PAGE);
            whole("a worker's block", batch->worker_bytes, PAGE);
            assert_true(batch->worker_bytes >= batch->worker_used && batch->worker_used > sizeof(myr_tally));
            myr_batch_free(batch);
        }
    myr_model_free(robot);
}

/* The caller writes the time after every call; workers read what is before it at the next one. */
static void the_callers_clock_has_its_own_line(void **state) {
    (void)state;
    const size_t clock = offsetof(struct myr_batch, wall_s) / LINE;
    const size_t read[] = {offsetof(struct myr_batch, kernels), offsetof(struct myr_batch, layout),  offsetof(struct myr_batch, options),
                           offsetof(struct myr_batch, tiles),   offsetof(struct myr_batch, robot),   offsetof(struct myr_batch, arena),
                           offsetof(struct myr_batch, metas),   offsetof(struct myr_batch, workers), offsetof(struct myr_batch, team)};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) assert_true(read[i] / LINE != clock);
    assert_true((offsetof(struct myr_batch, options) + sizeof(myr_step_options) - 1) / LINE != clock);
    assert_int_equal(offsetof(struct myr_batch, ticks) / LINE, clock);
}

typedef struct dealt {
    int64_t tiles;
    int threads;
    int64_t most;    /* tiles of the busiest worker */
    int busy;        /* percent of the workers' time that is filled, rounded down */
    int64_t half[2]; /* tiles of the first and the second half of the workers: of two packages */
} dealt;

/* Contiguous runs, one after the other, no two of which differ by more than one tile, alike on both halves of the workers. */
static void tiles_are_dealt_evenly(void **state) {
    (void)state;
    static const dealt cases[] = {
        {256, 64, 4, 100, {128, 128}},  {256, 96, 3, 88, {128, 128}},      {256, 128, 2, 100, {128, 128}}, {256, 192, 2, 66, {128, 128}},
        {512, 64, 8, 100, {256, 256}},  {512, 96, 6, 88, {256, 256}},      {512, 128, 4, 100, {256, 256}}, {512, 192, 3, 88, {256, 256}},
        {384, 192, 2, 100, {192, 192}}, {4096, 192, 22, 96, {2048, 2048}}, {100, 192, 1, 52, {50, 50}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const dealt *c = &cases[i];
        myr_team team = {.threads = c->threads};
        const myr_batch batch = {.tiles = c->tiles, .team = &team};
        int64_t next = 0, most = 0, half[2] = {0, 0};
        for (int w = 0; w < c->threads; w++) {
            const int64_t first = myr_batch_first_tile(&batch, w), n = myr_batch_first_tile(&batch, w + 1) - first;
            assert_int_equal(first, next);
            assert_true(n == c->tiles / c->threads || n == (c->tiles + c->threads - 1) / c->threads);
            next += n;
            most = n > most ? n : most;
            half[2 * w >= c->threads] += n;
        }
        assert_int_equal(next, c->tiles);
        assert_int_equal(most, c->most);
        assert_int_equal(100 * c->tiles / (most * c->threads), c->busy);
        assert_int_equal(half[0], c->half[0]);
        assert_int_equal(half[1], c->half[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_share_no_line),
        cmocka_unit_test(the_callers_clock_has_its_own_line),
        cmocka_unit_test(tiles_are_dealt_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
