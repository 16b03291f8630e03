/* From a large global problem to a local one: M in its parts, the coordinates that it couples, mostly those of one body. Each part has a
 * dense factor of its own, and couples in W the contacts that move it and no others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems_matrix.h"

/* A part of M: `n` rows of it, from the first-th of `row` on. */
typedef struct part {
    size_t first, n;
} part;

typedef struct parts {
    size_t n;
    part *part;
    int *row;   /* (rows of M) by part, ascending in each */
    int *of;    /* (rows of M) the part of each row */
    int *place; /* (rows of M) where it is in its part */
} parts;

static int root_of(int *up, int i) {
    while (up[i] != i) i = up[i] = up[up[i]];
    return i;
}

static parts split(const matrix *M) {
    const size_t n = (size_t)M->rows;
    parts p = {.part = cli_allocate(n + 1, sizeof(part)),
               .row = cli_allocate(n, sizeof(int)),
               .of = cli_allocate(n, sizeof(int)),
               .place = cli_allocate(n, sizeof(int))};
    int *up = cli_allocate(n, sizeof *up);
    for (size_t i = 0; i < n; i++) up[i] = (int)i;
    for (size_t k = 0; k < M->n; k++) {
        const int a = root_of(up, M->entry[k].row), b = root_of(up, M->entry[k].column);
        if (a < b)
            up[b] = a; /* the least row stands for a part: parts are in order of it */
        else
            up[a] = b;
    }
    for (size_t i = 0; i < n; i++) {
        const int root = root_of(up, (int)i);
        p.of[i] = root == (int)i ? (int)p.n++ : p.of[root];
        p.place[i] = (int)p.part[p.of[i]].n++;
    }
    for (size_t k = 1; k < p.n; k++) p.part[k].first = p.part[k - 1].first + p.part[k - 1].n;
    for (size_t i = 0; i < n; i++) p.row[p.part[p.of[i]].first + (size_t)p.place[i]] = (int)i;
    free(up);
    return p;
}

static void parts_close(parts *p) {
    free(p->part);
    free(p->row);
    free(p->of);
    free(p->place);
}

/* M's entries and H's, those of a part together. */
static matrix_entry *by_part(const parts *p, const matrix *m, size_t *first) {
    matrix_entry *out = cli_allocate(m->n + 1, sizeof *out);
    for (size_t i = 0; i < m->n; i++) first[p->of[m->entry[i].row] + 1]++;
    for (size_t k = 0; k < p->n; k++) first[k + 1] += first[k];
    size_t *next = cli_allocate(p->n + 1, sizeof *next);
    memcpy(next, first, (p->n + 1) * sizeof *next);
    for (size_t i = 0; i < m->n; i++) out[next[p->of[m->entry[i].row]]++] = m->entry[i];
    free(next);
    return out;
}

/* A = L L' in place, L below. `row`: which rows of M these are. */
static int factorise(const problem_place *at, double *A, size_t n, const int *row) {
    double largest = 0;
    for (size_t i = 0; i < n * n; i++) largest = fmax(largest, fabs(A[i]));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++) {
            if (fabs(A[i * n + k] - A[k * n + i]) > PROBLEM_ASYMMETRY * largest)
                return problem_refuse(at, "M is not symmetric: [%d][%d] is %.9g, [%d][%d] is %.9g", row[i], row[k], A[i * n + k], row[k],
                                      row[i], A[k * n + i]);
            A[i * n + k] = 0.5 * A[i * n + k] + 0.5 * A[k * n + i];
        }
    for (size_t i = 0; i < n; i++) {
        double rest = A[i * n + i];
        for (size_t k = 0; k < i; k++) {
            double sum = A[i * n + k];
            for (size_t j = 0; j < k; j++) sum -= A[i * n + j] * A[k * n + j];
            A[i * n + k] = sum / A[k * n + k];
            rest -= A[i * n + k] * A[i * n + k];
        }
        if (!(rest > 0) || !isfinite(rest)) return problem_refuse(at, "M is not positive definite, by its row %d", row[i]);
        A[i * n + i] = sqrt(rest);
    }
    return 0;
}

/* What the condensation works with. */
typedef struct work {
    const problem_place *at;
    const parts *parts;
    int *column; /* (columns of H) where a column is among those of the part, -1: not there */
    matrix W;
    double *c;
} work;

/* The part's columns of H, in order of coming; returns how many. */
static size_t find_columns(work *k, const matrix_entry *h, size_t n, int *list) {
    size_t columns = 0;
    for (size_t i = 0; i < n; i++)
        if (k->column[h[i].column] < 0) {
            k->column[h[i].column] = (int)columns;
            list[columns++] = h[i].column;
        }
    return columns;
}

/* Add Y' Y to W and Y' y to c, Y = L^-1 H of this part, y = L^-1 f. */
static int add_part(work *k, const part *p, const matrix_entry *m, size_t n_m, const matrix_entry *h, size_t n_h, const double *f,
                    int *list) {
    const size_t n = p->n, columns = find_columns(k, h, n_h, list);
    const int *row = k->parts->row + p->first, *place = k->parts->place;
    double *A = cli_allocate(n * n, sizeof *A), *Y = cli_allocate(n * (columns + 1), sizeof *Y); /* the last column is f's */
    const size_t wide = columns + 1;
    for (size_t i = 0; i < n_m; i++) A[(size_t)place[m[i].row] * n + (size_t)place[m[i].column]] += m[i].x;
    for (size_t i = 0; i < n_h; i++) Y[(size_t)place[h[i].row] * wide + (size_t)k->column[h[i].column]] += h[i].x;
    for (size_t i = 0; i < n; i++) Y[i * wide + columns] = f[row[i]];
    int status = factorise(k->at, A, n, row);
    for (size_t i = 0; i < n && status == 0; i++) {
        double *y = Y + i * wide;
        for (size_t j = 0; j < i; j++)
            for (size_t a = 0; a < wide && A[i * n + j] != 0; a++) y[a] -= A[i * n + j] * Y[j * wide + a];
        for (size_t a = 0; a < wide; a++) y[a] /= A[i * n + i];
    }
    for (size_t a = 0; a < columns && status == 0; a++)
        for (size_t b = 0; b < wide && status == 0; b++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++) sum += Y[i * wide + a] * Y[i * wide + b];
            if (b == columns)
                k->c[list[a]] += sum;
            else
                status = matrix_add(&k->W, k->at, "W = H' M^-1 H", list[a], list[b], sum);
        }
    for (size_t a = 0; a < columns; a++) k->column[list[a]] = -1;
    free(A);
    free(Y);
    return status;
}

/* Before anything is factored: what would be too large. */
static int check_size(const problem_place *at, const parts *p, work *k, const matrix_entry *h, const size_t *first_h, int *list) {
    size_t numbers = 0;
    for (size_t i = 0; i < p->n; i++) {
        const size_t n_h = first_h[i + 1] - first_h[i], columns = find_columns(k, h + first_h[i], n_h, list);
        for (size_t a = 0; a < columns; a++) k->column[list[a]] = -1;
        if (n_h && p->part[i].n > MATRIX_DENSE)
            return problem_refuse(at, "M couples %zu of its coordinates, of which contacts move some: its inverse is dense; at most %d",
                                  p->part[i].n, MATRIX_DENSE);
        numbers += columns * columns;
        if (numbers > MATRIX_ENTRIES)
            return problem_refuse(
                at,
                "W = H' M^-1 H would have more than %d entries: up to %zu coordinates of M are one part, which %zu columns "
                "of H move",
                MATRIX_ENTRIES, p->part[i].n, columns);
    }
    return 0;
}

int matrix_condense_parts(const problem_place *at, const matrix *M, const matrix *H, const double *f, const double *w, problem_set *set,
                          problem_entry *entry) {
    const size_t m = (size_t)H->columns;
    parts p = split(M);
    size_t *first_m = cli_allocate(p.n + 2, sizeof *first_m), *first_h = cli_allocate(p.n + 2, sizeof *first_h);
    matrix_entry *in_m = by_part(&p, M, first_m), *in_h = by_part(&p, H, first_h);
    int *list = cli_allocate(m + 1, sizeof *list);
    work k = {.at = at,
              .parts = &p,
              .column = cli_allocate(m + 1, sizeof(int)),
              .W = {.rows = H->columns, .columns = H->columns},
              .c = (double *)(size_t)entry->problem.c};
    for (size_t i = 0; i < m; i++) k.column[i] = -1, k.c[i] = w[i];
    int status = check_size(at, &p, &k, in_h, first_h, list);
    for (size_t i = 0; i < p.n && status == 0; i++) {
        if (first_h[i + 1] == first_h[i]) continue; /* no contact moves it */
        status = add_part(&k, &p.part[i], in_m + first_m[i], first_m[i + 1] - first_m[i], in_h + first_h[i], first_h[i + 1] - first_h[i], f,
                          list);
    }
    if (status == 0) status = matrix_fill(at, &k.W, set, entry);
    matrix_close(&k.W);
    free(k.column);
    free(list);
    free(in_m);
    free(in_h);
    free(first_m);
    free(first_h);
    parts_close(&p);
    return status;
}
