#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <hwloc.h>
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "batch/threads.h"
#include "kernels/kernels.h"
#include "model/model.h"

/* hwloc chooses the processors. Binding itself goes through sched_setaffinity with masks made beforehand, because
 * hwloc's binding calls allocate a mask each time and a step allocates nothing. */

/* The processor this pool thread was bound to by us, -1: to none. Pool threads outlive batches. */
static _Thread_local int bound_to = -1;

/* The process in which OpenMP's pool was first used by us, 0: not yet. */
static atomic_llong pool_pid;

static int has_bit(const char *mask, size_t bit) { return (mask[bit / 8] >> (bit % 8)) & 1; }
static void set_bit(char *mask, size_t bit) { mask[bit / 8] = (char)(mask[bit / 8] | (1 << (bit % 8))); }

/* Bytes of the kernel's affinity masks: the first size that sched_getaffinity accepts. */
static size_t mask_size(void) {
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
            if (ids[i] >= 0 && (size_t)ids[i] < 8 * bytes) set_bit(mask, (size_t)ids[i]);
    }
    if (places == 0 && sched_getaffinity(0, bytes, (cpu_set_t *)(void *)mask) != 0) return 0;
    hwloc_bitmap_zero(set);
    for (size_t bit = 0; bit < 8 * bytes; bit++)
        if (has_bit(mask, bit)) hwloc_bitmap_set(set, (unsigned)bit);
    return !hwloc_bitmap_iszero(set);
}

/* The k-th usable processor of the object, -1: it has fewer. */
static int nth_cpu(hwloc_obj_t object, hwloc_const_bitmap_t set, int k) {
    int cpu = -1;
    while ((cpu = hwloc_bitmap_next(object->cpuset, cpu)) >= 0)
        if (hwloc_bitmap_isset(set, (unsigned)cpu) && k-- == 0) return cpu;
    return -1;
}

static void order_cpus(hwloc_topology_t topology, hwloc_const_bitmap_t set, int wanted, myr_cpu_list *list) {
    hwloc_obj_type_t type = HWLOC_OBJ_CORE;
    int objects = hwloc_get_nbobjs_by_type(topology, type);
    if (objects <= 0) { /* a system that hides its cores: every processor counts as one */
        type = HWLOC_OBJ_PU;
        objects = hwloc_get_nbobjs_by_type(topology, type);
    }
    const int here = sched_getcpu();
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
    const size_t bytes = mask_size();
    const int units = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    char *mask = bytes ? myr_allocate(bytes, MYR_ROW_BYTES) : NULL;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    list->cpus = units > 0 ? myr_allocate((size_t)units * sizeof *list->cpus, MYR_ROW_BYTES) : NULL;
    myr_status status = MYR_OK;
    if (!mask || !set || !list->cpus)
        status = myr_fail(MYR_E_MEMORY, "cannot list the processors of this process");
    else if (usable(mask, bytes, set))
        order_cpus(topology, set, wanted, list);
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

/* Masks of the workers, room for the caller's, and the set of all processors of the list. */
static myr_status make_masks(myr_team *team, const myr_cpu_list *list) {
    team->mask_bytes = mask_size();
    team->cpus = myr_allocate((size_t)team->threads * sizeof *team->cpus, MYR_ROW_BYTES);
    team->masks = myr_allocate(((size_t)team->threads + 2) * team->mask_bytes, MYR_ROW_BYTES);
    if (!team->cpus || !team->masks) return myr_fail(MYR_E_MEMORY, "no memory for the affinity masks of %d threads", team->threads);
    for (int w = 0; w < team->threads; w++) {
        const int cpu = list->cpus[w % list->n];
        team->cpus[w] = team->pin ? cpu : -1;
        set_bit(team->masks + (size_t)w * team->mask_bytes, (size_t)cpu);
    }
    for (int i = 0; i < list->n; i++) set_bit(team->masks + ((size_t)team->threads + 1) * team->mask_bytes, (size_t)list->cpus[i]);
    return MYR_OK;
}

static myr_status fill_team(myr_team *team, int threads, int64_t useful) {
    hwloc_topology_t topology;
    myr_status status = myr_topology_load(&topology);
    if (status != MYR_OK) return status;
    myr_cpu_list list;
    const int enough = useful < 4096 ? (int)useful : 4096;
    status = myr_cpu_list_get(topology, threads > 0 ? threads : enough, &list);
    hwloc_topology_destroy(topology);
    if (status != MYR_OK) return status;
    team->threads = threads;
    if (threads == 0) team->threads = list.cores < enough ? list.cores : enough;
    const long long owner = atomic_load(&pool_pid);
    if (team->threads > 1 && owner != 0 && owner != (long long)getpid())
        status = myr_fail(MYR_E_FORK,
                          "this process was forked after its parent had started threads, so a batch of %d threads would hang here: "
                          "fork before the first batch is made, or set threads to 1",
                          team->threads);
    else
        status = make_masks(team, &list);
    myr_release(list.cpus);
    return status;
}

myr_status myr_team_create(int threads, int pin, int64_t useful, myr_team **out) {
    *out = NULL;
    myr_team *team = myr_allocate(sizeof *team, MYR_ROW_BYTES);
    if (!team) return myr_fail(MYR_E_MEMORY, "no memory for a team of threads");
    team->pin = pin;
    const myr_status status = fill_team(team, threads, useful);
    if (status == MYR_OK)
        *out = team;
    else
        myr_team_destroy(team);
    return status;
}

void myr_team_destroy(myr_team *team) {
    if (!team) return;
    myr_release(team->cpus);
    myr_release(team->masks);
    myr_release(team);
}

size_t myr_team_bytes(const myr_team *team) {
    return sizeof *team + (size_t)team->threads * sizeof *team->cpus + ((size_t)team->threads + 2) * team->mask_bytes;
}

static void bind_to(const myr_team *team, int mask) {
    sched_setaffinity(0, team->mask_bytes, (const cpu_set_t *)(const void *)(team->masks + (size_t)mask * team->mask_bytes));
}

/* A processor that has gone offline since makes the call fail; the worker then runs where the system puts it. */
static void bind_pool_thread(const myr_team *team, int worker) {
    const int cpu = team->cpus[worker];
    if (cpu == bound_to) return;
    bind_to(team, cpu >= 0 ? worker : team->threads + 1);
    bound_to = cpu;
}

void myr_team_run(myr_team *team, void (*work)(void *context, int worker), void *context) {
    char *callers = team->masks + (size_t)team->threads * team->mask_bytes;
    const int move = team->pin && sched_getaffinity(0, team->mask_bytes, (cpu_set_t *)(void *)callers) == 0;
    if (team->threads > 1) {
        long long nobody = 0;
        atomic_compare_exchange_strong(&pool_pid, &nobody, (long long)getpid());
    }
    int size = 1;
#pragma omp parallel num_threads(team->threads) if (team->threads > 1) default(none) shared(team, work, context, size, move)
    {
        const int me = omp_get_thread_num(), all = omp_get_num_threads();
        if (me > 0)
            bind_pool_thread(team, me);
        else if (move)
            bind_to(team, 0);
        if (me == 0) size = all;
        const unsigned saved = myr_fp_enter();
        /* OpenMP may give fewer threads than asked (OMP_THREAD_LIMIT, a parallel region around us): they share the work */
        for (int worker = me; worker < team->threads; worker += all) work(context, worker);
        myr_fp_leave(saved);
    }
    team->size = size;
    if (move) bind_to(team, team->threads);
}
