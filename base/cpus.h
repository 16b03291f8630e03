/* Which logical processors to compute on, and in which order. */
#ifndef MYR_BASE_CPUS_H
#define MYR_BASE_CPUS_H

#include <hwloc.h>
#include <stddef.h>

#include "myriapod/status.h"

/* n processors (operating system's numbers) on `cores` cores. */
typedef struct myr_cpu_list {
    int *cpus, n, cores;
} myr_cpu_list;

/* Processors and caches of this machine, no devices; hwloc_topology_destroy it. */
myr_status myr_topology_load(hwloc_topology_t *topology);

/* The processors that the calling thread may use: its affinity, or OpenMP's places where OMP_PROC_BIND has bound it to one
 * of them; ordered by myr_cpu_order. list->cpus is the caller's (myr_release). */
myr_status myr_cpu_list_get(hwloc_topology_t topology, int wanted, myr_cpu_list *list);

/* The processors of `set`: one of every core first, then the second of every core, and so on. If fewer are wanted than there
 * are cores, the list begins at the core of processor `here`, so that several small teams do not all sit on the first core;
 * wanted 0: all. list->cpus has room for all processors of the topology. */
void myr_cpu_order(hwloc_topology_t topology, hwloc_const_bitmap_t set, int wanted, int here, myr_cpu_list *list);

/* The kernel's affinity masks: bytes of one (0: cannot be read), adding a processor, asking for one. */
size_t myr_cpu_mask_bytes(void);
static inline void myr_cpu_mask_add(char *mask, int cpu) { mask[cpu / 8] = (char)(mask[cpu / 8] | (1 << (cpu % 8))); }
static inline int myr_cpu_mask_has(const char *mask, int cpu) { return mask[cpu / 8] >> (cpu % 8) & 1; }

#endif
