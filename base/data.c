#define _GNU_SOURCE /* dladdr */
#include "data.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is looked for, where the answer goes, and the places that did not have it. Without a name: all names. */
typedef struct search {
    const char *name, *suffix;
    myr_words *names;
    char *path;
    size_t room;
    char places[PATH_MAX];
} search;

static void add_names(const search *s, const char *directory) {
    DIR *files = opendir(directory);
    const size_t after = strlen(s->suffix);
    for (const struct dirent *file = files ? readdir(files) : NULL; file; file = readdir(files)) {
        const size_t length = strlen(file->d_name);
        if (length > after && strcmp(file->d_name + length - after, s->suffix) == 0)
            myr_words_insert(s->names, file->d_name, length - after);
    }
    if (files) closedir(files);
}

/* One place, `length` characters of it, then `folder` (may be empty). */
static int try_place(search *s, const char *place, size_t length, const char *folder) {
    if (length == 0) return 0;
    char directory[PATH_MAX];
    int n = snprintf(directory, sizeof directory, "%.*s%s%s", (int)length, place, *folder ? "/" : "", folder);
    if (n < 0 || (size_t)n >= sizeof directory) return 0;
    if (s->names) {
        add_names(s, directory);
        return 0;
    }
    n = snprintf(s->path, s->room, "%s/%s%s", directory, s->name, s->suffix);
    if (n > 0 && (size_t)n < s->room && access(s->path, F_OK) == 0) return 1;
    const size_t used = strlen(s->places);
    snprintf(s->places + used, sizeof s->places - used, "%s`%.300s`", used ? ", " : "", directory);
    return 0;
}

/* The installed data as seen from the file that holds this code. */
static int try_beside_library(search *s, const char *folder) {
    static const char here;
    Dl_info info;
    const char *slash = dladdr(&here, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    if (!slash) return 0;
    char place[PATH_MAX];
    const int n = snprintf(place, sizeof place, "%.*s/" MYR_DATA_FROM_LIBRARY, (int)(slash - info.dli_fname), info.dli_fname);
    return n > 0 && (size_t)n < sizeof place && try_place(s, place, (size_t)n, folder);
}

static int try_places(search *s, const char *variable, const char *folder) {
    const char *list = getenv(variable);
    while (list && *list) {
        const size_t length = strcspn(list, ":");
        if (try_place(s, list, length, "")) return 1;
        list += length + (list[length] == ':');
    }
    return try_beside_library(s, folder) || try_place(s, MYR_SOURCE_DATA_DIR, strlen(MYR_SOURCE_DATA_DIR), folder) ||
           try_place(s, MYR_INSTALL_DATA_DIR, strlen(MYR_INSTALL_DATA_DIR), folder);
}

int myr_data_find(const char *variable, const char *folder, const char *name, const char *suffix, char *path, size_t room) {
    search s = {.name = name, .suffix = suffix, .path = path, .room = room};
    if (try_places(&s, variable, folder)) return 1;
    snprintf(path, room, "%s", s.places);
    return 0;
}

void myr_data_names(const char *variable, const char *folder, const char *suffix, myr_words *names) {
    search s = {.suffix = suffix, .names = names};
    try_places(&s, variable, folder);
}
