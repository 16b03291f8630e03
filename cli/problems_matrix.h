/* Dense matrices for the readers of contact problems, and the way from a global problem to a local one. */
#ifndef MYRIAPOD_CLI_PROBLEMS_MATRIX_H
#define MYRIAPOD_CLI_PROBLEMS_MATRIX_H

#include "problems.h"

enum { MATRIX_ROWS = 3 * PROBLEM_CONTACTS_LIMIT }; /* rows or columns that are read at most */

/* Row-major, zero where the file says nothing. */
typedef struct matrix {
    long long rows, columns;
    double *x;
} matrix;

/* 0, or -1 and a message where a side is negative or above MATRIX_ROWS. `name`: what the file calls it. */
int matrix_open(matrix *m, const problem_place *at, const char *name, long long rows, long long columns);
void matrix_close(matrix *m);
/* Add to an entry; -1 and a message where there is no such place. */
int matrix_add(matrix *m, const problem_place *at, const char *name, long long row, long long column, double value);

/* M v = H r + f, u = H' v + w  ->  u = G r + c with G = H' M^-1 H, c = H' M^-1 f + w, into the entry's arrays (of nc contacts, in the
 * file's order). M (n, n), H (n, 3 nc), f (n), w (3 nc); nothing of them is kept as it was. -1 and a message where a number is not finite
 * or M is not symmetric and positive definite. */
int matrix_condense(const problem_place *at, matrix *M, matrix *H, double *f, const double *w, problem_entry *entry);

#endif
