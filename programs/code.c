/* From values to instructions of lanes: each value gets rows, which others get once it has been taken for the last time. Constants and
 * inputs keep theirs: they are filled before a run. Slices have the rows of what they are of, and no instruction; so have inputs that are
 * put together as they lie. */
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "programs/program.h"

/* A product that its sum alone takes, or a difference that is squared: one instruction, and no rows for what no other value takes. Half of
 * what a cost computes is such. */
static void find_pair(myr_program *p, int i) {
    const myr_value *v = &p->values[i];
    const int *args = p->lists + v->args, adds = v->op == MYR_OP_ADD || v->op == MYR_OP_SUB || v->op == MYR_OP_SUM;
    if (!adds && !(v->op == MYR_OP_MUL && args[0] == args[1])) return;
    for (int k = v->n_args - 1; k >= 0; k--) {
        myr_value *part = &p->values[args[k]];
        if (part->op != (adds ? MYR_OP_MUL : MYR_OP_SUB) || part->uses != (adds ? 1 : 2)) continue;
        myr_value *x = &p->values[p->lists[part->args]], *y = &p->values[p->lists[part->args + 1]];
        if ((v->op != MYR_OP_SUM && part->n != v->n) || x->within || y->within) continue;
        part->within = 1;
        if (x->last_use < i) x->last_use = i; /* it is computed later than it was written */
        if (y->last_use < i) y->last_use = i;
        return;
    }
}

static void find_last_uses(myr_program *p, int pairs) {
    for (int i = 0; i < p->n_values; i++) {
        p->values[i].last_use = i, p->values[i].uses = p->values[i].within = 0;
        for (int k = 0; k < p->values[i].n_args; k++) {
            myr_value *of = &p->values[p->lists[p->values[i].args + k]];
            of->last_use = i, of->uses++;
        }
    }
    for (int o = 0; o < p->n_outputs; o++) {
        myr_value *of = &p->values[p->outputs[o].value];
        of->last_use = p->n_values, of->uses++;
    }
    for (int i = 0; i < p->n_values && pairs; i++) find_pair(p, i);
    for (int i = p->n_values - 1; i >= 0; i--) { /* from the last one, as there are slices of slices */
        const myr_value *v = &p->values[i];
        if (v->op != MYR_OP_SLICE) continue;
        myr_value *of = &p->values[p->lists[v->args]];
        if (of->last_use < v->last_use) of->last_use = v->last_use;
    }
}

/* The first n rows next to each other that nothing has; -1: there are none. */
static int find_rows(const char *taken, int from, int n) {
    for (int first = from, run = 0, row = from; row < MYR_PROGRAM_ROWS; row++) {
        run = taken[row] ? 0 : run + 1;
        if (run == 1) first = row;
        if (run == n) return first;
    }
    return -1;
}

/* Constants that are nothing but tables stay where they are. */
static void find_tables(myr_program *p) {
    for (int i = 0; i < p->n_values; i++) p->values[i].row = p->values[i].op == MYR_OP_CONSTANT ? -1 : 0;
    for (int i = 0; i < p->n_values; i++)
        for (int k = myr_op_reads_numbers(p->values[i].op); k < p->values[i].n_args; k++)
            p->values[p->lists[p->values[i].args + k]].row = 0;
    for (int o = 0; o < p->n_outputs; o++) p->values[p->outputs[o].value].row = 0;
}

/* The first row of what is put together; -1: its parts are not inputs, constants or slices of these, one behind the other. */
static int together_at(const myr_program *p, const myr_value *v) {
    int next = -1;
    for (int k = 0; k < v->n_args; k++) {
        const myr_value *part = &p->values[p->lists[v->args + k]], *of = part;
        while (of->op == MYR_OP_SLICE) of = &p->values[p->lists[of->args]];
        if (of->op > MYR_OP_CONSTANT || (k && part->row != next)) return -1;
        next = part->row + part->n;
    }
    return next - v->n;
}

static int needs_none(const myr_value *v) { return v->op == MYR_OP_SLICE || v->within; }

static myr_status give_rows(myr_program *p, const char *label) {
    char *taken = myr_allocate_array(MYR_PROGRAM_ROWS, 1);
    int *ends = myr_allocate_array((size_t)p->n_values + 1, sizeof *ends),
        *next = myr_allocate_array((size_t)p->n_values + 1, sizeof *next);
    myr_status status = taken && ends && next ? MYR_OK : myr_fail(MYR_E_MEMORY, "out of memory for a program");
    int kept = 0;
    for (int i = 0; i < p->n_values && !status; i++) { /* ends[i]: from 1, the first of the values that are taken by i for the last time */
        myr_value *v = &p->values[i];
        if (v->last_use < p->n_values && v->op > MYR_OP_CONSTANT && !needs_none(v)) next[i] = ends[v->last_use], ends[v->last_use] = i + 1;
        if (v->op > MYR_OP_CONSTANT || v->row < 0) continue;
        v->row = kept, kept += v->n;
        if (kept > MYR_PROGRAM_ROWS)
            status = myr_fail(MYR_E_LIMIT, "%s: its inputs and constants have more than %d rows", label, MYR_PROGRAM_ROWS);
    }
    p->rows = kept;
    for (int i = 0; i < p->n_values && !status; i++) {
        myr_value *v = &p->values[i];
        if (v->op <= MYR_OP_CONSTANT) continue;
        if (v->op == MYR_OP_SLICE) v->row = p->values[p->lists[v->args]].row + p->lists[v->ints];
        if (v->within) continue;
        if (v->op == MYR_OP_CONCAT && (v->row = together_at(p, v)) >= 0) continue;
        if (v->op != MYR_OP_SLICE && (v->row = find_rows(taken, kept, v->n)) < 0) {
            status = myr_fail(MYR_E_LIMIT, "%s:%d: more than %d rows are in use at once", label, v->line, MYR_PROGRAM_ROWS);
            break;
        }
        if (v->op != MYR_OP_SLICE) memset(taken + v->row, 1, (size_t)v->n);
        if (v->row + v->n > p->rows) p->rows = v->row + v->n;
        for (int e = ends[i]; e; e = next[e - 1]) memset(taken + p->values[e - 1].row, 0, (size_t)p->values[e - 1].n);
    }
    myr_release(taken), myr_release(ends), myr_release(next);
    return status;
}

static int add(myr_program *p, const myr_code *code) {
    if (!myr_grow((void **)&p->code, &p->code_capacity, p->n_code, sizeof *p->code)) return 0;
    p->code[p->n_code++] = *code;
    return 1;
}

static int copy(myr_program *p, int to, int from, int n, int step) {
    const myr_code code = {.op = MYR_OP_COPY, .n = (unsigned short)n, .to = to, .from = {from}, .step = {(signed char)step}};
    return add(p, &code);
}

static int put_together(myr_program *p, const myr_value *v) {
    if (v->row == together_at(p, v)) return 1;
    for (int k = 0, at = v->row; k < v->n_args; k++) {
        const myr_value *part = &p->values[p->lists[v->args + k]];
        if (!copy(p, at, part->row, part->n, 1)) return 0;
        at += part->n;
    }
    return 1;
}

static int repeat(myr_program *p, const myr_value *v) {
    const myr_value *part = &p->values[p->lists[v->args]];
    if (part->n == 1) return copy(p, v->row, part->row, v->n, 0);
    for (int at = 0; at < v->n; at += part->n)
        if (!copy(p, v->row + at, part->row, part->n, 1)) return 0;
    return 1;
}

/* The instruction of v with what is within it. */
static int add_pair(myr_program *p, const myr_value *v) {
    const int *args = p->lists + v->args, second = v->n_args > 1 && p->values[args[1]].within;
    const myr_value *part = &p->values[args[second]];
    const int *of = p->lists + part->args;
    const myr_value *x = &p->values[of[0]], *y = &p->values[of[1]], *z = v->n_args > 1 ? &p->values[args[!second]] : y;
    const myr_op op = part->op == MYR_OP_SUB ? MYR_OP_SUB_SQUARE
                      : v->op == MYR_OP_SUM  ? MYR_OP_PRODUCTS
                      : v->op == MYR_OP_ADD  ? MYR_OP_MUL_ADD
                      : second               ? MYR_OP_SUB_MUL
                                             : MYR_OP_MUL_SUB;
    if (op == MYR_OP_SUB_SQUARE) z = y;
    const myr_code code = {.op = (unsigned short)op,
                           .n = (unsigned short)part->n,
                           .to = v->row,
                           .from = {x->row, y->row, z->row},
                           .step = {x->n > 1, y->n > 1, z->n > 1}};
    return add(p, &code);
}

int myr_program_add_code(myr_program *p, const myr_value *v) {
    const int *ints = p->lists + v->ints, *args = p->lists + v->args;
    for (int k = 0; k < v->n_args; k++)
        if (p->values[args[k]].within) return add_pair(p, v);
    switch (myr_op_kinds[v->op].rule) {
    case MYR_RULE_NONE: return 1;
    case MYR_RULE_SLICE: return copy(p, v->row, p->values[args[0]].row + ints[0], v->n, 1);
    case MYR_RULE_CONCAT: return put_together(p, v);
    case MYR_RULE_REPEAT: return repeat(p, v);
    default: break;
    }
    myr_code code = {.op = (unsigned short)v->op, .n = (unsigned short)v->n, .to = v->row, .rows = ints};
    if (myr_op_kinds[v->op].rule == MYR_RULE_FOLD)
        for (int k = 0; k < v->n_args; k++)
            if (p->values[args[k]].n > code.n) code.n = (unsigned short)p->values[args[k]].n;
    const int reads = myr_op_reads_numbers(v->op);
    for (int k = reads; k < v->n_args; k++) code.from[k] = p->values[args[k]].row, code.step[k] = p->values[args[k]].n > 1;
    if (reads) {
        const myr_value *numbers = &p->values[args[0]];
        code.numbers = p->numbers + numbers->ints;
        code.width = v->op == MYR_OP_MATVEC ? p->values[args[1]].n : v->op == MYR_OP_ROW ? v->n : numbers->n;
        code.height = numbers->n / code.width;
        if (v->op == MYR_OP_MATVEC) code.rows = numbers->places && numbers->places_wide == code.width ? p->lists + numbers->places : NULL;
    }
    return add(p, &code);
}

int myr_program_add_list(myr_program *p, int number) {
    if (!myr_grow((void **)&p->lists, &p->list_capacity, p->n_lists, sizeof *p->lists)) return 0;
    p->lists[p->n_lists++] = number;
    return 1;
}

/* Most of what legs, hands or blocks are computed by is 0. Once for a matrix, at the width by which it is taken first. */
static int find_places(myr_program *p, const myr_value *v) {
    myr_value *matrix = &p->values[p->lists[v->args]];
    const double *numbers = p->numbers + matrix->ints;
    const int wide = p->values[p->lists[v->args + 1]].n;
    int zeros = 0;
    if (matrix->places_wide) return 1;
    matrix->places_wide = wide;
    for (int i = 0; i < matrix->n; i++) zeros += numbers[i] == 0;
    if (2 * zeros < matrix->n) return 1;
    matrix->places = p->n_lists;
    for (int k = 0; k < matrix->n / wide; k++, numbers += wide) {
        const int count = p->n_lists;
        int fits = myr_program_add_list(p, 0);
        for (int i = 0; i < wide && fits; i++)
            if (numbers[i] != 0) fits = myr_program_add_list(p, i);
        if (!fits) return 0;
        p->lists[count] = p->n_lists - count - 1;
    }
    return 1;
}

myr_status myr_program_compile(myr_program *p, const char *label) {
    find_last_uses(p, 1);
    find_tables(p);
    myr_status status = give_rows(p, label);
    if (status == MYR_E_LIMIT) { /* what pairs are made of is there for longer */
        find_last_uses(p, 0);
        find_tables(p);
        status = give_rows(p, label);
    }
    if (status) return status;
    for (int i = 0; i < p->n_values; i++) /* before there is code, which points into the lists */
        if (p->values[i].op == MYR_OP_MATVEC && !find_places(p, &p->values[i]))
            return myr_fail(MYR_E_MEMORY, "out of memory for a program");
    for (int i = 0; i < p->n_values; i++) {
        if (!needs_none(&p->values[i]) && !myr_program_add_code(p, &p->values[i]))
            return myr_fail(MYR_E_MEMORY, "out of memory for a program");
        if (p->n_code > MYR_PROGRAM_INSTRUCTIONS)
            return myr_fail(MYR_E_LIMIT, "%s:%d: more than %d instructions", label, p->values[i].line, MYR_PROGRAM_INSTRUCTIONS);
    }
    return MYR_OK;
}
