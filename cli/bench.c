/* myriapod bench: one command that says how fast a machine is, for its user and to be sent to others. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "meshes.h"
#include "numbers.h"
#include "options.h"
#include "output.h"

static const char *const first_keys[] = {"warmup", "dt", "task", "solver", "tolerance", "precision", "isa", "seed", "root", NULL};
static const char *const own_keys[] = {"envs", "steps", "threads", NULL}; /* which mean something of their own here */

typedef struct bench_line {
    cli_options *options;
    const char **words, *json, *threads, *sizes;
    int n_words;
    int64_t envs, steps;
    double seconds;
    myr_load_options load;
} bench_line;

enum { KEY_JSON = CLI_OWN, KEY_THREADS, KEY_SIZES, KEY_ENVS, KEY_STEPS, KEY_SECONDS };

static const struct argp_option own_options[] = {
    {"threads", KEY_THREADS, "LIST", 0, "numbers of threads, such as 1,8,all (default 1, 2, 4, .. and all cores that the process may use)",
     1},
    {"sizes", KEY_SIZES, "LIST", 0, "robots of the batches that are stepped call by call (default 16,256,4096,65536)", 1},
    {"envs", KEY_ENVS, "N", 0, "robots of the table by threads (default 4096 or the next number that gives all threads as many tiles)", 1},
    {"seconds", KEY_SECONDS, "S", 0, "time for each figure (default 0.8)", 1},
    {"steps", KEY_STEPS, "N", 0, "control steps of a long call (default: a twentieth of --seconds, at least 32 steps)", 1},
    {"json", KEY_JSON, "FILE", 0, "write every figure as JSON; - is standard output (the tables then go to stderr)", 1},
    {0},
};

static const char doc[] =
    "Says how fast this machine steps robots: by threads, by stages of the step, by sizes of the batch. ROBOT is a MODEL as `run` takes "
    "it, "
    "or MODEL:TASK. Without one: anymal:trot, and biped standing by gains of 600 and 60."
    "\v"
    "Warm-up is not timed. A figure is the mean of its windows; beside it stands p10, which the fastest tenth of them stays below: where "
    "the "
    "two lie apart, other programs were at work. Ctrl-C ends it with the figures so far.\n"
    "\n"
    "Examples:\n"
    "  myriapod bench --json bench.json\n"
    "      all figures of this machine; about a minute\n"
    "  myriapod bench anymal:hang my_robot.urdf --precision f64\n"
    "      two robots, in double\n"
    "  myriapod bench anymal:trot --threads 64,96,all --sizes 98304 --seconds 3\n"
    "      three numbers of threads, a large batch, longer\n"
    "\n"
    "Exit status: 0 done, 1 bad input or an output that cannot be written (found before anything is measured), 2 bad usage.";

static double seconds_of(const char *word) {
    char *end;
    const double s = strtod(word, &end);
    if (end == word || *end || !(s > 0 && s <= 3600)) exit(cli_usage("--seconds is \"%s\"; it may be more than 0, up to 3600", word));
    return s;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    bench_line *line = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = line->options;
        state->child_inputs[1] = &line->load;
        return 0;
    case KEY_JSON: line->json = argument; return 0;
    case KEY_THREADS: line->threads = argument; return 0;
    case KEY_SIZES: line->sizes = argument; return 0;
    case KEY_ENVS: line->envs = cli_whole("envs", argument, 100000000); return 0;
    case KEY_STEPS: line->steps = cli_whole("steps", argument, 1000000); return 0;
    case KEY_SECONDS: line->seconds = seconds_of(argument); return 0;
    case ARGP_KEY_ARG: line->words[line->n_words++] = argument; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- lists --------------------------------------------------------------------------------------- */

/* In ascending order, each once. */
static void add(const char *flag, bench_list *list, int64_t value) {
    int at = list->n;
    for (int i = 0; i < list->n; i++)
        if (list->value[i] == value) return;
    if (list->n == BENCH_LIST) exit(cli_usage("--%s: more than %d numbers", flag, (int)BENCH_LIST));
    for (; at > 0 && list->value[at - 1] > value; at--) list->value[at] = list->value[at - 1];
    list->value[at] = value;
    list->n++;
}

/* "1,8,all"; all 0: that word is not known. */
static void read_list(const char *flag, const char *text, int64_t most, int64_t all, bench_list *list) {
    while (*text) {
        const size_t length = strcspn(text, ",");
        char word[32];
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), text);
        add(flag, list, all && strcmp(word, "all") == 0 ? all : cli_whole(flag, word, most));
        text += length + (text[length] == ',');
    }
    if (!list->n) exit(cli_usage("--%s names nothing", flag));
}

static void choose_lists(const bench_line *line, bench_plan *plan) {
    const int64_t all = plan->settings.threads ? plan->settings.threads : plan->machine.usable_cores;
    if (line->threads) {
        read_list("threads", line->threads, 4096, all, &plan->threads);
    } else {
        for (int64_t n = 1; n < all; n *= 2) add("threads", &plan->threads, n);
        add("threads", &plan->threads, all);
    }
    read_list("sizes", line->sizes, 100000000, 0, &plan->sizes);
}

/* ---- robots -------------------------------------------------------------------------------------- */

static int is_task(const char *word) {
    for (int i = 0; myr_task_name(i); i++)
        if (strcmp(word, myr_task_name(i)) == 0) return 1;
    return strcmp(word, "auto") == 0;
}

/* MODEL or MODEL:TASK; a colon before anything but a task's name is part of MODEL. */
static int open_robot(const bench_line *line, const bench_plan *plan, const char *word, bench_robot *robot) {
    const char *colon = strrchr(word, ':');
    if (colon && !is_task(colon + 1)) colon = NULL;
    const size_t length = colon ? (size_t)(colon - word) : strlen(word);
    robot->name = cli_allocate(length + 1, 1);
    memcpy(robot->name, word, length);
    robot->settings = plan->settings;
    if (colon) snprintf(robot->settings.task, sizeof robot->settings.task, "%s", colon + 1);
    myr_load_options load = line->load;
    load.root = cli_root(robot->settings.root);
    if (myr_model_open(robot->name, &load, &robot->model) != MYR_OK) return cli_error("%s", myr_message());
    myr_model_get_info(robot->model, &robot->size);
    for (int i = 0; i < robot->size.n_warnings; i++) cli_warning("%s", myr_model_warning(robot->model, i));
    return CLI_OK;
}

/* Without gains the biped lies down, which is another figure. */
static void let_stand(const cli_options *options, myr_settings *settings) {
    if (!cli_options_is_flag(options, "kp") && settings->kp < 0) settings->kp = 600;
    if (!cli_options_is_flag(options, "kd") && settings->kd < 0) settings->kd = 60;
}

static int open_robots(const bench_line *line, bench_plan *plan) {
    static const char *const usual[] = {"anymal:trot", "biped:none"};
    const int own = line->n_words > 0;
    if (!own && cli_options_is_flag(line->options, "task"))
        return cli_usage("--task needs ROBOT: those that are measured without one have their own tasks");
    plan->n_robots = own ? line->n_words : 2;
    plan->robot = cli_allocate((size_t)plan->n_robots, sizeof *plan->robot);
    int status = CLI_OK;
    for (int i = 0; i < plan->n_robots && status == CLI_OK; i++)
        status = open_robot(line, plan, own ? line->words[i] : usual[i], &plan->robot[i]);
    if (!own && status == CLI_OK) let_stand(line->options, &plan->robot[1].settings);
    return status;
}

static void close_robots(bench_plan *plan) {
    for (int i = 0; i < plan->n_robots; i++) {
        bench_robot *robot = &plan->robot[i];
        for (int k = 0; k < robot->n_rows; k++) free(robot->row[k].cpus);
        myr_model_free(robot->model);
        free(robot->name);
    }
    free(plan->robot);
}

/* ---- the command --------------------------------------------------------------------------------- */

/* What a figure may depend on beside the processor. */
static int look_around(bench_plan *plan) {
    if (myr_machine_get(&plan->machine) != MYR_OK) return cli_error("%s", myr_message());
    if (getloadavg(&plan->load, 1) != 1) plan->load = (double)NAN;
    FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    char line[128] = "", *open;
    if (file && fgets(line, sizeof line, file) && (open = strchr(line, '[')) != NULL)
        snprintf(plan->large_pages, sizeof plan->large_pages, "%.*s", (int)strcspn(open + 1, "]"), open + 1);
    if (file) fclose(file);
    return CLI_OK;
}

static int report(const bench_plan *plan, output *json) {
    bench_print(plan, json->file == stdout ? stderr : stdout);
    if (!json->path) return CLI_OK;
    json_t *root = bench_json(plan);
    const int bad = json_dumpf(root, json->file, CLI_JSON_PAGE) != 0 || fputc('\n', json->file) == EOF;
    json_decref(root);
    if (bad) return cli_error("cannot write \"%s\"", json->path);
    return output_commit(json) ? CLI_BAD_INPUT : CLI_OK;
}

int cli_bench(int argc, char **argv) {
    cli_options options = {.first = first_keys, .without = own_keys};
    cli_options_begin(&options, argc);
    const struct argp_child children[] = {{&options.argp, 0, NULL, 0}, {&cli_meshes_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {own_options, parse, "[ROBOT ...]", doc, children, NULL, NULL};
    bench_line line = {.options = &options, .load = myr_load_options_default(), .sizes = "16,256,4096,65536", .seconds = 0.8};
    line.words = cli_allocate((size_t)argc, sizeof *line.words);
    cli_parse(&argp, argc, argv, &line);

    bench_plan plan = {.envs = line.envs, .steps = line.steps, .seconds = line.seconds};
    output json = {0};
    int status = cli_options_resolve(&options, &plan.settings);
    plan.profile = options.profile_label;
    if (status == CLI_OK) status = look_around(&plan);
    if (status == CLI_OK) choose_lists(&line, &plan);
    if (status == CLI_OK) status = open_robots(&line, &plan);
    if (status == CLI_OK && output_open(&json, line.json)) status = CLI_BAD_INPUT;
    if (status == CLI_OK) status = bench_measure(&plan);
    if (status == CLI_OK) status = report(&plan, &json);
    output_discard(&json);
    close_robots(&plan);
    cli_options_end(&options);
    free(line.words);
    return status;
}
