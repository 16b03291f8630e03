/* Names of files that are not whole yet, and what killed processes left of them. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "temporary.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

static const time_t week_s = 7 * 24 * 3600;
#define MARK ".tmp-"

/* Two processes share it only where each sees the other's process id: a hash of the running kernel and the ids' namespace. 0: unknown, and
 * like nobody else's. */
static uint32_t home_of_ids(void) {
    char text[256] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    const size_t boot = file ? fread(text, 1, 64, file) : 0;
    if (file) fclose(file);
    const ssize_t space = boot ? readlink("/proc/self/ns/pid", text + boot, sizeof text - 65) : 0;
    if (space <= 0) return 0;
    uint32_t hash = UINT32_C(2166136261); /* FNV-1a */
    for (size_t i = 0; i < boot + (size_t)space; i++) hash = (hash ^ (unsigned char)text[i]) * UINT32_C(16777619);
    return hash ? hash : 1;
}

/* Past ".tmp-HOME-PID-N", or NULL where that does not stand here. */
static const char *skip_mark(const char *text, uint32_t *home, long *pid) {
    const char *digits = text + strlen(MARK), *number = digits + 9;
    char *end;
    if (strncmp(text, MARK, strlen(MARK)) != 0 || strspn(digits, "0123456789abcdef") != 8) return NULL;
    if (digits[8] != '-' || !isdigit((unsigned char)*number)) return NULL;
    *home = (uint32_t)strtoul(digits, NULL, 16);
    *pid = strtol(number, &end, 10);
    if (*end != '-' || !isdigit((unsigned char)end[1])) return NULL;
    strtol(end + 1, &end, 10);
    return end;
}

/* One mark, or several: the library makes a file beside the program's. */
static int is_left_behind(int folder, const char *name, const char *mark, uint32_t mine) {
    int known = 1;
    if (!*mark) return 0;
    while (*mark) {
        uint32_t home;
        long pid;
        if (!(mark = skip_mark(mark, &home, &pid))) return 0;
        if (home != mine || mine == 0)
            known = 0;
        else if (pid <= 0 || kill((pid_t)pid, 0) == 0 || errno != ESRCH)
            return 0; /* it still writes, or another has its id by now */
    }
    struct stat s;
    if (fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(s.st_mode)) return 0;
    return known || s.st_mtime < time(NULL) - week_s;
}

/* What cannot be removed is no reason not to write. */
static void remove_left_behind(const char *target, uint32_t mine) {
    const char *slash = strrchr(target, '/'), *base = slash ? slash + 1 : target;
    const size_t length = strlen(base), before = slash ? (size_t)(slash - target) + 1 : 0;
    char *path = cli_allocate(before + 2, 1);
    if (slash)
        memcpy(path, target, before);
    else
        path[0] = '.';
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (strncmp(entry->d_name, base, length) == 0 && is_left_behind(dirfd(folder), entry->d_name, entry->d_name + length, mine))
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder) closedir(folder);
    free(path);
}

char *temporary_beside(const char *target) {
    static unsigned counter;
    const uint32_t home = home_of_ids();
    const size_t room = strlen(target) + 64;
    char *name = cli_allocate(room, 1);
    remove_left_behind(target, home);
    snprintf(name, room, "%s" MARK "%08x-%ld-%u", target, home, (long)getpid(), counter++);
    unlink(name); /* of a process that had this id before */
    return name;
}

size_t temporary_stem(const char *name) {
    const char *mark = name, *last = NULL;
    while ((mark = strstr(mark, MARK))) last = mark++;
    return last ? (size_t)(last - name) : strlen(name);
}
