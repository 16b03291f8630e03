/* Contact problems as FCLib's HDF5: problems/000012/fclib_local is what FCLib has at the root of a file, guesses beside it the warm start.
 * Contacts are (N, T1, T2) there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>

#include "cli.h"
#include "dump.h"
#include "problems.h"

int64_t dump_fclib_open(const char *path) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) return -1;
    const hid_t group = H5Gcreate2(file, "problems", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) return -1;
    H5Gclose(group);
    return file;
}

int dump_fclib_close(int64_t file) { return H5Fclose((hid_t)file) < 0; }

static int write_array(hid_t group, const char *name, hid_t type, const void *values, size_t n) {
    const hsize_t size = n;
    const hid_t space = H5Screate_simple(1, &size, NULL);
    const hid_t stored = type == H5T_NATIVE_INT ? H5T_STD_I32LE : H5T_IEEE_F64LE;
    const hid_t dataset = H5Dcreate2(group, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const int bad = dataset < 0 || (n > 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0);
    if (dataset >= 0) H5Dclose(dataset);
    H5Sclose(space);
    return bad;
}

static int write_int(hid_t group, const char *name, int value) { return write_array(group, name, H5T_NATIVE_INT, &value, 1); }

static int write_text(hid_t group, const char *name, const char *text) {
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    const hid_t dataset = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const int bad = dataset < 0 || H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0;
    if (dataset >= 0) H5Dclose(dataset);
    H5Sclose(space);
    H5Tclose(type);
    return bad;
}

/* All entries, by compressed rows. */
static int write_matrix(hid_t parent, const char *name, const double *x, int n) {
    const hid_t group = H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) return 1;
    int *rows = cli_allocate((size_t)n + 1, sizeof *rows), *columns = cli_allocate((size_t)n * (size_t)n, sizeof *columns);
    for (int i = 0; i <= n; i++) rows[i] = i * n;
    for (int i = 0; i < n * n; i++) columns[i] = i % n;
    const int bad = write_int(group, "m", n) || write_int(group, "n", n) || write_int(group, "nz", -2) ||
                    write_int(group, "nzmax", n * n) || write_array(group, "p", H5T_NATIVE_INT, rows, (size_t)n + 1) ||
                    write_array(group, "i", H5T_NATIVE_INT, columns, (size_t)n * (size_t)n) ||
                    write_array(group, "x", H5T_NATIVE_DOUBLE, x, (size_t)n * (size_t)n);
    free(rows);
    free(columns);
    H5Gclose(group);
    return bad;
}

/* Open a group that is made here; -1 where that fails. */
static hid_t make(hid_t parent, const char *name) {
    return parent < 0 ? -1 : H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

static void leave(hid_t group) {
    if (group >= 0) H5Gclose(group);
}

static int write_groups(hid_t group, const dump_source *source, const myr_problem_room *p) {
    const size_t nc = (size_t)p->contacts, m = 3 * nc;
    char title[160];
    snprintf(title, sizeof title, "%.60s, task %.30s, environment %lld, step %lld, %.9g s", source->model, source->task,
             (long long)source->env, (long long)source->step, source->time_s);
    const hid_t local = make(group, "fclib_local"), vectors = make(local, "vectors"), info = make(local, "info"),
                guesses = make(group, "guesses"), first = make(guesses, "1");
    int bad = local < 0 || vectors < 0 || info < 0 || guesses < 0 || first < 0;
    bad = bad || write_int(local, "spacedim", 3) || write_matrix(local, "W", p->G, (int)m);
    bad = bad || write_array(vectors, "q", H5T_NATIVE_DOUBLE, p->c, m) || write_array(vectors, "mu", H5T_NATIVE_DOUBLE, p->mu, nc);
    bad = bad || write_text(info, "title", title) || write_text(info, "description", "a contact problem met by myriapod run") ||
          write_text(info, "math_info", "W [1/kg], q [m/s], r [N s]");
    bad = bad || write_int(guesses, "number_of_guesses", 1) || write_array(first, "r", H5T_NATIVE_DOUBLE, p->start, m);
    leave(first);
    leave(guesses);
    leave(info);
    leave(vectors);
    leave(local);
    return bad;
}

/* Turned into (N, T1, T2) in place: what the room holds is read no more. */
static void turn(const myr_problem_room *p) {
    const size_t nc = (size_t)p->contacts, m = 3 * nc;
    for (size_t row = 0; row < m; row++) problem_normal_first(p->G + row * m, nc);
    for (size_t block = 0; block < m; block += 3)
        for (size_t column = 0; column < m; column++) {
            double *x = p->G + block * m + column, y[3] = {x[2 * m], x[0], x[m]};
            x[0] = y[0], x[m] = y[1], x[2 * m] = y[2];
        }
    problem_normal_first(p->c, nc);
    problem_normal_first(p->start, nc);
}

int dump_fclib_add(int64_t file, const dump_source *source, const myr_problem_room *problem) {
    char name[40];
    snprintf(name, sizeof name, "problems/%06lld", (long long)source->index);
    turn(problem);
    const hid_t group = make((hid_t)file, name);
    const int bad = group < 0 || write_groups(group, source, problem);
    leave(group);
    return bad;
}
