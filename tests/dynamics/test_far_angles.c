/* ctest: lanes
 * Angles beyond the reach of the lanes' own sine (kernels/math.lane.h), as a joint has that spins for hours: the library's takes
 * over lane by lane, and the bits are the same on every instruction set, alone and among neighbours with small angles. */
#include <string.h>

#include "support/batch_scene.h"
#include "support/isas.h"
#include "kernels/kernels.h"

enum { ROBOTS = 19 };

static myr_batch *open_batch(const myr_model *model, const char *isa, const char *precision, int64_t envs, int64_t first) {
    myr_settings settings = scene_settings("isa", isa, "precision", precision, "task", "none", "threads", "1", "joint-limits", "off", NULL);
    settings.first_env = first;
    myr_batch *batch = NULL;
    MUST(myr_batch_create(model, envs, &settings, &batch));
    const int nq = myr_batch_components(batch, MYR_Q);
    for (int64_t i = 0; i < envs; i++) {
        double q[64];
        const int64_t id = first + i;
        MUST(myr_batch_get(batch, MYR_Q, &i, 1, MYR_F64, q));
        q[2] = 5;
        for (int k = 7; k < nq; k++) q[k] = 0.1 * k;
        q[7 + id % 12] = (id % 2 ? 1 : -1) * (id % 3 ? 3e5 : 3e7) * (1 + 0.001 * (double)id);
        MUST(myr_batch_set(batch, MYR_Q, &i, 1, MYR_F64, q));
    }
    return batch;
}

static void same_bits(void **state) {
    (void)state;
    const char *const precisions[] = {"f32", "f64"};
    myr_model *model = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    for (int p = 0; p < 2; p++) {
        uint64_t hash[3] = {0}, alone = 0;
        int present = 0;
        for (int i = 0; isa_at(i); i++) {
            myr_batch *batch = open_batch(model, isa_at(i), precisions[p], ROBOTS, 0);
            myr_stats stats;
            MUST(myr_batch_step(batch, 3));
            hash[present++] = myr_batch_hash(batch);
            myr_batch_stats(batch, &stats);
            assert_int_equal(stats.quarantined, 0);
            myr_batch_free(batch);
        }
        for (int64_t env = 0; env < ROBOTS; env++) {
            myr_batch *batch = open_batch(model, "auto", precisions[p], 1, env);
            MUST(myr_batch_step(batch, 3));
            alone += myr_batch_hash(batch);
            myr_batch_free(batch);
        }
        assert_true(present > 0 && hash[0] == alone);
        for (int i = 1; i < present; i++) assert_true(hash[i] == hash[0]);
    }
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
