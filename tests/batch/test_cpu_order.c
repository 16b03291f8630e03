/* Which processors are used, and in which order, on machines that this one is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cpus.h"

/* The order on a machine described in hwloc's words. set: list of processors as "0-3,8", NULL: all. */
static void expect(const char *machine, const char *set, int wanted, int here, int cores, const int *order, int n) {
    hwloc_topology_t topology;
    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_set_synthetic(topology, machine), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    hwloc_bitmap_t usable = hwloc_bitmap_dup(hwloc_topology_get_topology_cpuset(topology));
    if (set) assert_int_equal(hwloc_bitmap_list_sscanf(usable, set), 0);
    myr_cpu_list list = {.cpus = calloc((size_t)hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU), sizeof(int))};
    assert_non_null(list.cpus);
    myr_cpu_order(topology, usable, wanted, here, &list);
    assert_int_equal(list.cores, cores);
    assert_int_equal(list.n, n);
    for (int i = 0; i < n; i++)
        if (list.cpus[i] != order[i])
            fail_msg("%s, %s: place %d has processor %d instead of %d", machine, set ? set : "all", i, list.cpus[i], order[i]);
    free(list.cpus);
    hwloc_bitmap_free(usable);
    hwloc_topology_destroy(topology);
}

#define EXPECT(machine, set, wanted, here, cores, ...)                                                                                     \
    expect(machine, set, wanted, here, cores, (const int[]){__VA_ARGS__}, (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)))

static const char twins[] = "pack:2 core:2 pu:2";                           /* siblings are neighbours: 0 1 | 2 3 || 4 5 | 6 7 */
static const char halves[] = "pack:2 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)"; /* as Linux counts: siblings are 4 apart */

static void cores_come_before_siblings(void **state) {
    (void)state;
    EXPECT(twins, NULL, 0, 3, 4, 0, 2, 4, 6, 1, 3, 5, 7);
    EXPECT(halves, NULL, 0, 3, 4, 0, 1, 2, 3, 4, 5, 6, 7);
    EXPECT(twins, NULL, 8, 3, 4, 0, 2, 4, 6, 1, 3, 5, 7);
    EXPECT("core:3 pu:4", NULL, 0, 0, 3, 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11);
}

static void only_usable_processors_are_listed(void **state) {
    (void)state;
    EXPECT(twins, "1,4-7", 0, 1, 3, 1, 4, 6, 5, 7);
    EXPECT(twins, "6-7", 0, 6, 1, 6, 7);
    EXPECT(halves, "5,7", 0, 5, 2, 5, 7);
    EXPECT("pu:4", "1-2", 0, 1, 2, 1, 2); /* a system that hides its cores */
}

static void small_teams_begin_where_the_caller_is(void **state) {
    (void)state;
    EXPECT(twins, NULL, 1, 5, 4, 4, 6, 0, 2, 5, 7, 1, 3);
    EXPECT(twins, NULL, 3, 6, 4, 6, 0, 2, 4, 7, 1, 3, 5);
    EXPECT(twins, NULL, 4, 6, 4, 0, 2, 4, 6, 1, 3, 5, 7); /* all cores: their own order */
    EXPECT(twins, NULL, 1, -1, 4, 0, 2, 4, 6, 1, 3, 5, 7);
    EXPECT(twins, "0,2", 1, 7, 2, 0, 2); /* the caller is elsewhere */
}

/* Two packages of `cores` cores with two processors each, counted as Linux does: of worker w, which package. Neighbours in the order have
 * neighbouring tiles, so a package must be full before the next one begins. */
static void expect_packages(const char *machine, int cores) {
    hwloc_topology_t topology;
    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_set_synthetic(topology, machine), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    const int units = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    assert_int_equal(units, 4 * cores);
    myr_cpu_list list = {.cpus = calloc((size_t)units, sizeof(int))};
    assert_non_null(list.cpus);
    myr_cpu_order(topology, hwloc_topology_get_topology_cpuset(topology), 0, 0, &list);
    assert_int_equal(list.cores, 2 * cores);
    for (int w = 0; w < list.n; w++) {
        const hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(topology, (unsigned)list.cpus[w]);
        const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, unit);
        const int expected = w / cores % 2;
        if ((int)package->logical_index != expected) fail_msg("%s: worker %d is on package %u", machine, w, package->logical_index);
    }
    free(list.cpus);
    hwloc_topology_destroy(topology);
}

static void packages_are_filled_one_after_the_other(void **state) {
    (void)state;
    expect_packages("pack:2 numa:1 core:32 pu:2", 32);
    expect_packages("pack:2 numa:1 core:48 pu:2(indexes=core:pack)", 48);
    expect_packages("pack:2 numa:1 core:64 pu:2", 64);
    expect_packages("pack:2 numa:4 core:24 pu:2", 96); /* four NUMA nodes in each */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_come_before_siblings),
        cmocka_unit_test(only_usable_processors_are_listed),
        cmocka_unit_test(small_teams_begin_where_the_caller_is),
        cmocka_unit_test(packages_are_filled_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
