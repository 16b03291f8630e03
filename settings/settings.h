/* The keys of settings.def, and behind them the numbers of the library's own tasks, as a table, for reading flags, profiles and saved
 * files. */
#ifndef MYR_SETTINGS_SETTINGS_H
#define MYR_SETTINGS_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

#include "myriapod/settings.h"

typedef struct myr_setting_key {
    const char *name, *doc;
    const char *choices; /* "a|b|c", of words */
    double low, high;    /* of reals and of numbers of tasks */
    size_t offset;       /* in myr_settings; of a number of a task: of them all */
    double usual;        /* of a number of a task, where it is not set */
    enum { MYR_SETTING_IS_INT, MYR_SETTING_IS_REAL, MYR_SETTING_IS_WORD, MYR_SETTING_IS_NUMBER } kind;
} myr_setting_key;

extern const myr_setting_key myr_setting_keys[];
extern const int myr_setting_key_count;

const myr_setting_key *myr_setting_find(const char *name); /* NULL: no such key */
/* The message for an unknown key, before it `where` ("FILE: ", or ""): the nearest one, and all of them. */
myr_status myr_setting_unknown(myr_status status, const char *where, const char *name);

/* Range and choices are checked; on failure nothing is changed and the message quotes key and value. */
myr_status myr_setting_set_int(myr_settings *settings, const myr_setting_key *key, int64_t value);
myr_status myr_setting_set_real(myr_settings *settings, const myr_setting_key *key, double value); /* and a number of a task */
myr_status myr_setting_set_word(myr_settings *settings, const myr_setting_key *key, const char *value);

/* Into the block of numbers of tasks, over what was there of this name, which is one of a table. MYR_E_LIMIT: it is full. */
myr_status myr_setting_put_number(myr_settings *settings, const char *name, double value);

/* A word that has another name now, or is a word of another key. */
typedef struct myr_renamed {
    const char *key, *old, *now_key, *now;
} myr_renamed;
const myr_renamed *myr_setting_renamed(const char *key, const char *word); /* NULL: it was never renamed */
int myr_renamed_moved(const myr_renamed *renamed);                         /* to another key; NULL: no */
/* The word that a key has, by the names of today. */
const char *myr_setting_word(const myr_settings *settings, const char *key);
/* Put the file in front of the note, where there is one and no file in it yet. */
void myr_setting_note_file(const char *file);

/* A whole text that is a number, with a decimal point whatever the locale; 0: it is not a number. */
int myr_setting_read_real(const char *text, double *value);

/* The fewest digits that read back as the same number. */
void myr_setting_write_real(double value, char text[MYR_NAME_LENGTH]);
void myr_setting_text(const myr_settings *settings, const myr_setting_key *key, char text[MYR_NAME_LENGTH]);

/* The cookie, and every value against its range. */
myr_status myr_settings_check(const myr_settings *settings);

#endif
