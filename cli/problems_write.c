/* What was read, as JSON that is read again: problems of any kind in one form, for programs that know neither Siconos' text nor HDF5. */
#include "json.h"
#include "problems.h"

/* The lower triangle: G is symmetric by now, and a half is a half. */
static json_t *triangle(const double *G, size_t m) {
    json_t *rows = json_array();
    for (size_t i = 0; i < m; i++) json_array_append_new(rows, cli_json_reals(G + i * m, i + 1));
    return rows;
}

/* [row, column, nine numbers] of each block of a large problem. */
static json_t *blocks_of(const myr_large_problem *large) {
    json_t *blocks = json_array();
    for (int i = 0; i < large->contacts; i++)
        for (int64_t b = large->first[i]; b < large->first[i + 1]; b++) {
            json_t *block = json_array();
            json_array_append_new(block, json_integer(i));
            json_array_append_new(block, json_integer(large->column[b]));
            json_array_append_new(block, cli_json_reals(large->blocks + 9 * b, 9));
            json_array_append_new(blocks, block);
        }
    return blocks;
}

static json_t *problem_object(const problem_entry *entry) {
    const myr_contact_problem *p = &entry->problem;
    const size_t nc = (size_t)p->contacts, m = problem_numbers(p);
    json_t *object = json_object();
    json_object_set(object, "id", entry->id);
    json_object_set_new(object, "file", cli_json_text(entry->file));
    json_object_set_new(object, "asymmetry", cli_json_real(entry->asymmetry));
    json_object_set_new(object, "mu", cli_json_reals(p->mu, nc));
    json_object_set_new(object, "c", cli_json_reals(p->c, m));
    if (p->start) json_object_set_new(object, "start", cli_json_reals(p->start, m));
    if (p->R) json_object_set_new(object, "R", cli_json_reals(p->R, m));
    if (p->rows) json_object_set_new(object, "rows", cli_json_matrix(p->stairs, (size_t)p->rows, 3)); /* infinite: null */
    if (p->bilateral) json_object_set_new(object, "bilateral", json_integer(p->bilateral));
    if (p->patches) {
        json_t *patches = json_array();
        for (size_t i = 0; i < nc; i++) json_array_append_new(patches, json_integer(p->patches[i]));
        json_object_set_new(object, "patches", patches);
    }
    if (problem_is_large(entry))
        json_object_set_new(object, "blocks", blocks_of(&entry->large));
    else
        json_object_set_new(object, "G", triangle(p->G, m));
    return object;
}

int problems_write(const problem_set *set, FILE *file) {
    int bad = fputs("{\"problems\": [", file) == EOF;
    for (size_t i = 0; i < set->n && !bad; i++) {
        json_t *object = problem_object(&set->entry[i]);
        fputs(i ? ",\n" : "\n", file);
        bad = json_dumpf(object, file, CLI_JSON_LINE) != 0;
        json_decref(object);
    }
    return bad || fputs("\n]}\n", file) == EOF ? -1 : 0;
}
