/* The text of a program: a line for each value, of words between blanks. `#` begins a comment.
 *
 *     myriapod_program 1               the version; the first line
 *     name upright                     may be left out
 *     input q 19                       rows
 *     constant down 0 0 -1
 *     turn = slice q 3 4
 *     seen = quat_rotate_back turn down
 *     level = dot seen down            numbers may stand where registers do: mul level 0.5
 *     output reward level */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/memory.h"
#include "base/message.h"
#include "machine/machine.h"
#include "programs/line.h"
#include "programs/program.h"

enum { NAME_BYTES = MYR_LINE_WORD, ABSENT = 32 /* optional inputs at most */ };

typedef struct reading {
    myr_program *p;
    const char *label;
    int line;
    myr_line in; /* what is left of it */
    locale_t plain;
    const myr_program_source *source; /* of inputs; NULL: the text says their rows */
    int outputs;                      /* that the text has */
    int n_absent;
    char absent[ABSENT][NAME_BYTES]; /* optional inputs that are not there */
    int *names, n_names;             /* a table of hashes: values by name, from 1 */
} reading;

static myr_status no_memory(void) { return myr_fail(MYR_E_MEMORY, "out of memory for a program"); }

static size_t next_word(reading *r, char word[NAME_BYTES]) { return myr_line_word(&r->in, word); }

static uint64_t hash_of(const char *name) {
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *name; name++) h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return h ^ h >> 32;
}

enum { TABLE = 4 * MYR_PROGRAM_LINES }; /* numbers within lines have no names */

static int *place_of(const reading *r, const char *name) {
    size_t at = (size_t)hash_of(name) % TABLE;
    while (r->names[at] && strcmp(r->p->values[r->names[at] - 1].name, name) != 0) at = (at + 1) % TABLE;
    return &r->names[at];
}

static myr_status unknown(const reading *r, const char *what, const char *word, const myr_words *words) {
    char hint[MYR_WORD_BYTES + 24];
    myr_words_hint(words, word, hint, sizeof hint);
    return myr_fail(MYR_E_FORMAT, "%s:%d: there is no %s `%s`%s", r->label, r->line, what, word, hint);
}

static int add_number(myr_program *p, double number) {
    if (!myr_grow((void **)&p->numbers, &p->number_capacity, p->n_numbers, sizeof *p->numbers)) return 0;
    p->numbers[p->n_numbers++] = number;
    return 1;
}

/* At the end of the values; its name, which it then owns, may not be taken. */
static myr_status add_value(reading *r, myr_value *v, const char *name) {
    myr_program *p = r->p;
    v->line = r->line;
    if (p->n_values >= MYR_PROGRAM_LINES) return myr_fail(MYR_E_LIMIT, "%s:%d: more than %d values", r->label, r->line, MYR_PROGRAM_LINES);
    if (name && *place_of(r, name))
        return myr_fail(MYR_E_FORMAT, "%s:%d: `%s` is taken: line %d", r->label, r->line, name, p->values[*place_of(r, name) - 1].line);
    if (!myr_grow((void **)&p->values, &p->value_capacity, p->n_values, sizeof *p->values)) return no_memory();
    v->name = NULL;
    p->values[p->n_values++] = *v; /* what it owns goes with the program from here on */
    myr_value *kept = &p->values[p->n_values - 1];
    if (!name) return MYR_OK;
    if (!(kept->name = myr_copy_text(name))) return no_memory();
    int *place = place_of(r, name);
    *place = p->n_values;
    r->n_names++;
    return MYR_OK;
}

static myr_status read_name(reading *r, const char *what, char name[NAME_BYTES]) {
    const size_t length = next_word(r, name);
    if (myr_line_is_name(name, length)) return MYR_OK;
    return myr_fail(MYR_E_FORMAT, "%s:%d: `%s` is not a name of %s: letters, digits and _ . - / [ ], not a digit first, below %d", r->label,
                    r->line, name, what, NAME_BYTES);
}

/* Rows as the text has them: a number, or `like` an input that is known; 0: it has none. `optional`: it need not be there. */
static myr_status read_rows(reading *r, const char *name, int *rows, int *optional) {
    char word[NAME_BYTES], other[NAME_BYTES];
    const double *numbers;
    double number;
    *rows = *optional = 0;
    if (!next_word(r, word) && r->source) return MYR_OK;
    if (r->source && !strcmp(word, "optional") && !next_word(r, other)) return *optional = 1, MYR_OK;
    if (r->source && !strcmp(word, "like") && next_word(r, other))
        return r->source->find(r->source->context, r->label, r->line, other, rows, &numbers);
    if (!myr_line_is_number(word, r->plain, &number) || !(number >= 1 && number <= MYR_PROGRAM_ROWS) || number != floor(number) ||
        next_word(r, word))
        return myr_fail(MYR_E_FORMAT, "%s:%d: the input `%s` needs a number of rows, 1 to %d, and no more", r->label, r->line, name,
                        MYR_PROGRAM_ROWS);
    *rows = (int)number;
    return MYR_OK;
}

/* One that is the same for all becomes a constant. */
static myr_status read_input(reading *r) {
    char name[NAME_BYTES];
    const double *numbers = NULL;
    myr_value v = {.op = MYR_OP_INPUT};
    myr_status status = read_name(r, "an input", name);
    int optional = 0;
    if (!status) status = read_rows(r, name, &v.n, &optional);
    if (status || !r->source) return status ? status : add_value(r, &v, name);
    int known = v.n;
    status = r->source->find(r->source->context, r->label, r->line, name, &known, &numbers);
    if (status && optional && r->n_absent < ABSENT) return snprintf(r->absent[r->n_absent++], NAME_BYTES, "%s", name), MYR_OK;
    if (status) return status;
    if (v.n && v.n != known)
        return myr_fail(MYR_E_FORMAT, "%s:%d: the input `%s` has %d row%s here, not %d", r->label, r->line, name, known,
                        known == 1 ? "" : "s", v.n);
    v.n = known;
    if (!numbers) return add_value(r, &v, name);
    v.op = MYR_OP_CONSTANT, v.ints = r->p->n_numbers, v.n_ints = v.n;
    for (int k = 0; k < v.n; k++)
        if (!add_number(r->p, numbers[k])) return no_memory();
    return add_value(r, &v, name);
}

static myr_status read_constant(reading *r) {
    char name[NAME_BYTES], word[NAME_BYTES];
    double number;
    myr_value v = {.op = MYR_OP_CONSTANT, .ints = r->p->n_numbers};
    myr_status status = read_name(r, "a constant", name);
    if (status) return status;
    while (next_word(r, word)) {
        if (!myr_line_is_number(word, r->plain, &number) || !isfinite(number))
            return myr_fail(MYR_E_FORMAT, "%s:%d: `%s`: `%s` is not a finite number", r->label, r->line, name, word);
        if (v.n == MYR_PROGRAM_ROWS * 64)
            return myr_fail(MYR_E_LIMIT, "%s:%d: `%s` has more than %d numbers", r->label, r->line, name, v.n);
        if (!add_number(r->p, number)) return no_memory();
        v.n++;
    }
    if (!v.n) return myr_fail(MYR_E_FORMAT, "%s:%d: `%s` has no numbers", r->label, r->line, name);
    v.n_ints = v.n;
    return add_value(r, &v, name);
}

static int is_absent(const reading *r, const char *word) {
    for (int k = 0; k < r->n_absent; k++)
        if (!strcmp(r->absent[k], word)) return 1;
    return 0;
}

/* A register by its name, or a number, which becomes one. -1: `*status` says why not. */
static int operand(reading *r, const char *word, myr_status *status) {
    double number;
    *status = MYR_OK;
    if (myr_line_is_number(word, r->plain, &number)) {
        myr_value v = {.op = MYR_OP_CONSTANT, .ints = r->p->n_numbers, .n = 1, .n_ints = 1};
        *status = !isfinite(number)           ? myr_fail(MYR_E_FORMAT, "%s:%d: `%s` is not a finite number", r->label, r->line, word)
                  : !add_number(r->p, number) ? no_memory()
                                              : add_value(r, &v, NULL);
        return *status ? -1 : r->p->n_values - 1;
    }
    const int known = strlen(word) + 1 < NAME_BYTES ? *place_of(r, word) : 0;
    if (known) return known - 1;
    if (is_absent(r, word)) {
        *status = myr_fail(MYR_E_FORMAT, "%s:%d: the optional input `%s` is not there, and only an output may do without it", r->label,
                           r->line, word);
        return -1;
    }
    myr_words words = {0};
    for (int i = 0; i < r->p->n_values; i++)
        if (r->p->values[i].name) myr_words_add(&words, r->p->values[i].name);
    *status = unknown(r, "register", word, &words);
    return -1;
}

/* NAME = OP words: so many registers as it takes, then whole numbers. */
static myr_status read_line(reading *r, const char *name) {
    char word[NAME_BYTES];
    int args[MYR_MOST_WORDS], n = 0;
    double number;
    myr_status status = MYR_OK;
    if (!next_word(r, word)) return myr_fail(MYR_E_FORMAT, "%s:%d: nothing follows `%s =`", r->label, r->line, name);
    const int op = myr_op_find(word);
    if (op < 0) {
        myr_words words = {0};
        for (int k = 0; myr_program_op_name(k); k++) myr_words_add(&words, myr_program_op_name(k));
        return unknown(r, "instruction", word, &words);
    }
    const int takes = myr_op_kinds[op].args, most = takes < 0 ? MYR_MOST_WORDS : takes;
    while (n < most && !status && next_word(r, word)) args[n++] = operand(r, word, &status);
    if (status) return status;
    myr_value v = {.op = (myr_op)op, .args = r->p->n_lists, .n_args = n};
    for (int k = 0; k < n; k++)
        if (!myr_program_add_list(r->p, args[k])) return no_memory();
    v.ints = r->p->n_lists;
    while (next_word(r, word)) {
        if (takes < 0 && n == most) return myr_fail(MYR_E_LIMIT, "%s:%d: `%s` takes at most %d registers", r->label, r->line, name, most);
        if (!myr_line_is_number(word, r->plain, &number) || number != floor(number) || fabs(number) > 1e9)
            return myr_fail(MYR_E_FORMAT, "%s:%d: `%s`: %s takes %d register%s, and `%s` is not a whole number", r->label, r->line, name,
                            myr_op_kinds[op].name, takes, takes == 1 ? "" : "s", word);
        if (!myr_program_add_list(r->p, (int)number)) return no_memory();
        v.n_ints++;
    }
    v.name = (char *)(uintptr_t)name, v.line = r->line; /* for messages; add_value copies it */
    status = myr_program_size(r->p, &v, r->label);
    return status ? status : add_value(r, &v, name);
}

static myr_status read_output(reading *r) {
    char name[NAME_BYTES], word[NAME_BYTES], more[NAME_BYTES];
    myr_program *p = r->p;
    myr_status status = read_name(r, "an output", name);
    if (status) return status;
    if (!next_word(r, word) || next_word(r, more))
        return myr_fail(MYR_E_FORMAT, "%s:%d: the output `%s` needs one register", r->label, r->line, name);
    for (int o = 0; o < p->n_outputs; o++)
        if (!strcmp(p->outputs[o].name, name))
            return myr_fail(MYR_E_FORMAT, "%s:%d: there is an output `%s` already", r->label, r->line, name);
    if (is_absent(r, word)) return r->outputs++, MYR_OK;
    const int value = operand(r, word, &status);
    if (status) return status;
    r->outputs++;
    if (r->source && !r->source->wanted(r->source->context, name)) return MYR_OK;
    if (p->n_outputs == MYR_PROGRAM_INSTRUCTIONS)
        return myr_fail(MYR_E_LIMIT, "%s:%d: more than %d outputs", r->label, r->line, p->n_outputs);
    if (!myr_grow((void **)&p->outputs, &p->output_capacity, p->n_outputs, sizeof *p->outputs)) return no_memory();
    p->outputs[p->n_outputs] = (myr_program_output){myr_copy_text(name), value};
    return p->outputs[p->n_outputs++].name ? MYR_OK : no_memory();
}

static myr_status read_words(reading *r) {
    char word[NAME_BYTES], equals[NAME_BYTES];
    const size_t length = next_word(r, word);
    if (!length) return MYR_OK;
    if (!strcmp(word, "input")) return read_input(r);
    if (!strcmp(word, "constant")) return read_constant(r);
    if (!strcmp(word, "output")) return read_output(r);
    if (!strcmp(word, "name")) {
        const myr_status status = read_name(r, "a program", word);
        if (status) return status;
        myr_release(r->p->name);
        return (r->p->name = myr_copy_text(word)) ? MYR_OK : no_memory();
    }
    if (next_word(r, equals) != 1 || equals[0] != '=')
        return myr_fail(MYR_E_FORMAT, "%s:%d: `%s` is neither input, constant, output, name nor NAME = ..", r->label, r->line, word);
    if (!myr_line_is_name(word, length)) return myr_fail(MYR_E_FORMAT, "%s:%d: `%s` is not a name of a register", r->label, r->line, word);
    return read_line(r, word);
}

static myr_status read_lines(reading *r, const char *text, size_t length) {
    const char *const over = text + length;
    myr_status status = MYR_OK;
    for (const char *line = text; line < over && !status; r->line++) {
        const char *next = myr_line_take(&r->in, line, over);
        status = read_words(r);
        line = next;
    }
    if (!status && !r->outputs) status = myr_fail(MYR_E_FORMAT, "%s: it has no output", r->label);
    return status;
}

myr_status myr_program_read_lines(const char *text, size_t length, const char *label, int line, const myr_program_source *source,
                                  myr_program **out) {
    reading r = {.label = label, .line = line, .source = source};
    *out = NULL;
    r.p = myr_allocate_array(1, sizeof *r.p);
    r.names = myr_allocate_array(TABLE, sizeof *r.names);
    r.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const int made =
        r.p && r.names && r.plain && myr_program_add_list(r.p, 0) && add_number(r.p, 0); /* lists that exist, even where all are empty */
    myr_status status = made ? read_lines(&r, text, length) : no_memory();
    if (!status) status = myr_program_tidy(r.p);
    if (!status) status = myr_program_fold(r.p);
    if (!status) status = myr_program_tidy(r.p);
    if (!status) status = myr_program_compile(r.p, r.label);
    if (r.plain) freelocale(r.plain);
    myr_release(r.names);
    if (status) {
        myr_program_free(r.p);
        return status;
    }
    r.p->hash = myr_program_hash_of(r.p);
    *out = r.p;
    return MYR_OK;
}

/* The first line says what it is. Its length, the line's end included; 0: it is something else. */
static size_t first_line(const char *text, size_t length) {
    char word[NAME_BYTES], version[NAME_BYTES];
    myr_line line;
    const char *next = myr_line_take(&line, text, text + length);
    myr_line_word(&line, word), myr_line_word(&line, version);
    if (strcmp(word, "myriapod_program") != 0 || strcmp(version, "1") != 0) return 0;
    return (size_t)(next - text);
}

myr_status myr_program_read(const char *text, size_t length, const char *label, myr_program **out) {
    MYR_OWN_ARITHMETIC;
    if (!out) return myr_fail(MYR_E_ARG, "myr_program_read: out is NULL");
    *out = NULL;
    if (!text) return myr_fail(MYR_E_ARG, "myr_program_read: text is NULL");
    if (!label) label = "program";
    const myr_status status = myr_lines_check(text, length, label);
    if (status) return status;
    const size_t first = first_line(text, length);
    if (!first) return myr_fail(MYR_E_FORMAT, "%s:1: a program begins with `myriapod_program 1`", label);
    return myr_program_read_lines(text + first, length - first, label, 2, NULL, out);
}
