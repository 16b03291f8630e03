/* myriapod train, score, play and view: they are Python's; this starts them, or says how to get them. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

/* Has this Python the package? -1: there is no such Python. */
static int has_package(const char *python) {
    const pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr)) _exit(126);
        execlp(python, python, "-c", "import myriapod", (char *)NULL);
        _exit(127);
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 1 : WIFEXITED(status) && WEXITSTATUS(status) == 127 ? -1 : 0;
}

/* Become `python -m module` with the arguments after the command. extra: of the package, what the module needs beside it. */
static int start(const char *module, const char *extra, int argc, char **argv) {
    const char *chosen = getenv("MYRIAPOD_PYTHON"), *pythons[] = {chosen, "python3", "python"};
    int any = 0;
    for (size_t k = 0; k < sizeof pythons / sizeof *pythons; k++) {
        if (!pythons[k] || !*pythons[k] || (chosen && *chosen && k > 0)) continue;
        const int has = has_package(pythons[k]);
        any |= has >= 0;
        if (has != 1) continue;
        char **line = cli_allocate((size_t)argc + 3, sizeof *line);
        line[0] = (char *)(uintptr_t)pythons[k], line[1] = (char *)(uintptr_t) "-m", line[2] = (char *)(uintptr_t)module;
        for (int i = 1; i < argc; i++) line[2 + i] = argv[i];
        execvp(pythons[k], line);
        const int failed = errno;
        free(line);
        return cli_error("cannot start %s: %s", pythons[k], strerror(failed));
    }
    if (!any && chosen && *chosen) return cli_error("MYRIAPOD_PYTHON is \"%s\", which cannot be started", chosen);
    return cli_error("%s is in the Python package, which %s: pip install '.%s' in a clone of the project, or name a Python that has it in "
                     "MYRIAPOD_PYTHON",
                     module, any ? "this Python has not" : "needs a Python", extra);
}

int cli_train(int argc, char **argv) { return start("myriapod.train", "[learn]", argc, argv); }
int cli_score(int argc, char **argv) { return start("myriapod.score", "", argc, argv); }
int cli_play(int argc, char **argv) { return start("myriapod.play", "[view]", argc, argv); }
int cli_view(int argc, char **argv) { return start("myriapod.view", "[view]", argc, argv); }
