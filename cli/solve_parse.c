/* Contact problems from JSON text. */
#include "solve_parse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

/* One problem being read, for messages. */
typedef struct place {
    const char *label;
    cli_quote id;
    cli_text *message;
} place;

#define REFUSE(at, format, ...) cli_say((at)->message, "\"%s\", problem %s: " format, (at)->label, (at)->id.text, __VA_ARGS__)

static int missing(const place *at, json_t *problem, const char *key, const char *what) {
    const char *nearest = cli_json_nearest_key(problem, key);
    if (nearest) return REFUSE(at, "%s is missing (is \"%s\" meant?)", what, nearest);
    return REFUSE(at, "%s is missing", what);
}

static int read_c(const place *at, json_t *problem, double **numbers, int *contacts) {
    const json_t *c = json_object_get(problem, "c"), *g = json_object_get(problem, "g");
    if (!c && !g) return missing(at, problem, "c", "\"c\" (or \"g\"), the free velocity,");
    if (c && g) return REFUSE(at, "both \"%s\" and \"%s\" are there: which is the free velocity?", "c", "g");
    const char *key = c ? "c" : "g";
    const json_t *list = c ? c : g;
    if (!json_is_array(list)) return REFUSE(at, "\"%s\" is %s, not a list", key, cli_json_quote(list).text);
    const size_t n = json_array_size(list);
    if (n % 3 != 0) return REFUSE(at, "\"%s\" has %zu numbers, not three per contact", key, n);
    if (n > 30000) return REFUSE(at, "\"%s\" has %zu numbers; at most 30000 can be read", key, n);
    *numbers = cli_allocate(n, sizeof **numbers);
    *contacts = (int)(n / 3);
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(list, i);
        if (cli_json_number(value, *numbers + i))
            return REFUSE(at, "\"%s\"[%zu] is %s, not a finite number", key, i, cli_json_quote(value).text);
    }
    return 0;
}

static int read_mu(const place *at, json_t *problem, size_t contacts, double **numbers) {
    const json_t *mu = json_object_get(problem, "mu");
    if (!mu) return missing(at, problem, "mu", "\"mu\", the friction coefficient,");
    const int list = json_is_array(mu);
    if (list && json_array_size(mu) != contacts)
        return REFUSE(at, "\"mu\" has %zu numbers for %zu contacts", json_array_size(mu), contacts);
    *numbers = cli_allocate(contacts, sizeof **numbers);
    for (size_t i = 0; i < contacts; i++) {
        const json_t *value = list ? json_array_get(mu, i) : mu;
        char key[40] = "\"mu\"";
        if (list) snprintf(key, sizeof key, "\"mu\"[%zu]", i);
        if (cli_json_number(value, *numbers + i)) return REFUSE(at, "%s is %s, not a finite number", key, cli_json_quote(value).text);
        if ((*numbers)[i] < 0) return REFUSE(at, "%s is %s; a friction coefficient is not negative", key, cli_json_quote(value).text);
    }
    return 0;
}

static int read_G(const place *at, json_t *problem, size_t n, double **numbers) {
    const json_t *G = json_object_get(problem, "G");
    if (!G) return missing(at, problem, "G", "\"G\", the Delassus matrix,");
    if (!json_is_array(G)) return REFUSE(at, "\"G\" is %s, not a list of rows", cli_json_quote(G).text);
    if (json_array_size(G) != n) return REFUSE(at, "\"G\" has %zu rows, not %zu (three per contact)", json_array_size(G), n);
    for (size_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(G, i);
        if (!json_is_array(row)) return REFUSE(at, "\"G\"[%zu] is %s, not a row", i, cli_json_quote(row).text);
        if (json_array_size(row) != n)
            return REFUSE(at, "\"G\"[%zu] has %zu numbers, not %zu: \"G\" is not square", i, json_array_size(row), n);
    }
    *numbers = cli_allocate(n * n, sizeof **numbers);
    for (size_t i = 0; i < n * n; i++) {
        const json_t *value = json_array_get(json_array_get(G, i / n), i % n);
        if (cli_json_number(value, *numbers + i)) {
            return REFUSE(at, "\"G\"[%zu][%zu] is %s, not a finite number", i / n, i % n, cli_json_quote(value).text);
        }
    }
    return 0;
}

/* Symmetrise G; the asymmetry it had, relative to its largest entry, goes to *relative. */
static int symmetrise(const place *at, double *G, size_t n, double *relative) {
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
    if (*relative > SOLVE_ASYMMETRY_LIMIT) {
        return REFUSE(at, "\"G\" is not symmetric: [%zu][%zu] is %.9g, [%zu][%zu] is %.9g (%.2g of its largest entry; at most %g)", row,
                      column, G[row * n + column], column, row, G[column * n + row], *relative, SOLVE_ASYMMETRY_LIMIT);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (G[i * n + j] != G[j * n + i]) G[i * n + j] = G[j * n + i] = 0.5 * G[i * n + j] + 0.5 * G[j * n + i];
        }
    }
    return 0;
}

static int read_problem(json_t *entry, size_t index, const char *label, solve_problems *out, cli_text *message) {
    place at = {.label = label, .message = message};
    json_t *id = json_is_object(entry) ? json_object_get(entry, "id") : NULL;
    out->id[index] = id ? json_incref(id) : json_integer((json_int_t)index);
    at.id = cli_json_quote(out->id[index]);
    if (!json_is_object(entry)) return REFUSE(&at, "it is %s, not an object", cli_json_quote(entry).text);
    if (id && !json_is_integer(id) && !json_is_string(id) && !json_is_real(id)) {
        return REFUSE(&at, "\"id\" is %s, neither a number nor a string", at.id.text);
    }

    double *G = NULL, *c = NULL, *mu = NULL;
    int contacts = 0;
    int status = read_c(&at, entry, &c, &contacts);
    const size_t n = 3 * (size_t)contacts;
    if (status == 0) status = read_mu(&at, entry, (size_t)contacts, &mu);
    if (status == 0) status = read_G(&at, entry, n, &G);
    if (status == 0) status = symmetrise(&at, G, n, &out->asymmetry[index]);
    out->problem[index] = (myr_contact_problem){.contacts = contacts, .G = G, .c = c, .mu = mu};
    return status;
}

int solve_parse(const char *text, size_t length, const char *label, solve_problems *out, cli_text *message) {
    *out = (solve_problems){0};
    json_t *root = cli_json_parse(text, length, label, message);
    if (!root) return -1;
    const json_t *list = json_object_get(root, "problems");
    int status = 0;
    if (!json_is_object(root)) {
        status = cli_say(message, "\"%s\" is not a JSON object with \"problems\"", label);
    } else if (!json_is_array(list)) {
        const char *nearest = list ? NULL : cli_json_nearest_key(root, "problems");
        status = nearest ? cli_say(message, "\"%s\": \"problems\" is missing (is \"%s\" meant?)", label, nearest)
                         : cli_say(message, "\"%s\": \"problems\" is %s, not a list", label, cli_json_quote(list).text);
    } else {
        out->n = json_array_size(list);
        out->id = cli_allocate(out->n, sizeof *out->id);
        out->problem = cli_allocate(out->n, sizeof *out->problem);
        out->asymmetry = cli_allocate(out->n, sizeof *out->asymmetry);
    }
    for (size_t i = 0; i < out->n && status == 0; i++) status = read_problem(json_array_get(list, i), i, label, out, message);
    json_decref(root);
    if (status) solve_problems_free(out);
    return status;
}

void solve_problems_free(solve_problems *problems) {
    for (size_t i = 0; i < problems->n; i++) {
        json_decref(problems->id[i]);
        free((void *)(size_t)problems->problem[i].G);
        free((void *)(size_t)problems->problem[i].c);
        free((void *)(size_t)problems->problem[i].mu);
    }
    free(problems->id);
    free(problems->problem);
    free(problems->asymmetry);
    *problems = (solve_problems){0};
}
