/* Equal values once, and none that no output needs. What is left keeps its order, but for numbers: they stand where a text that was written
 * of the program has them, so that it is read as the same program. */
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
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

typedef struct keeping {
    myr_program *p;
    myr_value *kept;
    int *to, n; /* to[i]: value i among those that are kept */
} keeping;

static void keep(keeping *k, int i) {
    k->to[i] = k->n;
    k->kept[k->n++] = k->p->values[i];
}

/* A text has one number where it is used first. */
static int is_literal(const myr_value *v) { return v->op == MYR_OP_CONSTANT && v->n == 1; }
static void keep_literal(keeping *k, int i) {
    if (k->to[i] < 0 && is_literal(&k->p->values[i])) keep(k, i);
}

static void keep_used(keeping *k, const char *used) {
    myr_program *p = k->p;
    for (int i = 0; i < p->n_values; i++) k->to[i] = -1;
    for (int i = 0; i < p->n_values; i++) {
        const myr_value *v = &p->values[i];
        if (!used[i]) myr_release(v->name);
        if (!used[i] || is_literal(v)) continue;
        for (int a = 0; a < v->n_args; a++) {
            keep_literal(k, p->lists[v->args + a]);
            p->lists[v->args + a] = k->to[p->lists[v->args + a]];
        }
        keep(k, i);
    }
    for (int o = 0; o < p->n_outputs; o++) {
        keep_literal(k, p->outputs[o].value);
        p->outputs[o].value = k->to[p->outputs[o].value];
    }
    if (k->n) memcpy(p->values, k->kept, (size_t)k->n * sizeof *p->values);
    p->n_values = k->n;
}

myr_status myr_program_tidy(myr_program *p) {
    const size_t room = (size_t)p->n_values + 1;
    keeping k = {.p = p, .to = myr_allocate_array(room, sizeof *k.to), .kept = myr_allocate_array(room, sizeof *k.kept)};
    char *used = myr_allocate_array(room, 1);
    const int fits = k.to && k.kept && used && find_equal(p, k.to);
    for (int o = 0; o < p->n_outputs && fits; o++) p->outputs[o].value = k.to[p->outputs[o].value], used[p->outputs[o].value] = 1;
    for (int i = p->n_values - 1; i >= 0 && fits; i--) {
        const myr_value *v = &p->values[i];
        used[i] |= v->op == MYR_OP_INPUT; /* the caller gives it all the same */
        for (int a = 0; a < v->n_args && used[i]; a++) used[p->lists[v->args + a]] = 1;
    }
    if (fits) keep_used(&k, used);
    myr_release(k.to), myr_release(k.kept), myr_release(used);
    return fits ? MYR_OK : myr_fail(MYR_E_MEMORY, "out of memory for a program");
}
