/* Settings: every key once, with its default, range and meaning. Those of the engine and of episodes are in settings.def; those of one task
 * alone, weights of its reward say, in its table (tasks/text/). A profile is a named set of settings in profiles/NAME.json: keys as below,
 * `"base": "other"` inherits. default < profile < flag. */
#ifndef MYRIAPOD_SETTINGS_H
#define MYRIAPOD_SETTINGS_H

#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MYR_NAME_LENGTH 64
/* Numbers of tasks that settings hold at most. */
#define MYR_SETTINGS_NUMBERS 64

/* A number of a task's table (docs/tables.md) that has been set. */
typedef struct myr_setting_number {
    char name[MYR_NAME_LENGTH];
    double value;
} myr_setting_number;

typedef struct myr_settings {
    uint32_t cookie; /* set by myr_settings_default: a zeroed or stale struct is MYR_E_ARG */
#define MYR_SETTING_INT(field, key, value, low, high, doc) int64_t field;
#define MYR_SETTING_REAL(field, key, value, low, high, doc) double field;
#define MYR_SETTING_WORD(field, key, value, choices, doc) char field[MYR_NAME_LENGTH];
#include "settings.def"
#undef MYR_SETTING_INT
#undef MYR_SETTING_REAL
#undef MYR_SETTING_WORD
    /* Numbers of tasks that are other ones than in their tables: numbers[0] to numbers[n_numbers - 1], for tables that have a number of
     * this name. myr_settings_set puts those here that the library's own tables have; a caller may add those of a table of their own. A new
     * number of a task is another key, and leaves this struct as it is. */
    int64_t n_numbers;
    myr_setting_number numbers[MYR_SETTINGS_NUMBERS];
} myr_settings;

/* Every key at its default. */
MYR_API myr_settings myr_settings_default(void);

/* Read a profile over *settings: a path (has '/' or ends in .json) or a name found in $MYRIAPOD_PROFILES, the
 * places that docs/batch.md lists. On error nothing is changed; the message names file and key. */
MYR_API myr_status myr_settings_load(myr_settings *settings, const char *path_or_name);

/* Set one key from text, as a flag would ("tolerance", "1e-8"; "reward-torque", "-1e-5" of the task locomotion). Unknown key, bad value:
 * MYR_E_ARG, quoted. MYR_E_LIMIT: a number of a task, and there are MYR_SETTINGS_NUMBERS others. */
MYR_API myr_status myr_settings_set(myr_settings *settings, const char *key, const char *value);

/* What the last of these two calls in this thread has to say beside success: a word in it has a new name,
 * which was taken. "solver pgs-004 is now called pgs-lelidec", with the file in front. "" says: nothing.
 * Valid until the thread's next call that takes settings. */
MYR_API const char *myr_settings_note(void);

/* Walk the keys: index 0, 1, ...; returns 0 past the end. text gets the current value. All nullable. Those of settings.def come first, in
 * its order; then the numbers of the library's own tables. */
MYR_API int myr_settings_key(const myr_settings *settings, int index, const char **key, char text[MYR_NAME_LENGTH], const char **doc);

#ifdef __cplusplus
}
#endif
#endif
