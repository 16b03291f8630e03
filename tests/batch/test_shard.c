/* Shards of a job's environments: each environment is in one of them, they begin at tiles, and are as even as that allows. */
#include "support/batch_scene.h"

/* All shards of so many environments. */
static void cover(int64_t envs, int ranks) {
    const int64_t tiles = envs / 16 + (envs % 16 != 0);
    int64_t next = 0, before = INT64_MAX;
    for (int rank = 0; rank < ranks; rank++) {
        int64_t first = -1, count = -1;
        myr_shard(envs, rank, ranks, &first, &count);
        assert_true(first == next && count >= 0);
        assert_true(first % 16 == 0 || first == envs);
        assert_true(count % 16 == 0 || first + count == envs);
        const int64_t own = count / 16 + (count % 16 != 0);
        assert_true(own == tiles / ranks || own == tiles / ranks + 1);
        assert_true(own <= before);
        if (rank >= tiles) assert_true(first == envs && count == 0);
        next = first + count;
        before = own;
    }
    assert_true(next == envs);
}

static void each_environment_is_in_one_shard(void **state) {
    (void)state;
    const int64_t sizes[] = {0, 1, 15, 16, 17, 31, 32, 33, 100, 512, 1000, 4096, 100003, INT64_C(1) << 40, INT64_MAX - 15, INT64_MAX};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int ranks = 1; ranks <= 70; ranks++) cover(sizes[s], ranks);
}

static void shards_are(int64_t envs, int rank, int ranks, int64_t first_wanted, int64_t count_wanted) {
    int64_t first = -1, count = -1;
    myr_shard(envs, rank, ranks, &first, &count);
    assert_int_equal(first, first_wanted);
    assert_int_equal(count, count_wanted);
}

static void shards_by_number(void **state) {
    (void)state;
    shards_are(512, 0, 3, 0, 176);
    shards_are(512, 1, 3, 176, 176);
    shards_are(512, 2, 3, 352, 160);
    shards_are(17, 0, 2, 0, 16);
    shards_are(17, 1, 2, 16, 1);
    shards_are(15, 0, 2, 0, 15); /* more ranks than tiles */
    shards_are(15, 1, 2, 15, 0);
    shards_are(0, 0, 1, 0, 0);
}

/* Numbers at the ends of their types do not overflow. */
static void the_largest_job_ends_where_it_should(void **state) {
    (void)state;
    int64_t first, count;
    myr_shard(INT64_MAX, INT32_MAX - 1, INT32_MAX, &first, &count);
    assert_true(first % 16 == 0 && count > 0 && first == INT64_MAX - count);
}

static void who_is_not_there_has_none(void **state) {
    (void)state;
    shards_are(64, 0, 0, 0, 0);
    shards_are(64, 0, -1, 0, 0);
    shards_are(64, -1, 2, 0, 0);
    shards_are(64, 2, 2, 0, 0);
    shards_are(-1, 0, 1, 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_environment_is_in_one_shard),
        cmocka_unit_test(shards_by_number),
        cmocka_unit_test(the_largest_job_ends_where_it_should),
        cmocka_unit_test(who_is_not_there_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
