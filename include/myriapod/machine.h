/* What this machine is and what would be used on it, and why. */
#ifndef MYRIAPOD_MACHINE_H
#define MYRIAPOD_MACHINE_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The machine that this process is on. */
typedef struct myr_machine {
    char cpu[128];
    int packages, numa_nodes, cores, logical; /* of the machine */
    int usable;                               /* logical processors this process may run on */
    int usable_cores;
    long l1d_bytes, l2_bytes, l3_bytes;
    int has_avx512, has_avx2, has_portable; /* processor AND operating system */
    char isa[16];                           /* what `auto` means here (MYRIAPOD_ISA forces one) */
    char why[256];
} myr_machine;
MYR_API myr_status myr_machine_get(myr_machine *machine);

#ifdef __cplusplus
}
#endif
#endif
