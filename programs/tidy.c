/* Equal values once, and none that no output needs. What is left keeps its order. */
#include <string.h>

#include "model/memory.h"
#include "programs/program.h"

static int same(const myr_program *p, const myr_value *a, const myr_value *b) {
    if (a->op != b->op || a->n != b->n || a->n_args != b->n_args || a->n_ints != b->n_ints || a->op == MYR_OP_INPUT) return 0;
    if (memcmp(p->lists + a->args, p->lists + b->args, (size_t)a->n_args * sizeof *p->lists) != 0) return 0;
    if (a->op == MYR_OP_CONSTANT) return !memcmp(p->numbers + a->ints, p->numbers + b->ints, (size_t)a->n * sizeof *p->numbers);
    return !memcmp(p->lists + a->ints, p->lists + b->ints, (size_t)a->n_ints * sizeof *p->lists);
}

static uint64_t mix(uint64_t h, uint64_t x) { return (h ^ x) * UINT64_C(0x9e3779b97f4a7c15) ^ (h >> 29); }

static uint64_t key_of(const myr_program *p, const myr_value *v) {
    uint64_t h = mix((uint64_t)v->op, (uint64_t)v->n);
    for (int k = 0; k < v->n_args; k++) h = mix(h, (uint64_t)p->lists[v->args + k]);
    for (int k = 0; k < v->n_ints && v->op != MYR_OP_CONSTANT; k++) h = mix(h, (uint64_t)p->lists[v->ints + k]);
    for (int k = 0; k < v->n && v->op == MYR_OP_CONSTANT; k++) {
        uint64_t bits;
        memcpy(&bits, p->numbers + v->ints + k, sizeof bits);
        h = mix(h, bits);
    }
    return h;
}

/* to[i]: the first value equal to value i. By a table of hashes, as a program may have tens of thousands. */
static int find_equal(myr_program *p, int *to) {
    size_t size = 16;
    while (size < 2 * (size_t)p->n_values) size *= 2;
    int *table = myr_allocate_array(size, sizeof *table); /* from 1 */
    if (!table) return 0;
    for (int i = 0; i < p->n_values; i++) {
        myr_value *v = &p->values[i];
        for (int k = 0; k < v->n_args; k++) p->lists[v->args + k] = to[p->lists[v->args + k]];
        size_t at = (size_t)key_of(p, v) & (size - 1);
        while (table[at] && !same(p, &p->values[table[at] - 1], v)) at = (at + 1) & (size - 1);
        if (!table[at]) table[at] = i + 1;
        to[i] = table[at] - 1;
    }
    myr_release(table);
    return 1;
}

myr_status myr_program_tidy(myr_program *p) {
    int *to = myr_allocate_array((size_t)p->n_values + 1, sizeof *to);
    char *used = myr_allocate_array((size_t)p->n_values + 1, 1);
    if (!to || !used || !find_equal(p, to)) {
        myr_release(to), myr_release(used);
        return myr_fail(MYR_E_MEMORY, "out of memory for a program");
    }
    for (int o = 0; o < p->n_outputs; o++) p->outputs[o].value = to[p->outputs[o].value], used[p->outputs[o].value] = 1;
    for (int i = p->n_values - 1; i >= 0; i--) {
        const myr_value *v = &p->values[i];
        used[i] |= v->op == MYR_OP_INPUT; /* the caller gives it all the same */
        for (int k = 0; k < v->n_args && used[i]; k++) used[p->lists[v->args + k]] = 1;
    }
    int n = 0;
    for (int i = 0; i < p->n_values; i++) {
        if (!used[i]) {
            myr_release(p->values[i].name);
            continue;
        }
        to[i] = n;
        for (int k = 0; k < p->values[i].n_args; k++) p->lists[p->values[i].args + k] = to[p->lists[p->values[i].args + k]];
        p->values[n++] = p->values[i];
    }
    p->n_values = n;
    for (int o = 0; o < p->n_outputs; o++) p->outputs[o].value = to[p->outputs[o].value];
    myr_release(to), myr_release(used);
    return MYR_OK;
}
