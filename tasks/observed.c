#include "tasks/observed.h"

#include <string.h>

#define KEY(field) offsetof(myr_settings, field)
#define NONE 0
const myr_observed_kind myr_observed_kinds[MYR_OBSERVED_KINDS] = {
#define MYR_OBSERVED(NAME, name, count, scale, noise, unit, doc) {#name, unit, doc, scale, noise},
#include "tasks/observed.def"
#undef MYR_OBSERVED
};

int myr_scan_wanted(const myr_settings *settings) {
    static const char *const words[] = {"exact", "bilinear", "min3", "nearest"}; /* in the order of myr_scan_kind */
    for (int k = 0; k < 4; k++)
        if (strcmp(settings->scan, words[k]) == 0) return k;
    return -1;
}

int myr_observed_count(myr_observed kind, const myr_settings *s, const myr_model *m) {
    switch (kind) {
#define MYR_OBSERVED(NAME, name, count, scale, noise, unit, doc)                                                                           \
    case MYR_OBSERVED_##NAME:                                                                                                              \
        return count;
#include "tasks/observed.def"
#undef MYR_OBSERVED
    default: return 0;
    }
}
