/* What the commands of the program share: how they end, how they speak. */
#ifndef MYRIAPOD_CLI_H
#define MYRIAPOD_CLI_H

#include <stddef.h>

/* Exit statuses. Quarantined environments and unconverged solves are results: they are reported and exit 0. */
enum { CLI_OK = 0, CLI_BAD_INPUT = 1, CLI_BAD_USAGE = 2 };

/* One command: argv[0] is "myriapod NAME", the rest its own arguments. Returns an exit status. */
typedef struct cli_command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} cli_command;

int cli_run(int argc, char **argv);
int cli_eval(int argc, char **argv);
int cli_solve(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_info(int argc, char **argv);
int cli_train(int argc, char **argv);
int cli_score(int argc, char **argv);
int cli_play(int argc, char **argv);
int cli_view(int argc, char **argv);

/* Name of the command that runs, put before every message ("myriapod run"). */
extern const char *cli_name;

/* A message to the user on stderr, one line, after the command's name. cli_error returns CLI_BAD_INPUT and cli_usage
 * CLI_BAD_USAGE (with a hint at --help), so that callers can `return cli_error(...)`. */
int cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
int cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A message under construction, for code that must not print itself (readers under a fuzzer). */
typedef struct cli_text {
    char text[1024];
} cli_text;
/* Fill the message and return -1, so that callers can `return cli_say(...)`. */
int cli_say(cli_text *message, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Zeroed memory, never NULL: a program that cannot get a few kilobytes says so and ends with CLI_BAD_INPUT. */
void *cli_allocate(size_t count, size_t size);

#endif
