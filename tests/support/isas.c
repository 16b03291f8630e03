#include "isas.h"

#include <stddef.h>

#include "myriapod/machine.h"

const char *isa_at(int i) {
    myr_isa_info isa;
    for (int k = 0; i >= 0 && myr_isa_name(k); k++)
        if (myr_isa_get(myr_isa_name(k), &isa) == MYR_OK && isa.present && i-- == 0) return isa.name;
    return NULL;
}

int isa_count(void) {
    int n = 0;
    while (isa_at(n)) n++;
    return n;
}

const char *isa_or_auto_at(int i) { return i == 0 ? "auto" : isa_at(i - 1); }
