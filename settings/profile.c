#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "settings/settings.h"
#include "base/data.h"
#include "model/model.h"

enum { DEEPEST = 16 }; /* profiles that build on each other */

/* The files being read, from the outermost to its base's base: a file that appears twice is a cycle. */
typedef struct chain {
    const struct chain *outer;
    int depth;
    char file[PATH_MAX];
} chain;

static int is_path(const char *text) {
    const size_t length = strlen(text);
    return strchr(text, '/') != NULL || (length > 5 && strcmp(text + length - 5, ".json") == 0);
}

/* The file meant by a path or name; relative paths of a `base` start at the directory of the file that names it. */
static myr_status locate(const char *path_or_name, const chain *outer, char file[PATH_MAX]) {
    if (!is_path(path_or_name)) {
        if (myr_data_find("MYRIAPOD_PROFILES", "profiles", path_or_name, ".json", file, PATH_MAX)) return MYR_OK;
        myr_words profiles = {0};
        char hint[MYR_WORD_BYTES + 24], list[600];
        myr_data_names("MYRIAPOD_PROFILES", "profiles", ".json", &profiles);
        myr_words_hint(&profiles, path_or_name, hint, sizeof hint);
        myr_words_list(&profiles, list, sizeof list);
        return myr_fail(MYR_E_FILE, "%s%sthere is no profile '%.200s'%s There are: %s (looked in %s)", outer ? outer->file : "",
                        outer ? ": base: " : "", path_or_name, *hint ? hint : ".", list, file);
    }
    const char *slash = outer && path_or_name[0] != '/' ? strrchr(outer->file, '/') : NULL;
    const int directory = slash ? (int)(slash - outer->file) + 1 : 0;
    const int n = snprintf(file, PATH_MAX, "%.*s%s", directory, outer ? outer->file : "", path_or_name);
    if (n < 0 || n >= PATH_MAX) return myr_fail(MYR_E_FILE, "'%.200s...': the path of the profile is too long", path_or_name);
    return MYR_OK;
}

/* One key of a profile into the settings; `file` and the key are put in front of what went wrong. */
static myr_status set_key(myr_settings *settings, const char *file, const char *name, const json_t *value) {
    const myr_setting_key *key = myr_setting_find(name);
    if (!key) {
        char where[PATH_MAX + 3];
        snprintf(where, sizeof where, "%s: ", file);
        return myr_setting_unknown(MYR_E_FORMAT, where, name);
    }
    const char *wanted = NULL;
    myr_status status = MYR_OK;
    switch (key->kind) {
    case MYR_SETTING_IS_INT:
        if (json_is_integer(value))
            status = myr_setting_set_int(settings, key, json_integer_value(value));
        else if (json_is_boolean(value) && key->low >= 0 && key->high <= 1)
            status = myr_setting_set_int(settings, key, json_is_true(value));
        else
            wanted = "a whole number";
        break;
    case MYR_SETTING_IS_REAL:
    case MYR_SETTING_IS_NUMBER:
        if (json_is_number(value))
            status = myr_setting_set_real(settings, key, json_number_value(value));
        else
            wanted = "a number";
        break;
    case MYR_SETTING_IS_WORD:
        if (json_is_string(value))
            status = myr_setting_set_word(settings, key, json_string_value(value)), myr_setting_note_file(file);
        else
            wanted = "a string";
        break;
    }
    if (wanted) {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        status = myr_fail(MYR_E_FORMAT, "%s: '%s' is %.80s, but must be %s", file, name, text ? text : "?", wanted);
        free(text);
    } else if (status != MYR_OK) {
        char reason[512];
        snprintf(reason, sizeof reason, "%s", myr_message());
        status = myr_fail(MYR_E_FORMAT, "%s: %s", file, reason);
    }
    return status;
}

static myr_status load(myr_settings *settings, const char *path_or_name, const chain *outer);

static myr_status read_object(myr_settings *settings, const json_t *root, const chain *here) {
    if (!json_is_object(root)) return myr_fail(MYR_E_FORMAT, "%s: a profile is a JSON object { \"key\": value, ... }", here->file);
    const json_t *base = json_object_get(root, "base"), *about = json_object_get(root, "about");
    if (about && !json_is_string(about)) return myr_fail(MYR_E_FORMAT, "%s: 'about' must be a string", here->file);
    if (base) {
        if (!json_is_string(base)) return myr_fail(MYR_E_FORMAT, "%s: 'base' must be a string, the name or path of a profile", here->file);
        const myr_status status = load(settings, json_string_value(base), here);
        if (status != MYR_OK) return status;
    }
    const char *name;
    json_t *value;
    /* the iteration macro wants a non-const object and does not change it */
    json_object_foreach((json_t *)(uintptr_t)root, name, value) {
        if (strcmp(name, "base") == 0 || strcmp(name, "about") == 0) continue;
        const myr_status status = set_key(settings, here->file, name, value);
        if (status != MYR_OK) return status;
    }
    return MYR_OK;
}

static myr_status load(myr_settings *settings, const char *path_or_name, const chain *outer) {
    chain here = {.outer = outer, .depth = outer ? outer->depth + 1 : 0};
    char file[PATH_MAX];
    if (here.depth > DEEPEST) return myr_fail(MYR_E_FORMAT, "%s: base: more than %d profiles build on each other", outer->file, DEEPEST);
    const myr_status status = locate(path_or_name, outer, file);
    if (status != MYR_OK) return status;
    if (!realpath(file, here.file)) {
        const int error = errno;
        return myr_fail(MYR_E_FILE, "%s%scannot read the profile '%.300s': %s", outer ? outer->file : "", outer ? ": base: " : "", file,
                        strerror(error));
    }
    for (const chain *c = outer; c; c = c->outer)
        if (strcmp(c->file, here.file) == 0)
            return myr_fail(MYR_E_FORMAT, "%s: base: '%.200s' leads back to '%s'", outer->file, path_or_name, c->file);
    struct stat info;
    if (stat(here.file, &info) == 0 && S_ISDIR(info.st_mode)) return myr_fail(MYR_E_FILE, "the profile '%s' is a directory", here.file);
    json_error_t error;
    json_t *root = json_load_file(here.file, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        if (error.line <= 0) return myr_fail(MYR_E_FILE, "cannot read the profile '%s': %s", here.file, error.text);
        return myr_fail(MYR_E_FORMAT, "%s:%d:%d: %s", here.file, error.line, error.column, error.text);
    }
    const myr_status read = read_object(settings, root, &here);
    json_decref(root);
    return read;
}

myr_status myr_settings_load(myr_settings *settings, const char *path_or_name) {
    MYR_OWN_ARITHMETIC;
    const myr_status status = myr_settings_check(settings);
    if (status != MYR_OK) return status;
    if (!path_or_name || !*path_or_name) return myr_fail(MYR_E_ARG, "myr_settings_load: no profile is named");
    myr_settings copy = *settings;
    const myr_status loaded = load(&copy, path_or_name, NULL);
    if (loaded == MYR_OK) *settings = copy;
    return loaded;
}
