/* A set of contact problems: what every reader of files fills and checks. */
#include "problems.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int problem_refuse(const problem_place *at, const char *format, ...) {
    char reason[800];
    va_list list;
    va_start(list, format);
    vsnprintf(reason, sizeof reason, format, list);
    va_end(list);
    if (at->item) return cli_say(at->message, "\"%.120s\", %.90s: %s", at->file, at->item, reason);
    return cli_say(at->message, "\"%.120s\": %s", at->file, reason);
}

static double *numbers(problem_set *set, size_t n) {
    set->numbers += n;
    return cli_allocate(n, sizeof(double));
}

problem_entry *problem_add(problem_set *set, const problem_place *at, json_t *id, long long contacts) {
    return problem_add_with_rows(set, at, id, contacts, 0, 0);
}

problem_entry *problem_add_with_rows(problem_set *set, const problem_place *at, json_t *id, long long contacts, long long rows,
                                     long long bilateral) {
    const int most = set->most_contacts ? set->most_contacts : PROBLEM_CONTACTS, large = set->large && contacts > most;
    if (contacts < 0 || (!large && contacts > most) || contacts > PROBLEM_CONTACTS_LARGE) {
        const int dense = contacts > most && contacts <= PROBLEM_CONTACTS_LIMIT;
        problem_refuse(at, "it has %lld contacts; at most %d are read%s%s", contacts, large ? PROBLEM_CONTACTS_LARGE : most,
                       dense && !large ? " (--max-contacts allows more)" : "", set->why_not && contacts > most ? set->why_not : "");
        json_decref(id);
        return NULL;
    }
    if (large && (rows || bilateral)) {
        problem_refuse(at, "it has %lld contacts and rows beside them; of more than %d contacts problems without rows are read", contacts,
                       most);
        json_decref(id);
        return NULL;
    }
    if (rows < 0 || bilateral < 0 || rows + bilateral > 3LL * most) {
        problem_refuse(at, "it has %lld rows beside its contacts; at most %lld are read", rows + bilateral, 3LL * most);
        json_decref(id);
        return NULL;
    }
    const size_t nc = (size_t)contacts, m = 3 * nc + (size_t)rows + (size_t)bilateral;
    const size_t dense = large ? 0 : m * m;
    if (set->numbers + dense > PROBLEM_NUMBERS) {
        problem_refuse(
            at, "with it, problem %zu, the matrices are more than %zu numbers in all, which is the limit: give fewer problems at a time",
            set->n + 1, PROBLEM_NUMBERS);
        json_decref(id);
        return NULL;
    }
    if (set->n == set->room) {
        const size_t room = set->room ? 2 * set->room : 64;
        problem_entry *larger = cli_allocate(room, sizeof *larger);
        if (set->n) memcpy(larger, set->entry, set->n * sizeof *larger);
        free(set->entry);
        set->entry = larger, set->room = room;
    }
    problem_entry *entry = &set->entry[set->n++];
    *entry = (problem_entry){.id = id, .file = at->file};
    entry->problem = (myr_contact_problem){.contacts = (int)contacts, .c = numbers(set, m), .mu = numbers(set, nc)};
    if (!large) entry->problem.G = numbers(set, dense);
    entry->problem.rows = (int)rows, entry->problem.bilateral = (int)bilateral;
    if (rows) entry->problem.stairs = numbers(set, 3 * (size_t)rows);
    return entry;
}

double *problem_add_start(problem_set *set, problem_entry *entry) {
    double *start = numbers(set, problem_numbers(&entry->problem));
    entry->problem.start = start;
    return start;
}

double *problem_add_compliance(problem_set *set, problem_entry *entry) {
    double *R = numbers(set, problem_numbers(&entry->problem));
    entry->problem.R = R;
    return R;
}

int *problem_add_patches(problem_entry *entry) {
    int *patches = cli_allocate((size_t)entry->problem.contacts, sizeof *patches);
    entry->problem.patches = patches;
    return patches;
}

/* Arrays are const to the library and ours to fill. */
static double *own(const double *array) { return (double *)(size_t)array; }

void problem_cut(problem_set *set, size_t n) {
    while (set->n > n) {
        problem_entry *entry = &set->entry[--set->n];
        const myr_contact_problem *p = &entry->problem;
        const size_t m = problem_numbers(p);
        set->numbers -= m + (size_t)p->contacts + 3 * (size_t)p->rows + (p->start ? m : 0) + (p->R ? m : 0);
        if (!problem_is_large(entry)) set->numbers -= m * m;
        if (entry->large.blocks) set->numbers -= 9 * (size_t)entry->large.first[p->contacts];
        free((void *)(size_t)entry->large.first);
        free((void *)(size_t)entry->large.column);
        free(own(entry->large.blocks));
        free(own(p->G));
        free(own(p->c));
        free(own(p->mu));
        free(own(p->stairs));
        free(own(p->start));
        free(own(p->R));
        free((int *)(size_t)p->patches);
        json_decref(entry->id);
    }
}

void problem_set_free(problem_set *set) {
    problem_cut(set, 0);
    free(set->entry);
    for (size_t i = 0; i < set->n_files; i++) free(set->file[i]);
    free(set->file);
    *set = (problem_set){.most_contacts = set->most_contacts, .cold = set->cold, .large = set->large, .why_not = set->why_not};
}

static void normal_last(problem_entry *entry);

/* ---- checks ------------------------------------------------------------------------------------ */

static int all_finite(const problem_place *at, const char *name, const double *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i])) return problem_refuse(at, "%s[%zu] is %g, not a finite number", name, i, values[i]);
    return 0;
}

/* Symmetrise G; the asymmetry it had, relative to its largest entry, goes to *relative. */
static int symmetrise(const problem_place *at, const char *name, double *G, size_t n, double *relative) {
    double largest = 0, worst = 0;
    size_t row = 0, column = 0;
    for (size_t i = 0; i < n * n; i++) largest = fmax(largest, fabs(G[i]));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            /* Halves, because the sum or difference of two huge numbers may overflow. */
            const double a = 0.5 * G[i * n + j], b = 0.5 * G[j * n + i];
            if (fabs(a - b) > worst) worst = fabs(a - b), row = i, column = j;
        }
    }
    *relative = largest > 0 ? 2 * (worst / largest) : 0;
    if (*relative > PROBLEM_ASYMMETRY) {
        return problem_refuse(at, "%s is not symmetric: [%zu][%zu] is %.9g, [%zu][%zu] is %.9g (%.2g of its largest entry; at most %g)",
                              name, row, column, G[row * n + column], column, row, G[column * n + row], *relative, PROBLEM_ASYMMETRY);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (G[i * n + j] != G[j * n + i]) G[i * n + j] = G[j * n + i] = 0.5 * G[i * n + j] + 0.5 * G[j * n + i];
        }
    }
    return 0;
}

/* What no bodies can have, and no solver can answer: the rules of myr_solve_contacts, said with the file's words. After symmetrise. */
static int check_diagonal(const problem_place *at, const problem_words *words, const myr_contact_problem *p) {
    const size_t m = problem_numbers(p);
    double largest = 0;
    for (size_t i = 0; i < m * m; i++) largest = fmax(largest, fabs(p->G[i]));
    for (size_t i = 0; i < m; i++) {
        const double own = p->G[i * m + i];
        if (own < 0)
            return problem_refuse(at, "%s[%zu][%zu] is %.9g; the diagonal of a Delassus matrix is not negative", words->G, i, i, own);
        for (size_t k = 0; k < m && own == 0; k++)
            if (fabs(p->G[i * m + k]) > PROBLEM_ASYMMETRY_ROUNDING * largest)
                return problem_refuse(at, "%s[%zu][%zu] is 0 and [%zu][%zu] beside it is %.9g; no Delassus matrix has that", words->G, i, i,
                                      i, k, p->G[i * m + k]);
    }
    return 0;
}

/* A contact that closes and whose normal nothing can move has no answer, nor has a row that nothing can move beyond its limits. `normal`:
 * which of its three rows that is. */
static int check_normals(const problem_place *at, const problem_words *words, const myr_contact_problem *p, size_t normal) {
    const size_t m = problem_numbers(p), first = 3 * (size_t)p->contacts;
    for (size_t k = 0; k < (size_t)p->rows; k++) {
        const double *s = p->stairs + 3 * k, c = p->c[first + k];
        if (p->G[(first + k) * (m + 1)] == 0 && !(p->R && p->R[first + k] > 0) && !(s[1] <= c && c <= s[2]))
            return problem_refuse(at, "%s[%zu][%zu] is 0 and %s[%zu] is %.9g: no impulse can bring row %zu between its limits", words->G,
                                  first + k, first + k, words->c, first + k, c, k);
    }
    for (size_t i = normal; i < first; i += 3)
        if (p->G[i * m + i] == 0 && p->c[i] < 0 && !(p->R && p->R[i] > 0))
            return problem_refuse(at, "%s[%zu][%zu], a normal, is 0 and %s[%zu] is %.9g: no impulse can stop this contact", words->G, i, i,
                                  words->c, i, p->c[i]);
    return 0;
}

int problem_finish(const problem_place *at, const problem_words *words, problem_entry *entry, int normal_first) {
    const myr_contact_problem *p = &entry->problem;
    const size_t nc = (size_t)p->contacts, m = problem_numbers(p);
    for (size_t i = 0; p->G && i < m * m; i++)
        if (!isfinite(p->G[i])) return problem_refuse(at, "%s[%zu][%zu] is %g, not a finite number", words->G, i / m, i % m, p->G[i]);
    if (all_finite(at, words->c, p->c, m) || all_finite(at, words->mu, p->mu, nc)) return -1;
    if (p->start && all_finite(at, "the start", p->start, m)) return -1;
    if (p->R && all_finite(at, "R", p->R, m)) return -1;
    for (size_t i = 0; i < nc; i++)
        if (p->mu[i] < 0) return problem_refuse(at, "%s[%zu] is %g; a friction coefficient is not negative", words->mu, i, p->mu[i]);
    for (size_t i = 0; p->R && i < m; i++)
        if (p->R[i] < 0) return problem_refuse(at, "R[%zu] is %g; a compliance is not negative", i, p->R[i]);
    if (problem_is_large(entry)) return problem_finish_large(at, words, entry, normal_first);
    if (symmetrise(at, words->G, own(p->G), m, &entry->asymmetry) || check_diagonal(at, words, p)) return -1;
    if (check_normals(at, words, p, normal_first ? 0 : 2)) return -1;
    if (normal_first) normal_last(entry);
    return 0;
}

/* ---- order ------------------------------------------------------------------------------------- */

/* Our row k of a contact is their row (k + 1) % 3: x = T1, y = T2, z = N. */
static size_t theirs(size_t row) { return row - row % 3 + (row + 1) % 3; }

void problem_turn(double *triples, size_t n, int to_first) {
    for (size_t i = 0; triples && i < n; i += 3) {
        double was[3];
        memcpy(was, triples + i, sizeof was);
        for (size_t k = 0; k < 3; k++) {
            if (to_first)
                triples[theirs(i + k)] = was[k];
            else
                triples[i + k] = was[(k + 1) % 3];
        }
    }
}

void problem_normal_first(double *triples, size_t contacts) { problem_turn(triples, 3 * contacts, 1); }

/* (N, T1, T2) per contact -> (T1, T2, N), of all arrays of the entry. */
static void normal_last(problem_entry *entry) {
    const myr_contact_problem *p = &entry->problem;
    const size_t m = problem_numbers(p), first = 3 * (size_t)p->contacts;
    double *G = own(p->G);
    for (size_t row = 0; row < m; row++) problem_turn(G + row * m, first, 0);
    for (size_t block = 0; block < first; block += 3)
        for (size_t column = 0; column < m; column++) {
            const double n = G[block * m + column];
            G[block * m + column] = G[(block + 1) * m + column];
            G[(block + 1) * m + column] = G[(block + 2) * m + column];
            G[(block + 2) * m + column] = n;
        }
    problem_turn(own(p->c), first, 0);
    problem_turn(own(p->start), first, 0);
    problem_turn(own(p->R), first, 0);
}
