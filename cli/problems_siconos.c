/* Contact problems in the text of Siconos' numerics (`.dat`): dimension, number of contacts, matrices, vectors, friction coefficients, one
 * number after the other. Its contacts are (N, T1, T2). */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "problems_matrix.h"

typedef struct reader {
    const char *at, *end;
    int line;
    const char *file;
    problem_set *set;
    cli_text *message;
    char item[32];
    int failed;
} reader;

static problem_place place(reader *r) {
    snprintf(r->item, sizeof r->item, "line %d", r->line);
    return (problem_place){r->file, r->item, r->message};
}

static void skip_space(reader *r) {
    for (; r->at < r->end && isspace((unsigned char)*r->at); r->at++) r->line += *r->at == '\n';
}

static double read_real(reader *r, const char *what) {
    skip_space(r);
    if (r->failed) return 0;
    char *end = NULL;
    const double value = r->at < r->end ? strtod(r->at, &end) : 0;
    const problem_place at = place(r);
    if (r->at >= r->end) {
        r->failed = problem_refuse(&at, "the file ends where %s should be", what);
    } else if (end == r->at || end > r->end) {
        size_t n = 0;
        while (n < 24 && r->at + n < r->end && isgraph((unsigned char)r->at[n])) n++;
        r->failed = problem_refuse(&at, "\"%.*s\" is not a number; %s should be here", (int)n, r->at, what);
    } else if (!isfinite(value)) {
        r->failed = problem_refuse(&at, "%s is \"%.*s\", not a finite number", what, (int)(end - r->at < 24 ? end - r->at : 24), r->at);
    }
    if (r->failed) return 0;
    r->at = end;
    return value;
}

static long long read_count(reader *r, const char *what) {
    const double value = read_real(r, what);
    if (r->failed) return 0;
    const problem_place at = place(r);
    if (value != floor(value) || fabs(value) > 1e9) r->failed = problem_refuse(&at, "%s is %g, not a whole number", what, value);
    return r->failed ? 0 : (long long)value;
}

static void read_reals(reader *r, const char *what, double *out, long long n) {
    for (long long i = 0; i < n && !r->failed; i++) out[i] = read_real(r, what);
}

/* ---- matrices ---------------------------------------------------------------------------------- */

static void add(reader *r, matrix *m, const char *name, long long row, long long column, double value) {
    if (r->failed) return;
    const problem_place at = place(r);
    r->failed = matrix_add(m, &at, name, row, column, value);
}

static void read_dense(reader *r, matrix *m, const char *name) {
    const problem_place at = place(r);
    const long long rows = read_count(r, "the number of rows"), columns = read_count(r, "the number of columns");
    if (!r->failed && (rows != m->rows || columns != m->columns))
        r->failed = problem_refuse(&at, "%s is said to be %lld x %lld, then %lld x %lld", name, m->rows, m->columns, rows, columns);
    for (long long column = 0; column < m->columns; column++)
        for (long long row = 0; row < m->rows && !r->failed; row++) add(r, m, name, row, column, read_real(r, "an entry of the matrix"));
}

/* Row (or column) at which each block ends. */
static long long *read_block_ends(reader *r, long long n, long long last, const char *what) {
    long long *ends = cli_allocate((size_t)n, sizeof *ends), before = 0;
    for (long long i = 0; i < n && !r->failed; i++) {
        ends[i] = read_count(r, what);
        const problem_place at = place(r);
        if (!r->failed && (ends[i] < before || ends[i] > last)) r->failed = problem_refuse(&at, "block %lld ends at %lld", i, ends[i]);
        before = ends[i];
    }
    return ends;
}

/* Sparse blocks by rows of blocks; the entries of a block column after column. */
static void read_blocks(reader *r, matrix *m, const char *name) {
    const long long blocks = read_count(r, "the number of blocks"), block_rows = read_count(r, "the number of rows of blocks"),
                    block_columns = read_count(r, "the number of columns of blocks");
    const problem_place at = place(r);
    if (!r->failed && (block_rows < 0 || block_rows > m->rows || block_columns < 0 || block_columns > m->columns || blocks < 0 ||
                       blocks > block_rows * block_columns))
        r->failed = problem_refuse(&at, "%s of %lld x %lld cannot have %lld blocks in %lld x %lld", name, m->rows, m->columns, blocks,
                                   block_rows, block_columns);
    if (r->failed) return;
    long long *row_end = read_block_ends(r, block_rows, m->rows, "the end of a row of blocks");
    long long *column_end = read_block_ends(r, block_columns, m->columns, "the end of a column of blocks");
    const long long filled1 = read_count(r, "the number of row pointers"), filled2 = read_count(r, "the number of column indices");
    if (!r->failed && (filled1 != block_rows + 1 || filled2 != blocks))
        r->failed = problem_refuse(&at, "%s has %lld rows of blocks and %lld row pointers, %lld blocks and %lld column indices", name,
                                   block_rows, filled1, blocks, filled2);
    long long *first = cli_allocate((size_t)block_rows + 1, sizeof *first), *column_of = cli_allocate((size_t)blocks, sizeof *column_of);
    for (long long i = 0; i <= block_rows && !r->failed; i++) {
        first[i] = read_count(r, "a row pointer");
        if (!r->failed && (first[i] < (i ? first[i - 1] : 0) || first[i] > blocks))
            r->failed = problem_refuse(&at, "row pointer %lld is %lld", i, first[i]);
    }
    for (long long i = 0; i < blocks && !r->failed; i++) {
        column_of[i] = read_count(r, "a column index");
        if (!r->failed && (column_of[i] < 0 || column_of[i] >= block_columns))
            r->failed = problem_refuse(&at, "block %lld is in column %lld of %lld", i, column_of[i], block_columns);
    }
    for (long long i = 0; i < block_rows && !r->failed; i++)
        for (long long b = first[i]; b < first[i + 1] && !r->failed; b++) {
            const long long k = column_of[b], row0 = i ? row_end[i - 1] : 0, column0 = k ? column_end[k - 1] : 0;
            const long long number = read_count(r, "the number of a block");
            if (!r->failed && number != b) r->failed = problem_refuse(&at, "after block %lld comes block %lld", b - 1, number);
            for (long long column = column0; column < column_end[k]; column++)
                for (long long row = row0; row < row_end[i] && !r->failed; row++)
                    add(r, m, name, row, column, read_real(r, "an entry of a block"));
        }
    free(row_end);
    free(column_end);
    free(first);
    free(column_of);
}

/* The rest of the line, cut at 200 letters. */
static void read_line(reader *r, char line[200]) {
    size_t n = 0;
    for (; r->at < r->end && *r->at != '\n'; r->at++)
        if (n < 199) line[n++] = *r->at;
    line[n] = '\0';
}

/* As CSparse prints itself: a line about its version, a line of sizes, then triplets or columns. */
static void read_sparse(reader *r, matrix *m, const char *name) {
    enum { ROWS = 3 }; /* compressed rows: what is printed as a column is a row */
    char line[200];
    const long long kind = read_count(r, "the kind of sparse matrix");
    long long rows = -1, columns = -1, room = 0, entries = 0;
    skip_space(r);
    if (!r->failed) read_line(r, line); /* CSparse Version .. */
    skip_space(r);
    const problem_place at = place(r);
    if (r->failed) return;
    read_line(r, line);
    const int triplets = strncmp(line, "triplet: ", 9) == 0;
    if (sscanf(triplets ? line + 9 : line, "%9lld-by-%9lld, nzmax: %9lld nnz: %9lld", &rows, &columns, &room, &entries) != 4) {
        r->failed = problem_refuse(&at, "\"%.60s\" does not say how large %s is, as CSparse does", line, name);
    } else if (rows != m->rows || columns != m->columns) {
        r->failed = problem_refuse(&at, "%s is said to be %lld x %lld, then %lld x %lld", name, m->rows, m->columns, rows, columns);
    }
    if (triplets) {
        for (long long i = 0; i < entries && !r->failed; i++) {
            const long long row = read_count(r, "the row of an entry"), column = read_count(r, "the column of an entry");
            skip_space(r);
            if (r->at < r->end && *r->at == ':') r->at++;
            add(r, m, name, row, column, read_real(r, "an entry of the matrix"));
        }
        return;
    }
    for (long long j = 0; j < columns && !r->failed; j++) {
        long long column = -1, from = 0, to = -1;
        skip_space(r);
        const problem_place here = place(r);
        read_line(r, line);
        if (sscanf(line, "col %9lld : locations %9lld to %9lld", &column, &from, &to) != 3 || column != j) {
            r->failed = problem_refuse(&here, "\"%.60s\" does not begin column %lld of %s", line, j, name);
            return;
        }
        for (long long i = from; i <= to && !r->failed; i++) {
            const long long row = read_count(r, "the row of an entry");
            skip_space(r);
            if (r->at < r->end && *r->at == ':') r->at++;
            const double value = read_real(r, "an entry of the matrix");
            add(r, m, name, kind == ROWS ? j : row, kind == ROWS ? row : j, value);
        }
    }
}

static void read_matrix(reader *r, matrix *m, const char *name) {
    *m = (matrix){0};
    const long long kind = read_count(r, "the storage of the matrix"), rows = read_count(r, "the number of rows"),
                    columns = read_count(r, "the number of columns");
    if (r->failed) return;
    const problem_place at = place(r);
    if (kind < 0 || kind > 2)
        r->failed = problem_refuse(&at, "%s is stored in way %lld; 0 (dense), 1 (sparse blocks) and 2 (sparse) are read", name, kind);
    if (!r->failed) r->failed = matrix_open(m, &at, name, rows, columns);
    if (r->failed) return;
    if (kind == 0) read_dense(r, m, name);
    if (kind == 1) read_blocks(r, m, name);
    if (kind == 2) read_sparse(r, m, name);
}

/* ---- the problem ------------------------------------------------------------------------------- */

/* Numbers up to the end of the file. */
static long long numbers_left(const reader *r) {
    long long n = 0;
    for (const char *c = r->at; c < r->end; c++) n += !isspace((unsigned char)*c) && (c + 1 == r->end || isspace((unsigned char)c[1]));
    return n;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void read_local(reader *r, matrix *W, problem_entry *entry) {
    const problem_place top = {r->file, NULL, r->message};
    if (!r->failed) r->failed = matrix_fill(&top, W, r->set, entry);
    read_reals(r, "a number of q", (double *)(size_t)entry->problem.c, W->rows);
}

static void read_global(reader *r, matrix *M, problem_entry *entry) {
    const long long wanted = 3 * (long long)entry->problem.contacts;
    matrix H;
    read_matrix(r, &H, "H");
    const problem_place at = place(r);
    if (!r->failed && M->columns != M->rows) r->failed = problem_refuse(&at, "M has %lld rows and %lld columns", M->rows, M->columns);
    if (!r->failed && (H.rows != M->rows || H.columns != wanted))
        r->failed = problem_refuse(&at, "H has %lld rows and %lld columns, not %lld and %lld", H.rows, H.columns, M->rows, wanted);
    if (!r->failed) {
        double *q = cli_allocate((size_t)M->rows, sizeof *q), *b = cli_allocate((size_t)wanted, sizeof *b);
        read_reals(r, "a number of q", q, M->rows);
        read_reals(r, "a number of b", b, wanted);
        if (!r->failed) r->failed = matrix_condense(&at, M, &H, q, b, r->set, entry);
        free(q);
        free(b);
    }
    matrix_close(&H);
}

static void read_problem(reader *r) {
    static const problem_words words = {"the matrix", "q", "mu"};
    const problem_place top = {r->file, NULL, r->message};
    const long long dimension = read_count(r, "the dimension");
    if (r->failed) return;
    if (dimension != 3) {
        r->failed = dimension == 2
                        ? problem_refuse(&top, "it is two-dimensional; problems in three dimensions are read")
                        : problem_refuse(&top, "its dimension is %lld: this is not a friction-contact problem of Siconos", dimension);
        return;
    }
    const long long contacts = read_count(r, "the number of contacts");
    if (!r->failed && contacts < 1) r->failed = problem_refuse(&top, "it has %lld contacts", contacts);
    if (r->failed) return;
    problem_entry *entry = problem_add(r->set, &top, cli_json_text(base_name(r->file)), contacts);
    if (!entry) {
        r->failed = -1;
        return;
    }
    matrix first;
    read_matrix(r, &first, "the matrix");
    const long long m = 3 * contacts, left = numbers_left(r);
    if (!r->failed && first.rows == m && first.columns == m && left <= m + 2 * contacts) {
        read_local(r, &first, entry);
    } else if (!r->failed) {
        read_global(r, &first, entry);
    }
    matrix_close(&first);
    read_reals(r, "a number of mu", (double *)(size_t)entry->problem.mu, contacts);
    if (!r->failed && numbers_left(r) == 1) read_count(r, "the number after mu"); /* older files end with a flag */
    if (!r->failed && numbers_left(r) > 0) {
        const problem_place at = place(r);
        r->failed =
            problem_refuse(&at, "%lld numbers follow mu: problems with more data, such as rolling friction, are not read", numbers_left(r));
    }
    if (!r->failed) r->failed = problem_finish(&top, &words, entry, 1);
}

int problems_siconos(const char *text, size_t length, const char *file, problem_set *set, cli_text *message) {
    reader r = {.at = text, .end = text + length, .line = 1, .file = file, .set = set, .message = message};
    const size_t before = set->n;
    read_problem(&r);
    if (r.failed) problem_cut(set, before);
    return r.failed ? -1 : 0;
}
