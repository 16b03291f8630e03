/* The machine in words. */
#include "machine_text.h"

#include <string.h>

static const char *many(int n) { return n == 1 ? "" : "s"; }

void cli_print_topology(const myr_machine *m, FILE *stream) {
    fprintf(stream, "%d package%s, %d NUMA node%s, %d core%s, %d logical processor%s", m->packages, many(m->packages), m->numa_nodes,
            many(m->numa_nodes), m->cores, many(m->cores), m->logical, many(m->logical));
}

void cli_print_usable(const myr_machine *m, FILE *stream) {
    fprintf(stream, "%d core%s, %d logical processor%s", m->usable_cores, many(m->usable_cores), m->usable, many(m->usable));
}

static void print_cache(const char *name, long bytes, FILE *stream) {
    if (bytes >= 1 << 20)
        fprintf(stream, ", %s %.4g MiB", name, (double)bytes / (1 << 20));
    else if (bytes > 0)
        fprintf(stream, ", %s %.4g KiB", name, (double)bytes / (1 << 10));
}

void cli_print_caches(const myr_machine *m, FILE *stream) {
    print_cache("L1d", m->l1d_bytes, stream);
    print_cache("L2", m->l2_bytes, stream);
    print_cache("L3", m->l3_bytes, stream);
}

void cli_print_isa_choice(const myr_machine *m, const myr_settings *settings, FILE *stream) {
    const int automatic = strcmp(settings->isa, "auto") == 0;
    fprintf(stream, "%s: %s", automatic ? m->isa : settings->isa, automatic ? m->why : "the settings say so");
}
