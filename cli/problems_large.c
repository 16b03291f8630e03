/* Large problems of a set: G in blocks of 3x3. What problems.c checks and turns of a dense one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems.h"

static double *blocks_of(const problem_entry *entry) { return (double *)(size_t)entry->large.blocks; }

/* c, mu and start are the problem's. */
static void share(problem_entry *entry) {
    const myr_contact_problem *p = &entry->problem;
    entry->large.contacts = p->contacts, entry->large.c = p->c, entry->large.mu = p->mu, entry->large.start = p->start;
}

void problem_give_blocks(problem_set *set, problem_entry *entry, int64_t *first, int *column, double *blocks) {
    entry->large = (myr_large_problem){.first = first, .column = column, .blocks = blocks};
    share(entry);
    set->numbers += 9 * (size_t)first[entry->problem.contacts];
}

/* Row and column of a number of block b, in row i of blocks. */
typedef struct place_in {
    long long row, column;
} place_in;

static place_in where(const myr_large_problem *p, int i, int64_t b, int e) {
    return (place_in){3LL * i + e / 3, 3LL * p->column[b] + e % 3};
}

static int64_t diagonal_block(const myr_large_problem *p, int i) {
    int64_t b = p->first[i];
    while (p->column[b] != i) b++;
    return b;
}

/* Symmetrise; the asymmetry that it had, relative to its largest entry, goes to *relative. */
static int symmetrise(const problem_place *at, const char *name, problem_entry *entry, double largest, double *relative) {
    const myr_large_problem *p = &entry->large;
    double *block = blocks_of(entry), worst = 0, of[2] = {0, 0};
    place_in where_worst = {0, 0};
    int64_t *next = cli_allocate((size_t)p->contacts, sizeof *next);
    for (int i = 0; i < p->contacts; i++) next[i] = p->first[i];
    for (int i = 0; i < p->contacts; i++)
        for (int64_t b = p->first[i]; b < p->first[i + 1]; b++) {
            const int k = p->column[b];
            const int64_t t = next[k]++; /* its mirror image: matrix_fill saw to it that it is there */
            if (k > i) continue;
            for (int e = 0; e < 9; e++) {
                const int mirror = 3 * (e % 3) + e / 3;
                if (t == b && mirror >= e) continue;
                double *one = &block[9 * b + e], *other = &block[9 * t + mirror];
                const double apart = fabs(0.5 * *one - 0.5 * *other); /* a half, because the difference of two huge numbers may overflow */
                if (apart > worst) worst = apart, where_worst = where(p, i, b, e), of[0] = *one, of[1] = *other;
                *one = *other = 0.5 * *one + 0.5 * *other;
            }
        }
    free(next);
    *relative = largest > 0 ? 2 * (worst / largest) : 0;
    if (*relative > PROBLEM_ASYMMETRY)
        return problem_refuse(at, "%s is not symmetric: [%lld][%lld] is %.9g, [%lld][%lld] is %.9g (%.2g of its largest entry; at most %g)",
                              name, where_worst.row, where_worst.column, of[0], where_worst.column, where_worst.row, of[1], *relative,
                              PROBLEM_ASYMMETRY);
    return 0;
}

static int check_diagonal(const problem_place *at, const problem_words *words, const problem_entry *entry, double largest, int normal) {
    const myr_large_problem *p = &entry->large;
    for (int i = 0; i < p->contacts; i++) {
        const double *own = p->blocks + 9 * diagonal_block(p, i);
        for (int a = 0; a < 3; a++) {
            const int row = 3 * i + a;
            if (own[4 * a] > 0) continue;
            if (own[4 * a] < 0)
                return problem_refuse(at, "%s[%d][%d] is %.9g; the diagonal of a Delassus matrix is not negative", words->G, row, row,
                                      own[4 * a]);
            for (int64_t b = p->first[i]; b < p->first[i + 1]; b++)
                for (int k = 0; k < 3; k++)
                    if (fabs(p->blocks[9 * b + 3 * a + k]) > PROBLEM_ASYMMETRY_ROUNDING * largest)
                        return problem_refuse(at, "%s[%d][%d] is 0 and [%d][%d] beside it is %.9g; no Delassus matrix has that", words->G,
                                              row, row, row, 3 * p->column[b] + k, p->blocks[9 * b + 3 * a + k]);
            if (a == normal && p->c[row] < 0)
                return problem_refuse(at, "%s[%d][%d], a normal, is 0 and %s[%d] is %.9g: no impulse can stop this contact", words->G, row,
                                      row, words->c, row, p->c[row]);
        }
    }
    return 0;
}

/* Our row k of a contact is their row (k + 1) % 3. */
static void turn_block(double *g) {
    double was[9];
    memcpy(was, g, sizeof was);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) g[3 * i + k] = was[3 * ((i + 1) % 3) + (k + 1) % 3];
}

int problem_finish_large(const problem_place *at, const problem_words *words, problem_entry *entry, int normal_first) {
    const size_t nc = (size_t)entry->problem.contacts, blocks = (size_t)entry->large.first[nc];
    double *block = blocks_of(entry), largest = 0;
    share(entry); /* the start came behind the blocks */
    for (int i = 0; i < entry->large.contacts; i++)
        for (int64_t b = entry->large.first[i]; b < entry->large.first[i + 1]; b++)
            for (int e = 0; e < 9; e++) {
                const place_in place = where(&entry->large, i, b, e);
                if (!isfinite(block[9 * b + e]))
                    return problem_refuse(at, "%s[%lld][%lld] is %g, not a finite number", words->G, place.row, place.column,
                                          block[9 * b + e]);
                largest = fmax(largest, fabs(block[9 * b + e]));
            }
    if (symmetrise(at, words->G, entry, largest, &entry->asymmetry)) return -1;
    if (check_diagonal(at, words, entry, largest, normal_first ? 0 : 2)) return -1;
    if (!normal_first) return 0;
    for (size_t b = 0; b < blocks; b++) turn_block(block + 9 * b);
    problem_turn((double *)(size_t)entry->problem.c, 3 * nc, 0);
    problem_turn((double *)(size_t)entry->problem.start, 3 * nc, 0);
    return 0;
}
