/* Sizes: how many rows a value has, and whether what it takes fits. */
#include <stdio.h>

#include "model/model.h"
#include "programs/program.h"

static myr_status wrong(const myr_value *v, const char *label, const char *what, int a, int b) {
    const char *op = myr_op_kinds[v->op].name, *name = v->name ? v->name : "?";
    char words[160];
    snprintf(words, sizeof words, what, a, b);
    return myr_fail(MYR_E_FORMAT, "%s:%d: `%.60s`: %s: %s", label, v->line, name, op, words);
}

/* One size for all, or one row. */
static myr_status each(const myr_program *p, myr_value *v, const char *label) {
    v->n = 1;
    for (int k = 0; k < v->n_args; k++) {
        const int n = p->values[p->lists[v->args + k]].n;
        if (n != 1 && v->n != 1 && n != v->n) return wrong(v, label, "it is given %d rows and %d", v->n, n);
        if (n != 1) v->n = n;
    }
    return MYR_OK;
}

static myr_status sized(const myr_program *p, myr_value *v, const char *label) {
    const myr_op_kind *kind = &myr_op_kinds[v->op];
    for (int k = 0; k < v->n_args; k++) {
        const int n = p->values[p->lists[v->args + k]].n, wanted = k ? kind->second : kind->first;
        if (n != wanted)
            return wrong(v, label, k ? "its second has %d rows, but must have %d" : "its first has %d rows, but must have %d", n, wanted);
    }
    v->n = kind->result;
    return MYR_OK;
}

static myr_status count_ints(const myr_value *v, const char *label, int wanted) {
    if (v->n_ints == wanted) return MYR_OK;
    return wrong(v, label, "%d whole numbers follow, but must be %d", v->n_ints, wanted);
}

static myr_status gathered(const myr_program *p, myr_value *v, const char *label, int given) {
    if (v->n_ints < 1) return wrong(v, label, "no row is named, of %d", given, 0);
    for (int k = 0; k < v->n_ints; k++)
        if (p->lists[v->ints + k] < 0 || p->lists[v->ints + k] >= given)
            return wrong(v, label, "row %d of %d", p->lists[v->ints + k], given);
    v->n = v->n_ints;
    return MYR_OK;
}

static myr_status matvec(const myr_program *p, myr_value *v, const char *label) {
    const myr_value *matrix = &p->values[p->lists[v->args]], *x = &p->values[p->lists[v->args + 1]];
    if (matrix->op != MYR_OP_CONSTANT) return wrong(v, label, "its first must be a constant", 0, 0);
    if (matrix->n % x->n) return wrong(v, label, "a matrix of %d numbers has no rows of %d", matrix->n, x->n);
    v->n = matrix->n / x->n;
    return MYR_OK;
}

/* A table, or an ascending list; *n: its numbers. */
static myr_status table(const myr_program *p, const myr_value *v, const char *label, int *n) {
    const myr_value *numbers = &p->values[p->lists[v->args]];
    *n = numbers->n;
    return numbers->op == MYR_OP_CONSTANT ? MYR_OK : wrong(v, label, "its first must be a constant", 0, 0);
}

static myr_status row_of(const myr_program *p, myr_value *v, const char *label) {
    int n;
    const int index = p->values[p->lists[v->args + 1]].n, columns = p->lists[v->ints];
    const myr_status status = table(p, v, label, &n);
    if (status) return status;
    if (index != 1) return wrong(v, label, "its index has %d rows, but must have %d", index, 1);
    if (columns < 1 || n % columns) return wrong(v, label, "a table of %d numbers has no rows of %d", n, columns);
    v->n = columns;
    return MYR_OK;
}

static myr_status search(const myr_program *p, myr_value *v, const char *label) {
    int n;
    const myr_status status = table(p, v, label, &n);
    if (status) return status;
    const double *numbers = p->numbers + p->values[p->lists[v->args]].ints;
    for (int k = 1; k < n; k++)
        if (numbers[k] < numbers[k - 1]) return wrong(v, label, "number %d of its constant is below number %d", k + 1, k);
    v->n = p->values[p->lists[v->args + 1]].n;
    return MYR_OK;
}

static myr_status by_rule(const myr_program *p, myr_value *v, const char *label) {
    const int *ints = p->lists + v->ints, given = v->n_args ? p->values[p->lists[v->args]].n : 0;
    const myr_rule rule = myr_op_kinds[v->op].rule;
    myr_status status = MYR_OK;
    if (rule != MYR_RULE_GATHER)
        status = count_ints(v, label, rule == MYR_RULE_SLICE ? 2 : rule == MYR_RULE_REPEAT || rule == MYR_RULE_ROW ? 1 : 0);
    if (status) return status;
    switch (rule) {
    case MYR_RULE_EACH: return each(p, v, label);
    case MYR_RULE_FOLD:
        status = each(p, v, label);
        v->n = 1;
        return status;
    case MYR_RULE_SIZED: return sized(p, v, label);
    case MYR_RULE_SLICE:
        if (ints[0] < 0 || ints[1] < 1 || ints[1] > given || ints[0] > given - ints[1])
            return wrong(v, label,
                         ints[0] < 0 || ints[0] >= given ? "it begins at row %d of %d" : "%d rows from there are not all among %d",
                         ints[0] < 0 || ints[0] >= given ? ints[0] : ints[1], given);
        v->n = ints[1];
        return MYR_OK;
    case MYR_RULE_GATHER: return gathered(p, v, label, given);
    case MYR_RULE_CONCAT:
        v->n = 0;
        for (int k = 0; k < v->n_args && v->n <= MYR_PROGRAM_ROWS; k++) v->n += p->values[p->lists[v->args + k]].n;
        return MYR_OK;
    case MYR_RULE_REPEAT:
        if (ints[0] < 1 || ints[0] > MYR_PROGRAM_ROWS / given)
            return wrong(v, label, "%d times %d rows is too few or too many", ints[0], given);
        v->n = given * ints[0];
        return MYR_OK;
    case MYR_RULE_MATVEC: return matvec(p, v, label);
    case MYR_RULE_ROW: return row_of(p, v, label);
    case MYR_RULE_SEARCH: return search(p, v, label);
    default: return MYR_OK;
    }
}

myr_status myr_program_size(const myr_program *p, myr_value *v, const char *label) {
    const int takes = myr_op_kinds[v->op].args;
    if (takes >= 0 ? v->n_args != takes : v->n_args < 1)
        return wrong(v, label, "it is given %d registers, but takes %d", v->n_args, takes < 0 ? 1 : takes);
    const myr_status status = by_rule(p, v, label);
    if (status) return status;
    if (v->n <= MYR_PROGRAM_ROWS) return MYR_OK;
    return myr_fail(MYR_E_LIMIT, "%s:%d: `%.60s` has more than %d rows", label, v->line, v->name ? v->name : "?", MYR_PROGRAM_ROWS);
}
