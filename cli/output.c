/* Files that the program writes: opened before any work, complete or absent afterwards. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "../base/temporary.h"

/* What a signal that ends the program takes away first. */
enum { MOST_TEMPORARIES = 8 };
static char *volatile temporaries[MOST_TEMPORARIES];

static void on_end(int number) {
    for (int i = 0; i < MOST_TEMPORARIES; i++)
        if (temporaries[i]) unlink(temporaries[i]);
    raise(number); /* SA_RESETHAND: now the default */
}

/* `temporary` in the place of `old`, either NULL. */
static void note(char *old, char *temporary) {
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    static int watching;
    for (int i = 0; i < 3 && !watching; i++) {
        struct sigaction action = {.sa_handler = on_end, .sa_flags = (int)SA_RESETHAND}, before;
        if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL) sigaction(ends[i], &action, NULL);
    }
    watching = 1;
    for (int i = 0; i < MOST_TEMPORARIES; i++) {
        if (temporaries[i] != old) continue;
        temporaries[i] = temporary;
        return;
    }
}

static int refuse(const char *path) {
    cli_error("cannot write \"%s\": %s", path, strerror(errno));
    return -1;
}

/* The permissions a plain fopen would have given, or those of the file that is replaced. */
static void set_mode(int descriptor, const struct stat *old) {
    const mode_t mask = umask(0);
    umask(mask);
    const mode_t mode = old ? old->st_mode & 07777 : 0666 & ~mask;
    if (fchmod(descriptor, mode) != 0) errno = 0; /* some file systems know no modes: the file is still good */
}

static int open_in_place(output *out, const char *path) {
    out->file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (!out->file) return refuse(path);
    out->path = path;
    return 0;
}

int output_open(output *out, const char *path) {
    *out = (output){0};
    if (!path) return 0;
    if (!*path) {
        cli_error("cannot write \"\": the file name is empty");
        return -1;
    }
    struct stat old;
    const int exists = strcmp(path, "-") != 0 && stat(path, &old) == 0;
    if (strcmp(path, "-") == 0 || (exists && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode))) return open_in_place(out, path);
    if (exists && S_ISDIR(old.st_mode)) errno = EISDIR;
    if (exists && (S_ISDIR(old.st_mode) || access(path, W_OK) != 0)) return refuse(path);

    char *target = exists ? realpath(path, NULL) : strdup(path);
    if (!target) return refuse(path);
    const size_t room = strlen(target) + 64;
    char *temporary = cli_allocate(room, 1);
    myr_temporary_beside(target, temporary, room);
    note(NULL, temporary); /* before it is there: a signal in between would leave it behind */
    const int descriptor = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!file) {
        refuse(path);
        if (descriptor >= 0) close(descriptor), unlink(temporary);
        note(temporary, NULL);
        free(temporary);
        free(target);
        return -1;
    }
    set_mode(descriptor, exists ? &old : NULL);
    *out = (output){.path = path, .target = target, .temporary = temporary, .file = file};
    return 0;
}

int output_same(const output *a, const output *b) {
    if (!a->temporary || !b->temporary) return 0;
    char *first = realpath(a->temporary, NULL), *second = realpath(b->temporary, NULL);
    int same = 0;
    if (first && second) { /* the temporaries are there, and are named after their targets */
        const size_t one = myr_temporary_stem(first), two = myr_temporary_stem(second);
        same = one == two && memcmp(first, second, one) == 0;
    }
    free(first);
    free(second);
    return same;
}

static void forget(output *out) {
    if (out->temporary) note(out->temporary, NULL);
    free(out->temporary);
    free(out->target);
    *out = (output){0};
}

int output_commit(output *out) {
    if (!out->path) return 0;
    int bad = fflush(out->file) != 0 || ferror(out->file);
    if (out->file != stdout) bad |= fclose(out->file) != 0;
    if (!bad && out->target) bad = rename(out->temporary, out->target) != 0;
    if (bad) refuse(out->path);
    if (bad && out->temporary) unlink(out->temporary);
    forget(out);
    return bad ? -1 : 0;
}

void output_discard(output *out) {
    if (!out->path) return;
    if (out->file != stdout) fclose(out->file);
    if (out->temporary) unlink(out->temporary);
    forget(out);
}
