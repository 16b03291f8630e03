/* Matrices for the readers of contact problems, and the way from a global problem to a local one by one dense factor. */
#include "problems_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int matrix_open(matrix *m, const problem_place *at, const char *name, long long rows, long long columns) {
    *m = (matrix){0};
    if (rows < 0 || columns < 0) return problem_refuse(at, "%s has %lld rows and %lld columns", name, rows, columns);
    if (rows > MATRIX_ROWS || columns > MATRIX_ROWS)
        return problem_refuse(at, "%s has %lld rows and %lld columns; at most %d are read", name, rows, columns, MATRIX_ROWS);
    *m = (matrix){.rows = rows, .columns = columns};
    return 0;
}

void matrix_close(matrix *m) {
    free(m->entry);
    *m = (matrix){0};
}

static void append(matrix *m, int row, int column, double value) {
    if (m->n == m->room) {
        const size_t room = m->room ? 2 * m->room : 256;
        matrix_entry *larger = cli_allocate(room, sizeof *larger);
        if (m->n) memcpy(larger, m->entry, m->n * sizeof *larger);
        free(m->entry);
        m->entry = larger, m->room = room;
    }
    m->entry[m->n++] = (matrix_entry){row, column, value};
}

int matrix_add(matrix *m, const problem_place *at, const char *name, long long row, long long column, double value) {
    if (row < 0 || row >= m->rows || column < 0 || column >= m->columns)
        return problem_refuse(at, "%s has an entry at (%lld, %lld), outside of its %lld rows and %lld columns", name, row, column, m->rows,
                              m->columns);
    if (!isfinite(value)) return problem_refuse(at, "%s(%lld, %lld) is %g, not a finite number", name, row, column, value);
    if (value == 0) return 0;
    if (m->n == MATRIX_ENTRIES) return problem_refuse(at, "%s has more than %d entries, which is the limit", name, MATRIX_ENTRIES);
    append(m, (int)row, (int)column, value);
    return 0;
}

/* A counting sort by row, or by column, that keeps the order of equals. */
static void sort_by(const matrix_entry *from, matrix_entry *to, size_t n, int by, int columns, size_t most) {
    size_t *next = cli_allocate(most + 2, sizeof *next);
    for (size_t i = 0; i < n; i++) next[(size_t)((columns ? from[i].column : from[i].row) / by) + 1]++;
    for (size_t k = 1; k <= most + 1; k++) next[k] += next[k - 1];
    for (size_t i = 0; i < n; i++) to[next[(size_t)((columns ? from[i].column : from[i].row) / by)]++] = from[i];
    free(next);
}

matrix_entry *matrix_sorted(const matrix *m, int by) {
    matrix_entry *by_column = cli_allocate(m->n + 1, sizeof *by_column), *out = cli_allocate(m->n + 1, sizeof *out);
    sort_by(m->entry, by_column, m->n, by, 1, (size_t)(m->columns / by));
    sort_by(by_column, out, m->n, by, 0, (size_t)(m->rows / by));
    free(by_column);
    return out;
}

/* Into a zeroed row-major array. */
static void spread(const matrix *m, double *x) {
    for (size_t i = 0; i < m->n; i++) x[(size_t)m->entry[i].row * (size_t)m->columns + (size_t)m->entry[i].column] += m->entry[i].x;
}

static int fill_blocks(const problem_place *at, matrix *W, problem_set *set, problem_entry *entry);

int matrix_fill(const problem_place *at, matrix *W, problem_set *set, problem_entry *entry) {
    if (problem_is_large(entry)) return fill_blocks(at, W, set, entry);
    spread(W, (double *)(size_t)entry->problem.G);
    return 0;
}

/* ---- blocks ------------------------------------------------------------------------------------ */

/* Rows of blocks from sorted entries. */
static void build_blocks(const matrix_entry *sorted, size_t n, int contacts, int64_t *first, int *column, double *block) {
    int64_t at = -1;
    int row = 0, before = -1;
    first[0] = 0;
    for (size_t i = 0; i < n; i++) {
        const matrix_entry *e = &sorted[i];
        const int r = e->row / 3, k = e->column / 3;
        for (; row < r; row++) first[row + 1] = at + 1, before = -1;
        if (k != before) column[++at] = before = k;
        block[9 * at + 3 * (e->row % 3) + e->column % 3] += e->x;
    }
    for (; row < contacts; row++) first[row + 1] = at + 1;
}

/* Where blocks begin in sorted entries, counted. */
static size_t count_blocks(const matrix_entry *sorted, size_t n) {
    size_t blocks = 0;
    for (size_t i = 0; i < n; i++)
        blocks += i == 0 || sorted[i].row / 3 != sorted[i - 1].row / 3 || sorted[i].column / 3 != sorted[i - 1].column / 3;
    return blocks;
}

/* The library wants every diagonal block, and with a block the one opposite: entries of zero where the file has none. */
static void complete(matrix *W, int contacts) {
    for (int i = 0; i < contacts; i++) append(W, 3 * i, 3 * i, 0);
    matrix_entry *sorted = matrix_sorted(W, 3);
    const size_t n = W->n;
    int64_t *const row = cli_allocate((size_t)contacts + 1, sizeof *row);
    for (size_t i = 0; i < n; i++) row[sorted[i].row / 3 + 1]++;
    for (int i = 0; i < contacts; i++) row[i + 1] += row[i];
    int64_t *const next = cli_allocate((size_t)contacts + 1, sizeof *next);
    memcpy(next, row, ((size_t)contacts + 1) * sizeof *next);
    for (size_t i = 0; i < n; i++) {
        const int r = sorted[i].row / 3, k = sorted[i].column / 3;
        if (i > 0 && r == sorted[i - 1].row / 3 && k == sorted[i - 1].column / 3) continue;
        while (next[k] < row[k + 1] && sorted[next[k]].column / 3 < r) next[k]++;
        if (next[k] == row[k + 1] || sorted[next[k]].column / 3 != r) append(W, 3 * k, 3 * r, 0);
    }
    free(row);
    free(next);
    free(sorted);
}

static int fill_blocks(const problem_place *at, matrix *W, problem_set *set, problem_entry *entry) {
    const int contacts = entry->problem.contacts;
    complete(W, contacts);
    matrix_entry *sorted = matrix_sorted(W, 3);
    const size_t blocks = count_blocks(sorted, W->n);
    int status = 0;
    if (set->numbers + 9 * blocks > PROBLEM_NUMBERS) {
        status =
            problem_refuse(at,
                           "with its %zu blocks the matrices are more than %zu numbers in all, which is the limit: give fewer problems "
                           "at a time",
                           blocks, PROBLEM_NUMBERS);
    } else {
        int64_t *first = cli_allocate((size_t)contacts + 1, sizeof *first);
        int *column = cli_allocate(blocks, sizeof *column);
        double *block = cli_allocate(9 * blocks, sizeof *block);
        build_blocks(sorted, W->n, contacts, first, column, block);
        problem_give_blocks(set, entry, first, column, block);
    }
    free(sorted);
    return status;
}

/* ---- global problems --------------------------------------------------------------------------- */

/* M = L L', L over M's lower half. Every row begins at its first entry, from which on L has entries too: the masses of single bodies
 * side by side cost what they cost alone. first: (n). */
static int factorise(const problem_place *at, double *M, size_t n, size_t *first) {
    double largest = 0;
    for (size_t i = 0; i < n * n; i++) largest = fmax(largest, fabs(M[i]));
    for (size_t i = 0; i < n; i++) {
        double *row = M + i * n;
        first[i] = i;
        for (size_t k = i; k-- > 0;) {
            const double mirrored = M[k * n + i];
            if (fabs(row[k] - mirrored) > PROBLEM_ASYMMETRY * largest)
                return problem_refuse(at, "M is not symmetric: [%zu][%zu] is %.9g, [%zu][%zu] is %.9g", i, k, row[k], k, i, mirrored);
            row[k] = 0.5 * row[k] + 0.5 * mirrored;
            if (row[k] != 0) first[i] = k;
        }
    }
    for (size_t i = 0; i < n; i++) {
        double *row = M + i * n, rest = row[i];
        for (size_t k = first[i]; k < i; k++) {
            const double *other = M + k * n;
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
static void forward(const double *L, size_t n, const size_t *first, double *b, size_t stride) {
    for (size_t i = 0; i < n; i++) {
        const double *row = L + i * n;
        double sum = b[i * stride];
        for (size_t k = first[i]; k < i; k++) sum -= row[k] * b[k * stride];
        b[i * stride] = sum / row[i];
    }
}

int matrix_condense(const problem_place *at, const matrix *M, const matrix *H, double *f, const double *w, problem_set *set,
                    problem_entry *entry) {
    const size_t n = (size_t)M->rows, m = (size_t)H->columns;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(f[i])) return problem_refuse(at, "f[%zu] is %g, not a finite number", i, f[i]);
    if (problem_is_large(entry) || M->rows > MATRIX_DENSE) return matrix_condense_parts(at, M, H, f, w, set, entry);
    double *G = (double *)(size_t)entry->problem.G, *c = (double *)(size_t)entry->problem.c;
    double *L = cli_allocate(n * n, sizeof *L), *Y = cli_allocate(n * m, sizeof *Y);
    size_t *first = cli_allocate(n, sizeof *first);
    spread(M, L);
    spread(H, Y);
    const int status = factorise(at, L, n, first);
    if (status == 0) {
        for (size_t column = 0; column < m; column++) forward(L, n, first, Y + column, m); /* Y = L^-1 H, G = Y' Y */
        forward(L, n, first, f, 1);
        for (size_t column = 0; column < m; column++) c[column] = w[column];
        for (size_t i = 0; i < n; i++) {
            const double *y = Y + i * m;
            for (size_t row = 0; row < m; row++) {
                if (y[row] == 0) continue;
                c[row] += y[row] * f[i];
                for (size_t column = 0; column < m; column++) G[row * m + column] += y[row] * y[column];
            }
        }
    }
    free(first);
    free(L);
    free(Y);
    return status;
}
