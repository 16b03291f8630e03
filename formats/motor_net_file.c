/* The file of a net: JSON of one object, whose members are words, numbers, and arrays of numbers. A list is believed up to the limits of
 * motor_net.h: a hostile file costs no more memory than its own length. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/file.h"
#include "base/memory.h"
#include "model/motor_net.h"
#include "xml.h" /* numbers, whatever the locale */

enum { VERSION = 1, LISTS = MYR_MOTOR_NET_LAYERS + 1, WORD = 64 };

typedef struct numbers {
    double *at;
    int count, capacity;
} numbers;

/* An array of the file: where its numbers begin in `numbers`, and its shape. */
typedef struct matrix {
    int first, rows, columns;
} matrix;

typedef enum { WEIGHTS, RECURRENT, BIASES, ARRAYS } array_id;

typedef struct reader {
    const char *label, *begin, *at;
    char key[WORD];
    numbers all;
    int version, given[ARRAYS], n[ARRAYS];
    matrix list[ARRAYS][LISTS];
    myr_motor_net_def def;
} reader;

static const char *const array_names[ARRAYS] = {"weights", "recurrent", "biases"};

/* "FILE:LINE: ..." */
static __attribute__((format(printf, 2, 3))) myr_status refuse(const reader *r, const char *format, ...) {
    char text[512];
    int line = 1;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (const char *c = r->begin; c < r->at; c++) line += *c == '\n';
    return myr_fail(MYR_E_FORMAT, "%.1000s:%d: %s", r->label, line, text);
}

static void pass_space(reader *r) {
    while (myr_xml_is_space(*r->at)) r->at++;
}

/* 1: the character was there, and is passed. */
static int pass(reader *r, char c) {
    pass_space(r);
    if (*r->at != c) return 0;
    r->at++;
    return 1;
}

/* A word in quotation marks, without escapes. */
static myr_status read_word(reader *r, const char *what, char word[WORD]) {
    if (!pass(r, '"')) return refuse(r, "%s is not a word in quotation marks", what);
    const size_t length = strcspn(r->at, "\"\\\n");
    if (r->at[length] != '"' || length >= WORD)
        return refuse(r, "%s is `%.*s...`, which does not end, or has more than %d letters", what, length < 20 ? (int)length : 20, r->at,
                      WORD - 1);
    memcpy(word, r->at, length);
    word[length] = '\0';
    r->at += length + 1;
    return MYR_OK;
}

static myr_status read_number(reader *r, const char *what, double *value) {
    pass_space(r);
    char token[WORD];
    const size_t length = strcspn(r->at, ",]} \t\r\n");
    const char *at = token;
    if (length < WORD) memcpy(token, r->at, length), token[length] = '\0';
    if (length >= WORD || !length || !(*r->at == '-' || (*r->at >= '0' && *r->at <= '9')) || !myr_xml_number(&at, value) || *at)
        return refuse(r, "%s is `%.*s`, which is not a number", what, length < 20 ? (int)length : 20, r->at);
    if (!(*value >= -1e30 && *value <= 1e30)) return refuse(r, "%s is %g, but must be a number of at most 1e30", what, *value);
    r->at += length;
    return MYR_OK;
}

static myr_status read_whole(reader *r, const char *what, int least, int most, int *value) {
    double number;
    const myr_status status = read_number(r, what, &number);
    if (status) return status;
    if (!(number >= least && number <= most && number == (int)number))
        return refuse(r, "%s is %g, but must be a whole number, %d to %d", what, number, least, most);
    *value = (int)number;
    return MYR_OK;
}

/* "[1, 2, 3]" behind all numbers that there are; *count of them, at most `most`. */
static myr_status read_row(reader *r, const char *what, int most, int *count) {
    char place[WORD + 48];
    *count = 0;
    if (!pass(r, '[')) return refuse(r, "%s is not a list", what);
    do {
        snprintf(place, sizeof place, "%s[%d]", what, *count);
        if (*count == most) return refuse(r, "%s has more than %d numbers", what, most);
        if (!myr_grow((void **)&r->all.at, &r->all.capacity, r->all.count, sizeof *r->all.at))
            return myr_fail(MYR_E_MEMORY, "%.1000s: out of memory", r->label);
        const myr_status status = read_number(r, place, &r->all.at[r->all.count]);
        if (status) return status;
        r->all.count++, ++*count;
    } while (pass(r, ','));
    return pass(r, ']') ? MYR_OK : refuse(r, "%s: `,` or `]` is missing behind number %d", what, *count - 1);
}

static myr_status read_matrix(reader *r, const char *what, matrix *m) {
    char place[WORD + 24];
    m->first = r->all.count, m->rows = 0;
    if (!pass(r, '[')) return refuse(r, "%s is not a list of rows", what);
    do {
        int columns;
        snprintf(place, sizeof place, "%s[%d]", what, m->rows);
        if (m->rows == 4 * MYR_MOTOR_NET_UNITS) return refuse(r, "%s has more than %d rows", what, 4 * MYR_MOTOR_NET_UNITS);
        const myr_status status = read_row(r, place, MYR_MOTOR_NET_UNITS, &columns);
        if (status) return status;
        if (m->rows++ && columns != m->columns) return refuse(r, "%s has %d numbers, the rows before it %d", place, columns, m->columns);
        m->columns = columns;
    } while (pass(r, ','));
    return pass(r, ']') ? MYR_OK : refuse(r, "%s: `,` or `]` is missing behind row %d", what, m->rows - 1);
}

static myr_status read_arrays(reader *r, array_id id) {
    char place[WORD];
    if (!pass(r, '[')) return refuse(r, "`%s` is not a list", r->key);
    do {
        if (r->n[id] == LISTS)
            return refuse(r, "`%s` has more than %d members: a net has at most %d layers and the last one", r->key, LISTS,
                          MYR_MOTOR_NET_LAYERS);
        matrix *m = &r->list[id][r->n[id]];
        snprintf(place, sizeof place, "%s[%d]", array_names[id], r->n[id]);
        myr_status status;
        if (id == BIASES)
            m->first = r->all.count, m->columns = 1, status = read_row(r, place, 4 * MYR_MOTOR_NET_UNITS, &m->rows);
        else
            status = read_matrix(r, place, m);
        if (status) return status;
        r->n[id]++;
    } while (pass(r, ','));
    return pass(r, ']') ? MYR_OK : refuse(r, "`%s`: `,` or `]` is missing behind member %d", r->key, r->n[id] - 1);
}

/* One of the words; its number. */
static myr_status read_choice(reader *r, const char *const *words, int n, int *choice) {
    char word[WORD], what[WORD + 8];
    snprintf(what, sizeof what, "`%s`", r->key);
    const myr_status status = read_word(r, what, word);
    if (status) return status;
    for (*choice = 0; *choice < n; ++*choice)
        if (!strcmp(word, words[*choice])) return MYR_OK;
    const char *near = myr_nearest(word, words, (size_t)n);
    return refuse(r, "%s is `%s`, but must be one of %s, ..%s%s%s", what, word, words[0], near ? "; did you mean `" : "", near ? near : "",
                  near ? "`?" : "");
}

static myr_status read_history(reader *r) {
    const int first = r->all.count;
    const myr_status status = read_row(r, "history", MYR_MOTOR_NET_HISTORY, &r->def.n_history);
    if (status) return status;
    for (int i = 0; i < r->def.n_history; i++) {
        const double back = r->all.at[first + i];
        if (!(back >= 0 && back <= MYR_MOTOR_NET_BACK && back == (int)back))
            return refuse(r, "history[%d] is %g, but must be a whole number, 0 to %d", i, back, MYR_MOTOR_NET_BACK);
        r->def.history[i] = (int)back;
    }
    return MYR_OK;
}

/* The member whose key was read. */
static myr_status read_member(reader *r) {
    static const char *const keys[] = {"myriapod_motor_net", "kind",         "activation", "history",   "position_scale",
                                       "velocity_scale",     "torque_scale", "weights",    "recurrent", "biases"};
    static const char *const activations[] = {"tanh", "elu", "softsign", "relu"}, *const kinds[] = {"net_mlp", "net_lstm"};
    enum { MEMBERS = sizeof keys / sizeof *keys };
    int member = 0, choice = 0;
    while (member < MEMBERS && strcmp(r->key, keys[member]) != 0) member++;
    double *const scales[] = {&r->def.position_scale, &r->def.velocity_scale, &r->def.torque_scale};
    myr_status status;
    switch (member) {
    case 0: return read_whole(r, "`myriapod_motor_net`", VERSION, VERSION, &r->version);
    case 1:
        status = read_choice(r, kinds, 2, &choice);
        r->def.kind = choice ? MYR_MOTOR_NET_LSTM : MYR_MOTOR_NET_MLP;
        return status;
    case 2:
        status = read_choice(r, activations, MYR_NET_ACTIVATIONS, &choice);
        r->def.activation = (myr_net_activation)choice;
        return status;
    case 3: return read_history(r);
    case 4:
    case 5:
    case 6: return read_number(r, keys[member], scales[member - 4]);
    case 7:
    case 8:
    case 9:
        if (r->given[member - 7]++) return refuse(r, "`%s` is there twice", r->key);
        return read_arrays(r, (array_id)(member - 7));
    default: break;
    }
    const char *near = myr_nearest(r->key, keys, MEMBERS);
    return refuse(r, "a net has no `%s`%s%s%s", r->key, near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
}

static myr_status read_object(reader *r) {
    if (!pass(r, '{')) return refuse(r, "it is not a JSON object: `{` is missing");
    do {
        myr_status status = read_word(r, "a key", r->key);
        if (!status && !pass(r, ':')) status = refuse(r, "`:` is missing behind `%s`", r->key);
        if (!status) status = read_member(r);
        if (status) return status;
    } while (pass(r, ','));
    if (!pass(r, '}')) return refuse(r, "`,` or `}` is missing behind `%s`", r->key);
    pass_space(r);
    return *r->at ? refuse(r, "something follows the object") : MYR_OK;
}

/* Sizes as the arrays have them, and whether they are of one net. */
static myr_status take_arrays(reader *r) {
    myr_motor_net_def *d = &r->def;
    const int is_lstm = d->kind == MYR_MOTOR_NET_LSTM;
    if (!r->version || !d->kind) return refuse(r, "`%s` is missing", r->version ? "kind" : "myriapod_motor_net");
    d->n_layers = r->n[WEIGHTS] - 1;
    if (d->n_layers < 1)
        return refuse(r, "`weights` has %d members, but must have those of 1 layer and the last one at least", d->n_layers + 1);
    const int wanted[ARRAYS] = {d->n_layers + 1, is_lstm ? d->n_layers : 0, d->n_layers + 1};
    for (int id = 0; id < ARRAYS; id++)
        if (r->n[id] != wanted[id])
            return refuse(r, "`%s` has %d members, but must have %d: `weights` has %d", array_names[id], r->n[id], wanted[id],
                          d->n_layers + 1);
    for (int l = 0; l < d->n_layers; l++) {
        const int rows = r->list[WEIGHTS][l].rows;
        d->units[l] = is_lstm ? rows / 4 : rows;
        if ((is_lstm && rows % 4) || d->units[l] > MYR_MOTOR_NET_UNITS)
            return refuse(r, "weights[%d] has %d rows, but must have %s, %d units at most", l, rows,
                          is_lstm ? "four of each unit" : "one of each unit", MYR_MOTOR_NET_UNITS);
    }
    for (int l = 0; l <= d->n_layers; l++)
        for (int id = 0; id < ARRAYS; id++) {
            const matrix *m = &r->list[id][l];
            if (l >= r->n[id]) continue;
            const int rows = myr_motor_net_rows(d, l), columns = id == BIASES      ? 1
                                                                 : id == RECURRENT ? d->units[l]
                                                                                   : myr_motor_net_columns(d, l);
            if (m->rows != rows || m->columns != columns)
                return refuse(r, "%s[%d] has %d rows of %d numbers, but must have %d of %d", array_names[id], l, m->rows, m->columns, rows,
                              columns);
            const double *at = r->all.at + m->first;
            *(id == WEIGHTS ? &d->weights[l] : id == BIASES ? &d->biases[l] : &d->recurrent[l]) = at;
        }
    return MYR_OK;
}

myr_status myr_motor_net_parse(const char *label, const char *text, size_t length, myr_motor_net **out) {
    reader r = {.label = label, .begin = text, .at = text, .def = myr_motor_net_def_default()};
    r.def.kind = MYR_MOTOR_PD; /* none yet */
    myr_status status = read_object(&r);
    if (!status && (size_t)(r.at - text) != length) status = refuse(&r, "something follows the object");
    if (!status) status = take_arrays(&r);
    if (!status) status = myr_motor_net_make(label, 1, &r.def, out);
    myr_release(r.all.at);
    return status;
}

myr_status myr_motor_net_read(const char *path, myr_motor_net **out) {
    MYR_OWN_ARITHMETIC;
    if (out) *out = NULL;
    if (!path || !out) return myr_fail(MYR_E_ARG, "myr_motor_net_read: `%s` is NULL", path ? "out" : "path");
    char *text = NULL;
    size_t length;
    myr_status status = myr_read_whole(path, &text, &length);
    if (!status) status = myr_motor_net_parse(path, text, length, out);
    myr_release(text);
    return status;
}
