/* Command line shared by the commands: every settings key as a flag, profiles, unknown flags answered with the nearest. */
#ifndef MYRIAPOD_CLI_OPTIONS_H
#define MYRIAPOD_CLI_OPTIONS_H

#include <argp.h>

#include <myriapod/myriapod.h>

#include "cli.h"

/* Keys of a command's own options start here; those of settings lie above CLI_SETTING. */
enum { CLI_OWN = 0x100, CLI_PROFILE = 0x1000, CLI_SETTING = 0x1001 };

/* The contact solvers that there are, "nsgs, bisection, ..": the library's table, for help and refusals. */
const char *cli_solver_names(void);

typedef struct cli_assignment {
    const char *key, *value;
} cli_assignment;

/* The settings of one command: default (with the command's own) < profile < flag, wherever they stand on the line. */
typedef struct cli_options {
    const char *const *first;       /* keys shown first, in this order, NULL-terminated */
    int only_first;                 /* 1: these keys alone are flags of the command */
    const char *const *without;     /* keys that are not flags of the command, NULL-terminated; nullable */
    const cli_assignment *defaults; /* where the command differs from the library, ends with a NULL key; nullable */
    struct argp_option *table;      /* made by cli_options_begin */
    struct argp argp;               /* to be a child of the command's parser */
    myr_settings scratch;           /* checks a flag as soon as it is read */
    cli_assignment *flags;
    const char **profiles;
    size_t n_flags, n_profiles;
    char *profile_label; /* "default", or the profiles joined by '+' */
} cli_options;

/* Make the option table for a line of argc words. Then put `argp` among the children of the command's parser, with
 * `options` as its input. */
void cli_options_begin(cli_options *options, int argc);
void cli_options_end(cli_options *options);

/* Default < profile < flag. Returns CLI_OK, or an exit status after saying what is wrong. */
int cli_options_resolve(cli_options *options, myr_settings *settings);

/* 1: this key was given as a flag. */
int cli_options_is_flag(const cli_options *options, const char *key);

/* Warns of flags that have no say in this task: those of episodes, where it has none. */
void cli_options_idle(const cli_options *options, const char *task);

/* Parse a command's line with argp. An unknown flag ends the program here, with the nearest one that exists. */
void cli_parse(const struct argp *argp, int argc, char **argv, void *input);

#endif
