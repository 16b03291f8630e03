/* The machine in words, for the commands that show it. No line ends. */
#ifndef MYRIAPOD_CLI_MACHINE_TEXT_H
#define MYRIAPOD_CLI_MACHINE_TEXT_H

#include <stdio.h>

#include <myriapod/myriapod.h>

/* "2 packages, 4 NUMA nodes, 96 cores, 192 logical processors" */
void cli_print_topology(const myr_machine *machine, FILE *stream);
/* "96 cores, 192 logical processors": those that this process may use. */
void cli_print_usable(const myr_machine *machine, FILE *stream);
/* ", L1d 48 KiB, L2 2 MiB, L3 105 MiB": those that are known. */
void cli_print_caches(const myr_machine *machine, FILE *stream);
/* "avx512: why": the instruction set that these settings take. */
void cli_print_isa_choice(const myr_machine *machine, const myr_settings *settings, FILE *stream);

#endif
