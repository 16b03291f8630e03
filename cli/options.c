/* Command line shared by the commands. */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/nearest.h"

/* What settings.def knows beyond myr_settings_key: which keys are words, which choices they have. */
static const struct {
    const char *key, *choices;
    char letter;
} kinds[] = {
#define MYR_SETTING_INT(field, key, value, low, high, doc) {key, NULL, 'N'},
#define MYR_SETTING_REAL(field, key, value, low, high, doc) {key, NULL, 'x'},
#define MYR_SETTING_WORD(field, key, value, choices, doc) {key, choices, 'W'},
#include <myriapod/settings.def>
#undef MYR_SETTING_INT
#undef MYR_SETTING_REAL
#undef MYR_SETTING_WORD
};

static const char *placeholder(const char *key) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].key, key) == 0) return kinds[i].letter == 'N' ? "N" : kinds[i].letter == 'x' ? "X" : "WORD";
    }
    return "X"; /* a number of a task: it is in no list of the headers */
}

/* The solvers by the library's table, whatever it holds: "nsgs, bisection, ..". */
const char *cli_solver_names(void) {
    static char text[1024];
    if (text[0]) return text;
    for (int i = 0; myr_solver_name(i); i++) {
        const char *name = myr_solver_name(i);
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "", name);
    }
    return text;
}

/* "auto|stand|..": what a list of the library names. */
static const char *auto_or(const char *(*name)(int index), char text[1024]) {
    snprintf(text, 1024, "auto");
    for (int i = 0; name(i); i++) {
        const size_t used = strlen(text);
        snprintf(text + used, 1024 - used, "|%s", name(i));
    }
    return text;
}

static const char *choices(const char *key) {
    static char tasks[1024], isas[1024];
    if (strcmp(key, "solver") == 0) return cli_solver_names();
    if (strcmp(key, "task") == 0) return auto_or(myr_task_name, tasks);
    if (strcmp(key, "isa") == 0) return auto_or(myr_isa_name, isas);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].key, key) == 0) return kinds[i].choices;
    }
    return NULL;
}

/* The place of a key in a list, -1: it is not in it. */
static int rank(const char *const *keys, const char *key) {
    for (int i = 0; keys && keys[i]; i++) {
        if (strcmp(keys[i], key) == 0) return i;
    }
    return -1;
}

static char *describe(const char *doc, const char *key, const char *value) {
    const char *words = choices(key);
    const size_t room = strlen(doc) + strlen(value) + (words ? strlen(words) : 0) + 32;
    char *text = cli_allocate(room, 1);
    if (words) {
        snprintf(text, room, "%s: %s (default %s)", doc, words, value);
    } else {
        snprintf(text, room, "%s (default %s)", doc, value);
    }
    return text;
}

/* A value that the library does not take: its message names the nearest word and lists what there is. */
static int refuse_value(const char *key) { return cli_usage("--%s: %s", key, myr_message()); }

static error_t parse(int code, char *argument, struct argp_state *state) {
    cli_options *options = state->input;
    if (code == CLI_PROFILE) {
        options->profiles[options->n_profiles++] = argument;
        return 0;
    }
    if (code < CLI_SETTING) return ARGP_ERR_UNKNOWN;
    const char *key = NULL;
    if (!myr_settings_key(&options->scratch, code - CLI_SETTING, &key, NULL, NULL)) return ARGP_ERR_UNKNOWN;
    if (myr_settings_set(&options->scratch, key, argument) != MYR_OK) exit(refuse_value(key));
    options->flags[options->n_flags++] = (cli_assignment){key, argument};
    return 0;
}

static void set_defaults(const cli_options *options, myr_settings *settings) {
    *settings = myr_settings_default();
    for (const cli_assignment *a = options->defaults; a && a->key; a++) {
        if (myr_settings_set(settings, a->key, a->value) != MYR_OK) exit(cli_error("%s", myr_message()));
    }
}

void cli_options_begin(cli_options *options, int argc) {
    set_defaults(options, &options->scratch);
    options->flags = cli_allocate((size_t)argc, sizeof *options->flags); /* a line holds no more flags than words */
    options->profiles = cli_allocate((size_t)argc, sizeof *options->profiles);
    int n = 0;
    while (myr_settings_key(&options->scratch, n, NULL, NULL, NULL)) n++;
    options->table = cli_allocate((size_t)n + 3, sizeof *options->table);

    /* argp sorts by group, then by name: the keys a command names come before the rest. */
    struct argp_option *o = options->table;
    const char *profile_doc =
        options->only_first
            ? "named settings: a file, or one of those that ship"
            : "named settings: a file, or one of those that ship (paper, rollout, ...). Flags win over it; given twice, the second wins";
    *o++ = (struct argp_option){"profile", CLI_PROFILE, "NAME", 0, profile_doc, 2};
    if (!options->only_first) *o++ = (struct argp_option){NULL, 0, NULL, 0, "Every other key of a profile is a flag too:", 3};
    for (int i = 0; i < n; i++) {
        const char *key, *doc;
        char value[MYR_NAME_LENGTH];
        myr_settings_key(&options->scratch, i, &key, value, &doc);
        const int first = rank(options->first, key) >= 0;
        if ((!first && options->only_first) || rank(options->without, key) >= 0) continue;
        *o++ = (struct argp_option){key, CLI_SETTING + i, placeholder(key), 0, describe(doc, key, value), first ? 2 : 3};
    }
    options->argp = (struct argp){.options = options->table, .parser = parse};
}

void cli_options_end(cli_options *options) {
    for (struct argp_option *o = options->table; o && (o->name || o->doc); o++) {
        if (o->key >= CLI_SETTING) free((void *)(size_t)o->doc);
    }
    free(options->table);
    free(options->flags);
    free(options->profiles);
    free(options->profile_label);
}

static void join_profiles(cli_options *options) {
    size_t room = sizeof "default";
    for (size_t i = 0; i < options->n_profiles; i++) room += strlen(options->profiles[i]) + 1;
    options->profile_label = cli_allocate(room, 1);
    if (!options->n_profiles) strcpy(options->profile_label, "default");
    for (size_t i = 0; i < options->n_profiles; i++) {
        if (i) strcat(options->profile_label, "+");
        strcat(options->profile_label, options->profiles[i]);
    }
}

/* The library prints nothing: what it has to say of a setting that it took is told here. */
static void tell_note(void) {
    if (myr_settings_note()[0]) cli_warning("%s", myr_settings_note());
}

/* Words that have another name, or another key, since: reports are by the names of today. */
static void rename_words(myr_settings *settings) {
    const myr_settings given = *settings;
    const char *key;
    char text[MYR_NAME_LENGTH];
    for (int i = 0; myr_settings_key(&given, i, &key, text, NULL); i++)
        if (strcmp(placeholder(key), "WORD") == 0 && myr_settings_set(settings, key, text) != MYR_OK) exit(refuse_value(key));
}

int cli_options_resolve(cli_options *options, myr_settings *settings) {
    set_defaults(options, settings);
    for (size_t i = 0; i < options->n_profiles; i++) {
        if (myr_settings_load(settings, options->profiles[i]) != MYR_OK) return cli_error("--profile: %s", myr_message());
        tell_note();
    }
    for (size_t i = 0; i < options->n_flags; i++) {
        const cli_assignment *flag = &options->flags[i];
        if (myr_settings_set(settings, flag->key, flag->value) != MYR_OK) return refuse_value(flag->key);
        tell_note();
    }
    if (!options->only_first)
        rename_words(settings); /* else it takes no robots: a word that became one of steps is for the library to refuse */
    join_profiles(options);
    return CLI_OK;
}

int cli_options_is_flag(const cli_options *options, const char *key) {
    for (size_t i = 0; i < options->n_flags; i++) {
        if (strcmp(options->flags[i].key, key) == 0) return 1;
    }
    return 0;
}

/* Does a key act in control steps alone? Those of episodes do, and those that are numbers of tasks, which settings.def does not have. */
static int is_of_episodes(const char *key) {
    static const char *const keys[] = {
#define MYR_SETTING_INT(field, key, value, low, high, doc) key,
#define MYR_SETTING_REAL(field, key, value, low, high, doc) key,
#define MYR_SETTING_WORD(field, key, value, choices, doc) key,
#include <myriapod/episode.def>
#undef MYR_SETTING_INT
#undef MYR_SETTING_REAL
#undef MYR_SETTING_WORD
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i], key) == 0) return 1;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].key, key) == 0) return 0;
    }
    return 1;
}

void cli_options_idle(const cli_options *options, const char *task) {
    myr_task_info own, other;
    char with[256] = "";
    if (myr_task_get(task, &own) != MYR_OK || own.n_rewards) return;
    for (int i = 0; myr_task_name(i); i++) {
        const size_t used = strlen(with);
        if (myr_task_get(myr_task_name(i), &other) == MYR_OK && other.n_rewards)
            snprintf(with + used, sizeof with - used, "%s%s", used ? ", " : "", other.name);
    }
    for (size_t i = 0; i < options->n_flags; i++) {
        if (is_of_episodes(options->flags[i].key))
            cli_warning("--%s does nothing in the task %s: it is a setting of episodes, which these tasks have: %s", options->flags[i].key,
                        task, with);
    }
}

/* ---- unknown flags ----------------------------------------------------------------------------- */

typedef struct flag_list {
    const struct argp_option *option[256];
    size_t n;
} flag_list;

static void collect(const struct argp *argp, flag_list *list) {
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++) {
        if (o->name && list->n < sizeof list->option / sizeof *list->option) list->option[list->n++] = o;
    }
    for (const struct argp_child *child = argp->children; child && child->argp; child++) collect(child->argp, list);
}

/* The options whose name starts with the length letters of name; *exact: one of them is that name. */
static const struct argp_option *find(const flag_list *list, const char *name, size_t length, size_t *matches) {
    const struct argp_option *found = NULL;
    *matches = 0;
    for (size_t i = 0; i < list->n; i++) {
        const char *candidate = list->option[i]->name;
        if (strncmp(candidate, name, length) != 0) continue;
        found = list->option[i];
        if (!candidate[length]) {
            *matches = 1;
            return found;
        }
        ++*matches;
    }
    return found;
}

void cli_parse(const struct argp *argp, int argc, char **argv, void *input) {
    static const struct argp_option own[] = {
        {"help", '?', NULL, 0, NULL, 0}, {"usage", 0, NULL, 0, NULL, 0}, {"version", 'V', NULL, 0, NULL, 0}};
    flag_list list = {.n = 0};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) list.option[list.n++] = &own[i];
    collect(argp, &list);

    const char *words[sizeof list.option / sizeof *list.option];
    for (size_t i = 0; i < list.n; i++) words[i] = list.option[i]->name;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "--") == 0) break;
        if (strncmp(word, "--", 2) != 0) continue;
        const size_t length = strcspn(word + 2, "=");
        size_t matches;
        const struct argp_option *option = find(&list, word + 2, length, &matches);
        if (matches == 1) {
            if (option->arg && !word[2 + length]) i++; /* its value is the next word, whatever it looks like */
            continue;
        }
        if (matches > 1) continue; /* argp lists the candidates of an ambiguous abbreviation */
        char name[MYR_NAME_LENGTH];
        snprintf(name, sizeof name, "%.*s", (int)length, word + 2);
        const char *nearest = myr_nearest(name, words, list.n);
        if (nearest) exit(cli_usage("unknown option \"--%s\"; did you mean \"--%s\"?", name, nearest));
        exit(cli_usage("unknown option \"--%s\"", name));
    }
    argp_err_exit_status = CLI_BAD_USAGE;
    if (argp_parse(argp, argc, argv, 0, NULL, input) != 0) exit(CLI_BAD_USAGE);
}
