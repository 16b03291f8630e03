/* The lines of a table before its programs. A line is words between blanks; `#` begins a comment. */
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/memory.h"
#include "tasks/given.h"
#include "tasks/table.h"

typedef struct reading {
    myr_task_table *t;
    int line;
    myr_line in; /* what is left of it */
    locale_t plain;
} reading;

static myr_status no_memory(void) { return myr_fail(MYR_E_MEMORY, "out of memory for a task"); }

static size_t next_word(reading *r, char word[MYR_TABLE_NAME]) { return myr_line_word(&r->in, word); }

static myr_status read_name(reading *r, const char *what, char name[MYR_TABLE_NAME]) {
    if (myr_line_is_name(name, next_word(r, name))) return MYR_OK;
    return myr_fail(MYR_E_FORMAT, "%s:%d: `%s` is not a name of %s: letters, digits and _ . - / [ ], a letter first, at most %d",
                    r->t->label, r->line, name, what, MYR_TABLE_NAME - 1);
}

static myr_status taken(const reading *r, const char *what, const char *name) {
    return myr_fail(MYR_E_FORMAT, "%s:%d: there is a %s `%s` already", r->t->label, r->line, what, name);
}

static myr_status too_many(const reading *r, const char *what, int most) {
    return myr_fail(MYR_E_LIMIT, "%s:%d: more than %d %s", r->t->label, r->line, most, what);
}

/* Nothing more may stand in the line. */
static myr_status over(reading *r) {
    char word[MYR_TABLE_NAME];
    return next_word(r, word) ? myr_fail(MYR_E_FORMAT, "%s:%d: `%s` is more than this line takes", r->t->label, r->line, word) : MYR_OK;
}

/* What is left of the line, the caller's; NULL: there is no memory. */
static char *rest(reading *r) {
    myr_line_blanks(&r->in);
    while (r->in.end > r->in.at && isblank((unsigned char)r->in.end[-1])) r->in.end--;
    char *text = myr_allocate_array((size_t)(r->in.end - r->in.at) + 1, 1);
    if (text) memcpy(text, r->in.at, (size_t)(r->in.end - r->in.at));
    r->in.at = r->in.end;
    return text;
}

static int is_real(const reading *r, const char *word, double *value) {
    return myr_line_is_number(word, r->plain, value) && isfinite(*value);
}

static myr_status read_number(reading *r, const char *what, myr_table_number *number) {
    char word[MYR_TABLE_NAME];
    *number = (myr_table_number){.number = -1};
    if (!next_word(r, word)) return myr_fail(MYR_E_FORMAT, "%s:%d: %s is missing", r->t->label, r->line, what);
    if (is_real(r, word, &number->value) || myr_table_find_number(r->t, word, number)) return MYR_OK;
    char hint[MYR_WORD_BYTES + 24];
    myr_words words = {0};
    myr_table_number_words(r->t, word, &words);
    myr_words_hint(&words, word, hint, sizeof hint);
    return myr_fail(MYR_E_FORMAT, "%s:%d: %s is `%s`, but must be a finite number, setting.KEY or number.NAME of a line above%s",
                    r->t->label, r->line, what, word, hint);
}

/* A whole number. */
static myr_status read_count(reading *r, const char *what, int most, int *count) {
    char word[MYR_TABLE_NAME];
    double value = 0;
    if (!next_word(r, word) || !is_real(r, word, &value) || value != floor(value) || value < 1 || value > most)
        return myr_fail(MYR_E_FORMAT, "%s:%d: %s must be a whole number, 1 to %d", r->t->label, r->line, what, most);
    *count = (int)value;
    return MYR_OK;
}

/* ---- a function for each kind of line ------------------------------------------------------------------------------------ */

static myr_status read_title(reading *r) {
    const myr_status status = read_name(r, "a task", r->t->name);
    return status ? status : over(r);
}

static myr_status read_needs(reading *r) {
    char word[MYR_TABLE_NAME];
    while (next_word(r, word))
        if (!strcmp(word, "quadruped"))
            r->t->quadruped = 1;
        else if (!strcmp(word, "actuators"))
            r->t->actuated = 1;
        else
            return myr_fail(MYR_E_FORMAT, "%s:%d: a task may need `quadruped` or `actuators`, not `%s`", r->t->label, r->line, word);
    return MYR_OK;
}

static myr_status read_uses(reading *r) {
    static const char *const names[] = {"vary", "pushes", "patches", "trial"};
    char word[MYR_TABLE_NAME];
    while (next_word(r, word)) {
        unsigned bit = 0;
        for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
            if (!strcmp(word, names[k])) bit = 1u << k;
        if (!bit)
            return myr_fail(MYR_E_FORMAT, "%s:%d: a task may use vary, pushes, patches and trial, not `%s`", r->t->label, r->line, word);
        r->t->uses |= bit;
    }
    return MYR_OK;
}

/* own | quadruped | sag | KP KD */
static myr_status read_gains(reading *r) {
    const char *before = r->in.at;
    char word[MYR_TABLE_NAME];
    next_word(r, word);
    const myr_table_gains by_rule[] = {MYR_GAINS_OWN, MYR_GAINS_QUADRUPED, MYR_GAINS_SAG};
    static const char *const names[] = {"own", "quadruped", "sag"};
    for (int k = 0; k < 3; k++)
        if (!strcmp(word, names[k])) return r->t->gains = by_rule[k], over(r);
    double kp;
    if (!is_real(r, word, &kp) && strncmp(word, "setting.", 8) != 0 && strncmp(word, "number.", 7) != 0)
        return myr_fail(MYR_E_FORMAT, "%s:%d: gains may be own, quadruped, sag or KP KD, not `%s`", r->t->label, r->line, word);
    r->in.at = before;
    r->t->gains = MYR_GAINS_GIVEN;
    myr_status status = read_number(r, "kp", &r->t->kp);
    if (!status) status = read_number(r, "kd", &r->t->kd);
    return status ? status : over(r);
}

/* NAMES KP KD */
static myr_status read_gain(reading *r) {
    myr_task_table *t = r->t;
    myr_table_gain g = {.line = r->line};
    const size_t length = next_word(r, g.names);
    if (!length || length >= MYR_TABLE_NAME)
        return myr_fail(MYR_E_FORMAT, "%s:%d: names of actuators, a kp and a kd are wanted", t->label, r->line);
    myr_status status = read_number(r, "kp", &g.kp);
    if (!status) status = read_number(r, "kd", &g.kd);
    if (!status) status = over(r);
    if (status) return status;
    if (t->n_gains == MYR_TASK_GAINS) return too_many(r, "lines of gains by name", MYR_TASK_GAINS);
    t->gain[t->n_gains++] = g;
    return MYR_OK;
}

/* targets | controls | ROWS */
static myr_status read_actions(reading *r) {
    const char *before = r->in.at;
    char word[MYR_TABLE_NAME];
    next_word(r, word);
    r->t->controls = !strcmp(word, "controls"), r->t->actions = 0;
    if (r->t->controls || !strcmp(word, "targets")) return over(r);
    r->in.at = before;
    const myr_status status =
        read_count(r, "actions: `targets`, `controls`, or how many numbers they have, which", MYR_TASK_ACTIONS, &r->t->actions);
    return status ? status : over(r);
}

/* [LOW HIGH] of a number; `-inf` and `inf` leave it open to that side. */
static myr_status read_range(reading *r, myr_table_own *own) {
    char low[MYR_TABLE_NAME], high[MYR_TABLE_NAME];
    own->low = -INFINITY, own->high = INFINITY;
    if (!next_word(r, low)) return MYR_OK;
    const int open_low = !strcmp(low, "-inf"), lowest = open_low || is_real(r, low, &own->low);
    const int some = next_word(r, high) > 0, open_high = !strcmp(high, "inf"), highest = open_high || is_real(r, high, &own->high);
    if (!lowest || !some || !highest || own->low > own->high)
        return myr_fail(MYR_E_FORMAT,
                        "%s:%d: the range of `%s` is `%s %s`, but must be its lowest and its highest number, -inf and inf: any",
                        r->t->label, r->line, own->name, low, some ? high : "");
    return MYR_OK;
}

/* NAME NUMBER [LOW HIGH [words]] */
static myr_status read_own(reading *r) {
    myr_task_table *t = r->t;
    myr_table_own own = {.line = r->line};
    myr_table_number number = {.number = -1};
    myr_status status = read_name(r, "a number", own.name);
    if (!status) status = read_number(r, "its value", &number);
    if (!status && (number.setting || number.number >= 0))
        status = myr_fail(MYR_E_FORMAT, "%s:%d: the number `%s` must be given as a number", t->label, r->line, own.name);
    if (!status) status = read_range(r, &own);
    if (status) return status;
    own.value = number.value;
    const myr_given_number *key = myr_given_number_find(own.name);
    if (key)
        own.low = fmax(own.low, key->low), own.high = fmin(own.high, key->high); /* so that the setting of this name can be any of it */
    if (!(own.value >= own.low && own.value <= own.high))
        return myr_fail(MYR_E_FORMAT, "%s:%d: the number `%s` is %g, but must lie in %g .. %g%s", t->label, r->line, own.name, own.value,
                        own.low, own.high, key ? ", as the setting of this name" : "");
    if (myr_table_own_number(t, own.name) >= 0) return taken(r, "number", own.name);
    if (t->n_numbers == MYR_TASK_NUMBERS) return too_many(r, "numbers", MYR_TASK_NUMBERS);
    if (!(own.doc = rest(r))) return no_memory();
    t->numbers[t->n_numbers++] = own;
    return MYR_OK;
}

static myr_status read_memory(reading *r) {
    myr_task_table *t = r->t;
    myr_table_memory m = {.first = t->memory_rows};
    myr_status status = read_name(r, "a memory", m.name);
    if (!status) status = read_count(r, "how many numbers a memory has", MYR_TASK_MEMORY_ROWS, &m.rows);
    if (!status) status = over(r);
    if (status) return status;
    for (int k = 0; k < t->n_memories; k++)
        if (!strcmp(t->memories[k].name, m.name)) return taken(r, "memory", m.name);
    if (t->n_memories == MYR_TASK_MEMORIES) return too_many(r, "memories", MYR_TASK_MEMORIES);
    if (t->memory_rows + m.rows > MYR_TASK_MEMORY_ROWS) return too_many(r, "numbers in memories", MYR_TASK_MEMORY_ROWS);
    t->memory_rows += m.rows;
    t->memories[t->n_memories++] = m;
    return MYR_OK;
}

/* ROWS [every SECONDS] */
static myr_status read_command(reading *r) {
    char word[MYR_TABLE_NAME];
    myr_status status = read_count(r, "how many numbers a command has", MYR_TASK_MEMORY_ROWS, &r->t->command);
    if (status || !next_word(r, word)) return status;
    if (strcmp(word, "every") != 0)
        return myr_fail(MYR_E_FORMAT, "%s:%d: `every SECONDS` may follow, not `%s`", r->t->label, r->line, word);
    status = read_number(r, "the time of a command", &r->t->command_every);
    return status ? status : over(r);
}

static myr_status read_term(reading *r, int metric) {
    myr_task_table *t = r->t;
    myr_table_reward w = {.line = r->line, .metric = metric, .weight = {.value = 1, .number = -1}};
    myr_status status = read_name(r, metric ? "a metric" : "a reward term", w.name);
    if (!status && !metric) status = read_number(r, "its weight", &w.weight);
    if (status) return status;
    for (int k = 0; k < t->n_rewards; k++)
        if (!strcmp(t->rewards[k].name, w.name)) return taken(r, t->rewards[k].metric ? "metric" : "reward term", w.name);
    if (!strcmp(w.name, "termination") && metric) return taken(r, "reward term", w.name);
    if (!strcmp(w.name, "termination")) {
        myr_release(t->ends);
        t->termination = w.weight;
        return (t->ends = rest(r)) ? MYR_OK : no_memory();
    }
    if (t->n_rewards == MYR_TASK_REWARDS - 1) return too_many(r, "reward terms and metrics", MYR_TASK_REWARDS - 1);
    if (!(w.doc = rest(r))) return no_memory();
    t->rewards[t->n_rewards++] = w;
    return MYR_OK;
}

static myr_status read_reward(reading *r) { return read_term(r, 0); }
static myr_status read_metric(reading *r) { return read_term(r, 1); }

/* "words [unit]": cuts the unit off, which is then a text of its own. */
static char *cut_unit(char *words) {
    const size_t length = strlen(words);
    char *open = length && words[length - 1] == ']' ? strrchr(words, '[') : NULL;
    if (!open || (open > words && open[-1] != ' ')) return words + length;
    words[length - 1] = 0;
    *open = 0;
    if (open > words) open[-1] = 0;
    return open + 1;
}

/* actor | critic */
static myr_status read_group(reading *r, int *critic) {
    char word[MYR_TABLE_NAME];
    next_word(r, word);
    *critic = !strcmp(word, "critic");
    if (*critic || !strcmp(word, "actor")) return MYR_OK;
    return myr_fail(MYR_E_FORMAT, "%s:%d: a group of observations is `actor` or `critic`, not `%s`", r->t->label, r->line, word);
}

/* NAME [group GROUP] [scale NUMBER] [noise NUMBER] [late] [optional] [:] words */
static myr_status read_observed(reading *r) {
    myr_task_table *t = r->t;
    myr_table_observed o = {.line = r->line, .scale = {.value = 1, .number = -1}, .noise = {.number = -1}};
    myr_status status = read_name(r, "a part of the observation", o.name);
    while (!status) {
        const char *before = r->in.at;
        char word[MYR_TABLE_NAME];
        next_word(r, word);
        if (!strcmp(word, "group"))
            status = read_group(r, &o.critic);
        else if (!strcmp(word, "scale"))
            status = read_number(r, "its factor", &o.scale), o.noisy = 1;
        else if (!strcmp(word, "noise"))
            status = read_number(r, "its noise", &o.noise), o.noisy = 1;
        else if (!strcmp(word, "history"))
            status = read_count(r, "how many control steps are seen", MYR_TASK_HISTORY, &o.frames);
        else if (!strcmp(word, "late"))
            o.late = 1;
        else if (!strcmp(word, "optional"))
            o.optional = 1;
        else if (!strcmp(word, ":"))
            break; /* words follow, whatever they begin with */
        else {
            r->in.at = before;
            break;
        }
    }
    for (int k = 0; k < t->n_observed && !status; k++)
        if (!strcmp(t->observed[k].name, o.name) && t->observed[k].critic == o.critic) status = taken(r, "part of the observation", o.name);
    if (status) return status;
    if (t->n_observed == MYR_TASK_OBSERVED) return too_many(r, "parts of the observation", MYR_TASK_OBSERVED);
    if (!(o.doc = rest(r))) return no_memory();
    o.unit = cut_unit(o.doc);
    t->observed[t->n_observed++] = o;
    return MYR_OK;
}

/* NAME | critic.NAME | action, and numbers that are read later. */
static myr_status read_mirror(reading *r) {
    myr_task_table *t = r->t;
    myr_table_mirror m = {.line = r->line};
    const myr_status status = read_name(r, "a part of the observation", m.name);
    for (int k = 0; k < t->n_mirrors && !status; k++)
        if (!strcmp(t->mirrors[k].name, m.name)) return taken(r, "mirror image of", m.name);
    if (status) return status;
    if (t->n_mirrors == MYR_TASK_MIRRORS) return too_many(r, "mirror images", MYR_TASK_MIRRORS);
    m.begin = (size_t)(r->in.at - t->text), m.end = (size_t)(r->in.end - t->text);
    t->mirrors[t->n_mirrors++] = m;
    r->in.at = r->in.end;
    return MYR_OK;
}

static myr_status read_floor(reading *r) {
    const myr_status status = read_number(r, "whether the reward has a floor (1 or 0)", &r->t->floor);
    return status ? status : over(r);
}

static myr_status read_about(reading *r) {
    myr_release(r->t->about);
    return (r->t->about = rest(r)) ? MYR_OK : no_memory();
}

/* A path may have blanks. */
static myr_status read_robot(reading *r) {
    myr_release(r->t->robot);
    return (r->t->robot = rest(r)) ? MYR_OK : no_memory();
}

/* KEY VALUE, tried here so that a message has the line. */
static myr_status read_setting(reading *r) {
    myr_task_table *t = r->t;
    myr_table_setting s;
    myr_settings tried = myr_settings_default();
    const size_t key = next_word(r, s.key), value = next_word(r, s.value);
    if (!key || !value || key >= MYR_TABLE_NAME || value >= MYR_TABLE_NAME)
        return myr_fail(MYR_E_FORMAT, "%s:%d: a setting is a key and a value", t->label, r->line);
    if (!strcmp(s.key, "task"))
        return myr_fail(MYR_E_FORMAT, "%s:%d: the task is this one: leave the setting `task` out", t->label, r->line);
    if (myr_settings_set(&tried, s.key, s.value)) {
        char why[400];
        snprintf(why, sizeof why, "%s", myr_message());
        return myr_fail(MYR_E_FORMAT, "%s:%d: %s", t->label, r->line, why);
    }
    if (t->n_settings == MYR_TASK_SETTINGS) return too_many(r, "settings", MYR_TASK_SETTINGS);
    t->settings[t->n_settings++] = s;
    return over(r);
}

/* What those read who load its robot or train it. */
static myr_status skip(reading *r) { return r->in.at = r->in.end, MYR_OK; }

static const struct {
    const char *word;
    myr_status (*read)(reading *r);
} lines[] = {{"name", read_title},      {"about", read_about},   {"robot", read_robot},      {"setting", read_setting},
             {"train", skip},           {"feet", skip},          {"sensor", skip},           {"learner", skip},
             {"needs", read_needs},     {"uses", read_uses},     {"gains", read_gains},      {"gain", read_gain},
             {"actions", read_actions}, {"number", read_own},    {"memory", read_memory},    {"command", read_command},
             {"reward", read_reward},   {"metric", read_metric}, {"observe", read_observed}, {"floor", read_floor},
             {"mirror", read_mirror},   {"stage", skip}};

/* ---- all of them ------------------------------------------------------------------------------------------------------------ */

static myr_status read_line(reading *r, const char *word) {
    myr_words words = {0};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        if (!strcmp(lines[k].word, word)) return lines[k].read(r);
        myr_words_add(&words, lines[k].word);
    }
    char hint[MYR_WORD_BYTES + 24];
    myr_words_hint(&words, word, hint, sizeof hint);
    return myr_fail(MYR_E_FORMAT, "%s:%d: a task has no line `%s`%s", r->t->label, r->line, word, hint);
}

/* Which moment begins here; MYR_MOMENTS with a status: there is none of this name. */
static myr_status read_moment(reading *r, int *moment) {
    char word[MYR_TABLE_NAME], hint[MYR_WORD_BYTES + 24];
    myr_words words = {0};
    next_word(r, word);
    for (*moment = 0; *moment < MYR_MOMENTS; ++*moment) {
        if (!strcmp(myr_moment_text(*moment), word)) break;
        myr_words_add(&words, myr_moment_text(*moment));
    }
    if (*moment == MYR_MOMENTS) {
        myr_words_hint(&words, word, hint, sizeof hint);
        return myr_fail(MYR_E_FORMAT, "%s:%d: there is no moment `%s`%s", r->t->label, r->line, word, hint);
    }
    if (r->t->moments[*moment].line) return taken(r, "moment", word);
    return over(r);
}

static myr_status read_lines(reading *r) {
    myr_task_table *t = r->t;
    const char *const end = t->text + t->length;
    int moment = -1;
    myr_status status = MYR_OK;
    for (const char *line = t->text; line < end && !status; r->line++) {
        char word[MYR_TABLE_NAME], version[MYR_TABLE_NAME] = "";
        const char *next = myr_line_take(&r->in, line, end);
        const size_t found = next_word(r, word);
        if (r->line == 1) {
            next_word(r, version);
            if (strcmp(word, "myriapod_task") != 0 || strcmp(version, "1") != 0)
                status = myr_fail(MYR_E_FORMAT, "%s:1: a task begins with `myriapod_task 1`", t->label);
        } else if (!strcmp(word, "moment")) {
            if (moment >= 0) t->moments[moment].end = (size_t)(line - t->text);
            if (!(status = read_moment(r, &moment)))
                t->moments[moment] = (myr_table_moment){(size_t)(next - t->text), t->length, r->line + 1};
        } else if (moment < 0 && found)
            status = read_line(r, word);
        line = next;
    }
    if (!status && r->line == 1) status = myr_fail(MYR_E_FORMAT, "%s:1: a task begins with `myriapod_task 1`", t->label);
    if (!status && !t->moments[MYR_MOMENT_OBSERVE].line) status = myr_fail(MYR_E_FORMAT, "%s: it has no moment `observe`", t->label);
    if (!status && !t->moments[MYR_MOMENT_JUDGE].line) status = myr_fail(MYR_E_FORMAT, "%s: it has no moment `judge`", t->label);
    const int acts = t->moments[MYR_MOMENT_ACT].line;
    if (!status && !t->actions != !acts)
        status =
            acts ? myr_fail(MYR_E_FORMAT, "%s:%d: the moment `act` wants a line `actions ROWS`: how many numbers they have", t->label, acts)
                 : myr_fail(MYR_E_FORMAT, "%s: it has `actions %d`, but no moment `act`, which says what they do", t->label, t->actions);
    if (!status && t->command && !t->moments[MYR_MOMENT_COMMAND].line)
        status = myr_fail(MYR_E_FORMAT, "%s: it has a command, but no moment `command`", t->label);
    return status;
}

myr_status myr_task_table_read(const char *text, size_t length, const char *label, myr_task_table **out) {
    MYR_OWN_ARITHMETIC;
    if (!out) return myr_fail(MYR_E_ARG, "myr_task_table_read: out is NULL");
    *out = NULL;
    if (!text) return myr_fail(MYR_E_ARG, "myr_task_table_read: text is NULL");
    if (!label) label = "task";
    myr_status status = myr_lines_check(text, length, label);
    if (status) return status;
    myr_task_table *t = myr_allocate_array(1, sizeof *t);
    if (!t) return no_memory();
    atomic_init(&t->references, 1);
    reading r = {.t = t, .line = 1, .plain = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    t->length = length;
    t->text = myr_allocate_array(length + 1, 1);
    t->label = myr_copy_text(label);
    t->termination.number = t->floor.number = t->command_every.number = t->kp.number = t->kd.number = -1;
    snprintf(t->name, sizeof t->name, "%s", "task");
    if (t->text) memcpy(t->text, text, length);
    status = t->text && t->label && r.plain ? read_lines(&r) : no_memory();
    if (r.plain) freelocale(r.plain);
    if (status)
        myr_task_table_free(t);
    else
        *out = t;
    return status;
}
