/* Contact problems in FCLib's HDF5: a group fclib_local (W, vectors q and mu) or fclib_global (M, H, vectors f, w and mu) in the root, or
 * many of them in groups of their own, as `run --dump-problems` writes them. FCLib's contacts are (N, T1, T2). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>

#include "json.h"
#include "problems_matrix.h"

enum { MOST_POINTS = 1 << 26, MOST_DEPTH = 3, PATH_LENGTH = 256 };

typedef struct reader {
    const char *file;
    problem_set *set;
    cli_text *message;
    char path[PATH_LENGTH]; /* of the group that is being read */
    size_t found;
    int failed;
} reader;

static int refuse_at(reader *r, const char *name, const char *reason) {
    char item[PATH_LENGTH + 80];
    snprintf(item, sizeof item, "%s/%s", r->path, name);
    const problem_place at = {r->file, item, r->message};
    return r->failed = problem_refuse(&at, "%s", reason);
}

/* By a hard link: others may lead out of the file. */
static int has(hid_t group, const char *name) {
    H5L_info_t link;
    if (H5Lexists(group, name, H5P_DEFAULT) <= 0 || H5Lget_info(group, name, &link, H5P_DEFAULT) < 0) return 0;
    return link.type == H5L_TYPE_HARD && H5Oexists_by_name(group, name, H5P_DEFAULT) > 0;
}

/* The numbers lie in the file itself, and in no other that it names. */
static int is_inside(hid_t dataset) {
    const hid_t how = H5Dget_create_plist(dataset);
    if (how < 0) return 0;
    const int inside = H5Pget_layout(how) != H5D_VIRTUAL && H5Pget_external_count(how) == 0;
    H5Pclose(how);
    return inside;
}

/* ---- arrays ------------------------------------------------------------------------------------ */

/* All numbers of a dataset as `type` (a native one), *n of them; NULL: refused. */
static void *read_array(reader *r, hid_t group, const char *name, hid_t type, size_t size, long long *n) {
    void *out = NULL;
    *n = 0;
    if (r->failed) return NULL;
    const hid_t dataset = has(group, name) ? H5Dopen2(group, name, H5P_DEFAULT) : -1;
    if (dataset < 0) {
        refuse_at(r, name, "there is no such dataset");
        return NULL;
    }
    const hid_t space = H5Dget_space(dataset), stored = H5Dget_type(dataset);
    const H5T_class_t kind = stored >= 0 ? H5Tget_class(stored) : H5T_NO_CLASS;
    const hssize_t points = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    if (!is_inside(dataset)) {
        refuse_at(r, name, "its numbers lie in another file");
    } else if (kind != H5T_INTEGER && kind != H5T_FLOAT) {
        refuse_at(r, name, "it does not hold numbers");
    } else if (points < 0 || points > MOST_POINTS) {
        refuse_at(r, name, "it is damaged, or larger than is read");
    } else {
        out = cli_allocate((size_t)points, size);
        if (points > 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0) {
            refuse_at(r, name, "it cannot be read: the file is damaged or cut off");
            free(out);
            out = NULL;
        }
        *n = (long long)points;
    }
    if (space >= 0) H5Sclose(space);
    if (stored >= 0) H5Tclose(stored);
    H5Dclose(dataset);
    return out;
}

static long long *read_ints(reader *r, hid_t group, const char *name, long long *n) {
    return read_array(r, group, name, H5T_NATIVE_LLONG, sizeof(long long), n);
}

static double *read_reals(reader *r, hid_t group, const char *name, long long *n) {
    return read_array(r, group, name, H5T_NATIVE_DOUBLE, sizeof(double), n);
}

static long long read_int(reader *r, hid_t group, const char *name) {
    long long n, value = 0, *values = read_ints(r, group, name, &n);
    if (values && n < 1) refuse_at(r, name, "it holds nothing");
    if (values && n >= 1) value = values[0];
    free(values);
    return value;
}

/* Exactly so many numbers. */
static double *read_vector(reader *r, hid_t group, const char *name, long long wanted) {
    long long n;
    double *values = read_reals(r, group, name, &n);
    if (values && n != wanted) {
        char reason[80];
        snprintf(reason, sizeof reason, "it has %lld numbers, not %lld", n, wanted);
        refuse_at(r, name, reason);
    }
    return values;
}

/* ---- matrices ---------------------------------------------------------------------------------- */

/* Compressed columns (nz -1), compressed rows (nz -2) or nz triplets. The header of FCLib gives triplets their row in `p`; the files that
 * exist, and FCLib's own arithmetic, have it in `i`, as CSparse does: `p` is taken for it only where `i` cannot be. */
static void fill_matrix(const problem_place *at, matrix *m, const char *name, long long nz, const long long *p, long long n_p,
                        const long long *i, const double *x, long long n_x, int *failed) {
    if (nz >= 0) {
        if (nz > n_x || nz > n_p) *failed = problem_refuse(at, "%s has %lld entries, but room for %lld", name, nz, n_x < n_p ? n_x : n_p);
        int turned = 0;
        for (long long k = 0; k < nz && !*failed; k++) turned = turned || i[k] >= m->rows || p[k] >= m->columns;
        for (long long k = 0; k < nz && !*failed; k++) *failed = matrix_add(m, at, name, turned ? p[k] : i[k], turned ? i[k] : p[k], x[k]);
        return;
    }
    const long long outer = nz == -1 ? m->columns : m->rows;
    if (nz < -2) *failed = problem_refuse(at, "%s: nz is %lld; it may be -2, -1, or a number of entries", name, nz);
    if (!*failed && n_p != outer + 1) *failed = problem_refuse(at, "%s: p has %lld numbers, not %lld", name, n_p, outer + 1);
    for (long long a = 0; a < outer && !*failed; a++) {
        if (p[a] < 0 || p[a + 1] < p[a] || p[a + 1] > n_x) {
            *failed = problem_refuse(at, "%s: p[%lld] is %lld and p[%lld] is %lld, of %lld entries", name, a, p[a], a + 1, p[a + 1], n_x);
            return;
        }
        for (long long k = p[a]; k < p[a + 1] && !*failed; k++)
            *failed = matrix_add(m, at, name, nz == -1 ? i[k] : a, nz == -1 ? a : i[k], x[k]);
    }
}

static void read_matrix(reader *r, hid_t parent, const char *name, matrix *m) {
    *m = (matrix){0};
    if (r->failed) return;
    const hid_t group = has(parent, name) ? H5Gopen2(parent, name, H5P_DEFAULT) : -1;
    if (group < 0) {
        refuse_at(r, name, "there is no such group");
        return;
    }
    char above[PATH_LENGTH], item[PATH_LENGTH];
    snprintf(above, sizeof above, "%s", r->path);
    snprintf(item, sizeof item, "%.*s/%.20s", PATH_LENGTH - 24, above, name);
    snprintf(r->path, sizeof r->path, "%s", item);
    const problem_place at = {r->file, item, r->message};
    const long long rows = read_int(r, group, "m"), columns = read_int(r, group, "n"), nz = read_int(r, group, "nz");
    if (!r->failed) r->failed = matrix_open(m, &at, name, rows, columns);
    long long n_p = 0, n_i = 0, n_x = 0;
    long long *p = read_ints(r, group, "p", &n_p), *i = read_ints(r, group, "i", &n_i);
    double *x = read_reals(r, group, "x", &n_x);
    if (!r->failed && n_i != n_x) r->failed = problem_refuse(&at, "%s: i has %lld numbers and x has %lld", name, n_i, n_x);
    if (!r->failed) fill_matrix(&at, m, name, nz, p, n_p, i, x, n_x, &r->failed);
    free(p);
    free(i);
    free(x);
    H5Gclose(group);
    snprintf(r->path, sizeof r->path, "%s", above);
}

/* ---- problems ---------------------------------------------------------------------------------- */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* guesses/1/r of the group that holds the problem is a warm start. One that does not fit is not ours. */
static void read_start(reader *r, hid_t parent, problem_entry *entry) {
    if (r->failed || r->set->cold || !has(parent, "guesses")) return;
    const hid_t guesses = H5Gopen2(parent, "guesses", H5P_DEFAULT);
    const hid_t first = guesses >= 0 && has(guesses, "1") ? H5Gopen2(guesses, "1", H5P_DEFAULT) : -1;
    if (first >= 0 && has(first, "r")) {
        double *start = read_vector(r, first, "r", 3 * (long long)entry->problem.contacts);
        if (start && !r->failed) memcpy(problem_add_start(r->set, entry), start, 3 * (size_t)entry->problem.contacts * sizeof *start);
        free(start);
    }
    if (first >= 0) H5Gclose(first);
    if (guesses >= 0) H5Gclose(guesses);
}

static problem_entry *add_entry(reader *r, const problem_place *at, long long columns) {
    char id[PATH_LENGTH + 160];
    char *end = strrchr(r->path, '/'); /* the problem is named by the group that holds it */
    const int depth = end ? (int)(end - r->path) : 0;
    snprintf(id, sizeof id, "%.140s%s%.*s", base_name(r->file), depth ? ":" : "", depth, r->path);
    if (columns % 3 != 0 || columns == 0) {
        r->failed = problem_refuse(at, "the matrix has %lld columns, not three per contact", columns);
        return NULL;
    }
    problem_entry *entry = problem_add(r->set, at, cli_json_text(id), columns / 3);
    if (!entry) r->failed = -1;
    return entry;
}

/* group: fclib_local, fclib_global; parent: what holds it. */
static void read_problem(reader *r, hid_t parent, hid_t group, int global) {
    static const problem_words words = {"W", "q", "mu"};
    const problem_place at = {r->file, r->path, r->message};
    const long long dimension = read_int(r, group, "spacedim");
    matrix first = {0}, H = {0};
    if (!r->failed && dimension != 3)
        r->failed = problem_refuse(&at,
                                   dimension == 2 ? "it is two-dimensional; problems in three dimensions are read"
                                                  : "spacedim is %lld; problems in three dimensions are read",
                                   dimension);
    const char *bilateral = global ? "G" : "V";
    if (!r->failed && has(group, bilateral)) refuse_at(r, bilateral, "bilateral constraints are not read");
    read_matrix(r, group, global ? "M" : "W", &first);
    if (global) read_matrix(r, group, "H", &H);
    if (!r->failed && (first.rows != first.columns || (global && H.rows != first.rows)))
        r->failed = problem_refuse(&at, "%s has %lld rows and %lld columns%s", global ? "M" : "W", first.rows, first.columns,
                                   global && H.rows != first.rows ? ", and H does not fit it" : ": it is not square");
    problem_entry *entry = r->failed ? NULL : add_entry(r, &at, global ? H.columns : first.columns);
    if (entry && !has(group, "vectors")) refuse_at(r, "vectors", "there is no such group");
    if (!r->failed) {
        const size_t nc = (size_t)entry->problem.contacts, m = 3 * nc;
        double *mu = read_vector(r, group, "vectors/mu", (long long)nc);
        double *q = read_vector(r, group, global ? "vectors/w" : "vectors/q", (long long)m);
        double *f = global ? read_vector(r, group, "vectors/f", first.rows) : NULL;
        if (!r->failed) memcpy((void *)(size_t)entry->problem.mu, mu, nc * sizeof *mu);
        if (!r->failed && global) r->failed = matrix_condense(&at, &first, &H, f, q, r->set, entry);
        if (!r->failed && !global) {
            memcpy((void *)(size_t)entry->problem.c, q, m * sizeof *q);
            r->failed = matrix_fill(&at, &first, r->set, entry);
        }
        free(mu);
        free(q);
        free(f);
    }
    if (!r->failed) read_start(r, parent, entry);
    if (!r->failed) r->failed = problem_finish(&at, &words, entry, 1);
    matrix_close(&first);
    matrix_close(&H);
}

static int is_group(hid_t parent, const char *name) {
    H5O_info_t info;
    return has(parent, name) && H5Oget_info_by_name(parent, name, &info, H5P_DEFAULT) >= 0 && info.type == H5O_TYPE_GROUP;
}

static void walk(reader *r, hid_t group, int depth);

static void enter(reader *r, hid_t group, const char *name, int depth, int kind) {
    const hid_t child = H5Gopen2(group, name, H5P_DEFAULT);
    const size_t length = strlen(r->path);
    if (child < 0) {
        refuse_at(r, name, "it cannot be opened: the file is damaged or cut off");
        return;
    }
    snprintf(r->path + length, sizeof r->path - length, "/%.60s", name);
    if (kind < 0) {
        walk(r, child, depth + 1);
    } else {
        r->found++;
        read_problem(r, group, child, kind);
    }
    if (!r->failed) r->path[length] = '\0';
    H5Gclose(child);
}

static void walk(reader *r, hid_t group, int depth) {
    if (is_group(group, "fclib_local")) {
        enter(r, group, "fclib_local", depth, 0);
        return;
    }
    if (is_group(group, "fclib_global")) {
        enter(r, group, "fclib_global", depth, 1);
        return;
    }
    H5G_info_t info;
    if (depth >= MOST_DEPTH || H5Gget_info(group, &info) < 0) return;
    for (hsize_t i = 0; i < info.nlinks && !r->failed; i++) {
        char name[64];
        const ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
        if (length <= 0 || length >= (ssize_t)sizeof name || !is_group(group, name)) continue;
        enter(r, group, name, depth, -1);
    }
}

/* The whole file lies in memory: HDF5 opens an image of it. */
static hid_t open_image(const void *bytes, size_t length) {
    const hid_t how = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = -1;
    if (how >= 0 && H5Pset_fapl_core(how, 1 << 16, 0) >= 0 && H5Pset_file_image(how, (void *)(size_t)bytes, length) >= 0)
        file = H5Fopen("problems", H5F_ACC_RDONLY, how);
    if (how >= 0) H5Pclose(how);
    return file;
}

int problems_fclib(const void *bytes, size_t length, const char *file, problem_set *set, cli_text *message) {
    reader r = {.file = file, .set = set, .message = message};
    const problem_place top = {file, NULL, message};
    const size_t before = set->n;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* what is wrong is said here, and not on stderr */
    const hid_t image = open_image(bytes, length);
    if (image < 0) return problem_refuse(&top, "it is not an HDF5 file, or it is damaged or cut off");
    const hid_t root = H5Gopen2(image, "/", H5P_DEFAULT);
    if (root >= 0) {
        walk(&r, root, 0);
        H5Gclose(root);
    }
    if (!r.failed && r.found == 0)
        r.failed = problem_refuse(&top, "it has no group fclib_local or fclib_global: it is not a file of FCLib, or it is damaged");
    H5Fclose(image);
    if (r.failed) problem_cut(set, before);
    return r.failed ? -1 : 0;
}
