/* Dense matrices for the readers of contact problems, and the way from a global problem to a local one. */
#include "problems_matrix.h"

#include <math.h>
#include <stdlib.h>

int matrix_open(matrix *m, const problem_place *at, const char *name, long long rows, long long columns) {
    *m = (matrix){0};
    if (rows < 0 || columns < 0) return problem_refuse(at, "%s has %lld rows and %lld columns", name, rows, columns);
    if (rows > MATRIX_ROWS || columns > MATRIX_ROWS)
        return problem_refuse(at, "%s has %lld rows and %lld columns; at most %d are read", name, rows, columns, MATRIX_ROWS);
    *m = (matrix){rows, columns, cli_allocate((size_t)rows * (size_t)columns, sizeof(double))};
    return 0;
}

void matrix_close(matrix *m) {
    free(m->x);
    *m = (matrix){0};
}

int matrix_add(matrix *m, const problem_place *at, const char *name, long long row, long long column, double value) {
    if (row < 0 || row >= m->rows || column < 0 || column >= m->columns)
        return problem_refuse(at, "%s has an entry at (%lld, %lld), outside of its %lld rows and %lld columns", name, row, column, m->rows,
                              m->columns);
    if (!isfinite(value)) return problem_refuse(at, "%s(%lld, %lld) is %g, not a finite number", name, row, column, value);
    m->x[row * m->columns + column] += value;
    return 0;
}

/* M = L L', L over M's lower half. Every row begins at its first entry, from which on L has entries too: the masses of single bodies
 * side by side cost what they cost alone. first: (n). */
static int factorise(const problem_place *at, matrix *M, size_t *first) {
    const size_t n = (size_t)M->rows;
    double largest = 0;
    for (size_t i = 0; i < n * n; i++) largest = fmax(largest, fabs(M->x[i]));
    for (size_t i = 0; i < n; i++) {
        double *row = M->x + i * n;
        first[i] = i;
        for (size_t k = i; k-- > 0;) {
            const double mirrored = M->x[k * n + i];
            if (fabs(row[k] - mirrored) > PROBLEM_ASYMMETRY * largest)
                return problem_refuse(at, "M is not symmetric: [%zu][%zu] is %.9g, [%zu][%zu] is %.9g", i, k, row[k], k, i, mirrored);
            row[k] = 0.5 * row[k] + 0.5 * mirrored;
            if (row[k] != 0) first[i] = k;
        }
    }
    for (size_t i = 0; i < n; i++) {
        double *row = M->x + i * n, rest = row[i];
        for (size_t k = first[i]; k < i; k++) {
            const double *other = M->x + k * n;
            double sum = row[k];
            for (size_t j = first[i] > first[k] ? first[i] : first[k]; j < k; j++) sum -= row[j] * other[j];
            row[k] = sum / other[k];
            rest -= row[k] * row[k];
        }
        if (!(rest > 0) || !isfinite(rest)) return problem_refuse(at, "M is not positive definite, by its row %zu", i);
        row[i] = sqrt(rest);
    }
    return 0;
}

/* b <- L^-1 b, for a column of stride `stride`. */
static void forward(const matrix *L, const size_t *first, double *b, size_t stride) {
    const size_t n = (size_t)L->rows;
    for (size_t i = 0; i < n; i++) {
        const double *row = L->x + i * n;
        double sum = b[i * stride];
        for (size_t k = first[i]; k < i; k++) sum -= row[k] * b[k * stride];
        b[i * stride] = sum / row[i];
    }
}

int matrix_condense(const problem_place *at, matrix *M, matrix *H, double *f, const double *w, problem_entry *entry) {
    const size_t n = (size_t)M->rows, m = (size_t)H->columns;
    double *G = (double *)(size_t)entry->problem.G, *c = (double *)(size_t)entry->problem.c;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(f[i])) return problem_refuse(at, "f[%zu] is %g, not a finite number", i, f[i]);
    size_t *first = cli_allocate(n, sizeof *first);
    const int status = factorise(at, M, first);
    if (status == 0) {
        for (size_t column = 0; column < m; column++) forward(M, first, H->x + column, m); /* H becomes Y = L^-1 H, G = Y' Y */
        forward(M, first, f, 1);
        for (size_t column = 0; column < m; column++) c[column] = w[column];
        for (size_t i = 0; i < n; i++) {
            const double *y = H->x + i * m;
            for (size_t row = 0; row < m; row++) {
                if (y[row] == 0) continue;
                c[row] += y[row] * f[i];
                for (size_t column = 0; column < m; column++) G[row * m + column] += y[row] * y[column];
            }
        }
    }
    free(first);
    return status;
}
