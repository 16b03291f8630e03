#include "factor.h"

#include <limits.h>

#include "model/model.h"

#ifndef MYR_SPARSE_FACTOR
#define MYR_SPARSE_FACTOR 0
#endif

int myr_factor_exists(void) { return MYR_SPARSE_FACTOR; }

#if MYR_SPARSE_FACTOR
#include <suitesparse/cs.h>

enum { MOST_NUMBERS = 1 << 27 }; /* of the factor: 1.5 GiB with their places */

struct myr_factor {
    int n;           /* contacts */
    int *place;      /* (n) where a contact is in the order of the factor */
    int64_t *source; /* the upper triangle by columns: which number of p->block each entry is */
    double *x;       /* (3 n) scratch */
    cs_di *A;
    cs_dis *symbolic;
    cs_din *numeric;
};

static myr_status no_memory(int64_t index, int n) {
    return myr_fail(MYR_E_MEMORY, "problem %lld: no memory for a sparse factor of %d contacts", (long long)index, n);
}

void myr_factor_free(myr_factor *f) {
    if (!f) return;
    myr_release(f->place);
    myr_release(f->source);
    myr_release(f->x);
    cs_di_spfree(f->A);
    cs_di_sfree(f->symbolic);
    cs_di_nfree(f->numeric);
    myr_release(f);
}

/* An order of the contacts, three rows each: a third of the rows, and blocks stay together. */
static int find_order(const myr_large *p, myr_factor *f) {
    cs_di *graph = cs_di_spalloc(p->n, p->n, (int)p->first[p->n], 1, 0);
    if (!graph) return 0;
    for (int i = 0; i <= p->n; i++) graph->p[i] = (int)p->first[i];
    for (int64_t b = 0; b < p->first[p->n]; b++) graph->i[b] = p->column[b], graph->x[b] = 1;
    int *order = cs_di_amd(1, graph);
    cs_di_spfree(graph);
    if (!order) return 0;
    for (int k = 0; k < p->n; k++) f->place[order[k]] = k;
    cs_di_free(order);
    return 1;
}

/* A's upper triangle by columns, in the order of the factor, rows ascending in each, as the numbers of p->block that they are. */
static int find_places(const myr_large *p, myr_factor *f) {
    const int64_t entries = (p->first[p->n] - p->n) / 2 * 9 + 6 * (int64_t)p->n;
    int *order = myr_allocate((size_t)p->n * sizeof *order, 64);
    f->A = entries < INT_MAX ? cs_di_spalloc(3 * p->n, 3 * p->n, (int)entries, 1, 0) : NULL;
    f->source = myr_allocate((size_t)entries * sizeof *f->source, 64);
    if (!f->A || !f->source || !order) {
        myr_release(order);
        return 0;
    }
    int at = 0;
    for (int i = 0; i < p->n; i++) order[f->place[i]] = i;
    for (int k = 0; k < p->n; k++) {
        const int i = order[k];
        for (int a = 0; a < 3; a++) {
            f->A->p[3 * k + a] = at;
            for (int64_t b = p->first[i]; b < p->first[i + 1]; b++) {
                const int row = f->place[p->column[b]];
                for (int e = 0; e < 3 && row <= k; e++) /* G is symmetric: row a of its row of blocks for a column */
                    if (row < k || e <= a) f->A->i[at] = 3 * row + e, f->source[at++] = 9 * b + 3 * a + e;
            }
        }
    }
    f->A->p[3 * p->n] = at;
    myr_release(order);
    return 1;
}

myr_status myr_factor_open(const myr_large *p, int64_t index, myr_factor **out) {
    myr_factor *f = *out = myr_allocate(sizeof *f, 64);
    if (!f || p->first[p->n] > INT_MAX / 9) return no_memory(index, p->n);
    f->n = p->n;
    f->place = myr_allocate((size_t)p->n * sizeof *f->place, 64);
    f->x = myr_allocate(3 * (size_t)p->n * sizeof *f->x, 64);
    if (!f->place || !f->x || !find_order(p, f) || !find_places(p, f)) return no_memory(index, p->n);
    f->symbolic = cs_di_schol(0, f->A); /* in the order that it has */
    if (!f->symbolic) return no_memory(index, p->n);
    if (f->symbolic->lnz > MOST_NUMBERS)
        return myr_fail(MYR_E_LIMIT,
                        "problem %lld: its %d contacts fill the sparse factor with %.3g numbers; at most %d. Sweeps need none: 'nsgs'",
                        (long long)index, p->n, f->symbolic->lnz, MOST_NUMBERS);
    return MYR_OK;
}

myr_status myr_factor_compute(myr_factor *f, const myr_large *p, const double *add, int64_t index) {
    for (int i = 0; i < 3 * f->n; i++)
        for (int k = f->A->p[i]; k < f->A->p[i + 1]; k++) f->A->x[k] = p->block[f->source[k]];
    for (int i = 0; i < f->n; i++)
        for (int a = 0; a < 3; a++) {
            const int column = 3 * f->place[i] + a;
            for (int k = f->A->p[column]; k < f->A->p[column + 1]; k++)
                if (f->A->i[k] == column) f->A->x[k] += add[i];
        }
    f->numeric = cs_di_nfree(f->numeric);
    f->numeric = cs_di_chol(f->A, f->symbolic);
    if (f->numeric) return MYR_OK;
    return myr_fail(MYR_E_MEMORY, "problem %lld: its sparse factor of %.3g numbers has no room, or G is not semidefinite", (long long)index,
                    f->symbolic->lnz);
}

void myr_factor_solve(myr_factor *f, double *x) {
    for (int i = 0; i < f->n; i++)
        for (int a = 0; a < 3; a++) f->x[3 * f->place[i] + a] = x[3 * i + a];
    cs_di_lsolve(f->numeric->L, f->x);
    cs_di_ltsolve(f->numeric->L, f->x);
    for (int i = 0; i < f->n; i++)
        for (int a = 0; a < 3; a++) x[3 * i + a] = f->x[3 * f->place[i] + a];
}

#else

myr_status myr_factor_open(const myr_large *p, int64_t index, myr_factor **out) {
    (void)p;
    *out = NULL;
    return myr_fail(MYR_E_ARG, "problem %lld: this build has no sparse factorization: CXSparse was not there", (long long)index);
}
myr_status myr_factor_compute(myr_factor *f, const myr_large *p, const double *add, int64_t index) {
    (void)f, (void)p, (void)add;
    return myr_fail(MYR_E_ARG, "problem %lld: this build has no sparse factorization", (long long)index);
}
void myr_factor_solve(myr_factor *f, double *x) { (void)f, (void)x; }
void myr_factor_free(myr_factor *f) { (void)f; }

#endif
