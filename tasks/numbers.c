/* Numbers by name, as lines and programs of a table read them: `setting.KEY` and `number.NAME`. A number of a table has the value of its
 * line, unless the settings have another one of this name. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "tasks/given.h"
#include "tasks/table.h"

static const myr_given_number given[] = {
#define MYR_TASK_NUMBER(name, value, low, high, doc) {name, doc, value, low, high},
#include "task_numbers.def" /* of the build */
#undef MYR_TASK_NUMBER
};
enum { GIVEN = sizeof given / sizeof *given };

const myr_given_number *myr_given_number_at(int index) { return index >= 0 && index < GIVEN ? &given[index] : NULL; }

const myr_given_number *myr_given_number_find(const char *name) {
    for (int k = 0; k < GIVEN; k++)
        if (!strcmp(given[k].name, name)) return &given[k];
    return NULL;
}

const double *myr_settings_number(const myr_settings *s, const char *name) {
    const int64_t n =
        s->n_numbers < MYR_SETTINGS_NUMBERS ? s->n_numbers : MYR_SETTINGS_NUMBERS; /* which nothing has checked, where a key is asked */
    for (int64_t k = n - 1; k >= 0; k--) /* a caller may have written one twice: the last one counts */
        if (!strcmp(s->numbers[k].name, name)) return &s->numbers[k].value;
    return NULL;
}

/* ---- setting.KEY ----------------------------------------------------------------------------------------------------------- */

/* The value of a setting that is a number. */
static double setting_value(const char *key, const myr_settings *s) {
#define MYR_SETTING_INT(field, name, usual, low, high, doc)                                                                                \
    if (!strcmp(key, name)) return (double)s->field;
#define MYR_SETTING_REAL(field, name, usual, low, high, doc)                                                                               \
    if (!strcmp(key, name)) return s->field;
#define MYR_SETTING_WORD(field, name, usual, choices, doc)
#include "myriapod/settings.def"
#undef MYR_SETTING_INT
#undef MYR_SETTING_REAL
#undef MYR_SETTING_WORD
    const double *set = myr_settings_number(s, key);
    return set ? *set : myr_given_number_find(key)->value;
}

static const char *setting_name(const char *key) {
#define MYR_SETTING_INT(field, name, usual, low, high, doc)                                                                                \
    if (!strcmp(key, name)) return name;
#define MYR_SETTING_REAL MYR_SETTING_INT
#define MYR_SETTING_WORD(field, name, usual, choices, doc)
#include "myriapod/settings.def"
#undef MYR_SETTING_INT
#undef MYR_SETTING_REAL
#undef MYR_SETTING_WORD
    const myr_given_number *number = myr_given_number_find(key);
    return number ? number->name : NULL;
}

static void add_settings(myr_words *words) {
#define MYR_SETTING_INT(field, name, usual, low, high, doc) myr_words_add(words, "setting." name);
#define MYR_SETTING_REAL MYR_SETTING_INT
#define MYR_SETTING_WORD(field, name, usual, choices, doc)
#include "myriapod/settings.def"
#undef MYR_SETTING_INT
#undef MYR_SETTING_REAL
#undef MYR_SETTING_WORD
#define MYR_TASK_NUMBER(name, value, low, high, doc) myr_words_add(words, "setting." name);
#include "task_numbers.def"
#undef MYR_TASK_NUMBER
}

/* ---- those of a table ------------------------------------------------------------------------------------------------------ */

int myr_table_own_number(const myr_task_table *t, const char *name) {
    for (int k = 0; k < t->n_numbers; k++)
        if (!strcmp(t->numbers[k].name, name)) return k;
    return -1;
}

int myr_table_find_number(const myr_task_table *t, const char *word, myr_table_number *number) {
    *number = (myr_table_number){.number = -1};
    if (!strncmp(word, "setting.", 8)) return (number->setting = setting_name(word + 8)) != NULL;
    if (!strncmp(word, "number.", 7)) return (number->number = myr_table_own_number(t, word + 7)) >= 0;
    return 0;
}

void myr_table_number_words(const myr_task_table *t, const char *word, myr_words *words) {
    char full[MYR_WORD_BYTES];
    if (!strncmp(word, "setting.", 8)) add_settings(words);
    for (int k = 0; k < t->n_numbers && !strncmp(word, "number.", 7); k++)
        if (snprintf(full, sizeof full, "number.%s", t->numbers[k].name) < (int)sizeof full) myr_words_add(words, full);
}

double myr_table_own_value(const myr_task_table *t, const myr_settings *settings, int number) {
    const double *set = myr_settings_number(settings, t->numbers[number].name);
    return set ? *set : t->numbers[number].value;
}

double myr_table_value(const myr_task_table *t, const myr_settings *settings, const myr_table_number *number) {
    if (number->number >= 0) return myr_table_own_value(t, settings, number->number);
    return number->setting ? setting_value(number->setting, settings) : number->value;
}

/* What is set is of the library's own tables, or of this one and within its range. */
static myr_status check_number(const myr_task_table *t, const myr_setting_number *set) {
    const int own = t ? myr_table_own_number(t, set->name) : -1;
    if (own >= 0) {
        const myr_table_own *n = &t->numbers[own];
        if (set->value >= n->low && set->value <= n->high) return MYR_OK;
        return myr_fail(MYR_E_ARG, "the number '%s' is %g in the settings, but must lie in %g .. %g: %s:%d", n->name, set->value, n->low,
                        n->high, t->label, n->line);
    }
    if (myr_given_number_find(set->name)) return MYR_OK; /* of another task: it does nothing */
    myr_words words = {0};
    char hint[MYR_WORD_BYTES + 24];
    for (int k = 0; t && k < t->n_numbers; k++) myr_words_add(&words, t->numbers[k].name);
    for (int k = 0; k < GIVEN; k++) myr_words_add(&words, given[k].name);
    myr_words_hint(&words, set->name, hint, sizeof hint);
    return myr_fail(MYR_E_ARG, "the settings have a number '%s', but the task has no such number%s", set->name, hint);
}

myr_status myr_table_check_numbers(const myr_task_table *t, const myr_settings *settings) {
    for (int64_t k = 0; k < settings->n_numbers; k++) {
        const myr_status status = check_number(t, &settings->numbers[k]);
        if (status) return status;
    }
    return MYR_OK;
}
