#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <omp.h>
#include <sched.h>
#include <string.h>

#include "base/cpus.h"
#include "base/memory.h"
#include "base/message.h"

size_t myr_cpu_mask_bytes(void) {
    char mask[65536];
    for (size_t bytes = 128; bytes <= sizeof mask; bytes *= 2)
        if (sched_getaffinity(0, bytes, (cpu_set_t *)(void *)mask) == 0) return bytes;
    return 0;
}

myr_status myr_topology_load(hwloc_topology_t *topology) {
    if (hwloc_topology_init(topology) != 0) return myr_fail(MYR_E_MEMORY, "hwloc: cannot make a topology");
    hwloc_topology_set_io_types_filter(*topology, HWLOC_TYPE_FILTER_KEEP_NONE); /* processors and caches, no devices */
    if (hwloc_topology_load(*topology) != 0) {
        hwloc_topology_destroy(*topology);
        return myr_fail(MYR_E_STATE, "hwloc: cannot read the topology of this machine");
    }
    return MYR_OK;
}

/* The processors the caller may use, as a kernel mask and as an hwloc set. */
static int usable(char *mask, size_t bytes, hwloc_bitmap_t set) {
    memset(mask, 0, bytes);
    const int places = omp_get_proc_bind() == omp_proc_bind_false ? 0 : omp_get_num_places();
    for (int p = 0; p < places; p++) {
        int ids[4096];
        const int n = omp_get_place_num_procs(p);
        if (n > (int)(sizeof ids / sizeof *ids)) continue;
        omp_get_place_proc_ids(p, ids);
        for (int i = 0; i < n; i++)
            if (ids[i] >= 0 && (size_t)ids[i] < 8 * bytes) myr_cpu_mask_add(mask, ids[i]);
    }
    if (places == 0 && sched_getaffinity(0, bytes, (cpu_set_t *)(void *)mask) != 0) return 0;
    hwloc_bitmap_zero(set);
    for (size_t bit = 0; bit < 8 * bytes; bit++)
        if (myr_cpu_mask_has(mask, (int)bit)) hwloc_bitmap_set(set, (unsigned)bit);
    return !hwloc_bitmap_iszero(set);
}

/* The k-th usable processor of the object, -1: it has fewer. */
static int nth_cpu(hwloc_obj_t object, hwloc_const_bitmap_t set, int k) {
    int cpu = -1;
    while ((cpu = hwloc_bitmap_next(object->cpuset, cpu)) >= 0)
        if (hwloc_bitmap_isset(set, (unsigned)cpu) && k-- == 0) return cpu;
    return -1;
}

void myr_cpu_order(hwloc_topology_t topology, hwloc_const_bitmap_t set, int wanted, int here, myr_cpu_list *list) {
    hwloc_obj_type_t type = HWLOC_OBJ_CORE;
    int objects = hwloc_get_nbobjs_by_type(topology, type);
    if (objects <= 0) { /* a system that hides its cores: every processor counts as one */
        type = HWLOC_OBJ_PU;
        objects = hwloc_get_nbobjs_by_type(topology, type);
    }
    int start = 0;
    for (int c = 0; c < objects; c++) {
        const hwloc_obj_t core = hwloc_get_obj_by_type(topology, type, (unsigned)c);
        if (nth_cpu(core, set, 0) >= 0) list->cores++;
        if (here >= 0 && hwloc_bitmap_isset(core->cpuset, (unsigned)here)) start = c;
    }
    if (wanted == 0 || wanted >= list->cores) start = 0;
    for (int sibling = 0, added = 1; added; sibling++) {
        added = 0;
        for (int c = 0; c < objects; c++) {
            const int cpu = nth_cpu(hwloc_get_obj_by_type(topology, type, (unsigned)((start + c) % objects)), set, sibling);
            if (cpu < 0) continue;
            list->cpus[list->n++] = cpu;
            added = 1;
        }
    }
}

myr_status myr_cpu_list_get(hwloc_topology_t topology, int wanted, myr_cpu_list *list) {
    *list = (myr_cpu_list){0};
    const size_t bytes = myr_cpu_mask_bytes();
    const int units = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    char *mask = bytes ? myr_allocate(bytes, MYR_CACHE_LINE) : NULL;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    list->cpus = units > 0 ? myr_allocate((size_t)units * sizeof *list->cpus, MYR_CACHE_LINE) : NULL;
    myr_status status = MYR_OK;
    if (!mask || !set || !list->cpus)
        status = myr_fail(MYR_E_MEMORY, "cannot list the processors of this process");
    else if (usable(mask, bytes, set))
        myr_cpu_order(topology, set, wanted, sched_getcpu(), list);
    if (status == MYR_OK && list->n == 0)
        status = myr_fail(MYR_E_STATE, "this process may use none of the %d processors that hwloc sees", units);
    if (status != MYR_OK) {
        myr_release(list->cpus);
        *list = (myr_cpu_list){0};
    }
    hwloc_bitmap_free(set);
    myr_release(mask);
    return status;
}
