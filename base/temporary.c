#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "temporary.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const time_t week_s = 7 * 24 * 3600;

#define MARK ".tmp-"

/* A number for the running kernel and the namespace of process ids: two processes have the same one only where each sees the other's id.
 * 0: unknown; no other process counts as having the same. */
static uint32_t home_of_ids(void) {
    char text[256] = "";
    const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    const ssize_t boot = fd < 0 ? 0 : read(fd, text, 64);
    if (fd >= 0) close(fd);
    const ssize_t space = boot > 0 ? readlink("/proc/self/ns/pid", text + boot, sizeof text - 65) : 0;
    if (space <= 0) return 0;
    uint32_t hash = UINT32_C(2166136261); /* FNV-1a */
    for (ssize_t i = 0; i < boot + space; i++) hash = (hash ^ (unsigned char)text[i]) * UINT32_C(16777619);
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

/* A file of this mark, or of several, whose writer is no more? */
static int is_left_behind(int folder, const char *name, const char *mark, uint32_t mine) {
    struct stat s;
    uint32_t home;
    long pid;
    int known = 1;
    if (!*mark) return 0;
    while (*mark) {
        if (!(mark = skip_mark(mark, &home, &pid))) return 0;
        if (home != mine || mine == 0)
            known = 0;
        else if (pid <= 0 || kill((pid_t)pid, 0) == 0 || errno != ESRCH)
            return 0; /* it still writes, or another has its id by now */
    }
    if (fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(s.st_mode)) return 0;
    return known || s.st_mtime < time(NULL) - week_s;
}

/* A file that cannot be removed does not stop a write. */
static void remove_left_behind(const char *file, uint32_t mine) {
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    const size_t length = strlen(base);
    char path[PATH_MAX] = ".";
    if (slash && slash - file + 1 >= PATH_MAX) return;
    if (slash) snprintf(path, sizeof path, "%.*s", (int)(slash - file) + 1, file);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (strncmp(entry->d_name, base, length) == 0 && is_left_behind(dirfd(folder), entry->d_name, entry->d_name + length, mine))
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder) closedir(folder);
}

int myr_temporary_beside(const char *file, char *name, size_t room) {
    static atomic_uint counter; /* threads may write to one file at the same time */
    const uint32_t home = home_of_ids();
    const int n = snprintf(name, room, "%s" MARK "%08x-%ld-%u", file, home, (long)getpid(), atomic_fetch_add(&counter, 1));
    if (n < 0 || (size_t)n >= room) return 0;
    remove_left_behind(file, home);
    unlink(name); /* of a process that had this id before */
    return 1;
}

size_t myr_temporary_stem(const char *name) {
    const char *mark = name, *last = NULL;
    while ((mark = strstr(mark, MARK))) last = mark++;
    return last ? (size_t)(last - name) : strlen(name);
}
