#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "kernels/kernels.h"
#include "base/memory.h"
#include "base/message.h"
#include "myriapod/machine.h"

static int count(hwloc_topology_t topology, hwloc_obj_type_t type) {
    const int n = hwloc_get_nbobjs_by_type(topology, type);
    return n > 0 ? n : 0;
}

/* Of one cache, not of all together. */
static long cache_bytes(hwloc_topology_t topology, hwloc_obj_type_t type) {
    const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0);
    return cache && cache->attr ? (long)cache->attr->cache.size : 0;
}

static void copy_text(char *to, size_t room, const char *text) { snprintf(to, room, "%s", text); }

static void describe_isa(myr_machine *machine) {
    const myr_kernels *kernels;
    const char *forced = getenv("MYRIAPOD_ISA");
    if (myr_kernels_get("auto", 4, &kernels) != MYR_OK) {
        copy_text(machine->isa, sizeof machine->isa, "none");
        copy_text(machine->why, sizeof machine->why, myr_message());
        return;
    }
    copy_text(machine->isa, sizeof machine->isa, kernels->isa);
    if (forced && *forced)
        snprintf(machine->why, sizeof machine->why, "MYRIAPOD_ISA=%s forces it", forced);
    else
        copy_text(machine->why, sizeof machine->why, "the widest that processor and operating system both support");
}

myr_status myr_machine_get(myr_machine *machine) {
    MYR_OWN_ARITHMETIC;
    if (!machine) return myr_fail(MYR_E_ARG, "myr_machine_get: machine is NULL");
    hwloc_topology_t topology;
    myr_status status = myr_topology_load(&topology);
    if (status != MYR_OK) return status;
    myr_cpu_list list;
    status = myr_cpu_list_get(topology, 0, &list);
    if (status == MYR_OK) {
        myr_machine found = {.usable = list.n, .usable_cores = list.cores};
        const hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
        const char *name = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
        if (!name) name = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "CPUModel");
        copy_text(found.cpu, sizeof found.cpu, name ? name : "unknown");
        found.packages = count(topology, HWLOC_OBJ_PACKAGE);
        found.numa_nodes = count(topology, HWLOC_OBJ_NUMANODE);
        found.cores = count(topology, HWLOC_OBJ_CORE);
        found.logical = count(topology, HWLOC_OBJ_PU);
        found.l1d_bytes = cache_bytes(topology, HWLOC_OBJ_L1CACHE);
        found.l2_bytes = cache_bytes(topology, HWLOC_OBJ_L2CACHE);
        found.l3_bytes = cache_bytes(topology, HWLOC_OBJ_L3CACHE);
        describe_isa(&found);
        *machine = found;
        myr_release(list.cpus);
    }
    hwloc_topology_destroy(topology);
    return status;
}
