/* What depends on constants alone is computed once, in doubles, and is a constant from then on: `exp(-1 / width)` costs nothing in a step,
 * and is rounded once. What is not finite stays as it is written. */
#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "base/memory.h"
#include "programs/program.h"

typedef struct folding {
    myr_program *p;
    const myr_program_kernels *kernels;
    void *rows;
    int n_rows;
    double *numbers; /* of a result, each n_rows */
} folding;

static int make_room(folding *f, int n) {
    if (n <= f->n_rows) return 1;
    myr_release(f->rows), myr_release(f->numbers);
    f->n_rows = 0;
    f->rows = myr_allocate((size_t)n * (size_t)f->kernels->lanes * sizeof(double), 64);
    f->numbers = myr_allocate_array((size_t)n, sizeof(double));
    if (f->rows && f->numbers) f->n_rows = n;
    return f->n_rows > 0;
}

static int is_constant(const myr_program *p, const myr_value *v) {
    if (v->op <= MYR_OP_CONSTANT) return 0;
    for (int k = 0; k < v->n_args; k++)
        if (p->values[p->lists[v->args + k]].op != MYR_OP_CONSTANT) return 0;
    return v->n_args > 0;
}

/* Its registers one behind the other, then itself; 0: there is no memory. */
static int compute(folding *f, myr_value *v) {
    myr_program *p = f->p;
    int n = v->n;
    const int reads = myr_op_reads_numbers(v->op);
    for (int k = reads; k < v->n_args; k++) n += p->values[p->lists[v->args + k]].n;
    if (!make_room(f, n)) return 0;
    for (int k = reads, at = v->n; k < v->n_args; k++) {
        myr_value *arg = &p->values[p->lists[v->args + k]];
        arg->row = at, at += arg->n;
        f->kernels->load(f->rows, arg->row, arg->n, p->numbers + arg->ints, 1, 1);
    }
    v->row = p->n_code = 0;
    const int added = myr_program_add_code(p, v);
    if (added) f->kernels->run(p, f->rows);
    if (added) f->kernels->store(f->rows, 0, v->n, f->numbers, 1, 1);
    p->n_code = 0;
    return added;
}

static int keep(folding *f, myr_value *v) {
    myr_program *p = f->p;
    for (int k = 0; k < v->n; k++)
        if (!isfinite(f->numbers[k])) return 1;
    const int first = p->n_numbers;
    for (int k = 0; k < v->n; k++) {
        if (!myr_grow((void **)&p->numbers, &p->number_capacity, p->n_numbers, sizeof *p->numbers)) return 0;
        p->numbers[p->n_numbers++] = f->numbers[k];
    }
    v->op = MYR_OP_CONSTANT, v->n_args = 0, v->ints = first, v->n_ints = v->n;
    return 1;
}

myr_status myr_program_fold(myr_program *p) {
    const myr_kernels *of = NULL;
    const myr_status status = myr_kernels_get("auto", 8, &of);
    if (status) return status;
    folding f = {.p = p, .kernels = myr_program_kernels_get(of->isa, 8)};
    int fits = f.kernels != NULL;
    for (int i = 0; i < p->n_values && fits; i++)
        if (is_constant(p, &p->values[i])) fits = compute(&f, &p->values[i]) && keep(&f, &p->values[i]);
    myr_release(f.rows), myr_release(f.numbers);
    return fits ? MYR_OK : myr_fail(MYR_E_MEMORY, "out of memory for a program");
}
