/* Where the tiles lie: in large pages, as far as these lie within one worker's share; memory of a caller's allocator is left as it came. */
#include "support/batch_scene.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch/batch.h"

static const uintptr_t large = (uintptr_t)2 << 20;

/* Does the mapping that holds the address ask for large pages? -1: the system does not say. */
static int advised(uintptr_t address) {
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[512];
    int inside = 0, answer = -1;
    while (maps && answer < 0 && fgets(line, sizeof line, maps)) {
        uintptr_t start, end;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &start, &end) == 2) inside = start <= address && address < end;
        if (inside && strncmp(line, "VmFlags:", 8) == 0) answer = strstr(line, " hg") != NULL;
    }
    if (maps) fclose(maps);
    return answer;
}

static myr_batch *batch_of(int64_t envs, const char *threads) {
    const myr_settings settings = scene_settings("task", "stand", "threads", threads, NULL);
    myr_model *model;
    myr_batch *batch;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    MUST(myr_batch_create(model, envs, &settings, &batch));
    myr_model_free(model);
    return batch;
}

static void large_pages_within_a_share(void **state) {
    (void)state;
    if (access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0) skip();
    myr_batch *batch = batch_of(16384, "3");
    const uintptr_t start = (uintptr_t)batch->arena, bytes = (uintptr_t)batch->tiles * batch->layout.tile_bytes;
    assert_true(bytes > 8 * large);
    assert_int_equal(start % large, 0);
    for (uintptr_t page = start; page < start + bytes; page += large) {
        int whole = 0; /* within one worker's tiles */
        for (int w = 0; w < batch->team->threads; w++)
            whole |= (uintptr_t)myr_batch_tile(batch, myr_batch_first_tile(batch, w)) <= page &&
                     page + large <= (uintptr_t)myr_batch_tile(batch, myr_batch_first_tile(batch, w + 1));
        if (advised(page) != whole)
            fail_msg("page %zu of the tiles %s one worker's, and %s large", (size_t)((page - start) / large), whole ? "is" : "is not",
                     whole ? "is not" : "is");
    }
    myr_batch_free(batch);
}

static void *take(size_t bytes, size_t alignment, void *user) {
    *(size_t *)user = alignment > *(size_t *)user ? alignment : *(size_t *)user;
    return aligned_alloc(alignment, bytes);
}
static void give(void *memory, void *user) {
    (void)user;
    free(memory);
}

static void a_callers_memory_is_left_alone(void **state) {
    (void)state;
    size_t widest = 0;
    const myr_allocator callers = {take, give, &widest};
    myr_set_allocator(&callers);
    myr_batch *batch = batch_of(16384, "1");
    const int flag = advised((uintptr_t)batch->arena + 3 * large);
    myr_batch_free(batch);
    myr_set_allocator(NULL);
    assert_int_equal(widest, MYR_ROW_BYTES);
    assert_true(flag <= 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_callers_memory_is_left_alone),
        cmocka_unit_test(large_pages_within_a_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
