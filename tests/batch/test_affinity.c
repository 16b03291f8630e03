/* Small steps cost no system calls: what a call asks of the system about affinity. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/batch_scene.h"

static myr_batch *open_batch(const myr_model *model, const char *threads, const char *pin) {
    const myr_settings settings = scene_settings("threads", threads, "pin", pin, NULL);
    myr_batch *batch = NULL;
    MUST(myr_batch_create(model, 100, &settings, &batch));
    return batch;
}

/* What the library asks of the system: these stand for libc's in this program. */
static int moves;

int sched_setaffinity(pid_t pid, size_t bytes, const cpu_set_t *set) {
    moves++;
    return (int)syscall(SYS_sched_setaffinity, pid, bytes, set);
}

static int nth_cpu(const cpu_set_t *set, int n) {
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, set) && n-- == 0) return (int)cpu;
    return -1;
}

static void sit_on(int cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(sched_getcpu(), cpu);
}

/* Calls of this batch must ask for so many changes of affinity, once the pool's threads are where they belong. */
static void must_move(myr_batch *batch, int wanted) {
    cpu_set_t before, after;
    MUST(myr_batch_step(batch, 1));
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    moves = 0;
    MUST(myr_batch_step(batch, 1));
    assert_int_equal(moves, wanted);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
}

/* System calls would be most of a small step. A caller that is where it should be asks for nothing, nor does one that works alone. One
 * that is elsewhere goes and comes back; one that may not go there any more stays, whatever the batch once thought. */
static void nobody_is_moved_without_need(void **state) {
    (void)state;
    myr_model *model = scene_model();
    myr_batch_info info;
    cpu_set_t all;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    myr_batch *alone = open_batch(model, "1", "1"), *two = open_batch(model, "2", "1"), *free_two = open_batch(model, "2", "0");
    myr_batch_get_info(two, &info);
    for (int n = 0; n < CPU_COUNT(&all) && n < 4; n++) {
        sit_on(nth_cpu(&all, n));
        must_move(alone, 0);
        must_move(two, 0); /* there already, or kept from there */
        must_move(free_two, 0);
    }
    sit_on(info.cpus[0]);
    must_move(two, 0);
    if (info.cpus[0] != info.cpus[1]) {
        int went = 0;
        for (int k = 0; k < 50 && !went; k++) { /* the system may have put us back at any time */
            sit_on(info.cpus[1]);
            assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
            moves = 0;
            const int here = sched_getcpu();
            MUST(myr_batch_step(two, 1));
            went = here == info.cpus[1] && moves > 0;
            if (went && moves < 2) fail_msg("%d changes of affinity there and back", moves);
        }
        assert_true(went);
        cpu_set_t now;
        assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
        assert_true(CPU_EQUAL(&now, &all));
    }
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    myr_batch_free(alone), myr_batch_free(two), myr_batch_free(free_two);
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nobody_is_moved_without_need)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
