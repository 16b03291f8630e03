/* A program on arrays: a register of environments at a time. */
#include "kernels/kernels.h"
#include "base/memory.h"
#include "programs/program.h"

static myr_status check(const myr_program *p, int64_t n, const void *const *inputs, void *const *outputs, myr_type type) {
    const char *call = "myr_program_eval";
    myr_program_info info;
    if (!p) return myr_fail(MYR_E_ARG, "%s: program is NULL", call);
    if (n < 0) return myr_fail(MYR_E_ARG, "%s: n is %lld", call, (long long)n);
    if (type != MYR_F32 && type != MYR_F64) return myr_fail(MYR_E_ARG, "%s: type is %d, but must be MYR_F32 or MYR_F64", call, (int)type);
    myr_program_get_info(p, &info);
    if (!n) return MYR_OK;
    for (int i = 0; i < info.inputs; i++) {
        const char *name;
        myr_program_get_input(p, i, &name, NULL);
        if (!inputs || !inputs[i]) return myr_fail(MYR_E_ARG, "%s: the array of the input `%s` is NULL", call, name);
    }
    for (int o = 0; o < info.outputs; o++)
        if (!outputs || !outputs[o]) return myr_fail(MYR_E_ARG, "%s: the array of the output `%s` is NULL", call, p->outputs[o].name);
    return MYR_OK;
}

static void eval(const myr_program *p, const myr_program_kernels *k, void *rows, int64_t n, const void *const *inputs, void *const *outputs,
                 int is_f64) {
    const size_t each = is_f64 ? sizeof(double) : sizeof(float);
    k->open(p, rows);
    for (int64_t first = 0; first < n; first += k->lanes) {
        const int count = n - first < k->lanes ? (int)(n - first) : k->lanes;
        for (int i = 0, input = 0; i < p->n_values; i++) {
            const myr_value *v = &p->values[i];
            if (v->op != MYR_OP_INPUT) continue;
            k->load(rows, v->row, v->n, (const char *)inputs[input++] + (size_t)first * (size_t)v->n * each, count, is_f64);
        }
        k->run(p, rows);
        for (int o = 0; o < p->n_outputs; o++) {
            const myr_value *v = &p->values[p->outputs[o].value];
            k->store(rows, v->row, v->n, (char *)outputs[o] + (size_t)first * (size_t)v->n * each, count, is_f64);
        }
    }
}

myr_status myr_program_eval(const myr_program *p, const char *isa, int precision, int64_t n, const void *const *inputs,
                            void *const *outputs, myr_type type) {
    MYR_OWN_ARITHMETIC;
    const myr_kernels *of = NULL;
    myr_status status = check(p, n, inputs, outputs, type);
    if (!status && precision != 4 && precision != 8)
        status = myr_fail(MYR_E_ARG, "myr_program_eval: precision is %d, but must be 4 or 8 bytes", precision);
    if (!status) status = myr_kernels_get(isa ? isa : "auto", precision, &of);
    if (status) return status;
    const myr_program_kernels *k = myr_program_kernels_get(of->isa, of->precision);
    void *rows = k ? myr_allocate((size_t)p->rows * (size_t)k->lanes * (size_t)k->precision + 64, 64) : NULL;
    if (!rows) return myr_fail(MYR_E_MEMORY, "no memory for a program's rows");
    eval(p, k, rows, n, inputs, outputs, type == MYR_F64);
    myr_release(rows);
    return MYR_OK;
}
