/* What the library's own tables have, before one is read: cmake/texts.cmake lists it. */
#ifndef MYR_TASKS_GIVEN_H
#define MYR_TASKS_GIVEN_H

#include "myriapod/settings.h"

/* A number of one or more of them. It is a key of the settings, and has one meaning in all of them. */
typedef struct myr_given_number {
    const char *name, *doc;
    double value, low, high;
} myr_given_number;

/* NULL: they have none of this name. */
const myr_given_number *myr_given_number_find(const char *name);
/* Number 0, 1, ..; NULL past the last. */
const myr_given_number *myr_given_number_at(int index);

/* What a number of a task was set to; NULL: it was not. */
const double *myr_settings_number(const myr_settings *settings, const char *name);

#endif
