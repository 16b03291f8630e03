#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings/resolve.h"
#include "settings/settings.h"
#include "base/nearest.h"
#include "model/model.h"
#include "tasks/given.h"

/* Tells a struct made by myr_settings_default of this build from zeros, garbage and other versions. */
#define COOKIE (UINT32_C(0x6d797200) ^ (uint32_t)sizeof(myr_settings))

/* A solver is chosen by a name of solvers.def: adding one there is all there is to do. The first byte is skipped. */
static const char solver_choices[] =
#define MYR_SOLVER(id, name, function, law, sweeps, room) "|" name
#include "kernels/contact/solvers.def"
#undef MYR_SOLVER
    ;

/* The same of tasks, by tasks/tasks.def and given.def. */
static const char task_choices[] = "auto"
#define MYR_GIVEN(name, quadruped) "|" #name
#include "tasks/given.def"
#undef MYR_GIVEN
#define MYR_TASK(name) "|" #name
#include "tasks/tasks.def"
#undef MYR_TASK
    ;
/* The same of instruction sets, by kernels/isas.def. */
static const char isa_choices[] = "auto"
#define MYR_ISA(name, bits, needs) "|" #name
#include "kernels/isas.def"
#undef MYR_ISA
    ;
#define CHOICES(field, choices)                                                                                                            \
    (offsetof(myr_settings, field) == offsetof(myr_settings, solver) ? &solver_choices[1]                                                  \
     : offsetof(myr_settings, field) == offsetof(myr_settings, task) ? task_choices                                                        \
     : offsetof(myr_settings, field) == offsetof(myr_settings, isa)  ? isa_choices                                                         \
                                                                     : (choices))

const myr_setting_key myr_setting_keys[] = {
#define MYR_SETTING_INT(field, key, value, low, high, doc)                                                                                 \
    {key, doc, NULL, (double)(low), (double)(high), offsetof(myr_settings, field), 0, MYR_SETTING_IS_INT},
#define MYR_SETTING_REAL(field, key, value, low, high, doc)                                                                                \
    {key, doc, NULL, low, high, offsetof(myr_settings, field), 0, MYR_SETTING_IS_REAL},
#define MYR_SETTING_WORD(field, key, value, choices, doc)                                                                                  \
    {key, doc, CHOICES(field, choices), 0, 0, offsetof(myr_settings, field), 0, MYR_SETTING_IS_WORD},
#include "myriapod/settings.def"
#undef MYR_SETTING_INT
#undef MYR_SETTING_REAL
#undef MYR_SETTING_WORD
#define MYR_TASK_NUMBER(key, value, low, high, doc)                                                                                        \
    {key, doc, NULL, low, high, offsetof(myr_settings, numbers), value, MYR_SETTING_IS_NUMBER},
#include "task_numbers.def" /* of the build */
#undef MYR_TASK_NUMBER
};
const int myr_setting_key_count = (int)(sizeof myr_setting_keys / sizeof *myr_setting_keys);

/* The bounds of the integer keys, exactly: 2^63 - 1 is not a double. */
static void int_bounds(const myr_setting_key *key, int64_t *low, int64_t *high) {
#define MYR_SETTING_INT(field, key_, value, low_, high_, doc)                                                                              \
    if (key->offset == offsetof(myr_settings, field)) *low = INT64_C(low_), *high = INT64_C(high_);
#define MYR_SETTING_REAL(field, key_, value, low_, high_, doc)
#define MYR_SETTING_WORD(field, key_, value, choices, doc)
#include "myriapod/settings.def"
#undef MYR_SETTING_INT
#undef MYR_SETTING_REAL
#undef MYR_SETTING_WORD
}

static void *at(myr_settings *settings, const myr_setting_key *key) { return (char *)settings + key->offset; }
static const void *const_at(const myr_settings *settings, const myr_setting_key *key) { return (const char *)settings + key->offset; }

/* Static: its padding is zero. Settings may be compared and copied as bytes. */
static const myr_settings standard = {
    .cookie = COOKIE,
#define MYR_SETTING_INT(field, key, value, low, high, doc) .field = value,
#define MYR_SETTING_REAL(field, key, value, low, high, doc) .field = value,
#define MYR_SETTING_WORD(field, key, value, choices, doc) .field = value,
#include "myriapod/settings.def"
#undef MYR_SETTING_INT
#undef MYR_SETTING_REAL
#undef MYR_SETTING_WORD
};

myr_settings myr_settings_default(void) {
    myr_settings settings;
    memcpy(&settings, &standard, sizeof settings);
    return settings;
}

const myr_setting_key *myr_setting_find(const char *name) {
    for (int i = 0; i < myr_setting_key_count; i++)
        if (strcmp(myr_setting_keys[i].name, name) == 0) return &myr_setting_keys[i];
    return NULL;
}

/* ---- words that were renamed: files and programs from before mean the same, and a note says so ---------------------------- */

static const myr_renamed renamed[] = {{"solver", "pgs-004", "solver", "pgs-lelidec"}, {"solver", "ipm-tree", "dynamics", "maximal-tree"}};
enum { N_RENAMED = sizeof renamed / sizeof *renamed };

static _Thread_local char note[512];

const char *myr_settings_note(void) { return note; }

const myr_renamed *myr_setting_renamed(const char *key, const char *word) {
    for (int i = 0; i < N_RENAMED; i++)
        if (strcmp(renamed[i].key, key) == 0 && strcmp(renamed[i].old, word) == 0) return &renamed[i];
    return NULL;
}

int myr_renamed_moved(const myr_renamed *r) { return r && strcmp(r->key, r->now_key) != 0; }

const char *myr_setting_word(const myr_settings *settings, const char *key) {
    for (int i = 0; i < N_RENAMED; i++)
        if (strcmp(renamed[i].now_key, key) == 0 && strcmp(const_at(settings, myr_setting_find(renamed[i].key)), renamed[i].old) == 0)
            return renamed[i].now;
    const char *word = const_at(settings, myr_setting_find(key));
    return myr_setting_renamed(key, word) ? const_at(&standard, myr_setting_find(key)) : word; /* it is another key's by now */
}

void myr_setting_note_file(const char *file) {
    char text[sizeof note];
    if (!note[0] || strstr(note, ": ")) return;
    memcpy(text, note, sizeof text);
    snprintf(note, sizeof note, "%.300s: %.200s", file, text);
}

myr_status myr_setting_unknown(myr_status status, const char *where, const char *name) {
    myr_words keys = {0};
    char hint[MYR_WORD_BYTES + 24], list[2400];
    for (int i = 0; i < myr_setting_key_count; i++) myr_words_add(&keys, myr_setting_keys[i].name);
    myr_words_hint(&keys, name, hint, sizeof hint);
    myr_words_list(&keys, list, sizeof list);
    return myr_fail(status, "%.600sthere is no setting '%.80s'%s There are: %s", where, name, *hint ? hint : ".", list);
}

/* Numbers are read and written with a decimal point whatever the caller's locale says. */
static locale_t c_locale(void) { return newlocale(LC_ALL_MASK, "C", (locale_t)0); }

void myr_setting_write_real(double value, char text[MYR_NAME_LENGTH]) {
    const locale_t c = c_locale(), old = c ? uselocale(c) : (locale_t)0;
    char shortest[MYR_NAME_LENGTH];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(shortest, sizeof shortest, "%.*g", digits, value);
        if (strtod(shortest, NULL) == value) break;
    }
    memcpy(text, shortest, sizeof shortest);
    if (c) uselocale(old), freelocale(c);
}

int myr_setting_read_real(const char *text, double *value) {
    const locale_t c = c_locale();
    char *end;
    *value = c ? strtod_l(text, &end, c) : strtod(text, &end);
    if (c) freelocale(c);
    return end != text && *end == '\0';
}

static int read_int(const char *text, int64_t *value) {
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    *value = number;
    return end != text && *end == '\0' && errno == 0;
}

myr_status myr_setting_set_int(myr_settings *settings, const myr_setting_key *key, int64_t value) {
    int64_t low = 0, high = 0;
    int_bounds(key, &low, &high);
    if (value < low || value > high)
        return myr_fail(MYR_E_ARG, "'%s' is %" PRId64 ", but must lie in %" PRId64 " .. %" PRId64, key->name, value, low, high);
    memcpy(at(settings, key), &value, sizeof value);
    return MYR_OK;
}

myr_status myr_setting_put_number(myr_settings *settings, const char *name, double value) {
    int64_t k = settings->n_numbers - 1;
    while (k >= 0 && strcmp(settings->numbers[k].name, name) != 0) k--;
    if (k < 0 && settings->n_numbers == MYR_SETTINGS_NUMBERS)
        return myr_fail(MYR_E_LIMIT, "'%s': settings hold %d numbers of tasks at most", name, MYR_SETTINGS_NUMBERS);
    if (k < 0) {
        k = settings->n_numbers++;
        memset(&settings->numbers[k], 0, sizeof settings->numbers[k]);
        memcpy(settings->numbers[k].name, name, strlen(name)); /* of a table, so it fits */
    }
    settings->numbers[k].value = value;
    return MYR_OK;
}

myr_status myr_setting_set_real(myr_settings *settings, const myr_setting_key *key, double value) {
    if (!(value >= key->low && value <= key->high)) /* NaN too */
        return myr_fail(MYR_E_ARG, "'%s' is %g, but must lie in %g .. %g", key->name, value, key->low, key->high);
    if (key->kind == MYR_SETTING_IS_NUMBER) return myr_setting_put_number(settings, key->name, value);
    memcpy(at(settings, key), &value, sizeof value);
    return MYR_OK;
}

/* The choice NUMBER stands for any number, of few enough digits. */
static int is_number(const char *choices, const char *word) {
    double value;
    return myr_words_among(choices, "NUMBER") && strlen(word) < MYR_NAME_LENGTH && myr_setting_read_real(word, &value);
}

myr_status myr_setting_set_word(myr_settings *settings, const myr_setting_key *key, const char *value) {
    const myr_renamed *r = myr_setting_renamed(key->name, value);
    const int moved = myr_renamed_moved(r); /* it stays as it is, and acts whatever the other key is set to, before it or after */
    const char *now = r && !moved ? r->now : value;
    if (r) snprintf(note, sizeof note, "%s %s is now called %s%s%s", key->name, value, moved ? r->now_key : "", moved ? " " : "", r->now);
    if (!moved && !is_number(key->choices, now) && (!myr_words_among(key->choices, now) || strcmp(now, "NUMBER") == 0)) {
        myr_words choices = {0};
        char hint[MYR_WORD_BYTES + 24];
        myr_words_add_choices(&choices, key->choices);
        myr_words_hint(&choices, value, hint, sizeof hint);
        return myr_fail(MYR_E_ARG, "'%s' is '%.80s', but must be one of %s%s", key->name, value, key->choices, hint);
    }
    char word[MYR_NAME_LENGTH] = {0};
    memcpy(word, now, strlen(now)); /* a choice, so it fits, or a number that does */
    memcpy(at(settings, key), word, sizeof word);
    return MYR_OK;
}

static myr_status check_cookie(const myr_settings *settings, const char *call) {
    if (!settings) return myr_fail(MYR_E_ARG, "%s: settings is NULL", call);
    if (settings->cookie != COOKIE)
        return myr_fail(MYR_E_ARG, "%s: settings were not made by myr_settings_default() of this version of the library", call);
    return MYR_OK;
}

/* A caller may write into the struct. */
static myr_status check_count(const myr_settings *settings) {
    if (settings->n_numbers >= 0 && settings->n_numbers <= MYR_SETTINGS_NUMBERS) return MYR_OK;
    return myr_fail(MYR_E_ARG, "the settings have %" PRId64 " numbers of tasks, but must have 0 to %d", settings->n_numbers,
                    MYR_SETTINGS_NUMBERS);
}

/* Names that the library's own tables do not have are for a batch to judge, which knows its task. */
static myr_status check_numbers(const myr_settings *settings) {
    myr_status status = check_count(settings);
    for (int64_t k = 0; status == MYR_OK && k < settings->n_numbers; k++) {
        const myr_setting_number *number = &settings->numbers[k];
        if (!memchr(number->name, '\0', sizeof number->name))
            return myr_fail(MYR_E_ARG, "the name of a number of a task, '%.*s', is longer than %d characters", MYR_NAME_LENGTH - 1,
                            number->name, MYR_NAME_LENGTH - 1);
        const myr_setting_key *key = myr_setting_find(number->name);
        myr_settings scratch = {.n_numbers = 0};
        if (key && key->kind == MYR_SETTING_IS_NUMBER)
            status = myr_setting_set_real(&scratch, key, number->value);
        else if (!isfinite(number->value))
            status = myr_fail(MYR_E_ARG, "'%s' is %g, but must be a finite number", number->name, number->value);
    }
    return status;
}

myr_status myr_settings_set(myr_settings *settings, const char *key, const char *value) {
    MYR_OWN_ARITHMETIC;
    note[0] = '\0';
    myr_status status = check_cookie(settings, "myr_settings_set");
    if (status == MYR_OK) status = check_count(settings);
    if (status != MYR_OK) return status;
    if (!key || !value) return myr_fail(MYR_E_ARG, "myr_settings_set: %s is NULL", key ? "value" : "key");
    const myr_setting_key *found = myr_setting_find(key);
    if (!found) return myr_setting_unknown(MYR_E_ARG, "", key);
    int64_t integer;
    double real;
    switch (found->kind) {
    case MYR_SETTING_IS_INT:
        if (!read_int(value, &integer)) return myr_fail(MYR_E_ARG, "'%s' is '%.80s', but must be a whole number", key, value);
        return myr_setting_set_int(settings, found, integer);
    case MYR_SETTING_IS_REAL:
    case MYR_SETTING_IS_NUMBER:
        if (!myr_setting_read_real(value, &real)) return myr_fail(MYR_E_ARG, "'%s' is '%.80s', but must be a number", key, value);
        return myr_setting_set_real(settings, found, real);
    case MYR_SETTING_IS_WORD: break;
    }
    return myr_setting_set_word(settings, found, value);
}

myr_status myr_settings_check(const myr_settings *settings) {
    note[0] = '\0';
    myr_status status = check_cookie(settings, "settings");
    if (status == MYR_OK) status = check_numbers(settings);
    for (int i = 0; status == MYR_OK && i < myr_setting_key_count; i++) {
        const myr_setting_key *key = &myr_setting_keys[i];
        myr_settings scratch;
        int64_t integer;
        double real;
        switch (key->kind) {
        case MYR_SETTING_IS_INT:
            memcpy(&integer, const_at(settings, key), sizeof integer);
            status = myr_setting_set_int(&scratch, key, integer);
            break;
        case MYR_SETTING_IS_REAL:
            memcpy(&real, const_at(settings, key), sizeof real);
            status = myr_setting_set_real(&scratch, key, real);
            break;
        case MYR_SETTING_IS_WORD:
            if (!memchr(const_at(settings, key), '\0', MYR_NAME_LENGTH))
                return myr_fail(MYR_E_ARG, "'%s' is longer than %d characters", key->name, MYR_NAME_LENGTH - 1);
            status = myr_setting_set_word(&scratch, key, const_at(settings, key));
            break;
        case MYR_SETTING_IS_NUMBER: break;
        }
    }
    return status;
}

void myr_setting_text(const myr_settings *settings, const myr_setting_key *key, char text[MYR_NAME_LENGTH]) {
    const double *set;
    int64_t integer;
    double real;
    switch (key->kind) {
    case MYR_SETTING_IS_INT:
        memcpy(&integer, const_at(settings, key), sizeof integer);
        snprintf(text, MYR_NAME_LENGTH, "%" PRId64, integer);
        break;
    case MYR_SETTING_IS_REAL:
        memcpy(&real, const_at(settings, key), sizeof real);
        myr_setting_write_real(real, text);
        break;
    case MYR_SETTING_IS_NUMBER:
        set = myr_settings_number(settings, key->name);
        myr_setting_write_real(set ? *set : key->usual, text);
        break;
    case MYR_SETTING_IS_WORD: snprintf(text, MYR_NAME_LENGTH, "%.*s", MYR_NAME_LENGTH - 1, myr_setting_word(settings, key->name)); break;
    }
}

int myr_settings_key(const myr_settings *settings, int index, const char **key, char text[MYR_NAME_LENGTH], const char **doc) {
    MYR_OWN_ARITHMETIC;
    if (index < 0 || index >= myr_setting_key_count) return 0;
    const myr_setting_key *found = &myr_setting_keys[index];
    if (key) *key = found->name;
    if (doc) *doc = found->doc;
    if (text) {
        text[0] = '\0';
        if (settings && settings->cookie == COOKIE) myr_setting_text(settings, found, text);
    }
    return 1;
}
