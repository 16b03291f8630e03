/* Contact problems from JSON text, one at a time: a file of a hundred thousand takes the memory of its numbers, not of a tree of them. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "problems_matrix.h"

static const problem_words words = {"\"G\"", "\"c\"", "\"mu\""};

static int missing(const problem_place *at, json_t *problem, const char *key, const char *what) {
    const char *nearest = cli_json_nearest_key(problem, key);
    if (nearest) return problem_refuse(at, "%s is missing (is \"%s\" meant?)", what, nearest);
    return problem_refuse(at, "%s is missing", what);
}

/* The list under `key` has n numbers. */
static int read_numbers(const problem_place *at, const json_t *list, const char *key, size_t n, double *out) {
    if (!json_is_array(list)) return problem_refuse(at, "\"%s\" is %s, not a list", key, cli_json_quote(list).text);
    if (json_array_size(list) != n) return problem_refuse(at, "\"%s\" has %zu numbers, not %zu", key, json_array_size(list), n);
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(list, i);
        if (cli_json_number(value, out + i))
            return problem_refuse(at, "\"%s\"[%zu] is %s, not a finite number", key, i, cli_json_quote(value).text);
    }
    return 0;
}

/* Rows beside the contacts: "rows", a list of [f, lo, hi], and "bilateral", a count. 0, or -1 and a message. */
static int find_rows(const problem_place *at, json_t *problem, size_t *rows, size_t *bilateral) {
    const json_t *list = json_object_get(problem, "rows"), *count = json_object_get(problem, "bilateral");
    if (list && !json_is_array(list)) return problem_refuse(at, "\"rows\" is %s, not a list of [f, lo, hi]", cli_json_quote(list).text);
    if (count && (!json_is_integer(count) || json_integer_value(count) < 0 || json_integer_value(count) > INT32_MAX))
        return problem_refuse(at, "\"bilateral\" is %s, not a number of rows", cli_json_quote(count).text);
    *rows = list ? json_array_size(list) : 0;
    *bilateral = count ? (size_t)json_integer_value(count) : 0;
    return 0;
}

/* [f, lo, hi] of each scalar row; null: no limit. */
static int read_rows(const problem_place *at, json_t *problem, size_t rows, double *stairs) {
    static const char *const names[3] = {"f", "lo", "hi"};
    for (size_t k = 0; k < rows; k++) {
        const json_t *row = json_array_get(json_object_get(problem, "rows"), k);
        double *s = stairs + 3 * k;
        if (!json_is_array(row) || json_array_size(row) != 3)
            return problem_refuse(at, "\"rows\"[%zu] is %s, not [f, lo, hi]", k, cli_json_quote(row).text);
        for (size_t i = 0; i < 3; i++) {
            const json_t *value = json_array_get(row, i);
            if (i > 0 && json_is_null(value))
                s[i] = i == 1 ? (double)-INFINITY : (double)INFINITY;
            else if (cli_json_number(value, s + i))
                return problem_refuse(at, "\"rows\"[%zu], %s, is %s, not a finite number%s", k, names[i], cli_json_quote(value).text,
                                      i ? " or null" : "");
        }
        if (s[0] < 0) return problem_refuse(at, "\"rows\"[%zu], f, is %.9g; friction is not negative", k, s[0]);
        if (s[1] > s[2]) return problem_refuse(at, "\"rows\"[%zu]: lo, %.9g, is above hi, %.9g", k, s[1], s[2]);
    }
    return 0;
}

/* The list of free velocities says how many contacts there are, before `others` rows. */
static const char *find_c(const problem_place *at, json_t *problem, size_t others, size_t *contacts) {
    const json_t *c = json_object_get(problem, "c"), *g = json_object_get(problem, "g");
    const char *key = c ? "c" : "g";
    const json_t *list = c ? c : g;
    if (!list) {
        missing(at, problem, "c", "\"c\" (or \"g\"), the free velocity,");
    } else if (c && g) {
        problem_refuse(at, "both \"c\" and \"g\" are there: which is the free velocity?");
    } else if (!json_is_array(list)) {
        problem_refuse(at, "\"%s\" is %s, not a list", key, cli_json_quote(list).text);
    } else if (json_array_size(list) < others || (json_array_size(list) - others) % 3 != 0) {
        problem_refuse(at, "\"%s\" has %zu numbers, not three per contact%s", key, json_array_size(list), others ? " and one per row" : "");
    } else {
        *contacts = (json_array_size(list) - others) / 3;
        return key;
    }
    return NULL;
}

static int read_mu(const problem_place *at, json_t *problem, size_t contacts, double *numbers) {
    const json_t *mu = json_object_get(problem, "mu");
    if (!mu) return missing(at, problem, "mu", "\"mu\", the friction coefficient,");
    const int list = json_is_array(mu);
    if (list && json_array_size(mu) != contacts)
        return problem_refuse(at, "\"mu\" has %zu numbers for %zu contacts", json_array_size(mu), contacts);
    for (size_t i = 0; i < contacts; i++) {
        const json_t *value = list ? json_array_get(mu, i) : mu;
        char key[40] = "\"mu\"";
        if (list) snprintf(key, sizeof key, "\"mu\"[%zu]", i);
        if (cli_json_number(value, numbers + i))
            return problem_refuse(at, "%s is %s, not a finite number", key, cli_json_quote(value).text);
        if (numbers[i] < 0) return problem_refuse(at, "%s is %s; a friction coefficient is not negative", key, cli_json_quote(value).text);
    }
    return 0;
}

/* "blocks": [row, column, nine numbers] of each block of G, in any order; a block without the one opposite is refused as asymmetry. */
static int read_blocks(const problem_place *at, const json_t *list, matrix *W) {
    if (!json_is_array(list)) return problem_refuse(at, "\"blocks\" is %s, not a list", cli_json_quote(list).text);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *block = json_array_get(list, i), *numbers = json_array_get(block, 2);
        const json_t *row = json_array_get(block, 0), *column = json_array_get(block, 1);
        const long long most = W->rows / 3;
        if (json_array_size(block) != 3 || !json_is_integer(row) || !json_is_integer(column) || json_array_size(numbers) != 9)
            return problem_refuse(at, "\"blocks\"[%zu] is %s, not [row, column, [nine numbers]]", i, cli_json_quote(block).text);
        const long long r = json_integer_value(row), k = json_integer_value(column);
        if (r < 0 || r >= most || k < 0 || k >= most)
            return problem_refuse(at, "\"blocks\"[%zu] is in row %lld and column %lld, of %lld contacts", i, r, k, most);
        for (int e = 0; e < 9; e++) {
            double value;
            const json_t *number = json_array_get(numbers, (size_t)e);
            if (cli_json_number(number, &value))
                return problem_refuse(at, "\"blocks\"[%zu][2][%d] is %s, not a finite number", i, e, cli_json_quote(number).text);
            if (matrix_add(W, at, "\"blocks\"", 3 * r + e / 3, 3 * k + e % 3, value)) return -1;
        }
    }
    return 0;
}

/* Where the numbers of G go. */
typedef struct G_room {
    double *dense; /* NULL: into W */
    matrix W;
} G_room;

/* G whole, or the lower triangle of it: rows of 1, 2, .., m numbers. The last row is the same in both, the first says which. */
static int read_rows_of_G(const problem_place *at, json_t *problem, size_t n, G_room *to) {
    const json_t *G = json_object_get(problem, "G");
    if (!G) return missing(at, problem, "G", "\"G\", the Delassus matrix,");
    if (!json_is_array(G)) return problem_refuse(at, "\"G\" is %s, not a list of rows", cli_json_quote(G).text);
    if (json_array_size(G) != n)
        return problem_refuse(at, "\"G\" has %zu rows, not %zu (three per contact, one per row)", json_array_size(G), n);
    const int triangle = n > 1 && json_is_array(json_array_get(G, 0)) && json_array_size(json_array_get(G, 0)) == 1;
    for (size_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(G, i);
        const size_t length = triangle ? i + 1 : n;
        if (!json_is_array(row)) return problem_refuse(at, "\"G\"[%zu] is %s, not a row", i, cli_json_quote(row).text);
        if (json_array_size(row) != length)
            return problem_refuse(at, "\"G\"[%zu] has %zu numbers, not %zu: \"G\" is %s", i, json_array_size(row), length,
                                  triangle ? "no lower triangle, as its first row of one number says" : "not square");
        for (size_t k = 0; k < length; k++) {
            const json_t *value = json_array_get(row, k);
            double number;
            if (cli_json_number(value, &number))
                return problem_refuse(at, "\"G\"[%zu][%zu] is %s, not a finite number", i, k, cli_json_quote(value).text);
            if (to->dense) {
                to->dense[i * n + k] = number;
                if (triangle) to->dense[k * n + i] = number;
            } else if (matrix_add(&to->W, at, "\"G\"", (long long)i, (long long)k, number) ||
                       (triangle && k < i && matrix_add(&to->W, at, "\"G\"", (long long)k, (long long)i, number))) {
                return -1;
            }
        }
    }
    return 0;
}

static int read_G(const problem_place *at, json_t *problem, problem_set *set, problem_entry *entry) {
    const size_t n = problem_numbers(&entry->problem);
    const json_t *blocks = json_object_get(problem, "blocks");
    G_room to = {.dense = blocks ? NULL : (double *)(size_t)entry->problem.G, .W = {.rows = (long long)n, .columns = (long long)n}};
    int status = 0;
    if (blocks && json_object_get(problem, "G")) return problem_refuse(at, "both \"G\" and \"blocks\" are there: which is the matrix?");
    if (blocks && n != 3 * (size_t)entry->problem.contacts)
        return problem_refuse(at, "\"blocks\" are of contacts, and it has rows beside them");
    status = blocks ? read_blocks(at, blocks, &to.W) : read_rows_of_G(at, problem, n, &to);
    if (status == 0 && !to.dense) status = matrix_fill(at, &to.W, set, entry);
    matrix_close(&to.W);
    return status;
}

/* The patch of each contact: any whole numbers. */
static int read_patches(const problem_place *at, const json_t *list, size_t contacts, int *numbers) {
    if (!json_is_array(list)) return problem_refuse(at, "\"patches\" is %s, not a list of whole numbers", cli_json_quote(list).text);
    if (json_array_size(list) != contacts)
        return problem_refuse(at, "\"patches\" has %zu numbers for %zu contacts", json_array_size(list), contacts);
    for (size_t i = 0; i < contacts; i++) {
        const json_t *value = json_array_get(list, i);
        const json_int_t number = json_integer_value(value);
        if (!json_is_integer(value) || number < INT32_MIN || number > INT32_MAX)
            return problem_refuse(at, "\"patches\"[%zu] is %s, not a whole number", i, cli_json_quote(value).text);
        numbers[i] = (int)number;
    }
    return 0;
}

/* Keys that a problem may leave out. */
static int read_options(const problem_place *at, json_t *problem, problem_set *set, problem_entry *entry, int *normal_first) {
    const json_t *start = json_object_get(problem, "start"), *R = json_object_get(problem, "R"), *order = json_object_get(problem, "order"),
                 *patches = json_object_get(problem, "patches");
    const size_t m = problem_numbers(&entry->problem);
    if (start && !set->cold && read_numbers(at, start, "start", m, problem_add_start(set, entry))) return -1;
    if (R && problem_is_large(entry))
        return problem_refuse(at, "\"R\" is there, and it has %d contacts: large problems are read without compliance",
                              entry->problem.contacts);
    if (R && read_numbers(at, R, "R", m, problem_add_compliance(set, entry))) return -1;
    if (patches && read_patches(at, patches, (size_t)entry->problem.contacts, problem_add_patches(entry))) return -1;
    *normal_first = order && json_is_string(order) && strcmp(json_string_value(order), "normal-first") == 0;
    if (order && !*normal_first && !(json_is_string(order) && strcmp(json_string_value(order), "normal-last") == 0))
        return problem_refuse(at, "\"order\" is %s, neither \"normal-last\" nor \"normal-first\"", cli_json_quote(order).text);
    return 0;
}

static int read_problem(json_t *entry, size_t index, const char *file, problem_set *set, cli_text *message) {
    json_t *id = json_is_object(entry) ? json_object_get(entry, "id") : NULL;
    id = id ? json_incref(id) : json_integer((json_int_t)index);
    char item[80];
    snprintf(item, sizeof item, "problem %s", cli_json_quote(id).text);
    const problem_place at = {file, item, message};
    size_t contacts = 0, rows = 0, bilateral = 0;
    const char *c = NULL;
    if (!json_is_object(entry)) {
        problem_refuse(&at, "it is %s, not an object", cli_json_quote(entry).text);
    } else if (!json_is_integer(id) && !json_is_string(id) && !json_is_real(id)) {
        problem_refuse(&at, "\"id\" is %s, neither a number nor a string", cli_json_quote(id).text);
    } else if (find_rows(&at, entry, &rows, &bilateral) == 0) {
        c = find_c(&at, entry, rows + bilateral, &contacts);
    }
    if (!c) {
        json_decref(id);
        return -1;
    }
    problem_entry *out = problem_add_with_rows(set, &at, id, (long long)contacts, (long long)rows, (long long)bilateral);
    if (!out) return -1;
    const myr_contact_problem *p = &out->problem;
    const size_t m = problem_numbers(p);
    int normal_first = 0;
    int status = read_numbers(&at, json_object_get(entry, c), c, m, (double *)(size_t)p->c);
    if (status == 0) status = read_mu(&at, entry, contacts, (double *)(size_t)p->mu);
    if (status == 0) status = read_rows(&at, entry, rows, (double *)(size_t)p->stairs);
    if (status == 0) status = read_G(&at, entry, set, out);
    if (status == 0) status = read_options(&at, entry, set, out, &normal_first);
    if (status == 0) status = problem_finish(&at, &words, out, normal_first);
    return status;
}

/* ---- the way to "problems" ---------------------------------------------------------------------- */

typedef struct scanner {
    const char *at, *end, *file;
    const char *counted; /* lines up to here */
    int line;
    cli_text *message;
} scanner;

static void skip_space(scanner *s) {
    while (s->at < s->end && strchr(" \t\r\n", *s->at) && *s->at) s->at++;
}

static int next_is(scanner *s, char c) {
    skip_space(s);
    return s->at < s->end && *s->at == c;
}

/* Past the value that begins here, by its brackets and quotes. */
static void skip_value(scanner *s) {
    int depth = 0, quoted = 0;
    for (; s->at < s->end; s->at++) {
        const char c = *s->at;
        if (quoted) {
            if (c == '\\' && s->at + 1 < s->end) s->at++;
            if (c == '"') quoted = 0;
        } else if (c == '"') {
            quoted = 1;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            if (depth == 0) return;
            depth--;
        } else if (c == ',' && depth == 0) {
            return;
        } else if (c == ':' && depth == 0) {
            return;
        }
    }
}

/* The value that begins here, parsed; NULL: the message says why not. */
static json_t *take_value(scanner *s) {
    skip_space(s);
    const char *first = s->at;
    for (; s->counted < first; s->counted++) s->line += *s->counted == '\n';
    skip_value(s);
    return cli_json_parse_part(first, (size_t)(s->at - first), s->file, s->line, s->message);
}

static int read_list(scanner *s, problem_set *set) {
    size_t index = 0;
    s->at++;
    if (next_is(s, ']')) return s->at++, 0;
    for (;; index++) {
        json_t *value = take_value(s);
        const int status = value ? read_problem(value, index, s->file, set, s->message) : -1;
        json_decref(value);
        if (status) return -1;
        if (next_is(s, ']')) return s->at++, 0;
        if (!next_is(s, ','))
            return cli_say(s->message, "\"%s\": after problem %zu of the list comes neither a comma nor its end", s->file, index);
        s->at++;
    }
}

/* One key of the outer object with its value; what is not "problems" only has to be JSON. */
static int read_member(scanner *s, json_t *seen, problem_set *set) {
    json_t *key = next_is(s, '"') ? take_value(s) : NULL;
    if (!key) return s->message->text[0] ? -1 : cli_say(s->message, "\"%s\": a key is not between quotes", s->file);
    const char *name = json_string_value(key);
    int status = 0;
    if (!name) {
        status = cli_say(s->message, "\"%s\": a key is not a string", s->file);
    } else if (json_object_get(seen, name)) {
        status = cli_say(s->message, "\"%s\": the key %s is there twice", s->file, cli_json_quote(key).text);
    } else if (json_object_set_new(seen, name, json_true()), !next_is(s, ':')) {
        status = cli_say(s->message, "\"%s\": no colon follows the key %s", s->file, cli_json_quote(key).text);
    } else {
        s->at++;
        if (strcmp(name, "problems") == 0 && next_is(s, '[')) {
            status = read_list(s, set);
        } else {
            json_t *value = take_value(s);
            if (!value) {
                status = -1;
            } else if (strcmp(name, "problems") == 0) {
                status = cli_say(s->message, "\"%s\": \"problems\" is %s, not a list", s->file, cli_json_quote(value).text);
            }
            json_decref(value);
        }
    }
    json_decref(key);
    return status;
}

static int read_object(scanner *s, problem_set *set) {
    json_t *seen = json_object();
    int status = 0;
    s->at++;
    if (next_is(s, '}')) {
        s->at++;
    } else {
        for (;;) {
            status = read_member(s, seen, set);
            if (status) break;
            if (next_is(s, '}')) {
                s->at++;
                break;
            }
            if (!next_is(s, ',')) {
                status = cli_say(s->message, "\"%s\": the JSON object has no end", s->file);
                break;
            }
            s->at++;
        }
    }
    skip_space(s);
    if (status == 0 && s->at < s->end) status = cli_say(s->message, "\"%s\": something follows the JSON object", s->file);
    if (status == 0 && !json_object_get(seen, "problems")) {
        const char *nearest = cli_json_nearest_key(seen, "problems");
        status = nearest ? cli_say(s->message, "\"%s\": \"problems\" is missing (is \"%s\" meant?)", s->file, nearest)
                         : cli_say(s->message, "\"%s\": \"problems\", a list, is missing", s->file);
    }
    json_decref(seen);
    return status;
}

int problems_json(const char *text, size_t length, const char *file, problem_set *set, cli_text *message) {
    scanner s = {.at = text, .end = text + length, .file = file, .counted = text, .message = message};
    const size_t before = set->n;
    message->text[0] = '\0';
    const int status = next_is(&s, '{') ? read_object(&s, set) : cli_say(message, "\"%s\" is not a JSON object with \"problems\"", file);
    if (status) problem_cut(set, before);
    return status;
}
