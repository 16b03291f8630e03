/* A team of pinned workers. hwloc says which logical processors to use and in which order; OpenMP supplies the threads. */
#ifndef MYR_BASE_THREADS_H
#define MYR_BASE_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "myriapod/status.h"

typedef struct myr_team {
    int threads; /* workers */
    int64_t pid; /* the process whose threads they are */
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
/* MYR_E_FORK: it has several threads, and this is a child of the process that has them. `call` and `what` are named in the message. */
myr_status myr_team_check(const myr_team *team, const char *call, const char *what);

/* work(context, worker) for every worker 0 .. threads - 1, each on its processor and in the floating-point state of the
 * lane code; returns when all have ended. The caller is worker 0; its affinity and its floating-point state are as
 * before when this returns. Alone it stays where it is; else it is brought to its processor where it is elsewhere and may go there. Pool
 * threads stay pinned between runs. Allocates nothing itself. */
void myr_team_run(myr_team *team, void (*work)(void *context, int worker), void *context);

#endif
