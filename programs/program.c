/* Asking a program, its text, and its life. */
#include "machine/machine.h"
#include "programs/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

void myr_program_free(myr_program *p) {
    if (!p) return;
    for (int i = 0; i < p->n_values; i++) myr_release(p->values[i].name);
    for (int i = 0; i < p->n_outputs; i++) myr_release(p->outputs[i].name);
    void *const arrays[] = {p->values, p->lists, p->numbers, p->outputs, p->code, p->name};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) myr_release(arrays[i]);
    myr_release(p);
}

static uint64_t add_bytes(uint64_t h, const void *data, size_t bytes) { /* FNV-1a */
    for (size_t i = 0; i < bytes; i++) h = (h ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001b3);
    return h;
}

uint64_t myr_program_hash_of(const myr_program *p) {
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < p->n_values; i++) {
        const myr_value *v = &p->values[i];
        const char *op = myr_op_kinds[v->op].name;
        h = add_bytes(h, op, strlen(op) + 1), h = add_bytes(h, &v->n, sizeof v->n);
        h = add_bytes(h, p->lists + v->args, (size_t)v->n_args * sizeof *p->lists);
        if (v->op == MYR_OP_INPUT) h = add_bytes(h, v->name, strlen(v->name) + 1);
        if (v->op == MYR_OP_CONSTANT)
            h = add_bytes(h, p->numbers + v->ints, (size_t)v->n * sizeof *p->numbers);
        else
            h = add_bytes(h, p->lists + v->ints, (size_t)v->n_ints * sizeof *p->lists);
    }
    for (int o = 0; o < p->n_outputs; o++) {
        h = add_bytes(h, p->outputs[o].name, strlen(p->outputs[o].name) + 1);
        h = add_bytes(h, &p->outputs[o].value, sizeof p->outputs[o].value);
    }
    return h;
}

/* Value number `input` of those that the caller gives; NULL: there are fewer. */
static const myr_value *input_of(const myr_program *p, int input) {
    for (int i = 0; i < p->n_values; i++)
        if (p->values[i].op == MYR_OP_INPUT && input-- == 0) return &p->values[i];
    return NULL;
}

void myr_program_get_info(const myr_program *p, myr_program_info *info) {
    if (!info) return;
    memset(info, 0, sizeof *info);
    if (!p) return;
    *info = (myr_program_info){p->name ? p->name : "", 0, p->n_outputs, p->n_code, p->rows, p->hash};
    while (input_of(p, info->inputs)) info->inputs++;
}

void myr_program_get_input(const myr_program *p, int input, const char **name, int *rows) {
    const myr_value *v = p && input >= 0 ? input_of(p, input) : NULL;
    if (name) *name = v ? v->name : NULL;
    if (rows) *rows = v ? v->n : 0;
}

void myr_program_get_output(const myr_program *p, int output, const char **name, int *rows) {
    const int known = p && output >= 0 && output < p->n_outputs;
    if (name) *name = known ? p->outputs[output].name : NULL;
    if (rows) *rows = known ? p->values[p->outputs[output].value].n : 0;
}

/* ---- its text ------------------------------------------------------------------------------------------------------------- */

typedef struct writing {
    char *text;
    size_t used, room; /* of a text that is only measured room is 0 */
} writing;

static void put(writing *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(writing *w, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(w->room ? w->text + w->used : NULL, w->room ? w->room - w->used : 0, format, list);
    va_end(list);
    w->used += n > 0 ? (size_t)n : 0;
}

static void put_operand(writing *w, const myr_program *p, int value) {
    const myr_value *v = &p->values[value];
    if (v->name)
        put(w, " %s", v->name);
    else
        put(w, " %.17g", p->numbers[v->ints]);
}

static void put_value(writing *w, const myr_program *p, const myr_value *v) {
    if (!v->name) return; /* a number within a line */
    if (v->op == MYR_OP_INPUT)
        put(w, "input %s %d", v->name, v->n);
    else if (v->op == MYR_OP_CONSTANT)
        put(w, "constant %s", v->name);
    else
        put(w, "%s = %s", v->name, myr_op_kinds[v->op].name);
    for (int k = 0; k < v->n_args; k++) put_operand(w, p, p->lists[v->args + k]);
    for (int k = 0; k < v->n_ints; k++)
        if (v->op == MYR_OP_CONSTANT)
            put(w, " %.17g", p->numbers[v->ints + k]);
        else
            put(w, " %d", p->lists[v->ints + k]);
    put(w, "\n");
}

static void put_program(writing *w, const myr_program *p) {
    w->used = 0;
    put(w, "myriapod_program 1\n");
    if (p->name) put(w, "name %s\n", p->name);
    for (int i = 0; i < p->n_values; i++) put_value(w, p, &p->values[i]);
    for (int o = 0; o < p->n_outputs; o++) {
        put(w, "output %s", p->outputs[o].name);
        put_operand(w, p, p->outputs[o].value);
        put(w, "\n");
    }
}

char *myr_program_text(const myr_program *p) {
    MYR_OWN_ARITHMETIC;
    writing w = {0};
    if (!p) return NULL;
    put_program(&w, p);
    w.room = w.used + 1;
    w.text = myr_allocate_array(w.room, 1);
    if (w.text) put_program(&w, p);
    for (char *c = w.text; c && *c; c++)
        if (*c == ',') *c = '.'; /* the caller's locale may write numbers so, and nothing else here has one */
    return w.text;
}

void myr_program_free_text(char *text) { myr_release(text); }
