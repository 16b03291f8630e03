#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "batch/target.h"

static const time_t week_s = 7 * 24 * 3600;

/* A number that two processes share only where each sees the other's process id: of the running kernel and the ids' namespace. 0: unknown,
 * and like nobody else's. */
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
    char *end;
    if (strncmp(text, ".tmp-", 5) != 0 || strspn(text + 5, "0123456789abcdef") != 8 || text[13] != '-' || !isdigit((unsigned char)text[14]))
        return NULL;
    *home = (uint32_t)strtoul(text + 5, NULL, 16);
    *pid = strtol(text + 14, &end, 10);
    if (*end != '-' || !isdigit((unsigned char)end[1])) return NULL;
    strtol(end + 1, &end, 10);
    return end;
}

/* A file of this mark (or of several: who writes to a temporary file makes another beside it) whose writer is no more? */
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
            return 0;
    }
    if (fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(s.st_mode)) return 0;
    return known || s.st_mtime < time(NULL) - week_s;
}

/* What cannot be removed is no reason not to save. */
static void remove_left_behind(const char *file, uint32_t mine) {
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    const size_t length = strlen(base);
    char path[PATH_MAX] = ".";
    if (slash) snprintf(path, sizeof path, "%.*s", (int)(slash - file) + 1, file);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (strncmp(entry->d_name, base, length) == 0 && is_left_behind(dirfd(folder), entry->d_name, entry->d_name + length, mine))
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder) closedir(folder);
}

myr_status myr_target_choose(const char *path, myr_target *target) {
    static atomic_uint counter; /* threads may save to one file at the same time */
    struct stat s;
    target->temporary[0] = '\0';
    target->mode = 0;
    const int exists = stat(path, &s) == 0;
    if (exists && S_ISREG(s.st_mode)) {
        if (!realpath(path, target->file))
            return myr_fail(MYR_E_FILE, "cannot save to '%s': %s", path, strerror(errno)); /* links stay links */
        target->mode = s.st_mode & 07777;
    } else if (snprintf(target->file, PATH_MAX, "%s", path) >= PATH_MAX)
        return myr_fail(MYR_E_FILE, "cannot save to '%.200s...': %s", path, strerror(ENAMETOOLONG));
    if (exists && !S_ISREG(s.st_mode)) return MYR_OK;
    const uint32_t home = home_of_ids();
    const int n =
        snprintf(target->temporary, PATH_MAX, "%s.tmp-%08x-%ld-%u", target->file, home, (long)getpid(), atomic_fetch_add(&counter, 1));
    if (n >= PATH_MAX) return myr_fail(MYR_E_FILE, "cannot save to '%.200s...': %s", path, strerror(ENAMETOOLONG));
    remove_left_behind(target->file, home);
    unlink(target->temporary); /* of a process that had this id before */
    return MYR_OK;
}
