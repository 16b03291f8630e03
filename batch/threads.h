/* A team of pinned workers. hwloc says which logical processors to use and in which order; OpenMP supplies the threads. */
#ifndef MYR_BATCH_THREADS_H
#define MYR_BATCH_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "myriapod/status.h"

typedef struct myr_team {
    int threads; /* workers */
    int pin;
    int *cpus;         /* logical processor of each worker, -1: not pinned */
    size_t mask_bytes; /* of one kernel affinity mask */
    char *masks;       /* threads masks, then the caller's (saved during a run), then all processors of the process */
    int size;          /* threads that took part in the last run: fewer than asked where OpenMP is limited */
} myr_team;

/* threads 0: one per core this process may use, at most `useful`. Loads the topology and lets go of it again. On failure
 * *out is NULL. */
myr_status myr_team_create(int threads, int pin, int64_t useful, myr_team **out);
void myr_team_destroy(myr_team *team); /* NULL is fine */
size_t myr_team_bytes(const myr_team *team);

/* work(context, worker) for every worker 0 .. threads - 1, each on its processor and in the floating-point state of the
 * lane code; returns when all have ended. The caller is worker 0; its affinity and its floating-point state are as
 * before when this returns. Pool threads stay pinned between runs. Allocates nothing itself. */
void myr_team_run(myr_team *team, void (*work)(void *context, int worker), void *context);

/* Logical processors the calling thread may use (its affinity, or OpenMP's places where OMP_PROC_BIND has bound it to
 * one of them), as an ordered list: a processor of every core first, then the second of every core, and so on. If fewer
 * are wanted than there are cores, the list begins at the core the caller runs on, so that several small teams do not
 * all sit on the first core. *cpus is the caller's (myr_release). */
typedef struct myr_cpu_list {
    int *cpus, n, cores;
} myr_cpu_list;
struct hwloc_topology;
myr_status myr_cpu_list_get(struct hwloc_topology *topology, int wanted, myr_cpu_list *list);
myr_status myr_topology_load(struct hwloc_topology **topology);

#endif
