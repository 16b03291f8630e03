/* A setting by its key, as a caller without our headers' tables would ask: numbers of a task have no field of the struct. */
#ifndef MYR_TESTS_REFERENCE_SETTING_H
#define MYR_TESTS_REFERENCE_SETTING_H

#include "myriapod/settings.h"

/* Its number; NaN: there is no such key, or it is a word. */
double reference_setting(const myr_settings *settings, const char *key);

#endif
