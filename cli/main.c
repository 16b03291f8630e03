/* The program `myriapod`: hands over to one of its commands. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>
#include <myriapod/myriapod.h>

#include "../base/nearest.h"
#include "cli.h"
#include "options.h"

static const cli_command commands[] = {
    {"run", cli_run, "step thousands of copies of a robot; say how fast and how exactly"},
    {"eval", cli_eval, "mass matrix, bias, accelerations, energies and frames of given states"},
    {"solve", cli_solve, "solve contact problems (G, c, mu) without a robot"},
    {"compare", cli_compare, "contact solvers on the same problems: what they solve, how fast, which is best"},
    {"bench", cli_bench, "how fast this machine is: by threads, stages and sizes of a batch"},
    {"info", cli_info, "this machine, the versions, a model, a profile"},
    {"train", cli_train, "teach a robot a task (starts Python's, as do the next three)"},
    {"score", cli_score, "how well a policy does its task"},
    {"play", cli_play, "watch a policy in the browser"},
    {"view", cli_view, "a robot, a recording or a policy in the browser"},
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

static void print_version(FILE *stream, struct argp_state *state) {
    (void)state;
    fprintf(stream, "myriapod %s (math: %s; jansson %s)\n", myr_version(), myr_math_version(), jansson_version_str());
}

static void print_help(FILE *stream) {
    fputs("Usage: myriapod COMMAND [OPTION...]\n"
          "\n"
          "Thousands of robots, one per SIMD lane, all of them obeying the same hard contact law.\n"
          "\n"
          "Commands:\n",
          stream);
    for (int i = 0; i < N_COMMANDS; i++) fprintf(stream, "  %-9s%s\n", commands[i].name, commands[i].summary);
    fputs("\n"
          "  -?, --help     this text; `myriapod COMMAND --help' explains a command\n"
          "  -V, --version  versions of the program and of what it computes with\n"
          "\n"
          "Examples:\n"
          "  myriapod run anymal                                   4096 ANYmals stand on this machine\n"
          "  myriapod run anymal --task trot --envs 1000 --json r.json\n"
          "  myriapod run my_robot.urdf --steps 100 --precision f64\n"
          "  myriapod eval solo12 --states states.json --json out.json\n"
          "  myriapod solve problems.json --solver bisection --tolerance 1e-9 --json out.json\n"
          "  myriapod compare problems.json --plots plots          which contact solver is best on them\n"
          "  myriapod bench --json bench.json                      the machine's figures, to be sent or compared\n"
          "  myriapod info anymal                                  what the library made of the robot\n"
          "  myriapod info --profile paper                         all settings of a profile\n"
          "\n"
          "Exit status: 0 done (also when environments were quarantined: they are reported),\n"
          "1 bad input or an output that cannot be written, 2 bad usage.\n",
          stream);
}

/* Results that never reached standard output are not a success. */
static int close_stdout(int status) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    cli_error("cannot write to standard output");
    return status ? status : CLI_BAD_INPUT;
}

int main(int argc, char **argv) {
    argp_program_version_hook = print_version;
    argp_err_exit_status = CLI_BAD_USAGE;
    const char *word = argc > 1 ? argv[1] : NULL;
    if (!word) {
        if (!isatty(STDOUT_FILENO))
            return cli_usage("COMMAND is missing: run, eval, solve, compare, bench, info, train, score, play or view");
        print_help(stdout);
        return CLI_BAD_USAGE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-?") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        print_help(stdout);
        return close_stdout(CLI_OK);
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        print_version(stdout, NULL);
        return close_stdout(CLI_OK);
    }
    for (int i = 0; i < N_COMMANDS; i++) {
        if (strcmp(word, commands[i].name) != 0) continue;
        static char name[32];
        snprintf(name, sizeof name, "myriapod %s", word);
        cli_name = name;
        argv[1] = name; /* argp speaks under the command's name */
        return close_stdout(commands[i].run(argc - 1, argv + 1));
    }
    const char *words[N_COMMANDS + 2] = {"--help", "--version"};
    for (int i = 0; i < N_COMMANDS; i++) words[i + 2] = commands[i].name;
    const char *nearest = myr_nearest(word, words, N_COMMANDS + 2);
    const char *kind = *word == '-' ? "option" : "command";
    if (nearest) return cli_usage("unknown %s \"%s\"; did you mean \"%s\"?", kind, word, nearest);
    return cli_usage("unknown %s \"%s\"; there are run, eval, solve, compare, bench, info, train, score, play and view", kind, word);
}
