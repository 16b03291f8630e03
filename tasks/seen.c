#include "tasks/seen.h"

#include <string.h>

int myr_scan_wanted(const myr_settings *settings) {
    static const char *const words[] = {"exact", "bilinear", "min3", "nearest"}; /* in the order of myr_scan_kind */
    for (int k = 0; k < 4; k++)
        if (strcmp(settings->scan, words[k]) == 0) return k;
    return -1;
}
