/* Matrices for the readers of contact problems, as lists of their entries, and the ways from them to a problem. */
#ifndef MYRIAPOD_CLI_PROBLEMS_MATRIX_H
#define MYRIAPOD_CLI_PROBLEMS_MATRIX_H

#include "problems.h"

enum {
    MATRIX_ROWS = 3 * PROBLEM_CONTACTS_LARGE,  /* rows or columns that are read at most */
    MATRIX_DENSE = 3 * PROBLEM_CONTACTS_LIMIT, /* rows of an M that is factored as one dense matrix */
    MATRIX_ENTRIES = 1 << 27                   /* entries that are read at most, zeros aside: 2 GiB */
};

typedef struct matrix_entry {
    int row, column;
    double x;
} matrix_entry;

/* Entries in the order of the file, those of one place to be added up; zero where the file says nothing. */
typedef struct matrix {
    long long rows, columns;
    size_t n, room;
    matrix_entry *entry;
} matrix;

/* 0, or -1 and a message where a side is negative or above MATRIX_ROWS. `name`: what the file calls it. */
int matrix_open(matrix *m, const problem_place *at, const char *name, long long rows, long long columns);
void matrix_close(matrix *m);
/* Add to an entry; -1 and a message where there is no such place, or no room. */
int matrix_add(matrix *m, const problem_place *at, const char *name, long long row, long long column, double value);
/* Entries by row, of equal ones by column, in the order of the file where both are equal; all divided by `by` first. Returns them, free().
 */
matrix_entry *matrix_sorted(const matrix *m, int by);

/* W into the entry's G, or its blocks where it is large. -1 and a message where it does not fit. */
int matrix_fill(const problem_place *at, matrix *W, problem_set *set, problem_entry *entry);

/* M v = H r + f, u = H' v + w  ->  u = G r + c with G = H' M^-1 H, c = H' M^-1 f + w, into the entry (of nc contacts, in the file's order).
 * M (n, n), H (n, 3 nc), f (n), w (3 nc); f is not kept as it was. -1 and a message where a number is not finite, M is not symmetric and
 * positive definite, or G would be too large. */
int matrix_condense(const problem_place *at, const matrix *M, const matrix *H, double *f, const double *w, problem_set *set,
                    problem_entry *entry);
/* The same with M in its parts, the bodies that it does not couple, for large problems and a large M (problems_condense.c). */
int matrix_condense_parts(const problem_place *at, const matrix *M, const matrix *H, const double *f, const double *w, problem_set *set,
                          problem_entry *entry);

#endif
