#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/threads.h"
#include "base/memory.h"
#include "base/message.h"
#include "machine/machine.h"

/* hwloc chooses the processors. Binding itself goes through sched_setaffinity with masks made beforehand, because
 * hwloc's binding calls allocate a mask each time and a step allocates nothing. */

/* The processor this pool thread was bound to by us, -1: to none. Pool threads outlive batches. */
static _Thread_local int bound_to = -1;

/* The process in which OpenMP's pool was first used by us, 0: not yet. */
static atomic_llong pool_pid;

/* Masks of the workers, room for the caller's, and the set of all processors of the list. */
static myr_status make_masks(myr_team *team, const myr_cpu_list *list) {
    team->mask_bytes = myr_cpu_mask_bytes();
    team->cpus = myr_allocate((size_t)team->threads * sizeof *team->cpus, MYR_CACHE_LINE);
    team->masks = myr_allocate(((size_t)team->threads + 2) * team->mask_bytes, MYR_CACHE_LINE);
    if (!team->cpus || !team->masks) return myr_fail(MYR_E_MEMORY, "no memory for the affinity masks of %d threads", team->threads);
    for (int w = 0; w < team->threads; w++) {
        const int cpu = list->cpus[w % list->n];
        team->cpus[w] = team->pin ? cpu : -1;
        myr_cpu_mask_add(team->masks + (size_t)w * team->mask_bytes, cpu);
    }
    char *all = team->masks + ((size_t)team->threads + 1) * team->mask_bytes;
    for (int i = 0; i < list->n; i++) myr_cpu_mask_add(all, list->cpus[i]);
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
    myr_team *team = myr_allocate(sizeof *team, MYR_CACHE_LINE);
    if (!team) return myr_fail(MYR_E_MEMORY, "no memory for a team of threads");
    team->pin = pin;
    team->pid = (int64_t)getpid();
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

myr_status myr_team_check(const myr_team *team, const char *call, const char *what) {
    if (team->threads == 1 || team->pid == (int64_t)getpid()) return MYR_OK;
    return myr_fail(MYR_E_FORK, "%s: the %s belongs to process %lld: threads do not follow a fork; make it anew", call, what,
                    (long long)team->pid);
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

/* Must the caller go to the processor of worker 0? Its own mask is saved then. Three system calls take longer than a step of a few robots.
 * So a caller that is there already stays as it is; the system moves no thread without need. So does one that works alone: no other worker
 * can be in its way. A caller that others keep away from that processor by now is not moved against their will. */
static int caller_goes(const myr_team *team) {
    if (!team->pin || team->threads == 1 || sched_getcpu() == team->cpus[0]) return 0;
    char *callers = team->masks + (size_t)team->threads * team->mask_bytes;
    return sched_getaffinity(0, team->mask_bytes, (cpu_set_t *)(void *)callers) == 0 && myr_cpu_mask_has(callers, team->cpus[0]);
}

void myr_team_run(myr_team *team, void (*work)(void *context, int worker), void *context) {
    const int move = caller_goes(team);
    if (team->threads > 1) {
        long long nobody = 0;
        atomic_compare_exchange_strong(&pool_pid, &nobody, (long long)getpid());
    }
#pragma omp parallel num_threads(team->threads) if (team->threads > 1) default(none) shared(team, work, context, move)
    {
        const int me = omp_get_thread_num(), all = omp_get_num_threads();
        if (me > 0)
            bind_pool_thread(team, me);
        else if (move)
            bind_to(team, 0);
        /* where it is as before nothing is written: the others read this line */
        if (me == 0 && team->size != all) team->size = all;
        /* the caller's own is set by the public function that we are called from; a thread of the pool may have another */
        const myr_fp before = me > 0 ? myr_fp_enter() : (myr_fp){0};
        /* OpenMP may give fewer threads than asked (OMP_THREAD_LIMIT, a parallel region around us): they share the work */
        for (int worker = me; worker < team->threads; worker += all) work(context, worker);
        if (me > 0) myr_fp_leave(&before);
    }
    if (move) bind_to(team, team->threads);
}
