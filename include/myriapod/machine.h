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
    char isa[16]; /* what `auto` means here (MYRIAPOD_ISA forces one) */
    char why[256];
} myr_machine;
MYR_API myr_status myr_machine_get(myr_machine *machine);

/* Instruction sets, as the setting `isa` takes them beside `auto`, the widest first; NULL past the last. */
MYR_API const char *myr_isa_name(int index);
/* What one of them is, and whether it runs here. */
typedef struct myr_isa_info {
    const char *name;
    const char *needs; /* of the processor */
    int bits;          /* of a register: bits / 32 robots side by side in float, bits / 64 in double */
    int built;         /* this library holds it */
    int present;       /* and the processor has it, and the operating system saves its registers */
} myr_isa_info;
/* MYR_E_ARG for a name that is not one of them. */
MYR_API myr_status myr_isa_get(const char *name, myr_isa_info *info);

#ifdef __cplusplus
}
#endif
#endif
