/* Reading HDF5 in a process of its own: libhdf5 trusts the bytes of a file and can be made to crash or to hang by them. The child sends
 * the problems, or the message of why not, through a pipe. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "problems.h"

enum { MOST_CPU_S = 600 };

/* ---- both sides: blocks of bytes ----------------------------------------------------------------- */

static int send_bytes(int to, const void *bytes, size_t n) {
    const char *at = bytes;
    while (n > 0) {
        const ssize_t done = write(to, at, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return -1;
        at += done, n -= (size_t)done;
    }
    return 0;
}

static int receive_bytes(int from, void *bytes, size_t n) {
    char *at = bytes;
    while (n > 0) {
        const ssize_t done = read(from, at, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return -1;
        at += done, n -= (size_t)done;
    }
    return 0;
}

/* ---- the child ---------------------------------------------------------------------------------- */

typedef struct header { /* of one problem; contacts -1: none follows, -2: a message instead */
    int contacts, start, id_length;
    int64_t blocks; /* of a large problem; 0: dense */
    double asymmetry;
} header;

static int send_problem(int to, const problem_entry *entry) {
    const myr_contact_problem *p = &entry->problem;
    const size_t nc = (size_t)p->contacts, m = 3 * nc;
    const char *id = json_string_value(entry->id);
    const header h = {.contacts = p->contacts,
                      .start = p->start != NULL,
                      .id_length = (int)strlen(id),
                      .asymmetry = entry->asymmetry,
                      .blocks = problem_is_large(entry) ? entry->large.first[nc] : 0};
    int bad = send_bytes(to, &h, sizeof h) || send_bytes(to, id, (size_t)h.id_length) || send_bytes(to, p->c, m * sizeof *p->c) ||
              send_bytes(to, p->mu, nc * sizeof *p->mu);
    if (!bad && !h.blocks) bad = send_bytes(to, p->G, m * m * sizeof *p->G);
    if (!bad && h.blocks)
        bad = send_bytes(to, entry->large.first, (nc + 1) * sizeof *entry->large.first) ||
              send_bytes(to, entry->large.column, (size_t)h.blocks * sizeof *entry->large.column) ||
              send_bytes(to, entry->large.blocks, 9 * (size_t)h.blocks * sizeof *entry->large.blocks);
    if (!bad && p->start) bad = send_bytes(to, p->start, m * sizeof *p->start);
    return bad;
}

static void read_apart(int to, const void *bytes, size_t length, const char *file, const problem_set *like) {
    const struct rlimit cpu = {MOST_CPU_S, MOST_CPU_S}, none = {0, 0};
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_CORE, &none);
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP}; /* the files that the parent writes are not the child's to remove */
    for (int i = 0; i < 3; i++) signal(ends[i], SIG_DFL);
    problem_set set = {
        .most_contacts = like->most_contacts, .cold = like->cold, .numbers = like->numbers, .large = like->large, .why_not = like->why_not};
    cli_text message = {{0}};
    header h = {.contacts = -1};
    int bad = 0;
    if (problems_fclib(bytes, length, file, &set, &message)) {
        h.contacts = -2;
        bad = send_bytes(to, &h, sizeof h) || send_bytes(to, &message, sizeof message);
    } else {
        for (size_t i = 0; i < set.n && !bad; i++) bad = send_problem(to, &set.entry[i]);
        bad = bad || send_bytes(to, &h, sizeof h);
    }
    _exit(bad);
}

/* ---- the parent --------------------------------------------------------------------------------- */

static int receive_blocks(int from, problem_set *set, problem_entry *entry, size_t n) {
    const size_t rows = (size_t)entry->problem.contacts + 1;
    if (n > PROBLEM_NUMBERS / 9) return -1;
    int64_t *first = cli_allocate(rows, sizeof *first);
    int *column = cli_allocate(n, sizeof *column);
    double *blocks = cli_allocate(9 * n, sizeof *blocks);
    const int bad = receive_bytes(from, first, rows * sizeof *first) || receive_bytes(from, column, n * sizeof *column) ||
                    receive_bytes(from, blocks, 9 * n * sizeof *blocks) || first[rows - 1] != (int64_t)n;
    if (bad) {
        free(first);
        free(column);
        free(blocks);
        return -1;
    }
    problem_give_blocks(set, entry, first, column, blocks);
    return 0;
}

/* 1: a problem more; 0: all are here; -1: the message says why not; -2: the child broke off. */
static int receive_problem(int from, const char *file, problem_set *set, cli_text *message) {
    const problem_place at = {file, NULL, message};
    header h;
    char id[512] = {0};
    if (receive_bytes(from, &h, sizeof h)) return -2;
    if (h.contacts == -2) return receive_bytes(from, message, sizeof *message) ? -2 : -1;
    if (h.contacts == -1) return 0;
    if (h.id_length < 0 || (size_t)h.id_length >= sizeof id || receive_bytes(from, id, (size_t)h.id_length)) return -2;
    problem_entry *entry = problem_add(set, &at, json_string(id), h.contacts);
    if (!entry) return -1;
    const myr_contact_problem *p = &entry->problem;
    const size_t nc = (size_t)p->contacts, m = 3 * nc;
    if (problem_is_large(entry) != (h.blocks > 0)) return -2;
    int bad = receive_bytes(from, (void *)(size_t)p->c, m * sizeof *p->c) || receive_bytes(from, (void *)(size_t)p->mu, nc * sizeof *p->mu);
    if (!bad && !h.blocks) bad = receive_bytes(from, (void *)(size_t)p->G, m * m * sizeof *p->G);
    if (!bad && h.blocks) bad = receive_blocks(from, set, entry, (size_t)h.blocks);
    if (!bad && h.start) bad = receive_bytes(from, problem_add_start(set, entry), m * sizeof(double));
    entry->asymmetry = h.asymmetry, entry->large.start = p->start;
    return bad ? -2 : 1;
}

int problems_fclib_apart(const void *bytes, size_t length, const char *file, problem_set *set, cli_text *message) {
    const problem_place at = {file, NULL, message};
    const size_t before = set->n;
    int ends[2];
    if (pipe(ends) != 0) return problem_refuse(&at, "no pipe to read it through: %s", strerror(errno));
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return problem_refuse(&at, "no process to read it in: %s", strerror(errno));
    }
    if (child == 0) {
        close(ends[0]);
        read_apart(ends[1], bytes, length, file, set);
    }
    close(ends[1]);
    int status = 1, ended = 0;
    while (status == 1) status = receive_problem(ends[0], file, set, message);
    close(ends[0]);
    if (status == -1) kill(child, SIGKILL); /* it may still be sending */
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR) {}
    if (status == -2) {
        if (WIFSIGNALED(ended) && WTERMSIG(ended) == SIGXCPU)
            problem_refuse(&at, "libhdf5 read for more than %d s: the file is damaged", MOST_CPU_S);
        else if (WIFSIGNALED(ended))
            problem_refuse(&at, "libhdf5 broke on it (%s): the file is damaged", strsignal(WTERMSIG(ended)));
        else
            problem_refuse(&at, "reading it ended early (exit %d): the file is damaged, or memory is short", WEXITSTATUS(ended));
    }
    if (status) problem_cut(set, before);
    return status ? -1 : 0;
}
